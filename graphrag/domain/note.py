"""What the write path makes of one file: a note, its parts, and the chunks that get indexed.

All spans point into `Note.text`: the decoded file with every line ending turned into one newline, so that line
numbers are those of the file itself.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import NamedTuple

_ADDRESS = re.compile(r"https?://[^\s<>\"\x00-\x1f\x7f]{1,2000}", re.IGNORECASE)


ODD_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]+")  # that a name may be written with
SUMMARY_KEYS = frozenset(
    {"description", "summary", "abstract", "excerpt", "tldr", "描述", "摘要", "概要", "简介", "总结", "说明"}
)


class Severity(StrEnum):
    """What a diagnostic means for its note."""

    WARNING = "warning"  # indexed all the same
    SKIPPED = "skipped"  # left out by a rule that the author or the settings gave
    ERROR = "error"  # left out because it cannot be read


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something about a note that its author may want to mend; never an exception."""

    path: str
    line: int  # 1-based; 0 when it concerns the whole file
    severity: Severity
    message: str


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of `Note.text`: character offsets, half-open, and the lines that they touch."""

    start: int
    end: int
    first_line: int  # 1-based
    last_line: int  # 1-based, inclusive


class LinkKind(StrEnum):
    """How a link is written."""

    WIKI = "wiki"  # [[T]]
    EMBED = "embed"  # ![[T]]
    MARKDOWN = "markdown"  # [text](T.md)
    PROPERTY = "property"  # front matter `owner: "[[T]]"` or an inline field `owner:: [[T]]`


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written, before it is known what it points at."""

    target: str  # as written, without heading, block and alias; percent-decoded
    kind: LinkKind
    line: int  # 1-based
    text: str  # what a reader sees
    heading: str = ""  # `Heading` of [[T#Heading]], or `^block`
    relation: str = ""  # the property that a typed link names, as written; empty on a plain link


class TargetKind(StrEnum):
    """What a link points at."""

    NOTE = "note"
    TOPIC = "topic"  # a note that does not exist yet
    ATTACHMENT = "attachment"  # an image, a PDF, …


@dataclass(frozen=True, slots=True)
class ResolvedLink:
    """A link with its target found: `target` is a note path, or the topic's or attachment's name."""

    link: Link
    source: str  # note path
    target: str
    target_kind: TargetKind


class BlockKind(StrEnum):
    """The kind of a top-level block; it decides where a chunk may end."""

    HEADING = "heading"
    TEXT = "text"  # paragraphs, quotes, callouts, HTML
    LIST = "list"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """One top-level block of the Markdown structure."""

    kind: BlockKind
    span: Span
    level: int = 0  # 1-6 on a heading


@dataclass(frozen=True, slots=True)
class Section:
    """The text from one heading to the next; the part before the first heading has an empty heading path."""

    heading: tuple[str, ...]
    span: Span
    blocks: tuple[Block, ...]


class NoteType(NamedTuple):
    """A value of a note's `type` property, with its line: what class of thing the note is about."""

    name: str
    line: int  # 1-based


class FrontText(NamedTuple):
    """A property of the front matter that says something in words, and the lines that hold it."""

    key: str  # as written
    text: str  # its values, on one line
    first_line: int  # 1-based
    last_line: int  # 1-based, inclusive


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed file of the vault."""

    path: str  # POSIX, NFC, relative to the vault; its id
    text: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]  # without '#', nested with '/', in the order of their first use
    category: str  # nested with '/'; empty for a note at the root without one
    created: datetime | None
    updated: datetime | None
    properties: Mapping[str, tuple[str, ...]]  # front matter and inline fields, values as text
    types: tuple[NoteType, ...]
    body_line: int  # 1-based line on which the body starts, after any front matter
    sections: tuple[Section, ...]
    code_blocks: tuple[tuple[int, int], ...]  # half-open ranges of fenced and indented code
    code_spans: tuple[tuple[int, int], ...]  # half-open ranges of `code` in running text
    links: tuple[Link, ...]
    is_private: bool  # `private: true` or `rag: false`
    diagnostics: tuple[Diagnostic, ...]
    front_texts: tuple[FrontText, ...] = ()  # in the order of their lines
    hidden: tuple[tuple[int, int], ...] = ()  # half-open ranges of the body that are data of a plugin, not text
    day: date | None = None  # that the note is about, by its name or its property `date`

    @property
    def origin(self) -> str:
        """The address that the note was taken from, by its property `url` or `source`; empty when it has none."""
        values = (value for name in ("url", "source") for value in self.properties.get(name, ()))
        return next((value for value in values if _ADDRESS.fullmatch(value)), "")


class TextLines(NamedTuple):
    """From an offset of a chunk's text on, up to the next such offset: the lines of the file that it was made of."""

    offset: int
    first: int  # 1-based
    last: int  # 1-based, inclusive


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of one note under one heading path: what is searched, ranked and cited."""

    id: str  # derived from path, heading path, ordinal and text
    note: str
    title: str
    heading: tuple[str, ...]
    ordinal: int  # 0-based within the note
    text: str  # cleaned; a table's further parts start with its header rows again
    span: Span
    source_type: str = "note"
    lines: tuple[TextLines, ...] = ()  # in order; what precedes the first, a repeated table head, has no lines
    front: int = 0  # characters at the start of the text that are properties of the front matter, one a line

    def lines_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the lines that a stretch of the text was made of, None when they cannot be told."""
        first = bisect_right(self.lines, start, key=lambda part: part.offset) - 1
        if first < 0 or start >= end:
            return None
        last = bisect_right(self.lines, end - 1, key=lambda part: part.offset) - 1
        return self.lines[first].first, self.lines[last].last

    def title_path(self) -> str:
        """Return `title › heading`, without a heading that repeats the title."""
        return " › ".join([self.title, *(part for part in self.heading if part != self.title)])

    def embedded_text(self) -> str:
        """Return what the embedder reads: title and heading path, a newline, and the text.

        Of the front matter it reads what sums up the note; an author or an address says nothing of its meaning.
        """
        path = [self.title, *(part for part in self.heading if part != self.title)]
        front = self.text[: self.front].splitlines()
        summary = [line for line in front if line.partition(":")[0].casefold() in SUMMARY_KEYS]
        text = "\n".join((*summary, self.text[self.front :].lstrip("\n"))) if self.front else self.text
        return " > ".join(path) + "\n" + text
