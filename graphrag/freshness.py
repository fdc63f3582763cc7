"""The newest snapshot against the vault and the settings as they are now: bring it there, or see whether it is."""

from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport, Manifest
from graphrag.errors import StoreError
from graphrag.ingest.changes import find_changes
from graphrag.parts import Parts
from graphrag.past import forget_past


def index_vault(parts: Parts, full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
    """Bring the index to the vault's present state; what becomes private by that leaves the past, too.

    A full run also drops the snapshots of the past, which may be damaged like the rest.

    Raises:
        SnapshotConflict: another process is indexing.
        StoreError: the index cannot be read or written.
    """
    before = _left_out(parts)
    report = parts.indexer().run(full, progress, embed_seconds)
    if full or _left_out(parts) - before:
        forget_past(parts)
    return report


def is_current(parts: Parts) -> bool:
    """Whether an index run would find nothing to do but embed. Reads only, and takes no lock.

    Raises:
        StoreError: the snapshot cannot be read.
        VaultError: the vault is gone.
    """
    manifest = parts.snapshots.current()
    if manifest is None or manifest.fingerprints.differences(parts.fingerprints()):
        return False
    state = parts.source().scan(manifest)
    is_same_version = (state.commit, state.worktree) == (manifest.commit, manifest.worktree)
    return is_same_version and find_changes(manifest, state).is_empty


def report_unchanged(manifest: Manifest, seconds: float) -> IndexReport:
    """Return the report of a run that found nothing to do."""
    return IndexReport(
        generation=manifest.generation,
        commit=manifest.commit,
        added=0,
        changed=0,
        deleted=0,
        renamed=0,
        notes=len(manifest.notes),
        chunks=manifest.chunk_count,
        embedded=manifest.embedded_count,
        embeddings_made=0,
        rebuilt=(),
        diagnostics=manifest.diagnostics,
        seconds=seconds,
    )


def _left_out(parts: Parts) -> set[str]:
    """Return the notes that the current snapshot leaves out as private or failed."""
    try:
        current = parts.snapshots.current()
    except StoreError:  # damaged: a full run replaces it
        return set()
    return {*current.left_out} if current else set()
