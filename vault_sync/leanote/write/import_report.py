"""What an import did, note by note: collected while it runs, and frozen at its end."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from vault_sync.leanote.account import Problem


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a report."""

    name: str  # a path of the vault, or a note's title where it has no file
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, or in a trial run would have done."""

    source: str
    into: str  # folder of the vault, empty for the vault itself
    is_trial: bool
    is_unchanged: bool  # the source said so, and was not listed
    unchanged: int
    imported: tuple[Item, ...]
    updated: tuple[Item, ...]
    moved: tuple[Item, ...]
    conflicts: tuple[Item, ...]
    removed: tuple[Item, ...]
    removed_files: tuple[Item, ...]  # pictures and attachments that no note uses any more
    made_private: tuple[Item, ...]  # edited notes that got the line which keeps them from answers
    skipped: tuple[Item, ...]
    empty: tuple[Item, ...]
    missing_files: tuple[Item, ...]
    unresolved_links: tuple[Item, ...]
    failures: tuple[Item, ...]
    warnings: tuple[Item, ...]
    commit: str = ""
    not_committed: str = ""  # why, when there was something to commit
    seconds: float = 0.0

    @property
    def has_news(self) -> bool:
        """Whether something was done, or failed."""
        done = (self.imported, self.updated, self.moved, self.removed, self.removed_files, self.made_private)
        return any((*done, self.conflicts, self.failures, self.commit, self.not_committed))

    @property
    def is_failure(self) -> bool:
        """Whether nothing at all could be taken from the source, though it was not empty."""
        done = (self.imported, self.updated, self.moved, self.conflicts, self.removed)
        if self.unchanged or any(done):
            return False
        return bool(self.failures) or (bool(self.warnings) and not self.skipped)


@dataclass(slots=True)
class Findings:
    """What has been found so far; each list is one of the report's."""

    unchanged: int = 0
    imported: list[Item] = field(default_factory=list)
    updated: list[Item] = field(default_factory=list)
    moved: list[Item] = field(default_factory=list)
    conflicts: list[Item] = field(default_factory=list)
    removed: list[Item] = field(default_factory=list)
    removed_files: list[Item] = field(default_factory=list)
    made_private: list[Item] = field(default_factory=list)
    skipped: list[Item] = field(default_factory=list)
    empty: list[Item] = field(default_factory=list)
    missing_files: list[Item] = field(default_factory=list)
    unresolved_links: list[Item] = field(default_factory=list)
    failures: list[Item] = field(default_factory=list)
    warnings: list[Item] = field(default_factory=list)

    def fail(self, path: str, error: Exception) -> None:
        """Take over why a note or a file could not be brought up to date."""
        self.failures.append(Item(path, str(error).removeprefix(f"{path}: ")))

    def take_problems(self, problems: Sequence[Problem]) -> None:
        """Take over what the source could not read."""
        self.warnings += [Item(problem.where, problem.message) for problem in problems]

    def report(self, source: str, into: str, is_trial: bool, is_unchanged: bool = False) -> ImportReport:
        """Return all of it."""
        found = {item.name: getattr(self, item.name) for item in fields(self)}
        lists: dict[str, Any] = {name: tuple(items) for name, items in found.items() if isinstance(items, list)}
        return ImportReport(source, into, is_trial, is_unchanged, self.unchanged, **lists)
