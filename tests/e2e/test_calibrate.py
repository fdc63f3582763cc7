"""`calibrate` over the example vault: the threshold that it keeps decides which questions are answered."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from graphrag.app import App
from graphrag.calibration import choose_threshold
from graphrag.cli.main import app as command
from graphrag.domain.query import NO_FILTERS, AnswerStatus
from graphrag.errors import StoreError, VaultError
from tests.e2e.conftest import SMALL, silent, write_vault


@pytest.fixture
def vault(demo_vault: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "vault"
    shutil.copytree(demo_vault, copy)
    return copy


def run(vault: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, ["calibrate", *arguments, "--vault", str(vault)])


def test_what_is_found_is_kept_and_decides(vault: Path) -> None:
    ran = run(vault, "--count", "20", "--json")
    assert ran.exit_code == 0
    found = json.loads(ran.stdout)
    assert found["pairs"] == 20 and 0.0 < found["min_confidence"] < 1.0
    assert found["answered"] > 1 - found["refused"] > 0
    app = App.open(vault, vault)
    assert app._parts.answer_policy().min_confidence == found["min_confidence"]
    app.close()
    sure = App.open(vault, vault, {"search": {"min_confidence": 1.0}})
    assert sure.ask("消息积压了怎么办", NO_FILTERS).status is AnswerStatus.LOW_RELEVANCE
    sure.close()


def test_the_same_seed_finds_the_same(vault: Path) -> None:
    first, second = (json.loads(run(vault, "--count", "12", "--seed", "3", "--json").stdout) for _ in range(2))
    changing = ("answered_before", "refused_before")
    assert [value for key, value in first.items() if key not in changing] == [
        value for key, value in second.items() if key not in changing
    ]


def test_a_threshold_of_another_embedder_is_not_used(vault: Path) -> None:
    found = json.loads(run(vault, "--count", "12", "--json").stdout)
    file = vault / ".graphrag" / "calibration.json"
    file.write_text(json.dumps(found | {"embedder": "another", "min_confidence": 0.99}), encoding="utf-8")
    app = App.open(vault, vault)
    assert app._parts.answer_policy().min_confidence < 0.99
    app.close()


def test_a_damaged_file_is_named(vault: Path) -> None:
    (vault / ".graphrag" / "calibration.json").write_text('{"min_confidence": 0.2}', encoding="utf-8")
    app = App.open(vault, vault)
    with pytest.raises(StoreError, match=r"calibration\.json: cannot be read"):
        app.ask("消息积压了怎么办", NO_FILTERS)
    app.close()


def test_a_vault_of_few_notes_keeps_the_default(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", SMALL)
    app = App.open(vault, vault, {"index": {"embedder": "none"}})
    app.index(False, silent)
    with pytest.raises(VaultError, match="The default stays"):
        app.calibrate(100, 1, silent)
    app.close()
    assert not (vault / ".graphrag" / "calibration.json").exists()


def test_a_setting_goes_before_and_is_told(vault: Path) -> None:
    (vault / "graphrag.toml").write_text('[answer]\nchat = "none"\n[search]\nmin_confidence = 0.1\n', encoding="utf-8")
    ran = run(vault, "--count", "12")
    assert ran.exit_code == 0 and "goes before this" in ran.output
    app = App.open(vault, vault)
    assert app._parts.answer_policy().min_confidence == 0.1
    app.close()


@given(st.lists(st.floats(0, 1), min_size=10))
def test_a_threshold_stays_near_the_default(hidden: list[float]) -> None:
    assert 0.05 < choose_threshold(hidden) < 0.61
