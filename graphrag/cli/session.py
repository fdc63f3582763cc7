"""Opens the facade for one command. It is imported at run time only, so that `--help` stays fast."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphrag.app import App


def open_app(vault: Path | None, index_dir: Path | None) -> "App":
    """Return the facade over the chosen vault; a relative path counts from the current folder."""
    from graphrag.app import App

    overrides: dict[str, dict[str, object]] = {}
    if index_dir is not None:
        overrides["index"] = {"dir": os.path.abspath(index_dir.expanduser())}  # noqa: PTH100 - keeps symlinks
    return App.open(vault.expanduser() if vault else None, Path.cwd(), overrides)


@contextmanager
def opened(vault: Path | None, index_dir: Path | None) -> Iterator["App"]:
    """Open the facade and close it whatever happens."""
    app = open_app(vault, index_dir)
    try:
        yield app
    finally:
        app.close()
