"""`index --background`: how a Git hook indexes. It lets go of the Git command at once and logs into a file that stays
small.

A rebase starts it many times in a row, so what it can decide without the engines it decides first.
"""

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from graphrag.errors import GraphragError

_LOG = "hook.log"
_LOG_BYTES = 100_000  # above this, the log starts anew
_NICE = 10


def index_in_background(vault: Path, index_dir: Path | None, worktree: bool) -> None:
    """Index, unless a watcher will, or another such process is about to."""
    folder = _index_folder(vault, index_dir)
    _leave_the_hook()
    if _is_covered(folder):
        return
    from graphrag.cli.index import summary_line
    from graphrag.cli.session import opened
    from graphrag.vault.follow import Listener

    listener = Listener(
        on_index=lambda report: _log(folder, f"{report.commit[:7]} {summary_line(report)}"),
        on_note=lambda note: _log(folder, note),
    )
    try:
        with opened(vault, index_dir, worktree) as app:
            app.index_in_turn(listener)
    except (GraphragError, OSError) as error:
        _log(folder, f"error: {error}")
        raise


def _index_folder(vault: Path, index_dir: Path | None) -> Path:
    from graphrag.settings import load_settings

    vault = vault.expanduser()
    return vault / (index_dir or Path(load_settings(vault).index.dir)).expanduser()


def _leave_the_hook() -> None:
    """Outlive the terminal and the Git command, and forget which repository and index file Git was working on."""
    with suppress(OSError):  # started by hand
        os.setsid()
    os.nice(_NICE)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        del os.environ[name]


def _is_covered(folder: Path) -> bool:
    """Whether a watcher lives, or a process waits whose run will see what this one would."""
    from graphrag.stores.heartbeat import HeartbeatFile
    from graphrag.stores.turn import Turn

    if not folder.is_dir():
        return False
    watcher = HeartbeatFile(folder).read()
    return (watcher is not None and watcher.is_alive) or Turn(folder).is_taken()


def _log(folder: Path, line: str) -> None:
    file = folder / _LOG
    with suppress(OSError):
        is_long = file.exists() and file.stat().st_size > _LOG_BYTES
        with file.open("w" if is_long else "a", encoding="utf-8") as log:
            log.write(f"{datetime.now():%Y-%m-%d %H:%M:%S} {' '.join(line.split())}\n")
