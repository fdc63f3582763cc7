"""An account of which nothing is remembered, and the vault -> the choices that an earlier run must have made.

Either its notes came in under another name, as from a dump of the server; or the state was lost, and the notes were
found by their ids: then their places tell the folder, and `rag: false` on all notes of a notebook that it is private.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from posixpath import dirname

from vault_sync.leanote.account import Notebook, NoteListing
from vault_sync.leanote.folders import notebook_folders
from vault_sync.leanote.write.import_plan import joined_titles
from vault_sync.leanote.write.import_report import Findings, Item
from vault_sync.leanote.write.import_state import AccountState, ImportState, NoteState
from vault_sync.leanote.write.secrecy import is_hidden
from vault_sync.leanote.write.vault_search import ASSETS
from vault_sync.leanote.write.vault_writer import VaultWriter


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
