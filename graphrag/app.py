"""The facade: everything that a person or a program can ask of a vault.

What only some commands need is imported where they need it: a search in a new process should not wait for the parser.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from graphrag.domain import report as reports
from graphrag.domain.access import Limit
from graphrag.domain.history import NoteRevision, Passage, VaultChanges
from graphrag.domain.query import Answer, Filters, SearchResult, note_url
from graphrag.domain.snapshot import IndexReport, Lag
from graphrag.errors import VaultError
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.settings import Settings, load_settings
from graphrag.vault import lookups
from graphrag.vault.open_snapshot import OpenSnapshot
from graphrag.vault.resources import Parts, enclosing_vault
from vault_sync.worktree import check_vault

if TYPE_CHECKING:
    from threading import Event

    from graphrag.answers.conversation import Conversation
    from graphrag.evaluate.cases import Case
    from graphrag.evaluate.evaluation import EvaluationPlan
    from graphrag.evaluate.made_cases import MadeCase, MakePlan
    from graphrag.evaluate.outcomes import Evaluation
    from graphrag.retrieve.pipeline import Found, SearchPolicy
    from graphrag.vault.follow import Listener
    from graphrag.vault.imports import LeanoteImport
    from vault_sync.file_watch import Pace
    from vault_sync.leanote.write.import_report import ImportReport


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _of_snapshot(
    request: Callable[Concatenate[OpenSnapshot, Parameters], Result],
) -> "Callable[Concatenate[Upkeep, Parameters], Result]":
    """Return a request to a snapshot as a method of the facade, which asks the open one."""

    @wraps(request)
    def ask(app: "Upkeep", /, *given: Parameters.args, **named: Parameters.kwargs) -> Result:
        return request(app._snapshot, *given, **named)

    return ask


class Upkeep:
    """One vault with its index, and the snapshot that is open."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._snapshot = OpenSnapshot(self._parts)

    @property
    def vault(self) -> Path:
        """The vault's folder."""
        return self._parts.vault

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    @property
    def is_past(self) -> bool:
        """Whether `go_back` chose the snapshot."""
        return self._snapshot.is_past

    @property
    def has_newer(self) -> bool:
        """Whether another process published a newer snapshot than the open one; after `close` that one answers."""
        return self._snapshot.has_newer

    @property
    def is_indexed(self) -> bool:
        """Whether there is a snapshot to answer from."""
        return self._snapshot.is_there

    def refresh(self) -> bool:
        """Answer from the newest snapshot from now on, and return whether it is another; requests keep theirs."""
        return self._snapshot.refresh()

    @property
    def index_dir(self) -> Path:
        """The folder of the index, which may not be there yet."""
        return self._parts.index_dir

    def index_folder(self) -> Path:
        """Return the folder of the index, made where it is missing, for what lies beside the index."""
        self._parts.snapshots.prepare()
        return self._parts.index_dir

    def index(self, full: bool, progress: reports.Progress, embed_seconds: float = math.inf) -> IndexReport:
        """Bring the index to the vault's present state; `full` makes it anew.

        Embedding stops after `embed_seconds`; text and links are searchable in full by then.

        Raises:
            SnapshotConflict: another process is indexing.
            StoreError: the index cannot be read or written.
        """
        from graphrag.vault.follow import index_vault

        try:
            return index_vault(self._parts, full, progress, embed_seconds)
        finally:
            self._snapshot.close() if self.is_past else self._snapshot.refresh()

    def is_current(self) -> bool:
        """Whether an index run would find nothing to do but embed; another process may have seen to that."""
        from graphrag.vault.follow import is_current

        return is_current(self._parts)

    def report_unchanged(self, seconds: float) -> IndexReport:
        """Return what an index run would report that found nothing to do in so many seconds."""
        from graphrag.vault.follow import report_unchanged

        return report_unchanged(self._readers.manifest, seconds)

    def watch(self, pace: "Pace", listener: "Listener", stop: "Event") -> bool:
        """Follow the vault until `stop` is set; return whether it ended because the settings are to be read anew.

        Raises:
            StoreError: another process is watching this vault.
        """
        from graphrag.vault.follow import follow

        return follow(self._parts, self.index, pace, listener, stop)

    def watcher(self) -> reports.Watcher | None:
        """Return what the last watcher said of itself, None when there was none."""
        return self._parts.heartbeat.read()

    def index_in_turn(self, listener: "Listener") -> None:
        """Index once no other process does, unless one is waiting to do so already."""
        from graphrag.vault.follow import index_in_turn

        index_in_turn(self._parts, self.index, listener)

    def import_leanote(self, wanted: "LeanoteImport", progress: reports.Progress) -> "ImportReport":
        """Bring notes of Leanote into the vault, unless the source raises a SyncError; the index is not touched."""
        from graphrag.vault.imports import import_leanote

        self._refuse_if_limited("imported into")
        return import_leanote(self._parts, wanted, progress)

    status = _of_snapshot(lookups.status)
    summary = _of_snapshot(lookups.summary)

    def stale(self) -> tuple[str, ...]:
        """Return the parts whose settings or versions changed since the index was made."""
        manifest = self._readers.manifest
        return manifest.fingerprints.differences(self._parts.fingerprints(manifest))

    def doctor(self) -> list[reports.Check]:
        """Return what works and what is missing on this machine, each with what to do."""
        from graphrag.vault.health import run_checks

        return run_checks(self._parts)

    def close(self) -> None:
        """Release the snapshot."""
        self._snapshot.close()

    @property
    def _readers(self) -> SnapshotReaders:
        return self._snapshot.readers

    def _refuse_if_limited(self, what: str) -> None:
        """Refuse what would tell of other notes, if only that a name is taken."""
        if not self._parts.limit.is_empty:
            raise VaultError(f"a limited part of a vault cannot be {what}. Use the whole vault.")


