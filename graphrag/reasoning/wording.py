"""Facts and rules in words, Chinese or English; what a citation's mark stands behind is phrased here."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphrag.domain.ontology import Axiom, AxiomKind, Fact, NameKind, NameSpan

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


_CHINESE_RULES = {
    AxiomKind.SUB_CLASS: "“{0}”是一种“{1}”",
    AxiomKind.EQUIVALENT_CLASS: "“{0}”就是“{1}”",
    AxiomKind.SUB_PROPERTY: "“{0}”也是“{1}”",
    AxiomKind.EQUIVALENT_PROPERTY: "“{0}”就是“{1}”",
    AxiomKind.DOMAIN: "有“{0}”的是“{1}”",
    AxiomKind.RANGE: "被“{0}”所指的是“{1}”",
    AxiomKind.INVERSE: "“{0}”反过来是“{1}”",
    AxiomKind.SYMMETRIC: "“{0}”是相互的",
    AxiomKind.TRANSITIVE: "“{0}”可以传递",
    AxiomKind.CHAIN: "{1}，合起来是“{0}”",
    AxiomKind.FUNCTIONAL: "“{0}”只能有一个",
    AxiomKind.INVERSE_FUNCTIONAL: "同一个“{0}”只能属于一个",
    AxiomKind.ASYMMETRIC: "“{0}”不能是相互的",
    AxiomKind.IRREFLEXIVE: "“{0}”不能指自己",
    AxiomKind.DISJOINT_CLASSES: "{0}互不相容",
    AxiomKind.DISJOINT_PROPERTIES: "{0}互不相容",
    AxiomKind.SAME_AS: "两个名字指同一个",
}
_ENGLISH_RULES = {
    AxiomKind.SUB_CLASS: '"{0}" is a kind of "{1}"',
    AxiomKind.EQUIVALENT_CLASS: '"{0}" is the same as "{1}"',
    AxiomKind.SUB_PROPERTY: '"{0}" is a kind of "{1}"',
    AxiomKind.EQUIVALENT_PROPERTY: '"{0}" is the same as "{1}"',
    AxiomKind.DOMAIN: 'what has "{0}" is a "{1}"',
    AxiomKind.RANGE: 'what "{0}" leads to is a "{1}"',
    AxiomKind.INVERSE: '"{0}" is "{1}" the other way round',
    AxiomKind.SYMMETRIC: '"{0}" is mutual',
    AxiomKind.TRANSITIVE: '"{0}" carries over',
    AxiomKind.CHAIN: '{1} make "{0}"',
    AxiomKind.FUNCTIONAL: 'there is only one "{0}"',
    AxiomKind.INVERSE_FUNCTIONAL: 'a "{0}" belongs to one only',
    AxiomKind.ASYMMETRIC: '"{0}" cannot be mutual',
    AxiomKind.IRREFLEXIVE: '"{0}" cannot lead to itself',
    AxiomKind.DISJOINT_CLASSES: "{0} exclude one another",
    AxiomKind.DISJOINT_PROPERTIES: "{0} exclude one another",
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
    is_chinese: bool

    def phrase(self, fact: Fact) -> str:
        """Return a fact as its three names."""
        return " ".join(self.title(part) for part in fact)

    def sentence(self, fact: Fact, noun: str = "", verb: str = "") -> str:
        """Return a fact as a sentence without its end; what the subject has, or does, is named as it is asked for."""
        subject, label, object_ = (self.title(part) for part in fact)
        if self.is_chinese:
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
        return f"“{self.phrase(fact)}”" if self.is_chinese else f'"{self.phrase(fact)}"'

    def rule(self, axiom: Axiom) -> str:
        """Return what an axiom says."""
        names = [self.title(term) for term in axiom.terms]
        if axiom.kind in _LISTED:
            names = [self._listed(names)]
        elif axiom.kind is AxiomKind.CHAIN:
            names = [names[0], self._listed(names[1:])]
        return (_CHINESE_RULES if self.is_chinese else _ENGLISH_RULES)[axiom.kind].format(*names)

    def _listed(self, names: list[str]) -> str:
        if self.is_chinese:
            return "、".join(f"“{name}”" for name in names)
        return ", ".join(f'"{name}"' for name in names)


def _join(*parts: str) -> str:
    """Return Chinese text, with a space where Latin letters meet it."""
    text = parts[0]
    for part in parts[1:]:
        is_wide = _WIDE.match(part) and _WIDE.match(text[-1:])
        text += part if is_wide else f" {part}"
    return text
