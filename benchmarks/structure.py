"""How large the house is: modules, lines, floors, circles, and the modules that one question passes.

`python benchmarks/structure.py` measures the working tree; `--at REV` measures a commit beside it, side by side in one
run. A module counts as passed when one of its functions is called while a question is answered on a copy of the example
vault, with the index made and the snapshot open; importing a module does not count.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[1]
PACKAGES = ("graphrag", "vault_sync")
QUESTION = "渠道超时应该设多少秒，重试几次？"
_ASK = """
import json, sys
from pathlib import Path
from graphrag.app import App
from graphrag.domain.query import Filters
vault, root, question = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
app = App.open(vault, vault, {"answer": {"chat": "none"}})
app.index(False, lambda step, done, total: None)
app.ask("支付", Filters())
passed = set()
def profile(frame, event, argument):
    file = frame.f_code.co_filename
    own = file.startswith((root + "/graphrag/", root + "/vault_sync/"))
    if event == "call" and own and frame.f_code.co_name != "<module>":
        passed.add(file[len(root) + 1:])
sys.setprofile(profile)
app.ask(question, Filters())
sys.setprofile(None)
app.close()
print(json.dumps(sorted(passed)))
"""


def modules_of(tree: Path) -> dict[str, Path]:
    """Return the modules of a source tree by their dotted names."""
    found: dict[str, Path] = {}
    for package in PACKAGES:
        for file in sorted((tree / package).rglob("*.py")):
            found[".".join(file.relative_to(tree).with_suffix("").parts).removesuffix(".__init__")] = file
    return found


def imports_of(modules: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """Yield which module imports which, inside functions as well as at the top."""
    for name, file in modules.items():
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    target = f"{node.module}.{alias.name}"
                    target = target if target in modules else node.module
                    if target in modules and target != name:
                        yield name, target
            elif isinstance(node, ast.Import):
                yield from ((name, alias.name) for alias in node.names if alias.name in modules)


def floors_of(edges: Iterator[tuple[str, str]] | set[tuple[str, str]]) -> tuple[int, list[list[str]]]:
    """Return the length of the longest chain of imports, a circle counting as one floor, and the circles."""
    graph = nx.DiGraph(list(edges))
    circles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    return len(nx.dag_longest_path(nx.condensation(graph))), circles


def room_of(module: str) -> str:
    """Return the entry of its top package that a module lies in."""
    return ".".join(module.split(".")[:2])


def measure(tree: Path) -> dict[str, object]:
    """Return the figures of a source tree."""
    modules = modules_of(tree)
    edges = set(imports_of(modules))
    rooms = {(room_of(source), room_of(target)) for source, target in edges if room_of(source) != room_of(target)}
    lines = {name: len(file.read_text("utf-8").splitlines()) for name, file in modules.items()}
    chain, circles = floors_of(edges)
    return {
        "modules": sum(file.name != "__init__.py" for file in modules.values()),
        "lines": sum(lines.values()),
        "entries of graphrag": len({name.split(".")[1] for name in modules if name.startswith("graphrag.")}),
        "floors of graphrag's entries": floors_of({pair for pair in rooms if pair[1].startswith("graphrag.")})[0],
        "longest chain of modules": chain,
        "circles of modules": len(circles),
        "modules that a question passes": len(passed_by(tree, QUESTION)),
    }


def passed_by(tree: Path, question: str) -> list[str]:
    """Return the files of a tree in which a function is called while a question is answered."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(tree / "examples" / "vault", vault)
        (vault / "graphrag.toml").write_text('[index]\nembedder = "none"\n', encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        done = subprocess.run(
            [sys.executable, "-c", _ASK, str(vault), str(tree), question],
            env=environment,
            cwd=tree,
            capture_output=True,
            text=True,
            check=True,
        )
    return list(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print the figures of the working tree, and of a commit beside them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", metavar="REV", help="a commit to set beside the working tree")
    parser.add_argument("--passed", action="store_true", help="list the modules that the question passes")
    arguments = parser.parse_args()
    columns = {"now": measure(ROOT)}
    if arguments.at:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "tree"
            subprocess.run(["git", "-C", ROOT, "worktree", "add", "-q", "--detach", tree, arguments.at], check=True)
            try:
                columns = {arguments.at: measure(tree), **columns}
            finally:
                subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)
    print("".join(f"{name:>12}" for name in ("", *columns)).replace(" " * 12, " " * 32, 1))
    for figure in columns["now"]:
        print(f"{figure:<32}" + "".join(f"{columns[name][figure]!s:>12}" for name in columns))
    if arguments.passed:
        print("\n".join(passed_by(ROOT, QUESTION)))


if __name__ == "__main__":
    main()
