"""A name or fact -> what an open snapshot has about it: the note, its surroundings, a path, a proof, lists, status.

What the vault no longer holds is left out.
"""

import math
from collections.abc import Collection
from typing import TYPE_CHECKING

from graphrag.domain.graph import Entity, EntityKind, Facet, GraphQuery, GraphTable, NoteSummary, VaultGraph
from graphrag.domain.note import Note, TargetKind
from graphrag.domain.query import Filters, fold_name, folded_with_parents, is_below, is_between
from graphrag.domain.report import (
    FactView,
    GraphOverview,
    IndexSummary,
    NoteList,
    NotePage,
    NoteView,
    OntologyView,
    PathView,
    Status,
    Surroundings,
)
from graphrag.errors import NoteNotFound, VaultError
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.stores.graph_walk import count_facets
from graphrag.vault.note_names import find_entity, find_note, matching_notes, unknown_note
from graphrag.vault.open_snapshot import OpenSnapshot, on_newest

if TYPE_CHECKING:
    from graphrag.vault.cited_lines import NoteLines


@on_newest
def near(opened: OpenSnapshot, name: str, max_hops: int, limit: int) -> Surroundings:
    """Return what lies around a note, topic or tag, or which notes hold a term."""
    from graphrag.vault.surroundings import find_term, look_around, look_around_term

    lines = opened.lines()
    try:
        entity = _shown_entity(opened, name, lines)
    except NoteNotFound:
        is_note = bool(matching_notes(name, opened.readers.manifest.notes))
        term = None if is_note else find_term(opened.readers, name)
        if term is None:
            raise
        return look_around_term(opened.readers, lines, term, limit)
    return look_around(opened.knowledge, opened.readers, lines, entity, max_hops, limit)


@on_newest
def explain(opened: OpenSnapshot, text: str) -> FactView:
    """Return how the notes stand to a fact like `张三 负责 支付模块`, with its proof.

    Raises:
        QuestionError: the text does not have the form of a fact, or names no relation of the ontology.
        NoteNotFound: nothing is called like one of its ends, or a line that it rests on is gone.
    """
    from graphrag.vault.fact_views import explain_fact

    lines = opened.lines()
    return explain_fact(text, opened.knowledge, lines, lambda name: _shown_entity(opened, name, lines))


@on_newest
def check_ontology(opened: OpenSnapshot, language: str = "en") -> OntologyView:
    """Return what is to be mended in the ontology, and in the notes that use it, with names in a language."""
    from graphrag.vault.fact_views import check_knowledge

    return check_knowledge(opened.knowledge, opened.lines(), language)


@on_newest
def path(opened: OpenSnapshot, start: str, end: str, max_hops: int) -> PathView:
    """Return a shortest chain of links between two entities."""
    readers = opened.readers
    first, last = _held_entity(opened, start), _held_entity(opened, end)
    relations = tuple(readers.graph.path(first, last, max_hops) or ())
    ids = {first, last, *(end for relation in relations for end in (relation.source, relation.target))}
    entities = readers.graph.entities(sorted(ids))
    for entity in entities.values():
        _check_held(opened, entity.title, entity)
    return PathView(first, last, relations, {key: entity.title for key, entity in entities.items()})


@on_newest
def graph(opened: OpenSnapshot) -> VaultGraph:
    """Return the whole graph: notes, topics, tags, and all that joins them."""
    return _graph_and_state(opened)[0]


@on_newest
def overview(opened: OpenSnapshot, limit: int) -> GraphOverview:
    """Return the best-connected notes, topics and tags, and what joins them."""
    from graphrag.vault.whole_graph import best_connected

    whole, state = _graph_and_state(opened)
    return opened.kept(("overview", limit), state, lambda: best_connected(whole, limit))


def _graph_and_state(opened: OpenSnapshot) -> tuple[VaultGraph, object]:
    """Return the whole graph, made anew when the vault shows other notes of the snapshot, and what tells that."""
    from graphrag.vault.whole_graph import read_graph

    lines, notes = opened.lines(), opened.readers.manifest.notes
    same, others = opened.readers.present.compare()
    shown = same.union(path for path in notes if path not in same and lines.is_shown(path))
    state = shown, others
    return opened.kept("graph", state, lambda: read_graph(opened.knowledge, opened.readers, lines, shown)), state


