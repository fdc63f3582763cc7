"""A note's passages -> the sentence that tells it from all others: rare words, in running text, without its title."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag.domain.graph import NoteSummary
from graphrag.domain.note import Chunk
from graphrag.domain.ports import ChunkReader, Tokenizer
from graphrag.domain.query import NO_FILTERS
from graphrag.evaluate.metrics import bare_text

SentencesOf = Callable[[Chunk], Iterable[str]]

_SHORTEST, _LONGEST = 10, 120  # characters
_FEWEST_TERMS = 4
_RAREST = 5  # terms that decide how telling a sentence is
_WORDLIKE = 0.7  # share of letters and digits, below which a line is rather code, a formula or a list of names
_NO_PROSE = re.compile(r"://|\[\[|\]\(|[|{}<>=$^\\]|\w\(|#\w|@")
_MOST_HOLDERS = 3  # notes of one sentence
_TRIES = 5  # sentences of a note
_HITS = 50  # passages that are looked through for the same sentence


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence of a note, with the weights of its terms: inverse document frequencies over passages."""

    note: str
    text: str
    weights: Mapping[str, float]
    holders: frozenset[str]  # the notes that hold it


class TellingSentences:
    """Finds sentences in one snapshot."""

    def __init__(self, chunks: ChunkReader, tokenizer: Tokenizer, total: int, sentences_of: SentencesOf) -> None:
        self._chunks = chunks
        self._tokenizer = tokenizer
        self._total = total  # passages of the snapshot
        self._sentences_of = sentences_of

    def best(self, note: NoteSummary, may_use: Callable[[Chunk], bool]) -> Telling | None:
        """Return the most telling sentence of the passages that may be used, None when the note has none.

        A sentence without a word of the note's names goes before one with such a word; one that stands in many notes
        is a form, and none.
        """
        passages = self._chunks.chunks_of([note.path], NO_FILTERS).get(note.path, [])
        terms_of = {text: self._terms(text) for text in _prose(filter(may_use, passages), self._sentences_of)}
        fit = {text: terms for text, terms in terms_of.items() if len(terms) >= _FEWEST_TERMS}
        if not fit:
            return None
        frequencies = self._chunks.document_frequencies(sorted(frozenset().union(*fit.values())))
        weights = {term: math.log((self._total + 1) / max(count, 1)) for term, count in frequencies.items()}
        names = self._name_terms(note)
        order = sorted(fit, key=lambda text: (bool(fit[text] & names), -_rarity(fit[text], weights), text))
        for text in order[:_TRIES]:
            holders = self._holders(text, fit[text]) | {note.path}
            if len(holders) <= _MOST_HOLDERS:
                own = {term: weights.get(term, 0.0) for term in sorted(fit[text])}
                return Telling(note.path, text, own, holders)
        return None

    def share_of_own(self, telling: Telling) -> float:
        """Return the share of the sentence's term weight, 0 to 1, that stands in terms which no other note holds."""
        own = [term for term in telling.weights if self._is_own(term, telling.note)]
        return sum(telling.weights[term] for term in own) / (sum(telling.weights.values()) or 1.0)

    def _holders(self, text: str, terms: Iterable[str]) -> frozenset[str]:
        wanted = bare_text(text)
        hits = self._chunks.search_text(sorted(terms), _HITS, NO_FILTERS)
        return frozenset(hit.chunk.note for hit in hits if wanted in bare_text(hit.chunk.text))

    def _is_own(self, term: str, note: str) -> bool:
        return {hit.chunk.note for hit in self._chunks.search_text([term], _HITS, NO_FILTERS)} == {note}

    def _terms(self, text: str) -> frozenset[str]:
        return frozenset(self._tokenizer.tokenize_query(text))

    def _name_terms(self, note: NoteSummary) -> frozenset[str]:
        stem = note.path.rpartition("/")[2].rpartition(".")[0]
        terms = (self._terms(name) for name in (note.title, stem, *note.aliases))
        return frozenset(term for found in terms for term in found if len(term) > 1)


def _prose(chunks: Iterable[Chunk], sentences_of: SentencesOf) -> Iterator[str]:
    return (text for chunk in chunks for text in sentences_of(chunk) if _is_prose(text))


def _is_prose(text: str) -> bool:
    if not _SHORTEST <= len(text) <= _LONGEST or _NO_PROSE.search(text):
        return False
    return sum(character.isalnum() or character == " " for character in text) >= _WORDLIKE * len(text)


def _rarity(terms: Collection[str], weights: Mapping[str, float]) -> float:
    rarest: Sequence[float] = sorted((weights.get(term, 0.0) for term in terms), reverse=True)[:_RAREST]
    return sum(rarest) / _RAREST
