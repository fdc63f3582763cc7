"""The part of the facade that keeps an index: makes it, follows the vault, and says how things stand."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.domain import report as reports
from graphrag.domain.snapshot import IndexReport
from graphrag.errors import VaultError
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.settings import Settings
from graphrag.vault import lookups
from graphrag.vault.health import run_checks
from graphrag.vault.open_snapshot import OpenSnapshot
from graphrag.vault.parts import Parts

if TYPE_CHECKING:
    from threading import Event

    from graphrag.vault.follow import Listener
    from graphrag.vault.imports import LeanoteImport
    from vault_sync.leanote.write.import_report import ImportReport
    from vault_sync.watch import Pace


class Upkeep:
    """One vault with its index, and the snapshot that is open."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._snapshot = OpenSnapshot(self._parts)

    @property
    def vault(self) -> Path:
        """The vault's folder."""
        return self._parts.vault

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    @property
    def is_past(self) -> bool:
        """Whether `go_back` chose the snapshot."""
        return self._snapshot.is_past

    @property
    def has_newer(self) -> bool:
        """Whether another process published a newer snapshot than the open one; after `close` that one answers."""
        return self._snapshot.has_newer

    @property
    def is_indexed(self) -> bool:
        """Whether there is a snapshot to answer from."""
        return self._snapshot.is_there

    def refresh(self) -> bool:
        """Answer from the newest snapshot from now on, and return whether it is another; requests keep theirs."""
        return self._snapshot.refresh()

    def index_folder(self) -> Path:
        """Return the folder of the index, made where it is missing, for what lies beside the index."""
        self._parts.snapshots.prepare()
        return self._parts.index_dir

    def index(self, full: bool, progress: reports.Progress, embed_seconds: float = math.inf) -> IndexReport:
        """Bring the index to the vault's present state; `full` makes it anew.

        Embedding stops after `embed_seconds`; text and links are searchable in full by then.

        Raises:
            SnapshotConflict: another process is indexing.
            StoreError: the index cannot be read or written.
        """
        from graphrag.vault.freshness import index_vault

        try:
            return index_vault(self._parts, full, progress, embed_seconds)
        finally:
            self._snapshot.close() if self.is_past else self._snapshot.refresh()

    def is_current(self) -> bool:
        """Whether an index run would find nothing to do but embed; another process may have seen to that."""
        from graphrag.vault.freshness import is_current

        return is_current(self._parts)

    def report_unchanged(self, seconds: float) -> IndexReport:
        """Return what an index run would report that found nothing to do in so many seconds."""
        from graphrag.vault.freshness import report_unchanged

        return report_unchanged(self._readers.manifest, seconds)

    def watch(self, pace: "Pace", listener: "Listener", stop: "Event") -> bool:
        """Follow the vault until `stop` is set; return whether it ended because the settings are to be read anew.

        Raises:
            StoreError: another process is watching this vault.
        """
        from graphrag.vault.follow import follow

        return follow(self._parts, self.index, pace, listener, stop)

    def watcher(self) -> reports.Watcher | None:
        """Return what the last watcher said of itself, None when there was none."""
        return self._parts.heartbeat.read()

    def index_in_turn(self, listener: "Listener") -> None:
        """Index once no other process does, unless one is waiting to do so already."""
        from graphrag.vault.background import index_in_turn

        index_in_turn(self._parts, self.index, listener)

    def import_leanote(self, wanted: "LeanoteImport", progress: reports.Progress) -> "ImportReport":
        """Bring notes of Leanote into the vault, unless the source raises a SyncError; the index is not touched."""
        from graphrag.vault.imports import import_leanote

        self._refuse_if_limited("imported into")
        return import_leanote(self._parts, wanted, progress)

    def status(self) -> reports.Status:
        """Return what is indexed, what is not and why."""
        return lookups.status(self._snapshot)

    def summary(self) -> reports.IndexSummary:
        """Return which snapshot answers, and how much it holds; cheaper than `status`."""
        return lookups.summary(self._snapshot)

    def stale(self) -> tuple[str, ...]:
        """Return the parts whose settings or versions changed since the index was made."""
        return self._readers.manifest.fingerprints.differences(self._parts.fingerprints())

    def doctor(self) -> list[reports.Check]:
        """Return what works and what is missing on this machine, each with what to do."""
        return run_checks(self._parts)

    def close(self) -> None:
        """Release the snapshot."""
        self._snapshot.close()

    @property
    def _readers(self) -> SnapshotReaders:
        return self._snapshot.readers

    def _refuse_if_limited(self, what: str) -> None:
        """Refuse what would tell of other notes, if only that a name is taken."""
        if not self._parts.limit.is_empty:
            raise VaultError(f"a limited part of a vault cannot be {what}. Use the whole vault.")