class App(Upkeep):
    """One vault, opened; it keeps the snapshot that its first question opened until it indexes or is closed."""

    @classmethod
    def open(cls, vault: Path | None, cwd: Path, overrides: Mapping[str, Mapping[str, object]] | None = None) -> "App":
        """Open a vault; without one, the vault that encloses `cwd`. `overrides` win over the settings file.

        Raises:
            VaultError: there is no such folder, or `cwd` lies in no vault.
            ConfigError: the settings file is wrong.
        """
        chosen = vault if vault is not None else enclosing_vault(cwd)
        check_vault(chosen)
        chosen = chosen.resolve()
        return cls(Parts(chosen, load_settings(chosen, overrides)))

    def limited(self, limit: Limit) -> "App":
        """Return a facade that knows of no other notes than those within a limit, from an index of its own.

        `index` makes that index and brings it up to date. Models are shared with this facade.

        Raises:
            VaultError: this one is limited itself.
        """
        self._refuse_if_limited("limited anew")
        return App(self._parts.within(limit))

    def go_back(self, revision: str, progress: reports.Progress) -> IndexReport | None:
        """Answer from the vault as it was at a commit, tag, branch or date, until this is closed.

        Return the report of making its snapshot, None when one was kept.

        Raises:
            VaultError: the vault has no Git history, or nothing of that name in it.
        """
        return self._snapshot.go_back(revision, progress)

    def search(self, text: str, filters: Filters, top_k: int | None = None, with_dropped: bool = False) -> SearchResult:
        """Return the best passages for a question, and what was dropped on the way if that is wanted.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: the question or a filter cannot be used.
        """
        from graphrag.answers import dispatch

        return dispatch.find_passages(self._snapshot, text, filters, top_k, with_dropped)

    def find(self, text: str, filters: Filters, policy: "SearchPolicy") -> "Found":
        """Search with other numbers than the settings'; an evaluation compares them this way."""
        from graphrag.answers import dispatch

        return dispatch.find(self._snapshot, text, filters, policy)

    def lag(self) -> Lag | None:
        """Return how far the vault is ahead of the index, None when it cannot be told quickly.

        Raises:
            SnapshotMissing: nothing is indexed yet.
        """
        return self._parts.lag(self._readers.manifest)

    def passing(self, text: str, filters: Filters) -> int:
        """Return how many passages the filters let through, those inside the question included."""
        from graphrag.answers import dispatch

        return dispatch.count_passing(self._snapshot, text, filters)

    def why_not(self, text: str, filters: Filters, note: str) -> reports.WhyNot:
        """Return the stage at which a note was lost on the way to the results."""
        from graphrag.answers import dispatch

        return dispatch.find_loss(self._snapshot, text, filters, note)

    def ask(self, text: str, filters: Filters, on_text: Callable[[str], None] | None = None) -> Answer:
        """Answer a question from the graph or the notes; a chat model's pieces go to `on_text` as they come.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: the question or a filter cannot be used.
        """
        from graphrag.answers import dispatch

        return dispatch.answer(self._snapshot, text, filters, on_text)

    def converse(self) -> "Conversation":
        """Return the conversation with this vault, which goes on where the last one stopped."""
        from graphrag.answers.conversation import Conversation

        return Conversation(self._snapshot)

    def save_answer(self, answer: Answer, name: str = "") -> str | None:
        """Write an answer as a new note, called so or like its question; return its path, None for a refusal."""
        from graphrag.answers.saved_answer import save_answer

        self._refuse_if_limited("written to")
        now = datetime.now().astimezone()
        return save_answer(
            self.vault, self.settings.answer.save_dir, answer, name, now, self.settings.interface.language
        )

    def evaluate(self, cases: "Sequence[Case]", plan: "EvaluationPlan", progress: reports.Progress) -> "Evaluation":
        """Measure on cases what they allow; raises what `evaluation.evaluate` raises."""
        from graphrag.evaluate.evaluation import evaluate

        return evaluate(self._snapshot, cases, plan, progress)

    def calibrate(self, count: int, seed: int, progress: reports.Progress) -> reports.Calibration:
        """Find out on at most `count` notes when a question should not be answered, and keep it for this vault.

        Raises:
            VaultError: too few notes have a sentence to ask by.
        """
        from graphrag.evaluate.calibration import calibrate

        return calibrate(self._snapshot, count, seed, progress)

    def make_cases(self, plan: "MakePlan", progress: reports.Progress) -> "tuple[MadeCase, ...]":
        """Return cases made of the vault's own notes."""
        from graphrag.evaluate.evaluation import make_cases

        return make_cases(self._snapshot, plan, progress)

    near = _of_snapshot(lookups.near)
    explain = _of_snapshot(lookups.explain)
    check_ontology = _of_snapshot(lookups.check_ontology)
    path = _of_snapshot(lookups.path)
    graph = _of_snapshot(lookups.graph)
    overview = _of_snapshot(lookups.overview)
    cypher = _of_snapshot(lookups.query_graph)
    show = _of_snapshot(lookups.show)
    page = _of_snapshot(lookups.open_page)
    notes = _of_snapshot(lookups.notes)
    tags = _of_snapshot(lookups.tags)
    categories = _of_snapshot(lookups.categories)

    def log(self, name: str) -> list[NoteRevision]:
        """Return the commits that touched a note, newest first; a note that is gone is named by its path.

        Raises:
            VaultError: the vault has no history, or the note is private.
            NoteNotFound: no note is or was called so, or several are.
        """
        from graphrag.vault.changes import note_log

        return note_log(self._parts, name)

    def changes(self, since: str | None = None) -> VaultChanges:
        """Return what changed in the vault since a commit, tag, branch, day or month, or for some days (`7d`, `2w`).

        Raises:
            VaultError: the vault has no history, or nothing of that name in it.
        """
        from graphrag.vault.changes import DEFAULT_SINCE, changes_since

        return changes_since(self._parts, since or DEFAULT_SINCE, datetime.now().astimezone())

    def open_citation(self, text: str) -> Passage:
        """Return the lines that a citation like `note.md:12-20@3f2a91c` names, in the version that it names.

        Raises:
            NoteNotFound: no note is called so, or several are.
            VaultError: the note is private, or has not so many lines; there is no such commit.
        """
        from graphrag.vault.cited_lines import open_passage

        return open_passage(self._parts, text)

    def sample(self, count: int, seed: int | None) -> list[reports.Sample]:
        """Return random notes before and after cleaning; it reads the vault and needs no index."""
        from graphrag.ingest.prepare import sample_notes

        parts = self._parts
        return sample_notes(parts.source(), parts.worktree, parts.note_rule, count, seed)

    def note_url(self, path: str, line: int | None = None) -> str:
        """Return the address that opens a note in Obsidian; Obsidian has none for a line."""
        return note_url(self.vault.name, path)
