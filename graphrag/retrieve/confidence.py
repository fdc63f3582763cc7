"""The best passages and a question -> the chance that the notes hold an answer, by a logistic model.

Its signs are the terms that the passages lack, what is asked of the subject (`asked_attribute`), and how far the best
similarity stands above chance. `benchmarks/silence.py` fits the weights on public question sets, each question with and
without its gold passages; docs/quality.md has the figures on sets outside the fit.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graphrag.domain.ports import Vectors
from graphrag.domain.query import Candidate, Evidence, WordKind, WordSense
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.search import best_coverage, best_similarity, weight_of_unknown

_END = "，,。？?、；;：:！!"
_ASKS = "什么|什麼|甚么|甚麼|多少|谁|誰|哪|几|幾|何|怎|多[大高长長久重远遠]"
_ADVERBS = "分别|分別|各自|都|各|又|也|就|还|還|具体|具體|大概|大约|大約|到底|究竟"
_OF_SUBJECT = re.compile(
    rf"(?:的|其(?![中他它实實]))\s*(?P<part>[^的{_END}\s][^的{_END}]{{0,11}}?)(?:{_ADVERBS})*\s*"
    rf"(?:是|[为為](?!什[么麼]|何)|叫做?|有|在|属于|屬於|位于|位於|达到?|達到?)\s*(?:{_ASKS})"
)


def asked_attribute(question: str) -> str:
    """Return the words for what is asked of the subject, empty where the question does not name it."""
    found = _OF_SUBJECT.search(question)
    return found["part"].strip() if found else ""


DEPTH = 5  # best passages that are looked at
DEFAULT_CONFIDENCE = 0.2  # below it, a question is not answered
_SHORTEST_STEM = 4
_ENDINGS = ("ing", "ies", "es", "ed", "s")


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether an answer is there. Rarity is of the vault and of the language at once, from 0 to 1."""

    missing_noun: float  # rarity of the rarest noun or identifier that none of the best passages holds
    missing_identifier: float  # likewise of identifiers alone
    held_share: float  # of the rarity of all nouns, identifiers, verbs and English words, in the best passages
    words: float  # log of one more than the words of the question
    missing_attribute: float  # rarity of what is asked of the subject, where no passage holds a word of it
    standing: float | None  # deviations of the best similarity above what chance gives; None without vectors


@dataclass(frozen=True, slots=True)
class _Weights:
    bias: float
    missing_noun: float
    missing_identifier: float
    held_share: float
    words: float
    missing_attribute: float
    standing: float


