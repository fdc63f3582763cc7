"""Random histories of commits: an index that grew with them tells what a fresh one tells, in the same order."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.vault.whole_graph import NoteMap
from tests.e2e.conftest import silent, write_vault
from tests.e2e.test_crashes import contents
from tests.e2e.test_git import commit, git
from tests.fakes.git import Git

__all__ = ["git"]  # a fixture

Open = Callable[..., App]
HISTORIES = 2  # of which each has so many steps; 40 of 12 take some minutes
STEPS = 4
_NAMES = ["甲", "乙", "丙", "丁", "戊", "己"]
_FOLDERS = ["", "茶/", "草稿/", ".trash/"]
_SUFFIXES = [".md", ".txt"]


class History:
    """Changes a vault at random, and commits."""

    def __init__(self, app: App, git: Git, seed: int) -> None:
        self._app, self._git = app, git
        self._chance = random.Random(seed)
        self._number = 0

    def step(self) -> str:
        """Do one thing that people do to a vault, and return its name."""
        kind = self._chance.choice([self.write, self.write, self.move, self.delete, self.branch, self.words, self.rule])
        kind()
        return kind.__name__

    def write(self) -> None:
        path = self._place() if self._chance.random() < 0.5 else self._any()
        self._commit({path: self._text()})

    def move(self) -> None:
        source, target = self._any(), self._place()
        if not (self._app.vault / target).exists():
            (self._app.vault / target).parent.mkdir(exist_ok=True, parents=True)
            (self._app.vault / source).rename(self._app.vault / target)
        self._commit({})

    def delete(self) -> None:
        self._commit({self._any(): None})
        self.write()

    def words(self) -> None:
        write_vault(self._app.vault, {"userdict.txt": "\n".join(self._chance.sample(["怎么泡", "泡第", "茶怎"], 2))})

    def rule(self) -> None:
        self._commit({".ragignore": self._chance.choice(["草稿/\n", "草稿/\n茶/\n"])})

    def branch(self) -> None:
        """Change both sides of a branch, and merge them with either side's files."""
        side = f"side-{self._number}"
        self._git("switch", "-qc", side)
        self._chance.choice([self.write, self.move, self.delete])()
        self._git("switch", "-q", "main")
        self._chance.choice([self.write, self.move, self.delete])()
        if self._chance.random() < 0.5:
            self._git("merge", "-q", "--no-ff", "-s", "ours", "-m", "合并", side)
        else:
            tree = self._git("rev-parse", f"{side}^{{tree}}")
            merge = self._git("commit-tree", "-p", "HEAD", "-p", side, "-m", "合并", tree)
            self._git("reset", "-q", "--hard", merge)

    def _commit(self, notes: dict[str, str | None]) -> None:
        self._number += 1
        commit(self._app, self._git, f"{self._number}", {**notes, "次.md": f"# 次\n\n第 {self._number} 次。\n"})

    def _any(self) -> str:
        files = sorted(file for file in self._app.vault.rglob("*") if file.stem in _NAMES and file.is_file())
        files = [file for file in files if file.suffix in _SUFFIXES]
        if not files:
            return "甲.md"
        return self._chance.choice(files).relative_to(self._app.vault).as_posix()

    def _place(self) -> str:
        choice = self._chance.choice
        return f"{choice(_FOLDERS)}{choice(_NAMES)}{choice(_SUFFIXES)}"

    def _text(self) -> str:
        links = " ".join(f"[[{name}]]" for name in self._chance.sample(_NAMES, 2))
        return f"---\ntags: [{self._chance.choice(['茶', '水'])}]\n---\n\n茶怎么泡第 {self._number} 次。{links}\n"


def told(app: App) -> tuple[object, ...]:
    """What a reader can see, with what depends on order."""
    manifest, walk = app._readers.manifest, app._readers.load_walk()
    assert walk is not None
    return (
        contents(app),
        [*manifest.notes.items()],
        [*manifest.left_out.items()],
        {*manifest.user_words},
        NoteMap(app._readers).groups(manifest.notes),
        (walk.graph.chunks, walk.graph.notes, walk.graph.others, [*walk.graph.names.items()]),
        app.graph(),
    )


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_a_grown_index_tells_what_a_fresh_one_tells(open_vault: Open, git: Git, tmp_path: Path, seed: int) -> None:
    app = open_vault({f"{name}.md": f"# {name}\n\n茶。[[甲]]\n" for name in _NAMES})
    write_vault(app.vault, {".gitignore": "userdict.txt\n.graphrag/\n", ".ragignore": "草稿/\n"})
    git("init", "-q")
    commit(app, git, "第一次")
    app.index(False, silent)
    history = History(app, git, seed)
    done = []
    for number in range(STEPS):
        done.append(history.step())
        app.index(False, silent)
        fresh = App.open(app.vault, app.vault, {"index": {"dir": str(tmp_path / f"fresh-{number}")}})
        fresh.index(True, silent)
        assert told(app) == told(fresh), done
        fresh.close()


def test_words_of_the_dictionary_alone_change_the_terms_that_they_touch(open_vault: Open, tmp_path: Path) -> None:
    app = open_vault({"茶.md": "# 茶\n\n茶怎么泡。\n", "水.md": "# 水\n\n水烧开。\n"})
    app.index(False, silent)
    for words in ("茶怎么泡\n", "水烧\n茶怎么泡\n", ""):
        write_vault(app.vault, {"userdict.txt": words})
        assert not app.is_current()
        assert app.index(False, silent).rebuilt == ("the words of the user's dictionary changed",)
        assert app.is_current()
        fresh = App.open(app.vault, app.vault, {"index": {"dir": str(tmp_path / "fresh")}})
        fresh.index(True, silent)
        assert told(app) == told(fresh)
        fresh.close()
        assert app.index(False, silent).is_unchanged
