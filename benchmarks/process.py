"""Measures what a command costs as a new process: CPU seconds of `search`, `ask`, `near`, `status` and `--help`.

python benchmarks/process.py examples/vault
python benchmarks/process.py ~/notes --served --out after.json
python benchmarks/process.py ~/notes --before before.json

The vault is copied and indexed without an embedder. `--served` measures clients of a running `graphrag serve` besides.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from figures import print_table, say
from vaults import copy_vault

_WITHOUT_EMBEDDER = '[index]\nembedder = "none"\n'
_START_SECONDS = 60.0  # that a server has to get ready


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--question", default="为什么选择 Saga 而不是 TCC")
    parser.add_argument("--note", default="支付模块")
    parser.add_argument("--runs", type=int, default=5, help="The least of so many runs counts.")
    parser.add_argument("--served", action="store_true", help="Also measure with a running server.")
    parser.add_argument("--before", type=Path, help="Figures of an earlier run, to stand beside.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    parser.add_argument("--out", type=Path, help="Write the figures as JSON.")
    asked = parser.parse_args()
    commands = {
        "help": ["--help"],
        "search": ["search", asked.question],
        "search --json": ["search", asked.question, "--json"],
        "ask": ["ask", asked.question],
        "near": ["near", asked.note],
        "status": ["status"],
    }
    with tempfile.TemporaryDirectory() as folder:
        vault = copy_vault(asked.vault, Path(folder))
        (vault / "graphrag.toml").write_text(_WITHOUT_EMBEDDER)
        say("indexing")
        run(vault, ["index"])
        figures = {name: cpu_seconds(vault, words, asked.runs) for name, words in commands.items()}
        if asked.served:
            with serving(vault):
                figures |= {f"{name}, served": cpu_seconds(vault, commands[name], asked.runs) for name in commands}
    before = json.loads(asked.before.read_text()) if asked.before else {}
    rows = [(name, _shown(before.get(name)), _shown(seconds)) for name, seconds in figures.items()]
    print_table(("command", "before", "CPU s"), rows, asked.json)
    if asked.out:
        asked.out.write_text(json.dumps(figures, indent=2) + "\n")


def cpu_seconds(vault: Path, words: Sequence[str], runs: int) -> float:
    """Return the least CPU time of a command in its own process, after one run that fills the caches."""
    run(vault, words)
    spent = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(vault, words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def run(vault: Path, words: Sequence[str]) -> None:
    """Run a command in a vault; its output is not looked at."""
    subprocess.run(_command(words), cwd=vault, env=_environment(), capture_output=True, check=True)


@contextmanager
def serving(vault: Path) -> Iterator[None]:
    """Keep a server of the vault running that has answered once."""
    server = subprocess.Popen(
        _command(["serve", "--port", "0"]), cwd=vault, env=_environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        server.stdout.readline()  # its link
        time.sleep(1)
        yield
    finally:
        server.terminate()
        server.wait(_START_SECONDS)


def _command(words: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "graphrag", *words]


def _environment() -> dict[str, str]:
    """Return an environment in which Python keeps compiled modules, as an installed command has them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _shown(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.2f}"


if __name__ == "__main__":
    main()
