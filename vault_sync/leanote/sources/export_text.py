"""What stands in an export -> text, times and tags. Pure functions, strict about form and forgiving about custom."""

import hashlib
import posixpath
import re
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.account import Notebook

_OBJECT_ID = re.compile(r"[0-9a-f]{24}")


def derived_id(*parts: str) -> str:
    """Return 24 hex digits made of the parts."""
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:24]


def revision_of(*parts: object) -> str:
    """Return a word that changes when one of the parts does."""
    return hashlib.sha256(repr(parts).encode(errors="replace")).hexdigest()[:24]


def object_id(text: object) -> str:
    """Return an id of Leanote's in lower case; empty when the text is none."""
    lower = str(text).strip().lower()
    return lower if _OBJECT_ID.fullmatch(lower) else ""


def notebook_id(levels: tuple[str, ...]) -> str:
    """Return the id of a notebook known by its titles from the root; empty for no notebook."""
    return derived_id("notebook", *levels) if levels else ""


def notebooks_of(paths: Iterable[tuple[str, ...]]) -> tuple[Notebook, ...]:
    """Return the notebooks at these levels and all above them, in the order of their titles."""
    levels = {path[:depth] for path in paths for depth in range(1, len(path) + 1)}
    return tuple(Notebook(notebook_id(path), path[-1], notebook_id(path[:-1])) for path in sorted(levels))


def folder_levels(path: str) -> tuple[str, ...]:
    """Return the folders above a file, from the root."""
    folder = posixpath.dirname(path)
    return tuple(folder.split("/")) if folder else ()


GUESSED_ENCODING = "not UTF-8; read as GB18030, check its text"
_FIRST_YEAR, _LAST_YEAR = 1900, 2200  # outside it is rubbish that a client sent, or Leanote's word for unset
_DATE_SLASHES = re.compile(r"^(\d{4})/(\d{1,2})/(\d{1,2})")
_STARTS_WITH_TAG = re.compile(
    r"\s*<(?:!doctype|html|body|p|div|span|h[1-6]|ul|ol|dl|table|pre|blockquote|section|article|b|strong|i|em|u|font|a"
    r"|img|br|hr|center)\b[^<>]*>",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]{2,8}|#\d{1,6});", re.IGNORECASE)
_PRE_TAG = re.compile(r"<(/?)pre\b", re.IGNORECASE)
_MARKDOWN_LINE = re.compile(r"^(?:#{1,6}[^#\s]|#{1,6} |```|~~~|[-*+] |\d+\. |> |!\[)", re.MULTILINE)


def decode_text(data: bytes, name: str) -> tuple[str, bool]:
    """Return a file's text with `\\n` line ends, and whether its encoding had to be guessed.

    Raises:
        NoteUnreadable: it is neither UTF-8 nor GB18030.
    """
    is_guessed = False
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        is_guessed = True
        try:
            text = data.decode("gb18030")
        except UnicodeDecodeError as error:
            raise NoteUnreadable(
                f"{name}: neither UTF-8 nor GB18030 text. Save it as UTF-8 and import again."
            ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n"), is_guessed


def starts_with_tag(text: str) -> bool:
    """Whether a text starts with a tag of HTML."""
    return _STARTS_WITH_TAG.match(text) is not None


def has_markup(text: str) -> bool:
    """Whether a text holds a tag or an entity of HTML anywhere."""
    return _MARKUP.search(text) is not None


def is_rich_text(text: str) -> bool:
    """Whether a text is HTML as the rich editor leaves it: it starts with a tag, and holds no line of Markdown.

    Markdown notes often begin with `<center>` or `<br>` too; read as HTML they would lose their lines and headings.
    """
    return starts_with_tag(text) and not _MARKDOWN_LINE.search(_outside_pre(text))


def _outside_pre(text: str) -> str:
    """Return a text without what stands in `<pre>`; one that is not closed reaches to the end."""
    parts: list[str] = []
    start: int | None = 0
    for tag in _PRE_TAG.finditer(text):
        if tag[1] and start is None:
            start = tag.end()
        elif not tag[1] and start is not None:
            parts.append(text[start : tag.start()])
            start = None
    return "".join([*parts, text[start:] if start is not None else ""])


def parse_time(value: object, zone: tzinfo | None) -> datetime | None:
    """Return a time with its zone; one without is of `zone`, or of this machine. None when unset or not a time."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_number(value)
    text = _DATE_SLASHES.sub(lambda found: f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}", str(value).strip())
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if not _FIRST_YEAR <= moment.year < _LAST_YEAR:
        return None
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=zone) if zone else moment.astimezone()


def _from_number(value: float) -> datetime | None:
    """Return the time of a count of seconds or milliseconds since 1970."""
    try:
        moment = datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return moment if _FIRST_YEAR <= moment.year < _LAST_YEAR else None


def clean_tags(values: Iterable[object]) -> tuple[str, ...]:
    """Return tags trimmed, without blanks and doubles, in their order."""
    tags = (str(value).strip() for value in values if value is not None)
    return tuple(dict.fromkeys(tag for tag in tags if tag))
