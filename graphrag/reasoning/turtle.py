"""Turtle text -> triples with their lines. What triples mean is not decided here, and nothing else knows rdflib.

rdflib keeps no lines, so its own parser is asked while it reads: every object's offset is noted before it is parsed,
and the triple gets the line on which its object starts. (rdflib's own line counter is not used: it counts a line
again when it looks ahead twice.) This rests on some methods of `SinkParser` and `RDFSink`, unchanged for years; the
tests hold them to it.

Limits: the cells of a list `( … )` carry the line of its opening bracket, and a triple said twice comes twice.
"""

from bisect import bisect_left
from collections.abc import MutableSequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from rdflib import BNode, Graph, URIRef
from rdflib.exceptions import ParserError
from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser

from graphrag.domain.ontology import OntologyProblem, Place

_BASE = "vault:/ontology/"  # what relative IRIs are resolved against
_NOT_IN_IRI = frozenset('<>" {}|\\^`\t\n')


class Blank(NamedTuple):
    """A node without a name: `[ … ]`, `_:x`, or a cell of a list."""

    id: str


class Text(NamedTuple):
    """A literal; numbers and dates are texts too."""

    value: str
    language: str  # empty without a tag


class Triple(NamedTuple):
    """A triple as written; a named node is its IRI."""

    subject: str | Blank
    predicate: str
    object: str | Blank | Text
    place: Place


def read_triples(file: str, text: str) -> tuple[list[Triple], list[OntologyProblem]]:
    """Return the triples of a file in their order; of a file with a syntax error none, and the error as a problem."""
    sink = _Sink(file)
    try:
        _Parser(sink, text).loadBuf(text)
    except _SyntaxFault as fault:
        line, message = fault.line, fault.message
    except BadSyntax as error:
        line, message = error.lines + 1, error._why
    except IndexError:  # rdflib looks one character too far
        line, message = _last_line(text), "the file ends inside a statement"
    except (AssertionError, AttributeError):  # rdflib looks for a quotation mark that is not there
        line, message = sink.line, "a text has no end"
    except (ParserError, ValueError, RecursionError) as error:
        line, message = sink.line, str(error)
    else:
        return sink.triples, sink.problems
    return [], [_fault(file, line, message)]


def _fault(file: str, line: int, message: str) -> OntologyProblem:
    return OntologyProblem(file, line, f"not valid Turtle: {message}")


@dataclass
class _SyntaxFault(Exception):
    line: int
    message: str


class _Sink(RDFSink):
    """Collects triples in the order of the text, each with the line that the parser has set."""

    def __init__(self, file: str) -> None:
        super().__init__(Graph())
        self.file = file
        self.line = 1
        self.triples: list[Triple] = []
        self.problems: list[OntologyProblem] = []

    def newSymbol(self, *args: str) -> URIRef:  # noqa: N802
        if not _NOT_IN_IRI.isdisjoint(args[0]):  # rdflib would only log it
            raise _SyntaxFault(self.line, f"<{args[0]}> is no IRI")
        return super().newSymbol(*args)

    def newLiteral(self, s: str, dt: URIRef | None, lang: str | None) -> Any:  # noqa: N802
        return Text(s, lang or "")

    def makeStatement(self, quadruple: tuple[Any, ...], why: object = None) -> None:  # noqa: N802
        _, predicate, subject, object_ = (self._node(node) for node in quadruple)
        if isinstance(predicate, str) and not isinstance(subject, Text):
            self.triples.append(Triple(subject, predicate, object_, Place(self.file, self.line)))
        else:  # rdflib reads more than Turtle
            self.problems.append(_fault(self.file, self.line, "a subject is a text, or a predicate has no name"))

    def _node(self, node: Any) -> str | Blank | Text:
        """Return a node of the parser, which leaves numbers and some IRIs in forms of its own."""
        if isinstance(node, Text):
            return node
        plain = self.normalise(None, node)
        if isinstance(plain, BNode):
            return Blank(str(plain))
        return str(plain) if isinstance(plain, URIRef) else Text(str(plain), "")


class _Parser(SinkParser):
    """rdflib's Turtle parser, telling its sink the line of each object.

    `objectList` parses all objects of a predicate before `makeStatement` is called for each of them in turn; lists
    inside an object are finished by then.
    """

    def __init__(self, sink: _Sink, text: str) -> None:
        super().__init__(sink, baseURI=_BASE, turtle=True)
        self._sink = sink
        self._last_line = _last_line(text)
        self._line_ends = [place for place, character in enumerate(text) if character == "\n"]
        self._being_read: list[int] = []
        self._to_state: list[int] = []

    def objectList(self, argstr: str, i: int, res: MutableSequence[Any]) -> int:  # noqa: N802
        outer, self._being_read = self._being_read, []
        end = super().objectList(argstr, i, res)
        self._to_state, self._being_read = self._being_read[::-1], outer
        return end

    def object(self, argstr: str, i: int, res: MutableSequence[Any]) -> int:
        start = self.skipSpace(argstr, i)
        self._sink.line = self._line_of(start)
        self._being_read.append(self._sink.line)
        return super().object(argstr, start, res) if start >= 0 else start

    def makeStatement(self, quadruple: tuple[Any, ...]) -> None:  # noqa: N802
        self._sink.line = self._to_state.pop()
        super().makeStatement(quadruple)

    def BadSyntax(self, argstr: str, i: int, msg: str) -> NoReturn:  # noqa: N802
        raise _SyntaxFault(self._line_of(i), msg)

    def _line_of(self, offset: int) -> int:
        return bisect_left(self._line_ends, offset) + 1 if offset >= 0 else self._last_line


def _last_line(text: str) -> int:
    """Return the number of the last line that is not empty."""
    return text.rstrip().count("\n") + 1