@on_newest
def query_graph(opened: OpenSnapshot, query: GraphQuery) -> GraphTable:
    """Return the rows of a Cypher query on the graph of the notes that may be shown.

    A count or a part of a name tells of a note as its path does, so what is withheld is taken out before the query.
    """
    from graphrag.vault.cited_lines import NoteLines

    readers = opened.readers
    if readers.queries is None:
        raise VaultError("this graph takes no Cypher. Run: graphrag index --full")
    lines = NoteLines(opened.parts, readers, {}, opened.is_past)
    is_gone = readers.present.is_gone
    withheld = [
        path for path in readers.manifest.notes if not lines.is_shown(path) or (opened.is_past and is_gone(path))
    ]
    return readers.queries.run(query, withheld)


@on_newest
def show(opened: OpenSnapshot, name: str) -> NoteView:
    """Return one note as indexed."""
    readers = opened.readers
    path = find_note(name, readers.manifest)
    note = readers.graph.note(path)
    if note is None:
        raise VaultError(f"'{path}' is not in the graph. Run: graphrag index --full")
    _check_held(opened, name, Entity(path, EntityKind.NOTE, note.title))
    relations = readers.graph.relations([path])
    return NoteView(
        note=note,
        chunks=tuple(readers.chunks.chunks_of([path], Filters()).get(path, ())),
        outgoing=tuple(relation for relation in relations if relation.source == path),
        backlinks=tuple(item for item in relations if item.target == path and not _is_gone(readers, item.source)),
        diagnostics=tuple(item for item in readers.manifest.diagnostics if item.path == path),
    )


@on_newest
def notes(opened: OpenSnapshot, filters: Filters, words: str = "", limit: int = 20, offset: int = 0) -> NoteList:
    """Return the notes that filters let through and whose title, alias or path holds every word, newest first."""
    readers, wanted = opened.readers, words.casefold().split()
    filters = filters.located(readers.manifest.notes)
    found = [note for note in _counted(opened) if _passes(note, readers, filters) and _is_named(note, wanted)]
    found.sort(key=_moment, reverse=True)
    return NoteList(
        total=len(found),
        notes=tuple(note for note in found[offset : offset + limit] if not readers.present.is_gone(note.path)),
        tags=tuple(count_facets(note.tags for note in found)),
        categories=tuple(count_facets((note.category,) for note in found)),
    )


def _moment(note: NoteSummary) -> float:
    changed = note.updated or note.created
    return changed.timestamp() if changed else -math.inf


def _passes(note: NoteSummary, readers: SnapshotReaders, filters: Filters) -> bool:
    """Whether a note passes as its passages do in a search: of one kind one value, of all kinds."""
    changed = note.updated or note.created
    day, types = changed.date() if changed else None, readers.manifest.notes[note.path].types
    return (
        _has_one(filters.tags, folded_with_parents(note.tags))
        and _has_one(filters.categories, folded_with_parents((note.category,)))
        and _has_one(filters.types, [kind.name.strip().casefold() for kind in types])
        and (not filters.paths or any(is_below(note.path, path) for path in filters.paths))
        and (not (filters.since or filters.until) or is_between(day, filters.since, filters.until))
    )


def _has_one(wanted: Collection[str], borne: Collection[str]) -> bool:
    return not wanted or any(fold_name(name) in borne for name in wanted)


def _is_named(note: NoteSummary, words: Collection[str]) -> bool:
    names = " ".join((note.title, *note.aliases, note.path)).casefold()
    return all(word in names for word in words)


def _counted(opened: OpenSnapshot) -> list[NoteSummary]:
    """Return the notes that are counted: of a part of the vault, those that lie within it still.

    In the whole vault a note that is gone counts until the next index run; to look at every file would take too long.
    """
    notes = opened.readers.graph.notes()
    return notes if opened.parts.limit.is_empty else [note for note in notes if not _is_gone(opened.readers, note.path)]


