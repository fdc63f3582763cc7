from pathlib import Path

import pytest

from graphrag.errors import StoreError
from vault_sync.leanote.write.import_state import AccountState, ImportState, NoteState

NOTE = NoteState("a", "host", "x/a.md", "x/a.md", "r1", "d1", "e1", ("assets/1.png",), {"b": "x/b"})


def filled(file: Path) -> ImportState:
    state = ImportState(file)
    state.keep_note(NOTE)
    state.keep_note(NoteState("b", "host", "b.md", "b.md", "r", "d"))
    state.forget_note("b")
    state.keep_asset("assets/1.png", "d2")
    state.keep_asset("assets/2.png", "d3")
    state.keep_file("image:1", "assets/1.png")
    state.keep_file("image:2", "assets/2.png")
    state.forget_asset("assets/2.png")
    state.keep_pending("x/a.md", "new")
    state.keep_pending("x/a.md", "updated")
    state.keep_account("host", AccountState("usn 1", "x", {"n": "读书"}, exclude=("旧",), private=("日记", "信")))
    return state


def content(state: ImportState) -> tuple[object, ...]:
    return state.notes, state.assets, state.files, state.pending, state.accounts


def test_what_is_kept_is_there_after_a_kill_and_after_a_close(tmp_path: Path) -> None:
    file = tmp_path / "state.jsonl"
    state = filled(file)
    assert state.is_new
    expected = content(state)
    again = ImportState(file, is_trial=True)  # the first one is still open, as after a kill
    assert content(again) == expected
    assert again.notes == {"a": NOTE}
    assert again.pending == {"x/a.md": "new"}
    assert again.files == {"image:1": "assets/1.png"}
    state.close()
    compacted = ImportState(file)
    assert content(compacted) == expected
    compacted.keep_pending("b.md", "updated")
    compacted.clear_pending(but={"b.md", "never.md"})
    assert ImportState(file, is_trial=True).pending == compacted.pending == {"b.md": "updated"}
    compacted.clear_pending()
    compacted.close()
    assert not ImportState(file, is_trial=True).pending


@pytest.mark.parametrize("cut", [1, 5, 30])
def test_a_line_cut_off_by_a_crash_costs_only_that_line(tmp_path: Path, cut: int) -> None:
    file = tmp_path / "state.jsonl"
    filled(file).close()
    file.write_bytes(file.read_bytes()[:-cut])
    state = ImportState(file)
    assert state.damaged == (cut > 1)
    assert state.notes == {"a": NOTE}
    state.keep_account("host", AccountState("usn 2"))
    state.close()
    again = ImportState(file)
    assert again.damaged == 0
    assert again.accounts["host"].checkpoint == "usn 2"


@pytest.mark.parametrize(
    "line", ["[]", "{}", "null", "{", '{"note":{"x":1}}', '{"note":7}', '{"file":[1,2]}', "\x00\xff"]
)
def test_damaged_lines_are_counted_and_the_rest_is_read(tmp_path: Path, line: str) -> None:
    file = tmp_path / "state.jsonl"
    filled(file).close()
    file.write_bytes(line.encode("latin-1") + b"\n" + file.read_bytes())
    state = ImportState(file)
    assert state.notes == {"a": NOTE}
    state.close()


def test_a_state_of_another_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    file = tmp_path / "state.jsonl"
    file.write_text('{"format": 99}\n')
    with pytest.raises(StoreError, match=r"another version\. Move it away"):
        ImportState(file)
    assert file.read_text() == '{"format": 99}\n'


def test_a_trial_leaves_no_file(tmp_path: Path) -> None:
    state = ImportState(tmp_path / "state.jsonl", is_trial=True)
    state.keep_note(NOTE)
    assert state.notes == {"a": NOTE}
    assert list(tmp_path.iterdir()) == []
