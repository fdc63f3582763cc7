"""Opens the facade for one command. It is imported at run time only, so that `--help` stays fast."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag.app import App


def open_app(vault: Path | None, index_dir: Path | None, worktree: bool = False) -> "App":
    """Return the facade over the chosen vault; a relative path counts from the current folder."""
    from graphrag.app import App

    index: dict[str, object] = {}
    if index_dir is not None:
        index["dir"] = os.path.abspath(index_dir.expanduser())  # noqa: PTH100 - keeps symlinks
    if worktree:
        index["worktree"] = True
    return App.open(vault.expanduser() if vault else None, Path.cwd(), {"index": index})


@contextmanager
def opened(vault: Path | None, index_dir: Path | None, worktree: bool = False) -> Iterator["App"]:
    """Open the facade and close it whatever happens."""
    from graphrag.cli.log import show_log

    show_log()
    app = open_app(vault, index_dir, worktree)
    try:
        yield app
    finally:
        app.close()
