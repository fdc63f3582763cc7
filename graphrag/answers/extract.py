"""A question and its context -> the quotes of an answer without a chat model, and the best lines of each passage."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphrag.answers.quotes import Quote, line_of, quote_of
from graphrag.answers.units import Signs, Unit, read_signs, unit_model, units_of, with_similarities
from graphrag.domain.ports import Embedder, Tokenizer, Vectors
from graphrag.domain.query import AskedFor, BestLine, Candidate, Context, ContextBlock

_POOL = 96  # units that are compared by meaning; embedding one takes some milliseconds
_QUOTES = 4
_ENOUGH = 200  # characters of an answer, after which no further quote is taken
_KEEP_SHARE = 0.1  # of the first unit's chance to be the answer
_LINES = 2  # of a passage among search results


@dataclass(frozen=True, slots=True)
class AskedText:
    """A question's text with what it asks for."""

    text: str
    asked_for: AskedFor


@dataclass(frozen=True, slots=True)
class Extracted:
    """The quotes of an answer, and the chance that the first of them answers, if any unit of the passages does."""

    quotes: tuple[Quote, ...]
    chance: float


class Extractor:
    """Chooses quotes from the passages of one snapshot."""

    def __init__(self, tokenizer: Tokenizer, max_characters: int) -> None:
        self._tokenizer = tokenizer
        self._max_characters = max_characters

    def extract(
        self,
        asked: AskedText,
        weights: Mapping[str, float],
        context: Context,
        embedder: Embedder | None,
        question: Vectors | None,
    ) -> "Extracted":
        """Return at most four quotes, the best first; `weights` are those of the question's terms.

        `question` is the question's vector, shape (dimension,). The first quote is there whatever its length.
        """
        units = units_of(context)
        if not units:
            return Extracted((), 0.0)
        scores = self._scores(asked, weights, units, embedder, question)
        least = scores.max() + np.log(_KEEP_SHARE)
        chunks = {block.key: block.chunk for block in context.blocks}
        quotes: list[Quote] = []
        used = 0
        for place in np.argsort(-scores, kind="stable"):
            unit = units[place]
            if len(quotes) == _QUOTES or (quotes and (scores[place] < least or used >= _ENOUGH)):
                break
            quote = quote_of(unit, chunks[unit.key].text, asked.asked_for)
            if quotes and used + len(quote.text) > self._max_characters:
                break
            if not any(_repeats(quote, other) for other in quotes):
                quotes.append(quote)
                used += len(quote.text)
        return Extracted(tuple(quotes), float(1 / np.exp(scores - scores.max()).sum()))

    def _scores(
        self,
        asked: AskedText,
        weights: Mapping[str, float],
        units: Sequence[Unit],
        embedder: Embedder | None,
        question: Vectors | None,
    ) -> Signs:
        signs = read_signs(asked.text, asked.asked_for, units, weights, self._tokenizer)
        scores = unit_model().scores(signs, has_vectors=False)
        if embedder is None or question is None:
            return scores
        pool = np.argsort(-scores, kind="stable")[:_POOL]
        similarities = embedder.embed_passages([units[place].embedded_text for place in pool]) @ question
        found = np.full(len(units), np.nan)
        found[pool] = similarities
        return unit_model().scores(with_similarities(signs, found), has_vectors=True)


def with_best_lines(
    candidates: Sequence[Candidate], asked: AskedText, weights: Mapping[str, float], tokenizer: Tokenizer
) -> tuple[Candidate, ...]:
    """Return the candidates with at most two lines each that answer best, by words alone: no text is embedded."""
    blocks = tuple(ContextBlock(key, candidate.chunk) for key, candidate in enumerate(candidates, 1))
    units = units_of(Context(blocks, 0))
    if not units:
        return tuple(candidates)
    scores = unit_model().scores(read_signs(asked.text, asked.asked_for, units, weights, tokenizer), has_vectors=False)
    best: dict[int, list[int]] = defaultdict(list)
    for place in np.argsort(-scores, kind="stable"):
        chosen = best[units[place].key]
        if len(chosen) < _LINES and (not chosen or scores[place] >= scores[chosen[0]] + np.log(_KEEP_SHARE)):
            chosen.append(int(place))
    return tuple(
        replace(candidate, best_lines=tuple(_best_line(units[place], candidate) for place in sorted(best[key])))
        for key, candidate in enumerate(candidates, 1)
    )


def _best_line(unit: Unit, candidate: Candidate) -> BestLine:
    lines = candidate.chunk.lines_of(unit.said.start, unit.said.end)
    return BestLine(lines[0] if lines else candidate.chunk.span.first_line, line_of(unit, candidate.chunk.text))


def _repeats(quote: Quote, other: Quote) -> bool:
    """Whether a quote says what another one says, or stands inside it."""
    first, second = (re.sub(r"\W+", "", item.text).lower() for item in (quote, other))
    is_inside = quote.key == other.key and quote.start < other.end and other.start < quote.end
    return is_inside or first in second or second in first
