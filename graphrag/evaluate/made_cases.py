"""One snapshot -> cases made of its own notes, whose right answers are known because the questions come from them.

Four kinds: `known_item` asks by a telling sentence of a note, `alias` by another name of it, `link_pair` by a sentence
of each of two notes that a link joins, and `unanswerable` by a sentence whose rare words only one note holds, with a
filter that lets the search see other notes but not this one. Nothing is made of a note that the vault does not hold any
more or that is private now.
"""

import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from graphrag.domain.graph import NoteSummary
from graphrag.domain.note import Chunk
from graphrag.domain.ports import ChunkReader, GraphReader, PresentVault, Tokenizer
from graphrag.domain.query import NO_FILTERS
from graphrag.domain.report import Progress
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


_OWN_SHARE = 0.4  # of the weight of an unanswerable question, at least, stands in words of the hidden note alone
_MOST_PATHS = 40  # in the filter that hides a note


class CaseKind(StrEnum):
    """What a made case asks by."""

    KNOWN_ITEM = "known_item"
    ALIAS = "alias"
    LINK_PAIR = "link_pair"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class MadeCase:
    """A case before it has an id; `paths` is a filter."""

    kind: CaseKind
    question: str
    relevant: tuple[str, ...]
    evidence: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MakePlan:
    """What to make: at most `count` of each kind, chosen by the seed."""

    kinds: tuple[CaseKind, ...]
    count: int
    seed: int


class CaseMaker:
    """Makes cases from one snapshot; `is_question` says whether a text is read as it stands, without filters in it."""

    def __init__(
        self,
        graph: GraphReader,
        present: PresentVault,
        sentences: TellingSentences,
        is_question: Callable[[str], bool],
    ) -> None:
        self._graph = graph
        self._present = present
        self._sentences = sentences
        self._is_question = is_question
        self._ways: dict[CaseKind, Callable[[NoteSummary, random.Random], MadeCase | None]] = {
            CaseKind.KNOWN_ITEM: self._known_item,
            CaseKind.ALIAS: self._alias,
            CaseKind.LINK_PAIR: self._link_pair,
            CaseKind.UNANSWERABLE: self._unanswerable,
        }
        self._notes: dict[str, NoteSummary] = {}
        self._may_use: Callable[[Chunk], bool] = lambda _: False

    def make(self, plan: MakePlan, progress: Progress) -> tuple[MadeCase, ...]:
        """Return the cases by kind; a vault that does not have enough of a kind gives fewer."""
        why_gone = self._present.look()
        self._may_use = lambda chunk: not why_gone(chunk)
        self._notes = {note.path: note for note in self._graph.notes() if not self._present.is_gone(note.path)}
        return tuple(case for kind in plan.kinds for case in self._make_kind(kind, plan, progress))

    def _make_kind(self, kind: CaseKind, plan: MakePlan, progress: Progress) -> Iterator[MadeCase]:
        # A kind's cases depend on nothing but the vault and the seed, whatever other kinds are made.
        chance = random.Random(f"{plan.seed}:{kind}")
        order = sorted(self._notes)
        chance.shuffle(order)
        asked: set[str] = set()
        for path in order:
            progress(kind, len(asked), plan.count)
            if len(asked) == plan.count:
                return
            case = self._ways[kind](self._notes[path], chance)
            if case and case.question not in asked and self._is_question(case.question):
                asked.add(case.question)
                yield case
        progress(kind, len(asked), len(asked))

    def _known_item(self, note: NoteSummary, _: random.Random) -> MadeCase | None:
        telling = self._telling(note)
        if telling is None:
            return None
        holders = tuple(sorted(telling.holders & self._notes.keys()))
        return MadeCase(CaseKind.KNOWN_ITEM, telling.text, holders, (telling.text,), ())

    def _alias(self, note: NoteSummary, chance: random.Random) -> MadeCase | None:
        own = {note.title.casefold(), note.path.rpartition("/")[2].rpartition(".")[0].casefold()}
        aliases = sorted({alias for alias in note.aliases if alias.strip() and alias.casefold() not in own})
        if not aliases:
            return None
        alias = chance.choice(aliases)
        named = [path for path, other in self._notes.items() if alias.casefold() in _names(other)]
        question = f"What is {alias}?" if alias.isascii() else f"{alias}是什么？"
        return MadeCase(CaseKind.ALIAS, question, tuple(sorted(named)), (), ())

    def _link_pair(self, note: NoteSummary, chance: random.Random) -> MadeCase | None:
        relations = self._graph.relations([note.path])
        targets = sorted({relation.target for relation in relations} & self._notes.keys() - {note.path})
        if not targets:
            return None
        ends = sorted((note.path, chance.choice(targets)))  # one question for a pair, from whichever end it is found
        found = [self._telling(self._notes[end]) for end in ends]
        sides = [telling for telling in found if telling and telling.holders == {telling.note}]
        if len(sides) < len(ends):
            return None
        texts = tuple(telling.text for telling in sides)
        return MadeCase(CaseKind.LINK_PAIR, _joined(texts), tuple(ends), texts, ())

    def _unanswerable(self, note: NoteSummary, _: random.Random) -> MadeCase | None:
        telling = self._telling(note)
        if telling is None or self._sentences.share_of_own(telling) < _OWN_SHARE:
            return None
        if not (paths := paths_without(note.path, self._notes, _MOST_PATHS)):
            return None
        return MadeCase(CaseKind.UNANSWERABLE, telling.text, (), (), paths)

    def _telling(self, note: NoteSummary) -> Telling | None:
        return self._sentences.best(note, self._may_use)


def paths_without(note: str, notes: Iterable[str], most: int) -> tuple[str, ...]:
    """Return at most `most` folders and notes that hold many of the notes, and not this one; none when it is alone.

    They lie beside the steps of the note's path: from the root down, at each step the fullest first.
    """
    parts = note.split("/")
    beside: list[Counter[str]] = [Counter() for _ in parts]
    for other in notes:
        steps = other.split("/")
        depth = next((place for place, (one, two) in enumerate(zip(parts, steps, strict=False)) if one != two), None)
        if depth is not None:
            beside[depth]["/".join(steps[: depth + 1])] += 1
    fullest = (sorted(level, key=lambda path: (-level[path], path)) for level in beside)
    return tuple(path for level in fullest for path in level)[:most]


def case_lines(cases: Sequence[MadeCase]) -> str:
    """Return the text of a case file."""
    lines, numbers = [], dict.fromkeys(CaseKind, 0)
    for case in cases:
        numbers[case.kind] += 1
        line: dict[str, object] = {"id": f"{case.kind}-{numbers[case.kind]:03}", "kind": case.kind}
        line |= {"question": case.question, "relevant": case.relevant}
        line |= {"evidence": case.evidence} if case.evidence else {}
        line |= {"filters": {"path": case.paths}} if case.paths else {}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


def _names(note: NoteSummary) -> set[str]:
    stem = note.path.rpartition("/")[2].rpartition(".")[0]
    return {name.casefold() for name in (note.title, stem, *note.aliases)}


def _joined(texts: Sequence[str]) -> str:
    """Return two statements as one question's text."""
    return "；".join(text.rstrip("。.；;") for text in texts)