@on_newest
def tags(opened: OpenSnapshot) -> list[Facet]:
    """Return all tags with counts."""
    if opened.parts.limit.is_empty:
        return opened.readers.graph.tags()
    return count_facets(note.tags for note in _counted(opened))


@on_newest
def categories(opened: OpenSnapshot) -> list[Facet]:
    """Return all categories with counts."""
    if opened.parts.limit.is_empty:
        return opened.readers.graph.categories()
    return count_facets((note.category,) for note in _counted(opened))


@on_newest
def status(opened: OpenSnapshot) -> Status:
    """Return what is indexed, what is not and why."""
    from graphrag.vault.health import vault_status

    return vault_status(opened.parts, opened.readers)


@on_newest
def summary(opened: OpenSnapshot) -> IndexSummary:
    """Return which snapshot answers, and how much it holds; cheaper than `status`."""
    manifest, counts = opened.readers.manifest, opened.readers.graph.counts()
    return IndexSummary(
        generation=manifest.generation,
        commit=manifest.commit,
        notes=len(manifest.notes),
        chunks=manifest.chunk_count,
        links=counts["links"],
        topics=counts["topics"],
        tags=counts["tags"],
        embedded=manifest.embedded,
        embedder=manifest.fingerprints.embedder,
        vault=opened.parts.vault.name,
    )


def _held_entity(opened: OpenSnapshot, name: str) -> str:
    """Return the entity that a name means; a note has to be in the vault still."""
    readers = opened.readers
    found = find_entity(name, readers.manifest, readers.graph)
    if found in readers.manifest.notes:
        _check_held(opened, name, Entity(found, EntityKind.NOTE, found))
    return found


def _shown_entity(opened: OpenSnapshot, name: str, lines: "NoteLines") -> str:
    """Return the entity that a name means; a note that became private is none."""
    found = _held_entity(opened, name)
    if found in opened.readers.manifest.notes and not lines.is_shown(found):
        raise _withheld(opened, name, f"'{found}' changed since it was indexed, and is kept back.")
    return found


def _check_held(opened: OpenSnapshot, name: str, entity: Entity) -> None:
    if entity.kind is EntityKind.NOTE and _is_gone(opened.readers, entity.id):
        gone = f"'{entity.id}' is in the index, but no longer in the vault, or kept back now."
        raise _withheld(opened, name, gone)


def _is_gone(readers: SnapshotReaders, entity: str) -> bool:
    return entity in readers.manifest.notes and readers.present.is_gone(entity)


def _withheld(opened: OpenSnapshot, name: str, reason: str) -> NoteNotFound:
    """Return why a note is not shown; in a part of the vault, one that left it is a note that never was."""
    if opened.parts.limit.is_empty:
        return NoteNotFound(f"{reason} Run: graphrag index")
    return unknown_note(name, ())


@on_newest
def open_page(opened: OpenSnapshot, name: str) -> NotePage:
    """Return a note by path, title or alias.

    Raises:
        NoteNotFound: no note is called so, several are, or it is kept back now.
    """
    from graphrag.ingest.resolve import LinkResolver
    from graphrag.vault.past import NoteVersions

    view, readers = show(opened, name), opened.readers
    path = view.note.path
    note = NoteVersions(opened.parts, opened.parts.repository).saved(path)
    if not isinstance(note, Note):
        raise NoteNotFound(f"'{path}' is in the index, but kept back now, or gone. Run: graphrag index")
    resolver = LinkResolver({path: entry.aliases for path, entry in readers.manifest.notes.items()})
    resolved = [resolver.resolve(path, link) for link in note.links]
    leads = {item.link.target: item.target for item in resolved if item.target_kind is TargetKind.NOTE}
    gone = {target for target in {*leads.values()} if readers.present.is_gone(target)}
    targets = {written: target for written, target in leads.items() if target not in gone}
    return NotePage(view, note.text, note.body_line, targets)
