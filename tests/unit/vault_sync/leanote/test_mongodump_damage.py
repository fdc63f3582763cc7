import gzip
import struct
from pathlib import Path

import bson
import pytest
from bson import ObjectId
from bson.datetime_ms import DatetimeMS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.errors import NoteUnreadable
from tests.fakes.leanote.account import USER_ID
from tests.fakes.leanote.mongodump import write_collection
from tests.generated import examples
from tests.unit.vault_sync.leanote.sources import NOTE_ID
from vault_sync.leanote.sources.dump_files import Collection
from vault_sync.leanote.sources.mongodump import MongodumpSource


def test_empty_collections_are_an_empty_account(tmp_path: Path) -> None:
    for name in ("notes", "note_contents", "notebooks", "users"):
        (tmp_path / f"{name}.bson").write_bytes(b"")
    source = MongodumpSource(tmp_path)
    assert (list(source.notes()), source.notebooks(), source.problems(), source.is_whole) == ([], [], (), True)


@pytest.mark.parametrize("length", [-1, -(2**31), 0, 4, 2**31 - 1, 17 * 2**20])
def test_a_length_that_cannot_be_ends_the_reading_and_keeps_what_came_before(small_dump: Path, length: int) -> None:
    good = (small_dump / "notes.bson").read_bytes()
    (small_dump / "notes.bson").write_bytes(good + struct.pack("<i", length) + b"\0" * 100)
    source = MongodumpSource(small_dump)
    assert [note.title for note in source.notes()] == ["一"]
    assert not source.is_whole
    (problem,) = source.problems()
    assert problem.where == "notes.bson" and f"byte {len(good)}" in problem.message


def test_a_damaged_document_is_left_out_and_the_next_one_read(small_dump: Path) -> None:
    good = (small_dump / "notes.bson").read_bytes()
    bad = struct.pack("<i", 13) + b"\x99a\0\1\2\3\4\5\0"
    (small_dump / "notes.bson").write_bytes(bad + good)
    source = MongodumpSource(small_dump)
    assert [note.title for note in source.notes()] == ["一"]
    assert not source.is_whole and "byte 0" in source.problems()[0].message


def test_text_that_is_not_utf8_is_read_and_told(small_dump: Path) -> None:
    data = bson.encode({"_id": ObjectId(NOTE_ID), "UserId": ObjectId(USER_ID), "Title": "xx"})
    (small_dump / "notes.bson").write_bytes(data.replace(b"xx\0", b"\xff\xfe\0"))
    source = MongodumpSource(small_dump)
    assert [note.title for note in source.notes()] == ["��"]
    assert "not UTF-8" in source.problems()[0].message and source.is_whole


def test_deep_nesting_is_damage_and_no_crash(small_dump: Path) -> None:
    inner = b"\5\0\0\0\0"
    for _ in range(5000):
        inner = struct.pack("<i", len(inner) + 8) + b"\3a\0" + inner + b"\0"
    good = (small_dump / "notes.bson").read_bytes()
    (small_dump / "notes.bson").write_bytes(inner + good)
    assert [note.title for note in MongodumpSource(small_dump).notes()] == ["一"]


def test_a_body_that_may_lie_in_the_damaged_part_is_not_taken_for_empty(small_dump: Path) -> None:
    whole = (small_dump / "note_contents.bson").read_bytes()
    (small_dump / "note_contents.bson").write_bytes(whole[:-3])
    source = MongodumpSource(small_dump)
    (note,) = source.notes()
    with pytest.raises(NoteUnreadable, match="damaged"):
        source.body(note)
    assert "cut off" in source.problems()[0].message


def test_a_gzipped_collection_that_is_cut_off_keeps_what_came_before(small_dump: Path) -> None:
    rows = b"".join(
        bson.encode({"_id": ObjectId(), "UserId": ObjectId(USER_ID), "Title": "x" * 50}) for _ in range(2000)
    )
    (small_dump / "notes.bson").unlink()
    (small_dump / "notes.bson.gz").write_bytes(gzip.compress(rows)[:-2000])
    source = MongodumpSource(small_dump)
    assert 0 < len(list(source.notes())) < 2000
    assert not source.is_whole and "cannot be read to its end" in source.problems()[0].message


def test_rows_of_wrong_types_are_read_as_empty_fields(small_dump: Path) -> None:
    row = {
        "_id": ObjectId(NOTE_ID),
        "UserId": USER_ID,
        "Title": 7,
        "Tags": "甲",
        "Usn": float("nan"),
        "NotebookId": {"a": 1},
        "CreatedTime": "yesterday",
        "UpdatedTime": DatetimeMS(2**62),
    }
    write_collection(small_dump, "notes", [row, row, {"_id": "no id", "UserId": ObjectId(USER_ID)}])
    source = MongodumpSource(small_dump)
    (note,) = source.notes()
    assert (note.title, note.tags, note.usn, note.notebook, note.updated) == ("", ("甲",), 0, "", None)
    assert not source.is_whole and "no id" in source.problems()[0].message


def test_a_collection_that_is_a_symbolic_link_is_not_read(small_dump: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.bson"
    secret.write_bytes(bson.encode({"_id": ObjectId(NOTE_ID), "UserId": ObjectId(USER_ID)}))
    (small_dump / "notebooks.bson").symlink_to(secret)
    source = MongodumpSource(small_dump)
    assert source.notebooks() == [] and "symbolic link" in source.problems()[0].message


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.binary(max_size=200), is_packed=st.booleans())
def test_junk_after_good_documents_never_breaks_the_reading(tmp_path: Path, junk: bytes, is_packed: bool) -> None:
    data = bson.encode({"a": 1}) + junk
    path = tmp_path / ("x.bson.gz" if is_packed else "x.bson")
    path.write_bytes(gzip.compress(data) if is_packed else data)
    problems: list[object] = []
    collection = Collection(path, problems.append)
    documents = list(collection.documents())
    assert documents[0].fields == {"a": 1}
    assert collection.is_damaged or sum(len(document.data) for document in documents) == len(data)
    assert not collection.is_damaged or problems


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_cut_at_any_byte_keeps_the_documents_before_it(tmp_path: Path, data: st.DataObject) -> None:
    parts = [bson.encode({"n": number, "t": "字" * number}) for number in range(5)]
    whole = b"".join(parts)
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path / "x.bson"
    path.write_bytes(whole[:cut])
    found = list(Collection(path, lambda problem: None).documents())
    complete = [index for index in range(5) if len(b"".join(parts[: index + 1])) <= cut]
    assert [document.fields["n"] for document in found] == complete
