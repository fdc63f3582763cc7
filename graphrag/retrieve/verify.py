"""A model's reply -> an answer whose citations exist, with sentences that no block supports marked as such."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from graphrag.domain.ports import Tokenizer
from graphrag.domain.query import Context

UNSUPPORTED = "[未证实]"
_CITATION = re.compile(
    r"[\[【]\s*(?:来源|source)?\s*(\d{1,3}(?:\s*[,，、]\s*(?:来源|source)?\s*\d{1,3})*)\s*[\]】]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^。！？!?\n]*(?:[。！？!?]+|\n|\Z)(?:\s*\[\d{1,3}\])*")
_MARK = re.compile(r"\[(\d{1,3})\]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SUPPORT = 0.35  # share of a sentence's terms that its blocks must hold
_ATTACH = 0.6  # the same, for a block to be named where the model named none


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer's text with marks [N], and the keys it names, in order of their first use."""

    text: str
    keys: tuple[int, ...]


def verify(reply: str, context: Context, tokenizer: Tokenizer) -> CheckedAnswer:
    """Return the reply with false citations dropped, clear ones added, and unsupported sentences marked."""
    blocks = {block.key: _evidence(block.chunk.embedded_text(), tokenizer) for block in context.blocks}
    text = _CITATION.sub(lambda found: _marks(found.group(1), blocks), reply.strip())
    checked = "".join(_check(found.group(), blocks, tokenizer) for found in _SENTENCE.finditer(text))
    keys = dict.fromkeys(int(found) for found in _MARK.findall(checked))
    return CheckedAnswer(checked.strip(), tuple(keys))


def _marks(numbers: str, blocks: Mapping[int, frozenset[str]]) -> str:
    keys = [int(number) for number in re.findall(r"\d+", numbers)]
    return "".join(f"[{key}]" for key in keys if key in blocks)


def _check(sentence: str, blocks: Mapping[int, frozenset[str]], tokenizer: Tokenizer) -> str:
    bare = _MARK.sub("", sentence)
    terms = _evidence(bare, tokenizer)
    if not bare.strip() or not terms or bare.strip().endswith((":", "：")):
        return sentence
    cited = [int(found) for found in _MARK.findall(sentence)]
    numbers = set(_NUMBER.findall(re.sub(r"^\s*\d+[.)、]", "", bare)))
    held = frozenset().union(*(blocks[key] for key in cited)) if cited else frozenset()
    if cited and _share(terms, held) >= _SUPPORT and numbers <= held:
        return sentence
    best = max(blocks, key=lambda key: _share(terms, blocks[key]), default=None)
    if best is not None and _share(terms, blocks[best]) >= _ATTACH and numbers <= blocks[best]:
        return _insert(bare, f"[{best}]")
    return _insert(bare, UNSUPPORTED)


def _insert(sentence: str, mark: str) -> str:
    """Return the sentence with a mark before its final punctuation and white space."""
    tail = re.search(r"[。！？!?.\s]*\Z", sentence)
    place = tail.start() if tail else len(sentence)
    return sentence[:place] + mark + sentence[place:]


def _evidence(text: str, tokenizer: Tokenizer) -> frozenset[str]:
    return frozenset(tokenizer.tokenize_query(text)) | frozenset(_NUMBER.findall(text))


def _share(terms: frozenset[str], held: frozenset[str]) -> float:
    return len(terms & held) / len(terms)
