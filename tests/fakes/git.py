"""Real Git for tests, free of this machine's settings and of the variables of a hook that runs the tests."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]

_NAMES = ("-c", "user.name=某人", "-c", "user.email=someone@example.org", "-c", "init.defaultBranch=main")


def isolate_git(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Let Git, and what it starts, see no settings but those that a test makes."""
    for key in [key for key in os.environ if key.startswith("GIT_")]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_EDITOR", "true")


def run_git(folder: Path, *arguments: str, moment: str = "") -> str:
    """Return what a Git command in a folder prints; `moment` is the date of a commit."""
    dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment} if moment else {}
    done = subprocess.run(
        ["git", *_NAMES, *arguments],
        cwd=folder,
        env={**os.environ, **dates},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()
