"""A model's reply -> an answer whose citations exist, with sentences that no block supports marked as such.

Support is a matter of shared terms and of numbers: a sentence's numbers must all stand in the blocks it cites. A reply
in another language than a block shares no words with it, so that there only the numbers are compared.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from graphrag.domain.ports import Tokenizer
from graphrag.domain.query import Context
from graphrag.retrieve.evidence import Evidence, is_mostly_chinese, numbers_of, read_evidence, terms_of
from graphrag.retrieve.marks import CODE_SPAN, replace_marks, split_code

UNSUPPORTED_ZH = "[未证实]"
UNSUPPORTED_EN = "[unverified]"
# Citations travel between characters that no text holds, so that nothing else in brackets is taken for one.
_OPEN, _CLOSE = "\ue000", "\ue001"
_CITED = re.compile(rf"{_OPEN}(\d+){_CLOSE}")
_BOUNDARY = re.compile(
    rf"{CODE_SPAN}"
    rf"|(?:[。！？]|[!?](?=[\s{_OPEN}\"”’」』)）]|\Z)|(?<!\b\w)(?<!\d)\.(?=[\s{_OPEN}]|\Z))"
    rf"[。！？!?.]*[\"”’」』)）*]*(?:[ \t]*{_OPEN}\d+{_CLOSE})*"
)
_LIST_MARKER = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+|\d+、)")
_NO_STATEMENT = re.compile(r"\s*#{1,6}\s|[\s|:\-*_=]*\Z|.*[:：][\s*_]*\Z", re.DOTALL)
_TAIL = re.compile(r"[。！？!?.|\s]*\Z")
_SHORT = 4  # characters: 是的。
_SUPPORT = 0.35  # share of a sentence's terms that its blocks must hold
_ATTACH = 0.6  # the same, for a block to be named where the model named none
_IDLE = 0.15  # a block that holds less is not what the sentence rests on, if another one is


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer's text with marks [N], and the keys it names, in order of their first use."""

    text: str
    keys: tuple[int, ...]


def verify(reply: str, context: Context, tokenizer: Tokenizer) -> CheckedAnswer:
    """Return the reply with false citations dropped, clear ones added, and unsupported sentences marked."""
    text = _CITED.sub("", reply.strip()).translate({ord(_OPEN): None, ord(_CLOSE): None})
    checker = _Checker(context, tokenizer, is_mostly_chinese(replace_marks(text, (), _cite)))
    checked = "".join(
        checker.check_code(part) if is_code else checker.check(part) for part, is_code in split_code(text)
    )
    keys = dict.fromkeys(int(found) for found in _CITED.findall(checked))
    return CheckedAnswer(_CITED.sub(r"[\1]", checked).strip(), tuple(keys))


class _Checker:
    def __init__(self, context: Context, tokenizer: Tokenizer, is_chinese_reply: bool) -> None:
        self._tokenizer = tokenizer
        self._blocks = {block.key: read_evidence(block.chunk.embedded_text(), tokenizer) for block in context.blocks}
        self._is_chinese = is_chinese_reply
        self._unsupported = UNSUPPORTED_ZH if is_chinese_reply else UNSUPPORTED_EN

    def check(self, prose: str) -> str:
        """Return running text with its citations checked."""
        marked = replace_marks(prose, self._blocks, _cite)
        return "".join(self._check_line(line) for line in marked.splitlines(keepends=True))

    def check_code(self, code: str) -> str:
        """Return a code block as it is, with a mark after it when no block holds anything like it."""
        terms = terms_of(code, self._tokenizer)
        best = max((_share(terms, block) for block in self._blocks.values()), default=0.0)
        return code if best >= _SUPPORT else f"{code}\n{self._unsupported}"

    def _check_line(self, line: str) -> str:
        cited_in_line = _keys(line)
        return "".join(self._check_sentence(sentence, cited_in_line) for sentence in _sentences(line))

    def _check_sentence(self, sentence: str, cited_in_line: list[int]) -> str:
        bare = _CITED.sub("", sentence)
        content = _LIST_MARKER.sub("", bare)
        cited = _keys(sentence)
        terms, numbers = terms_of(content, self._tokenizer), numbers_of(content)
        if not terms or _NO_STATEMENT.match(content) or (not cited and not numbers and len(content.strip()) < _SHORT):
            return sentence
        shares = {key: _share(terms, block) for key, block in self._blocks.items()}
        if self._is_supported(terms, numbers, cited):
            idle = {key for key in cited if shares[key] < _IDLE}
            return sentence if idle == set(cited) else _without(sentence, idle)
        wanted = {key: _SUPPORT if key in cited_in_line else _ATTACH for key in shares}
        fit = [key for key in shares if shares[key] >= wanted[key] and numbers <= self._blocks[key].numbers]
        if fit:
            return _insert(bare, _cite([max(fit, key=lambda key: shares[key])]))
        foreign = [key for key in cited if not self._reads_like_reply(key)]
        if foreign and numbers <= self._numbers(foreign):
            return sentence
        return _insert(bare, self._unsupported)

    def _is_supported(self, terms: frozenset[str], numbers: frozenset[str], cited: Iterable[int]) -> bool:
        """Whether the cited blocks hold enough of the words and all of the numbers."""
        held = frozenset(term for key in cited for term in self._blocks[key].terms)
        return len(terms & held) >= _SUPPORT * len(terms) and numbers <= self._numbers(cited)

    def _numbers(self, keys: Iterable[int]) -> frozenset[str]:
        return frozenset(number for key in keys for number in self._blocks[key].numbers)

    def _reads_like_reply(self, key: int) -> bool:
        """Whether a block is in the reply's language."""
        return self._blocks[key].is_chinese == self._is_chinese


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
    return [int(found) for found in _CITED.findall(text)]


def _without(sentence: str, keys: set[int]) -> str:
    return _CITED.sub(lambda found: "" if int(found.group(1)) in keys else found.group(), sentence)


def _insert(sentence: str, mark: str) -> str:
    """Return the sentence with a mark before its final punctuation and white space."""
    tail = _TAIL.search(sentence)
    place = tail.start() if tail else len(sentence)
    return sentence[:place] + mark + sentence[place:]


def _share(terms: frozenset[str], block: Evidence) -> float:
    return len(terms & block.terms) / len(terms) if terms else 0.0
