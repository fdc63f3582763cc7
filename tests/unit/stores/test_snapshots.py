import errno
import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.note import Diagnostic, NoteType, Severity
from graphrag.domain.snapshot import Fingerprints, LeftOut, Manifest, NoteEntry
from graphrag.errors import SchemaMismatch, SnapshotConflict, StoreError
from graphrag.stores.manifest_file import FORMAT, dump_manifest, load_manifest
from graphrag.stores.snapshot_folder import SnapshotFolder

CREATED = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def _digest_of(graph_file: str) -> str:
    content = f"graph {int(graph_file.split('.')[0])}".encode()
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def make_manifest(
    generation: int,
    *,
    graph_file: str = "",
    store_dir: str = "tables-00000001",
    notes: Mapping[str, NoteEntry] | None = None,
    diagnostics: tuple[Diagnostic, ...] = (),
    created: datetime = CREATED,
) -> Manifest:
    return Manifest(
        generation=generation,
        commit="c" * 40,
        worktree=False,
        store_dir=store_dir,
        chunks_version=3,
        vectors_version=0,
        graph_file=graph_file or f"{generation:08d}.kuzu",
        graph_digest=_digest_of(graph_file or f"{generation:08d}.kuzu"),
        fingerprints=Fingerprints("p", "cl", "ch", "t", "g", "e"),
        notes=notes or {},
        left_out={"私人.md": LeftOut("h", "|")},
        user_words=("支付模块",),
        diagnostics=diagnostics,
        chunk_count=5,
        embedded_count=2,
        created=created,
    )


def publish(folder: SnapshotFolder, *generations: int) -> None:
    for generation in generations:
        graph = folder.stage_graph(None, generation)
        graph.write_bytes(b"graph %d" % generation)
        graph.with_suffix(".links").write_bytes(b"links %d" % generation)
        folder.publish(make_manifest(generation))


def test_nothing_is_created_before_the_first_write(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path / ".graphrag")
    assert folder.current() is None
    assert folder.retained(2) == []
    assert folder.next_generation() == 1
    assert folder.disk_bytes() == 0
    assert not (tmp_path / ".graphrag").exists()


def test_publishing_makes_a_manifest_current(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path / ".graphrag")
    publish(folder, 1, 2)
    assert folder.current() == make_manifest(2)
    assert SnapshotFolder(tmp_path / ".graphrag").next_generation() == 3
    assert (tmp_path / ".graphrag" / ".gitignore").read_text() == "*\n"
    assert not list(tmp_path.rglob("*.tmp"))
    assert folder.disk_bytes() > 0


