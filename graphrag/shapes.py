"""What `--json` prints: keys equal the dataclass fields, except in the shapes of `search` and `ask`."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from datetime import date
from enum import Enum
from pathlib import PurePath

from graphrag.domain.ontology import Axiom, Conflict, Fact, Place, ProofTree, Term, UnknownName
from graphrag.domain.query import Answer, Candidate, Dropped, SearchResult, Why
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


def dump(value: object) -> str:
    """Return a value as JSON text, characters outside ASCII kept."""
    return json.dumps(to_jsonable(value), ensure_ascii=False, indent=2)


def to_jsonable(value: object) -> object:
    """Return dataclasses as objects and everything inside them as what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_jsonable(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()
    if isinstance(value, PurePath):
        return value.as_posix()
    if isinstance(value, Mapping):
        return {str(key): to_jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_jsonable(item) for item in value]
    return value


def search_json(result: SearchResult, with_dropped: bool) -> dict[str, object]:
    """Return the shape of `search --json`; `dropped` is added on demand."""
    shape: dict[str, object] = {
        "snapshot": result.snapshot,
        "question": result.question.asked,
        "route": result.route,
        "confidence": result.evidence.confidence,
        "results": [{"rank": rank, **_candidate(item)} for rank, item in enumerate(result.candidates, 1)],
        "notice": result.notice,
        "trace": result.trace.milliseconds,
    }
    if with_dropped:
        shape["dropped"] = [_dropped(item) for item in result.dropped]
    return shape


def answer_json(answer: Answer) -> dict[str, object]:
    """Return the shape of `ask --json`."""
    return {
        "question": answer.question,
        "route": answer.route,
        "status": answer.status,
        "answer": answer.answer,
        "model": answer.model,
        "citations": answer.citations,
        "snapshot": answer.snapshot,
        "conflict": answer.conflict,
        "conflicts": answer.conflicts,
        "flags": answer.flags,
        "sub_questions": answer.sub_questions,
        "notice": answer.notice,
        "trace": answer.trace.milliseconds,
    }


def _candidate(candidate: Candidate) -> dict[str, object]:
    chunk = candidate.chunk
    return {
        "note": chunk.note,
        "title": chunk.title,
        "heading": chunk.heading,
        "lines": [chunk.span.first_line, chunk.span.last_line],
        "chunk_id": chunk.id,
        "score": candidate.score,
        "text": chunk.text,
        "why": _why(candidate.why),
    }


def _why(why: Why) -> dict[str, object]:
    full_text = {"rank": why.full_text_rank, "score": why.full_text_score, "terms": why.terms}
    vector = {"rank": why.vector_rank, "similarity": why.similarity}
    return {
        "full_text": full_text if why.full_text_rank is not None else None,
        "vector": vector if why.vector_rank is not None else None,
        "sparse": {"rank": why.sparse_rank, "score": why.sparse_score} if why.sparse_rank is not None else None,
        "graph": {"rank": why.walk_rank, "path": why.graph_path} if why.walk_rank or why.graph_path else None,
        "rerank": why.rerank,
    }


def _dropped(dropped: Dropped) -> dict[str, object]:
    return {"stage": dropped.stage, "detail": dropped.detail, **_candidate(dropped.candidate)}
