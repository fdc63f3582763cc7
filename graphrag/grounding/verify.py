"""A model's reply -> an answer whose sentences are supported by their citations; others are marked or left out.

The reply may come in pieces: each line is checked as soon as it is complete.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graphrag.domain.query import Context, Flag, FlagReason
from graphrag.grounding.evidence import Ground, is_mostly_chinese, read_claim
from graphrag.grounding.support import Measures, SupportCheck
from graphrag.language.markdown import CODE_SPAN, replace_marks, split_code

UNSUPPORTED_ZH = "[未证实]"
UNSUPPORTED_EN = "[unverified]"
# Citations and marks travel as characters that no text holds, so that nothing else in brackets is taken for one.
_OPEN, _CLOSE, _UNSUPPORTED, _DROPPED = "\ue000", "\ue001", "\ue002", "\ue003"
_OURS = dict.fromkeys(map(ord, (_OPEN, _CLOSE, _UNSUPPORTED, _DROPPED)))
_CITED = re.compile(rf"{_OPEN}(\d+){_CLOSE}")
_BOUNDARY = re.compile(
    rf"{CODE_SPAN}"
    rf"|(?:[。！？]|[!?](?=[\s{_OPEN}\"”’」』)）]|\Z)|(?<!\b\w)(?<!\d)\.(?=[\s{_OPEN}]|\Z))"
    rf"[。！？!?.]*[\"”’」』)）*]*(?:[ \t]*{_OPEN}\d+{_CLOSE})*"
)
_LIST_MARKER = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+|\d+、)")
_LEAD_IN = re.compile(r"\s*#{1,6}\s|.*[:：][\s*_]*\Z", re.DOTALL)
_NO_STATEMENT = re.compile(rf"(?:{_LEAD_IN.pattern})|[\s|:\-*_=]*\Z", re.DOTALL)
_DELIMITER_ROW = r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*"
_DELIMITER = re.compile(rf"(?=.*\|){_DELIMITER_ROW}\n?")
_TABLE = re.compile(rf"^(?P<head>.*\|.*\n(?=.*\|){_DELIMITER_ROW}\n)(?P<rows>(?:.*\|.*(?:\n|\Z))+)", re.MULTILINE)
_TAIL = re.compile(r"[。！？!?.|\s]*\Z")
_SHORT = 4  # characters: 是的。
# By itself it says nothing that a source could hold, and a note that asks for it must not be its source.
_BARE_REPLY = re.compile(
    r"[\W_]*(?:yes|no|ok(?:ay)?|sure|true|false|correct|是的?|不是|否|对的?|不对|好的?|可以|不可以|不能|能|有|没有)[\W_]*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer's text with marks [N], the keys it names in order of their first use, and what is wrong with it.

    `grounds` are the sentences of the blocks that its own rest on.
    """

    text: str
    keys: tuple[int, ...]
    flags: tuple[Flag, ...] = ()
    grounds: tuple[Ground, ...] = ()


def verify(reply: str, context: Context, measures: Measures, *, drops: bool = False) -> CheckedAnswer:
    """Return the reply with false citations dropped, clear ones added, and unsupported sentences marked or dropped."""
    check = ReplyCheck(context, measures, drops=drops)
    check.read(reply)
    return check.finish()


