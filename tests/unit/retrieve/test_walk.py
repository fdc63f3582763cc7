import numpy as np
import pytest

from graphrag.domain.note import Chunk, Span
from graphrag.domain.passage_graph import ChunkText, EdgeKind
from graphrag.domain.query import NO_FILTERS, Candidate, GraphHop, Question, Why
from graphrag.domain.snapshot import IndexedNote, NoteEntry
from graphrag.ingest.walk_graph import build_walk_graph
from graphrag.retrieve.walk import BlendPolicy, Walk, WalkPolicy, rank_with_walk, tell_ways
from tests.fakes.chunk_store import ChunkTables, MemoryChunkReader, MemoryChunkWriter
from tests.fakes.notes import make_batch, make_chunk, make_note

FILM, DIRECTOR, OTHER, TOWN = "film.md", "director.md", "other.md", "town.md"
TEXTS = {
    FILM: "Free Guy is a comedy film directed by Shawn Levy.",
    DIRECTOR: "Shawn Levy was born in Montreal.",
    OTHER: "A comedy of errors, and a film at that.",
    TOWN: "Montreal lies on an island.",
}
TITLES = {FILM: "Free Guy (film)", DIRECTOR: "Shawn Levy", OTHER: "Errors", TOWN: "Montreal"}
WEIGHTS = {EdgeKind.BELONGS: 6.0, EdgeKind.NAMES: 1.0, EdgeKind.LINKS: 1.0, EdgeKind.TYPED: 1.5, EdgeKind.SHARES: 0.5}


def make_walk(damping: float = 0.9, texts: dict[str, str] = TEXTS, backward: float = 0.25) -> Walk:
    chunks = [ChunkText(path, path, (), text, 1, 9) for path, text in texts.items()]
    entries = {path: NoteEntry("hash", "|", TITLES[path], (), (), (), 1) for path in texts}
    return Walk(build_walk_graph(chunks, entries, [], ()), WalkPolicy(damping, 20, 10.0, 4.0, WEIGHTS, backward))


def candidate(path: str, rank: int, similarity: float) -> Candidate:
    chunk = Chunk(path, path, TITLES[path], (), 0, TEXTS[path], Span(0, 1, 1, 9), "note")
    return Candidate(chunk, 1 / (60 + rank), Why(full_text_rank=rank, similarity=similarity))


def share_by_chunk(walk: Walk, question: str, found: list[Candidate]) -> dict[str, float]:
    trip = walk.go(question, found)
    return dict(zip(walk.graph.chunks, trip._shares.tolist(), strict=False))


def held(path: str) -> bool:
    return False


FOUND = [candidate(OTHER, 1, 0.84), candidate(FILM, 2, 0.88)]


def test_a_question_that_names_a_note_leads_to_what_that_note_names() -> None:
    walk = make_walk()
    assert walk.go("where was the director of Free Guy born?", FOUND).best(10)[:2] == [FILM, DIRECTOR]
    assert walk.pointedness("where was the director of Free Guy born?") == pytest.approx(1.0)
    assert walk.pointedness("where was he born?") == 0.0


def test_what_a_passage_names_is_nearer_than_who_else_names_it() -> None:
    """From a film to its director, and less from the film back to a passage that only speaks of it."""
    texts = {**TEXTS, OTHER: "Free Guy made people laugh."}
    question, found = "who made Free Guy?", FOUND[1:]
    nearer = {
        backward: shares[DIRECTOR] / shares[OTHER]
        for backward in (0.25, 1.0)
        if (shares := share_by_chunk(make_walk(texts=texts, backward=backward), question, found))
    }
    assert nearer[0.25] > 1 and nearer[0.25] > 1.5 * nearer[1.0]


def test_a_mention_is_named_with_its_chunks_and_its_weight_falls_with_the_frequency() -> None:
    texts = {**TEXTS, OTHER: "Montreal and Shawn Levy, Shawn Levy and Montreal."}
    graph = make_walk(texts=texts).graph
    by_film = [(item.source, item.target, item.chunks) for item in graph.mentions(FILM)]
    assert by_film == [(FILM, DIRECTOR, (FILM,))]
    assert {item.source for item in graph.mentions(TOWN)} == {DIRECTOR, OTHER}
    assert graph.mentions("unknown.md") == []
    assert graph.mentions(FILM)[0].weight < make_walk().graph.mentions(FILM)[0].weight < 1
    assert len(graph.mentions()) == 4


def test_it_is_the_same_every_time_and_spends_all_its_time() -> None:
    trips = [make_walk().go("Free Guy", FOUND) for _ in range(2)]
    assert trips[0].best(10) == trips[1].best(10)
    assert float(np.sum(trips[0]._shares)) == pytest.approx(1.0, abs=1e-4)


def test_without_a_start_it_goes_nowhere() -> None:
    assert make_walk().go("nothing known", []).best(10) == []


def test_a_newcomer_tells_its_way_and_obeys_the_filters() -> None:
    tables = ChunkTables()
    notes = [make_note(path) for path in TEXTS]
    indexed = [IndexedNote(note, "hash", (make_chunk(note, 0, TEXTS[note.path]),), ("",)) for note in notes]
    MemoryChunkWriter(tables, 0, 0).replace(make_batch(*indexed))
    reader = MemoryChunkReader(tables, max(tables.chunks), 0)
    ids = {item.note.path: item.chunks[0].id for item in indexed}
    chunks = [ChunkText(ids[path], path, (), text, 1, 9) for path, text in TEXTS.items()]
    entries = {path: NoteEntry("hash", "|", TITLES[path], (), (), (), 1) for path in TEXTS}
    walk = Walk(build_walk_graph(chunks, entries, [], ()), WalkPolicy(0.9, 20, 10.0, 4.0, WEIGHTS, 0.25))
    found = [Candidate(indexed[0].chunks[0], 0.01, Why(full_text_rank=1, similarity=0.9))]
    question = Question("q", "who directed Free Guy?", NO_FILTERS)
    ranked, trip = rank_with_walk(found, walk, reader, question, BlendPolicy(60, 0.3, 12.0))
    assert [item.chunk.note for item in ranked[:2]] == [FILM, DIRECTOR]
    assert tell_ways(ranked[:2], trip, held)[1].why.graph_path == (GraphHop(FILM, DIRECTOR, "mention", "", False),)
    assert tell_ways(ranked[:2], trip, held)[0].why.graph_path == ()
    assert tell_ways(ranked[:2], trip, lambda path: path == FILM)[1].why.graph_path == ()
