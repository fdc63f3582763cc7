"""Builds the parts of one vault from its settings: where they are wired together, and nowhere else."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.domain.models import ChatModel, Embedder, Reranker
from graphrag.domain.ports import ChunkWriter, GraphWriter, Tokenizer, VaultSource
from graphrag.domain.snapshot import NO_EMBEDDER, Fingerprints, Lag, Manifest
from graphrag.domain.walk import EdgeKind
from graphrag.errors import ConfigError, StoreError
from graphrag.ingest import versions
from graphrag.present import PresentPassages
from graphrag.providers import load_chat_model, load_embedder, load_reranker, load_tokenizer
from graphrag.retrieve.answer import AnswerPolicy
from graphrag.retrieve.expand import ExpandPolicy
from graphrag.retrieve.pipeline import Expansion, SearchPolicy, SnapshotReaders
from graphrag.retrieve.rerank import RerankPolicy
from graphrag.retrieve.select import SelectPolicy
from graphrag.retrieve.walk import Walk, WalkPolicy
from graphrag.retrieve.walked import BlendPolicy
from graphrag.settings import Settings
from graphrag.stores.embedding_cache import SqliteEmbeddingCache
from graphrag.stores.heartbeat import HeartbeatFile
from graphrag.stores.kuzu_graph import KuzuGraphReader, KuzuGraphWriter
from graphrag.stores.lance_chunks import LanceChunkReader, LanceChunkWriter
from graphrag.stores.snapshots import SnapshotFolder
from graphrag.stores.walk_file import WalkFiles
from vault_sync.blame import line_date
from vault_sync.commit import CommitSource, has_notes_at_head
from vault_sync.file_rules import FileRules
from vault_sync.lag import measure_lag
from vault_sync.repository import Repository, find_repository
from vault_sync.worktree import WorktreeSource

if TYPE_CHECKING:
    from graphrag.ingest.indexer import Indexer

PAST_FOLDER = "at"
USER_DICTIONARY = "userdict.txt"
NO_RERANKER = "none"
_OPEN_ATTEMPTS = 3


@dataclass(frozen=True)
class Parts:
    """The parts of one vault; each is made when it is first asked for."""

    vault: Path
    settings: Settings
    commit: str = ""  # the past commit that this is about; empty for the present

    @property
    def index_dir(self) -> Path:
        """The folder of the index."""
        return self.vault / Path(self.settings.index.dir).expanduser()

    @property
    def snapshot_dir(self) -> Path:
        """The folder of the snapshots: the index's own, or one inside it for a past commit."""
        return self.index_dir / PAST_FOLDER / self.commit if self.commit else self.index_dir

    @cached_property
    def snapshots(self) -> SnapshotFolder:
        """The snapshots of the index."""
        folder = self.index_dir.resolve()
        if self.vault == folder or self.vault.is_relative_to(folder):
            raise ConfigError(
                f"{folder}: the index cannot lie in the vault's own folder or above it. Change [index] dir."
            )
        return SnapshotFolder(self.snapshot_dir, "." if folder.is_relative_to(self.vault) else str(self.vault))

    @property
    def heartbeat(self) -> HeartbeatFile:
        """What a watcher of this vault says of itself."""
        return HeartbeatFile(self.index_dir)

    @property
    def rules(self) -> FileRules:
        """Which files become notes, as the settings and the vault's ignore file say now."""
        rules = self.settings.vault
        return FileRules(self.vault, rules.exclude, rules.max_file_bytes)

    @property
    def worktree(self) -> WorktreeSource:
        """The vault as it lies on disk."""
        return WorktreeSource(self.vault, self.rules)

    @cached_property
    def repository(self) -> Repository | None:
        """The vault's repository, if it has one."""
        return find_repository(self.vault)

    def source(self, hidden: Mapping[str, str] | None = None) -> VaultSource:
        """Return what the index follows: a commit where Git holds the notes, unless the settings want saved files.

        `hidden` are paths of a past commit that must stay out, with the reason.
        """
        if self.commit and self.repository:
            return CommitSource(self.vault, self.repository, self.commit, self.rules, hidden)
        # The first commit may come at any time, so this is decided anew whenever it is asked.
        repository = None if self.settings.index.worktree else find_repository(self.vault)
        if repository and has_notes_at_head(repository):
            return CommitSource(self.vault, repository, "HEAD", self.rules)
        return self.worktree

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedder, None when the settings want none; its library, weights or server are used with a first text."""
        name = self.settings.index.embedder
        return None if name == NO_EMBEDDER else load_embedder(name, self.settings.embedding)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker of the settings, loaded on first use; None when they want none."""
        return load_reranker(self.settings.rerank)

    @cached_property
    def chat_model(self) -> ChatModel | None:
        """The chat model of the settings; whether it answers shows on use."""
        return load_chat_model(self.settings.answer)

    def tokenizer(self, lexicon: Iterable[str]) -> Tokenizer:
        """Return a tokenizer that keeps these words whole."""
        return load_tokenizer(lexicon)

    def fingerprints(self) -> Fingerprints:
        """Return the identities of the parts that decide what the stores hold."""
        chunk = self.settings.chunk
        return Fingerprints(
            parser=":".join((versions.PARSER, *sorted(self.settings.vault.exclude_tags))),
            cleaner=versions.CLEANER,
            chunker=f"{versions.CHUNKER}:{chunk.min_size}:{chunk.max_size}:{chunk.overlap}",
            tokenizer=self.tokenizer(()).fingerprint,
            graph=self.settings.index.graph_engine,
            embedder=self.embedder.model_id if self.embedder else NO_EMBEDDER,
        )

    def indexer(self, hidden: Mapping[str, str] | None = None) -> "Indexer":
        """Return the indexer of this vault; `hidden` are paths of a past commit that must stay out."""
        from graphrag.ingest.chunk import ChunkPolicy
        from graphrag.ingest.index_run import IndexPlan, IndexStores
        from graphrag.ingest.indexer import Indexer

        chunk = self.settings.chunk
        plan = IndexPlan(
            policy=ChunkPolicy(chunk.min_size, chunk.max_size, chunk.overlap),
            fingerprints=self.fingerprints(),
            exclude_tags=self.settings.vault.exclude_tags,
            user_words=self._user_words(),
            keep_snapshots=self.settings.index.keep_snapshots,
        )
        stores = IndexStores(
            self.snapshots,
            self._chunk_writer,
            self._graph_writer,
            self._embedding_cache,
            WalkFiles(self.snapshots.graph_path_of),
        )
        return Indexer(self.source(hidden), stores, plan, self.tokenizer, lambda: self.embedder)

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

    def search_policy(self, top_k: int | None = None) -> SearchPolicy:
        """Return the numbers of the read path."""
        search = self.settings.search
        return SearchPolicy(
            candidates=search.candidates,
            rrf_k=search.rrf_k,
            expansion=Expansion(search.expansion),
            expand=ExpandPolicy(search.max_hops, search.hop_decay, search.hub_links),
            blend=BlendPolicy(search.rrf_k, search.walk_share, search.pointed_share),
            select=SelectPolicy(top_k or search.top_k, search.max_per_note, search.floor_margin),
            rerank=self._rerank_policy(),
        )

    def _rerank_policy(self) -> RerankPolicy | None:
        rerank = self.settings.rerank
        if rerank.provider == NO_RERANKER:
            return None
        return RerankPolicy(rerank.candidates, rerank.share, self.settings.search.rrf_k)

    def answer_policy(self) -> AnswerPolicy:
        """Return the numbers of the answer."""
        answer, search = self.settings.answer, self.settings.search
        return AnswerPolicy(
            answer.token_budget,
            answer.max_characters,
            search.min_coverage,
            search.min_similarity,
            answer.sub_questions,
        )

    def lag(self, manifest: Manifest) -> Lag | None:
        """Return how far the vault is ahead of a snapshot of the present."""
        return measure_lag(self.vault, manifest, self.rules)

    def readers(self, manifest: Manifest, is_past: bool = False, withheld: Collection[str] = ()) -> SnapshotReaders:
        """Open one snapshot; of one of the past, `withheld` are notes that must not be shown today."""
        folder = self.snapshot_dir / manifest.store_dir
        tags = self.settings.vault.exclude_tags
        is_past = is_past or bool(self.commit)
        return SnapshotReaders(
            manifest=manifest,
            chunks=LanceChunkReader(folder, manifest.chunks_version, manifest.vectors_version),
            graph=KuzuGraphReader(self.snapshots.graph_of(manifest), manifest.fingerprints.graph),
            tokenizer=self.tokenizer(manifest.lexicon),
            load_embedder=lambda: self._embedder_of(manifest),
            present=PresentPassages(lambda: self.worktree, manifest, tags, is_past, withheld),
            load_walk=self._walk_loader(manifest),
            line_date=lambda note, first, last: self._line_date(manifest, note, first, last),
            load_reranker=lambda: self.reranker,
        )

    def _embedder_of(self, manifest: Manifest) -> Embedder | None:
        """Return the embedder if it made the snapshot's vectors: those of two models never meet."""
        embedder = self.embedder
        return embedder if embedder and embedder.model_id == manifest.fingerprints.embedder else None

    def _walk_loader(self, manifest: Manifest) -> Callable[[], Walk | None]:
        """Return a function that loads the walk of a snapshot, once it is made, and keeps it."""
        found: list[Walk] = []

        def load() -> Walk | None:
            if not found and (graph := WalkFiles(self.snapshots.graph_path_of).load_walk(manifest)):
                found.append(Walk(graph, self._walk_policy()))
            return found[0] if found else None

        return load

    def _walk_policy(self) -> WalkPolicy:
        walk = self.settings.walk
        weights = {
            EdgeKind.BELONGS: walk.own,
            EdgeKind.NAMES: walk.mention,
            EdgeKind.LINKS: walk.link,
            EdgeKind.TYPED: walk.typed_link,
            EdgeKind.SHARES: walk.term,
        }
        return WalkPolicy(walk.damping, walk.seeds, walk.sharpness, walk.name_weight, weights, walk.backward)

    def _line_date(self, manifest: Manifest, note: str, first: int, last: int) -> datetime | None:
        if not manifest.commit or not self.repository:
            return None
        return line_date(self.repository, manifest.commit, note, manifest.notes[note].content_hash, first, last)

    def _chunk_writer(self, folder: str, chunks_version: int, vectors_version: int) -> ChunkWriter:
        return LanceChunkWriter(self.snapshot_dir / folder, chunks_version, vectors_version)

    def _graph_writer(self, file: Path) -> GraphWriter:
        return KuzuGraphWriter(file, self.settings.index.graph_engine)

    def _embedding_cache(self) -> SqliteEmbeddingCache:
        return SqliteEmbeddingCache(self.index_dir / "embeddings.sqlite")

    def _user_words(self) -> tuple[str, ...]:
        """Return the words of the vault's `userdict.txt`, jieba's form: a word a line, frequency and tag ignored."""
        file = self.vault / USER_DICTIONARY
        if not os.access(file, os.R_OK):
            return ()
        lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        return tuple(line.split()[0] for line in lines if line.split())