class ReplyCheck:
    """Checks one reply while it is written."""

    def __init__(self, context: Context, measures: Measures, *, drops: bool) -> None:
        self._support = SupportCheck(context, measures)
        self._measures = measures
        self._drops = drops
        self._rest = ""  # what may go on
        self._checked: list[str] = []
        self._flags: list[Flag] = []
        self._grounds: dict[Ground, None] = {}
        self._is_begun = False
        self._held = ""  # a line that is the head of a table if a delimiter row follows
        self._is_in_table = False

    def read(self, piece: str) -> None:
        """Take the next piece of the reply, and check the lines that it completes."""
        self._rest += _CITED.sub("", piece).translate(_OURS)
        if not self._is_begun:
            self._rest = self._rest.lstrip()
            self._is_begun = bool(self._rest)
        end = self._rest.rfind("\n") + 1
        if "\n" in piece and end and not _is_open_code(self._rest[:end]):
            self._take(self._rest[:end])
            self._rest = self._rest[end:]

    def finish(self) -> CheckedAnswer:
        """Return the whole reply as it was checked."""
        self._take(self._rest.rstrip())
        self._checked.append(self._release())
        self._rest = ""
        checked = "".join(self._checked)
        checked = _without_dropped(checked) if self._drops else checked
        label = UNSUPPORTED_ZH if is_mostly_chinese(_CITED.sub("", checked)) else UNSUPPORTED_EN
        keys = dict.fromkeys(int(found) for found in _CITED.findall(checked))
        text = _CITED.sub(r"[\1]", checked).replace(_UNSUPPORTED, label)
        return CheckedAnswer(text.strip(), tuple(keys), tuple(self._flags), tuple(self._grounds))

    def _take(self, text: str) -> None:
        for part, is_code in split_code(text):
            if is_code:
                self._checked.append(self._release())
            self._checked.append(self._check_code(part) if is_code else self._check_prose(part))

    def _check_prose(self, prose: str) -> str:
        marked = replace_marks(prose, self._support.keys, _cite)
        return "".join(map(self._read_line, marked.splitlines(keepends=True)))

    def _read_line(self, line: str) -> str:
        """Return what is checked now: a line that may be the head of a table waits for the next one."""
        if self._held and _DELIMITER.fullmatch(line):
            head, self._held, self._is_in_table = self._held, "", True
            return head + line
        before = self._release()
        self._is_in_table = self._is_in_table and "|" in line
        if "|" in line and not self._is_in_table:
            self._held = line
            return before
        return before + (self._check_row(line) if self._is_in_table else self._check_line(line))

    def _release(self) -> str:
        """Return the line that waits, checked, since it is no head of a table."""
        line, self._held = self._held, ""
        return self._check_line(line) if line else ""

    def _check_row(self, row: str) -> str:
        """Return a row of a table, which is one statement; one that is dropped keeps the sign that it was one."""
        checked = self._check_sentence(row, frozenset())
        return f"|{_DROPPED}\n" if checked == _DROPPED else checked

    def _check_code(self, code: str) -> str:
        """Return a code block as it is, with a mark after it when no block holds anything like it."""
        if self._support.holds_code(code):
            return code
        self._flags.append(Flag(code.strip("`~ \n"), FlagReason.NO_SUPPORT, ""))
        return _DROPPED if self._drops else f"{code}\n{_UNSUPPORTED}"

    def _check_line(self, line: str) -> str:
        near = frozenset(_keys(line))
        checked = [self._check_sentence(sentence, near) for sentence in _sentences(line)]
        kept = "".join(checked)
        is_empty = self._drops and _DROPPED in kept and not _LIST_MARKER.sub("", kept).strip(f"{_DROPPED} \t\n*_|")
        return f"{_DROPPED}\n" if is_empty else kept

    def _check_sentence(self, sentence: str, near: frozenset[int]) -> str:
        bare = _CITED.sub("", sentence)
        content = _LIST_MARKER.sub("", bare)
        cited = _keys(sentence)
        if _BARE_REPLY.fullmatch(content):
            return bare
        claim = read_claim(content, self._measures.tokenizer, self._measures.persons())
        is_short = not cited and not claim.figures and len(content.strip()) < _SHORT
        if not claim.says_anything:
            return bare
        if is_short or _NO_STATEMENT.match(content):
            return sentence
        found = self._support.support(claim, cited, near)
        if found.keys:
            self._grounds |= dict.fromkeys(found.grounds)
            return _with_citations(sentence, bare, cited, found.keys)
        said = content.strip().strip("*_| ")
        self._flags += (Flag(said, finding.reason, finding.detail) for finding in found.findings)
        return _DROPPED if self._drops else _insert(bare, _UNSUPPORTED)


def _is_open_code(text: str) -> bool:
    """Whether a text of whole lines ends inside a code block."""
    parts = [*split_code(text)]
    return len(parts) > 1 and not parts[-1][0]


def _without_dropped(text: str) -> str:
    """Return a text without the traces of what was dropped, and without headings and lead-ins that lost all below."""
    text = _TABLE.sub(_without_lost_rows, text)
    kept: list[str] = []
    has_lost, has_more = False, False  # below, up to the next lead-in
    for line in reversed(text.splitlines(keepends=True)):
        rest = line.replace(_DROPPED, "")
        has_lost |= rest != line
        if not rest.strip():
            kept += [] if rest != line else [rest]
        elif not _LEAD_IN.match(rest):
            kept.append(rest)
            has_more = True
        else:
            kept += [] if has_lost and not has_more else [rest]
            has_lost, has_more = has_lost and not has_more, False
    return "".join(reversed(kept))


def _without_lost_rows(table: re.Match[str]) -> str:
    """Return a table with a trace where rows were, and nothing but that of one that lost all of them."""
    rows = table["rows"].splitlines(keepends=True)
    is_lost = [row.startswith(f"|{_DROPPED}") for row in rows]
    left = "".join(f"{_DROPPED}\n" if lost else row for row, lost in zip(rows, is_lost, strict=True))
    return left if all(is_lost) else table["head"] + left


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for found in _BOUNDARY.finditer(line):
        if not found["code"]:
            yield line[start : found.end()]
            start = found.end()
    yield line[start:]


def _cite(keys: Iterable[int]) -> str:
    return "".join(f"{_OPEN}{key}{_CLOSE}" for key in keys)


def _keys(text: str) -> list[int]:
    return [*dict.fromkeys(int(found) for found in _CITED.findall(text))]


def _with_citations(sentence: str, bare: str, cited: list[int], keys: tuple[int, ...]) -> str:
    """Return a sentence with exactly these citations, those that the model wrote where it wrote them."""
    if set(keys) <= set(cited):
        return _CITED.sub(lambda found: found.group() if int(found.group(1)) in keys else "", sentence)
    return _insert(bare, _cite(keys))


def _insert(sentence: str, mark: str) -> str:
    """Return the sentence with a mark before its final punctuation and white space."""
    tail = _TAIL.search(sentence)
    place = tail.start() if tail else len(sentence)
    return sentence[:place] + mark + sentence[place:]
