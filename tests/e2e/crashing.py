"""Runs the indexer in a process of its own that kills itself at one chosen moment between two write steps.

    python -m tests.e2e.crashing VAULT MOMENT [REVISION]

Moments are counted over every write to a store and to the index folder, before and after each: 0 is just before the
first one. The process ends with status 0 when the run is over before that moment comes. With a revision, it makes a
snapshot of the past.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import graphrag.providers
from graphrag.app import App
from graphrag.stores.embedding_cache import SqliteEmbeddingCache
from graphrag.stores.kuzu_graph import KuzuGraphWriter
from graphrag.stores.lance_chunks import LanceChunkWriter
from graphrag.stores.snapshot_folder import SnapshotFolder
from tests.fakes.embedder import WeighingEmbedder

STEPS: tuple[tuple[type, str], ...] = (
    (SnapshotFolder, "copy_from"),
    (SnapshotFolder, "stage_graph"),
    (KuzuGraphWriter, "apply"),
    (KuzuGraphWriter, "close"),
    (LanceChunkWriter, "replace"),
    (SnapshotFolder, "publish"),
    (SnapshotFolder, "_remove_others"),
    (SnapshotFolder, "_remove_all_but"),
    (SnapshotFolder, "_name"),
    (SqliteEmbeddingCache, "put"),
    (LanceChunkWriter, "add_vectors"),
    (LanceChunkWriter, "optimize"),
    (LanceChunkWriter, "drop_versions"),
    (SnapshotFolder, "prune"),
    (SnapshotFolder, "settle"),
)


class Countdown:
    """Kills this process, as a power cut would, when its moment comes."""

    def __init__(self, moment: int) -> None:
        self._left = moment

    def tick(self) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def arm(countdown: Countdown) -> None:
    for owner, name in STEPS:
        setattr(owner, name, _ticking(getattr(owner, name), countdown))


def _ticking(step: Callable[..., object], countdown: Countdown) -> Callable[..., object]:
    def run(*arguments: object, **named: object) -> object:
        countdown.tick()
        result = step(*arguments, **named)
        countdown.tick()
        return result

    return run


def main() -> None:
    vault, moment, revisions = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    graphrag.providers._EMBEDDERS["onnxruntime"] = lambda _: WeighingEmbedder()
    arm(Countdown(moment))
    app = App.open(vault, vault)
    for revision in revisions:
        app.go_back(revision, _silent)
    if not revisions:
        app.index(False, _silent)
    app.close()


def _silent(step: str, done: int, total: int) -> None:
    pass


if __name__ == "__main__":
    main()
