"""Text that a vault no longer shows: after any kill and one plain run, no file of the index folder holds it."""

import gzip
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.errors import ProviderUnavailable
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.e2e.test_git import commit, git
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.git import Git

__all__ = ["git"]  # a fixture

Open = Callable[..., App]
_ROOT = Path(__file__).parents[2]
_PHRASE = "鲸鱼在七楼晒月亮"
_OTHERS = {f"别的/{number}.md": f"# 别的{number}\n\n第 {number} 条。\n" for number in range(20)}
_PRIVATE = f"---\nprivate: true\n---\n# 日记\n\n{_PHRASE}。\n"
_NEVER = 1_000_000  # a moment that no run comes to
STRIDE = 12  # moments from one kill to the next in a full run; 1 tries them all, which takes half an hour


def holders(folder: Path, phrase: str = _PHRASE) -> list[str]:
    """Return the files below a folder that hold a phrase, packed ones included."""
    return [
        str(file.relative_to(folder))
        for file in sorted(folder.rglob("*"))
        if file.is_file() and any(phrase.encode() in content for content in _contents(file.read_bytes()))
    ]


def _contents(data: bytes) -> Iterator[bytes]:
    yield data
    for unpack in (gzip.decompress, zlib.decompress):
        with suppress(OSError, EOFError, zlib.error):
            yield unpack(data)


def index_and_die(vault: Path, moment: int) -> int:
    """Index in a process that kills itself at a moment; return its exit code."""
    return subprocess.run(
        [sys.executable, "-m", "tests.e2e.crashing", str(vault), str(moment)],
        cwd=_ROOT,
        check=False,
        capture_output=True,
        timeout=120,
    ).returncode


def go_private(vault: Path) -> None:
    write_vault(vault, {"日记.md": _PRIVATE})


def go(vault: Path) -> None:
    (vault / "日记.md").unlink()


def go_under_another_name(vault: Path) -> None:
    (vault / "日记.md").unlink()
    write_vault(vault, {"私.md": _PRIVATE})


def go_by_rule(vault: Path) -> None:
    write_vault(vault, {".ragignore": "日记.md\n"})


_WAYS = [go_private, go, go_under_another_name, go_by_rule]


@pytest.fixture
def diary(open_vault: Open) -> Callable[[str], App]:
    """Open an indexed vault with a note that holds the phrase."""

    def open_(name: str) -> App:
        app = open_vault({**SMALL, **_OTHERS, "日记.md": f"# 日记\n\n{_PHRASE}。见 [[{_PHRASE}]]。\n"}, name)
        app.index(False, silent)
        assert holders(app.vault / ".graphrag")
        return app

    return open_


@pytest.mark.parametrize("way", [go_private, *(pytest.param(way, marks=pytest.mark.full) for way in _WAYS[1:])])
def test_a_kill_at_any_moment_leaves_no_text_after_the_next_run(
    diary: Callable[[str], App], way: Callable[[Path], None], is_full: bool
) -> None:
    moment = 3 * _WAYS.index(way) % STRIDE
    while True:
        app = diary(f"vault-{moment}")
        app.close()
        way(app.vault)
        status = index_and_die(app.vault, moment)
        # The next run is another process, as after any kill.
        assert index_and_die(app.vault, _NEVER) == 0
        assert holders(app.vault / ".graphrag") == [], moment
        if status == 0:
            break
        assert status == -signal.SIGKILL
        moment += STRIDE if is_full else 3 * STRIDE + 1


@pytest.mark.parametrize("way", _WAYS)
def test_an_embedder_that_is_down_keeps_no_text(
    diary: Callable[[str], App], way: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    app = diary("vault")
    way(app.vault)
    write_vault(app.vault, {"新.md": "# 新\n\n要嵌入的话。\n"})
    seen: list[list[str]] = []

    class Down(HashingEmbedder):
        def embed_passages(self, texts: object) -> object:  # type: ignore[override]
            seen.append(holders(app.vault / ".graphrag"))
            raise ProviderUnavailable("down")

    app.close()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: Down())
    down = App.open(app.vault, app.vault)
    with pytest.raises(ProviderUnavailable):
        down.index(False, silent)
    assert seen == [[]]  # it was gone before the embedder was asked
    assert holders(app.vault / ".graphrag") == []
    down.close()


@pytest.mark.parametrize("step", ["walk", "vectors"])
def test_an_interrupt_keeps_no_text(diary: Callable[[str], App], step: str) -> None:
    app = diary("vault")
    go(app.vault)
    write_vault(app.vault, {"新.md": "# 新\n\n要嵌入的话。\n"})

    def stop(name: str, done: int, total: int) -> None:
        if name == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.index(False, stop)
    assert holders(app.vault / ".graphrag") == []


@pytest.mark.parametrize("way", [go_private, go_under_another_name])
def test_older_snapshots_and_the_past_go_with_a_note_that_becomes_private(
    open_vault: Open, git: Git, way: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = open_vault({**SMALL, **_OTHERS, "日记.md": f"{_PHRASE}。\n"}).vault
    app = App.open(vault, vault, {"index": {"keep_snapshots": 9}})
    git("init", "-q")
    public = commit(app, git, "公开")
    app.index(False, silent)
    commit(app, git, "删", {"日记.md": None})
    app.index(False, silent)
    app.go_back(public, silent)
    app.close()
    assert holders(vault / ".graphrag" / "at")
    write_vault(vault, {"日记.md": "", "无关.md": "# 无关\n"})
    way(vault)
    commit(app, git, "私密")

    def down(*_: object) -> None:
        raise ProviderUnavailable("down")

    monkeypatch.setattr(HashingEmbedder, "embed_passages", down)
    with pytest.raises(ProviderUnavailable):
        app.index(False, silent)
    assert holders(vault / ".graphrag") == []
    app.close()
