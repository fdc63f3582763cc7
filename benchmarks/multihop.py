"""Measures retrieval along the graph on sets of questions whose answers lie in several passages; one table, one run.

python benchmarks/multihop.py multihop-dev/2wiki multihop-dev/musique --embeddings cache/
python benchmarks/multihop.py zh-retrieval-dev/cmrc2018 --json

A set is a folder of `corpus.jsonl` and `queries.jsonl`. Every passage becomes a note with its title and text; links are
only what the index itself finds: titles named in other passages, rare terms that passages share. Recall is of a
question's gold passages (of its groups, one of each). `--embeddings` keeps each set's vectors in a folder: making
them takes long.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from figures import print_table, say
from passages import Query, index_kept, read_queries, write_passages

from graphrag.app import App
from graphrag.domain.query import NO_FILTERS
from graphrag.errors import QuestionError
from graphrag.retrieve.pipeline import SearchMode, policy_of

_DEPTHS = (2, 5, 10)
_MODES = (SearchMode.FULL_TEXT, SearchMode.VECTORS, SearchMode.FUSED, SearchMode.HOPS, SearchMode.WALK)


@dataclass(frozen=True)
class Row:
    """One set in one mode."""

    dataset: str
    queries: int
    mode: str
    recalls: tuple[float, ...]
    milliseconds: float  # median of a search


def main() -> None:
    arguments = _arguments()
    rows: list[Row] = []
    for dataset in arguments.datasets:
        with tempfile.TemporaryDirectory() as name:
            app = index(dataset, Path(name) / "vault", arguments.embeddings)
            queries = read_queries(dataset)[: arguments.limit]
            rows += [measure(app, dataset.name, queries, mode) for mode in _MODES]
            app.close()
    titles = ["set", "n", "mode", *(f"R@{depth}" for depth in _DEPTHS), "ms"]
    cells = [
        [row.dataset, str(row.queries), row.mode, *(f"{100 * r:.1f}" for r in row.recalls), f"{row.milliseconds:.0f}"]
        for row in rows
    ]
    print_table(titles, cells, arguments.json)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)
    say(f"peak memory {memory:,.0f} MB, indexing included")


def index(dataset: Path, vault: Path, embeddings: Path | None) -> App:
    """Write the passages as notes and index them, vectors from the folder of earlier runs where they are there."""
    say(f"{dataset.name}: {write_passages(dataset, vault):,} passages")
    app = App.open(vault, vault, {"answer": {"chat": "none"}})
    index_kept(app, dataset.name, embeddings)
    return app


def measure(app: App, dataset: str, queries: list[Query], mode: SearchMode) -> Row:
    """Run all questions in one mode."""
    base = app._parts.search_policy(max(_DEPTHS) * app.settings.search.max_per_note)
    policy = policy_of(mode, base)
    recalls: list[tuple[float, ...]] = []
    spent: list[float] = []
    for number, query in enumerate(queries):
        if number % 50 == 0:
            say(f"{dataset}, {mode}: {number} of {len(queries)}")
        started = time.perf_counter()
        try:
            found = app.find(query.question, NO_FILTERS, policy).result.candidates
        except QuestionError:
            found = ()
        spent.append(time.perf_counter() - started)
        notes = list(dict.fromkeys(candidate.chunk.note for candidate in found))
        recalls.append(tuple(_recall(notes[:depth], query) for depth in _DEPTHS))
    means = tuple(statistics.fmean(column) for column in zip(*recalls, strict=True))
    return Row(dataset, len(queries), mode, means, 1000 * statistics.median(spent))


def _recall(notes: list[str], query: Query) -> float:
    return sum(not group.isdisjoint(notes) for group in query.groups) / len(query.groups)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--embeddings", type=Path, help="folder that keeps the vectors of each set")
    parser.add_argument("--limit", type=int, help="only the first so many questions")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
