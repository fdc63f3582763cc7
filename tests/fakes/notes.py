"""Notes and batches made by hand, with only what a test is about."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from graphrag.domain.note import Chunk, Link, LinkKind, Note, NoteType, ResolvedLink, Span, TargetKind
from graphrag.domain.snapshot import IndexedNote, NoteBatch


def make_note(
    path: str,
    *,
    title: str = "",
    tags: Sequence[str] = (),
    category: str = "",
    aliases: Sequence[str] = (),
    created: datetime | None = None,
    updated: datetime | None = None,
    properties: Mapping[str, tuple[str, ...]] | None = None,
    types: Sequence[NoteType] = (),
) -> Note:
    return Note(
        path=path,
        text="",
        title=title or path.rsplit("/", 1)[-1].removesuffix(".md"),
        aliases=tuple(aliases),
        tags=tuple(tags),
        category=category,
        created=created,
        updated=updated,
        properties=properties or {},
        types=tuple(types),
        body_line=1,
        sections=(),
        code_blocks=(),
        code_spans=(),
        links=(),
        is_private=False,
        diagnostics=(),
    )


def index_note(note: Note, texts: Sequence[str] = ()) -> IndexedNote:
    """Make one chunk per text; its tokens are the text's words."""
    chunks = tuple(make_chunk(note, ordinal, text) for ordinal, text in enumerate(texts))
    return IndexedNote(note, "hash", chunks, tuple(texts))


def make_chunk(note: Note, ordinal: int, text: str) -> Chunk:
    id_ = hashlib.blake2b(f"{note.path}\0{ordinal}\0{text}".encode(), digest_size=12).hexdigest()
    span = Span(ordinal * 10, ordinal * 10 + len(text), ordinal + 1, ordinal + 2)
    return Chunk(id_, note.path, note.title, (note.title, f"第{ordinal}节"), ordinal, text, span)


def make_batch(
    *notes: IndexedNote,
    removed: Sequence[str] = (),
    links: Sequence[ResolvedLink] = (),
    relinked: Sequence[str] = (),
) -> NoteBatch:
    return NoteBatch(notes, tuple(removed), tuple(links), tuple(relinked))


def make_link(
    source: str,
    target: str,
    target_kind: TargetKind = TargetKind.NOTE,
    *,
    kind: LinkKind = LinkKind.WIKI,
    line: int = 1,
    written: str = "",
    heading: str = "",
    relation: str = "",
) -> ResolvedLink:
    text = written or target
    return ResolvedLink(Link(text, kind, line, text, heading, relation), source, target, target_kind)


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
