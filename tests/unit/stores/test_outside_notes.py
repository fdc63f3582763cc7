import gzip
from pathlib import Path

import pytest

from graphrag.domain.snapshot import LeftOut
from graphrag.errors import StoreError
from graphrag.stores.limited_index import OutsideFile, OutsideNotes

NOTES = OutsideNotes("rule", "c" * 40, "2026-05-04T12:00:00", {"密/甲.md": LeftOut("hash", "a|b")})


def test_what_is_kept_comes_back_for_the_same_rule_alone(tmp_path: Path) -> None:
    file = OutsideFile(tmp_path / "a.json.gz")
    assert file.load("rule") == OutsideNotes("rule", "", "")
    file.save(NOTES)
    assert file.load("rule") == NOTES
    assert file.load("another") == OutsideNotes("another", "", "")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json.gz"]


@pytest.mark.parametrize("text", [None, "", "[]", "{", "{}", '{"files": 3}', '{"files": {"a": 1}}'])
def test_what_is_damaged_counts_as_nothing(tmp_path: Path, text: str | None) -> None:
    (tmp_path / "a").write_bytes(b"no gzip" if text is None else gzip.compress(text.encode()))
    assert OutsideFile(tmp_path / "a").load("rule") == OutsideNotes("rule", "", "")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        OutsideFile(tmp_path / "none" / "a").save(NOTES)
