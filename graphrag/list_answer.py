"""A question for a list -> exactly the notes that it asks for, read from the graph: by tag, folder, date; how many."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from difflib import get_close_matches
from itertools import count

from graphrag.domain.graph import NoteSummary
from graphrag.domain.query import NO_FILTERS, Answer, AnswerStatus, Citation, Question, Route, Trace
from graphrag.open_snapshot import OpenSnapshot
from graphrag.relation_answer import GRAPH
from graphrag.retrieve.answer import cite_chunk
from graphrag.retrieve.language import is_chinese
from graphrag.retrieve.listing import Listing, read_listing
from graphrag.retrieve.marks import disarm
from graphrag.retrieve.pipeline import StageClock
from graphrag.retrieve.sentences import answer_sentences

_SHOWN = 20  # of a long list; the number of all is told
_AT_ONCE = 4


def answer_list(opened: OpenSnapshot, question: Question, today: date) -> Answer | None:
    """Return the list that a question asks for.

    None when it asks for none, or names a folder that there is not: it may mean something else.
    """
    asked = read_listing(question.text, today)
    if asked is None:
        return None
    clock = StageClock()
    with clock.stage("list"):
        summaries = opened.readers.graph.notes()
        if unknown := [tag for tag in asked.tags if not any(map(_bears_tag(tag.casefold()), summaries))]:
            return _unknown_tag(opened, question, unknown[0], clock)
        tests = [*_tests(asked, summaries)]
        if None in tests:
            return None
        lines = opened.lines()
        fitting = [
            note for note in summaries if all(test(note) for test in tests if test) and lines.is_shown(note.path)
        ]
        notes = _in_order(_filtered(opened, question, fitting), asked)
    with clock.stage("cite"):
        citations = _cite(opened, notes[:_SHOWN])
    return Answer(
        question=question.asked,
        route=Route.LIST,
        status=AnswerStatus.ANSWERED if notes else AnswerStatus.NO_HIT,
        answer=_text(notes, citations, asked, is_chinese(question.text)),
        model=GRAPH,
        citations=tuple(citations.values()),
        snapshot=opened.readers.reference(),
        conflict=False,
        trace=Trace(dict(clock.milliseconds)),
    )


def _unknown_tag(opened: OpenSnapshot, question: Question, tag: str, clock: StageClock) -> Answer:
    """Return that no note bears a tag, with tags that are written like it."""
    known = [facet.name for facet in opened.readers.graph.tags()]
    near = "、".join(f"#{disarm(name)}" for name in get_close_matches(tag, known, n=3))
    if is_chinese(question.text):
        text = f"没有笔记带标签 #{disarm(tag)}。" + (f"相近的标签：{near}。" if near else "")
    else:
        text = f"No note has the tag #{disarm(tag)}." + (f" Tags like it: {near}." if near else "")
    trace = Trace(dict(clock.milliseconds))
    reference = opened.readers.reference()
    return Answer(question.asked, Route.LIST, AnswerStatus.NO_HIT, text, GRAPH, (), reference, False, trace)


def _tests(asked: Listing, notes: Sequence[NoteSummary]) -> Iterator[Callable[[NoteSummary], bool] | None]:
    """Yield what a note must pass; None for a name that nothing bears."""
    if asked.is_untagged:
        yield lambda note: not note.tags
    yield from (_bears_tag(tag.casefold()) for tag in asked.tags)
    for folder in asked.folders:
        lies = _lies_in(folder.strip("/").casefold())
        yield lies if any(map(lies, notes)) else None
    if asked.since or asked.until:
        yield lambda note: _is_between(_day(note, asked), asked.since, asked.until)


def _bears_tag(tag: str) -> Callable[[NoteSummary], bool]:
    return lambda note: any(f"{name.casefold()}/".startswith(f"{tag}/") for name in note.tags)


def _lies_in(folder: str) -> Callable[[NoteSummary], bool]:
    """Return whether a note is in a category or folder, given by its whole path or by the end of it."""
    return lambda note: any(
        f"/{place.casefold()}/".find(f"/{folder}/") >= 0 for place in (note.category, note.path.rpartition("/")[0])
    )


def _is_between(day: date | None, since: date | None, until: date | None) -> bool:
    return day is not None and (since or date.min) <= day <= (until or date.max)


def _day(note: NoteSummary, asked: Listing) -> date | None:
    moment = note.created if asked.by_creation else note.updated or note.created
    return moment.date() if moment else None


def _filtered(opened: OpenSnapshot, question: Question, notes: list[NoteSummary]) -> list[NoteSummary]:
    """Return the notes that the question's own filters let through, too."""
    if question.filters.is_empty:
        return notes
    passing = opened.readers.chunks.chunks_of([note.path for note in notes], question.filters)
    return [note for note in notes if note.path in passing]


def _in_order(notes: list[NoteSummary], asked: Listing) -> list[NoteSummary]:
    """Return the notes by date where the question speaks of time, else by path; as many as it wants."""
    if asked.is_ordered or asked.since or asked.until:
        dated = [note for note in notes if _day(note, asked)]
        rest = [note for note in notes if not _day(note, asked)]
        notes = sorted(dated, key=lambda note: str(_day(note, asked)), reverse=not asked.is_oldest_first) + rest
    return notes[: asked.limit or None]


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


def _text(notes: Sequence[NoteSummary], citations: dict[str, Citation], asked: Listing, in_chinese: bool) -> str:
    """Return how many there are, and a line for each that is shown."""
    head = f"共 {len(notes)} 篇笔记" if in_chinese else f"{len(notes)} note{'' if len(notes) == 1 else 's'}"
    if not notes:
        return "没有这样的笔记。" if in_chinese else "No note is like that."
    lines = [f"- {_line(note, citations, asked)}" for note in notes[:_SHOWN]]
    rest = len(notes) - len(lines)
    more = [f"- 另有 {rest} 篇" if in_chinese else f"- {rest} more"] if rest else []
    return "\n".join([head + ("：" if in_chinese else ":"), *lines, *more])


def _line(note: NoteSummary, citations: dict[str, Citation], asked: Listing) -> str:
    day = _day(note, asked)
    mark = f" [{citations[note.path].key}]" if note.path in citations else f" ({disarm(note.path)})"
    return f"{disarm(note.title)}{f' · {day}' if day else ''}{mark}"
