"""Deletes an index folder that can be made anew."""

import shutil
from pathlib import Path

from filelock import FileLock, Timeout

from graphrag.stores.ownership import CURRENT
from graphrag.stores.snapshots import LOCK


def remove_index(directory: Path) -> None:
    """Delete an index, unless a process is writing it, which then sees what the vault no longer shows."""
    lock = FileLock(directory / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return
    try:
        (directory / CURRENT).unlink(missing_ok=True)  # first: half of an index would seem to be a damaged one
        shutil.rmtree(directory, ignore_errors=True)
    finally:
        lock.release()
