from pathlib import Path

import numpy as np
import pytest

from graphrag.domain.passage_graph import ChunkText, WalkGraph
from graphrag.domain.snapshot import NoteEntry
from graphrag.errors import StoreError
from graphrag.ingest.walk_graph import build_walk_graph
from graphrag.stores.graph_files import WalkFiles
from tests.unit.stores.test_snapshots import make_manifest


@pytest.fixture
def graph() -> WalkGraph:
    chunks = [ChunkText("1", "a.md", (), "见 b\udcff 与 RocketMQ", 1, 2), ChunkText("2", "b.md", (), "RocketMQ", 1, 2)]
    entries = {"a.md": NoteEntry("h", "|", "甲", (), (), (), 1), "b.md": NoteEntry("h", "|", "乙", ("b",), (), (), 1)}
    return build_walk_graph(chunks, entries, [], ())


def test_it_reads_what_it_wrote(tmp_path: Path, graph: WalkGraph) -> None:
    files, manifest = WalkFiles(lambda manifest: tmp_path / manifest.graph_file), make_manifest(1)
    assert not files.has_walk(manifest) and files.load_walk(manifest) is None
    files.save_walk(manifest, graph)
    loaded = files.load_walk(manifest)
    assert files.has_walk(manifest) and loaded is not None
    assert (loaded.chunks, loaded.notes, loaded.others) == (graph.chunks, graph.notes, graph.others)
    assert dict(loaded.names) == dict(graph.names)
    for name in ("sources", "targets", "kinds", "weights"):
        assert np.array_equal(getattr(loaded, name), getattr(graph, name))


@pytest.mark.parametrize("content", [b"", b"not packed", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_damaged_file_names_the_way_out(tmp_path: Path, content: bytes) -> None:
    manifest = make_manifest(1)
    (tmp_path / manifest.graph_file).with_suffix(".walk").write_bytes(content)
    with pytest.raises(StoreError, match="`graphrag index` to make it anew"):
        WalkFiles(lambda manifest: tmp_path / manifest.graph_file).load_walk(manifest)
    assert not WalkFiles(lambda manifest: tmp_path / manifest.graph_file).has_walk(manifest)
