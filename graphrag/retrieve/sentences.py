"""Passages -> sentences fit to stand in an answer, and how well one covers a question."""

import re
from collections.abc import Iterator, Mapping

from graphrag.domain.note import Chunk
from graphrag.domain.ports import Tokenizer

# A mark of ASCII ends a sentence only before a space or Chinese: it stands in addresses and code as well.
_END = re.compile(
    r"(?<=[。！？；…])(?![。！？!?；;…\"'”’」』）)])|(?<=[!?;])(?:\s+|(?=[\u4e00-\u9fff]))"
    r"|(?<=\.)\s+(?=[A-Z\u4e00-\u9fff])|\n"
)
_MARKERS = re.compile(r"[\s>]*(?:(?:[-*+]|\d+[.)])\s+|\d+、)?(?:\[[ xX]\]\s+)?")
# Code first: the marks in it are its own. A mark has a word right inside it, as in Markdown: 2 ** 3 holds none.
_EMPHASIS = re.compile(
    r"(`+[^`]*`+)|(\*\*|~~|(?<![A-Za-z0-9_])__|(?<![A-Za-z0-9_*])\*(?!\*))(?=\S)(.+?)(?<=\S)\2(?![A-Za-z0-9_])"
)
_HEADING = re.compile(r"\s*#{1,6}\s")
_TABLE_RULE = re.compile(r"[\s|:\-]+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_WORD = re.compile(r"\w")
_MIN_CHARACTERS = 4


def answer_sentences(chunk: Chunk) -> Iterator[str]:
    """Yield the chunk's sentences without Markdown marks; headings are none, lines of code only where no prose is."""
    prose, code = _split_code(chunk.text)
    for raw in _END.split(prose if _WORD.search(prose) else code):
        if _HEADING.match(raw) or _TABLE_RULE.fullmatch(raw):
            continue
        text = _EMPHASIS.sub(r"\1\3", _MARKERS.sub("", raw, count=1)).strip()
        if text.startswith("|"):
            text = " · ".join(cell.strip() for cell in text.strip("|").split("|") if cell.strip())
        if len(text) >= _MIN_CHARACTERS and not re.fullmatch(r"\[(?:图片|附件)[^\]]*\]", text):
            yield text


def _split_code(text: str) -> tuple[str, str]:
    """Return the text outside fences and the text inside them."""
    parts: tuple[list[str], list[str]] = ([], [])
    is_code = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            is_code = not is_code
        else:
            parts[is_code].append("" if _HEADING.match(line) and not is_code else line)
    return "\n".join(parts[0]), "\n".join(parts[1])


def coverage(text: str, weights: Mapping[str, float], tokenizer: Tokenizer) -> float:
    """Return the share of the question's term weight that the text holds, 0 to 1."""
    total = sum(weights.values())
    if not total:
        return 0.0
    held = set(tokenizer.tokenize(text))
    return sum(weight for term, weight in weights.items() if term in held) / total
