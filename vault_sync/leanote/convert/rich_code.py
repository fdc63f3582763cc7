"""A block of code in TinyMCE's HTML -> its text, line by line, and its language. What it holds is never changed."""

import re
from collections.abc import Iterator

from bs4 import Comment, Tag
from bs4.element import NavigableString, PageElement

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:brush:\s*|language-|lang-|highlight-source-)([A-Za-z0-9+#.\-]{1,30})(?=[\s;]|$)", re.IGNORECASE
)
_NO_LANGUAGE = frozenset(("convert", "plain", "text", "none", "nohighlight", "plaintext", "txt"))
_LINE_ELEMENTS = frozenset(("li", "p", "div", "tr"))
_NO_CODE = frozenset(("textarea", "button", "script", "style"))


def code_language(element: Tag) -> str:
    """Return the language that the classes of a block, or of what it consists of, name; empty without one."""
    only = [child for child in element.contents if isinstance(child, Tag)]
    for candidate in (element, *only[:1], *([element.parent] if element.parent else [])):
        classes = candidate.get("class") or ""
        found = _LANGUAGE.search(classes if isinstance(classes, str) else " ".join(classes))
        if found and found.group(1).lower() not in _NO_LANGUAGE:
            return found.group(1).lower()
    return ""


def code_text(element: Tag) -> str:
    """Return the text of a block: `<br>` and the end of a line's element are newlines."""
    pieces: list[str] = []
    for piece in _pieces(element):
        if piece is None:
            if pieces and not pieces[-1].endswith("\n"):
                pieces.append("\n")
        elif piece:
            pieces.append(piece)
    return "".join(pieces).strip("\n")


def _pieces(element: Tag) -> Iterator[str | None]:
    """Yield text, and None where a line begins or ends."""
    waiting: list[PageElement | None] = list(reversed(element.contents))
    while waiting:
        item = waiting.pop()
        if item is None:
            yield None
        elif isinstance(item, Tag):
            if item.name == "br":
                yield "\n"
            elif item.name not in _NO_CODE and "toggle-raw" not in (item.get("class") or ""):
                is_line = item.name in _LINE_ELEMENTS
                if is_line:
                    yield None
                    waiting.append(None)
                if item.name == "li" and not item.contents:
                    yield "\n"
                waiting += reversed(item.contents)
        elif isinstance(item, NavigableString) and not isinstance(item, Comment):
            yield str(item)


def fenced(language: str, text: str) -> list[str]:
    """Return a block of code as Markdown lines; the fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}{language}", *text.split("\n"), fence]


def code_span(text: str) -> str:
    """Return code within a line."""
    text = " ".join(text.split())
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{'`' * (longest + 1)}{space}{text}{space}{'`' * (longest + 1)}" if text else ""
