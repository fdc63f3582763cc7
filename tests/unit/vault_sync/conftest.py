"""A real repository in the test's own folder, free of this machine's settings."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run Git in the folder, without the settings of this machine; `day` is the date of a commit."""
    for key in [key for key in os.environ if key.startswith("GIT_")]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(*arguments: str, day: str = "2024-01-01") -> str:
        names = ("-c", "user.name=某人", "-c", "user.email=someone@example.org", "-c", "init.defaultBranch=main")
        moment = {"GIT_AUTHOR_DATE": f"{day}T08:00:00+08:00", "GIT_COMMITTER_DATE": f"{day}T08:00:00+08:00"}
        command = ["git", *names, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env={**os.environ, **moment}, check=True, capture_output=True, text=True
        ).stdout.strip()

    run("init", "-q")
    return run


def write(folder: Path, name: str, text: str = "内容") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
