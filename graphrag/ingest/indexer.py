"""Brings the snapshot to the vault's present state: text and graph first, published at once, vectors behind in batches.

Every store is written ahead of the manifest; publishing the manifest is the commit point. A run that is stopped
anywhere leaves the last published snapshot answering, and the next run goes on from it.
"""

import math
import time
from collections.abc import Callable

from graphrag.domain.models import Embedder
from graphrag.domain.ports import VaultSource
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import ChangeSet, IndexReport, Manifest
from graphrag.errors import StoreError, VaultError
from graphrag.ingest.index_run import IndexPlan, IndexRun, IndexStores
from graphrag.ingest.prepare import MakeTokenizer


class Indexer:
    """One run of `run` brings the index to the state of the source."""

    def __init__(
        self,
        source: VaultSource,
        stores: IndexStores,
        plan: IndexPlan,
        make_tokenizer: MakeTokenizer,
        load_embedder: Callable[[], Embedder | None],
    ) -> None:
        self._source = source
        self._stores = stores
        self._plan = plan
        self._make_tokenizer = make_tokenizer
        self._load_embedder = load_embedder

    def run(self, full: bool, progress: Progress, embed_seconds: float = math.inf) -> IndexReport:
        """Index what changed, everything when `full` or when a fingerprint differs, and report it.

        Embedding stops after `embed_seconds`; a later run goes on with it.

        Raises:
            VaultError: there are no notes at all.
            SnapshotConflict: another process is indexing.
            StoreError: the index cannot be read or written.
            ProviderError: the embedder fails; text and graph are published by then.
        """
        started = time.monotonic()
        with self._stores.snapshots.write_lock():
            progress("scan", 0, 1)
            base, reasons = self._base(full)
            state = self._source.scan(base)
            progress("scan", 1, 1)
            if base is None and not state.files and self._plan.rule.limit.is_empty:
                raise VaultError("the vault holds no notes (.md or .canvas files). Name the right folder with --vault.")
            if base is not None:
                self._stores.snapshots.prune(self._plan.keep_snapshots)  # what a failed run left takes no more space
            run = IndexRun(self._stores, self._plan, self._make_tokenizer, self._source, state, progress)
            outcome = run.write_text(base)
            if outcome is None:
                reasons = (*reasons, "notes that were indexed are now left out: their text is purged")
                outcome = run.write_text(None)
                assert outcome is not None
            manifest, changes = outcome
            run.write_walk(manifest)
            made = 0
            if manifest.embedded_count < manifest.chunk_count and (embedder := self._load_embedder()):
                manifest, made = run.write_vectors(manifest, embedder, embed_seconds)
            if run.published:
                keep = 1 if reasons else self._plan.keep_snapshots
                manifest = run.tidy(manifest, keep)
        return _report(manifest, changes, made, reasons, time.monotonic() - started)

    def _base(self, full: bool) -> tuple[Manifest | None, tuple[str, ...]]:
        """Return the snapshot to go on from, or None with the reasons for starting afresh."""
        try:
            current = self._stores.snapshots.current()
        except StoreError:
            if not full:
                raise
            current = None
        if full:
            return None, ("asked for",)
        if current is None:
            return None, ()
        reasons = self._plan.fingerprints.differences(current.fingerprints)
        return (None, tuple(f"the {part} changed" for part in reasons)) if reasons else (current, ())


def _report(manifest: Manifest, changes: ChangeSet, made: int, rebuilt: tuple[str, ...], seconds: float) -> IndexReport:
    return IndexReport(
        generation=manifest.generation,
        commit=manifest.commit,
        added=sum(file.path in manifest.notes for file in changes.added) - len(changes.renamed),
        changed=len(changes.changed),
        deleted=len(changes.deleted) - len(changes.renamed),
        renamed=len(changes.renamed),
        notes=len(manifest.notes),
        chunks=manifest.chunk_count,
        embedded=manifest.embedded_count,
        embeddings_made=made,
        rebuilt=rebuilt,
        diagnostics=manifest.diagnostics,
        seconds=seconds,
    )
