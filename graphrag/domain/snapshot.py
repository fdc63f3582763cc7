"""What an index reflects, and what a run of the indexer did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.domain.note import Chunk, Diagnostic, Note, NoteType, ResolvedLink

NO_EMBEDDER = "none"
_LONGEST_WORD = 40  # characters; a longer title is a sentence


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file that may become a note; `created` and `updated` come from Git where it knows them."""

    path: str  # NFC, POSIX, relative to the vault
    content_hash: str  # of the bytes, as Git names a blob
    size: int  # bytes
    created: datetime | None
    updated: datetime | None

    @property
    def dates(self) -> str:
        """Both dates as the manifest keeps them."""
        return "|".join(moment.isoformat() if moment else "" for moment in (self.created, self.updated))


@dataclass(frozen=True, slots=True)
class VaultState:
    """The files of the vault at one moment."""

    files: tuple[NoteFile, ...]
    commit: str  # 40 hex digits; empty without Git
    worktree: bool  # whether the files hold changes that are in no commit; true without Git
    skipped: tuple[Diagnostic, ...]  # left out by a rule, with the rule as its message
    withdrawn: frozenset[str] = frozenset()  # notes of the snapshot that are there, and must leave no trace in it


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """How the vault differs from a snapshot; a rename is a deletion and an addition of equal content."""

    added: tuple[NoteFile, ...]
    changed: tuple[NoteFile, ...]
    deleted: tuple[str, ...]
    renamed: Mapping[str, str]  # old path -> new path; both also stand in `deleted` and `added`

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.added or self.changed or self.deleted)


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """What the manifest keeps of a note: enough to see a change and to resolve links to it without a store."""

    content_hash: str
    dates: str  # created and updated as Git gave them; a note whose dates changed is indexed again
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    types: tuple[NoteType, ...]
    chunk_count: int
    origin: str = ""  # the address that it was taken from
    day: str = ""  # YYYY-MM-DD, the day that it is about

    @property
    def words(self) -> set[str]:
        """The words that the note names itself by: its title, its aliases, and the levels of its tags."""
        words = {self.title, *self.aliases, *(level for tag in self.tags for level in tag.split("/"))}
        return {word for word in words if 1 < len(word) <= _LONGEST_WORD}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that was read and not indexed, since it is private or failed."""

    content_hash: str
    dates: str


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """Identities of everything that decides what the stores hold; a difference means a rebuild."""

    parser: str
    cleaner: str
    chunker: str
    tokenizer: str
    graph: str
    embedder: str

    def differences(self, other: "Fingerprints") -> tuple[str, ...]:
        """Return the names of the parts that differ."""
        return tuple(name for name in self.__slots__ if getattr(self, name) != getattr(other, name))


@dataclass(frozen=True, slots=True)
class Manifest:
    """One published snapshot. A request opens one and keeps it."""

    generation: int
    commit: str
    worktree: bool  # whether it holds changes that are in no commit
    store_dir: str  # folder of both tables, relative to the index; a rebuild makes a new one
    chunks_version: int  # LanceDB version of the text table
    vectors_version: int  # LanceDB version of the vector table; 0 before the first batch
    graph_file: str
    graph_digest: str  # of the graph file: a damaged one can kill the process that opens it
    fingerprints: Fingerprints
    notes: Mapping[str, NoteEntry]
    left_out: Mapping[str, LeftOut]
    user_words: tuple[str, ...]  # of the user's dictionary
    diagnostics: tuple[Diagnostic, ...]  # skipped and failed notes, and warnings, each with its reason
    chunk_count: int
    embedded_count: int
    created: datetime

    @property
    def files(self) -> Mapping[str, NoteEntry | LeftOut]:
        """All files that were read, by path."""
        return {**self.left_out, **self.notes}

    @property
    def lexicon(self) -> set[str]:
        """Words that the tokenizer finds whole besides those of its own dictionary."""
        return {*self.user_words}.union(*(entry.words for entry in self.notes.values()))

    @property
    def embedded(self) -> float:
        """Share of the wanted vectors that are there, 0 to 1; without an embedder none is wanted."""
        is_complete = not self.chunk_count or self.fingerprints.embedder == NO_EMBEDDER
        return 1.0 if is_complete else self.embedded_count / self.chunk_count


@dataclass(frozen=True, slots=True)
class Lag:
    """How far a vault is ahead of a snapshot."""

    commits: int  # since the snapshot's; 0 outside Git
    notes: int  # that differ, of those that the index follows: committed ones, or saved ones
    uncommitted: int  # notes with changes that are in no commit, which an index that follows commits does not hold

    @property
    def is_zero(self) -> bool:
        """Whether the snapshot reflects all that it follows."""
        return not (self.commits or self.notes)


@dataclass(frozen=True, slots=True)
class IndexedNote:
    """A note ready for the stores: `tokens` holds one pre-tokenised string per chunk."""

    note: Note
    content_hash: str
    chunks: tuple[Chunk, ...]
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteBatch:
    """One write: the notes to put in, and the paths whose old rows go first (the notes' own paths included).

    `links` are the complete outgoing links of the notes in the batch and of notes elsewhere whose targets changed
    because of it; `relinked` names those other notes. `retokenized` are notes elsewhere of which only the terms differ.
    """

    notes: tuple[IndexedNote, ...]
    removed: tuple[str, ...]
    links: tuple[ResolvedLink, ...]
    relinked: tuple[str, ...] = field(default=())
    retokenized: tuple[IndexedNote, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of the indexer did."""

    generation: int
    commit: str
    added: int
    changed: int
    deleted: int
    renamed: int
    notes: int
    chunks: int
    embedded: int  # chunks that have a vector now
    embeddings_made: int  # texts sent to the embedder in this run; the rest came from the cache
    rebuilt: tuple[str, ...]  # reasons for a rebuild, empty otherwise
    diagnostics: tuple[Diagnostic, ...]
    seconds: float

    @property
    def is_partial(self) -> bool:
        """Whether embedding stopped before its end, so that another run goes on with it."""
        return self.embeddings_made > 0 and self.embedded < self.chunks

    @property
    def is_unchanged(self) -> bool:
        """Whether the run found nothing to do."""
        return not (self.added or self.changed or self.deleted or self.renamed or self.embeddings_made or self.rebuilt)


def find_changes(manifest: Manifest | None, state: VaultState) -> ChangeSet:
    """Return what must be indexed anew; without a manifest, everything is an addition."""
    if manifest is None:
        return ChangeSet(state.files, (), (), {})
    paths = {file.path for file in state.files}
    known = manifest.files
    added = tuple(file for file in state.files if file.path not in known)
    changed = tuple(file for file in state.files if file.path in known and _is_changed(known[file.path], file))
    deleted = tuple(sorted(path for path in known if path not in paths))
    return ChangeSet(added, changed, deleted, _renames(manifest, added, deleted))


def _is_changed(known: NoteEntry | LeftOut, file: NoteFile) -> bool:
    return (known.content_hash, known.dates) != (file.content_hash, file.dates)


def _renames(manifest: Manifest, added: tuple[NoteFile, ...], deleted: tuple[str, ...]) -> dict[str, str]:
    """Pair each deleted note with an added one of the same content."""
    arrivals: dict[str, list[str]] = {}
    for file in reversed(added):
        arrivals.setdefault(file.content_hash, []).append(file.path)
    renames: dict[str, str] = {}
    for path in deleted:
        entry = manifest.notes.get(path)
        if entry and (matching := arrivals.get(entry.content_hash)):
            renames[path] = matching.pop()
    return renames
