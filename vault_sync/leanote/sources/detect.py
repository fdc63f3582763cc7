"""A path -> the source of notes that it is, told by its shape and not by its name; archives are unpacked first.

Of several shapes in one folder one is read, and the others are named as a problem. An address is not opened here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from graphrag.errors import SourceRefused
from vault_sync.leanote.account import FileRef, LeanoteSource, Notebook, NoteListing, Problem
from vault_sync.leanote.sources.archives import is_archive, opened_folder
from vault_sync.leanote.sources.desktop import DESKTOP_SUFFIX, DesktopSource
from vault_sync.leanote.sources.evernote import EVERNOTE_SUFFIX, EvernoteSource
from vault_sync.leanote.sources.exporters import NOTE_SUFFIXES
from vault_sync.leanote.sources.folder_files import FolderFiles, given
from vault_sync.leanote.sources.html_export import HTML_SUFFIXES, HtmlExportSource, has_note_page
from vault_sync.leanote.sources.markdown_export import MarkdownExportSource, has_note_text
from vault_sync.leanote.sources.mongodump import find_server_files

_UPLOADS = frozenset({"files", "public", "upload"})
_DUMP_NAMES = ("notes.bson", "notes.bson.gz")
_ACCEPTED = (
    "a mongodump with notes.bson, .leanote files, Markdown from an exporter, HTML or .enex of the desktop app, "
    "each as a folder, zip, tar or tar.gz"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a path may be read with; a kind of source takes what concerns it."""

    files: Path | None = None  # where a dump's pictures and attachments are
    user: str | None = None  # whose notes of a dump
    zone: tzinfo | None = None  # of times without one
    site: str = ""  # the address of the server, for links to the originals


@dataclass(frozen=True, slots=True)
class _Shape:
    name: str
    count: Callable[[FolderFiles, Sequence[str]], int]  # of some of the files
    open: Callable[[Path, Reading], LeanoteSource]


@contextmanager
def open_source(
    source: str | Path,
    *,
    files: Path | None = None,
    user: str | None = None,
    zone: tzinfo | None = None,
    site: str = "",
) -> Iterator[LeanoteSource]:
    """Yield the source that a folder, archive or file is; it is closed, and what was unpacked removed, at the end.

    Raises:
        SourceRefused: nothing of Leanote's is in it, or it cannot be read.
        SourceUnavailable: an archive cannot be unpacked now.
    """
    path = Path(source)
    with ExitStack() as stack:
        folder, problems = path, tuple[Problem, ...]()
        if not path.is_file() or is_archive(path):
            unpacked = stack.enter_context(opened_folder(path))
            folder, problems = _inner(unpacked.folder, path), unpacked.problems
        reading = Reading(files or find_server_files(path), user, zone, site)
        opened = _opened(folder, path.name or str(path), reading, problems)
        stack.callback(opened.close)
        yield opened


def _opened(path: Path, label: str, reading: Reading, problems: Sequence[Problem]) -> LeanoteSource:
    files = given(path)
    paths = _own_paths(files)
    counts = [(shape, count) for shape in _SHAPES if (count := shape.count(files, paths))]
    if not counts:
        raise SourceRefused(f"{label}: no notes of Leanote in it. Accepted are {_ACCEPTED}.")
    taken = max(counts, key=lambda counted: (counted[0] is _DUMP, counted[1]))[0]  # of equals the first
    others = ", ".join(f"{count} {shape.name}" for shape, count in counts if shape is not taken)
    if others:
        reason = "a dump holds the most of an account" if taken is _DUMP else "there are most of it"
        message = f"also holds {others}; only {taken.name} is read, as {reason}. Import the rest from its own folder"
        problems = (*problems, Problem(label, message))
    return _LabelledSource(taken.open(path, reading), label, problems)


def _own_paths(files: FolderFiles) -> Sequence[str]:
    """Return all paths, but for those of the server's uploads beside a dump: an attachment is no export."""
    if not _dumps(files, files.paths):
        return files.paths
    return [path for path in files.paths if _UPLOADS.isdisjoint(path.split("/")[:-1])]


def _inner(folder: Path, archive: Path) -> Path:
    """Return the one folder that a packing program wrapped around everything, told by the archive's own name."""
    if folder == archive:
        return folder
    entries = list(folder.iterdir())
    is_wrapped = len(entries) == 1 and entries[0].is_dir() and archive.name.startswith(f"{entries[0].name}.")
    return entries[0] if is_wrapped else folder


def _by_suffix(*suffixes: str) -> Callable[[FolderFiles, Sequence[str]], int]:
    return lambda _, paths: sum(path.lower().endswith(suffixes) for path in paths)


def _dumps(_: FolderFiles, paths: Sequence[str]) -> int:
    return sum(path.rpartition("/")[2] in _DUMP_NAMES for path in paths)


def _pages(files: FolderFiles, paths: Sequence[str]) -> int:
    return sum(path.lower().endswith(HTML_SUFFIXES) and has_note_page(files, path) for path in paths)


def _markdown(files: FolderFiles, paths: Sequence[str]) -> int:
    """Return the number of notes as Markdown or as marked text; other text may be anything."""
    return sum(has_note_text(files, path) for path in paths if path.lower().endswith(NOTE_SUFFIXES))


def _dump(path: Path, reading: Reading) -> LeanoteSource:
    from vault_sync.leanote.sources.mongodump import MongodumpSource

    return MongodumpSource(path, files=reading.files, user=reading.user, site=reading.site)


_DUMP = _Shape("database dump", _dumps, _dump)
_SHAPES = (  # what tells more of a note comes first
    _DUMP,
    _Shape(".leanote", _by_suffix(DESKTOP_SUFFIX), lambda path, reading: DesktopSource(path, reading.zone)),
    _Shape("Markdown", _markdown, lambda path, reading: MarkdownExportSource(path, reading.zone)),
    _Shape("HTML", _pages, lambda path, _: HtmlExportSource(path)),
    _Shape("Evernote", _by_suffix(EVERNOTE_SUFFIX), lambda path, _: EvernoteSource(path)),
)


class _LabelledSource:
    """A source under the name that the user gave, with the problems of opening it."""

    def __init__(self, source: LeanoteSource, label: str, problems: Sequence[Problem]) -> None:
        self.source = source
        self.label = label
        self._problems = problems

    @property
    def is_whole(self) -> bool:
        return self.source.is_whole and not self._problems  # else what was left out may have been notes

    @property
    def has_ids(self) -> bool:
        return self.source.has_ids

    def checkpoint(self) -> str:
        return self.source.checkpoint()

    def notebooks(self) -> Sequence[Notebook]:
        return self.source.notebooks()

    def notes(self) -> Iterator[NoteListing]:
        return self.source.notes()

    def body(self, note: NoteListing) -> str:
        return self.source.body(note)

    def file(self, ref: FileRef, note: NoteListing) -> bytes | None:
        return self.source.file(ref, note)

    def problems(self) -> Sequence[Problem]:
        return (*self._problems, *self.source.problems())

    def close(self) -> None:
        self.source.close()
