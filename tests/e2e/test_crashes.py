"""The indexer dies between each pair of write steps; the last snapshot answers, and the next run makes all good."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import lance
import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.domain.query import Filters
from tests.e2e.conftest import SMALL, silent
from tests.fakes.embedder import HashingEmbedder, WeighingEmbedder

_ROOT = Path(__file__).parents[2]
_NEW = "---\ntags: [支付]\n---\n# 退款\n\n退款走原路返回，见 [[张三]]。\n"


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashingEmbedder:
    """One that weighs tokens: what lies beside the vectors must not be lost either."""
    fake = WeighingEmbedder()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: fake)
    return fake


@pytest.mark.parametrize("first", [1, *(pytest.param(place, marks=pytest.mark.full) for place in (0, 2, 3, 4, 5))])
def test_a_kill_at_any_moment_loses_nothing(open_vault: Callable[..., App], first: int, is_full: bool) -> None:
    """Each try of a full run takes every sixth moment; together they take all."""
    changed = {**SMALL, "支付/退款.md": _NEW, "消息队列.md": "# 消息队列\n\n积压时先看毒消息。\n"}
    fresh = open_vault(changed, "fresh")
    fresh.index(False, silent)
    expected = contents(fresh)
    start = open_vault(SMALL, "start")
    start.index(False, silent)
    before = contents(start)
    start.close()
    kills = 0
    for moment in count(first, 6 if is_full else 17):
        folder = f"vault-{moment}"
        shutil.copytree(start.vault, start.vault.parent / folder)
        app = open_vault(changed, folder)
        status = _index_and_die(app.vault, moment)
        if status == 0:
            break
        kills += 1
        assert status == -9
        assert contents(app) in (before, expected) or _is_between(app, expected)
        app.close()
        app.index(False, silent)
        assert contents(app) == expected
        assert app.index(False, silent).is_unchanged
        app.close()
    assert kills >= 2


def test_a_kill_during_the_first_index_leaves_a_folder_that_the_next_run_fills(
    open_vault: Callable[..., App], is_full: bool
) -> None:
    fresh = open_vault(SMALL, "fresh")
    fresh.index(False, silent)
    for moment in (1, 3, 5, 7, 8, 9, 11) if is_full else (3, 8):
        app = open_vault(SMALL, f"vault-{moment}")
        assert _index_and_die(app.vault, moment) == -9
        app.index(False, silent)
        assert contents(app) == contents(fresh)
        app.close()


def contents(app: App) -> tuple[object, ...]:
    """Everything that a reader can see of the snapshot, row for row, without its version numbers."""
    readers = app._readers
    notes = sorted(readers.manifest.notes)
    chunks = readers.chunks.chunks_of(notes, Filters())
    ids = [chunk.id for found in chunks.values() for chunk in found]
    return (
        sorted(ids),
        _vectors(app),
        readers.chunks.count(Filters()),
        sorted(map(str, readers.graph.relations(notes, with_tags=True))),
        [str(note) for note in readers.graph.notes()],
        _rows(app),
        dict(readers.manifest.notes),
        dict(readers.manifest.left_out),
        readers.manifest.diagnostics,
        [hit.chunk.id for hit in readers.chunks.search_text(["退款", "积压", "张三"], 10, Filters())],
    )


def _vectors(app: App) -> list[str]:
    """The rows of the vector table, with the token weights in them where there are any."""
    manifest = app._readers.manifest
    if not manifest.vectors_version:
        return []
    folder = app._readers.chunks._directory / "vectors.lance"  # type: ignore[attr-defined]
    table = lance.dataset(str(folder), version=manifest.vectors_version).to_table()
    return sorted(str(row) for row in table.to_pylist())


def _rows(app: App) -> list[str]:
    """All columns of the text table, the terms of its full-text index among them."""
    manifest = app._readers.manifest
    folder = app._readers.chunks._directory / "chunks.lance"  # type: ignore[attr-defined]
    table = lance.dataset(str(folder), version=manifest.chunks_version).to_table()
    return sorted(str(row) for row in table.to_pylist())


def _is_between(app: App, expected: tuple[object, ...]) -> bool:
    """Whether the snapshot is the new text with fewer vectors: text is published before its vectors."""
    seen = contents(app)
    return (seen[0], *seen[2:]) == (expected[0], *expected[2:]) and set(seen[1]) <= set(expected[1])  # type: ignore[call-overload]


def _index_and_die(vault: Path, moment: int) -> int:
    command = [sys.executable, "-m", "tests.e2e.crashing", str(vault), str(moment)]
    return subprocess.run(command, cwd=_ROOT, check=False, capture_output=True, timeout=120).returncode
