"""The seams: what the middle packages ask of one another. Implementations live in `stores` and `providers`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.graph import Entity, Facet, GraphQuery, GraphTable, Neighborhood, NoteSummary, Relation
from graphrag.domain.note import Chunk, ResolvedLink
from graphrag.domain.passage_graph import ChunkText, WalkGraph
from graphrag.domain.query import NO_FILTERS, Filters, FullTextHit, VectorHit, WeightHit, WordSense
from graphrag.domain.snapshot import Manifest, NoteBatch, NoteFile, VaultState

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns text into unit vectors."""

    @property
    def model_id(self) -> str:
        """Stable identity; vectors of two ids never meet."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, shape (len(texts), dimension)."""

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, shape (dimension,)."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenWeights:
    """What each token of a text counts for, as a model has learned it: ids in ascending order, each once."""

    tokens: NDArray[np.int32]
    weights: NDArray[np.float16]  # above 0


@runtime_checkable
class TokenWeigher(Protocol):
    """An embedder that may give weights of tokens with the same reading of a text."""

    def embed_and_weigh(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[TokenWeights] | None]:
        """Return what `embed_passages` returns, and the weights for each text; None when the model has none."""

    def weigh_query(self, text: str) -> TokenWeights | None:
        """Return the weights of a question's tokens."""


class Reranker(Protocol):
    """Judges how well passages answer a question by reading both together."""

    @property
    def model_id(self) -> str:
        """Provider and model."""

    def check(self) -> None:
        """Make sure that it could score now.

        Raises:
            ProviderError: it cannot; the message says what to do.
        """

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return a score for each passage, higher is better; scores of one call compare, those of two need not.

        Raises:
            ProviderError: it cannot be used.
        """


class ChatModel(Protocol):
    """Writes text from a system and a user message."""

    @property
    def model_id(self) -> str:
        """Provider and model, e.g. `ollama:qwen2.5:7b`."""

    def check(self) -> None:
        """Make sure that the server answers and has the model.

        Raises:
            ProviderUnavailable: it does not; the message says what to do.
        """

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the reply piece by piece.

        Raises:
            ProviderUnavailable: the server does not answer or lacks the model.
            BadProviderReply: the reply breaks off or has another form.
        """


class Tokenizer(Protocol):
    """Splits text and questions into the same terms."""

    @property
    def fingerprint(self) -> str:
        """Identity of the rules and the dictionary."""

    def tokenize(self, text: str) -> list[str]:
        """Return the terms of a passage, in order, repeats kept."""

    def tokenize_query(self, text: str) -> list[str]:
        """Return the distinct terms worth searching for."""

    def look_up(self, terms: Sequence[str], text: str) -> list[WordSense]:
        """Return what is known of each term of a text, in order, whatever the notes hold."""

    def find_words(self, words: Collection[str], texts: Iterable[str]) -> list[bool]:
        """Return for each text whether its terms may depend on one of these words being in the lexicon or not."""


class NoteReader(Protocol):
    """Reads the files that a scan named."""

    def read(self, file: NoteFile) -> bytes:
        """Return a file's bytes.

        Raises:
            OSError: it cannot be read.
        """


class VaultSource(NoteReader, Protocol):
    """The vault as it is now, or as it was at a commit."""

    def scan(self, base: Manifest | None = None) -> VaultState:
        """Return the files that may become notes, without reading more than their hash needs.

        What `base`, the manifest of an earlier state, knows of their dates spares reading the history before it.
        """


class PresentVault(Protocol):
    """What of a snapshot the vault still holds."""

    def look(self) -> Callable[[Chunk], str]:
        """Return a function that says why a chunk must not be shown, empty when it may; to be used for one request."""

    def is_gone(self, path: str) -> bool:
        """Whether a note is no longer in the vault, or left out now."""

    def is_unchanged(self, path: str) -> bool:
        """Whether a note lies on disk as it was indexed, and thus is as public as it was."""

    def compare(self) -> tuple[frozenset[str], frozenset[tuple[str, object]]]:
        """Return the notes that lie on disk as they were indexed, and every other one with the state of its file."""


