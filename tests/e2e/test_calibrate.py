"""`calibrate` over the example vault: the threshold that it keeps decides which questions are answered."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from graphrag.answers.dispatch import answer_policy
from graphrag.app import App
from graphrag.cli.main import app as command
from graphrag.domain.query import NO_FILTERS, AnswerStatus
from graphrag.errors import StoreError, VaultError
from graphrag.evaluate.calibration import choose_threshold
from tests.conftest import MakeOnce
from tests.e2e.conftest import SMALL, silent, write_demo_of_words, write_vault

SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'


COUNT = ("--count", "12", "--seed", "3")


@pytest.fixture(scope="module")
def calibrated(make_once: MakeOnce) -> Path:
    """A copy of the example vault, indexed by words alone and calibrated once."""
    vault = make_once("words", write_demo_of_words)
    assert run(vault, *COUNT).exit_code == 0
    return vault


@pytest.fixture
def vault(calibrated: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "vault"
    shutil.copytree(calibrated, copy)
    return copy


def run(vault: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, ["calibrate", *arguments, "--vault", str(vault)])


def kept(vault: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((vault / ".graphrag" / "calibration.json").read_text(encoding="utf-8"))
    return found


def threshold(vault: Path) -> float:
    app = App.open(vault, vault)
    found = answer_policy(app._parts, app._readers.manifest).min_confidence
    app.close()
    return found


def test_what_is_found_is_kept_and_decides(vault: Path) -> None:
    found = kept(vault)
    assert found["pairs"] == 12 and found["embedder"] == "none"
    assert threshold(vault) == found["min_confidence"]
    assert float(str(found["answered"])) > 1 - float(str(found["refused"])) > 0
    sure = App.open(vault, vault, {"search": {"min_confidence": 1.0}})
    assert sure.ask("消息积压了怎么办", NO_FILTERS).status is AnswerStatus.LOW_RELEVANCE
    sure.close()


@pytest.mark.full
def test_the_same_seed_finds_the_same(vault: Path) -> None:
    first = kept(vault)
    again = json.loads(run(vault, *COUNT, "--json").stdout)
    before = {"answered_before", "refused_before"}
    assert {key: again[key] for key in again if key not in before} == {
        key: first[key] for key in first if key not in before
    }
    assert (again["answered_before"], again["refused_before"]) == (first["answered"], first["refused"])


def test_a_threshold_of_another_embedder_is_not_used(vault: Path) -> None:
    file = vault / ".graphrag" / "calibration.json"
    file.write_text(json.dumps(kept(vault) | {"embedder": "another", "min_confidence": 0.99}), encoding="utf-8")
    assert threshold(vault) < 0.99


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
    (vault / "graphrag.toml").write_text(f"{SETTINGS}[search]\nmin_confidence = 0.1\n", encoding="utf-8")
    ran = run(vault, *COUNT)
    assert ran.exit_code == 0 and "goes before this" in ran.output
    assert threshold(vault) == 0.1


@given(st.lists(st.floats(0, 1), min_size=10))
def test_a_threshold_stays_near_the_default(hidden: list[float]) -> None:
    assert 0.05 < choose_threshold(hidden) < 0.61
