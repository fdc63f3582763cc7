"""A question for a list -> exactly the notes that it asks for, or their number, read from the graph, page by page.

A question for tags, categories or folders lists those of the matching notes, each with its number of notes.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from itertools import count

from graphrag.answers.answerer import OnText
from graphrag.answers.citations import cite_chunk
from graphrag.answers.open_ends import Item, cite_items, find_tasks, find_topics, told_items
from graphrag.answers.relations import GRAPH
from graphrag.domain.graph import Facet, NoteSummary
from graphrag.domain.query import (
    NO_FILTERS,
    Answer,
    AnswerStatus,
    Citation,
    Question,
    Route,
    Trace,
    find_folder,
    fold_name,
    folded_with_parents,
    folder_name,
    is_below,
    is_between,
)
from graphrag.language.interface import Language
from graphrag.language.markdown import disarm
from graphrag.language.sentences import answer_sentences
from graphrag.retrieve.pipeline import StageClock
from graphrag.stores.graph_walk import count_facets
from graphrag.understand.listing import USUAL, Listed, Listing, NoteState, TagTest, read_tags
from graphrag.understand.plan import ListOf, QueryPlan
from graphrag.vault.open_snapshot import OpenSnapshot

NoteTest = Callable[[NoteSummary], bool]


@dataclass(frozen=True, slots=True)
class ListTests:
    """The tests that a note must pass, and what stands in their way: names that nothing in the vault bears."""

    notes: tuple[NoteTest, ...]
    tags: tuple[TagTest, ...]
    unknown_tags: tuple[str, ...]
    is_unknown_folder: bool

    def told(self, language: Language) -> str:
        """Return how several tags were read together, empty for a single one."""
        if len(self.tags) < 2 and not any(len(test.names) > 1 or test.is_without for test in self.tags):
            return ""
        return ("，" if language.is_chinese else ", ").join(_told_test(test, language) for test in self.tags)


def list_tests(
    asked: Listing, notes: Sequence[NoteSummary], about: Callable[[str], date | None] = lambda path: None
) -> ListTests:
    """Return what a question wants of a note, its tags read as those that the notes bear.

    `about` tells the day that a note is about: it counts for a period as the day of its last change does.
    """
    known = {name for note in notes for name in folded_with_parents(note.tags)}

    def is_tag(name: str) -> bool:
        return fold_name(name) in known

    tags = tuple(
        test
        for texts, is_without in ((asked.tags, False), (asked.without_tags, True))
        for text in texts
        for test in read_tags(text, is_tag, is_without)
    )
    unknown = tuple(name for test in tags for name in test.names if not is_tag(name))
    paths = {note.path for note in notes} if asked.folders else set()
    folders = [_lies_in(find_folder(name, paths), fold_name(folder_name(name))) for name in asked.folders]
    is_unknown_folder = any(not any(map(lies, notes)) for lies in folders)
    return ListTests((*_plain(asked, about), *map(_bears, tags), *folders), tags, unknown, is_unknown_folder)


def day_of(note: NoteSummary, asked: Listing) -> date | None:
    """Return the day that counts for a question: that of a note's creation, or of its last change."""
    moment = note.created if asked.by_creation else note.updated or note.created
    return moment.date() if moment else None


def _plain(asked: Listing, about: Callable[[str], date | None]) -> Iterator[NoteTest]:
    if asked.is_untagged:
        yield lambda note: not note.tags
    if asked.since or asked.until:
        since, until = asked.since, asked.until
        yield (
            lambda note: (
                is_between(day_of(note, asked), since, until)
                or (not asked.by_creation and is_between(about(note.path), since, until))
            )
        )


def _bears(test: TagTest) -> NoteTest:
    names = set(map(fold_name, test.names))
    return lambda note: names.isdisjoint(folded_with_parents(note.tags)) is test.is_without


def _lies_in(folder: str | None, category: str) -> NoteTest:
    """Return whether a note is in a category or folder, or in one below it."""

    def lies_in(note: NoteSummary) -> bool:
        in_folder = bool(folder) and is_below(note.path, folder or "")
        return in_folder or category in folded_with_parents((note.category,))

    return lies_in


def _told_test(test: TagTest, language: Language) -> str:
    names = (" 或 " if language.is_chinese else " or ").join(f"#{disarm(name)}" for name in test.names)
    return language.say("without {names}" if test.is_without else "with {names}", names=names)


