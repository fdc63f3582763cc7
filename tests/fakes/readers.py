"""A snapshot in memory: notes given as texts, tokenized and embedded as the indexer does."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from graphrag.domain.note import Chunk, Note, ResolvedLink
from graphrag.domain.snapshot import Fingerprints, IndexedNote, Manifest, NoteEntry
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.retrieve.pipeline import SearchPolicy
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.select import SelectPolicy
from graphrag.retrieve.walk import BlendPolicy
from tests.fakes.chunk_store import ChunkTables, MemoryChunkReader, MemoryChunkWriter, MemoryWeightReader
from tests.fakes.embedder import HashingEmbedder, WeighingEmbedder
from tests.fakes.graph_store import GraphTables, MemoryGraphReader, MemoryGraphWriter
from tests.fakes.notes import make_batch, make_chunk, make_note

TOKENIZER = JiebaTokenizer(())
EMBEDDER = HashingEmbedder()
COMMIT = "c" * 40


def search_policy(top_k: int = 10, max_per_note: int = 2) -> SearchPolicy:
    return SearchPolicy(
        candidates=50,
        rrf_k=60,
        use_walk=False,
        blend=BlendPolicy(60, 0.3, 12.0),
        select=SelectPolicy(top_k, max_per_note, 0.08),
    )


def open_readers(
    notes: Mapping[str, Sequence[str]],
    links: Sequence[ResolvedLink] = (),
    *,
    is_embedded: bool = False,
    embedder: HashingEmbedder = EMBEDDER,
    details: Sequence[Note] = (),
) -> SnapshotReaders:
    """Return the readers of a vault whose notes, by path, hold a chunk per text; `details` give other fields."""
    known = {note.path: note for note in details}
    indexed = [_index(known.get(path) or make_note(path), texts) for path, texts in notes.items()]
    chunks, graph = ChunkTables(), GraphTables()
    batch = make_batch(*indexed, links=links)
    writer = MemoryChunkWriter(chunks, 0, 0)
    writer.replace(batch)
    every = [chunk for entry in indexed for chunk in entry.chunks]
    if is_embedded and every:
        texts, weights = [chunk.text for chunk in every], None
        if isinstance(embedder, WeighingEmbedder):
            _, weights = embedder.embed_and_weigh(texts)
        writer.add_vectors([(chunk.id, chunk.note) for chunk in every], embedder.embed_passages(texts), weights)
    MemoryGraphWriter(graph).apply(batch)
    return SnapshotReaders(
        manifest=_manifest(indexed, len(every), len(every) if is_embedded else 0),
        chunks=MemoryChunkReader(chunks, *writer.versions()),
        graph=MemoryGraphReader(graph),
        tokenizer=TOKENIZER,
        load_embedder=lambda: embedder,
        present=AllHeld(),
        load_walk=lambda: None,
        line_date=lambda note, first, last: datetime(2024, 6, 16, tzinfo=UTC),
        weights=MemoryWeightReader(chunks, writer.versions()[1]),
    )


class AllHeld:
    """A vault that still holds everything."""

    def look(self) -> Callable[[Chunk], str]:
        return lambda chunk: ""

    def is_unchanged(self, path: str) -> bool:
        return True

    def compare(self) -> tuple[frozenset[str], frozenset[tuple[str, object]]]:
        return frozenset(), frozenset()

    def is_gone(self, path: str) -> bool:
        return False


def _index(note: Note, texts: Sequence[str]) -> IndexedNote:
    chunks = tuple(make_chunk(note, ordinal, text) for ordinal, text in enumerate(texts))
    return IndexedNote(note, "hash", chunks, tuple(" ".join(TOKENIZER.tokenize(text)) for text in texts))


def _manifest(indexed: Sequence[IndexedNote], chunks: int, embedded: int) -> Manifest:
    return Manifest(
        generation=1,
        commit=COMMIT,
        worktree=False,
        store_dir="tables",
        chunks_version=1,
        vectors_version=1,
        graph_file="graph",
        graph_digest="",
        fingerprints=Fingerprints("p", "c", "k", "t", "g", EMBEDDER.model_id),
        notes={
            entry.note.path: NoteEntry(
                "hash",
                "",
                entry.note.title,
                entry.note.aliases,
                entry.note.tags,
                entry.note.types,
                len(entry.chunks),
                entry.note.origin,
            )
            for entry in indexed
        },
        left_out={},
        user_words=(),
        diagnostics=(),
        chunk_count=chunks,
        embedded_count=embedded,
        created=datetime(2024, 1, 1, tzinfo=UTC),
    )
