"""Facts, found by property and by either end."""

from collections.abc import Iterable, Iterator

from graphrag.domain.ontology import Fact

_Ends = dict[str, dict[str, list[Fact]]]


class FactIndex:
    """A growing set of facts; each may be added once."""

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self._facts: set[Fact] = set()
        self._by_subject: _Ends = {}
        self._by_object: _Ends = {}
        for fact in facts:
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Add a fact that is not in the index yet."""
        self._facts.add(fact)
        self._by_subject.setdefault(fact.property, {}).setdefault(fact.subject, []).append(fact)
        self._by_object.setdefault(fact.property, {}).setdefault(fact.object, []).append(fact)

    def __contains__(self, fact: Fact) -> bool:
        return fact in self._facts

    def has(self, property_: str) -> bool:
        """Whether there is any fact of a property."""
        return property_ in self._by_subject

    def from_subject(self, property_: str, subject: str) -> list[Fact]:
        """Return the facts that say this property of a subject."""
        return self._by_subject.get(property_, {}).get(subject, [])

    def to_object(self, property_: str, object_: str) -> list[Fact]:
        """Return the facts that have an object for this property."""
        return self._by_object.get(property_, {}).get(object_, [])

    def by_subject(self, property_: str) -> Iterable[list[Fact]]:
        """Return the facts of a property, those of one subject together."""
        return self._by_subject.get(property_, {}).values()

    def by_object(self, property_: str) -> Iterable[list[Fact]]:
        """Return the facts of a property, those with one object together."""
        return self._by_object.get(property_, {}).values()

    def with_subject(self, entity: str) -> Iterator[Fact]:
        """Yield the facts about an entity, whatever their property."""
        for facts in self._by_subject.values():
            yield from facts.get(entity, ())

    def with_object(self, entity: str) -> Iterator[Fact]:
        """Yield the facts that an entity is the object of, whatever their property."""
        for facts in self._by_object.values():
            yield from facts.get(entity, ())
