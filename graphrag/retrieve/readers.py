"""One snapshot, open for reading: its manifest, chunks, graph, tokenizer and models, and the names of its notes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from graphrag.domain.ports import (
    ChunkReader,
    Embedder,
    GraphQueries,
    GraphReader,
    PresentVault,
    Reranker,
    Tokenizer,
    Vectors,
    WeightReader,
)
from graphrag.domain.query import NO_FILTERS, SnapshotRef
from graphrag.domain.request_course import made_once
from graphrag.domain.snapshot import Manifest

if TYPE_CHECKING:
    from graphrag.retrieve.walk import Walk

_SAMPLE = 300  # notes, and passages of them, that stand for the vault


@dataclass(frozen=True)
class SnapshotReaders:
    """Everything that reads one snapshot; the embedder is loaded on the first question that needs it."""

    manifest: Manifest
    chunks: ChunkReader
    graph: GraphReader
    tokenizer: Tokenizer
    load_embedder: Callable[[], Embedder | None]
    present: PresentVault
    load_walk: "Callable[[], Walk | None]"
    line_date: Callable[[str, int, int], datetime | None]  # of the last change of a note's lines, by their author
    load_reranker: Callable[[], Reranker | None] = lambda: None
    weights: WeightReader | None = None
    queries: GraphQueries | None = None

    def reference(self) -> SnapshotRef:
        """Return which snapshot this is."""
        manifest = self.manifest
        return SnapshotRef(manifest.generation, manifest.commit, manifest.worktree, manifest.embedded)

    def notes_called(self, name: str) -> frozenset[str]:
        """Return the paths of the notes whose title, alias or file name this is, word for word."""
        return frozenset(self._notes_by_name.get(name.strip().casefold(), ()))

    def notes_of(self, day: date) -> frozenset[str]:
        """Return the paths of the notes that are about a day, by their name or their property `date`."""
        return frozenset(self._notes_by_day.get(day.isoformat(), ()))

    def day_of(self, note: str) -> date | None:
        """Return the day that a note is about, None where it says none."""
        day = self.manifest.notes[note].day
        return date.fromisoformat(day) if day else None

    def warm_up(self) -> None:
        """Load what the first requests would wait for otherwise, but for models."""
        self.chunks.check()
        self.load_walk()
        self.graph.relations(())
        self.tokenizer.tokenize_query("预热")
        self.notes_called("")

    @made_once
    def sample(self) -> Vectors:
        """Vectors of passages from all over the vault, shape (n, dimension): what a question is like by chance."""
        notes = sorted(self.manifest.notes)
        step = max(1, len(notes) // _SAMPLE)
        found = self.chunks.vectors_of(notes[::step], NO_FILTERS)
        vectors = [vector for note in sorted(found) for _, vector in sorted(found[note].items())]
        return np.stack(vectors[:: max(1, len(vectors) // _SAMPLE)]) if vectors else np.empty((0, 0), dtype=np.float32)

    @cached_property
    def _notes_by_day(self) -> dict[str, list[str]]:
        notes: dict[str, list[str]] = {}
        for path, entry in self.manifest.notes.items():
            notes.setdefault(entry.day, []).append(path)
        return notes

    @cached_property
    def _notes_by_name(self) -> dict[str, list[str]]:
        """The paths by folded name: going through thousands of notes takes too long for every search."""
        notes: dict[str, list[str]] = {}
        for path, entry in self.manifest.notes.items():
            stem = path.rpartition("/")[2].rpartition(".")[0]  # as pathlib has it, in a twentieth of the time
            for name in (entry.title, stem, *entry.aliases):
                notes.setdefault(name.casefold(), []).append(path)
        return notes
