"""What may be told of a failure, and that whoever asks over HTTP and as an agent is told the same."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag.domain.request_course import Stopped
from graphrag.errors import (
    ConfigError,
    GraphragError,
    InferenceLimit,
    NoteNotFound,
    SnapshotMissing,
    StoreError,
    VaultError,
    public_message,
)
from graphrag.mcp.caller import failure_line
from graphrag.server.problems import problem_of

SECRET = "/home/me/内部/secret.db"
LOG = logging.getLogger("graphrag.test")


def kinds_below(kind: type[GraphragError]) -> Iterator[type[GraphragError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds_below(below)


def of_kind(kind: type[Exception], message: str) -> Exception:
    return kind(message, "urn:p") if kind is InferenceLimit else kind(message)


KINDS = [*kinds_below(GraphragError), RuntimeError, KeyError, OSError, ValueError]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_inside_stays_inside_and_goes_to_the_log(kind: type[Exception], caplog: pytest.LogCaptureFixture) -> None:
    error = of_kind(kind, f"cannot read {SECRET}")
    is_inside = issubclass(kind, StoreError | ConfigError) or not issubclass(kind, GraphragError)
    line = public_message(error, LOG)
    assert ("secret" in line) is not is_inside
    assert line and "\n" not in line
    is_logged = is_inside and kind is not SnapshotMissing
    assert ("secret" in caplog.text) is is_logged


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_browser_and_an_agent_are_told_the_same(kind: type[Exception]) -> None:
    error = of_kind(kind, "it failed: mend it")
    assert problem_of(error).detail == failure_line(error) == public_message(error, LOG)


def test_whoever_stopped_waiting_is_told_so_and_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert "too long" in problem_of(Stopped()).detail and "nobody waited" in failure_line(Stopped())
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("/home/me/笔记: not in a Git repository", "not in a Git repository"),
        ("C:\\Users\\me\\notes: not in a Git repository", "not in a Git repository"),
        ("no note in /home/me/笔记 is called x", "no note in 笔记 is called x"),
        ("'a/b.md' is gone: look again", "'a/b.md' is gone: look again"),
    ],
)
def test_the_folder_of_the_vault_is_not_told(message: str, line: str) -> None:
    assert public_message(VaultError(message), LOG, Path("/home/me/笔记")) == line


def test_candidates_are_told_in_the_form_of_each() -> None:
    error = NoteNotFound("no note is called 'a'", ("b/a1.md", "c/a2.md"))
    assert problem_of(error).members == {"candidates": ("b/a1.md", "c/a2.md")}
    assert failure_line(error) == "no note is called 'a' Notes like it: b/a1.md, c/a2.md"