_MOST_SHOWN = 100  # whatever it says
_LINE = re.compile(r"^- .* (?:\[(\d+)\]|\(.+\))$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """The part of a list that is shown: places from 1, the last one included."""

    first: int
    last: int
    total: int


def page_of(asked: Listing, total: int) -> Page:
    """Return what is to be shown of so many: what the question says, else the beginning."""
    first = asked.first or 1
    usual = _MOST_SHOWN if asked.listed in (Listed.TAGS, Listed.CATEGORIES, Listed.FOLDERS) else USUAL
    wanted = asked.last - first + 1 if asked.last else asked.limit or usual
    return Page(first, min(total, first + min(max(wanted, 0), _MOST_SHOWN) - 1), total)


def notes_text(
    notes: Sequence[NoteSummary], page: Page, keys: Mapping[str, int], asked: Listing, told: str, language: Language
) -> str:
    """Return a list of notes; `keys` are those of the citations by path, `told` says how the tags were read."""
    count = language.say("{n} note|{n} notes", n=len(notes)) if notes else language.say("No note is like that")
    if told:
        count += language.say(" ({told})", told=told)
    if not notes:
        return count + _stop(language)
    lines = [_line(note, keys, asked) for note in notes[page.first - 1 : page.last]]
    return _told_note(count, lines, page, language)


def items_text(
    found: Sequence[Item], page: Page, citations: Sequence[Citation], asked: Listing, language: Language
) -> str:
    """Return a list of tasks, or of names without a note; the citations are those of the items that are shown."""
    if asked.listed is Listed.TOPICS:
        count = "{n} name is linked and has no note|{n} names are linked and have no note"
    else:
        count = "{n} done task|{n} done tasks" if asked.is_done else "{n} open task|{n} open tasks"
    if not found:
        return language.say("There is none.")
    lines = told_items(found[page.first - 1 : page.last], citations, language)
    return _told_note(language.say(count, n=len(found)), lines, page, language)


def facets_text(facets: Sequence[Facet], notes: int, asked: Listing, language: Language) -> str:
    """Return the tags, categories or folders of so many notes."""
    page = page_of(asked, len(facets))
    sign = "#" if asked.listed is Listed.TAGS else ""
    if not facets:
        return language.say(f"These notes have no {asked.listed}.")
    shown = [(f"{sign}{disarm(facet.name)}", facet.notes) for facet in facets[page.first - 1 : page.last]]
    held = language.say(f"{{n}} {_singular(asked.listed)}|{{n}} {asked.listed}", n=len(facets))
    count = language.say("{n} note, {held}|{n} notes, {held}", n=notes, held=held)
    lines = [language.say("{name} ({n} note)|{name} ({n} notes)", name=name, n=number) for name, number in shown]
    return _told_note(count, lines, page, language)


def listed_keys(text: str) -> tuple[int, ...]:
    """Return the keys of the notes in a list that was told, in its order; 0 for a note without a citation."""
    return tuple(int(found[1] or 0) for found in _LINE.finditer(text))


def _told_note(count: str, lines: Sequence[str], page: Page, language: Language) -> str:
    """Return the whole text; a page behind the end of the list has no lines."""
    place = ""
    if page.first > 1 and lines:
        place = language.say(", {first} to {last}", first=page.first, last=page.last)
    elif not lines:
        place = language.say(", none at {first}", first=page.first)
    end = ("：" if language.is_chinese else ":") if lines else _stop(language)
    head = f"{count}{place}{end}"
    return "\n".join([head, *(f"- {line}" for line in (*lines, *_rest(page, language)))])


def _rest(page: Page, language: Language) -> Iterator[str]:
    """Yield how much comes behind what is shown, and the words that show it."""
    if page.first > page.total or page.last >= page.total:
        return
    first, last, rest = page.last + 1, min(page.total, page.last + USUAL), page.total - page.last
    more = '{rest} more; add "{first} to {last}" to the question to see them'
    yield language.say(more, rest=rest, first=first, last=last)


def _line(note: NoteSummary, keys: Mapping[str, int], asked: Listing) -> str:
    day = day_of(note, asked)
    mark = f" [{keys[note.path]}]" if note.path in keys else f" ({disarm(note.path)})"
    return f"{disarm(note.title)}{f' · {day}' if day else ''}{mark}"


def _singular(listed: Listed) -> str:
    return "category" if listed is Listed.CATEGORIES else str(listed).removesuffix("s")


def _stop(language: Language) -> str:
    return "。" if language.is_chinese else "."


_AT_ONCE = 4


class ListAnswerer:
    """Lists the notes, tags, categories or folders that a question asks for."""

    def __init__(self, opened: OpenSnapshot, reading: ListOf) -> None:
        self._opened = opened
        self._asked = reading.listing
        self.notice = ""

    def answer(self, plan: QueryPlan, clock: StageClock, on_text: OnText | None) -> Answer | None:
        """Return the list; None when it names a folder that there is not: it may mean something else."""
        opened, question, asked = self._opened, plan.question, self._asked
        language = opened.parts.language(question.text)
        with clock.stage("list"):
            summaries = opened.readers.graph.notes()
            # The period of a question for tasks is that of their days.
            of_notes = replace(asked, since=None, until=None) if asked.listed is Listed.TASKS else asked
            tests = list_tests(of_notes, summaries, opened.readers.day_of)
            if tests.unknown_tags:
                text = _unknown_tag(opened, tests.unknown_tags[0], language)
                return _answer(opened, question, text, {}, clock, False)
            if tests.is_unknown_folder:
                return None
            if unknown := _unknown_type(opened, asked, language):
                return _answer(opened, question, unknown, {}, clock, False)
            lines = opened.lines()
            fitting = [note for note in summaries if all(test(note) for test in tests.notes)]
            fitting = [note for note in fitting if _has_type(opened, note, asked) and lines.is_shown(note.path)]
            fitting = _filtered(opened, question, _in_state(opened, fitting, asked.state))
        if asked.listed in (Listed.TASKS, Listed.TOPICS):
            found = find_tasks(opened, asked, fitting) if asked.listed is Listed.TASKS else find_topics(opened, fitting)
            if asked.about and not found and not find_tasks(opened, replace(asked, is_done=not asked.is_done), fitting):
                return None  # it is about something else than tasks
            page = page_of(asked, len(found))
            with clock.stage("cite"):
                passages = cite_items(opened, found[page.first - 1 : page.last])
            text = items_text(found, page, passages, asked, language)
            return _answer(opened, question, text, {item.ref: item for item in passages}, clock, bool(found))
        if asked.listed is not Listed.NOTES:
            facets = count_facets(_facets_of(note, asked.listed) for note in fitting)
            text = facets_text(facets, len(fitting), asked, language)
            return _answer(opened, question, text, {}, clock, bool(facets))
        notes = _in_order(fitting, asked)
        page = page_of(asked, len(notes))
        with clock.stage("cite"):
            citations = _cite(opened, notes[page.first - 1 : page.last])
        keys = {path: citation.key for path, citation in citations.items()}
        text = notes_text(notes, page, keys, asked, tests.told(language), language)
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


def _has_type(opened: OpenSnapshot, note: NoteSummary, asked: Listing) -> bool:
    names = {fold_name(kind.name) for kind in opened.readers.manifest.notes[note.path].types}
    return all(fold_name(wanted) in names for wanted in asked.types)


def _unknown_type(opened: OpenSnapshot, asked: Listing, language: Language) -> str:
    """Return that no note is of a type, with the types that there are; empty when all are known."""
    known = {fold_name(kind.name): kind.name for note in opened.readers.manifest.notes.values() for kind in note.types}
    unknown = next((name for name in asked.types if fold_name(name) not in known), "")
    if not unknown:
        return ""
    text = language.say("No note has the type {type}.", type=disarm(unknown))
    types = "、".join(disarm(name) for name in sorted(known.values())[:USUAL])
    return text + (language.say(" There are: {types}.", types=types) if types else "")


def _in_state(opened: OpenSnapshot, notes: list[NoteSummary], state: NoteState | None) -> list[NoteSummary]:
    """Return the notes that lack what a state says."""
    if state is None:
        return notes
    if state is NoteState.EMPTY:
        return [note for note in notes if not opened.readers.manifest.notes[note.path].chunk_count]
    paths = {note.path for note in notes}
    relations = [one for one in opened.readers.graph.relations(sorted(paths)) if one.source != one.target]
    linked = {one.target for one in relations}
    if state is NoteState.UNLINKED:
        linked |= {one.source for one in relations}
    return [note for note in notes if note.path not in linked]


def _unknown_tag(opened: OpenSnapshot, tag: str, language: Language) -> str:
    """Return that no note bears a tag, with tags that are written like it."""
    known = [facet.name for facet in opened.readers.graph.tags()]
    near = "、".join(f"#{disarm(name)}" for name in get_close_matches(tag, known, n=3))
    like = language.say(" Tags like it: {near}.", near=near) if near else ""
    return language.say("No note has the tag #{tag}.", tag=disarm(tag)) + like


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
