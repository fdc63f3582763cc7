"""A Leanote source -> notes in the vault: opens the source, runs the import, commits the changes where there is Git.

It writes Markdown files, and its own state in the index folder. It does not index.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from hashlib import sha256
from pathlib import Path, PurePosixPath, PureWindowsPath

from filelock import FileLock, Timeout

from graphrag.domain.report import Progress
from graphrag.errors import SnapshotConflict, VaultError
from graphrag.settings import LeanoteSettings
from graphrag.vault.resources import Parts
from vault_sync.leanote.account import LeanoteSource
from vault_sync.leanote.write.git_commit import commit_import
from vault_sync.leanote.write.import_plan import ConflictPolicy, ImportOptions, TrashPolicy
from vault_sync.leanote.write.import_report import ImportReport
from vault_sync.leanote.write.import_state import ImportState
from vault_sync.leanote.write.importer import Importer
from vault_sync.leanote.write.vault_writer import VaultWriter

_FOLDER = "leanote"  # in the folder of the index
_SHOWN = 5  # paths in one line


@dataclass(frozen=True, slots=True)
class LeanoteImport:
    """What is to be imported, and how."""

    source: str  # an address, or a path
    user: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    files: Path | None = None  # where a dump's pictures and attachments are
    site: str = ""  # the server's address, for links to the originals of a dump or an export
    zone: tzinfo | None = None  # of times that have none; None is this machine's
    into: str | None = None  # folder of the vault; None is as for the lists below
    exclude: tuple[str, ...] | None = None  # None is as [leanote] of the settings says, or else as in the last import
    private: tuple[str, ...] | None = None
    trash: TrashPolicy | None = None  # None moves them, unless most of the notes would go at once
    conflicts: ConflictPolicy = ConflictPolicy.BOTH
    is_trial: bool = False
    commits: bool = True

    @property
    def is_address(self) -> bool:
        """Whether the source is a server."""
        return self.source.lower().startswith(("https://", "http://"))


def import_leanote(parts: Parts, wanted: LeanoteImport, progress: Progress) -> ImportReport:
    """Bring a Leanote account, or what was exported of it, into the vault, and commit it where there is Git.

    Raises:
        SourceRefused, SourceUnavailable: the source cannot be used, or does not answer; the same call goes on later.
        SnapshotConflict: another import is under way.
        VaultError: the vault cannot be written to, or the folder asked for is not in it.
    """
    started = time.monotonic()
    wanted = _with_settings(wanted, parts.settings.leanote)
    with _opened(wanted) as source, _state(parts, wanted.is_trial) as state:
        writer = VaultWriter(parts.vault, wanted.is_trial)
        importer = Importer(source, writer, state, _options(wanted, source), progress)
        report = importer.run(wanted.is_trial)
        if not wanted.is_trial:
            commit, reason = _commit(parts, state, source.label, wanted.commits)
            report = replace(report, commit=commit, not_committed=reason)
    return replace(report, seconds=time.monotonic() - started)


@contextmanager
def _opened(wanted: LeanoteImport) -> Iterator[LeanoteSource]:
    if not wanted.is_address:
        from vault_sync.leanote.sources.detect import open_source

        path, user = Path(wanted.source).expanduser(), wanted.user or None
        with open_source(path, files=wanted.files, user=user, zone=wanted.zone, site=wanted.site) as source:
            yield source
        return
    from vault_sync.leanote.sources.api import ApiSource
    from vault_sync.leanote.sources.api_client import Credentials

    with closing(ApiSource(wanted.source, Credentials(wanted.user, wanted.password, wanted.token))) as server:
        yield server


@contextmanager
def _state(parts: Parts, is_trial: bool) -> Iterator[ImportState]:
    """Give the state of the vault's imports to one process at a time; a trial only reads it."""
    folder = parts.index_dir / _FOLDER
    if is_trial:
        yield ImportState(folder / "state.jsonl", is_trial=True)
        return
    parts.snapshots.prepare()
    folder.mkdir(exist_ok=True)
    lock = FileLock(folder / "import.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise SnapshotConflict(f"{parts.vault}: another import is under way. Run the command again later.") from None
    try:
        with closing(ImportState(folder / "state.jsonl")) as state:
            yield state
    finally:
        lock.release()


def _with_settings(wanted: LeanoteImport, chosen: LeanoteSettings) -> LeanoteImport:
    """Return the request with what the settings file says where the request says nothing."""
    said = chosen.model_fields_set
    into = chosen.into if wanted.into is None and "into" in said else wanted.into
    return replace(
        wanted,
        into=None if into is None else _folder(into),
        exclude=chosen.exclude if wanted.exclude is None and "exclude" in said else wanted.exclude,
        private=chosen.private if wanted.private is None and "private" in said else wanted.private,
    )


def _options(wanted: LeanoteImport, source: LeanoteSource) -> ImportOptions:
    """Return the options; two users of one server, or of one dump, are two accounts."""
    login = wanted.user or (sha256(wanted.token.encode()).hexdigest()[:8] if wanted.token else "")
    return ImportOptions(
        account=f"{source.label} {login}".strip(),
        into=wanted.into,
        exclude=_named(wanted.exclude),
        private=_named(wanted.private),
        trash=wanted.trash or TrashPolicy.MOVE,
        removes_many=wanted.trash is not None,
        conflicts=wanted.conflicts,
        zone=wanted.zone,
    )


def _named(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the names without empty ones: an empty name alone stands for no notebook at all."""
    return None if names is None else tuple(name for name in names if name.strip())


def _folder(given: str) -> str:
    parts = [part for part in given.strip().split("/") if part not in ("", ".")]
    if (
        PurePosixPath(given.strip()).is_absolute()
        or PureWindowsPath(given).drive
        or ".." in parts
        or parts[:1] == ["~"]
    ):
        raise VaultError(
            f"--into {given}: not a folder of the vault. Name it from the vault's own folder, like Leanote."
        )
    return "/".join(parts)


def _commit(parts: Parts, state: ImportState, label: str, is_wanted: bool) -> tuple[str, str]:
    """Return the commit of all that is in none yet, and why there is none, or not of all, though there should be."""
    if not state.pending:
        return "", ""
    if not is_wanted or parts.repository is None:
        state.clear_pending()
        return "", "--no-commit" if not is_wanted else "the vault is in no Git repository"
    try:
        done = commit_import(parts.vault, state.pending, label)
    except VaultError as error:
        return "", str(error)
    state.clear_pending(but=done.left_out)
    return done.commit, _left_out(sorted(done.left_out))


def _left_out(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    more = f" and {len(paths) - _SHOWN:,} more" if len(paths) > _SHOWN else ""
    return f"{', '.join(paths[:_SHOWN])}{more}: you have staged another version; commit or unstage it, and import again"
