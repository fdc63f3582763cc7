"""The index folder: its lock, the manifests, CURRENT, and which tables and graph files are still needed.

Replacing CURRENT is the commit point of a write. Reading takes no lock and needs no permission to write.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.domain.snapshot import Manifest
from graphrag.errors import SchemaMismatch, SnapshotConflict, StoreError
from graphrag.stores.durable import TreeSync, remove_durably, sync_file, sync_folder, write_durably
from graphrag.stores.failures import reading, writing
from graphrag.stores.index_folder import CURRENT, OWNER, check_owner, make_directory
from graphrag.stores.manifest_file import dump_manifest, load_manifest

if TYPE_CHECKING:
    from filelock import FileLock

LOCK = "write.lock"
_HOLDER = "write.pid"
_FORGET = b"rows\n"
_UNTIDY = "UNTIDY"  # is there from before a snapshot is published until what it no longer needs is gone
_MANIFESTS = "manifests"
_MANIFEST_SUFFIX = ".json.gz"
_GENERATION = re.compile(rb"\d{1,18}")
_GRAPHS = "graph"
_LOADED = 3  # manifests that stay in memory
_TABLES_PREFIX = "tables-"
_OURS = re.compile(r"\d{8}\.(?:json|kuzu|links|walk)(?:\..*)?|tables-\d{8}")  # the only names that pruning may delete


class SnapshotFolder:
    """The snapshots of one vault by generation. Nothing is created before the first write."""

    def __init__(self, directory: Path, owner: str = ".", around: Sequence[Path] = ()) -> None:
        self._directory = directory
        self._around = around  # the index folders that it lies in, outermost first
        self._loaded: dict[Path, tuple[tuple[int, int], Manifest]] = {}  # by file, with its time and size
        self._tree_sync = TreeSync()
        self._owner = owner  # the vault's path, or "." for an index inside its vault, which may move with it

    def current(self) -> Manifest | None:
        """Return the published manifest, or None before the first.

        Raises:
            StoreError: CURRENT or the manifest is damaged or missing.
            SchemaMismatch: another version of this program wrote it.
        """
        check_owner(self._directory, self._owner)
        while (generation := self._current_generation()) is not None:
            try:
                return self._load(generation)
            except FileNotFoundError as error:
                # A writer may have published and pruned since CURRENT was read.
                if generation == self._current_generation():
                    raise StoreError(
                        f"{self._manifest_file(generation)}: the published manifest is missing. "
                        "Run `graphrag index --full` to rebuild it."
                    ) from error
        return None

    def published(self) -> tuple[int, int] | None:
        """Return what tells the published snapshot from others, without a look into it; None before the first.

        That is its generation and the time of its publishing: an index that was made anew counts from 1 again.
        """
        generation = self._current_generation()
        if generation is None:
            return None
        with reading(self._directory):
            return generation, (self._directory / CURRENT).stat().st_mtime_ns

    def publish(self, manifest: Manifest, alone: bool = False, forget: bool = False) -> None:
        """Make a manifest the current one, atomically; all that it names reaches the disk before it.

        When it is to stand `alone`, no other snapshot is left by the time it is named. To `forget` is what tidying
        owes from then on: no file may hold deleted rows any more.
        """
        with writing(self._directory):
            self.prepare()
            if not self.is_untidy or (forget and not self.is_to_forget):
                write_durably(self._directory / _UNTIDY, _FORGET if forget else b"")
            self._sync(manifest)
            write_durably(self._manifest_file(manifest.generation), dump_manifest(manifest))
            if alone:
                self._remove_others(manifest)
            self._name(manifest.generation)

    @property
    def is_untidy(self) -> bool:
        """Whether a snapshot was published since the last `settle`, maybe by a run that was stopped."""
        return (self._directory / _UNTIDY).exists()

    @property
    def is_to_forget(self) -> bool:
        """Whether one of those was published to `forget`."""
        return self.is_untidy and (self._directory / _UNTIDY).read_bytes() == _FORGET

    def settle(self) -> None:
        """Note that nothing is left of what the published snapshot no longer needs."""
        with writing(self._directory):
            remove_durably(self._directory / _UNTIDY)

    def recover(self, keep: int) -> str:
        """Remove what failed runs left, before anything is written; a CURRENT that names no snapshot names one again.

        Return what was mended, empty when nothing had to be.
        """
        mended = ""
        try:
            current = self.current()
        except SchemaMismatch:
            self._remove_newer()
            return ""
        except StoreError:
            current = self._newest_readable()
            if current is None:
                self._remove_newer()
                return ""
            mended = f"{CURRENT} was damaged, or what it names: snapshot {current.generation} is the newest one left"
        if current and self._named_or_none() != current.generation:
            with writing(self._directory):
                self._name(current.generation)
        self.prune(keep)
        return mended

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Hold the right to write; the system releases it when the process dies.

        Raises:
            SnapshotConflict: another process, or another place in this one, holds it.
        """
        from filelock import FileLock  # readers do without it

        self.prepare()
        lock = FileLock(self._directory / LOCK, timeout=0)
        try:
            with writing(self._directory):
                self._acquire(lock)
            yield
        finally:
            lock.release()

    def prepare(self) -> None:
        """Make the folder, marked as this vault's index, which has to come before any other file in it.

        Raises:
            StoreError: it is another vault's, holds other files, or cannot be written.
        """
        with writing(self._directory):
            for folder in (*self._around, self._directory):
                check_owner(folder, self._owner)
                make_directory(folder)
                owner = folder / OWNER
                if not owner.exists():  # before anything else, or a crash leaves a folder that seems to be another's
                    write_durably(owner, self._owner.encode())
            (self._directory / _MANIFESTS).mkdir(exist_ok=True)
            ignore = self._directory / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")

    def next_generation(self) -> int:
        """Return a number above every generation on disk, those of crashed writers included."""
        files = [*self._files(_MANIFESTS), *self._files(_GRAPHS)]
        return max((_generation_of(file) for file in files), default=0) + 1

    def tables_name(self, generation: int) -> str:
        """Return the name of the folder for tables that start with this generation."""
        return f"{_TABLES_PREFIX}{generation:08d}"

    def graph_path(self, generation: int) -> Path:
        """Return where the graph of a generation lies."""
        return self._directory / _GRAPHS / f"{generation:08d}.kuzu"

    def graph_path_of(self, manifest: Manifest) -> Path:
        """Return where the graph of a snapshot lies."""
        return self._directory / _GRAPHS / manifest.graph_file

    def graph_of(self, manifest: Manifest) -> Path:
        """Return the graph file that a manifest names, after a look at its digest.

        Raises:
            StoreError: the file is missing or not what was published.
        """
        file = self.graph_path_of(manifest)
        with reading(file):
            if self.digest_graph(file) != manifest.graph_digest:
                raise ValueError("the graph file is not what was published")
        return file

    def digest_graph(self, file: Path) -> str:
        """Return the digest of a finished graph file, for the manifest."""
        with file.open("rb") as content:
            return hashlib.file_digest(content, lambda: hashlib.blake2b(digest_size=16)).hexdigest()

    def stage_graph(self, base: Manifest | None, generation: int) -> Path:
        """Return the path of a new generation's graph: a copy of the base's, or free for a new file."""
        target = self.graph_path(generation)
        with writing(target):
            self.prepare()
            target.parent.mkdir(parents=True, exist_ok=True)
            for leftover in target.parent.glob(f"{target.stem}.*"):
                leftover.unlink()
            if base is not None:
                self.graph_of(base)  # a damaged base must not live on in its copies
                for source, copy in zip(_copied_parts(base.graph_file), _copied_parts(target.name), strict=True):
                    shutil.copyfile(target.with_name(source), target.with_name(copy))
        return target

    def copy_from(self, other: "SnapshotFolder") -> None:
        """Start this folder with a copy of the other's current snapshot, which must exist.

        Raises:
            StoreError: a file is missing or cannot be copied; nothing is published then.
        """
        manifest = other.current()
        assert manifest is not None
        with self.write_lock(), writing(self._directory):
            self.recover(1)
            graph = self.stage_graph(None, manifest.generation)
            for name in _copied_parts(manifest.graph_file):
                shutil.copyfile(other._directory / _GRAPHS / name, graph.with_name(name))
            shutil.copytree(other._directory / manifest.store_dir, self._directory / manifest.store_dir)
            self.publish(manifest)

    def retained(self, keep: int) -> list[Manifest]:
        """Return the current manifest and readable ones before it, newest first, at most `keep`."""
        current = self.current()
        if current is None:
            return []
        manifests = [current]
        for file in sorted(self._files(_MANIFESTS), reverse=True):
            if len(manifests) < keep and _generation_of(file) < current.generation:
                try:
                    manifests.append(self._load(_generation_of(file)))
                except (StoreError, FileNotFoundError):
                    continue
        return manifests

    def prune(self, keep: int) -> None:
        """Remove every file that none of the `keep` newest snapshots needs, leftovers of crashes included."""
        self._remove_all_but(self.retained(keep))

    def disk_bytes(self) -> int:
        """Return the size of everything in the folder."""
        sizes = 0
        for root, _, names in os.walk(self._directory):
            for name in names:
                try:
                    sizes += (Path(root) / name).lstat().st_size
                except FileNotFoundError:
                    continue  # a writer may be pruning
        return sizes

    def _acquire(self, lock: "FileLock") -> None:
        from filelock import Timeout

        # The lock file itself is emptied by whoever tries it, so the holder's id stands beside it.
        holder = self._directory / _HOLDER
        try:
            lock.acquire()
        except Timeout as error:
            pid = (holder.exists() and holder.read_text(encoding="utf-8").strip()) or "unknown"
            raise SnapshotConflict(
                f"{self._directory}: process {pid} is writing this index. Wait for it to end, or stop it."
            ) from error
        with suppress(OSError):  # a disk may be full of what is about to be removed
            holder.write_text(str(os.getpid()), encoding="utf-8")

    def _current_generation(self) -> int | None:
        """Return the generation that CURRENT names, or a newer one when that is gone: a snapshot stands alone then."""
        named = self._named()
        if named is None or self._manifest_file(named).exists():
            return named
        newer = (_generation_of(file) for file in self._files(_MANIFESTS) if file.name.endswith(_MANIFEST_SUFFIX))
        return max((generation for generation in newer if generation > named), default=named)

    def _named(self) -> int | None:
        """Return the generation that CURRENT names, None before the first.

        Raises:
            StoreError: it names none.
        """
        file = self._directory / CURRENT
        with reading(file):
            try:
                content = file.read_bytes().strip()
            except FileNotFoundError:
                return None
        if not _GENERATION.fullmatch(content):
            raise StoreError(
                f"{file}: damaged, it names no snapshot. "
                "Run `graphrag index`; if that does not help, `graphrag index --full` to rebuild the index."
            )
        return int(content)

    def _name(self, generation: int) -> None:
        write_durably(self._directory / CURRENT, f"{generation:08d}\n".encode())

    def _sync(self, manifest: Manifest) -> None:
        """Bring the files that a manifest names to the disk."""
        graphs = self._directory / _GRAPHS
        for name in _graph_parts(manifest.graph_file):
            if (graphs / name).exists():
                sync_file(graphs / name)
        for folder in (graphs, self._directory):
            if folder.exists():
                sync_folder(folder)
        self._tree_sync.sync(self._directory / manifest.store_dir)

    def _newest_readable(self) -> Manifest | None:
        for file in sorted(self._files(_MANIFESTS), reverse=True):
            with suppress(StoreError, FileNotFoundError):
                return self._load(_generation_of(file))
        return None

    def _remove_others(self, manifest: Manifest) -> None:
        """Remove all snapshots but one that is not named yet; a stop on the way leaves the named one or this one."""
        named = self._named_or_none()
        others = {_generation_of(file) for file in self._files(_MANIFESTS)} - {manifest.generation}
        for generation in sorted(others, key=lambda other: (other == named, other)):
            self._manifest_file(generation).unlink(missing_ok=True)
        sync_folder(self._directory / _MANIFESTS)
        self._remove_all_but([manifest])

    def _named_or_none(self) -> int | None:
        try:
            return self._named()
        except StoreError:
            return None

    def _remove_newer(self) -> None:
        """Remove what was written after the named snapshot, which itself cannot be read, or not by this version."""
        named = self._named_or_none()
        if named is not None:
            self._remove(lambda name: _generation_of_name(name) > named)

    def _remove_all_but(self, kept: Collection[Manifest]) -> None:
        needed = {self._manifest_file(manifest.generation).name for manifest in kept}
        needed |= {name for manifest in kept for name in (*_graph_parts(manifest.graph_file), manifest.store_dir)}
        self._remove(lambda name: name not in needed)

    def _remove(self, is_needless: Callable[[str], bool]) -> None:
        """Remove manifests, and only then what they name."""
        with writing(self._directory):
            for files in (
                self._files(_MANIFESTS),
                [*self._files(_GRAPHS), *self._directory.glob(f"{_TABLES_PREFIX}*")],
            ):
                needless = [file for file in files if _OURS.fullmatch(file.name) and is_needless(file.name)]
                for file in needless:
                    shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
                for folder in {file.parent for file in needless}:
                    sync_folder(folder)

    def _load(self, generation: int) -> Manifest:
        """Return a manifest; a run asks for the same ones again and again, and each names every note."""
        file = self._manifest_file(generation)
        status = file.stat()
        state = status.st_mtime_ns, status.st_size
        known = self._loaded.get(file)
        if known is None or known[0] != state:
            content = file.read_bytes()
            with reading(file):
                known = state, load_manifest(file, content)
            self._loaded = {**dict(list(self._loaded.items())[-_LOADED + 1 :]), file: known}
        return known[1]

    def _manifest_file(self, generation: int) -> Path:
        return self._directory / _MANIFESTS / f"{generation:08d}{_MANIFEST_SUFFIX}"

    def _files(self, folder: str) -> list[Path]:
        with reading(self._directory):
            directory = self._directory / folder
            return list(directory.iterdir()) if directory.exists() else []


def _graph_parts(graph_file: str) -> tuple[str, ...]:
    """Return the names of all files of a graph generation."""
    return *_copied_parts(graph_file), str(Path(graph_file).with_suffix(".walk"))


def _copied_parts(graph_file: str) -> tuple[str, str]:
    """Return the names of a graph file and of its links file, which a next generation starts from."""
    return graph_file, str(Path(graph_file).with_suffix(".links"))


def _generation_of(file: Path) -> int:
    """Leftovers of crashed writers carry their generation in front, too."""
    return _generation_of_name(file.name)


def _generation_of_name(name: str) -> int:
    """Return the number in front of a file's name, or behind a folder's; 0 without one."""
    number = name.removeprefix(_TABLES_PREFIX).split(".", 1)[0]
    return int(number) if _GENERATION.fullmatch(number.encode()) else 0


def remove_index(directory: Path) -> None:
    """Delete an index, unless a process is writing it, which then sees what the vault no longer shows."""
    from filelock import FileLock, Timeout

    lock = FileLock(directory / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return
    try:
        (directory / CURRENT).unlink(missing_ok=True)  # first: half of an index would seem to be a damaged one
        shutil.rmtree(directory, ignore_errors=True)
    finally:
        lock.release()
