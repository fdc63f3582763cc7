"""Brings the snapshot to the vault's present state: text and graph first, published at once, vectors behind in batches.

Every store is written ahead of the manifest; publishing the manifest is the commit point. A run that is stopped
anywhere leaves the last published snapshot answering, and the next run goes on from it.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from graphrag.domain.note import Diagnostic, Note, Severity
from graphrag.domain.ports import (
    ChunkWriter,
    Embedder,
    EmbeddingCache,
    GraphWriter,
    SnapshotStore,
    Tokenizer,
    VaultSource,
    WalkStore,
)
from graphrag.domain.report import Progress
from graphrag.domain.snapshot import (
    ChangeSet,
    Fingerprints,
    IndexedNote,
    IndexReport,
    LeftOut,
    Manifest,
    NoteBatch,
    NoteEntry,
    NoteFile,
    VaultState,
    find_changes,
)
from graphrag.errors import StoreError, VaultError
from graphrag.ingest.chunk import ChunkPolicy
from graphrag.ingest.note_rule import NoteRule
from graphrag.ingest.prepare import MakeTokenizer, ParsedNotes, index_note, parse_files
from graphrag.ingest.resolve import LinkResolver, moved_links, names_differ, notes_with_words
from graphrag.ingest.vector_run import VectorRun
from graphrag.ingest.walk_graph import build_walk_graph


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """The settings of a run."""

    policy: ChunkPolicy
    fingerprints: Callable[[Manifest | None], Fingerprints]  # of an index that goes on from a snapshot, or from none
    rule: NoteRule
    user_words: tuple[str, ...]
    keep_snapshots: int


@dataclass(frozen=True, slots=True)
class IndexStores:
    """Where a run writes; each function opens one store for writing."""

    snapshots: SnapshotStore
    open_chunks: Callable[[str, int, int], ChunkWriter]  # folder name and the versions to go on from
    open_graph: Callable[[Path], GraphWriter]
    open_cache: Callable[[], EmbeddingCache]
    walks: WalkStore
    forget_copies: Callable[[bool], None]  # of notes that lie outside `snapshots`; True: those of limited parts, too


class IndexRun:
    """The steps of one run, in the order in which they happen."""

    def __init__(
        self,
        stores: IndexStores,
        plan: IndexPlan,
        make_tokenizer: MakeTokenizer,
        source: VaultSource,
        state: VaultState,
        fingerprints: Fingerprints,
        progress: Progress,
    ) -> None:
        self._stores = stores
        self._plan = plan
        self._fingerprints = fingerprints
        self._make_tokenizer = make_tokenizer
        self._source = source
        self._state = state
        self._progress = progress

    def write_text(self, base: Manifest | None, before: "Before") -> tuple[Manifest, ChangeSet] | None:
        """Bring text and graph to the vault's state and publish; None when the old rows must be purged first."""
        changes = find_changes(base, self._state)
        if base and changes.is_empty and {*base.user_words} == {*self._plan.user_words}:
            return self._refresh(base, before), changes
        parsed = self._parse((*changes.added, *changes.changed))
        if base and self._must_purge(base, changes, parsed):
            return None
        manifest = self._write_batch(base, changes, parsed)
        self._forget_copies(manifest, before, is_rebuild=base is None)
        is_less = bool({*changes.deleted} - changes.renamed.keys())
        self._stores.snapshots.publish(manifest, alone=base is None, forget=is_less)
        return manifest, changes

    def write_vectors(self, manifest: Manifest, embedder: Embedder, seconds: float) -> tuple[Manifest, int]:
        """Give chunks their vectors for so many seconds, publishing as they come; return how many were embedded."""
        with closing(self._open_chunks(manifest)) as chunks, closing(self._stores.open_cache()) as cache:
            return VectorRun(chunks, cache, embedder, self._publish_next, self._progress).write(manifest, seconds)

    def write_walk(self, manifest: Manifest) -> None:
        """Make the graph of the walk, unless the snapshot has it."""
        if self._stores.walks.has_walk(manifest):
            return
        self._progress("walk", 0, manifest.chunk_count)
        with closing(self._open_chunks(manifest)) as chunks:
            texts = chunks.texts()
        links = self._stores.walks.links(manifest)
        self._stores.walks.save_walk(manifest, build_walk_graph(texts, manifest.notes, links, manifest.user_words))
        self._progress("walk", manifest.chunk_count, manifest.chunk_count)

    def tidy(self, manifest: Manifest) -> Manifest:
        """Compact the tables, publish their new versions, and remove what no kept snapshot needs, if that is due."""
        if not self._stores.snapshots.is_untidy:
            return manifest
        keep = self._plan.keep_snapshots
        kept = [old for old in self._stores.snapshots.retained(keep) if old.store_dir == manifest.store_dir]
        with closing(self._open_chunks(manifest)) as chunks:
            wanted = [(old.chunks_version, old.vectors_version) for old in kept]
            versions = chunks.optimize(wanted, self._stores.snapshots.is_to_forget)
            if versions != (manifest.chunks_version, manifest.vectors_version):
                manifest = replace(manifest, chunks_version=versions[0], vectors_version=versions[1])
                manifest = self._publish_next(manifest)
                keep = 1  # what was compacted would otherwise lie there twice; a reader takes the newer snapshot
                self._stores.snapshots.prune(keep)  # first: no manifest is to name versions that are gone
                chunks.drop_versions([versions])
        self._stores.snapshots.prune(keep)
        self._stores.snapshots.settle()
        return manifest

    def _refresh(self, base: Manifest, before: "Before") -> Manifest:
        """Publish that the same notes now stand at another commit, when they do."""
        skipped = tuple(item for item in base.diagnostics if _is_of_note(item, base))
        diagnostics = tuple(sorted((*self._state.skipped, *skipped), key=_place))
        changed = replace(base, commit=self._state.commit, worktree=self._state.worktree, diagnostics=diagnostics)
        if changed == base:
            return base
        self._forget_copies(changed, before, is_rebuild=False)
        return self._publish_next(changed)

    def _forget_copies(self, manifest: Manifest, before: "Before", is_rebuild: bool) -> None:
        """Let copies of notes that are kept back from now on go before the snapshot without them is published."""
        is_rebuild = is_rebuild and (before.is_full or before.manifest is not None)
        is_hiding = not kept_back(manifest) <= kept_back(before.manifest)
        if is_rebuild or is_hiding:
            self._stores.forget_copies(before.is_full or (is_rebuild and is_hiding))

    def _parse(self, files: Sequence[NoteFile]) -> ParsedNotes:
        done = 0

        def step() -> None:
            nonlocal done
            self._progress("parse", done, len(files))
            done += 1

        parsed = parse_files(self._source, files, self._plan.rule, step)
        self._progress("parse", len(files), len(files))
        return parsed

    def _must_purge(self, base: Manifest, changes: ChangeSet, parsed: ParsedNotes) -> bool:
        """Whether text of a note that is now left out by a rule lies in the stores, maybe under an earlier name."""
        skipped = (*parsed.diagnostics, *self._state.skipped)
        hidden = {item.path for item in skipped if item.severity is Severity.SKIPPED}
        new = hidden - base.left_out.keys() - _reported(base)
        if not (new or hidden & base.notes.keys() or self._state.withdrawn):
            return False
        kept = self._stores.snapshots.retained(self._plan.keep_snapshots)
        stored = base.notes.keys() | {path for manifest in kept for path in manifest.notes}
        gone = stored - {file.path for file in self._state.files}
        return bool(gone and new) or bool((hidden | self._state.withdrawn) & stored)

    def _write_batch(self, base: Manifest | None, changes: ChangeSet, parsed: ParsedNotes) -> Manifest:
        gone = {*changes.deleted, *(file.path for file in changes.changed)}
        entries = {path: entry for path, entry in base.notes.items() if path not in gone} if base else {}
        entries |= {note.path: _entry(file, note) for file, note in parsed.notes}
        lexicon = {*self._plan.user_words}.union(*(entry.words for entry in entries.values()))
        tokenizer = self._make_tokenizer(sorted(lexicon))
        indexed = self._index_notes(parsed, tokenizer)
        entries |= {item.note.path: replace(entries[item.note.path], chunk_count=len(item.chunks)) for item in indexed}
        generation = self._stores.snapshots.next_generation()
        resolver = LinkResolver({path: entry.aliases for path, entry in entries.items()})
        links = [resolver.resolve(note.path, link) for _, note in parsed.notes for link in note.links]
        store_dir = base.store_dir if base else self._stores.snapshots.tables_name(generation)
        graph_file = self._stores.snapshots.stage_graph(base, generation)
        with closing(self._stores.open_graph(graph_file)) as graph:
            moved = moved_links(graph.links(), resolver, gone) if base and names_differ(base, entries) else []
            batch = NoteBatch(
                notes=tuple(indexed),
                removed=tuple(sorted(gone & base.notes.keys())) if base else (),
                links=(*links, *moved),
                relinked=tuple(sorted({link.source for link in moved})),
                retokenized=self._retokenize(base, lexicon, tokenizer, {*gone, *(n.path for _, n in parsed.notes)}),
            )
            self._progress("graph", 0, len(batch.links))
            graph.apply(batch)
        self._progress("graph", len(batch.links), len(batch.links))
        versions = (base.chunks_version, base.vectors_version) if base else (0, 0)
        with closing(self._stores.open_chunks(store_dir, *versions)) as chunks:
            chunks.replace(batch)
            versions = chunks.versions()
            chunk_count, embedded_count = chunks.counts()
        return Manifest(
            generation=generation,
            commit=self._state.commit,
            worktree=self._state.worktree,
            store_dir=store_dir,
            chunks_version=versions[0],
            vectors_version=versions[1],
            graph_file=graph_file.name,
            graph_digest=self._stores.snapshots.digest_graph(graph_file),
            fingerprints=self._fingerprints,
            notes=dict(sorted(entries.items())),
            left_out=self._left_out(base, gone, parsed),
            user_words=self._plan.user_words,
            diagnostics=self._diagnostics(base, gone, parsed),
            chunk_count=chunk_count,
            embedded_count=embedded_count,
            created=datetime.now(UTC),
        )

    def _index_notes(self, parsed: ParsedNotes, tokenizer: Tokenizer) -> list[IndexedNote]:
        indexed = []
        for position, (file, note) in enumerate(parsed.notes):
            self._progress("text", position, len(parsed.notes))
            indexed.append(index_note(file, note, self._plan.policy, tokenizer))
        self._progress("text", len(parsed.notes), len(parsed.notes))
        return indexed

    def _retokenize(
        self, base: Manifest | None, lexicon: set[str], tokenizer: Tokenizer, written: set[str]
    ) -> tuple[IndexedNote, ...]:
        """Return the other notes whose terms change because a name came or went, with their new terms."""
        changed = base.lexicon ^ lexicon if base else set()
        if not base or not changed:
            return ()
        with closing(self._open_chunks(base)) as chunks:
            paths = notes_with_words(base, chunks.texts, tokenizer, changed) - written
        files = [file for file in self._state.files if file.path in paths]
        parsed = parse_files(self._source, files, self._plan.rule, lambda: None)
        return tuple(index_note(file, note, self._plan.policy, tokenizer) for file, note in parsed.notes)

    def _left_out(self, base: Manifest | None, gone: set[str], parsed: ParsedNotes) -> dict[str, LeftOut]:
        old = {path: value for path, value in base.left_out.items() if path not in gone} if base else {}
        return dict(sorted({**old, **parsed.left_out}.items()))

    def _diagnostics(self, base: Manifest | None, gone: set[str], parsed: ParsedNotes) -> tuple[Diagnostic, ...]:
        old = [item for item in base.diagnostics if _is_of_note(item, base) and item.path not in gone] if base else []
        return tuple(sorted((*self._state.skipped, *old, *parsed.diagnostics), key=_place))

    def _open_chunks(self, manifest: Manifest) -> ChunkWriter:
        return self._stores.open_chunks(manifest.store_dir, manifest.chunks_version, manifest.vectors_version)

    def _publish_next(self, manifest: Manifest) -> Manifest:
        manifest = replace(manifest, generation=self._stores.snapshots.next_generation(), created=datetime.now(UTC))
        self._stores.snapshots.publish(manifest)
        return manifest


