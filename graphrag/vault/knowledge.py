"""One snapshot -> its ontology, statements and inferred facts, each made when it is first needed.

Nothing of this is stored. The sources are the snapshot's typed links and the ontology files on disk. Turtle is read
only where there is something to infer from.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from graphrag.domain.graph import Relation
from graphrag.domain.ontology import (
    TYPE,
    Closure,
    Explanation,
    Fact,
    FactStatus,
    NameSpan,
    Ontology,
    OntologyReport,
    Place,
    Statement,
    TermKind,
    UsedName,
    fold_name,
)
from graphrag.domain.snapshot import NoteEntry
from graphrag.errors import InferenceLimit
from graphrag.reasoning.vocabulary import CORE_FILE, core_ontology
from graphrag.retrieve.readers import SnapshotReaders

if TYPE_CHECKING:
    from graphrag.reasoning.fact_query import FactSeeker
    from graphrag.reasoning.infer import Bounded
    from graphrag.reasoning.name_finder import NameFinder


ONTOLOGY_FOLDER = "ontology"
TYPE_NAMES = ("type", "类型")  # what a fact about a class may be written with
_NOTHING = Ontology({}, (), (), {kind: {} for kind in TermKind}, {}, {}, ())
# Some seconds and some hundred megabytes. Inverses, superproperties and classes make about five facts of a statement;
# only transitive relations over hundreds of notes that all reach each other go beyond this.
_LIMIT, _LIMIT_PER_STATEMENT = 300_000, 10
_STATUS_ORDER = (FactStatus.ASSERTED, FactStatus.INFERRED, FactStatus.CONTRADICTED, FactStatus.UNKNOWN)


class Knowledge:
    """The ontology, statements and closure of one snapshot, and the names of all that they are about."""

    def __init__(self, readers: SnapshotReaders, vault: Path) -> None:
        self._readers = readers
        self._vault = vault

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The ontology files by the names that places show: the core first, then the vault's own as they are now."""
        root = self._vault.resolve()
        own = sorted((self._vault / ONTOLOGY_FOLDER).glob("*.ttl"))
        inside = (file for file in own if file.is_file() and file.resolve().is_relative_to(root))
        texts = {f"{ONTOLOGY_FOLDER}/{file.name}": file.read_text("utf-8-sig", "replace") for file in inside}
        return {CORE_FILE: core_ontology(), **texts}

    @cached_property
    def relations(self) -> list[Relation]:
        """The typed links of the snapshot."""
        return self._readers.graph.typed_relations()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to infer from: no typed link, and no ontology of the vault's own."""
        return not self.relations and len(self.files) == 1

    @cached_property
    def ontology(self) -> Ontology:
        """What the files say, with each individual that a note is about replaced by the note."""
        from graphrag.reasoning.ontology_files import read_ontology
        from graphrag.reasoning.statements import merge_individuals

        return merge_individuals(read_ontology(self.files), self.names)

    @cached_property
    def names(self) -> list[tuple[str, str]]:
        """Pairs of a name and what it means: a title or file name before an alias, and both before a topic's name."""
        meant: dict[str, tuple[int, dict[str, str]]] = {}
        for rank, name, entity in self._all_names():
            best, pairs = meant.setdefault(fold_name(name), (rank, {}))
            if rank == best:
                pairs.setdefault(entity, name)
        return [(name, entity) for _, pairs in meant.values() for entity, name in pairs.items()]

    @cached_property
    def statements(self) -> list[Statement]:
        """What the notes state."""
        from graphrag.reasoning.statements import state_relations

        return [*self._classes, *state_relations(self.ontology, self.relations, self._classes)]

    @property
    def closure(self) -> Closure:
        """What is stated, and what follows."""
        return self._bounded.closure

    @cached_property
    def seeker(self) -> "FactSeeker":
        """Finds facts of the closure."""
        from graphrag.reasoning.fact_query import FactSeeker

        return FactSeeker(self.ontology, self.closure, self._bounded.incomplete)

    def names_entity(self, text: str) -> bool:
        """Whether a text names any note or topic; no ontology is read for that."""
        return bool(self._entity_finder.find(text))

    def find_names(self, text: str) -> list[NameSpan]:
        """Return the names in a text; without anything to infer from, those of entities alone."""
        return self._finder.find(text)

    def title(self, entity: str, language: str) -> str:
        """Return the name to show of an entity or a term."""
        if entity == TYPE:
            return TYPE_NAMES[language == "zh"]
        if note := self._readers.manifest.notes.get(entity):
            return note.title
        term = None if self.is_empty else self.ontology.terms.get(entity)
        return term.label(language) if term else entity

    def properties(self, name: str) -> tuple[str, ...]:
        """Return what the name of a relation may mean."""
        if fold_name(name) in TYPE_NAMES:
            return (TYPE,)
        return self.ontology.find(TermKind.PROPERTY, name)

    def similar_relations(self, name: str) -> tuple[str, ...]:
        """Return the names of relations that look like one."""
        from graphrag.reasoning.explanation import similar_labels

        return similar_labels(self.ontology, TermKind.PROPERTY, name)

    def knows(self, name: str) -> bool:
        """Whether anything is called so: a note by any of its names or its path, a topic, a class or an individual."""
        kinds = (TermKind.CLASS, TermKind.INDIVIDUAL)
        is_term = any(self.ontology.find(kind, name) for kind in kinds)
        return is_term or name in self._readers.manifest.notes or fold_name(name) in self._folded_names

    def explain(self, subject: str, name: str, object_: str) -> Explanation:
        """Return how the notes stand to a fact; of the properties that the name may mean the one that says most.

        Raises:
            InferenceLimit: nothing says it, and the facts of that property are not all known.
        """
        from graphrag.reasoning.explanation import explain

        facts = [Fact(subject, property_, object_) for property_ in self.properties(name)]
        held = [fact for fact in facts if fact in self.closure.origins]
        chosen = held or [fact for fact in facts if fact == self._as_read(subject, name, object_)] or facts
        explained = [explain(fact, self._bounded.ontology, self.statements, self.closure) for fact in chosen]
        best = min(explained, key=lambda item: _STATUS_ORDER.index(item.status))
        if best.status is FactStatus.UNKNOWN and best.fact.property in self._bounded.incomplete:
            raise InferenceLimit(f"'{name}' joins too many notes to tell: graphrag ontology check", best.fact.property)
        return best

    def check(self, is_shown: Callable[[str], bool]) -> OntologyReport:
        """Return what is to be mended, of the vault's own terms and of the notes that may be shown."""
        from graphrag.reasoning.explanation import check_ontology

        used = [(item.name, Place(item.note, item.line)) for item in self.relations if is_shown(item.note)]
        types = [
            (type_.name, Place(path, type_.line))
            for path, entry in sorted(self._readers.manifest.notes.items())
            for type_ in entry.types
            if is_shown(path)
        ]
        report = check_ontology(self.ontology, self.closure, _counted(used), _counted(types))
        return replace(
            report,
            problems=(*self._bounded.problems, *report.problems),
            unused_properties=tuple(term for term in report.unused_properties if term.place.path != CORE_FILE),
            empty_classes=tuple(term for term in report.empty_classes if term.place.path != CORE_FILE),
        )

    @cached_property
    def _bounded(self) -> "Bounded":
        from graphrag.reasoning.infer import infer_within

        return infer_within(self.ontology, self.statements, _LIMIT + _LIMIT_PER_STATEMENT * len(self.statements))

    @cached_property
    def _classes(self) -> list[Statement]:
        notes = sorted(self._readers.manifest.notes.items())
        return [statement for path, entry in notes for statement in self._classes_of(path, entry)]

    def _classes_of(self, path: str, entry: NoteEntry) -> list[Statement]:
        from graphrag.reasoning.statements import state_classes

        named = [
            statement
            for type_ in entry.types
            for statement in state_classes(self.ontology, [type_.name], (), Place(path, type_.line))
            if self.ontology.find(TermKind.CLASS, type_.name)
        ]
        return named or state_classes(self.ontology, (), entry.tags, Place(path, 1))

    def _as_read(self, subject: str, name: str, object_: str) -> Fact | None:
        """Return the fact that a typed link of this name between the two states."""
        from graphrag.reasoning.statements import state_relations

        link = Relation(subject, object_, "", name, subject, 0)
        return next((item.fact for item in state_relations(self.ontology, [link], self._classes)), None)

    @cached_property
    def _folded_names(self) -> frozenset[str]:
        return frozenset(fold_name(name) for name, _ in self.names)

    @cached_property
    def _entity_finder(self) -> "NameFinder":
        from graphrag.reasoning.name_finder import NameFinder

        return NameFinder(_NOTHING, self.names)

    @cached_property
    def _finder(self) -> "NameFinder":
        from graphrag.reasoning.name_finder import NameFinder
        from graphrag.understand.relation import with_base_forms

        return self._entity_finder if self.is_empty else NameFinder(with_base_forms(self.ontology), self.names)

    def _all_names(self) -> list[tuple[int, str, str]]:
        found = []
        for path, entry in self._readers.manifest.notes.items():
            found += [(0, entry.title, path), (0, PurePosixPath(path).stem, path)]
            found += [(1, alias, path) for alias in entry.aliases]
        found += [(2, topic.title, topic.id) for topic in self._readers.graph.topics()]
        return sorted(found)


def _counted(uses: list[tuple[str, Place]]) -> list[UsedName]:
    counts = Counter(name for name, _ in uses)
    first: dict[str, Place] = {}
    for name, place in uses:
        first.setdefault(name, place)
    return [UsedName(name, counts[name], place) for name, place in first.items()]


_AGENT = "urn:vault-graphrag:core#Agent"  # the class of the core ontology that persons and teams are of


def find_persons(knowledge: Knowledge) -> Mapping[str, Collection[str]]:
    """Return each name of a person or a team with all names of the same one; none where the notes state no relation."""
    if knowledge.is_empty:
        return {}
    agents = {fact.subject for fact in knowledge.closure.origins if fact.property == TYPE and fact.object == _AGENT}
    names: dict[str, list[str]] = {}
    for name, entity in knowledge.names:
        if entity in agents:
            names.setdefault(entity, []).append(name)
    return {name: tuple(all_names) for all_names in names.values() for name in all_names}
