"""A note -> the notes that it names without a link, and those that name it so, with the lines where the name stands."""

from collections.abc import Callable, Iterator
from itertools import islice

from graphrag.domain.graph import Entity, EntityKind, MentionNeighbor
from graphrag.domain.ontology import Place
from graphrag.domain.walk import Mention
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.note_lines import NoteLines

_LINES = 3  # of one mention: each is looked up in the note


def find_mentions(readers: SnapshotReaders, lines: NoteLines, note: str, limit: int) -> Iterator[MentionNeighbor]:
    """Yield the strongest mentions in either direction; a note that a link joins with this one is none.

    While the walk of the snapshot is not made yet, there are none.
    """
    walk = readers.load_walk()
    if walk is None:
        return
    linked = {end for relation in readers.graph.relations([note]) for end in (relation.source, relation.target)}
    found = [item for item in walk.graph.mentions(note) if not linked & {item.source, item.target} - {note}]
    for is_backlink in (False, True):
        ways = (item for item in found if (item.target == note) == is_backlink)
        shown = (_neighbor(readers, lines, item, is_backlink) for item in ways)
        yield from islice((neighbor for neighbor in shown if neighbor), limit)


def _neighbor(
    readers: SnapshotReaders, lines: NoteLines, mention: Mention, is_backlink: bool
) -> MentionNeighbor | None:
    """Return the note at the other end; None when it, or every line that holds the name, must not be shown."""
    other = mention.source if is_backlink else mention.target
    places = tuple(sorted(_places(readers, lines, mention))) if lines.is_shown(other) else ()
    if not places:
        return None
    entity = Entity(other, EntityKind.NOTE, readers.manifest.notes[other].title)
    return MentionNeighbor(entity, is_backlink, places, round(mention.weight, 4))


def _places(readers: SnapshotReaders, lines: NoteLines, mention: Mention) -> Iterator[Place]:
    """Yield the first line of each chunk that holds the name, the chunk's own first line when markup splits it."""
    names = _name_test(readers, mention.target)
    for chunk in readers.chunks.get_chunks(mention.chunks[:_LINES]).values():
        span = (chunk.span.first_line, chunk.span.last_line)
        if line := lines.find_first(mention.source, span, names) or lines.find(Place(mention.source, span[0])):
            yield line.place


def _name_test(readers: SnapshotReaders, note: str) -> Callable[[str], bool]:
    from graphrag.ingest.mentions import NameFinder

    entry = readers.manifest.notes[note]
    finder = NameFinder((entry.title, *entry.aliases))
    return lambda text: any(match.is_mention for match in finder.find(text))