_WITH_VECTORS = _Weights(-2.353, -0.871, -1.994, 1.533, 0.834, -3.636, 0.433)
_WORDS_ALONE = _Weights(-2.115, -1.121, -1.799, 2.083, 0.591, -3.879, 0.0)


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage as the question is held against it: its terms, and its text in small letters."""

    terms: frozenset[str]
    text: str

    def holds(self, sense: WordSense) -> bool:
        """Whether the passage has a term, in any form of an English word."""
        term = sense.term
        if term in self.terms:
            return True
        is_word = sense.kind in (WordKind.IDENTIFIER, WordKind.ENGLISH) and len(term) >= _SHORTEST_STEM
        return is_word and _stem(term) in self.text


def read_signs(
    senses: Sequence[WordSense],
    weights: Mapping[str, float],
    most: float,
    passages: Sequence[PassageText],
    attribute: Collection[str],
    standing: float | None,
) -> Signs:
    """Return the signs of a question; `weights` are inverse document frequencies, `most` that of an unknown term.

    `attribute` are the terms of what is asked of the subject, none where the question does not say that.
    """
    known = [sense for sense in senses if sense.kind is not WordKind.UNKNOWN]
    rarity = {sense.term: sense.rarity * weights[sense.term] / most for sense in known}
    missing = [sense for sense in known if not any(passage.holds(sense) for passage in passages)]
    telling = {sense.term for sense in known if sense.kind is not WordKind.OTHER}
    total = sum(rarity[term] for term in telling)
    lost = sum(rarity[sense.term] for sense in missing if sense.term in telling)

    def rarest(*kinds: WordKind) -> float:
        return max((rarity[sense.term] for sense in missing if sense.kind in kinds), default=0.0)

    return Signs(
        missing_noun=rarest(WordKind.NOUN, WordKind.IDENTIFIER),
        missing_identifier=rarest(WordKind.IDENTIFIER),
        held_share=1 - lost / total if total else 1.0,
        words=math.log1p(_count_whole([sense.term for sense in known])),
        missing_attribute=_missing_attribute(senses, rarity, attribute, passages),
        standing=standing,
    )


def measure_standing(similarity: float, question: Vectors, sample: Vectors, passages: int) -> float | None:
    """Return by how many deviations a similarity lies above the best one that chance gives among so many passages.

    `question` has shape (dimension,), `sample` shape (n, dimension), of random passages. The largest of n normal values
    lies about sqrt(2 ln n) deviations above their mean.
    """
    if len(sample) < 2 or passages < 2:
        return None
    chance = sample @ question
    deviation = float(chance.std())
    if not deviation:
        return None
    return (similarity - float(chance.mean())) / deviation - math.sqrt(2 * math.log(passages))


def confidence_of(signs: Signs) -> float:
    """Return the probability that the notes hold the answer, where half of all questions have one."""
    weights = _WORDS_ALONE if signs.standing is None else _WITH_VECTORS
    logit = (
        weights.bias
        + weights.missing_noun * signs.missing_noun
        + weights.missing_identifier * signs.missing_identifier
        + weights.held_share * signs.held_share
        + weights.words * signs.words
        + weights.missing_attribute * signs.missing_attribute
        + weights.standing * (signs.standing or 0.0)
    )
    return 1 / (1 + math.exp(-logit))


def _missing_attribute(
    senses: Sequence[WordSense],
    rarity: Mapping[str, float],
    attribute: Collection[str],
    passages: Sequence[PassageText],
) -> float:
    asked = [sense for sense in senses if sense.term in attribute]
    if any(passage.holds(sense) for sense in asked for passage in passages):
        return 0.0
    return max((rarity.get(sense.term, 0.0) for sense in asked if sense.kind is not WordKind.OTHER), default=0.0)


def _count_whole(terms: Sequence[str]) -> int:
    """Return how many terms are no part of another one."""
    return sum(not any(term != other and term in other for other in terms) for term in terms)


def _stem(word: str) -> str:
    """Return an English word without its ending, as far as it stays recognizable."""
    return next((word[: -len(end)] for end in _ENDINGS if word.endswith(end) and len(word) > len(end) + 3), word)


def assess(
    readers: SnapshotReaders,
    question: str,
    kept: Sequence[Candidate],
    weights: Mapping[str, float],
    vector: Vectors | None,
    is_named: bool,
) -> Evidence:
    """Return how well the results cover the question; a note that it names is its answer, whatever the words."""
    similarity = best_similarity(kept)
    if is_named:
        return Evidence(1.0, similarity, 1.0)
    signs = read_signs_of(readers, question, kept, weights, vector)
    return Evidence(best_coverage(kept, weights), similarity, confidence_of(signs) if kept else 0.0)


def read_signs_of(
    readers: SnapshotReaders,
    question: str,
    kept: Sequence[Candidate],
    weights: Mapping[str, float],
    vector: Vectors | None,
) -> Signs:
    """Return what results show of the question with these terms and vector."""
    total, similarity = readers.manifest.chunk_count, best_similarity(kept)
    texts = [candidate.chunk.embedded_text() for candidate in kept[:DEPTH]]
    passages = [PassageText(frozenset(readers.tokenizer.tokenize(text)), text.lower()) for text in texts]
    attribute = readers.tokenizer.tokenize_query(asked_attribute(question))
    standing = None
    if vector is not None and similarity is not None:
        standing = measure_standing(similarity, vector, readers.sample, total)
    senses = readers.tokenizer.look_up(list(weights), question)
    return read_signs(senses, weights, weight_of_unknown(total), passages, attribute, standing)