@pytest.mark.parametrize("failing", ["manifests/00000002.json.gz", "CURRENT"])
def test_a_crash_while_publishing_leaves_the_old_snapshot(
    tmp_path: Path, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    replace = Path.replace

    def crash(source: Path, target: Path) -> Path:
        if target == tmp_path / failing:
            raise KeyboardInterrupt
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        folder.publish(make_manifest(2))
    monkeypatch.undo()
    assert folder.current() == make_manifest(1)
    assert folder.next_generation() == 3
    folder.prune(keep=2)
    assert sorted(file.name for file in (tmp_path / "manifests").iterdir()) == ["00000001.json.gz"]
    publish(folder, folder.next_generation())
    current = folder.current()
    assert current is not None
    assert current.generation == 2


def test_staging_copies_the_base(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    leftover = folder.graph_path(2)
    leftover.write_bytes(b"crashed")
    leftover.with_name(f"{leftover.name}.wal").write_bytes(b"crashed")
    staged = folder.stage_graph(folder.current(), 2)
    assert staged.read_bytes() == b"graph 1"
    assert staged.with_suffix(".links").read_bytes() == b"links 1"
    assert not leftover.with_name(f"{leftover.name}.wal").exists()
    assert not folder.stage_graph(None, 2).exists()
    assert folder.graph_of(make_manifest(1)).read_bytes() == b"graph 1"


def test_pruning_spares_what_kept_snapshots_need(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1, 2, 3)
    folder.publish(make_manifest(4, graph_file="00000003.kuzu"))
    folder.stage_graph(None, 5).write_bytes(b"crashed")
    assert [manifest.generation for manifest in folder.retained(2)] == [4, 3]
    assert [manifest.generation for manifest in folder.retained(9)] == [4, 3, 2, 1]
    folder.prune(keep=2)
    assert sorted(file.name for file in (tmp_path / "graph").iterdir()) == ["00000003.kuzu", "00000003.links"]
    assert [manifest.generation for manifest in folder.retained(9)] == [4, 3]
    folder.prune(keep=1)
    assert [manifest.generation for manifest in folder.retained(9)] == [4]
    assert folder.graph_of(make_manifest(4, graph_file="00000003.kuzu")).exists()


def test_pruning_removes_the_tables_of_dropped_rebuilds(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    for generation, store_dir in ((1, "tables-00000001"), (2, "tables-00000002"), (3, "tables-00000002")):
        folder.publish(make_manifest(generation, store_dir=store_dir))
        (tmp_path / store_dir / "chunks.lance").mkdir(parents=True, exist_ok=True)
    (tmp_path / "tables-00000004").mkdir()
    folder.prune(keep=3)
    assert sorted(found.name for found in tmp_path.glob("tables-*")) == ["tables-00000001", "tables-00000002"]
    folder.prune(keep=2)
    assert [found.name for found in tmp_path.glob("tables-*")] == ["tables-00000002"]


def test_an_unreadable_older_manifest_is_not_retained(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1, 2, 3)
    (tmp_path / "manifests" / "00000002.json.gz").write_text("{")
    assert [manifest.generation for manifest in folder.retained(3)] == [3, 1]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("CURRENT", b"x"),
        ("CURRENT", b""),
        ("manifests/00000001.json.gz", b"{"),
        ("manifests/00000001.json.gz", b"[]"),
        ("manifests/00000001.json.gz", gzip.compress(b'{"format":%d}' % FORMAT, mtime=0)),
        ("manifests/00000001.json.gz", b"\xff"),
    ],
)
def test_damage_names_the_way_out(tmp_path: Path, file: str, content: bytes) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(StoreError, match="graphrag index --full") as caught:
        folder.current()
    assert "\n" not in str(caught.value)
    assert folder.next_generation() == 2


def test_a_current_that_names_nothing_is_not_shown(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    (tmp_path / "CURRENT").write_bytes(b"\x1b[31m1\n")
    with pytest.raises(StoreError, match="names no snapshot") as caught:
        folder.current()
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("place", ["note.md", "note.md/index", "/proc/index"])
def test_where_no_folder_can_be_nothing_is_called_damaged(tmp_path: Path, place: str) -> None:
    (tmp_path / "note.md").write_text("# A\n", encoding="utf-8")
    with pytest.raises(StoreError, match="no folder can be") as caught:
        SnapshotFolder(tmp_path / place).prepare()
    assert "damaged" not in str(caught.value)


def test_a_missing_manifest_names_the_way_out(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    (tmp_path / "manifests" / "00000001.json.gz").unlink()
    with pytest.raises(StoreError, match="graphrag index --full"):
        folder.current()


def test_a_reader_follows_a_writer_that_prunes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    read = Path.read_bytes

    def overtaken(file: Path) -> bytes:
        if file.name == "00000001.json.gz":
            monkeypatch.undo()
            publish(folder, 2)
            folder.prune(keep=1)
        return read(file)

    monkeypatch.setattr(Path, "read_bytes", overtaken)
    assert folder.current() == make_manifest(2)


@pytest.mark.parametrize(("number", "word"), [(FORMAT + 1, "newer"), (FORMAT - 1, "older")])
def test_another_format_is_a_schema_mismatch(tmp_path: Path, number: int, word: str) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    file = tmp_path / "manifests" / "00000001.json.gz"
    data = json.loads(gzip.decompress(file.read_bytes()))
    file.write_bytes(gzip.compress(json.dumps({**data, "format": number}).encode()))
    with pytest.raises(SchemaMismatch, match=f"{word}.*graphrag index --full"):
        folder.current()


def test_a_second_writer_is_refused_with_the_holder(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    with folder.write_lock():
        with pytest.raises(SnapshotConflict, match=str(os.getpid())), SnapshotFolder(tmp_path).write_lock():
            pass
        assert folder.current() is None
    with folder.write_lock():
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from graphrag.stores.snapshot_folder import SnapshotFolder\n"
        "with SnapshotFolder(Path(sys.argv[1])).write_lock(): print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        folder = SnapshotFolder(tmp_path)
        with pytest.raises(SnapshotConflict, match=str(holder.pid)), folder.write_lock():
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with folder.write_lock():
        pass


def test_an_error_under_the_lock_passes_unchanged(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mine"), SnapshotFolder(tmp_path).write_lock():
        raise ValueError("mine")


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.ENOSPC, "space"), (errno.EROFS, "not allowed"), (errno.EACCES, "not allowed")],
)
def test_a_full_or_closed_disk_names_the_next_step(
    tmp_path: Path, number: int, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    folder = SnapshotFolder(tmp_path)
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError, match=rf"{advice}.*--index-dir"):
        folder.publish(make_manifest(1))


names = st.text(max_size=20)
entries = st.builds(
    NoteEntry,
    names,
    names,
    names,
    st.lists(names, max_size=2).map(tuple),
    st.lists(names, max_size=2).map(tuple),
    st.lists(st.builds(NoteType, names, st.integers(1, 99)), max_size=2).map(tuple),
    st.integers(0, 99),
)
diagnostics = st.builds(Diagnostic, names, st.integers(0, 9999), st.sampled_from(Severity), names)
zones = st.sampled_from([UTC, timezone(timedelta(hours=8)), None])


@given(
    st.dictionaries(names, entries, max_size=4),
    st.lists(diagnostics, max_size=3).map(tuple),
    st.datetimes(timezones=zones),
)
def test_manifests_round_trip(notes: dict[str, NoteEntry], found: tuple[Diagnostic, ...], created: datetime) -> None:
    manifest = make_manifest(7, notes=notes, diagnostics=found, created=created)
    assert load_manifest(Path("m.json.gz"), dump_manifest(manifest)) == manifest


def _graphs(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "graph").iterdir())


def _leave_behind(folder: SnapshotFolder, directory: Path, generation: int) -> None:
    """What a run leaves that fails before it publishes."""
    folder.stage_graph(None, generation).write_bytes(b"x" * 100)
    (directory / f"tables-{generation:08d}" / "chunks.lance").mkdir(parents=True)
    (directory / f"tables-{generation:08d}" / "chunks.lance" / "data").write_bytes(b"x" * 100)
    (directory / "manifests" / f"{generation:08d}.json.gz.tmp").write_bytes(b"{")


def test_what_failed_runs_left_goes_before_anything_is_written(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    folder.prepare()
    _leave_behind(folder, tmp_path, 1)
    assert folder.recover(2) == ""
    assert (_graphs(tmp_path), [*tmp_path.glob("tables-*")], [*(tmp_path / "manifests").iterdir()]) == ([], [], [])
    publish(folder, 1)
    before = sorted(tmp_path.rglob("*"))
    _leave_behind(folder, tmp_path, 2)
    assert folder.recover(2) == ""
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("content", [b"{", gzip.compress(b'{"format":%d}' % (FORMAT + 1), mtime=0)])
def test_leftovers_go_beside_a_snapshot_that_cannot_be_read_and_it_stays(tmp_path: Path, content: bytes) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    (tmp_path / "manifests" / "00000001.json.gz").write_bytes(content)
    before = sorted(tmp_path.rglob("*"))
    _leave_behind(folder, tmp_path, 2)
    assert folder.recover(2) == ""
    assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(StoreError):
        folder.current()


@pytest.mark.parametrize("content", [b"", b"x", b"9" * 5000, b"-1", b"99", "\u0661".encode()])
def test_a_current_that_names_no_snapshot_names_the_newest_again(tmp_path: Path, content: bytes) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1, 2)
    (tmp_path / "CURRENT").write_bytes(content)
    with pytest.raises(StoreError, match="graphrag index") as caught:
        folder.current()
    assert "\n" not in str(caught.value)
    assert "snapshot 2" in folder.recover(2)
    assert folder.current() == make_manifest(2)
    assert folder.recover(2) == ""


def test_a_damaged_manifest_gives_way_to_the_one_before_it(tmp_path: Path) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1, 2)
    (tmp_path / "manifests" / "00000002.json.gz").write_bytes(b"{")
    assert "snapshot 1" in folder.recover(2)
    assert folder.current() == make_manifest(1)


