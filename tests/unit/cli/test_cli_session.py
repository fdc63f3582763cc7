import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from graphrag.cli.session import open_app, opened
from graphrag.providers.remote import read_address
from graphrag.settings import Settings

Opened = list[tuple[Path | None, Path, Mapping[str, Mapping[str, object]]]]


@pytest.fixture
def facade(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Opened:
    calls: Opened = []

    class App:
        closed = 0
        settings = Settings()

        @classmethod
        def open(cls, vault: Path | None, cwd: Path, overrides: Mapping[str, Mapping[str, object]]) -> "App":
            calls.append((vault, cwd, overrides))
            return cls()

        def close(self) -> None:
            App.closed += 1

    monkeypatch.setitem(sys.modules, "graphrag.app", SimpleNamespace(App=App))
    monkeypatch.chdir(tmp_path)
    return calls


def test_without_options_the_facade_looks_for_the_vault_itself(facade: Opened, tmp_path: Path) -> None:
    open_app(None, None)
    assert facade == [(None, tmp_path, {"index": {}})]


def test_an_index_folder_counts_from_the_current_one(facade: Opened, tmp_path: Path) -> None:
    open_app(Path("notes"), Path("../index"))
    expected = {"index": {"dir": str(tmp_path.parent / "index")}}
    assert facade == [(Path("notes"), tmp_path, expected)]


def test_a_tilde_from_the_environment_is_the_home_folder(
    facade: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    open_app(Path("~/notes"), Path("~/index"))
    assert facade[0][0] == tmp_path / "notes"
    assert facade[0][2] == {"index": {"dir": str(tmp_path / "index")}}


@pytest.mark.usefixtures("facade")
def test_what_goes_to_another_machine_is_told_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with opened(None, None):
            read_address("answer", "http://notes.invalid", "http://127.0.0.1:1", True).log_sent(["four"])
            read_address("answer", "", "http://127.0.0.1:1", False).log_sent(["stays"])
    line = "[answer] sends 1 texts, 4 characters, to http://notes.invalid:1\n"
    assert capsys.readouterr() == ("", 2 * line)


@pytest.mark.usefixtures("facade")
def test_the_facade_is_closed_after_a_failure() -> None:
    with pytest.raises(ValueError, match="inside"), opened(None, None) as app:
        raise ValueError("inside")
    assert type(app).closed == 1  # type: ignore[attr-defined]
