"""Passages -> their sentences with their places, those fit for an answer, and how well one covers a question."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from graphrag.domain.note import Chunk
from graphrag.domain.ports import Tokenizer

# A mark of ASCII ends a sentence only before a space or Chinese: it stands in addresses and code as well.
_END = re.compile(
    r"(?<=[。！？；…])(?![。！？!?；;…\"'”’」』）)])|(?<=[!?;])(?:\s+|(?=[\u4e00-\u9fff]))|(?<=\.)\s+(?=[A-Z\u4e00-\u9fff])"
)
_MARKERS = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+|\d+、)?(?:\[[ xX]\]\s+)?")
_ITEM = re.compile(r"[\s>]*(?:[-*+]\s|\d+[.)]\s|\d+、)")
# Code first: the marks in it are its own. A mark has a word right inside it, as in Markdown: 2 ** 3 holds none.
_EMPHASIS = re.compile(
    r"(`+[^`]*`+)|(\*\*|~~|(?<![A-Za-z0-9_])__|(?<![A-Za-z0-9_*])\*(?!\*))(?=\S)(.+?)(?<=\S)\2(?![A-Za-z0-9_])"
)
_HEADING = re.compile(r"\s*#{1,6}\s")
_TABLE_RULE = re.compile(r"[\s|:\-]+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ATTACHED = re.compile(r"\[(?:图片|附件)[^\]]*\]")
_WORD = re.compile(r"\w")
_MIN_CHARACTERS = 4


class SentenceKind(StrEnum):
    """What a sentence is written as."""

    PROSE = "prose"
    ROW = "row"  # of a table
    CODE = "code"


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence without Markdown marks, and the stretch of the passage's text that it was made of.

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
    """Yield the sentences of a passage that an answer may consist of."""
    found = [*find_sentences(text)]
    has_prose = any(sentence.kind is not SentenceKind.CODE for sentence in found)
    for sentence in found:
        is_other = has_prose and sentence.kind is SentenceKind.CODE
        if not is_other and len(sentence.text) >= _MIN_CHARACTERS and not _ATTACHED.fullmatch(sentence.text):
            yield sentence


def find_sentences(text: str) -> Iterator[PassageSentence]:
    """Yield every sentence, row and line of code of a passage that holds a word."""
    is_code, heading, lead, head = False, "", "", ""
    for start, line in _lines(text):
        if _FENCE.match(line):
            is_code = not is_code
        elif is_code:
            yield from _plain(line, start, SentenceKind.CODE, heading)
        elif _HEADING.match(line):
            heading, lead, head = line.strip("# \t"), "", ""
        elif line.lstrip().startswith("|"):
            if not _TABLE_RULE.fullmatch(line):
                yield from _plain(line, start, SentenceKind.ROW, f"{heading} {head}".strip())
                head = head or line
        else:
            is_item = bool(_ITEM.match(line))
            lead, head = lead if is_item or not line.strip() else _lead(line), ""
            yield from _prose(line, start, f"{heading} {lead if is_item else ''}".strip())


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


def _prose(line: str, start: int, lead: str) -> Iterator[PassageSentence]:
    if _TABLE_RULE.fullmatch(line):
        return
    begin = 0
    for border in (*_END.finditer(line), None):
        end = border.start() if border else len(line)
        yield from _plain(line[begin:end], start + begin, SentenceKind.PROSE, lead)
        begin = border.end() if border else end


def _plain(raw: str, start: int, kind: SentenceKind, lead: str) -> Iterator[PassageSentence]:
    """Yield the text of a stretch without its marks, if it says anything."""
    text = raw.strip() if kind is SentenceKind.CODE else _EMPHASIS.sub(r"\1\3", _MARKERS.sub("", raw, count=1)).strip()
    if kind is SentenceKind.ROW:
        text = " · ".join(cell.strip() for cell in text.strip("|").split("|") if cell.strip())
    if _WORD.search(text):
        yield PassageSentence(text, start + len(raw) - len(raw.lstrip()), start + len(raw.rstrip()), kind, lead)
