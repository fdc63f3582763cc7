"""Passages -> their sentences with their places, those fit for an answer, and how well one covers a question."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from graphrag.domain.note import Chunk
from graphrag.domain.ports import Tokenizer
from graphrag.language.markdown import Markup

# A mark of ASCII ends a sentence only before a space or Chinese: it stands in addresses and code as well.
_END = re.compile(
    r"(?<=[。！？；…])(?![。！？!?；;…\"'”’」』）)])|(?<=[!?;])(?:\s+|(?=[\u4e00-\u9fff]))|(?<=\.)\s+(?=[A-Z\u4e00-\u9fff])"
)
_MARKERS = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+|\d+、)?(?:\[[ xX]\]\s+)?")
_ITEM = re.compile(r"[\s>]*(?:[-*+]\s|\d+[.)]\s|\d+、)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_TABLE_RULE = re.compile(r"[\s|:\-]+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ATTACHED = re.compile(r"\[(?:图片|附件)[^\]]*\]")
_WORD = re.compile(r"\w")
_MIN_CHARACTERS = 4


class SentenceKind(StrEnum):
    """What a sentence is written as."""

    PROSE = "prose"
    HEAD = "head"  # the first row of a table: the names of its columns
    ROW = "row"  # of a table
    CODE = "code"


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence without Markdown marks and what is struck out, and the stretch of the passage's text that it was
    made of.

    `lead` is what it is read under: the line with a colon before a list, the head of a table, the heading.
    """

    text: str
    start: int
    end: int
    kind: SentenceKind
    lead: str


def answer_sentences(chunk: Chunk) -> Iterator[str]:
    """Yield the chunk's sentences without Markdown marks; headings are none, lines of code only where no prose is."""
    return (sentence.text for sentence in fit_sentences(chunk.text))


def fit_sentences(text: str) -> Iterator[PassageSentence]:
    """Yield the sentences of a passage that an answer may consist of: code and heads of tables only by themselves."""
    found = [*find_sentences(text)]
    kinds = {sentence.kind for sentence in found}
    for sentence in found:
        is_other = sentence.kind in (SentenceKind.CODE, SentenceKind.HEAD) and kinds != {sentence.kind}
        if not is_other and len(sentence.text) >= _MIN_CHARACTERS and not _ATTACHED.fullmatch(sentence.text):
            yield sentence


def find_sentences(text: str) -> Iterator[PassageSentence]:
    """Yield every sentence, row and line of code of a passage that holds a word."""
    markup = Markup(text)
    is_code, heading, lead, head = False, "", "", ""
    for start, line in _lines(text):
        plain = markup.plain(start, start + len(line))
        if _FENCE.match(line):
            is_code = not is_code
        elif is_code:
            yield from _stretch(line, range(start, start + len(line)), SentenceKind.CODE, heading)
        elif _HEADING.match(line):
            heading, lead, head = plain.strip("# \t"), "", ""
        elif line.lstrip().startswith("|"):
            if not _TABLE_RULE.fullmatch(line):
                kept = markup.kept(start, start + len(line))
                kind = SentenceKind.ROW if head else SentenceKind.HEAD
                yield from _stretch(plain, kept, kind, f"{heading} {head}".strip())
                head = head or plain
        else:
            is_item = bool(_ITEM.match(line))
            lead, head = lead if is_item or not line.strip() else _lead(plain), ""
            if not _TABLE_RULE.fullmatch(line):
                kept = markup.kept(start, start + len(line))
                yield from _prose(plain, kept, markup, f"{heading} {lead if is_item else ''}".strip())


def coverage(text: str, weights: Mapping[str, float], tokenizer: Tokenizer) -> float:
    """Return the share of the question's term weight that the text holds, 0 to 1."""
    total = sum(weights.values())
    if not total:
        return 0.0
    held = set(tokenizer.tokenize(text))
    return sum(weight for term, weight in weights.items() if term in held) / total


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def _lead(line: str) -> str:
    return line.strip() if line.rstrip().endswith((":", "：")) else ""


def _prose(line: str, places: Sequence[int], markup: Markup, lead: str) -> Iterator[PassageSentence]:
    """Yield the sentences of a line without its marks; `places` are those of its characters in the passage."""
    masked = "".join("x" if markup.is_whole(place) else sign for sign, place in zip(line, places, strict=True))
    borders = [*(border.span() for border in _END.finditer(masked)), (len(line), len(line))]
    begin = 0
    for (end, after), (next_end, _) in zip(borders, (*borders[1:], borders[-1]), strict=True):
        # A sentence too short to stand alone goes with the one before: 能不能换？能。
        if not 0 < len(line[after:next_end].strip()) < _MIN_CHARACTERS:
            yield from _stretch(line[begin:end], places[begin:end], SentenceKind.PROSE, lead)
            begin = after


def _stretch(text: str, places: Sequence[int], kind: SentenceKind, lead: str) -> Iterator[PassageSentence]:
    """Yield the text of a stretch, if it says anything."""
    said = text.strip() if kind is SentenceKind.CODE else _MARKERS.sub("", text, count=1).strip()
    if kind in (SentenceKind.HEAD, SentenceKind.ROW):
        said = " · ".join(cell.strip() for cell in said.strip("|").split("|") if cell.strip())
    if _WORD.search(said):
        first, last = len(text) - len(text.lstrip()), len(text.rstrip()) - 1
        yield PassageSentence(said, places[first], places[last] + 1, kind, lead)
