"""The facade: everything that a person or a program can ask of a vault.

What only some commands need is imported where they need it: a search in a new process should not wait for the parser.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.answers import questions
from graphrag.domain import report as reports
from graphrag.domain.access import Limit
from graphrag.domain.graph import Facet, VaultGraph
from graphrag.domain.history import NoteRevision, Passage, VaultChanges
from graphrag.domain.query import Answer, Filters, SearchResult
from graphrag.domain.reference import note_url
from graphrag.domain.snapshot import IndexReport, Lag
from graphrag.retrieve.pipeline import Found, SearchPolicy
from graphrag.settings import load_settings
from graphrag.upkeep import Upkeep
from graphrag.vault import lookups
from graphrag.vault.enclosing import enclosing_vault
from graphrag.vault.parts import Parts
from vault_sync.worktree import check_vault

if TYPE_CHECKING:
    from graphrag.answers.conversation import Conversation
    from graphrag.evaluate.cases import Case
    from graphrag.evaluate.evaluation import EvaluationPlan
    from graphrag.evaluate.make import MadeCase, MakePlan
    from graphrag.evaluate.report import Evaluation


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
        return questions.find_passages(self._snapshot, text, filters, top_k, with_dropped)

    def find(self, text: str, filters: Filters, policy: SearchPolicy) -> Found:
        """Search with other numbers than the settings'; an evaluation compares them this way."""
        return questions.find(self._snapshot, text, filters, policy)

    def lag(self) -> Lag | None:
        """Return how far the vault is ahead of the index, None when it cannot be told quickly.

        Raises:
            SnapshotMissing: nothing is indexed yet.
        """
        return self._parts.lag(self._readers.manifest)

    def passing(self, text: str, filters: Filters) -> int:
        """Return how many passages the filters let through, those inside the question included."""
        return questions.count_passing(self._snapshot, text, filters)

    def why_not(self, text: str, filters: Filters, note: str) -> reports.WhyNot:
        """Return the stage at which a note was lost on the way to the results."""
        return questions.find_loss(self._snapshot, text, filters, note)

    def ask(self, text: str, filters: Filters, on_text: Callable[[str], None] | None = None) -> Answer:
        """Answer a question from the graph or the notes; a chat model's pieces go to `on_text` as they come.

        Raises:
            SnapshotMissing: nothing is indexed yet.
            QuestionError: the question or a filter cannot be used.
        """
        return questions.answer(self._snapshot, text, filters, on_text)

    def converse(self) -> "Conversation":
        """Return the conversation with this vault, which goes on where the last one stopped."""
        from graphrag.answers.conversation import Conversation

        return Conversation(self._snapshot)

    def save_answer(self, answer: Answer, name: str = "") -> str | None:
        """Write an answer as a new note, called so or like its question; return its path, None for a refusal."""
        from graphrag.answers.saved_answer import save_answer

        self._refuse_if_limited("written to")
        return save_answer(self.vault, self.settings.answer.save_dir, answer, name, datetime.now().astimezone())

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

    def near(self, name: str, max_hops: int, limit: int) -> reports.Surroundings:
        """Return what lies around a note, topic or tag; notes that the vault no longer holds are left out."""
        return lookups.near(self._snapshot, name, max_hops, limit)

    def explain(self, text: str) -> reports.FactView:
        """Return how the notes stand to a fact like `张三 负责 支付模块`, with its proof.

        Raises:
            QuestionError: the text does not have the form of a fact, or names no relation of the ontology.
            NoteNotFound: nothing is called like one of its ends, or a line that it rests on is gone.
        """
        return lookups.explain(self._snapshot, text)

    def check_ontology(self, language: str = "en") -> reports.OntologyView:
        """Return what is to be mended in the ontology, and in the notes that use it, with names in a language."""
        return lookups.check_ontology(self._snapshot, language)

    def path(self, start: str, end: str, max_hops: int) -> reports.PathView:
        """Return a shortest chain of links between two entities."""
        return lookups.path(self._snapshot, start, end, max_hops)

    def graph(self) -> VaultGraph:
        """Return the whole graph: notes, topics, tags, and all that joins them."""
        return lookups.graph(self._snapshot)

    def show(self, name: str) -> reports.NoteView:
        """Return one note as indexed."""
        return lookups.show(self._snapshot, name)

    def page(self, name: str) -> reports.NotePage:
        """Return one note to be read, with its text as the vault has it now."""
        from graphrag.vault.note_page import open_page

        return open_page(self._snapshot, name)

    def notes(self, filters: Filters, words: str = "", limit: int = 20, offset: int = 0) -> reports.NoteList:
        """Return some of the notes that filters let through and whose names hold all words, newest first."""
        return lookups.notes(self._snapshot, filters, words, limit, offset)

    def tags(self) -> list[Facet]:
        """Return all tags with counts."""
        return lookups.tags(self._snapshot)

    def categories(self) -> list[Facet]:
        """Return all categories with counts."""
        return lookups.categories(self._snapshot)

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
        from graphrag.vault.passages import open_passage

        return open_passage(self._parts, text)

    def sample(self, count: int, seed: int | None) -> list[reports.Sample]:
        """Return random notes before and after cleaning; it reads the vault and needs no index."""
        from graphrag.ingest.sample import sample_notes

        parts = self._parts
        return sample_notes(parts.source(), parts.worktree, parts.note_rule, count, seed)

    def note_url(self, path: str, line: int | None = None) -> str:
        """Return the address that opens a note in Obsidian; Obsidian has none for a line."""
        return note_url(self.vault.name, path)
