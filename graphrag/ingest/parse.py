"""A vault file -> Note. The result holds everything that later stages need; the file is not read again."""

import codecs
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePosixPath

from charset_normalizer import from_bytes

from graphrag.domain.note import Diagnostic, Note, NoteType, Severity
from graphrag.ingest.canvas import is_canvas, read_canvas
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

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ODD = frozenset({"Cc", "Cn", "Co", "Cs"})
_SAMPLE = 65536  # enough to tell an encoding by
_ZEROS = 0.01  # share of zero bytes from which a file is UTF-16, or binary
_TOLERATED_DAMAGE = 0.05  # share of undecodable characters among the non-ASCII ones of a file that is still UTF-8


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of its encoding.

    Raises:
        UnicodeError: the bytes are not text in any encoding that can be told.
    """
    text, encoding = _decode_marked(data) or _decode_unmarked(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text, encoding


def _decode_marked(data: bytes) -> tuple[str, str] | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace"), encoding
    return None


def _decode_unmarked(data: bytes) -> tuple[str, str]:
    if data.count(0) > _ZEROS * len(data):
        return _decode_wide(data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    damaged = data.decode("utf-8", errors="replace")
    non_ascii = sum(1 for character in damaged if character > "\x7f")
    if damaged.count("\ufffd") <= _TOLERATED_DAMAGE * non_ascii:
        return damaged, "utf-8 with damage"
    try:
        return data.decode("gb18030"), "gb18030"
    except UnicodeDecodeError:
        return _decode_guessed(data)


def _decode_guessed(data: bytes) -> tuple[str, str]:
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    best = from_bytes(sample).best()
    if best is None or b"\0" in data:
        raise UnicodeError("not text in a known encoding")
    return data.decode(best.encoding, errors="replace"), best.encoding


def _decode_wide(data: bytes) -> tuple[str, str]:
    """Decode UTF-16 without a mark: the zero bytes of its ASCII characters lie on one side.

    Chinese has some on the other one (those of `\u4e00`), but makes no sense when read the wrong way round.
    """
    sample = data[:4096]
    is_little = sample[1::2].count(0) >= sample[0::2].count(0)
    for encoding in ("utf-16-le", "utf-16-be") if is_little else ("utf-16-be", "utf-16-le"):
        if len(data) % 2 == 0 and _is_plausible(sample.decode(encoding, errors="replace")):
            return data.decode(encoding, errors="replace"), encoding
    raise UnicodeError("looks like a binary file")


def _is_plausible(text: str) -> bool:
    """Whether nearly all characters are such as people write."""
    odd = sum(1 for character in text if unicodedata.category(character) in _ODD and character not in "\t\r\n")
    return odd <= len(text) * 0.02


pass


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
