"""A vault file -> Note. The result holds everything that later stages need; the file is not read again."""

import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from graphrag.domain.note import Diagnostic, Note, NoteType, Severity
from graphrag.ingest.canvas import is_canvas, read_canvas
from graphrag.ingest.encoding import decode
from graphrag.ingest.front_matter import (
    TYPE,
    FrontMatter,
    Head,
    distinct,
    folder,
    front_links,
    front_types,
    read_front_matter,
)
from graphrag.ingest.inline import InlineField, find_fields, find_links, find_tags
from graphrag.ingest.structure import LineIndex, mask, plain_inline, read_structure


def parse_note(path: str, data: bytes, created: datetime | None = None, updated: datetime | None = None) -> Note:
    """Return the note of a file's bytes; `created` and `updated` serve where its front matter has no date.

    Raises:
        UnicodeError: the bytes are not text.
    """
    path = unicodedata.normalize("NFC", path)
    text, encoding = decode(data)
    problems = [] if encoding == "utf-8" else [_warning(path, 0, f"read as {encoding}; save it as UTF-8")]
    if is_canvas(path):
        return _canvas_note(path, text, created, updated, problems)
    front = read_front_matter(text)
    if front.problem:
        line, reason = front.problem
        problems.append(_warning(path, line, f"front matter is not valid YAML ({reason}); read line by line"))
    for line, key in front.repeated:
        problems.append(
            _warning(path, line, f"the key `{key}` is given twice; all its values count, the stricter first")
        )
    return _markdown_note(path, text, front, created, updated, problems)


def _markdown_note(
    path: str,
    text: str,
    front: FrontMatter,
    created: datetime | None,
    updated: datetime | None,
    problems: list[Diagnostic],
) -> Note:
    lines = LineIndex(text)
    structure = read_structure(text, front.body_line, lines)
    hidden = sorted((*structure.code_blocks, *structure.code_spans, *structure.comments))
    masked = mask(text, ((0, lines.start_of(front.body_line)), *hidden))
    fields = find_fields(masked)
    head = Head.of(front)
    return Note(
        path=path,
        text=text,
        title=head.title or plain_inline(structure.first_h1) or PurePosixPath(path).stem,
        aliases=head.aliases,
        tags=distinct([*head.tags, *find_tags(masked)]),
        category=head.category(path),
        created=head.created or created,
        updated=head.updated or updated,
        properties=_properties(front.properties, fields),
        types=(*front_types(text, front), *_inline_types(fields, lines)),
        body_line=front.body_line,
        sections=structure.sections,
        code_blocks=structure.code_blocks,
        code_spans=structure.code_spans,
        links=(*front_links(text, front), *find_links(masked, fields, lines)),
        is_private=head.is_private,
        diagnostics=tuple(problems),
    )


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
