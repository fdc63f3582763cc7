"""Emphasis of HTML -> Markdown's: which marks a style asks for, and where they stand so that they are seen."""

import re
from urllib.parse import quote

from bs4 import Tag
from bs4.element import NavigableString

from vault_sync.leanote.convert.emphasis import PUNCTUATION, without_punctuation
from vault_sync.leanote.convert.link_writer import LinkWriter, picture_markdown
from vault_sync.leanote.convert.rich_blocks import CODE, MARKS, TEXT
from vault_sync.leanote.convert.rich_tree import BLOCKS
from vault_sync.leanote.links import FileLink, parse_leanote_address
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
    if "![" in words and parse_leanote_address(address):  # a wikilink cannot hold a picture
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
    found = parse_leanote_address(address, is_embedded=True)
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


_SYMBOLS = {"b": "**", "i": "*", "del": "~~", "mark": "=="}
_START = re.compile(f"[ \t]*(?:(?:[-*+]|\\d{{1,9}}\\.)[ ]+|>[ ]?|#{{1,6}} |&emsp;)*[ {TEXT}]*")
_INDENT = re.compile(
    r"(?:^|;)\s{0,5}(?:padding|margin)-left\s{0,5}:\s{0,5}(\d{1,4})(?:\.\d{1,9})?\s{0,5}px", re.IGNORECASE
)
_PER_LEVEL = 30  # pixels
_BACKGROUND = re.compile(r"background(?:-color)?\s{0,5}:\s{0,5}([^;]{1,200})", re.IGNORECASE)
_COLOUR = re.compile(r"#([0-9a-f]{3,8})\b|rgba?\(\s{0,5}(\d{1,3})[\s,]{1,5}(\d{1,3})[\s,]{1,5}(\d{1,3})", re.IGNORECASE)
_NO_COLOURS = frozenset(
    (  # noqa: SIM905
        "transparent none inherit initial unset white whitesmoke snow ivory black gray grey lightgray lightgrey silver "
        "gainsboro darkgray darkgrey"
    ).split()
)
_STYLES = (
    ("b", re.compile(r"font-weight\s{0,5}:\s{0,5}(?:bold|bolder|[6-9]00)", re.IGNORECASE)),
    ("i", re.compile(r"font-style\s{0,5}:\s{0,5}(?:italic|oblique)", re.IGNORECASE)),
    ("u", re.compile(r"text-decoration[\w-]{0,10}\s{0,5}:[^;]{0,60}underline", re.IGNORECASE)),
    ("del", re.compile(r"text-decoration[\w-]{0,10}\s{0,5}:[^;]{0,60}line-through", re.IGNORECASE)),
    ("sub", re.compile(r"vertical-align\s{0,5}:\s{0,5}sub\b", re.IGNORECASE)),
    ("sup", re.compile(r"vertical-align\s{0,5}:\s{0,5}super\b", re.IGNORECASE)),
)


def marks_of_style(style: str) -> list[str]:
    """Return the elements that a style stands for, the innermost first; colours of a page's look are none."""
    style = style[:2000]
    found = [name for name, pattern in _STYLES if pattern.search(style)]
    return [*found, "mark"] if _is_highlighted(style) else found


def indentation(element: Tag) -> str:
    """Return what stands before each line of an indented paragraph."""
    found = _INDENT.search(str(element.get("style") or "")[:2000])
    return "&emsp;&emsp;" * min(10, round(int(found.group(1)) / _PER_LEVEL)) if found else ""


def has_block(element: Tag) -> bool:
    """Whether an element holds blocks, and not just running text."""
    return any(isinstance(child, Tag) and child.name in BLOCKS for child in element.contents)


def marked(element: Tag, text: str, mark: str, parents: set[str]) -> str:
    """Return the text with an emphasis on each of its lines; marks at the start of a line stay outside."""
    if "_noformat" in parents or not MARKS.sub("", text).strip():
        return text
    return "\n".join(_marked_line(element, line, mark) for line in text.split("\n"))


def _marked_line(element: Tag, line: str, mark: str) -> str:
    start = _START.match(line)
    opening = start.group() if start else ""
    inner = line[len(opening) :].rstrip()
    rest = line[len(opening) + len(inner) :]
    if not inner or CODE in inner or line.startswith("| "):
        return line
    if mark not in _SYMBOLS:
        return f"{opening}<{mark}>{inner}</{mark}>{rest}"
    before, inner, after = without_punctuation(inner) if _touches_word(element) else ("", inner, "")
    if not inner:
        return line
    if mark != "mark" and _is_unsure(element, inner):
        return f"{opening}{before}<{mark}>{inner}</{mark}>{after}{rest}"
    return f"{opening}{before}{_SYMBOLS[mark]}{inner}{_SYMBOLS[mark]}{after}{rest}"


def _touches_word(element: Tag) -> bool:
    before, after = element.previous_sibling, element.next_sibling
    return any(
        (isinstance(near, NavigableString) and str(near)[place : place + 1 or None].isalnum())
        or (isinstance(near, Tag) and near.name not in ("br", *BLOCKS))
        for near, place in ((before, -1), (after, 0))
    )


def _is_unsure(element: Tag, inner: str) -> bool:
    """Whether Markdown's marks might not be seen here: next to others, or between a word and a sign."""
    near = element.previous_sibling
    if isinstance(near, Tag) and (near.name in _SYMBOLS or marks_of_style(str(near.get("style") or ""))):
        return True
    plain = MARKS.sub("", inner)
    is_bare = all(char.isalnum() or char in PUNCTUATION for char in (plain[0], plain[-1]))
    return not is_bare and _touches_word(element)


def _is_highlighted(style: str) -> bool:
    """Whether a background was chosen by the writer: a colour, not a shade of grey."""
    found = _BACKGROUND.search(style)
    value = found.group(1).strip().lower() if found else ""
    if not value or value.split()[0] in _NO_COLOURS or "url(" in value or "var(" in value:
        return False
    colour = _COLOUR.search(value)
    if not colour:
        return value.split()[0].isalpha()
    if digits := colour.group(1):
        parts = [digit * 2 for digit in digits[:3]] if len(digits) < 6 else [digits[:2], digits[2:4], digits[4:6]]
        red, green, blue = (int(part, 16) for part in parts)
    else:
        red, green, blue = (int(part) for part in colour.groups()[1:])
    return max(red, green, blue) - min(red, green, blue) > 24
