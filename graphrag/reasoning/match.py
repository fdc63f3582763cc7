"""Names in a question: labels of properties and classes, and the names of entities, leftmost and longest first.

An Aho-Corasick automaton over characters finds every occurrence in one pass, however many names there are (Aho and
Corasick, Efficient string matching, 1975). It reports overlapping ones, since the longest may be no word of its own:
`own` in `known` is dropped, and must not hide a shorter name there. Of what remains the leftmost wins, then the
longest.

Limits: words are not understood, so that `负责人` is found in `张三负责人力资源`. A single character of a script
without spaces is no name to search for.
"""

from collections.abc import Iterable

from ahocorasick_rs import AhoCorasick

from graphrag.domain.ontology import Meaning, NameKind, NameSpan, Ontology, TermKind
from graphrag.reasoning.folded import FoldedText, fold, is_loose
from graphrag.reasoning.names import general_first

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
