"""A source of Leanote notes -> Markdown files in the vault, incrementally: the run, from listing to report.

It writes below the folder asked for, into the trash folder of the vault, and its own state; it neither indexes nor
commits. Whatever stops it, the same call goes on from there.
"""

from collections import Counter, deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import islice
from posixpath import dirname

from graphrag.domain.report import Progress
from graphrag.errors import NoteUnreadable, SourceUnavailable, VaultError
from vault_sync.leanote.account import LeanoteSource, Notebook, NoteListing
from vault_sync.leanote.file_names import notebook_folders
from vault_sync.leanote.write.import_plan import (
    SUFFIX,
    ImportOptions,
    ImportPlan,
    PlannedNote,
    joined_titles,
    plan_import,
)
from vault_sync.leanote.write.import_report import Findings, ImportReport, Item
from vault_sync.leanote.write.import_state import AccountState, ImportState, NoteState
from vault_sync.leanote.write.note_assets import AssetFolder
from vault_sync.leanote.write.note_file import digest
from vault_sync.leanote.write.note_import import NoteImport
from vault_sync.leanote.write.placement import PlacedNote, Placement, find_moved
from vault_sync.leanote.write.removal import OLDER, Removal, hide_edited, is_hidden, skip_left_out
from vault_sync.leanote.write.vault_writer import ASSETS, VaultWriter


def earlier_choices(
    account: str,
    notebooks: Sequence[Notebook],
    listed: Mapping[str, NoteListing],
    state: ImportState,
    writer: VaultWriter,
    findings: Findings,
) -> AccountState:
    """Return what is to be taken for the choices of the account's last run; what was found out is in the findings."""
    notes = [note for note_id in listed if (note := state.notes.get(note_id))]
    others = Counter(note.account for note in notes if note.account in state.accounts)
    if others:
        known = state.accounts[others.most_common(1)[0][0]]
        return AccountState("", known.into, known.folders, exclude=known.exclude, private=known.private)
    found = [note for note in notes if note.account == account]
    if not found:
        return AccountState()
    into = _into(found, listed, notebook_folders(notebooks, reserved=(ASSETS,)))
    private = _private(found, listed, joined_titles(notebooks), writer)
    kept = f", and --private is taken to be {', '.join(private)}" if private else ""
    message = f"nothing is remembered, but {len(found):,} notes are here; they go on in {into or 'the vault'}{kept}"
    findings.warnings.append(Item("the import's own state", message))
    return AccountState(into=into, private=private)


def _into(found: Sequence[NoteState], listed: Mapping[str, NoteListing], folders: Mapping[str, str]) -> str:
    """Return the folder below which most notes lie as their notebooks want it, empty for the vault itself."""
    votes: Counter[str] = Counter()
    for note in found:
        folder, here = folders.get(listed[note.id].notebook, ""), dirname(note.path)
        if not folder or here == folder or here.endswith(f"/{folder}"):
            votes[here.removesuffix(folder).rstrip("/")] += 1
    return votes.most_common(1)[0][0] if votes else ""


def _private(
    found: Sequence[NoteState], listed: Mapping[str, NoteListing], titles: Mapping[str, str], writer: VaultWriter
) -> tuple[str, ...]:
    """Return the notebooks all of whose notes are kept from answers, by path."""
    hidden: dict[str, bool] = {}
    for note in found:
        notebook = listed[note.id].notebook
        data = writer.read(note.path) if hidden.get(notebook, True) else None
        hidden[notebook] = data is not None and is_hidden(data)
    return tuple(sorted({titles[id_] for id_, is_private in hidden.items() if is_private and id_ in titles}))


_THREADS = 2  # a private server is not to be stormed
_AHEAD = 4  # bodies in memory


def read_bodies(
    source: LeanoteSource, notes: Iterable[PlannedNote]
) -> Generator[tuple[PlannedNote, str | NoteUnreadable], None, None]:
    """Yield each note with its body, or with why it cannot be read.

    Raises:
        SourceRefused, SourceUnavailable: as the source does; what was read before has been yielded.
    """
    rest = iter(notes)
    waiting: deque[tuple[PlannedNote, Future[str]]] = deque()
    pool = ThreadPoolExecutor(_THREADS, "leanote")
    try:
        while True:
            for note in islice(rest, _AHEAD - len(waiting)):
                waiting.append((note, pool.submit(source.body, note.listing)))
            if not waiting:
                return
            note, future = waiting.popleft()
            yield note, _result(future)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[str]) -> str | NoteUnreadable:
    try:
        return future.result()
    except NoteUnreadable as error:
        return error


