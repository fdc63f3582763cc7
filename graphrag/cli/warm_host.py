"""Keeps the vault of the last command open for the next one, as long as all that it was opened with is the same."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from graphrag.cli.session import Host, open_app

if TYPE_CHECKING:
    from graphrag.app import App

# What a shell or a terminal sets, and no model or store reads.
_OF_TERMINAL = frozenset(
    ("_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "WINDOWID")
)
_OF_LANGUAGE = ("LANG", "LC_")


class WarmHost(Host):
    """The host of commands in a process that outlives them."""

    def __init__(self) -> None:
        self._kept: tuple[object, App] | None = None
        self.on_leave: Callable[[int], None] = lambda code: None

    def open(self, vault: Path | None, index_dir: Path | None, worktree: bool) -> "App":
        """Return the facade that was kept if a new one would be the same; the newest snapshot answers."""
        app = open_app(vault, index_dir, worktree)
        key = (app.vault, app.settings, _environment(), _files_read_once(app.vault))
        if self._kept is None or self._kept[0] != key:
            if self._kept is not None:
                self._kept[1].close()
            self._kept = key, app
        kept = self._kept[1]
        if kept.has_newer or not kept.is_indexed:
            kept.close()
        return kept

    def close(self, app: "App") -> None:
        """Keep the facade."""

    def leave(self, code: int) -> NoReturn:
        """End the process after a failure of an engine; the next command gets a new one."""
        self.on_leave(code)
        os._exit(0)


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _OF_TERMINAL and not name.startswith(_OF_LANGUAGE)
    }


def _files_read_once(vault: Path) -> list[tuple[str, int, int]]:
    """Return the state of the files beside the notes that an open vault reads once: its ontology, and Git's folder."""
    files = [*sorted((vault / "ontology").glob("*.ttl")), vault / "userdict.txt"]
    states = [(str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files if file.is_file()]
    return [*states, (".git", 0, int((vault / ".git").exists()))]