def test_a_snapshot_that_stands_alone_has_no_other_beside_it_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1, 2)
    folder.stage_graph(None, 3).write_bytes(b"graph 3")
    seen: list[list[str]] = []
    name = SnapshotFolder._name
    monkeypatch.setattr(
        SnapshotFolder, "_name", lambda self, generation: (seen.append(_graphs(tmp_path)), name(self, generation))
    )
    folder.publish(make_manifest(3), alone=True)
    assert seen == [["00000003.kuzu"]]
    assert folder.retained(9) == [make_manifest(3)]


@pytest.mark.parametrize("stop", range(4))
def test_a_stop_while_others_are_removed_leaves_one_snapshot(
    tmp_path: Path, stop: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1, 2)
    folder.stage_graph(None, 3).write_bytes(b"graph 3")
    left = [stop]
    unlink = Path.unlink

    def stopped(file: Path, missing_ok: bool = False) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        unlink(file, missing_ok)

    monkeypatch.setattr(Path, "unlink", stopped)
    with pytest.raises(KeyboardInterrupt):
        folder.publish(make_manifest(3), alone=True)
    monkeypatch.undo()
    newest = 2 if stop < 2 else 3
    published = SnapshotFolder(tmp_path)
    assert published.current() == make_manifest(newest)
    assert published.is_untidy
    assert published.recover(1) == ""
    assert _graphs(tmp_path)[0].startswith(f"{newest:08d}")
    assert (tmp_path / "CURRENT").read_text() == f"{newest:08d}\n"


