"""Labels -> the terms that they name, and a warning where nothing tells two terms of one name apart.

Properties may share a label when their domains and ranges differ, or one is a subproperty of the other: `属于` joins
any part with its whole, and a module with its system. Whoever looks a name up gets the more general one first, and
chooses by the classes of what is joined.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from ahocorasick_rs import AhoCorasick

from graphrag.domain.ontology import (
    Axiom,
    AxiomKind,
    Meaning,
    NameKind,
    NameSpan,
    Ontology,
    OntologyProblem,
    Term,
    TermKind,
    fold_name,
)
from graphrag.reasoning.vocabulary import short

# Han, kana, Hangul, Thai, Lao, Khmer, Burmese: words follow each other without a space, or endings stick to them
_UNSPACED = re.compile(
    r"[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\u1100-\u11ff\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f\U00020000-\U0003ffff]"
)


class FoldedText:
    """A text folded, runs of white space as one space."""

    def __init__(self, original: str) -> None:
        self.original = original
        pieces: list[str] = []
        self._starts: list[int] = []  # of each folded character, in the original
        self._ends: list[int] = []
        for place, character in enumerate(original):
            if character.isspace():
                if pieces and pieces[-1] == " ":
                    self._ends[-1] = place + 1
                    continue
                folded = " "
            else:
                folded = _fold_character(character)
            pieces += folded
            self._starts += [place] * len(folded)
            self._ends += [place + 1] * len(folded)
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the original range of a folded one; None where it cuts a word or a character in two."""
        if self._cuts(start) or self._cuts(end):
            return None
        return self._starts[start], self._ends[end - 1]

    def _cuts(self, place: int) -> bool:
        if not 0 < place < len(self.text):
            return False
        left, right = self.text[place - 1], self.text[place]
        if self._starts[place - 1] == self._starts[place] or unicodedata.combining(right):
            return True
        return _is_spaced_word(left) and _is_spaced_word(right)


def fold(text: str) -> str:
    """Return the folded form of a name, without white space around it."""
    return FoldedText(text).text.strip()


def is_loose(folded: str) -> bool:
    """Whether a name is a single character that nothing sets apart from its neighbours, like `人`."""
    return len(folded) == 1 and not _is_spaced_word(folded)


def _fold_character(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character)
    return unicodedata.normalize("NFKD", decomposed.casefold())


def _is_spaced_word(character: str) -> bool:
    """Whether a character belongs to words that have spaces or punctuation around them."""
    is_word = character.isalnum() or character == "_" or unicodedata.combining(character) > 0
    return is_word and not _UNSPACED.match(character)


_UPWARDS = {AxiomKind.SUB_CLASS, AxiomKind.SUB_PROPERTY, AxiomKind.EQUIVALENT_CLASS, AxiomKind.EQUIVALENT_PROPERTY}
_BOTH_WAYS = {AxiomKind.EQUIVALENT_CLASS, AxiomKind.EQUIVALENT_PROPERTY}

Names = dict[TermKind, dict[str, tuple[str, ...]]]


def index_names(terms: Iterable[Term], axioms: Sequence[Axiom]) -> tuple[Names, list[OntologyProblem]]:
    """Return the terms of each folded name, by kind and the most general first, and the names that are ambiguous."""
    above, typing = ancestors(axioms), _typing(axioms)
    names: Names = {kind: {} for kind in TermKind}
    problems = []
    for term in terms:
        for name in dict.fromkeys(fold_name(label.text) for label in term.labels):
            known = names[term.kind].get(name, ())
            for other in known:
                if not _is_kin(other, term.iri, above) and typing.get(other) == typing.get(term.iri):
                    message = f"'{name}' already names the {term.kind} '{short(other)}', and '{short(term.iri)}' too"
                    problems.append(OntologyProblem(term.place.path, term.place.line, message))
            names[term.kind][name] = tuple(sorted((*known, term.iri), key=lambda iri: len(above.get(iri, ()))))
    return names, problems


def general_first(ontology: Ontology) -> list[Term]:
    """Return all terms, each before those below it."""
    above = ancestors(ontology.axioms)
    return sorted(ontology.terms.values(), key=lambda term: (len(above.get(term.iri, ())), term.iri))


def ancestors(axioms: Iterable[Axiom]) -> dict[str, set[str]]:
    """Return for each class and property what is above it, equivalent terms included, itself not."""
    parents: dict[str, set[str]] = {}
    for axiom in axioms:
        if axiom.kind in _UPWARDS:
            parents.setdefault(axiom.terms[0], set()).add(axiom.terms[1])
        if axiom.kind in _BOTH_WAYS:
            parents.setdefault(axiom.terms[1], set()).add(axiom.terms[0])
    return {iri: _above(iri, parents) for iri in parents}


def _above(iri: str, parents: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [iri]
    while waiting:
        new = parents.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found - {iri}


def _is_kin(one: str, other: str, above: Mapping[str, set[str]]) -> bool:
    return one in above.get(other, ()) or other in above.get(one, ())


def _typing(axioms: Iterable[Axiom]) -> dict[str, set[tuple[AxiomKind, str]]]:
    """Return the domains and ranges of each property that has any."""
    typing: dict[str, set[tuple[AxiomKind, str]]] = {}
    for axiom in axioms:
        if axiom.kind in (AxiomKind.DOMAIN, AxiomKind.RANGE):
            typing.setdefault(axiom.terms[0], set()).add((axiom.kind, axiom.terms[1]))
    return typing


_KINDS = {TermKind.PROPERTY: NameKind.PROPERTY, TermKind.CLASS: NameKind.CLASS, TermKind.INDIVIDUAL: NameKind.ENTITY}


class NameFinder:
    """Finds the labels of an ontology and the names of entities; `entities` are pairs of a name and an entity's id."""

    def __init__(self, ontology: Ontology, entities: Iterable[tuple[str, str]]) -> None:
        meanings: dict[str, list[Meaning]] = {}
        for term in general_first(ontology):
            for name in dict.fromkeys(fold(label.text) for label in term.labels):
                meanings.setdefault(name, []).append(Meaning(_KINDS[term.kind], term.iri))
        for name, entity in sorted({(fold(name), entity) for name, entity in entities}):
            meanings.setdefault(name, []).append(Meaning(NameKind.ENTITY, entity))
        self._names = [name for name in sorted(meanings) if name and not is_loose(name)]
        self._meanings = [tuple(meanings[name]) for name in self._names]
        self._automaton = AhoCorasick(self._names)

    def find(self, text: str) -> list[NameSpan]:
        """Return the names in a text from left to right; no two overlap."""
        folded = FoldedText(text)
        found = self._automaton.find_matches_as_indexes(folded.text, overlapping=True)
        spans: list[NameSpan] = []
        end_of_last = 0
        for name, start, end in sorted(found, key=lambda match: (match[1], -match[2])):
            if start >= end_of_last and (span := folded.span(start, end)):
                spans.append(NameSpan(*span, text[slice(*span)], self._meanings[name]))
                end_of_last = end
        return spans
