"""A note's listing and its Markdown -> the bytes of its file, front matter first. Nothing here touches a disk.

The id in the front matter is what a note is found by when the import's own state is lost, or when the user moved the
file: `leanote_id` where Leanote gave it, `import_id` where the source has none and the reader derived one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from vault_sync.leanote.account import NoteListing

if TYPE_CHECKING:
    from yaml import SafeDumper

HEAD_BYTES = 16_384  # of a file that are read to find its id
_LEANOTE_ID, _IMPORT_ID = "leanote_id", "import_id"
_ID_LINE = re.compile(rb"^(?:leanote_id|import_id):[ \t]*[\"']?([^\s\"']{1,200})", re.MULTILINE)
_FRONT_MATTER = re.compile(rb"\A(?:\xef\xbb\xbf)?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_COUNTERS = re.compile(rb"^(?:leanote_usn|blog|url|notebook|updated):[^\n]*\n", re.MULTILINE)
_PLACES = re.compile(rb"(?<=\[\[)[^\[\]|\n]*/|(?<=\]\()[^()\s:]*assets/")  # that links give, before a file's name
_SPACES = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u200b\u2028\u2029\ufeff]")
_WIDE = str.maketrans({"+": "＋", "#": "＃"})  # C++ and C# stay apart from C
_NOT_IN_TAGS = re.compile(r"[^\w\-/＋＃]+")
_PLAIN_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"})


@dataclass(frozen=True, slots=True)
class Head:
    """What a note's front matter says besides its listing."""

    notebook: str  # its notebooks from the root, joined by `/`; empty when it is in none
    is_private: bool = False
    copy_of: str = ""  # the path of the note whose other version this is
    has_leanote_id: bool = True  # else the id was derived by the reader
    zone: tzinfo | None = None  # that times are written in; None is this machine's


def compose(note: NoteListing, head: Head, text: str) -> bytes:
    """Return the whole file: front matter, a blank line, and the Markdown, which may be empty."""
    front = _to_yaml(_front_matter(note, head))
    body = f"\n{text}" if text else ""
    return f"---\n{front}---\n{body}".encode("utf-8", "replace")


def content_digest(note: NoteListing, text: str) -> str:
    """Return a digest of what a reader sees: title, tags and text, but not counters, times and places."""
    parts = (one_line(note.title), *valid_tags(note.tags), text)
    return digest("\0".join(parts).encode("utf-8", "replace"))


def digest(data: bytes) -> str:
    """Return the name that the state knows a file's content by."""
    return sha256(data).hexdigest()


def id_in(data: bytes) -> str:
    """Return the id that a file's first bytes name in their front matter, empty when they name none."""
    front = _FRONT_MATTER.match(data[:HEAD_BYTES])
    found = _ID_LINE.search(front.group(1)) if front else None
    return found.group(1).decode("utf-8", "replace") if found else ""


def is_same_but_counters(found: bytes, wanted: bytes) -> bool:
    """Whether a file differs from what is to be written in counters, times and places of the front matter at most.

    It may lack the line that keeps it from answers, but not have it where it is not wanted: that is the user's word.
    """
    plain = _without_counters(wanted)
    return _without_counters(found) in (plain, plain.replace(b"rag: false\n", b"", 1))


def _without_counters(data: bytes) -> bytes:
    front = _FRONT_MATTER.match(data[:HEAD_BYTES])
    return _PLACES.sub(b"", _COUNTERS.sub(b"", front.group(1)) + data[front.end(1) :]) if front else data


def moment_word(moment: datetime | None) -> str:
    """Return a time in a form whose order is that of time, empty without one."""
    if moment is None:
        return ""
    try:
        return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
    except OverflowError:  # the year 1, which stands for none
        return ""


def one_line(text: str) -> str:
    """Return a title without line breaks, control characters, and what no encoding can hold."""
    return _SPACES.sub(" ", _CONTROL.sub("", text)).strip()


def valid_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags that Obsidian accepts, each once: no blanks, no punctuation but `-`, `_` and `/`, not only digits."""
    found: dict[str, str] = {}
    for tag in tags:
        valid = _valid_tag(tag)
        if valid:
            found.setdefault(valid.casefold(), valid)
    return tuple(found.values())


def _valid_tag(tag: str) -> str:
    name = _NOT_IN_TAGS.sub("-", one_line(tag).lstrip("#").translate(_WIDE))
    levels = [level.strip("-") for level in name.split("/")]
    name = "/".join(level for level in levels if level)
    is_number = all(char.isdigit() or char == "/" for char in name)
    return f"_{name}" if name and is_number else name


def _front_matter(note: NoteListing, head: Head) -> dict[str, object]:
    """Return the properties in the order in which they are written, those without a value left out."""
    is_copy = bool(head.copy_of)
    values: dict[str, object] = {
        "title": one_line(note.title),
        "tags": list(valid_tags(note.tags)),
        "created": _moment(note.created, head.zone),
        "updated": _moment(note.updated, head.zone),
        "notebook": one_line(head.notebook),
        "source": "leanote",
        # A copy without the id is not taken for the note itself when the state is lost.
        _LEANOTE_ID if head.has_leanote_id else _IMPORT_ID: "" if is_copy else note.id,
        "leanote_usn": note.usn,
        "blog": note.is_blog,
        "url": note.url,
        "format": "markdown" if note.is_markdown else "html",
        "copy_of": head.copy_of,
    }
    kept = {key: value for key, value in values.items() if value}
    # A copy would answer questions a second time, with what may be out of date.
    return {**kept, "rag": False} if head.is_private or is_copy else kept


def _moment(moment: datetime | None, zone: tzinfo | None) -> datetime | None:
    if moment is None:
        return None
    try:
        return moment.astimezone(zone).replace(microsecond=0)
    except (OverflowError, ValueError, OSError):  # the year 1, which stands for none
        return None


def _to_yaml(values: Mapping[str, object]) -> str:
    import yaml

    dumped = yaml.dump(dict(values), Dumper=_dumper(), allow_unicode=True, sort_keys=False, width=1_000_000)
    return str(dumped)


@cache
def _dumper() -> type["SafeDumper"]:
    """Return a dumper that quotes what a parser of YAML 1.1 or 1.2 could take for something other than text."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Has representers of its own."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        is_plain = value[:1].isalpha() and value.lower() not in _PLAIN_WORDS
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if is_plain else "'")

    def moment(dumper: yaml.SafeDumper, value: datetime) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:timestamp", value.isoformat())

    Dumper.add_representer(str, text)
    Dumper.add_representer(datetime, moment)
    return Dumper
