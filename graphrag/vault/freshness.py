"""The newest snapshot against the vault and the settings as they are now: bring it there, or see whether it is."""

from graphrag.domain.note import Severity
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import IndexReport, Manifest
from graphrag.errors import StoreError
from graphrag.ingest.changes import find_changes
from graphrag.stores.limited_folders import forget_limited
from graphrag.vault.parts import Parts
from graphrag.vault.past import forget_past


def index_vault(parts: Parts, full: bool, progress: Progress, embed_seconds: float) -> IndexReport:
    """Bring the index to the vault's present state. What becomes private leaves the past and limited parts, too.

    A full run also drops those, which may be damaged like the rest; they are made anew when they are asked for.

    Raises:
        SnapshotConflict: another process is indexing.
        StoreError: the index cannot be read or written.
    """
    before = _current(parts)
    report = parts.indexer().run(full, progress, embed_seconds)
    hidden = _kept_back(_current(parts)) - _kept_back(before)
    if full or hidden or report.rebuilt:
        forget_past(parts)
    if parts.limit.is_empty and (full or (hidden and report.rebuilt)):
        forget_limited(parts.main_dir)
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


def _current(parts: Parts) -> Manifest | None:
    try:
        return parts.snapshots.current()
    except StoreError:  # damaged: a full run replaces it
        return None


def _kept_back(manifest: Manifest | None) -> set[str]:
    """Return the notes that a snapshot leaves out: by a rule, as private, or since they failed."""
    if manifest is None:
        return set()
    return {*manifest.left_out, *(item.path for item in manifest.diagnostics if item.severity is Severity.SKIPPED)}
