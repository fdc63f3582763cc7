"""A fact as a person types it -> the three names in it, in every way in which it may be read.

`支付模块 --负责人--> 张三` and `张三 <--负责人-- 支付模块` say which name is which; so do quotation marks. With spaces
alone a name may hold some itself, and every split is a reading; without them, names that are known are looked for.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphrag.domain.ontology import NameKind, NameSpan

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