def test_all_that_a_snapshot_names_is_on_the_disk_before_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SnapshotFolder(tmp_path)
    publish(folder, 1)
    for part in ("data/a.lance", "_versions/1.manifest", "_indices/b/tokens.lance", "_refs/tags/snapshot-1.json"):
        file = tmp_path / "tables-00000001" / "chunks.lance" / part
        file.parent.mkdir(parents=True)
        file.write_bytes(b"rows")
    graph = folder.stage_graph(None, 2)
    for suffix in (".kuzu", ".links", ".walk"):
        graph.with_suffix(suffix).write_bytes(b"graph 2")
    synced: set[int] = set()
    sync, name = os.fsync, SnapshotFolder._name
    monkeypatch.setattr(os, "fsync", lambda number: (synced.add(os.fstat(number).st_ino), sync(number)))
    checked: list[int] = []

    def check(self: SnapshotFolder, generation: int) -> None:
        named = [*(tmp_path / "graph").glob("00000002.*"), *(tmp_path / "tables-00000001").rglob("*")]
        named += [tmp_path, tmp_path / "graph", tmp_path / "manifests", tmp_path / "tables-00000001"]
        assert {file for file in named if file.stat().st_ino not in synced} == set()
        assert folder.graph_path(1).exists()  # what is older goes after
        checked.append(generation)
        name(self, generation)

    monkeypatch.setattr(SnapshotFolder, "_name", check)
    folder.publish(make_manifest(2))
    assert checked == [2]
