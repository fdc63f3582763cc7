"""What a vault leaves open: its tasks, and the names that are linked and have no note, each with the line that says it.

A task is a list item with a box, `- [ ]` or `- [x]`. Its day is that of the Tasks plugin (📅 2024-10-01) or of an
inline field (`[due:: 2024-10-01]`).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from graphrag.answers.citations import Cited, cite
from graphrag.domain.graph import NoteSummary
from graphrag.domain.note import Chunk
from graphrag.domain.query import NO_FILTERS, Citation, is_between
from graphrag.language.interface import Language
from graphrag.language.markdown import disarm
from graphrag.language.shown import shown_text
from graphrag.understand.listing import Listing
from graphrag.vault.open_snapshot import OpenSnapshot

_TASK = re.compile(r"^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[(?P<box>[ xX])\][ \t]+(?P<text>\S.*)$", re.MULTILINE)
_DUE = re.compile(r"(?:📅|⏳|\bdue::?)[ \t]*(?P<day>\d{4}-\d{2}-\d{2})")
_FIELD = re.compile(r"[ \t]*[(\[]due::[^)\]]*[)\]]|[ \t]*(?:📅|⏳)[ \t]*[\d-]+")
_TAG = re.compile(r"(?<!\S)#([^\s#]+)")
_MOST = 5000  # passages that may hold tasks
_SHOWN_NOTES = 3  # that link to one name


@dataclass(frozen=True, slots=True)
class Item:
    """A task or a name, where it stands, and its day."""

    text: str
    note: str  # path
    chunk: Chunk | None  # None where no passage holds the line
    line: int
    title: str
    day: str = ""
    others: int = 0  # further lines that link to the name


def find_tasks(opened: OpenSnapshot, asked: Listing, notes: Sequence[NoteSummary]) -> list[Item]:
    """Return the open or the done tasks of notes that are about what is asked, by their day, then in their order."""
    box = "[x] " if asked.is_done else "[ ] "
    fitting = {note.path for note in notes}
    hits = opened.readers.chunks.search_substring(box, _MOST, NO_FILTERS)
    found = {
        (item.note, item.line): item
        for hit in hits
        if hit.chunk.note in fitting
        for item in _tasks_in(hit.chunk, asked)
    }
    return sorted(found.values(), key=lambda item: (not item.day, item.day, item.note, item.line))


def _tasks_in(chunk: Chunk, asked: Listing) -> Iterator[Item]:
    words = asked.about.casefold().split()
    around = " ".join((chunk.title, *chunk.heading)).casefold()
    for task in _TASK.finditer(chunk.text):
        is_done = task["box"] in "xX"
        due = _DUE.search(task["text"])
        day = due["day"] if due else ""
        told = f"{around} {task['text'].casefold()}"
        if is_done is asked.is_done and all(word in told for word in words) and _is_due(day, asked):
            lines = chunk.lines_of(task.start("text"), task.end())
            text = shown_text(_FIELD.sub("", task["text"]))
            yield Item(text, chunk.note, chunk, lines[0] if lines else chunk.span.first_line, chunk.title, day)


def _is_due(day: str, asked: Listing) -> bool:
    if not (asked.since or asked.until):
        return True
    return bool(day) and is_between(date.fromisoformat(day), asked.since, asked.until)


def find_topics(opened: OpenSnapshot, notes: Sequence[NoteSummary]) -> list[Item]:
    """Return the names that some notes link to and that no note has, those with most links first."""
    graph, shown = opened.readers.graph, {note.path: note for note in notes}
    topics = {topic.id: topic.title for topic in graph.topics()}
    places = defaultdict(list)
    for relation in graph.relations(sorted(topics)):
        if relation.target in topics and relation.note in shown:
            places[relation.target].append(relation)
    items = [
        Item(topics[id_], found[0].note, None, found[0].line, shown[found[0].note].title, others=len(found) - 1)
        for id_, found in places.items()
    ]
    return sorted(items, key=lambda item: (-item.others, item.text))


def cite_items(opened: OpenSnapshot, items: Sequence[Item]) -> list[Citation]:
    """Return a citation for each item whose line a passage holds, in their order."""
    readers, vault = opened.readers, opened.parts.vault.name
    held = readers.chunks.chunks_of(sorted({item.note for item in items}), NO_FILTERS)
    citations = []
    for key, item in enumerate(items, 1):
        chunks = held.get(item.note, [])
        chunk = item.chunk or next(
            (one for one in chunks if one.span.first_line <= item.line <= one.span.last_line), None
        )
        if chunk:
            citations.append(cite(readers, vault, Cited(key, chunk, (item.line, item.line), item.text)))
    return citations


def told_items(items: Sequence[Item], citations: Sequence[Citation], language: Language) -> list[str]:
    """Return a line for each item, with its day, its note and its mark."""
    keys = {citation.key for citation in citations}
    told = []
    for key, item in enumerate(items, 1):
        parts = [disarm(item.text), *([item.day] if item.day else []), disarm(item.title)]
        if item.others:
            parts.append(language.say("and {n} more link|and {n} more links", n=item.others))
        mark = f"[{key}]" if key in keys else f"({disarm(item.note)}:{item.line})"
        told.append(f"{' · '.join(parts)} {mark}")
    return told
