"""A vault's settings -> its parts: stores, models, sources, locks and policies. They are wired together only here."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.domain.access import NO_LIMIT, Limit
from graphrag.domain.ports import ChatModel, ChunkWriter, Embedder, GraphWriter, Reranker, Tokenizer, VaultSource
from graphrag.domain.snapshot import NO_EMBEDDER, Fingerprints, Lag, Manifest
from graphrag.errors import ConfigError, StoreError, VaultError
from graphrag.ingest import note_rule
from graphrag.ingest.day_names import daily_formats
from graphrag.ingest.note_rule import NoteRule, digest_of
from graphrag.language.interface import Language, interface_language
from graphrag.providers import ConfiguredModels, load_tokenizer
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.settings import DEFAULT_INDEX_DIR, SETTINGS_FILE, Settings
from graphrag.stores.calibration_file import CalibrationFile
from graphrag.stores.cypher_query import KuzuGraphQueries
from graphrag.stores.graph_files import WalkFiles
from graphrag.stores.index_folder import HeartbeatFile
from graphrag.stores.kuzu_graph import KuzuGraphReader, KuzuGraphWriter
from graphrag.stores.lance_chunks import LanceChunkReader, LanceChunkWriter, LanceWeightReader
from graphrag.stores.limited_index import limited_folder, outside_file
from graphrag.stores.snapshot_folder import SnapshotFolder
from graphrag.vault.present_notes import PresentPassages, is_left_out
from vault_sync.commit import CommitSource, has_notes_at_head
from vault_sync.commit_diff import line_date
from vault_sync.index_lag import measure_lag
from vault_sync.repository import Repository, find_repository
from vault_sync.worktree import NOTE_SUFFIXES, FileRules, WorktreeSource

if TYPE_CHECKING:
    from graphrag.ingest.indexer import Indexer
    from graphrag.retrieve.pipeline import SearchPolicy
    from graphrag.retrieve.walk import Walk
    from graphrag.stores.embedding_cache import SqliteEmbeddingCache


_MARKS = ((SETTINGS_FILE, DEFAULT_INDEX_DIR), (".obsidian",), (".git",))  # the surer ones first


def enclosing_vault(cwd: Path) -> Path:
    """Return the folder that a mark makes a vault, the nearest above `cwd`; else `cwd`, if it holds a note itself.

    Raises:
        VaultError: it lies in no vault.
    """
    for marks in _MARKS:
        for folder in (cwd, *cwd.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    if any(entry.suffix in NOTE_SUFFIXES for entry in cwd.iterdir()):
        return cwd
    raise VaultError(f"{cwd}: lies in no vault. Go into the folder of your notes, or name it with --vault.")


PAST_FOLDER = "at"
USER_DICTIONARY = "userdict.txt"
_OPEN_ATTEMPTS = 3


@dataclass(frozen=True)
class Parts:
    """The parts of one vault; each is made when it is first asked for."""

    vault: Path
    settings: Settings
    commit: str = ""  # the past commit that this is about; empty for the present
    limit: Limit = NO_LIMIT  # the part of the vault that this is about
    models: ConfiguredModels | None = field(default=None, compare=False)  # in use already; None makes them

    def at(self, commit: str) -> "Parts":
        """Return the parts of the vault as it was at a commit."""
        return replace(self, commit=commit, models=self._models)

    def language(self, question: str = "") -> Language:
        """Return the language that a question is answered in; of messages, without one."""
        return interface_language(self.settings.interface.language, question)

    def within(self, limit: Limit) -> "Parts":
        """Return the parts of what lies within a limit."""
        return replace(self, limit=limit, models=self._models)

    @property
    def main_dir(self) -> Path:
        """The folder of the vault's own index, which all others lie in."""
        return self.vault / Path(self.settings.index.dir).expanduser()

    @property
    def index_dir(self) -> Path:
        """The folder of this index: one inside the vault's own for a limited part."""
        return self.main_dir if self.limit.is_empty else limited_folder(self.main_dir, digest_of(self.limit))

    @property
    def snapshot_dir(self) -> Path:
        """The folder of the snapshots: the index's own, or one inside it for a past commit."""
        return self.index_dir / PAST_FOLDER / self.commit if self.commit else self.index_dir

    @cached_property
    def snapshots(self) -> SnapshotFolder:
        """The snapshots of the index."""
        folder = self.main_dir.resolve()
        if self.vault == folder or self.vault.is_relative_to(folder):
            raise ConfigError(
                f"{folder}: the index cannot lie in the vault's own folder or above it. Change [index] dir."
            )
        owner = "." if folder.is_relative_to(self.vault) else str(self.vault)
        around = tuple(dict.fromkeys((self.main_dir, self.index_dir)))
        return SnapshotFolder(self.snapshot_dir, owner, tuple(outer for outer in around if outer != self.snapshot_dir))

    @property
    def heartbeat(self) -> HeartbeatFile:
        """What a watcher of this vault says of itself."""
        return HeartbeatFile(self.index_dir)

    @property
    def rules(self) -> FileRules:
        """Which files become notes, as the settings and the vault's ignore file say now."""
        self._rules[0] = self._rules[0].fresh()
        return self._rules[0]

    @cached_property
    def _rules(self) -> list[FileRules]:
        rules = self.settings.vault
        return [FileRules(self.vault, rules.exclude, rules.max_file_bytes)]

    @property
    def note_rule(self) -> NoteRule:
        """Which notes the index holds, by what they say."""
        exclude, vault = self.settings.vault.exclude_tags, self.vault
        return NoteRule(exclude, self.limit, note_rule.is_of_logseq(vault), daily_formats(vault))

    @property
    def worktree(self) -> WorktreeSource:
        """The vault as it lies on disk."""
        return WorktreeSource(self.vault, self.rules)

    @cached_property
    def repository(self) -> Repository | None:
        """The vault's repository, if it has one."""
        return find_repository(self.vault)

    def source(
        self, hidden: Mapping[str, str] | None = None, remembers: bool = False, saved_files: bool = False
    ) -> VaultSource:
        """Return what the index follows: a commit where Git holds the notes, unless the settings want `saved_files`.

        `hidden` are paths of a past commit that must stay out, with the reason. Who `remembers` may write.
        """
        whole = self._whole_source(hidden, saved_files or self.settings.index.worktree)
        if self.limit.is_empty:
            return whole
        from graphrag.vault.limited_source import LimitedSource  # it needs the parser, which a search does without

        memory = outside_file(self.main_dir, digest_of(self.limit))
        return LimitedSource(whole, self.note_rule, memory, lambda: self.repository, remembers)

    def _whole_source(self, hidden: Mapping[str, str] | None, saved_files: bool) -> VaultSource:
        if self.commit and self.repository:
            return CommitSource(self.vault, self.repository, self.commit, self.rules, hidden)
        # The first commit may come at any time, so this is decided anew whenever it is asked.
        repository = None if saved_files else find_repository(self.vault)
        if repository and has_notes_at_head(repository):
            return CommitSource(self.vault, repository, "HEAD", self.rules)
        return self.worktree

    @cached_property
    def _models(self) -> ConfiguredModels:
        return self.models or ConfiguredModels(self.settings)

    def embedder(self, base: Manifest | None) -> Embedder | None:
        """Return the embedder of an index that goes on from a snapshot, or starts afresh; None when none is wanted."""
        return self._models.embedder(base.fingerprints.embedder if base else self._outer_embedder())

    def _outer_embedder(self) -> str:
        """Return the id of the embedder of the vault's own index, for one inside it: they share a cache of vectors."""
        if not self.commit and self.limit.is_empty:
            return ""
        try:
            outer = replace(self, commit="", limit=NO_LIMIT).snapshots.current()
        except StoreError:
            return ""
        return outer.fingerprints.embedder if outer else ""

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker, None when the settings want none."""
        return self._models.reranker

    @cached_property
    def chat_model(self) -> ChatModel | None:
        """The chat model, None when the settings want none."""
        return self._models.chat_model

    def tokenizer(self, lexicon: Iterable[str]) -> Tokenizer:
        """Return a tokenizer that keeps these words whole."""
        return load_tokenizer(lexicon)

    def fingerprints(self, base: Manifest | None) -> Fingerprints:
        """Return the identities of what decides the content of an index that goes on from a snapshot, or none."""
        chunk, embedder = self.settings.chunk, self.embedder(base)
        return Fingerprints(
            parser=self.note_rule.fingerprint,
            cleaner=note_rule.CLEANER,
            chunker=f"{note_rule.CHUNKER}:{chunk.min_size}:{chunk.max_size}:{chunk.overlap}",
            tokenizer=self.tokenizer(()).fingerprint,
            graph=self.settings.index.graph_engine,
            embedder=embedder.model_id if embedder else NO_EMBEDDER,
        )

    @property
    def user_words(self) -> tuple[str, ...]:
        """The words of the user's dictionary as it is now."""
        return note_rule.read_user_words(self.vault / USER_DICTIONARY)

    def indexer(
        self,
        hidden: Mapping[str, str] | None = None,
        forget_copies: Callable[[bool], None] = lambda limited_too: None,
    ) -> "Indexer":
        """Return the indexer of this vault; `hidden` are paths of a past commit that must stay out.

        `forget_copies` removes what else holds the text of notes, of limited parts on demand.
        """
        from graphrag.ingest.chunk import ChunkPolicy
        from graphrag.ingest.indexer import Indexer, IndexPlan, IndexStores

        chunk = self.settings.chunk
        plan = IndexPlan(
            policy=ChunkPolicy(chunk.min_size, chunk.max_size, chunk.overlap),
            fingerprints=self.fingerprints,
            rule=self.note_rule,
            user_words=self.user_words,
            keep_snapshots=self.settings.index.keep_snapshots,
        )
        stores = IndexStores(
            self.snapshots,
            self._chunk_writer,
            self._graph_writer,
            self._embedding_cache,
            WalkFiles(self.snapshots.graph_path_of),
            forget_copies,
        )
        source = self.source(hidden, remembers=not self.commit)
        return Indexer(source, stores, plan, self.tokenizer, self.embedder)

    def open_readers(self) -> SnapshotReaders | None:
        """Open the current snapshot, None when there is none; a writer that publishes meanwhile is waited out.

        Raises:
            StoreError: the snapshot cannot be read.
        """
        for attempt in range(1, _OPEN_ATTEMPTS + 1):
            manifest = self.snapshots.current()
            if manifest is None:
                return None
            try:
                return self.readers(manifest)
            except StoreError:
                if attempt == _OPEN_ATTEMPTS or self.snapshots.current() == manifest:
                    raise
        raise AssertionError("the loop returns or raises")

    def search_policy(self, top_k: int | None = None) -> "SearchPolicy":
        """Return the numbers of the read path."""
        from graphrag.retrieve.pipeline import search_policy

        return search_policy(self.settings, top_k)

    @property
    def calibration(self) -> CalibrationFile:
        """What `calibrate` found for this vault."""
        return CalibrationFile(self.index_dir)

    def min_confidence(self, manifest: Manifest) -> float:
        """Return how sure a search must be: by the settings, a calibration with its embedder, or the default."""
        from graphrag.retrieve.confidence import DEFAULT_CONFIDENCE

        if not isinstance(wanted := self.settings.search.min_confidence, str):
            return wanted
        kept = self.calibration.read()
        fits = kept is not None and kept.embedder == self.fingerprints(manifest).embedder
        return kept.min_confidence if kept and fits else DEFAULT_CONFIDENCE

    def lag(self, manifest: Manifest) -> Lag | None:
        """Return how far the vault is ahead of a snapshot of the present; of a limited one, None: others count, too."""
        stays_out = partial(is_left_out, self.note_rule)
        return measure_lag(self.vault, manifest, self.rules, stays_out) if self.limit.is_empty else None

    def readers(self, manifest: Manifest, is_past: bool = False, withheld: Collection[str] = ()) -> SnapshotReaders:
        """Open one snapshot; of one of the past, `withheld` are notes that must not be shown today."""
        folder = self.snapshot_dir / manifest.store_dir
        graph_file, engine = self.snapshots.graph_of(manifest), manifest.fingerprints.graph
        is_past = is_past or bool(self.commit)
        return SnapshotReaders(
            manifest=manifest,
            chunks=LanceChunkReader(folder, manifest.chunks_version, manifest.vectors_version),
            graph=KuzuGraphReader(graph_file, engine),
            tokenizer=self.tokenizer(manifest.lexicon),
            load_embedder=lambda: self._embedder_of(manifest),
            present=PresentPassages(lambda: self.worktree, manifest, self.note_rule, is_past, withheld),
            load_walk=self._walk_loader(manifest),
            line_date=lambda note, first, last: self._line_date(manifest, note, first, last),
            load_reranker=lambda: self.reranker,
            weights=LanceWeightReader(folder, manifest.vectors_version),
            queries=KuzuGraphQueries(graph_file, engine),
        )

    def _embedder_of(self, manifest: Manifest) -> Embedder | None:
        """Return the embedder if it made the snapshot's vectors: those of two models never meet."""
        embedder = self.embedder(manifest)
        return embedder if embedder and embedder.model_id == manifest.fingerprints.embedder else None

    def _walk_loader(self, manifest: Manifest) -> "Callable[[], Walk | None]":
        """Return a function that loads the walk of a snapshot, once it is made, and keeps it."""
        found: list[Walk] = []

        def load() -> "Walk | None":
            from graphrag.retrieve.walk import Walk, walk_policy

            if not found and (graph := WalkFiles(self.snapshots.graph_path_of).load_walk(manifest)):
                found.append(Walk(graph, walk_policy(self.settings.walk)))
            return found[0] if found else None

        return load

    def _line_date(self, manifest: Manifest, note: str, first: int, last: int) -> datetime | None:
        if not manifest.commit or not self.repository:
            return None
        return line_date(self.repository, manifest.commit, note, manifest.notes[note].content_hash, first, last)

    def _chunk_writer(self, folder: str, chunks_version: int, vectors_version: int) -> ChunkWriter:
        return LanceChunkWriter(self.snapshot_dir / folder, chunks_version, vectors_version)

    def _graph_writer(self, file: Path) -> GraphWriter:
        return KuzuGraphWriter(file, self.settings.index.graph_engine)

    def _embedding_cache(self) -> "SqliteEmbeddingCache":
        from graphrag.stores.embedding_cache import SqliteEmbeddingCache

        return SqliteEmbeddingCache(self.main_dir / "embeddings.sqlite")
