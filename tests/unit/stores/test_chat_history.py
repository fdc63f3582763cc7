"""What a conversation leaves on disk: the user's words, for the user alone, and never a crash."""

import json
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.errors import StoreError
from graphrag.stores.chat_history import CHAT_FILE, DAMAGED_FILE, KEPT, ChatHistory, Turn

FIRST = Turn("支付模块的负责人是谁", "支付模块的负责人是谁", ("支付/支付模块.md",))
SECOND = Turn("它依赖什么", "支付模块依赖什么", ())


def _nothing() -> None:
    """The folder is there."""


@pytest.fixture
def history(tmp_path: Path) -> ChatHistory:
    return ChatHistory(tmp_path, _nothing)


def test_turns_come_back_in_their_order(history: ChatHistory, tmp_path: Path) -> None:
    assert history.load() == ([], "")
    assert [history.add(FIRST), history.add(SECOND)] == ["", ""]
    assert ChatHistory(tmp_path, _nothing).load() == ([FIRST, SECOND], "")
    assert [file.name for file in tmp_path.iterdir()] == [CHAT_FILE]


def test_only_its_owner_may_read_it(history: ChatHistory, tmp_path: Path) -> None:
    for turn in (FIRST, SECOND):
        history.add(turn)
        assert stat.S_IMODE((tmp_path / CHAT_FILE).stat().st_mode) == 0o600


def test_the_last_turns_stay(history: ChatHistory, tmp_path: Path) -> None:
    lines = [json.dumps({"asked": str(n), "question": str(n), "notes": []}) for n in range(KEPT)]
    (tmp_path / CHAT_FILE).write_text("\n".join(lines), encoding="utf-8")
    history.add(SECOND)
    turns, _ = history.load()
    assert (len(turns), turns[0].asked, turns[-1]) == (KEPT, "1", SECOND)


def test_two_sessions_keep_each_others_turns(history: ChatHistory, tmp_path: Path) -> None:
    history.load()
    ChatHistory(tmp_path, _nothing).add(FIRST)
    history.add(SECOND)
    assert history.load()[0] == [FIRST, SECOND]


@pytest.mark.parametrize(
    "damage",
    [b"{", b"\xff\xfe", b"[]", b"1", b'{"asked": 1, "question": "", "notes": []}', b'{"asked": "a", "question": "b"}'],
)
def test_a_damaged_history_is_set_aside_with_one_line(history: ChatHistory, tmp_path: Path, damage: bytes) -> None:
    history.add(FIRST)
    file = tmp_path / CHAT_FILE
    file.write_bytes(file.read_bytes() + damage + b"\n")
    turns, warning = history.load()
    assert turns == []
    assert str(file) in warning
    assert DAMAGED_FILE in warning
    assert "\n" not in warning
    assert damage in (tmp_path / DAMAGED_FILE).read_bytes()
    assert history.add(SECOND) == ""
    assert history.load() == ([SECOND], "")


def test_a_history_that_cannot_be_written_is_told_and_raises_nothing(tmp_path: Path) -> None:
    def refuse() -> None:
        raise StoreError("the index of another vault")

    assert "not remembered: the index of another vault" in ChatHistory(tmp_path, refuse).add(FIRST)
    (tmp_path / CHAT_FILE).mkdir()
    warning = ChatHistory(tmp_path, _nothing).add(FIRST)
    assert str(tmp_path / CHAT_FILE) in warning
    assert list(tmp_path.glob("*.tmp")) == []


def test_it_can_be_forgotten_twice(history: ChatHistory, tmp_path: Path) -> None:
    history.add(FIRST)
    history.clear()
    history.clear()
    assert list(tmp_path.iterdir()) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3))
def test_any_text_survives(tmp_path: Path, asked: str, question: str, notes: list[str]) -> None:
    history = ChatHistory(tmp_path, _nothing)
    history.clear()
    history.add(turn := Turn(asked, question, tuple(notes)))
    assert history.load() == ([turn], "")
