"""A question for a list -> exactly the notes that it asks for, read from the graph: by tag, folder, date; how many.

Asked for tags, categories or folders, it lists those of these notes, each with the number of its notes.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from difflib import get_close_matches
from itertools import count

from graphrag.answers.citing import cite_chunk
from graphrag.answers.list_tests import day_of, list_tests
from graphrag.answers.list_text import facets_text, notes_text, page_of
from graphrag.answers.relation_answer import GRAPH
from graphrag.domain.graph import NoteSummary
from graphrag.domain.query import NO_FILTERS, Answer, AnswerStatus, Citation, Question, Route, Trace
from graphrag.language.language import is_chinese
from graphrag.language.marks import disarm
from graphrag.language.sentences import answer_sentences
from graphrag.retrieve.pipeline import StageClock
from graphrag.stores.nesting import count_facets
from graphrag.understand.listing import Listed, Listing, read_listing
from graphrag.vault.open_snapshot import OpenSnapshot

_AT_ONCE = 4


def answer_list(opened: OpenSnapshot, question: Question, today: date) -> Answer | None:
    """Return the list that a question asks for.

    None when it asks for none, or names a folder that there is not: it may mean something else.
    """
    asked = read_listing(question.text, today)
    if asked is None:
        return None
    clock, in_chinese = StageClock(), is_chinese(question.text)
    with clock.stage("list"):
        summaries = opened.readers.graph.notes()
        tests = list_tests(asked, summaries)
        if tests.unknown_tags:
            return _answer(opened, question, _unknown_tag(opened, tests.unknown_tags[0], in_chinese), {}, clock, False)
        if tests.is_unknown_folder:
            return None
        lines = opened.lines()
        fitting = [note for note in summaries if all(test(note) for test in tests.notes) and lines.is_shown(note.path)]
        fitting = _filtered(opened, question, fitting)
    if asked.listed is not Listed.NOTES:
        facets = count_facets(_facets_of(note, asked.listed) for note in fitting)
        text = facets_text(facets, len(fitting), asked, in_chinese)
        return _answer(opened, question, text, {}, clock, bool(facets))
    notes = _in_order(fitting, asked)
    page = page_of(asked, len(notes))
    with clock.stage("cite"):
        citations = _cite(opened, notes[page.first - 1 : page.last])
    keys = {path: citation.key for path, citation in citations.items()}
    text = notes_text(notes, page, keys, asked, tests.told(in_chinese), in_chinese)
    return _answer(opened, question, text, citations, clock, bool(notes))


def _answer(
    opened: OpenSnapshot,
    question: Question,
    text: str,
    citations: dict[str, Citation],
    clock: StageClock,
    has_any: bool,
) -> Answer:
    return Answer(
        question=question.asked,
        route=Route.LIST,
        status=AnswerStatus.ANSWERED if has_any else AnswerStatus.NO_HIT,
        answer=text,
        model=GRAPH,
        citations=tuple(citations.values()),
        snapshot=opened.readers.reference(),
        conflict=False,
        trace=Trace(dict(clock.milliseconds)),
    )


def _unknown_tag(opened: OpenSnapshot, tag: str, in_chinese: bool) -> str:
    """Return that no note bears a tag, with tags that are written like it."""
    known = [facet.name for facet in opened.readers.graph.tags()]
    near = "、".join(f"#{disarm(name)}" for name in get_close_matches(tag, known, n=3))
    if in_chinese:
        return f"没有笔记带标签 #{disarm(tag)}。" + (f"相近的标签：{near}。" if near else "")
    return f"No note has the tag #{disarm(tag)}." + (f" Tags like it: {near}." if near else "")


def _filtered(opened: OpenSnapshot, question: Question, notes: list[NoteSummary]) -> list[NoteSummary]:
    """Return the notes that the question's own filters let through, too."""
    if question.filters.is_empty:
        return notes
    passing = opened.readers.chunks.chunks_of([note.path for note in notes], question.filters)
    return [note for note in notes if note.path in passing]


def _in_order(notes: list[NoteSummary], asked: Listing) -> list[NoteSummary]:
    """Return the notes by date where the question speaks of time, else by path; as many as it wants at most."""
    if asked.is_ordered or asked.since or asked.until:
        dated = [note for note in notes if day_of(note, asked)]
        rest = [note for note in notes if not day_of(note, asked)]
        notes = sorted(dated, key=lambda note: str(day_of(note, asked)), reverse=not asked.is_oldest_first) + rest
    return notes[: None if asked.first else asked.limit or None]  # a wish for more outdoes the number before it


def _facets_of(note: NoteSummary, listed: Listed) -> tuple[str, ...]:
    """Return the names that a note counts for."""
    if listed is Listed.TAGS:
        return note.tags
    return (note.category,) if listed is Listed.CATEGORIES else (note.path.rpartition("/")[0],)


def _cite(opened: OpenSnapshot, notes: Sequence[NoteSummary]) -> dict[str, Citation]:
    """Return the beginning of each note by its path; an empty note has none."""
    readers = opened.readers
    chunks = readers.chunks.chunks_of([note.path for note in notes], NO_FILTERS)
    first = [chunks[note.path][0] for note in notes if chunks.get(note.path)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # Git takes some milliseconds to date the lines of each
        cited = pool.map(
            lambda key, chunk: cite_chunk(
                readers, opened.parts.vault.name, key, chunk, next(iter(answer_sentences(chunk)), chunk.text)
            ),
            count(1),
            first,
        )
        return {citation.note: citation for citation in cited}
