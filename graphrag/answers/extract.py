"""Context -> an answer made of the notes' own sentences, for a machine without a chat model."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graphrag.domain.models import Embedder, Vectors
from graphrag.domain.ports import Tokenizer
from graphrag.domain.query import Context
from graphrag.language.sentences import coverage, fit_sentences

_POOL = 24  # sentences that are compared by meaning; embedding one takes about 10 ms
_SENTENCES = 4
_MEANING_SPAN = 0.12  # between similarities of no and of full relation within one question's passages
_KEEP_SHARE = 0.55  # of the best sentence's score
_BLOCK_SHARE = 0.3  # that the best block's rank adds to its sentences
_MAX_SENTENCE = 220  # characters


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a block, with the score that chose it."""

    text: str
    key: int  # of its block
    place: int  # within the context
    score: float
    start: int  # of the stretch of the block's text that it was made of
    end: int


def extract_answer(
    context: Context,
    weights: Mapping[str, float],
    tokenizer: Tokenizer,
    embedder: Embedder | None,
    question: Vectors | None,
    max_characters: int,
) -> tuple[Sentence, ...]:
    """Return the sentences that answer best, in the order of their blocks, within `max_characters`."""
    pool = _pool(context, weights, tokenizer)
    if embedder is not None and question is not None and pool:
        pool = _by_meaning(pool, embedder, question)
    best = sorted(pool, key=lambda sentence: (-sentence.score, sentence.place))
    chosen: list[Sentence] = []
    used = 0
    for sentence in best:
        enough = len(chosen) >= _SENTENCES or (chosen and sentence.score < _KEEP_SHARE * chosen[0].score)
        if enough or (chosen and used + len(sentence.text) > max_characters):
            break
        if not any(_repeats(sentence.text, other.text) for other in chosen):
            chosen.append(sentence)
            used += len(sentence.text)
    return tuple(sorted(chosen, key=lambda sentence: sentence.place))


def _pool(context: Context, weights: Mapping[str, float], tokenizer: Tokenizer) -> list[Sentence]:
    """Return the sentences that hold most of the question's terms; a better block counts a little more."""
    sentences: list[Sentence] = []
    for block in context.blocks:
        for found in fit_sentences(block.chunk.text):
            score = coverage(found.text, weights, tokenizer) + _BLOCK_SHARE / block.key
            place = len(sentences)
            sentences.append(Sentence(_shorten(found.text), block.key, place, score, found.start, found.end))
    return sorted(sentences, key=lambda sentence: (-sentence.score, sentence.place))[:_POOL]


def _by_meaning(pool: Sequence[Sentence], embedder: Embedder, question: Vectors) -> list[Sentence]:
    similarities = embedder.embed_passages([sentence.text for sentence in pool]) @ question
    best = float(similarities.max())
    return [
        replace(sentence, score=sentence.score + max(0.0, 1 - (best - float(similarity)) / _MEANING_SPAN))
        for sentence, similarity in zip(pool, similarities, strict=True)
    ]


def _shorten(text: str) -> str:
    """Return the start of a long sentence; code that is cut off ends with its backtick."""
    if len(text) <= _MAX_SENTENCE:
        return text
    start = text[: _MAX_SENTENCE - 2].rstrip()
    return f"{start}…`" if start.count("`") % 2 else f"{start}…"


def _repeats(text: str, other: str) -> bool:
    first, second = (re.sub(r"\W+", "", value).lower() for value in (text, other))
    return first in second or second in first
