"""The facade: everything that a person or a program can ask of a vault.

What only some commands need is imported where they need it: a search in a new process should not wait for the parser.
"""

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from graphrag.domain.graph import Entity, EntityKind, Facet
from graphrag.domain.history import NoteRevision, Passage, VaultChanges
from graphrag.domain.query import Answer, Filters, Question, SearchResult
from graphrag.domain.report import (
    Check,
    FactView,
    NoteView,
    OntologyView,
    PathView,
    Progress,
    Sample,
    Status,
    Surroundings,
    WhyNot,
)
from graphrag.domain.snapshot import IndexReport, Lag
from graphrag.errors import NoteNotFound, SnapshotMissing, StoreError, VaultError
from graphrag.health import run_checks, vault_status
from graphrag.names import find_entity, find_note
from graphrag.parts import Parts
from graphrag.past import forget_past, open_past
from graphrag.retrieve.answer import Answerer, note_url
from graphrag.retrieve.filters import read_question
from graphrag.retrieve.modes import SearchMode, policy_of
from graphrag.retrieve.pipeline import Found, SearchPolicy, SnapshotReaders, StageClock, search
from graphrag.retrieve.why_not import explain_absence
from graphrag.settings import DEFAULT_INDEX_DIR, SETTINGS_FILE, Settings, load_settings
from vault_sync.file_rules import NOTE_SUFFIXES
from vault_sync.worktree import check_vault

if TYPE_CHECKING:
    from threading import Event

    from graphrag.evaluate.cases import Case
    from graphrag.evaluate.report import Evaluation
    from graphrag.evaluate.run import Search
    from graphrag.follow import Listener
    from graphrag.knowledge import Knowledge
    from graphrag.note_lines import NoteLines
    from vault_sync.watch import Pace

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

_VAULT_MARKS = ((SETTINGS_FILE, DEFAULT_INDEX_DIR), (".obsidian",), (".git",))