class ChunkWriter(Protocol):
    """Writes the text table and the vector table; nothing is visible until a manifest names the versions."""

    def replace(self, batch: NoteBatch) -> int:
        """Delete the batch's old rows and add its chunks; return the new version of the text table."""

    def add_vectors(
        self,
        chunks: Sequence[tuple[str, str]],
        vectors: Vectors,
        weights: Sequence[TokenWeights] | None = None,
    ) -> int:
        """Add the vectors of (chunk id, note path) pairs of the text table; return the vector table's new version.

        Token weights come with all vectors of a table or with none.
        """

    def missing_vectors(self) -> list[Chunk]:
        """Return the chunks that have no vector yet, in the order of note path and ordinal."""

    def texts(self) -> list[ChunkText]:
        """Return every chunk with its text, by note and place."""

    def counts(self) -> tuple[int, int]:
        """Return the number of chunks and of vectors."""

    def optimize(self, keep: Sequence[tuple[int, int]], forget: bool = False) -> tuple[int, int]:
        """Compact both tables, drop versions that no pair in `keep` names, and return the new versions."""

    def drop_versions(self, keep: Sequence[tuple[int, int]]) -> None:
        """Drop all versions but the newest and those that a pair in `keep` names."""

    def versions(self) -> tuple[int, int]:
        """Return the versions of the text and the vector table after the last write; 0 without vectors."""

    def close(self) -> None:
        """Release the tables."""


class ChunkReader(Protocol):
    """Reads both tables at the versions of one manifest."""

    def check(self) -> None:
        """Make sure that both tables can be read; other methods find out on use."""

    def search_text(self, terms: Sequence[str], limit: int, filters: Filters) -> list[FullTextHit]:
        """Return the chunks that hold any of the terms, best BM25 first; filters apply before the limit."""

    def search_substring(self, text: str, limit: int, filters: Filters) -> list[FullTextHit]:
        """Return chunks whose text holds `text`, case-insensitively; the fallback for what no term matches."""

    def search_vectors(self, vector: Vectors, limit: int, filters: Filters) -> list[VectorHit]:
        """Return the nearest chunks by cosine; filters apply before the limit."""

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return for each term the number of chunks that hold it."""

    def get_chunks(self, ids: Sequence[str], filters: Filters = NO_FILTERS) -> dict[str, Chunk]:
        """Return the chunks of these ids that pass the filters; unknown ids are absent."""

    def chunks_of(self, notes: Sequence[str], filters: Filters) -> dict[str, list[Chunk]]:
        """Return every chunk of each note, by ordinal; notes unknown or kept out by the filters are absent."""

    def vectors_of(self, notes: Sequence[str], filters: Filters) -> dict[str, dict[str, Vectors]]:
        """Return each note's vectors by chunk id; what is not embedded yet or kept out by the filters is absent."""

    def count(self, filters: Filters) -> int:
        """Return how many chunks pass the filters."""


class WeightReader(Protocol):
    """Reads the token weights beside the vectors of one manifest."""

    @property
    def has_weights(self) -> bool:
        """Whether there are any: few embedders give them."""

    def search(self, weights: TokenWeights, limit: int, filters: Filters) -> list[WeightHit]:
        """Return the chunks that share tokens with a question, best first; filters apply before the limit."""


class GraphWriter(Protocol):
    """Writes a private copy of the graph; nothing is visible until a manifest names its file."""

    def apply(self, batch: NoteBatch) -> None:
        """Replace the batch's notes, drop the removed ones, and set the links of the batch's and relinked notes."""

    def links(self) -> list[ResolvedLink]:
        """Return all links as stored, for resolving them again after names changed."""

    def close(self) -> None:
        """Flush to the file and release it."""


class GraphReader(Protocol):
    """Reads one published graph."""

    def entity(self, entity_id: str) -> Entity | None:
        """Return the entity of this id."""

    def note(self, path: str) -> NoteSummary | None:
        """Return what is kept of a note."""

    def notes(self) -> list[NoteSummary]:
        """Return all notes by path."""

    def relations(self, entity_ids: Sequence[str], with_tags: bool = False) -> list[Relation]:
        """Return every relation from or to any of the entities, tags' only on demand; ordered by note and line."""

    def typed_relations(self) -> list[Relation]:
        """Return every relation that has a name, those from an entity to itself included; ordered by note and line."""

    def topics(self) -> list[Entity]:
        """Return all topics by name."""

    def entities(self, entity_ids: Sequence[str]) -> dict[str, Entity]:
        """Return the entities of these ids; unknown ids are absent."""

    def neighborhood(self, entity_id: str, max_hops: int, limit: int) -> Neighborhood:
        """Return what lies around an entity along links of either direction, nearest and best linked first."""

    def path(self, start: str, end: str, max_hops: int) -> list[Relation] | None:
        """Return a shortest chain of relations between two entities, in order from `start`; None when there is none."""

    def tags(self) -> list[Facet]:
        """Return all tags with counts; a parent counts its children's notes once."""

    def categories(self) -> list[Facet]:
        """Return all categories with counts, parents included."""

    def counts(self) -> Mapping[str, int]:
        """Return the number of notes, topics, links and tags."""

    def close(self) -> None:
        """Release the file."""


