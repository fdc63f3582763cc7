"""Measures a large made vault in one run: indexing, one changed note, and every question that may look at all notes.

python benchmarks/scale.py --notes 2000
python benchmarks/scale.py --notes 20000 --out after.json --before before.json
python benchmarks/scale.py --notes 100000

The vault has folders, front matter, tags, links, one hub, and Git. There is no embedder: its time grows with the text
alone. Seconds are of the processor unless they say wall, since other work on the machine moves the clock on the wall.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from figures import print_table, say
from vaults import make_vault, note_path, queries

from graphrag.app import App
from graphrag.domain.query import NO_FILTERS

_WITHOUT_EMBEDDER = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'
_HUB = "hub.md"
_HUB_SHARE = 20  # one note in so many is linked from the hub
_QUERIES = 60
_CHANGED = 3
_IDENTITY = ("-c", "user.name=Scale", "-c", "user.email=scale@example.org", "-c", "commit.gpgsign=false")


@dataclass(frozen=True)
class Cost:
    """What one command took as a process of its own."""

    wall: float
    cpu: float
    megabytes: float  # at its peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--before", type=Path, help="Figures of an earlier run, to stand beside.")
    parser.add_argument("--out", type=Path, help="Write the figures as JSON.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        say("making the vault")
        vault = make(Path(folder), asked.notes)
        figures = {**as_processes(vault, asked.notes), **in_one_process(vault, asked.notes)}
    before = json.loads(asked.before.read_text()) if asked.before else {}
    rows = [(name, _shown(before.get(name)), _shown(value)) for name, value in figures.items()]
    print_table((f"{asked.notes} notes", "before", "now"), rows, asked.json)
    if asked.out:
        asked.out.write_text(json.dumps(figures, indent=2) + "\n")


def make(folder: Path, notes: int) -> Path:
    """Make the vault with its hub, and commit it."""
    vault = make_vault(folder, notes)
    linked = "".join(f"- [[note {number}]]\n" for number in range(0, notes, _HUB_SHARE))
    (vault / _HUB).write_text(f"# 总览\n\n{linked}", encoding="utf-8")
    (vault / "graphrag.toml").write_text(_WITHOUT_EMBEDDER, encoding="utf-8")
    _git(vault, "init", "-q")
    commit(vault)
    return vault


def commit(vault: Path) -> None:
    """Commit all that changed."""
    _git(vault, "add", "-A")
    _git(vault, *_IDENTITY, "commit", "-q", "-m", "notes")


def as_processes(vault: Path, notes: int) -> dict[str, float]:
    """Return what the commands cost, each as a new process."""
    say("first index")
    first = run(vault, "index")
    figures = {
        "first index, wall s": first.wall,
        "first index, s": first.cpu,
        "peak memory, MB": first.megabytes,
        "index / text of the notes": _size(vault / ".graphrag")
        / sum(_size(vault / note_path(n)) for n in range(notes)),
    }
    say("new processes")
    question = queries(1)[0]
    commands = {
        "index, nothing changed": ["index"],
        "status": ["status"],
        "search": ["search", question],
        "near of the hub": ["near", _HUB],
        "tags": ["tags"],
        "export": ["export", "--format", "json", "--out", str(vault.parent / "graph.json"), "--force"],
    }
    for name, words in commands.items():
        run(vault, *words)  # fills caches
        figures[f"{name}, s"] = min(run(vault, *words).cpu for _ in range(3))
    say("changes")
    figures["one changed note, s"] = min(change(vault, note_path(7 * turn)) for turn in range(1, _CHANGED + 1))
    figures["one new name, s"] = min(
        change(vault, f"new/新名字{turn}甲.md", f"# 新名字{turn}甲\n\n") for turn in range(_CHANGED)
    )
    return figures


def change(vault: Path, path: str, text: str = "") -> float:
    """Add a line to a note, commit, and return what an index run costs then."""
    (vault / path).parent.mkdir(exist_ok=True)
    with (vault / path).open("a", encoding="utf-8") as file:
        file.write(f"{text}\n一句新话：今天改了这一条。\n")
    commit(vault)
    return run(vault, "index").cpu


def in_one_process(vault: Path, notes: int) -> dict[str, float]:
    """Return what questions and changes take while one process keeps the vault open, as `serve --watch` does."""
    say("one process")
    app = App.open(vault, vault)
    figures = {"hub, first in a process, s": _cpu(lambda: app.near(_HUB, 2, 30))}
    figures["hub, warm, s"] = _cpu(lambda: app.near(_HUB, 2, 30))
    figures["overview, first, s"] = _cpu(lambda: app.overview(100))
    figures["overview, warm, s"] = _cpu(lambda: app.overview(100))
    app.search(queries(1)[0], NO_FILTERS)
    walls = [_wall(lambda text=text: app.search(text, NO_FILTERS)) for text in queries(_QUERIES)]
    figures["search, p50 wall ms"] = statistics.median(walls) * 1000
    figures["search, p95 wall ms"] = sorted(walls)[int(0.95 * len(walls))] * 1000
    changed = [_change_within(app, vault, note_path(11 * turn)) for turn in range(1, _CHANGED + 1)]
    figures["one changed note in a watcher, s"] = min(cpu for cpu, _ in changed)
    figures["one changed note in a watcher, wall s"] = min(wall for _, wall in changed)
    app.close()
    return figures


def _change_within(app: App, vault: Path, path: str) -> tuple[float, float]:
    with (vault / path).open("a", encoding="utf-8") as file:
        file.write("\n又一句新话。\n")
    commit(vault)
    started = time.perf_counter()
    cpu = _cpu(lambda: app.index(False, lambda *_: None))
    return cpu, time.perf_counter() - started


def run(vault: Path, *words: str) -> Cost:
    """Run a command in the vault; its output is not looked at.

    Raises:
        RuntimeError: it failed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "graphrag", *words]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=vault, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(f"{' '.join(words)}: {errors.read().decode()[-500:]}")
    scale = 1e6 if sys.platform == "darwin" else 1e6 / 1024
    return Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / scale)


def _cpu(work: Callable[[], object]) -> float:
    before = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    work()
    after = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    return after - before


def _wall(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _size(place: Path) -> int:
    return sum(file.stat().st_size for file in place.rglob("*")) if place.is_dir() else place.stat().st_size


def _git(vault: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=vault, check=True, capture_output=True)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