@dataclass(frozen=True, slots=True)
class Before:
    """What a run finds, and whether it is to start afresh whatever that is."""

    manifest: Manifest | None  # None, too, when it cannot be read
    is_full: bool


def kept_back(manifest: Manifest | None) -> set[str]:
    """Return the notes that a snapshot leaves out: by a rule, as private, or since they failed."""
    if manifest is None:
        return set()
    return {*manifest.left_out, *(item.path for item in manifest.diagnostics if item.severity is Severity.SKIPPED)}


def _entry(file: NoteFile, note: Note) -> NoteEntry:
    names = (note.title, note.aliases, note.tags, note.types)
    day = note.day.isoformat() if note.day else ""
    return NoteEntry(file.content_hash, file.dates, *names, chunk_count=0, origin=note.origin, day=day)


def _place(item: Diagnostic) -> tuple[str, int, str]:
    return item.path, item.line, item.message


def _reported(manifest: Manifest) -> set[str]:
    return {item.path for item in manifest.diagnostics}


def _is_of_note(item: Diagnostic, manifest: Manifest) -> bool:
    """Whether a diagnostic comes from a file that was read, so that it stays until the file changes."""
    return item.path in manifest.notes or item.path in manifest.left_out


class Indexer:
    """One run of `run` brings the index to the state of the source."""

    def __init__(
        self,
        source: VaultSource,
        stores: IndexStores,
        plan: IndexPlan,
        make_tokenizer: MakeTokenizer,
        load_embedder: Callable[[Manifest], Embedder | None],
    ) -> None:
        self._source = source
        self._stores = stores
        self._plan = plan
        self._make_tokenizer = make_tokenizer
        self._load_embedder = load_embedder

    def run(self, full: bool, progress: Progress, embed_seconds: float = math.inf) -> IndexReport:
        """Index what changed, everything when `full` or when a fingerprint differs, and report it.

        Embedding stops after `embed_seconds`; a later run goes on with it.

        Raises:
            VaultError: there are no notes at all.
            SnapshotConflict: another process is indexing.
            StoreError: the index cannot be read or written.
            ProviderError: the embedder fails; text and graph are published by then.
        """
        started = time.monotonic()
        with self._stores.snapshots.write_lock():
            mended = self._stores.snapshots.recover(self._plan.keep_snapshots)
            before = Before(self._found(full), full)
            fingerprints = self._plan.fingerprints(None if full else before.manifest)
            base, reasons = self._base(before, fingerprints)
            progress("scan", 0, len(base.files) if base else 0)
            state = self._source.scan(base)
            progress("scan", len(state.files), len(state.files))
            if base is None and not state.files and self._plan.rule.limit.is_empty:
                raise VaultError("the vault holds no notes (.md or .canvas files). Name the right folder with --vault.")
            run = IndexRun(self._stores, self._plan, self._make_tokenizer, self._source, state, fingerprints, progress)
            outcome = run.write_text(base, before)
            if outcome is None:
                reasons = (*reasons, "notes that were indexed are now left out: their text is purged")
                outcome = run.write_text(None, before)
                assert outcome is not None
            manifest, changes = outcome
            manifest, made = self._finish(run, manifest, embed_seconds)
        reasons = (mended, *reasons) if mended else reasons
        return _report(manifest, changes, made, reasons, time.monotonic() - started)

    def _finish(self, run: IndexRun, manifest: Manifest, embed_seconds: float) -> tuple[Manifest, int]:
        """Give a published text what else it is to have; what it no longer needs goes first, and at any end."""
        made = 0
        try:
            manifest = run.tidy(manifest)
            run.write_walk(manifest)
            if manifest.embedded_count < manifest.chunk_count and (embedder := self._load_embedder(manifest)):
                manifest, made = run.write_vectors(manifest, embedder, embed_seconds)
        finally:
            manifest = run.tidy(self._stores.snapshots.current() or manifest)
        return manifest, made

    def _found(self, full: bool) -> Manifest | None:
        try:
            return self._stores.snapshots.current()
        except StoreError:
            if not full:
                raise
            return None

    def _base(self, before: Before, fingerprints: Fingerprints) -> tuple[Manifest | None, tuple[str, ...]]:
        """Return the snapshot to go on from, or None with the reasons for starting afresh."""
        found = before.manifest
        if before.is_full:
            return None, ("asked for",)
        if found is None:
            return None, ()
        if reasons := fingerprints.differences(found.fingerprints):
            return None, tuple(f"the {part} changed" for part in reasons)
        if not self._stores.walks.has_links(found):
            return None, ("the file of links was damaged",)
        is_same = {*found.user_words} == {*self._plan.user_words}
        return found, () if is_same else ("the words of the user's dictionary changed",)


def _report(manifest: Manifest, changes: ChangeSet, made: int, rebuilt: tuple[str, ...], seconds: float) -> IndexReport:
    return IndexReport(
        generation=manifest.generation,
        commit=manifest.commit,
        added=sum(file.path in manifest.notes for file in changes.added) - len(changes.renamed),
        changed=len(changes.changed),
        deleted=len(changes.deleted) - len(changes.renamed),
        renamed=len(changes.renamed),
        notes=len(manifest.notes),
        chunks=manifest.chunk_count,
        embedded=manifest.embedded_count,
        embeddings_made=made,
        rebuilt=rebuilt,
        diagnostics=manifest.diagnostics,
        seconds=seconds,
    )
