"""A block of code in TinyMCE's HTML -> its text, line by line, and its language. What it holds is never changed."""

import re
from collections.abc import Callable, Iterator, Sequence

from bs4 import Comment, Tag
from bs4.element import NavigableString, PageElement

_MAX_CELLS = 50_000  # of a whole table: spans can claim any number
_MAX_SPAN = 200


def rows_of(table: Tag) -> Iterator[list[Tag]]:
    """Yield the cells of each row that has any; those of a table within a cell are not among them."""
    waiting: list[Tag] = [table]
    while waiting:
        element = waiting.pop()
        children = [child for child in element.contents if isinstance(child, Tag)]
        if element.name == "tr":
            if cells := [child for child in children if child.name in ("td", "th")]:
                yield cells
        else:
            waiting += reversed([child for child in children if child.name in ("tr", "thead", "tbody", "tfoot", "div")])


def table_lines(rows: list[list[Tag]], convert: Callable[[Tag], str]) -> list[str]:
    """Return the lines of a table; `convert` gives the Markdown of a cell."""
    grid = _grid(rows, convert)
    width = max(len(row) for row in grid)
    lines = [_line([*row, *[""] * (width - len(row))]) for row in grid]
    return [lines[0], _line(["---"] * width), *lines[1:]]


def cell_text(text: str) -> str:
    """Return the Markdown of a cell on one line."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\|", r"\\|", "<br>".join(line for line in lines if line))


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _grid(rows: list[list[Tag]], convert: Callable[[Tag], str]) -> list[list[str]]:
    grid: list[list[str]] = []
    from_above: dict[int, tuple[int, str]] = {}  # column -> how many rows more, and what stands in them
    room = _MAX_CELLS
    for cells in rows:
        row: list[str] = []
        for cell in cells:
            _take_from_above(row, from_above)
            text = cell_text(convert(cell))
            spans = _span(cell, "rowspan"), _span(cell, "colspan")
            down, across = spans if spans[0] * spans[1] <= room else (1, 1)
            room -= down * across
            for offset in range(across):
                if down > 1:
                    from_above[len(row)] = (down - 1, "" if offset else text)
                row.append("" if offset else text)
        _take_from_above(row, from_above)
        grid.append(row)
    return grid


def _take_from_above(row: list[str], from_above: dict[int, tuple[int, str]]) -> None:
    while (column := len(row)) in from_above:
        more, text = from_above.pop(column)
        if more > 1:
            from_above[column] = (more - 1, text)
        row.append(text)


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name) or "1").strip()
    return max(1, min(_MAX_SPAN, int(value))) if re.fullmatch(r"[0-9]{1,6}", value) else 1


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


TEXT = "\ufdd0"
DOLLAR = "\ufdd1"
OPEN_BOX = "\ufdd2"
DONE_BOX = "\ufdd3"
CODE = "\ufdd4"  # stands around the number of a block of code
MARKS = re.compile("[\ufdd0-\ufdef]+")

_INVISIBLE = re.compile("[\u200b\u200e\u200f\u2060\ufeff\u00ad]+")
_SPECIAL = re.compile(
    r"(?P<url>https?://[^\s<>\"'`|\[\]]{1,2000})|(?P<slash>\\)(?=[!-/:-@\[-`{-~]|\Z)|(?P<always>[*`\[\]])|(?P<under>_)"
    r"|(?P<less><)(?=[A-Za-z/!?])|(?P<and>&)(?=#?\w{1,31};)|(?P<run>~~+)|(?P<equal>==+)|(?P<percent>%%+)"
    r"|(?P<tag>(?:^|(?<=[\s(（\[，,、。；;：「『“]))#)(?=[\w/\-]{0,100}?[^\W\d]|[\U0001F300-\U0001FAFF☀-➿])"
    r"|(?P<name>(?<=\s)\^)(?=[\w\-]{1,80}\s*\Z)|(?P<dollar>\$)"
)
_PREFIX = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}\.)[ ]+|>[ ]?)*")
_BOX = re.compile(
    f"(?P<marks>(?:{TEXT}|\\*\\*)*)(?:(?P<open>[☐□]|{OPEN_BOX})|(?P<done>[☑☒]|{DONE_BOX}|[√✓✔](?=[\\s{TEXT}])))[\\s{TEXT}]*(?=\\S)"
)
_LIKE_MARKUP = re.compile(r"(#{1,6}|[-+])(?=\s|\Z)|(>|\||[-=:](?=[-=:| ]*\Z))|(\d{1,9})([.)])(?=\s|\Z)")
_SPACES = re.compile(r"(?<=[^ ]) {2,}(?=\S)")
_CODE = re.compile(f"{CODE}(\\d+){CODE}")


def escaped(text: str) -> str:
    """Return a piece of text that shows as it is, as far as its own characters tell."""
    text = _INVISIBLE.sub("", MARKS.sub("", text))
    body = text.lstrip(" ")
    return f"{text[: len(text) - len(body)]}{TEXT}{_SPECIAL.sub(_escape, body)}" if body else text


def _escape(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "slash" | "always" | "tag" | "name":
            return "\\" + found.group()
        case "under":
            around = found.string[found.start() - 1 : found.start()] + found.string[found.end() : found.end() + 1]
            return "_" if len(around) == 2 and around.isalnum() else "\\_"
        case "less":
            return "&lt;"
        case "and":
            return "&amp;"
        case "run" | "equal":
            return "".join("\\" + char for char in found.group())
        case "percent":
            return "\\".join(found.group())
        case "dollar":
            return DOLLAR
    return found.group()


def finished(text: str, blocks: Sequence[tuple[str, str]]) -> str:
    """Return the finished Markdown, without marks; `blocks` are the languages and texts of the blocks of code."""
    lines: list[str] = []
    for line in text.split("\n"):
        line = line.rstrip()
        if line.strip("> ") or (lines and lines[-1].strip("> ")):
            lines += _finished_line(line, blocks)
    return "\n".join(lines).strip("\n")


def _finished_line(line: str, blocks: Sequence[tuple[str, str]]) -> list[str]:
    found = _PREFIX.match(line)
    prefix = found.group() if found else ""
    rest = line[len(prefix) :]
    if code := _CODE.fullmatch(rest):
        first, *others = fenced(*blocks[int(code.group(1))])
        indent = re.sub(r"[^>\s]", " ", prefix)
        return [prefix + first, *((indent + other).rstrip(" ") if not other else indent + other for other in others)]
    rest = _CODE.sub(lambda code: code_span(blocks[int(code.group(1))][1]), rest)
    if box := _BOX.match(rest):
        is_item = bool(re.search(r"(?:[-*+]|\d\.)[ ]+\Z", prefix))
        mark = "[x]" if box.group("done") else "[ ]"
        return [_without_marks(f"{prefix}{'' if is_item else '- '}{mark} {box.group('marks')}{rest[box.end() :]}")]
    if rest.startswith(TEXT):
        rest = _LIKE_MARKUP.sub(_escape_start, rest.lstrip(TEXT), count=1) if _starts_like_markup(rest) else rest
    return [_without_marks(prefix + rest)]


def _starts_like_markup(rest: str) -> bool:
    return _LIKE_MARKUP.match(rest.lstrip(TEXT)) is not None


def _escape_start(found: re.Match[str]) -> str:
    return f"{found.group(3)}\\{found.group(4)}" if found.group(3) else "\\" + found.group()


def _without_marks(line: str) -> str:
    """Return the line with its boxes and dollars; a single dollar begins no formula."""
    line = line.replace(DOLLAR, "\\$" if line.count(DOLLAR) > 1 else "$")
    return _SPACES.sub(" ", MARKS.sub("", line.replace(OPEN_BOX, "☐").replace(DONE_BOX, "☑")))
