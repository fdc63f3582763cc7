"""A body in Leanote's Markdown -> Markdown that Obsidian shows the same way. No I/O; code stays byte for byte.

text -> its lines put right (`dialect_lines.py`) -> blocks -> their running text (`dialect_inline.py`), raw HTML that
holds something of Leanote's through `rich_text.py`, since Obsidian shows no picture of the vault inside raw HTML.
"""

import re

from vault_sync.leanote.convert.dialect_blocks import Block, Blocks, LineKind, read_blocks
from vault_sync.leanote.convert.dialect_inline import InlineText, label_of
from vault_sync.leanote.convert.dialect_lines import tidy_lines
from vault_sync.leanote.convert.linking import LinkWriter
from vault_sync.leanote.links import recognise
from vault_sync.leanote.pictures import is_data_address

_DEFINITION = re.compile(r" {0,3}\[(?!\^)([^\[\]\n]{1,200})\]:[ \t]{0,20}(?:<([^<>\n]+)>|(\S+))[^\n]*")
_ADDRESS = re.compile(r"(?<![\w\-])(?:src|href)\s{0,5}=\s{0,5}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))", re.IGNORECASE)
_CENTER = re.compile(r"[ \t]*</?center\b[^<>]*>[ \t]*", re.IGNORECASE)


def markdown_of_dialect(body: str, links: LinkWriter) -> str:
    """Return the body as Obsidian shows it the same way; what it links to is told to `links`."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    blocks = read_blocks(tidy_lines(read_blocks(text)))
    definitions = _take_definitions(blocks)
    pieces: list[str] = []
    last = 0
    for block in blocks.runs():
        pieces += blocks.lines[last : block.start]
        pieces.append(_converted(block, blocks, links, definitions))
        last = block.end
    return "\n".join([*pieces, *blocks.lines[last:]])


def _take_definitions(blocks: Blocks) -> dict[str, str]:
    """Blank the definitions that name something of Leanote's, and return their addresses by label."""
    found: dict[str, str] = {}
    for number, line in enumerate(blocks.lines):
        if blocks.kinds[number] is not LineKind.TEXT or not (definition := _DEFINITION.fullmatch(line)):
            continue
        address = definition.group(2) or definition.group(3)
        if recognise(address) or is_data_address(address):
            found.setdefault(label_of(definition.group(1)), address)
            blocks.lines[number] = ""
    return found


def _converted(block: Block, blocks: Blocks, links: LinkWriter, definitions: dict[str, str]) -> str:
    text = "\n".join(blocks.lines[block.start : block.end])
    if block.kind is LineKind.CODE:
        return text
    if block.kind is LineKind.HTML and not text.lstrip().startswith("<!--"):
        return _converted_html(text, links, definitions)
    return InlineText(text, links, definitions, block.kind is LineKind.TABLE).converted()


def _converted_html(text: str, links: LinkWriter, definitions: dict[str, str]) -> str:
    """Return raw HTML as it was, unless it holds Markdown to be centred or something of Leanote's."""
    if _CENTER.match(text) and "](" in text:
        return InlineText(_CENTER.sub("\n", text).strip("\n"), links, definitions).converted()
    addresses = ("".join(found.groups(default="")) for found in _ADDRESS.finditer(text))
    if not any(is_data_address(address) or recognise(address, is_embedded=False) for address in addresses):
        return text
    from vault_sync.leanote.convert.rich_text import markdown_of_html

    return f"\n{markdown_of_html(text, links)}\n"
