from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphrag.cli import session
from graphrag.cli.main import app
from tests.fakes.app import FakeApp

RunCommand = Callable[..., Result]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeApp:
    facade = FakeApp(tmp_path)
    monkeypatch.setattr(session, "open_app", lambda vault, index_dir, worktree=False: facade)
    return facade


@pytest.fixture
def run_command(fake: FakeApp) -> RunCommand:
    runner = CliRunner()

    def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
        return runner.invoke(app, list(arguments), input=stdin)

    return run