class GraphQueries(Protocol):
    """Answers Cypher queries on one published graph."""

    def run(self, query: GraphQuery, without: Collection[str] = ()) -> GraphTable:
        """Return the rows of a query on the graph as it would be without some of its notes.

        Raises:
            QuestionError: the statement does not only read, is wrong, or costs too much.
            StoreError: the graph cannot be read.
        """


class EmbeddingCache(Protocol):
    """Vectors by embedder and text hash, so that a text is embedded once, whatever happens to its note."""

    def get(self, model_id: str, texts: Sequence[str]) -> list[Vectors | None]:
        """Return the vector of each text, or None."""

    def weights(self, model_id: str, texts: Sequence[str]) -> list[TokenWeights | None]:
        """Return the token weights of each text, None where none were kept with its vector."""

    def put(
        self, model_id: str, texts: Sequence[str], vectors: Vectors, weights: Sequence[TokenWeights] | None = None
    ) -> None:
        """Keep the vectors of these texts, and their token weights."""

    def close(self) -> None:
        """Release the file."""


class WalkStore(Protocol):
    """Keeps the graph of the walk beside each graph file; it is made after a snapshot is published."""

    def has_walk(self, manifest: Manifest) -> bool:
        """Whether a snapshot's walk was made and can be read."""

    def save_walk(self, manifest: Manifest, graph: WalkGraph) -> None:
        """Keep a snapshot's walk."""

    def has_links(self, manifest: Manifest) -> bool:
        """Whether the links of a snapshot are there and can be read."""

    def links(self, manifest: Manifest) -> list[ResolvedLink]:
        """Return all links of a snapshot as they are resolved in it."""


class SnapshotStore(Protocol):
    """Owns the index folder: the lock, the manifests, CURRENT, and which old files are still needed."""

    def current(self) -> Manifest | None:
        """Return the published manifest, or None before the first.

        Raises:
            SchemaMismatch: it was written by a version with another format.
            StoreError: it cannot be read.
        """

    def write_lock(self) -> AbstractContextManager[None]:
        """Hold the only right to write; readers need none.

        Raises:
            SnapshotConflict: another process holds it.
        """

    def next_generation(self) -> int:
        """Return the number of the snapshot to make."""

    def tables_name(self, generation: int) -> str:
        """Return the name of the folder for tables that start with this generation."""

    def stage_graph(self, base: Manifest | None, generation: int) -> Path:
        """Return the graph file of a new generation, a copy of the base's; without a base it does not exist yet."""

    def digest_graph(self, file: Path) -> str:
        """Return the digest of a finished graph file, for the manifest."""

    def recover(self, keep: int) -> str:
        """Remove what failed runs left, and name the newest snapshot where none is named; return what was mended."""

    def publish(self, manifest: Manifest, alone: bool = False, forget: bool = False) -> None:
        """Make a manifest the current one, atomically: the commit point; `alone`, no other is left by then.

        To `forget` is what tidying owes from then on: no file may hold deleted rows any more.
        """

    @property
    def is_untidy(self) -> bool:
        """Whether a snapshot was published since the last `settle`, maybe by a run that was stopped."""

    @property
    def is_to_forget(self) -> bool:
        """Whether one of those was published to `forget`."""

    def settle(self) -> None:
        """Note that nothing is left of what the published snapshot no longer needs."""

    def retained(self, keep: int) -> list[Manifest]:
        """Return the newest manifests, the current one among them."""

    def prune(self, keep: int) -> None:
        """Remove every file that none of the `keep` newest snapshots needs, leftovers of crashes included."""
