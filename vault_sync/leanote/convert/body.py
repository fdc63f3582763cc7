"""A note's body as Leanote stores it -> Markdown that Obsidian shows the same way.

Files that the body names are asked for as they are met; nothing here reads or writes a file.
"""

import re
from dataclasses import dataclass

from vault_sync.leanote.account import NoteListing
from vault_sync.leanote.convert.link_writer import LinkWriter, Targets

_LONE = re.compile("[\x00\ud800-\udfff]")  # half a character, or none; no file can hold it
_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class Converted:
    """The Markdown of a body, without front matter; it ends with one newline, or is empty."""

    text: str
    named: frozenset[str]  # ids of the files that it names
    missing: tuple[str, ...]  # links whose file is not there; kept as text
    unresolved: tuple[str, ...]  # links to notes that are not in the vault; kept as they were
    warnings: tuple[str, ...] = ()


def convert(note: NoteListing, body: str, targets: Targets) -> Converted:
    """Return a note's body as Markdown; it takes any text, and never fails."""
    links = LinkWriter(targets)
    body = _LONE.sub("\ufffd", body)
    text = _markdown(body, links) if note.is_markdown else _rich_text(body, links)
    return Converted(
        f"{text}\n" if text else "",
        frozenset(links.named),
        tuple(links.missing),
        tuple(links.unresolved),
        tuple(links.warnings),
    )


def _markdown(body: str, links: LinkWriter) -> str:
    from vault_sync.leanote.convert.dialect import (
        markdown_of_dialect,  # its parser is loaded when there is something to convert
    )

    return _BLANK_START.sub("", markdown_of_dialect(body, links)).rstrip()


def _rich_text(body: str, links: LinkWriter) -> str:
    from vault_sync.leanote.convert.rich_text import markdown_of_html

    return markdown_of_html(body, links)
