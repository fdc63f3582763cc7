from pathlib import Path

from graphrag.stores.index_folder import OWNER
from graphrag.stores.snapshot_folder import SnapshotFolder, remove_index


def test_an_index_is_deleted_with_all_that_is_in_it(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path / "limited" / "a")
    folder.prepare()
    remove_index(tmp_path / "limited" / "a")
    assert [*(tmp_path / "limited").iterdir()] == []
    assert folder.current() is None


def test_an_index_that_is_being_written_stays(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path / "a")
    with folder.write_lock():
        remove_index(tmp_path / "a")
        assert (tmp_path / "a" / OWNER).exists()
    remove_index(tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_an_index_inside_another_marks_the_outer_one_first(tmp_path: Path) -> None:
    outer, inner = tmp_path / "i", tmp_path / "i" / "limited" / "a"
    SnapshotFolder(inner, "/vault", (outer,)).prepare()
    assert [(folder / OWNER).read_text() for folder in (outer, inner)] == ["/vault", "/vault"]
    SnapshotFolder(outer, "/vault").prepare()  # else it would be refused: not an index, and not empty