def _on_newer_snapshot(
    request: Callable[Concatenate["App", Parameters], Result],
) -> Callable[Concatenate["App", Parameters], Result]:
    """Run a request again when a writer has published a newer snapshot and removed files of the one that was open."""

    @wraps(request)
    def run(app: "App", /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        try:
            return request(app, *arguments, **named)
        except StoreError:
            if not app.has_newer_snapshot:
                raise
            app.close()
            return request(app, *arguments, **named)

    return run


class App:
    """One vault, opened; it keeps the snapshot that its first question opened until it indexes or is closed."""

    def __init__(self, vault: Path, settings: Settings) -> None:
        self._parts = Parts(vault, settings)
        self._open: SnapshotReaders | None = None
        self._known: tuple[SnapshotReaders, Knowledge] | None = None  # of the snapshot that it was made for
        self.is_past = False  # whether `go_back` chose the snapshot

    @classmethod
    def open(cls, vault: Path | None, cwd: Path, overrides: Mapping[str, Mapping[str, object]] | None = None) -> "App":
        """Open a vault; without one, the vault that encloses `cwd`. `overrides` win over the settings file.

        Raises:
            VaultError: there is no such folder, or `cwd` lies in no vault.
            ConfigError: the settings file is wrong.
        """
        chosen = vault if vault is not None else _enclosing_vault(cwd)
        check_vault(chosen)
        chosen = chosen.resolve()
        return cls(chosen, load_settings(chosen, overrides))

    @property
    def vault(self) -> Path:
        """The vault's folder."""
        return self._parts.vault

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    def index(self, full: bool, progress: Progress, embed_seconds: float = math.inf) -> IndexReport:
        """Bring the index to the vault's present state; `full` makes it anew.

        Embedding stops after `embed_seconds`; text and links are searchable in full by then.

        Raises:
            SnapshotConflict: another process is indexing.
            StoreError: the index cannot be read or written.
        """
        self.close()
        before = self._left_out()
        report = self._parts.indexer().run(full, progress, embed_seconds)
        if self._left_out() - before:
            forget_past(self._parts)
        return report

    def watch(self, pace: "Pace", listener: "Listener", stop: "Event") -> bool:
        """Follow the vault until `stop` is set; return whether it ended because the settings are to be read anew.

        Raises:
            StoreError: another process is watching this vault.
        """
        from graphrag.follow import follow

        return follow(self._parts, self.index, pace, listener, stop)

    def index_in_turn(self, listener: "Listener") -> None:
        """Index once no other process does, unless one is waiting to do so already."""
        from graphrag.background import index_in_turn

        index_in_turn(self._parts, self.index, listener)

    def go_back(self, revision: str, progress: Progress) -> IndexReport | None:
        """Answer from the vault as it was at a commit, tag, branch or date, until this is closed.

        Return the report of making its snapshot, None when one was kept.

        Raises:
            VaultError: the vault has no Git history, or nothing of that name in it.
        """
        self.close()
        self._open, report = open_past(self._parts, revision, progress)
        self.is_past = True
        return report

    @_on_newer_snapshot
    def search(self, text: str, filters: Filters, top_k: int | None = None) -> SearchResult:
        """Return the best passages for a question.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: the question or a filter cannot be used.
        """
        with self._watching_lag() as lag:
            result = self.find(text, filters, self._parts.search_policy(top_k)).result
            return replace(result, snapshot=replace(result.snapshot, behind=lag()))

    def find(self, text: str, filters: Filters, policy: SearchPolicy) -> Found:
        """Search with other numbers than the settings'; an evaluation compares them this way."""
        question = read_question(text, filters)
        return search(self._readers, question, policy, StageClock())

    def lag(self) -> Lag | None:
        """Return how far the vault is ahead of the index, None when it cannot be told quickly.

        Raises:
            SnapshotMissing: nothing is indexed yet.
        """
        return self._parts.lag(self._readers.manifest)

    def passing(self, text: str, filters: Filters) -> int:
        """Return how many passages the filters let through, those inside the question included."""
        return self._readers.chunks.count(read_question(text, filters).filters)

    @_on_newer_snapshot
    def why_not(self, text: str, filters: Filters, note: str) -> WhyNot:
        """Return the stage at which a note was lost on the way to the results."""
        path = find_note(note, self._readers.manifest)
        found = self.find(text, filters, self._parts.search_policy())
        return explain_absence(self._readers, found, path)

    @_on_newer_snapshot
    def ask(self, text: str, filters: Filters, on_text: Callable[[str], None] | None = None) -> Answer:
        """Answer a question from the notes; a chat model's pieces go to `on_text` as they come.

        A question along relations is answered from the graph, exactly, when it is understood and the notes state
        anything about it.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: the question or a filter cannot be used.
        """
        question = read_question(text, filters)
        answerer = Answerer(
            self._readers,
            self._parts.search_policy(),
            self._parts.answer_policy(),
            self._parts.chat_model,
            self.vault.name,
        )
        with self._watching_lag() as lag:
            found, notice = self._answer_from_graph(question)
            answer = found or answerer.answer(question, on_text)
            snapshot = answer.snapshot and replace(answer.snapshot, behind=lag())
            return replace(answer, snapshot=snapshot, notice=answer.notice or notice)

    def evaluate(self, cases: "Sequence[Case]", modes: Sequence[SearchMode], progress: Progress) -> "Evaluation":
        """Measure the search on cases, once per mode.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: a case's question cannot be used.
        """
        from graphrag.evaluate.cases import unknown_notes
        from graphrag.evaluate.report import Evaluation, summarize
        from graphrag.evaluate.run import DEEPEST, run_cases

        per_note = self.settings.search.max_per_note
        # Ranks are ranks of notes: as many chunks as hold the deepest one even if each note gives its whole share.
        top_k = DEEPEST * max(per_note, 2)
        base, answer = self._parts.search_policy(top_k), self._parts.answer_policy()
        reports = {}
        for mode in modes:
            search = self._search_with(policy_of(mode, base))
            outcomes = run_cases(mode.value, cases, search, answer.refusal_status, progress)
            reports[mode.value] = summarize(outcomes)
        unknown = unknown_notes(cases, self._readers.manifest.notes)
        return Evaluation(self._readers.reference(), per_note, top_k, unknown, reports)

    @_on_newer_snapshot
    def near(self, name: str, max_hops: int, limit: int) -> Surroundings:
        """Return what lies around a note, topic or tag; notes that the vault no longer holds are left out."""
        from graphrag.surroundings import look_around

        lines = self._lines()
        entity = self._shown_entity(name, lines)
        return look_around(self._knowledge, self._readers, lines, entity, max_hops, limit)

    @_on_newer_snapshot
    def explain(self, text: str) -> FactView:
        """Return how the notes stand to a fact like `张三 负责 支付模块`, with its proof.

        Raises:
            QuestionError: the text does not have the form of a fact, or names no relation of the ontology.
            NoteNotFound: nothing is called like one of its ends, or a line that it rests on is gone.
        """
        from graphrag.explain_fact import explain_fact

        lines = self._lines()
        return explain_fact(text, self._knowledge, lines, lambda name: self._shown_entity(name, lines))

    @_on_newer_snapshot
    def check_ontology(self, language: str = "en") -> OntologyView:
        """Return what is to be mended in the ontology, and in the notes that use it, with names in a language."""
        from graphrag.explain_fact import check_knowledge

        return check_knowledge(self._knowledge, self._lines(), language)

    @_on_newer_snapshot
    def path(self, start: str, end: str, max_hops: int) -> PathView:
        """Return a shortest chain of links between two entities."""
        first, last = self._entity(start), self._entity(end)
        graph = self._readers.graph
        relations = tuple(graph.path(first, last, max_hops) or ())
        ids = {first, last, *(end for relation in relations for end in (relation.source, relation.target))}
        entities = graph.entities(sorted(ids))
        for entity in entities.values():
            self._check_held(entity)
        return PathView(first, last, relations, {key: entity.title for key, entity in entities.items()})

    @_on_newer_snapshot
    def show(self, name: str) -> NoteView:
        """Return one note as indexed."""
        readers = self._readers
        path = find_note(name, readers.manifest)
        note = readers.graph.note(path)
        if note is None:
            raise VaultError(f"'{path}' is not in the graph. Run: graphrag index --full")
        self._check_held(Entity(path, EntityKind.NOTE, note.title))
        relations = readers.graph.relations([path])
        return NoteView(
            note=note,
            chunks=tuple(readers.chunks.chunks_of([path], Filters()).get(path, ())),
            outgoing=tuple(relation for relation in relations if relation.source == path),
            backlinks=tuple(relation for relation in relations if relation.target == path),
            diagnostics=tuple(item for item in readers.manifest.diagnostics if item.path == path),
        )

    def log(self, name: str) -> list[NoteRevision]:
        """Return the commits that touched a note, newest first; a note that is gone is named by its path.

        Raises:
            VaultError: the vault has no history, or the note is private.
            NoteNotFound: no note is or was called so, or several are.
        """
        from graphrag.changes import note_log

        return note_log(self._parts, name)

    def changes(self, since: str | None = None) -> VaultChanges:
        """Return what changed in the vault since a commit, tag, branch, day or month, or for some days (`7d`, `2w`).

        Raises:
            VaultError: the vault has no history, or nothing of that name in it.
        """
        from graphrag.changes import DEFAULT_SINCE, changes_since

        return changes_since(self._parts, since or DEFAULT_SINCE, datetime.now().astimezone())

    def open_citation(self, text: str) -> Passage:
        """Return the lines that a citation like `note.md:12-20@3f2a91c` names, in the version that it names.

        Raises:
            NoteNotFound: no note is called so, or several are.
            VaultError: the note is private, or has not so many lines; there is no such commit.
        """
        from graphrag.passages import open_passage

        return open_passage(self._parts, text)

    @_on_newer_snapshot
    def tags(self) -> list[Facet]:
        """Return all tags with counts."""
        return self._readers.graph.tags()

    @_on_newer_snapshot
    def categories(self) -> list[Facet]:
        """Return all categories with counts."""
        return self._readers.graph.categories()

    def sample(self, count: int, seed: int | None) -> list[Sample]:
        """Return random notes before and after cleaning; it reads the vault and needs no index."""
        from graphrag.ingest.clean import clean_note
        from graphrag.ingest.prepare import parse_files

        source = self._parts.source()
        files = list(source.scan().files)
        random.Random(seed).shuffle(files)
        samples: list[Sample] = []
        for file in files:
            if len(samples) == count:
                break
            parsed = parse_files(source, [file], self.settings.vault.exclude_tags, lambda: None)
            for _, note in parsed.notes:
                clean = clean_note(note)
                samples.append(Sample(note.path, note.text, clean.mapped.text, clean.effects))
        return samples

    def status(self) -> Status:
        """Return what is indexed, what is not and why."""
        return vault_status(self._parts, self._readers)

    def stale(self) -> tuple[str, ...]:
        """Return the parts whose settings or versions changed since the index was made."""
        return self._readers.manifest.fingerprints.differences(self._parts.fingerprints())

    def doctor(self) -> list[Check]:
        """Return what works and what is missing on this machine, each with what to do."""
        return run_checks(self._parts)

    def note_url(self, path: str, line: int | None = None) -> str:
        """Return the address that opens a note in Obsidian; Obsidian has none for a line."""
        return note_url(self.vault.name, path)

    def close(self) -> None:
        """Release the snapshot."""
        if self._open is not None:
            self._open.graph.close()
            self._open, self._known, self.is_past = None, None, False

    @property
    def _readers(self) -> SnapshotReaders:
        if self._open is None:
            self._open = self._parts.open_readers()
        if self._open is None:
            raise SnapshotMissing(f"{self.vault}: nothing is indexed yet. Run: graphrag index")
        return self._open

    @property
    def has_newer_snapshot(self) -> bool:
        """Whether a snapshot was published since the open one was opened."""
        current = self._parts.snapshots.current()
        is_open = self._open is not None and not self.is_past
        return is_open and current is not None and current.generation != self._readers.manifest.generation

    @property
    def _knowledge(self) -> "Knowledge":
        """What is known of the open snapshot."""
        from graphrag.knowledge import Knowledge

        readers = self._readers
        if self._known is None or self._known[0] is not readers:
            self._known = readers, Knowledge(readers, self.vault)
        return self._known[1]

    def _lines(self) -> "NoteLines":
        from graphrag.note_lines import NoteLines

        return NoteLines(self._parts, self._readers, self._knowledge.files, self.is_past)

    def _answer_from_graph(self, question: Question) -> tuple[Answer | None, str]:
        """Return the answer along relations, if it is one, or why there can be none."""
        from graphrag.relation_answer import RelationAnswerer

        answerer = RelationAnswerer(self._knowledge, self._readers, self._lines(), self.vault.name)
        return answerer.answer(question), answerer.notice

    def _search_with(self, policy: SearchPolicy) -> "Search":
        return lambda text, filters: self.find(text, filters, policy).result

    def _entity(self, name: str) -> str:
        found = find_entity(name, self._readers.manifest, self._readers.graph)
        if found in self._readers.manifest.notes:
            self._check_held(Entity(found, EntityKind.NOTE, found))
        return found

    def _shown_entity(self, name: str, lines: "NoteLines") -> str:
        """Return the entity that a name means; a note that became private is none."""
        found = self._entity(name)
        if found in self._readers.manifest.notes and not lines.is_shown(found):
            raise NoteNotFound(f"'{found}' changed since it was indexed, and is kept back. Run: graphrag index")
        return found

    def _is_gone(self, entity: Entity) -> bool:
        return entity.kind is EntityKind.NOTE and self._readers.present.is_gone(entity.id)

    def _check_held(self, entity: Entity) -> None:
        if self._is_gone(entity):
            raise NoteNotFound(f"'{entity.id}' is in the index, but no longer in the vault. Run: graphrag index")

    def _left_out(self) -> set[str]:
        """Return the notes that the current snapshot leaves out as private or failed."""
        try:
            current = self._parts.snapshots.current()
        except StoreError:  # damaged: a full run replaces it
            return set()
        return {*current.left_out} if current else set()

    @contextmanager
    def _watching_lag(self) -> Iterator[Callable[[], Lag | None]]:
        """Measure the lag of the open snapshot beside the work inside; the function waits for it."""
        if self.is_past:
            yield lambda: None
            return
        manifest = self._readers.manifest
        with ThreadPoolExecutor(1) as pool:
            yield pool.submit(self._parts.lag, manifest).result


def _enclosing_vault(cwd: Path) -> Path:
    for marks in _VAULT_MARKS:
        for folder in (cwd, *cwd.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    if any(entry.suffix in NOTE_SUFFIXES for entry in cwd.iterdir()):
        return cwd
    raise VaultError(f"{cwd}: lies in no vault. Go into the folder of your notes, or name it with --vault.")
