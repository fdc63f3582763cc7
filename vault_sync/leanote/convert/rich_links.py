"""Links and pictures of a rich note -> Markdown. Nothing that runs, tracks or is on the writer's machine is kept."""

import re
from urllib.parse import quote

from bs4 import Tag

from vault_sync.leanote.convert.linking import LinkWriter, picture_markdown
from vault_sync.leanote.convert.rich_lines import MARKS, TEXT
from vault_sync.leanote.links import FileLink, recognise
from vault_sync.leanote.pictures import is_data_address

_OUTSIDE = re.compile(r"(?:https?|ftp|mailto|tel|obsidian|leanote|evernote|magnet):", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s<>()\\|\[\]`]")
_STYLE_WIDTH = re.compile(r"(?:^|;)\s{0,5}width\s{0,5}:\s{0,5}(\d{1,4})(?:\.\d{1,9})?\s{0,5}px", re.IGNORECASE)
_WIDTH = re.compile(r"\s*(\d{1,4})(?:\.\d{1,9})?\s*(?:px)?\s*", re.IGNORECASE)
_NO_SOURCE = ("blob:", "file:", "about:", "cid:", "chrome-extension:", "webkit-fake-url:")
_LEFTOVER = "__LEANOTE_IMAGE_"


def link_of(element: Tag, text: str, links: LinkWriter) -> str:
    """Return the Markdown of a link; only its text where the address is not to be kept."""
    words = " ".join(text.split())
    if not MARKS.sub("", words):
        return text
    before, after = " " * text.startswith(" "), " " * text.endswith(" ")
    address = str(element.get("href") or element.get("data-mce-href") or "").strip()
    return f"{before}{_link(address, words, links)}{after}"


def picture_of(element: Tag, links: LinkWriter) -> str:
    """Return the Markdown of a picture, empty when there is none behind it."""
    address = _source(element)
    width = _width(element)
    if not address or address.lower().startswith(_NO_SOURCE) or _is_leftover(element, address):
        links.warn(f"a picture whose upload was never finished was left out ({address[:60] or 'no address'})")
        return ""
    if "1" in (str(element.get("width")), str(element.get("height"))) or width == "0":
        return ""  # a tracker
    alt = _alt(str(element.get("alt") or ""))
    shown = links.picture(address, alt, width)
    if shown is not None:
        return shown
    address = f"https:{address}" if address.startswith("//") else address
    if address.lower().startswith(("http://", "https://")):
        return picture_markdown("", alt, width).removesuffix("()") + f"({_safe(address)})"
    links.miss(address)
    return f"（缺图：{alt or _alt(address[:60])}）"


def _link(address: str, words: str, links: LinkWriter) -> str:
    if address.startswith("//"):
        address = f"https:{address}"
    elif address.lower().startswith("www."):
        address = f"http://{address}"
    if "![" in words and recognise(address):  # a wikilink cannot hold a picture
        link = links.link(address, "")
        return f"{words} {link}" if link and link.startswith("[[") else links.link(address, words) or words
    if link := links.link(address, MARKS.sub("", words)):
        return link
    if words.removeprefix(TEXT) == address and _OUTSIDE.match(address):
        return f"<{_safe(address)}>"
    return f"[{words}]({_safe(address)})" if _OUTSIDE.match(address) else words


def _source(element: Tag) -> str:
    """Return where a picture is: its source, what the editor noted as such, or what a page would load later."""
    for name in ("src", "data-mce-src", "data-src", "data-original"):
        if (value := str(element.get(name) or "").strip()) not in ("", "-"):
            return value
    return ""


def _is_leftover(element: Tag, address: str) -> bool:
    is_marked = str(element.get("id") or "").startswith(_LEFTOVER)
    if not is_marked or is_data_address(address):
        return False
    found = recognise(address, is_embedded=True)
    return not isinstance(found, FileLink) or found.is_path


def _width(element: Tag) -> str:
    found = _WIDTH.fullmatch(str(element.get("width") or "")) or _STYLE_WIDTH.search(
        str(element.get("style") or "")[:2000]
    )
    return found.group(1) if found else ""


def _alt(text: str) -> str:
    text = " ".join(MARKS.sub("", text[:500]).split()).replace("|", "｜")
    return re.sub(r"([\[\]\\])", r"\\\1", text)


def _safe(address: str) -> str:
    return _UNSAFE.sub(lambda found: quote(found.group(), safe=""), address)
