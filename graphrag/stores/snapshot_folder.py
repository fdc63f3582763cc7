"""The index folder: its lock, the manifests, CURRENT, and which tables and graph files are still needed.

Replacing CURRENT is the commit point of a write. Reading takes no lock and needs no permission to write.
"""

import gzip
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from graphrag.domain.note import Diagnostic, NoteType, Severity
from graphrag.domain.snapshot import Fingerprints, LeftOut, Manifest, NoteEntry
from graphrag.errors import SchemaMismatch, SnapshotConflict, StoreError
from graphrag.stores.failures import reading, writing
from graphrag.stores.index_folder import CURRENT, OWNER, check_owner, make_directory

FORMAT = 3

_PLAIN = (
    "generation",
    "commit",
    "worktree",
    "store_dir",
    "chunks_version",
    "vectors_version",
    "graph_file",
    "graph_digest",
    "user_words",
    "chunk_count",
    "embedded_count",
)
_ENTRY = ("content_hash", "dates", "title", "aliases", "tags", "types", "chunk_count", "origin")


def dump_manifest(manifest: Manifest) -> bytes:
    """Return the manifest as UTF-8 JSON, compressed: it names every note, and several manifests are kept."""
    data: dict[str, object] = {
        "format": FORMAT,
        **{name: getattr(manifest, name) for name in _PLAIN},
        "fingerprints": {name: getattr(manifest.fingerprints, name) for name in Fingerprints.__slots__},
        "notes": {path: [getattr(entry, name) for name in _ENTRY] for path, entry in manifest.notes.items()},
        "left_out": {path: [entry.content_hash, entry.dates] for path, entry in manifest.left_out.items()},
        "diagnostics": [[d.path, d.line, d.severity.value, d.message] for d in manifest.diagnostics],
        "created": manifest.created.isoformat(),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(errors="surrogatepass"), mtime=0)


def load_manifest(file: Path, content: bytes) -> Manifest:
    """Return the manifest in `content`, read from `file`.

    Raises:
        SchemaMismatch: another version of this program wrote it.
        ValueError, LookupError, TypeError, AttributeError, EOFError, OSError, zlib.error: it is damaged.
    """
    data: Mapping[str, Any] = json.loads(gzip.decompress(content).decode(errors="surrogatepass"))
    _check_format(file, data["format"])
    return Manifest(
        **{name: data[name] for name in _PLAIN if name != "user_words"},
        user_words=tuple(data["user_words"]),
        fingerprints=Fingerprints(**data["fingerprints"]),
        notes={path: _load_entry(*entry) for path, entry in data["notes"].items()},
        left_out={path: LeftOut(*entry) for path, entry in data["left_out"].items()},
        diagnostics=tuple(
            Diagnostic(path, line, Severity(severity), message) for path, line, severity, message in data["diagnostics"]
        ),
        created=datetime.fromisoformat(data["created"]),
    )


def _load_entry(
    content_hash: str,
    dates: str,
    title: str,
    aliases: list[str],
    tags: list[str],
    types: list[list[Any]],
    chunk_count: int,
    origin: str = "",
) -> NoteEntry:
    named = tuple(NoteType(*type_) for type_ in types)
    return NoteEntry(content_hash, dates, title, tuple(aliases), tuple(tags), named, chunk_count, origin)


def _check_format(file: Path, found: int) -> None:
    if found > FORMAT:
        raise SchemaMismatch(
            f"{file}: the index was made by a newer version (format {found}, this one reads {FORMAT}). "
            "Upgrade vault-graphrag, or run `graphrag index --full` to rebuild it."
        )
    if found < FORMAT:
        raise SchemaMismatch(
            f"{file}: the index was made by an older version (format {found}, this one reads {FORMAT}). "
            "Run `graphrag index --full` to rebuild it."
        )


LOCK = "write.lock"
_HOLDER = "write.pid"
_MANIFESTS = "manifests"
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

    def publish(self, manifest: Manifest) -> None:
        """Make a manifest the current one, atomically."""
        with writing(self._directory):
            self.prepare()
            _write_durably(self._manifest_file(manifest.generation), dump_manifest(manifest))
            _write_durably(self._directory / CURRENT, f"{manifest.generation:08d}\n".encode())

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Hold the right to write; the system releases it when the process dies.

        Raises:
            SnapshotConflict: another process, or another place in this one, holds it.
        """
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
                    _write_durably(owner, self._owner.encode())
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
            graph = self.stage_graph(None, manifest.generation)
            for name in _copied_parts(manifest.graph_file):
                shutil.copyfile(other._directory / _GRAPHS / name, graph.with_name(name))
            shutil.rmtree(self._directory / manifest.store_dir, ignore_errors=True)  # half of a copy
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
        kept = self.retained(keep)
        needed = {self._manifest_file(manifest.generation).name for manifest in kept}
        needed |= {name for manifest in kept for name in _graph_parts(manifest.graph_file)}
        tables = {manifest.store_dir for manifest in kept}
        with writing(self._directory):
            for file in (*self._files(_MANIFESTS), *self._files(_GRAPHS)):
                if file.name not in needed and _OURS.fullmatch(file.name):
                    file.unlink(missing_ok=True)
            for folder in self._directory.glob(f"{_TABLES_PREFIX}*"):
                if folder.name not in tables and _OURS.fullmatch(folder.name):
                    shutil.rmtree(folder)

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

    def _acquire(self, lock: FileLock) -> None:
        # The lock file itself is emptied by whoever tries it, so the holder's id stands beside it.
        holder = self._directory / _HOLDER
        try:
            lock.acquire()
        except Timeout as error:
            pid = holder.read_text(encoding="utf-8").strip() if holder.exists() else "unknown"
            raise SnapshotConflict(
                f"{self._directory}: process {pid} is writing this index. Wait for it to end, or stop it."
            ) from error
        holder.write_text(str(os.getpid()), encoding="utf-8")

    def _current_generation(self) -> int | None:
        file = self._directory / CURRENT
        with reading(file):
            try:
                content = file.read_bytes().strip()
            except FileNotFoundError:
                return None
        if not content.isdigit():
            raise StoreError(
                f"{file}: damaged, it names no snapshot. Run `graphrag index --full` to rebuild the index."
            )
        return int(content)

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
        return self._directory / _MANIFESTS / f"{generation:08d}.json.gz"

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
    number = file.name.split(".", 1)[0]
    return int(number) if number.isdecimal() else 0


def _write_durably(file: Path, content: bytes) -> None:
    """Replace a file so that after a power cut it holds either all of the old content or all of the new."""
    temporary = file.with_name(f"{file.name}.tmp")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)
    if os.name == "posix":
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_index(directory: Path) -> None:
    """Delete an index, unless a process is writing it, which then sees what the vault no longer shows."""
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
