"""The nodes without names in an ontology: lists, and constructs in brackets."""

from collections.abc import Iterable, Iterator

from graphrag.domain.ontology import TYPE
from graphrag.reasoning.turtle import Blank, Text, Triple
from graphrag.reasoning.vocabulary import FIRST, GROUPS, MEMBERS, NIL, REST, short

Node = str | Blank | Text


class Blanks:
    """Finds what stands in lists and what nothing with a name refers to."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples: dict[Blank, list[Triple]] = {}
        roots: list[Blank] = []
        for triple in triples:
            if isinstance(triple.subject, Blank):
                self._triples.setdefault(triple.subject, []).append(triple)
            elif isinstance(triple.object, Blank):
                roots.append(triple.object)
        self._groups = [blank for blank in self._triples if self._value(blank, TYPE) in GROUPS]
        self._referred = self._reachable([*roots, *self._groups])

    def groups(self) -> Iterator[tuple[str, Triple, list[Node] | None]]:
        """Yield each `owl:AllDisjoint…` with its first triple and its members, None where they are no proper list."""
        for blank in self._groups:
            members = self._value(blank, MEMBERS)
            yield str(self._value(blank, TYPE)), self._triples[blank][0], self.items(members)

    def orphans(self) -> Iterator[Triple]:
        """Yield the first triple of each node that no named term refers to, which thus has no other place to report."""
        return (triples[0] for blank, triples in self._triples.items() if blank not in self._referred)

    def items(self, head: Node | None) -> list[Node] | None:
        """Return the items of a list; None when it is none, has no end, or a cell of it is broken."""
        items: list[Node] = []
        seen: set[Node] = set()
        while head != NIL:
            if not isinstance(head, Blank) or head in seen:
                return None
            seen.add(head)
            first = self._value(head, FIRST)
            if first is None:
                return None
            items.append(first)
            head = self._value(head, REST)
        return items

    def describe(self, node: Node) -> str:
        """Return what a node is, for a message."""
        if isinstance(node, str):
            return short(node)
        if isinstance(node, Text):
            return f"the text '{node.value}'"
        named = next((triple for triple in self._triples.get(node, ()) if triple.predicate != TYPE), None)
        kind = self._value(node, TYPE)
        return short(kind) if isinstance(kind, str) else f"[ {short(named.predicate)} … ]" if named else "[ ]"

    def _value(self, blank: Blank, predicate: str) -> Node | None:
        """Return the only object of a predicate; None when there is none, or are several."""
        values = {triple.object for triple in self._triples.get(blank, ()) if triple.predicate == predicate}
        return values.pop() if len(values) == 1 else None

    def _reachable(self, roots: list[Blank]) -> set[Blank]:
        found, waiting = set(roots), list(roots)
        while waiting:
            for triple in self._triples.get(waiting.pop(), ()):
                if isinstance(triple.object, Blank) and triple.object not in found:
                    found.add(triple.object)
                    waiting.append(triple.object)
        return found