class Importer:
    """One run over one source."""

    def __init__(
        self,
        source: LeanoteSource,
        writer: VaultWriter,
        state: ImportState,
        options: ImportOptions,
        progress: Progress,
    ) -> None:
        self._source = source
        self._writer = writer
        self._state = state
        self._options = options
        self._progress = progress
        self._findings = Findings()
        self._account = state.accounts.get(options.account, AccountState(is_complete=False))

    def run(self, is_trial: bool = False) -> ImportReport:
        """Bring the vault up to date with the source.

        Raises:
            SourceRefused: the source cannot be used, or an option names a notebook that it does not have.
            SourceUnavailable: it stopped answering; what came until then is kept.
            VaultError: the folder cannot be written to.
        """
        word = self._source.checkpoint()
        if self._options.account in self._state.accounts:
            self._choose(self._account)
            if word and self._checkpoint(word) == self._account.checkpoint:
                self._findings.unchanged = self._count_known()
                return self._findings.report(self._source.label, self._account.into, is_trial, is_unchanged=True)
        self._bring_up_to_date(word)
        return self._findings.report(self._source.label, self._account.into, is_trial)

    def _choose(self, last: AccountState) -> None:
        """Take over what the last run had, where the options say nothing else."""
        wanted = self._options
        self._account = replace(
            last,
            into=last.into if wanted.into is None else wanted.into,
            exclude=last.exclude if wanted.exclude is None else wanted.exclude,
            private=last.private if wanted.private is None else wanted.private,
        )
        self._writer.check_folder(self._account.into)

    def _bring_up_to_date(self, word: str) -> None:
        if self._state.damaged:
            lines = f"{self._state.damaged} damaged lines were left out"
            self._findings.warnings.append(Item("the import's own state", lines))
        plan = self._plan()
        self._remember("", is_complete=False, folders=plan.folders)
        self._distrust_others(plan)
        removal = Removal(self._state, self._writer, self._findings, self._options)
        removal.remove_notes(plan, self._source.is_whole)
        skip_left_out(plan.left_out, self._state, self._findings)
        try:
            self._write(Placement(self._state, self._writer, self._findings, self._options).place(plan.wanted))
            removal.remove_assets()
        finally:  # what is private does not wait for the next try
            hide_edited(plan.private, self._state, self._writer, self._findings)
        self._findings.take_problems(self._source.problems())
        checkpoint = self._checkpoint(word) if word and self._is_done(plan) else ""  # else the next run tries again
        self._remember(checkpoint, is_complete=True, folders=plan.folders)

    def _plan(self) -> ImportPlan:
        notebooks = self._source.notebooks()
        listed: dict[str, NoteListing] = {note.id: note for note in self._source.notes()}
        notes = [listed[note_id] for note_id in sorted(listed)]
        name = self._options.account
        find_moved(self._state, self._writer, name, listed)
        if name not in self._state.accounts:
            self._choose(earlier_choices(name, notebooks, listed, self._state, self._writer, self._findings))
        return plan_import(notebooks, notes, self._state.notes, self._account, self._writer)

    def _distrust_others(self, plan: ImportPlan) -> None:
        """Let other accounts that had one of these notes look at all of them the next time."""
        listed = (*(note.listing for note in plan.wanted), *plan.removed)
        names = {note.account for listing in listed if (note := self._state.notes.get(listing.id))}
        for name in names - {self._options.account}:
            if other := self._state.accounts.get(name):
                self._state.keep_account(name, replace(other, checkpoint=""))

    def _is_done(self, plan: ImportPlan) -> bool:
        """Whether nothing is left for another try."""
        notes = (self._state.notes.get(note.listing.id) for note in plan.wanted)
        has_gaps = any(note is not None and note.has_gaps for note in notes)
        return not (has_gaps or self._findings.failures or self._source.problems())

    def _write(self, placed: Sequence[PlacedNote]) -> None:
        into = self._account.into
        assets = AssetFolder(f"{into}/{ASSETS}" if into else ASSETS, self._writer, self._state)
        note_import = NoteImport(
            self._source, self._writer, self._state, assets, _links(placed), self._options, self._findings
        )
        due = {note.planned.listing.id: note for note in placed if self._is_due(note_import, note)}
        done = 0
        try:
            with closing(read_bodies(self._source, [note.planned for note in due.values()])) as bodies:
                for planned, body in bodies:
                    self._take(note_import, due[planned.listing.id], body)
                    done += 1
                    self._progress("notes", done, len(due))
        except SourceUnavailable as error:
            raise SourceUnavailable(
                f"{error} {done:,} of {len(due):,} notes are done; the same command goes on from there."
            ) from error

    def _is_due(self, note_import: NoteImport, note: PlacedNote) -> bool:
        """Whether a note's body is to be read; what is not due is accounted for."""
        try:
            if note.is_older:
                self._findings.skipped.append(Item(note.path, OLDER))
            elif note_import.is_due(note):
                return True
            else:
                self._leave(note)
        except VaultError as error:
            self._findings.fail(note.path, error)
        return False

    def _take(self, note_import: NoteImport, note: PlacedNote, body: str | NoteUnreadable) -> None:
        try:
            if isinstance(body, NoteUnreadable):
                raise body
            note_import.take(note, body)
        except (NoteUnreadable, VaultError) as error:
            self._findings.fail(note.path, error)

    def _leave(self, note: PlacedNote) -> None:
        if note.before and note.before.account != self._options.account:
            self._state.keep_note(replace(note.before, account=self._options.account))
        if self._writer.is_free(note.path):
            self._findings.skipped.append(Item(note.path, "deleted here"))
        else:
            self._findings.unchanged += 1

    def _checkpoint(self, word: str) -> str:
        """Return a word for the state of the source under the choices of this run."""
        chosen = self._account
        options = replace(self._options, into=chosen.into, exclude=chosen.exclude, private=chosen.private)
        return digest(f"{word}\0{options!r}".encode())

    def _remember(self, checkpoint: str, is_complete: bool, folders: Mapping[str, str]) -> None:
        self._account = replace(self._account, checkpoint=checkpoint, is_complete=is_complete, folders=folders)
        self._state.keep_account(self._options.account, self._account)

    def _count_known(self) -> int:
        notes = self._state.notes.values()
        return sum(note.account == self._options.account and not note.is_gone for note in notes)


def _links(placed: Sequence[PlacedNote]) -> dict[str, str]:
    """Return how each note is linked to: by its id, and by its title, as blogs do, where only one has it."""
    by_title: dict[str, list[str]] = {}
    links: dict[str, str] = {}
    for note in placed:
        link = note.path.removesuffix(SUFFIX)
        links[note.planned.listing.id] = link
        by_title.setdefault(note.planned.listing.title, []).append(link)
    return {title: found[0] for title, found in by_title.items() if title and len(found) == 1} | links
