"""Measures searching: stage by stage in a running process, and the commands as new processes.

python benchmarks/search.py examples/vault --queries examples/questions.jsonl
python benchmarks/search.py --notes 5000 --json
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from embedding_clock import EmbeddingClock, overrides
from figures import Figure, print_figures, say
from vaults import copy_vault, make_vault, queries

from graphrag.app import App
from graphrag.domain.query import Filters
from graphrag.evaluate.cases import read_cases
from graphrag.evaluate.metrics import percentile

_REPEATS = 3
_PROCESS_RUNS = 5
_MADE_QUERIES = 50
_BUDGET_CHUNKS = 20_000  # the budget of retrieval is for a vault of this size

Asked = tuple[str, Filters]


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as name:
        vault = _indexed(arguments, Path(name))
        questions = _questions(arguments)
        app = App.open(vault, vault, overrides("onnxruntime"))
        figures = [*_running(app, questions), *_new_processes(vault, questions[0][0])]
        app.close()
    source = f"{arguments.notes} made notes, hashed vectors" if arguments.notes else str(arguments.vault)
    print_figures(f"search: {source}, {len(questions)} questions x {_REPEATS}", figures, arguments.json)


def _indexed(arguments: argparse.Namespace, folder: Path) -> Path:
    """Return an indexed vault: the one given if it has an index already, else a copy of it."""
    if arguments.vault and (arguments.vault / ".graphrag" / "CURRENT").exists():
        vault: Path = arguments.vault
        return vault
    say("indexing")
    if arguments.notes:
        EmbeddingClock("hashed")
        vault = make_vault(folder, arguments.notes)
    else:
        vault = copy_vault(arguments.vault, folder)
    app = App.open(vault, vault, overrides("onnxruntime"))
    app.index(False, lambda *_: None)
    app.close()
    return vault


def _questions(arguments: argparse.Namespace) -> list[Asked]:
    if arguments.queries:
        return [(case.question, case.filters) for case in read_cases(arguments.queries)]
    return [(text, Filters()) for text in queries(_MADE_QUERIES)]


def _running(app: App, questions: Sequence[Asked]) -> list[Figure]:
    """Return the stages' milliseconds, after one search that loads what the first one needs."""
    say("searching")
    app.search(*questions[0])
    spent: dict[str, list[float]] = {}
    for text, filters in list(questions) * _REPEATS:
        started = time.perf_counter()
        result = app.search(text, filters)
        stages = {**result.trace.milliseconds, "total": (time.perf_counter() - started) * 1000}
        for stage, milliseconds in stages.items():
            spent.setdefault(stage, []).append(milliseconds)
    status = app.status()
    is_held_to_budget = status.chunks >= _BUDGET_CHUNKS
    figures = [Figure("chunks", status.chunks, ""), Figure("chunks with a vector", status.embedded * 100, "%")]
    for stage, values in spent.items():
        limits = (60.0, 150.0) if stage == "total" and is_held_to_budget else (None, None)
        figures.append(Figure(f"{stage} p50", percentile(values, 50), "ms", limits[0]))
        figures.append(Figure(f"{stage} p95", percentile(values, 95), "ms", limits[1]))
    return figures


def _new_processes(vault: Path, question: str) -> list[Figure]:
    say("new processes")
    return [
        Figure("graphrag search, new process", _wall("search", question, "--vault", str(vault)), "s", 1.5),
        Figure("graphrag --help, new process", _wall("--help"), "s", 0.3),
    ]


def _wall(*words: str) -> float:
    """Return the median seconds of a command from start to exit."""
    seconds = []
    for _ in range(_PROCESS_RUNS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "graphrag", *words], check=True, capture_output=True)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure searching.")
    parser.add_argument("vault", nargs="?", type=Path, help="a vault; without an index, a copy of it is indexed first")
    parser.add_argument("--queries", type=Path, metavar="CASES", help="questions in the form of graphrag eval")
    parser.add_argument("--notes", type=int, metavar="N", help="make N notes of 3 KB with random vectors instead")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if (arguments.vault is None) == (arguments.notes is None):
        parser.error("give either a vault or --notes N")
    if arguments.vault and not arguments.queries:
        parser.error("a vault needs --queries")
    return arguments


if __name__ == "__main__":
    main()
