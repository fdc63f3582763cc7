"""Measures indexing on a copy of a vault: the first index, one changed note, a moved note, a run without changes.

python benchmarks/index.py examples/vault
python benchmarks/index.py --notes 5000 --embedder hashed --json
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from embedding_clock import CHOICES, REAL, EmbeddingClock, overrides
from figures import Figure, print_figures, say
from vaults import copy_vault, make_vault

from graphrag.app import App
from graphrag.domain.snapshot import IndexReport

_SCALE_BYTES = 1000 * 3000  # the budget speaks of 1,000 notes of 3 KB
_CHANGES = 3
_PROCESS_RUNS = 3


@dataclass(frozen=True)
class Run:
    """One run of the indexer; `published` is when its first snapshot could be searched."""

    report: IndexReport
    seconds: float
    embedding: float
    published: float  # without the embedding before it
    processor: float  # seconds of all threads until then; on a busy machine it says more


class Publication(threading.Thread):
    """Waits for CURRENT to be replaced, which is when readers see a new snapshot."""

    def __init__(self, index_dir: Path, clock: EmbeddingClock) -> None:
        super().__init__(daemon=True)
        self._current = index_dir / "CURRENT"
        self._clock = clock
        self._before = self._state()
        self._begun, self._embedded = time.perf_counter(), clock.seconds
        self._processor = time.process_time()
        self.seconds, self.processor = 0.0, 0.0
        self.is_over = False

    def run(self) -> None:
        while not self.is_over and self._state() == self._before:
            time.sleep(0.002)
        self.seconds = time.perf_counter() - self._begun - (self._clock.seconds - self._embedded)
        self.processor = time.process_time() - self._processor

    def _state(self) -> int | None:
        try:
            return self._current.stat().st_mtime_ns
        except FileNotFoundError:
            return None


def main() -> None:
    arguments = _arguments()
    clock = EmbeddingClock(arguments.embedder)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        say("preparing the vault")
        vault = make_vault(folder, arguments.notes) if arguments.notes else copy_vault(arguments.vault, folder)
        start = warm_up(folder, "none")
        figures = measure(vault, clock, arguments.embedder, start)
    source = f"{arguments.notes} made notes" if arguments.notes else str(arguments.vault)
    print_figures(f"index: {source}, embedder {arguments.embedder}", figures, arguments.json)


def warm_up(folder: Path, embedder: str) -> float:
    """Index one note elsewhere, and return the seconds: engines and dictionaries load once, whatever the vault."""
    (folder / "warm").mkdir()
    vault = make_vault(folder / "warm", 1)
    app = App.open(vault, vault, overrides(embedder))
    started = time.perf_counter()
    app.index(False, lambda *_: None)
    app.close()
    return time.perf_counter() - started


def measure(vault: Path, clock: EmbeddingClock, embedder: str, start: float) -> list[Figure]:
    app = App.open(vault, vault, overrides(embedder))
    say("first index")
    first = _index(app, clock)
    memory = _peak_megabytes()
    status = app.status()
    scale = _SCALE_BYTES / status.vault_bytes
    say("changes")
    notes = [path for path in sorted(vault.rglob("*.md")) if not _is_hidden(path.relative_to(vault))]
    changed = [_change(app, clock, notes[(2 * turn + 1) * len(notes) // (2 * _CHANGES)]) for turn in range(_CHANGES)]
    moved = _move(app, clock, notes[0], vault)
    unchanged = _index(app, clock)
    say("new processes")
    process = statistics.median(_process_seconds(vault, app) for _ in range(_PROCESS_RUNS))
    after = app.status()
    app.close()
    return [
        Figure("notes", first.report.notes, ""),
        Figure("chunks", first.report.chunks, ""),
        Figure("text of the notes", status.vault_bytes / 1e6, "MB"),
        Figure("start: engines and dictionary, one note", start, "s"),
        Figure("text and graph searchable after", first.published, "s"),
        Figure("processor time until then", first.processor, "s"),
        Figure("start and 1,000 notes of 3 KB, in proportion", start + first.published * scale, "s", 10),
        *_embedding_figures(first, embedder),
        Figure("peak memory of the first index", memory, "MB", 1500),
        Figure("index / text of the notes", status.disk_bytes / status.vault_bytes, "x", 4),
        Figure(f"index / text after {_CHANGES + 1} more runs", after.disk_bytes / after.vault_bytes, "x", 4),
        Figure("one changed note searchable after", statistics.median(run.published for run in changed), "s", 1),
        Figure("its whole run but embedding", statistics.median(run.seconds - run.embedding for run in changed), "s"),
        Figure("embeddings made for a moved note", moved.report.embeddings_made, "", 0),
        Figure("moved note searchable after", moved.published, "s"),
        Figure("run without changes", unchanged.seconds, "s", 1),
        Figure("the same as a new process", process, "s"),
    ]


def _embedding_figures(first: Run, embedder: str) -> list[Figure]:
    if embedder not in REAL:
        return []
    rate = first.report.embeddings_made / first.embedding
    return [
        Figure("embedding alone", first.embedding, "s"),
        Figure("passages embedded a second", rate, "1/s"),
        Figure("whole index / embedding alone", first.seconds / first.embedding, "x", 1.15),
    ]


def _index(app: App, clock: EmbeddingClock) -> Run:
    watch = Publication(app.vault / app.settings.index.dir, clock)
    started, embedded = time.perf_counter(), clock.seconds
    watch.start()
    report = app.index(False, lambda *_: None)
    seconds, embedding = time.perf_counter() - started, clock.seconds - embedded
    watch.is_over = True
    watch.join()
    return Run(report, seconds, embedding, watch.seconds, watch.processor)


def _change(app: App, clock: EmbeddingClock, note: Path) -> Run:
    with note.open("a", encoding="utf-8") as file:
        file.write("\n\n一句新话：今天改了这一条。\n")
    run = _index(app, clock)
    assert run.report.changed == 1, run.report
    return run


def _move(app: App, clock: EmbeddingClock, note: Path, vault: Path) -> Run:
    """Move a note to another folder under its own name: its title, and so what is embedded, stays."""
    (vault / "moved here").mkdir()
    note.rename(vault / "moved here" / note.name)
    run = _index(app, clock)
    assert run.report.renamed == 1, run.report
    return run


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _process_seconds(vault: Path, app: App) -> float:
    # The settings file, since the command line has no option for the embedder.
    (vault / "graphrag.toml").write_text(f'[index]\nembedder = "{app.settings.index.embedder}"\n', encoding="utf-8")
    command = [sys.executable, "-m", "graphrag", "index", "--vault", str(vault)]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def _peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure indexing on a copy of a vault.")
    parser.add_argument("vault", nargs="?", type=Path, help="the vault to copy")
    parser.add_argument("--notes", type=int, metavar="N", help="make N notes of 3 KB instead")
    parser.add_argument(
        "--embedder", choices=CHOICES, default="onnxruntime", help="hashed: random vectors, for large vaults"
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if (arguments.vault is None) == (arguments.notes is None):
        parser.error("give either a vault or --notes N")
    return arguments


if __name__ == "__main__":
    main()
