"""Each step of an index run counts what it works on."""

from pathlib import Path

from graphrag.app import App
from graphrag.cli.index import _AMOUNTS
from tests.e2e.conftest import write_vault


def test_each_step_counts_what_it_works_on(tmp_path: Path) -> None:
    notes = {"a.md": "# A\n\n[[b]] [[c]] [[d]]\n", "b.md": "# B\n", "graphrag.toml": '[index]\nembedder = "none"\n'}
    app = App.open(write_vault(tmp_path, notes), tmp_path)
    totals: dict[str, int] = {}
    report = app.index(True, lambda step, done, total: totals.update({step: total}))
    assert totals.keys() <= _AMOUNTS.keys()
    assert (totals["parse"], totals["text"], totals["graph"]) == (2, 2, 3)
    assert totals["walk"] == report.chunks
    assert _AMOUNTS["graph"].endswith("links")
