"""The vault's files at a commit -> VaultState. Nothing is read from the disk but what Git LFS keeps there."""

from collections.abc import Mapping
from pathlib import Path

from graphrag.domain.snapshot import Manifest, NoteFile, VaultState
from vault_sync.conflict_copies import copy_reason, find_copies
from vault_sync.file_dates import read_dates
from vault_sync.repository import Repository, TreeFile
from vault_sync.worktree import (
    NOT_UNICODE,
    SAME_NAME,
    SYMBOLIC_LINK,
    FileRules,
    check_text,
    check_vault,
    is_note_name,
    is_unicode,
    lfs_object,
    skipped,
)

_SYMBOLIC_LINK = "120000"
_SUBMODULE = "a submodule: its notes are another repository's. Run: graphrag index --worktree"
_NOT_CHECKED_OUT = "outside the sparse checkout. Run: git sparse-checkout add FOLDER"


class CommitSource:
    """The vault at a revision, found anew by each scan; `hidden` are paths that must stay out, with the reason."""

    def __init__(
        self,
        vault: Path,
        repository: Repository,
        revision: str,
        rules: FileRules,
        hidden: Mapping[str, str] | None = None,
    ) -> None:
        self._vault = vault
        self._repository = repository
        self._revision = revision
        self._rules = rules
        self._hidden = hidden or {}

    def scan(self, base: Manifest | None = None) -> VaultState:
        """Return every note file of the commit with its blob id; what a rule leaves out stands in `skipped`.

        Raises:
            VaultError: the vault is gone, or Git cannot read the commit.
        """
        check_vault(self._vault)
        self._rules = self._rules.fresh()
        commit = self._repository.resolve(self._revision)
        absent = self._repository.not_checked_out() if commit == self._repository.head() else frozenset()
        taken: dict[str, TreeFile] = {}
        problems = [skipped(path, _SUBMODULE) for path in self._repository.submodules(commit)]
        for entry in sorted(self._repository.tree(commit), key=lambda entry: entry.name):
            if not is_note_name(entry.name):
                continue
            reason = SAME_NAME if entry.path in taken else self._reason_to_skip(entry)
            if not reason and entry.name in absent:
                reason = _NOT_CHECKED_OUT
            if reason:
                problems.append(skipped(entry.path, reason))
            else:
                taken[entry.path] = entry
        for path, original in find_copies(taken, lambda path: self._repository.read(taken[path].blob)).items():
            del taken[path]
            problems.append(skipped(path, copy_reason(original)))
        dates = read_dates(self._repository, commit, base, taken)
        files = [
            NoteFile(path, entry.blob, entry.size, *dates.get(path, (None, None))) for path, entry in taken.items()
        ]
        return VaultState(tuple(files), commit, False, tuple(problems))

    def read(self, file: NoteFile) -> bytes:
        """Return the file's bytes at the commit; for a pointer of Git LFS, those it points at.

        Raises:
            OSError: this machine does not hold them, or git-crypt encrypts them.
        """
        data = self._repository.read(file.content_hash)
        if oid := lfs_object(data):
            stored = self._repository.common_dir / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
            data = stored.read_bytes() if stored.is_file() else data
        return check_text(data)

    def _reason_to_skip(self, entry: TreeFile) -> str:
        if entry.mode == _SYMBOLIC_LINK:
            return SYMBOLIC_LINK
        if not is_unicode(entry.name):
            return NOT_UNICODE
        return (
            self._rules.reason_to_ignore(entry.path)
            or self._hidden.get(entry.path, "")
            or self._rules.reason_of_size(entry.size)
        )


def has_notes_at_head(repository: Repository) -> bool:
    """Whether the commit that is checked out holds any note of the vault."""
    head = repository.head()
    return bool(head) and any(is_note_name(file.name) for file in repository.tree(head))
