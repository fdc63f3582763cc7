"""Text of a rich note -> Markdown that shows it as it was: escaping, and the last pass over the finished lines.

What a character means depends on what stands before it in its line, which is known only when the lines are finished.
So text carries marks (`TEXT` where a piece of text begins) until then. They are no characters of any script.
"""

import re
from collections.abc import Sequence

from vault_sync.leanote.convert.rich_code import code_span, fenced

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
