"""A vault file -> Note. The result holds everything that later stages need; the file is not read again."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import PurePosixPath

from graphrag.domain.note import Diagnostic, Note, NoteType, Severity
from graphrag.ingest.canvas import is_canvas, read_canvas
from graphrag.ingest.day_names import day_of_name
from graphrag.ingest.encoding import decode
from graphrag.ingest.excalidraw import DRAWING_SUFFIX, drawing_data, holds_drawing, names_drawing
from graphrag.ingest.front_matter import (
    TYPE,
    FrontMatter,
    Head,
    distinct,
    folder,
    front_links,
    front_texts,
    front_types,
    is_yes,
    read_front_matter,
)
from graphrag.ingest.inline import PLACEHOLDER, InlineField, find_fields, find_links, find_tags
from graphrag.ingest.logseq import read_page
from graphrag.ingest.structure import Conflict, LineIndex, find_conflicts, mask, plain_inline, read_structure
from graphrag.language.dates import parse_date

_CODE_SPAN = re.compile(r"(`+)[^`]+\1")


def parse_note(
    path: str,
    data: bytes,
    created: datetime | None = None,
    updated: datetime | None = None,
    is_logseq: bool = False,
    daily: tuple[str, ...] = (),
) -> Note:
    """Return the note of a file's bytes; `created` and `updated` serve where its front matter has no date.

    In a vault of Logseq's, the properties of a page and the levels in its file's name are read, too. `daily` are the
    vault's own formats for the names of daily notes.

    Raises:
        UnicodeError: the bytes are not text.
    """
    path = unicodedata.normalize("NFC", path)
    text, encoding = decode(data)
    problems = [] if encoding == "utf-8" else [_warning(path, 0, f"read as {encoding}; save it as UTF-8")]
    if is_canvas(path):
        return _canvas_note(path, text, created, updated, problems)
    conflicts = find_conflicts(text)
    readable = mask(text, (mark for conflict in conflicts for mark in conflict.marks))
    front = read_front_matter(readable)
    if is_logseq:
        front = read_page(path, readable, front)
    if front.problem:
        line, reason = front.problem
        problems.append(_warning(path, line, f"front matter is not valid YAML ({reason}); read line by line"))
    for line, key in front.repeated:
        problems.append(
            _warning(path, line, f"the key `{key}` is given twice; all its values count, the stricter first")
        )
    lines = LineIndex(text)
    for conflict in conflicts:
        line = lines.line_of(conflict.marks[0][0])
        problems.append(_warning(path, line, "a Git conflict was committed; both sides are indexed, so settle it"))
    day = day_of_name(path, daily)
    note = _markdown_note(path, text, readable, front, day, (created, updated), problems)
    if not conflicts:
        return note
    is_private = note.is_private or any(_is_private_side(text, found) for found in conflicts)
    return replace(note, title=_undisputed_title(path, text, conflicts), is_private=is_private)


def _undisputed_title(path: str, text: str, conflicts: Sequence[Conflict]) -> str:
    """Return the title that a note has outside its conflicts: which side is right, nobody has said."""
    settled = mask(text, ((found.marks[0][0], found.marks[-1][1]) for found in conflicts))
    front = read_front_matter(settled)
    structure = read_structure(settled, front.body_line, LineIndex(settled))
    return Head.of(front).title or _heading_title(structure.first_h1) or _name(path)


def _is_private_side(text: str, conflict: Conflict) -> bool:
    """Whether one of the two versions that a conflict holds whole, with front matter, is private."""
    sides = (text[slice(*span)] for span in (conflict.ours, conflict.theirs))
    return any(Head.of(read_front_matter(side)).is_private for side in sides)


def _markdown_note(
    path: str,
    text: str,
    readable: str,
    front: FrontMatter,
    day: date | None,
    commits: tuple[datetime | None, datetime | None],
    problems: list[Diagnostic],
) -> Note:
    """Return the note; `readable` is its text without what Git wrote into it, `day` the one that its name gives.

    `commits` are its first and last date by Git.
    """
    lines = LineIndex(text)
    is_drawing = names_drawing(front.properties)
    has_drawing = is_drawing or holds_drawing(readable)
    drawing = drawing_data(readable, lines.start_of(front.body_line)) if has_drawing else ()
    readable = mask(readable, drawing, "\u200b")  # spaces would make code of a line's rest
    structure = read_structure(readable, front.body_line, lines)
    hidden = sorted((*structure.code_blocks, *structure.code_spans, *structure.comments))
    masked = _without_placeholders(mask(readable, ((0, lines.start_of(front.body_line)), *hidden)))
    fields = find_fields(masked)
    head = Head.of(front)
    created, updated = _dates(day, head, *commits)
    return Note(
        path=path,
        text=text,
        title=head.title or ("" if is_drawing else _heading_title(structure.first_h1)) or _name(path),
        aliases=head.aliases,
        tags=distinct([*head.tags, *find_tags(masked)]),
        category=head.category(path),
        created=created,
        updated=updated,
        properties=_properties(front.properties, fields),
        types=(*front_types(text, front), *_inline_types(fields, lines)),
        body_line=front.body_line,
        sections=structure.sections,
        code_blocks=structure.code_blocks,
        code_spans=structure.code_spans,
        links=(*front_links(_without_placeholders(text), front), *find_links(masked, fields, lines)),
        is_private=head.is_private or any(map(_says_private, fields)),
        diagnostics=tuple(problems),
        front_texts=tuple(front_texts(front)),
        hidden=drawing,
        day=day or head.day,
    )


def _says_private(field: InlineField) -> bool:
    return field.key.casefold() == "private" and is_yes(field.value)


def _without_placeholders(text: str) -> str:
    """Return the text with what a template leaves to be filled in blanked: it names no note, no tag and no value."""
    return mask(text, (found.span() for found in PLACEHOLDER.finditer(text)))


def _name(path: str) -> str:
    return PurePosixPath(path).stem.removesuffix(DRAWING_SUFFIX)


def _heading_title(heading: str) -> str:
    """Return the title that a heading gives; empty where a template leaves it to be filled in."""
    is_open = PLACEHOLDER.search(_CODE_SPAN.sub("", heading))
    return "" if is_open else plain_inline(heading)


def _dates(
    day: date | None, head: Head, first: datetime | None, last: datetime | None
) -> tuple[datetime | None, datetime | None]:
    """Return when a note was made and changed: as it says itself, by the day in its name, or by its commits.

    A note that only one commit touched may have come with many others, long after it was written: then its own day goes
    before the commit's for both.
    """
    named = parse_date(day.isoformat()) if day else None
    if named and first and named > first:
        named = None  # a plan for a day to come
    created = head.created or (named if first == last else None) or first
    return created, head.updated or (created if first == last else last)


def _canvas_note(
    path: str, text: str, created: datetime | None, updated: datetime | None, problems: list[Diagnostic]
) -> Note:
    try:
        canvas = read_canvas(text, LineIndex(text))
    except (ValueError, RecursionError) as error:
        raise UnicodeError(f"not a canvas: {error}") from error
    return Note(
        path=path,
        text=text,
        title=PurePosixPath(path).stem,
        aliases=(),
        tags=distinct(canvas.tags),
        category=folder(path),
        created=created,
        updated=updated,
        properties={},
        types=(),
        body_line=1,
        sections=canvas.sections,
        code_blocks=(),
        code_spans=(),
        links=canvas.links,
        is_private=False,
        diagnostics=tuple(problems),
    )


def _warning(path: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(path, line, Severity.WARNING, message)


def _properties(front: Mapping[str, tuple[str, ...]], fields: Iterable[InlineField]) -> dict[str, tuple[str, ...]]:
    merged = {key: list(values) for key, values in front.items()}
    for field in fields:
        merged.setdefault(field.key, []).append(field.value)
    return {key: tuple(values) for key, values in merged.items()}


def _inline_types(fields: Iterable[InlineField], lines: LineIndex) -> tuple[NoteType, ...]:
    return tuple(
        NoteType(field.value, lines.line_of(field.span[0])) for field in fields if field.key.casefold() == TYPE
    )
