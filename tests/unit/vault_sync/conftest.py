"""A real repository in the test's own folder, free of this machine's settings."""

from pathlib import Path

import pytest

from tests.fakes.git import Git, isolate_git, run_git

__all__ = ["Git"]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run Git in the folder, without the settings of this machine; `day` is the date of a commit."""
    isolate_git(monkeypatch, tmp_path)

    def run(*arguments: str, day: str = "2024-01-01") -> str:
        return run_git(tmp_path, *arguments, moment=f"{day}T08:00:00+08:00")

    run("init", "-q")
    return run


def write(folder: Path, name: str, text: str = "内容") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
