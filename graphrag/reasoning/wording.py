"""Facts and rules in words, Chinese or English; what a citation's mark stands behind is phrased here."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphrag.domain.ontology import Axiom, AxiomKind, Fact, NameKind, NameSpan
from graphrag.language.interface import Language

_LINE = r"[-─—–]"
_FORWARD = re.compile(
    rf"(?P<subject>.+?)\s*{_LINE}+\s*(?P<property>[^-─—–>→]+?)\s*(?:{_LINE}+>|{_LINE}*→)\s*(?P<object>.+)"
)
_BACKWARD = re.compile(
    rf"(?P<object>.+?)\s*(?:<{_LINE}+|←{_LINE}*)\s*(?P<property>[^-─—–<←]+?)\s*{_LINE}+\s*(?P<subject>.+)"
)
_PIECE = re.compile(r"\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|'([^']+)'|(\S+)")
_BRACKETS = "[]"  # as links and Cypher have them


class FactNames(NamedTuple):
    """The names of a fact's parts, as typed."""

    subject: str
    property: str
    object: str


def read_fact(text: str, names: Sequence[NameSpan]) -> Iterator[FactNames]:
    """Yield what a text may say; `names` are the known names in it."""
    for arrow in (_FORWARD, _BACKWARD):
        if found := arrow.fullmatch(text.strip()):
            yield FactNames(*(found[name].strip(_BRACKETS + " ") for name in FactNames._fields))
            return
    pieces = ["".join(groups) for groups in _PIECE.findall(text)]
    for first in range(1, len(pieces) - 1):
        for second in range(first + 1, len(pieces)):
            yield FactNames(*(" ".join(part) for part in (pieces[:first], pieces[first:second], pieces[second:])))
    yield from _between_names(text, names)


def _between_names(text: str, names: Sequence[NameSpan]) -> Iterator[FactNames]:
    """Yield the reading of three names one behind the other, the middle one a property's."""
    if len(names) == 3 and names[1].ids(NameKind.PROPERTY) and "".join(span.text for span in names) == text.strip():
        yield FactNames(*(span.text for span in names))


_RULES = {
    AxiomKind.SUB_CLASS: '"{first}" is a kind of "{second}"',
    AxiomKind.EQUIVALENT_CLASS: '"{first}" is the same as "{second}"',
    AxiomKind.SUB_PROPERTY: '"{first}" is also "{second}"',
    AxiomKind.EQUIVALENT_PROPERTY: '"{first}" is the same as "{second}"',
    AxiomKind.DOMAIN: 'what has "{first}" is a "{second}"',
    AxiomKind.RANGE: 'what "{first}" leads to is a "{second}"',
    AxiomKind.INVERSE: '"{first}" is "{second}" the other way round',
    AxiomKind.SYMMETRIC: '"{first}" is mutual',
    AxiomKind.TRANSITIVE: '"{first}" carries over',
    AxiomKind.CHAIN: '{second} make "{first}"',
    AxiomKind.FUNCTIONAL: 'there is only one "{first}"',
    AxiomKind.INVERSE_FUNCTIONAL: 'a "{first}" belongs to one only',
    AxiomKind.ASYMMETRIC: '"{first}" cannot be mutual',
    AxiomKind.IRREFLEXIVE: '"{first}" cannot lead to itself',
    AxiomKind.DISJOINT_CLASSES: "{first} exclude one another",
    AxiomKind.DISJOINT_PROPERTIES: "{first} exclude one another",
    AxiomKind.SAME_AS: "two names mean the same",
}
_LISTED = (AxiomKind.DISJOINT_CLASSES, AxiomKind.DISJOINT_PROPERTIES)
_NEEDS_IS = re.compile(r"\w+(?:ed|en) (?:by|of|to|on|in)$", re.IGNORECASE)
_COPULA = {"member of": "is a ", "module of": "is a ", "part of": "is ", "basis of": "is the "}
_WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of one language; `title` gives the name to show of an entity or a term."""

    title: Callable[[str], str]
    language: Language

    def phrase(self, fact: Fact) -> str:
        """Return a fact as its three names."""
        return " ".join(self.title(part) for part in fact)

    def sentence(self, fact: Fact, noun: str = "", verb: str = "") -> str:
        """Return a fact as a sentence without its end; what the subject has, or does, is named as it is asked for."""
        subject, label, object_ = (self.title(part) for part in fact)
        if self.language.is_chinese:
            return _join(subject, "的", noun, "是", object_) if noun else _join(subject, verb or label, object_)
        if noun:
            return f"{noun} of {subject}: {object_}"
        # As asked, an English verb may be bare: what does it depend on.
        return f"{subject} {_COPULA.get(label, 'is ' if _NEEDS_IS.search(label) else '')}{label} {object_}"

    def arrow(self, fact: Fact) -> str:
        """Return a fact with its property on an arrow: its label need be no verb."""
        subject, label, object_ = (self.title(part) for part in fact)
        return f"{subject} —{label}→ {object_}"

    def quoted(self, fact: Fact) -> str:
        """Return a fact's names in quotation marks."""
        return f"“{self.phrase(fact)}”" if self.language.is_chinese else f'"{self.phrase(fact)}"'

    def rule(self, axiom: Axiom) -> str:
        """Return what an axiom says."""
        names = [self.title(term) for term in axiom.terms]
        if axiom.kind in _LISTED:
            names = [self._listed(names)]
        elif axiom.kind is AxiomKind.CHAIN:
            names = [names[0], self._listed(names[1:])]
        return self.language.say(_RULES[axiom.kind], **dict(zip(("first", "second"), names, strict=False)))

    def _listed(self, names: list[str]) -> str:
        if self.language.is_chinese:
            return "、".join(f"“{name}”" for name in names)
        return ", ".join(f'"{name}"' for name in names)


def _join(*parts: str) -> str:
    """Return Chinese text, with a space where Latin letters meet it."""
    text = parts[0]
    for part in parts[1:]:
        is_wide = _WIDE.match(part) and _WIDE.match(text[-1:])
        text += part if is_wide else f" {part}"
    return text
