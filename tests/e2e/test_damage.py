"""Damage to a file of the index that can be made anew: one line says it, and a plain run mends it."""

import errno
from collections.abc import Callable

import pytest

from graphrag.app import App
from graphrag.domain.query import Filters
from graphrag.errors import GraphragError, MissingExtra
from graphrag.stores import kuzu_graph
from graphrag.stores.failures import writing
from graphrag.stores.snapshot_folder import SnapshotFolder
from tests.e2e.conftest import silent, write_vault
from tests.e2e.test_crashes import contents

Open = Callable[..., App]
_FILES = {
    "walk": "graph/*.walk",
    "links": "graph/*.links",
    "tag": "tables-*/chunks.lance/_refs/tags/*.json",
    "current": "CURRENT",
}
_CONTENTS = {"empty": b"", "garbage": b"\xff\x00 no such thing", "digits": b"9" * 5000}


def two_snapshots(open_vault: Open) -> App:
    app = open_vault()
    app.index(False, silent)
    write_vault(app.vault, {"新.md": "# 新\n\n见 [[张三]]。\n"})
    app.index(False, silent)
    return app


@pytest.mark.parametrize("content", _CONTENTS.values(), ids=_CONTENTS.keys())
@pytest.mark.parametrize("pattern", _FILES.values(), ids=_FILES.keys())
def test_a_plain_run_mends_what_can_be_made_anew(open_vault: Open, pattern: str, content: bytes) -> None:
    app = two_snapshots(open_vault)
    app.close()
    damaged = [*(app.vault / ".graphrag").glob(pattern)]
    for file in damaged:
        file.write_bytes(content)
    try:
        app.search("消息积压", Filters())
    except GraphragError as error:
        assert "`graphrag index`" in str(error) and "\n" not in str(error)
    app.close()
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n改了。见 [[新]]。\n"})
    app.index(False, silent)
    assert app.search("消息队列", Filters()).candidates
    fresh = App.open(app.vault, app.vault, {"index": {"dir": str(app.vault.parent / "fresh")}})
    fresh.index(True, silent)
    assert contents(app) == contents(fresh)
    fresh.close()
    assert app.index(False, silent).is_unchanged


@pytest.mark.parametrize("name", ["walk", "links"])
def test_it_is_mended_where_nothing_changed(open_vault: Open, name: str) -> None:
    app = two_snapshots(open_vault)
    app.close()
    for file in (app.vault / ".graphrag").glob(_FILES[name]):
        file.unlink() if name == "links" else file.write_bytes(b"?")
    report = app.index(False, silent)
    assert report.rebuilt == (("the file of links was damaged",) if name == "links" else ())
    assert app._readers.load_walk() is not None
    assert app.index(False, silent).is_unchanged


def test_an_index_of_an_engine_that_is_missing_is_made_anew_by_the_one_in_the_settings(
    open_vault: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = two_snapshots(open_vault)
    app.close()
    load = kuzu_graph.load_engine

    def missing(name: str) -> object:
        if name == "ladybug":
            raise MissingExtra("The graph engine 'ladybug' is not installed.")
        return load("kuzu")

    monkeypatch.setattr(kuzu_graph, "load_engine", missing)
    files = sorted((app.vault / ".graphrag").rglob("*"))
    other = App.open(app.vault, app.vault, {"index": {"graph_engine": "ladybug"}})
    for _ in range(2):
        with pytest.raises(MissingExtra):
            other.index(False, silent)
    assert sorted((app.vault / ".graphrag").rglob("*")) == files
    assert app.search("消息积压", Filters()).candidates
    monkeypatch.setattr(kuzu_graph, "load_engine", lambda name: load("kuzu"))
    other.index(False, silent)
    monkeypatch.setattr(kuzu_graph, "load_engine", missing)
    other.close()
    app.close()
    with pytest.raises(MissingExtra):
        app.search("消息积压", Filters())
    assert app.index(False, silent).rebuilt == ("the graph changed",)
    assert app.search("消息积压", Filters()).candidates


def test_runs_that_fail_leave_no_more_than_one_did(open_vault: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_vault()

    def fail_again(is_full: bool) -> list[list[str]]:
        """Return the names of what is left after each of three failures, without their numbers."""
        found = []
        for _ in range(3):
            with pytest.raises(GraphragError, match="space"):
                app.index(is_full, silent)
            index = app.vault / ".graphrag"
            left = [*index.glob("tables-*"), *(index / "graph").iterdir(), *(index / "manifests").iterdir()]
            found.append(sorted(file.name.lstrip("tables-0123456789") for file in left))
        return found

    def full(self: SnapshotFolder, manifest: object) -> None:
        with writing(app.vault):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(SnapshotFolder, "_sync", full)
    first = fail_again(False)
    assert first == [first[0]] * 3
    monkeypatch.undo()
    app.index(False, silent)
    monkeypatch.setattr(SnapshotFolder, "_sync", full)
    again = fail_again(True)
    assert again == [again[0]] * 3
