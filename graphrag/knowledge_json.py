"""What `explain --json` and `ontology check --json` print: proofs as trees, each fact with its names and its line."""

from collections.abc import Iterable, Mapping

from graphrag.domain.inference import Conflict, ProofTree, UnknownName
from graphrag.domain.ontology import Axiom, Fact, Place, Term
from graphrag.domain.report import FactView, OntologyView

Json = dict[str, object]


def fact_json(view: FactView) -> Json:
    """Return the shape of `explain --json`."""
    explanation, proofs = view.explanation, _Proofs(view.titles, view.lines)
    return {
        "fact": proofs.fact(explanation.fact),
        "status": explanation.status,
        "proof": proofs.tree(explanation.proof) if explanation.proof else None,
        "conflicts": proofs.conflicts(explanation.conflicts),
    }


def ontology_json(view: OntologyView) -> Json:
    """Return the shape of `ontology check --json`."""
    report, proofs = view.report, _Proofs(view.titles, view.lines)
    return {
        "problems": report.problems,
        "conflicts": proofs.conflicts(report.conflicts),
        "unknown_relations": [_unknown(name) for name in report.unknown_relations],
        "unknown_types": [_unknown(name) for name in report.unknown_types],
        "unused_properties": [_term(term) for term in report.unused_properties],
        "empty_classes": [_term(term) for term in report.empty_classes],
    }


class _Proofs:
    def __init__(self, titles: Mapping[str, str], lines: Mapping[Place, str]) -> None:
        self._titles = titles
        self._lines = lines

    def fact(self, fact: Fact) -> Json:
        return {**fact._asdict(), "names": [self._titles.get(part, part) for part in fact]}

    def tree(self, tree: ProofTree) -> Json:
        if isinstance(tree.origin, Place):
            return {"fact": self.fact(tree.fact), "place": tree.origin, "line": self._lines.get(tree.origin, "")}
        premises = [self.tree(premise) for premise in tree.premises]
        return {"fact": self.fact(tree.fact), "rule": self._rule(tree.origin.axiom), "premises": premises}

    def conflicts(self, conflicts: Iterable[Conflict]) -> list[Json]:
        return [
            {"rule": self._rule(item.violation.axiom), "proofs": [self.tree(proof) for proof in item.proofs]}
            for item in conflicts
        ]

    def _rule(self, axiom: Axiom) -> Json:
        return {
            "kind": axiom.kind,
            "terms": axiom.terms,
            "names": [self._titles.get(term, term) for term in axiom.terms],
            "place": axiom.place,
        }


def _unknown(name: UnknownName) -> Json:
    used = name.used
    return {"name": used.name, "count": used.count, "place": used.place, "suggestions": name.suggestions}


def _term(term: Term) -> Json:
    return {"iri": term.iri, "name": term.label("en"), "place": term.place}
