"""The graph of the walk, in a file beside the graph that it was made from; it is made later, and may be missing."""

import io
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from graphrag.domain.note import ResolvedLink
from graphrag.domain.snapshot import Manifest
from graphrag.domain.walk import NamedNodes, WalkGraph
from graphrag.stores.failures import reading, writing
from graphrag.stores.link_file import LinkFile

_ARRAYS = ("sources", "targets", "kinds", "weights")


class WalkFiles:
    """The walks of one index folder; `locate` tells where the graph file of a snapshot lies.

    Raises:
        StoreError: a file is damaged, or cannot be written.
    """

    def __init__(self, locate: Callable[[Manifest], Path]) -> None:
        self._locate = locate

    def has_walk(self, manifest: Manifest) -> bool:
        """Whether a snapshot's walk was made."""
        return self._file(manifest).exists()

    def save_walk(self, manifest: Manifest, graph: WalkGraph) -> None:
        """Keep a snapshot's walk; nothing of it is seen before all of it is there."""
        file = self._file(manifest)
        temporary = file.with_name(f"{file.name}.tmp")
        with writing(file):
            temporary.write_bytes(zlib.compress(_dump(graph), level=3))
            temporary.replace(file)

    def load_walk(self, manifest: Manifest) -> WalkGraph | None:
        """Return a snapshot's walk, None while it is not made yet."""
        file = self._file(manifest)
        with reading(file):
            try:
                packed = file.read_bytes()
            except FileNotFoundError:
                return None
            return _load(zlib.decompress(packed))

    def links(self, manifest: Manifest) -> list[ResolvedLink]:
        """Return all links of a snapshot as they are resolved in it."""
        file = self._locate(manifest)
        with reading(file):
            return LinkFile(file).links()

    def _file(self, manifest: Manifest) -> Path:
        return self._locate(manifest).with_suffix(".walk")


def _dump(graph: WalkGraph) -> bytes:
    names = {name: [*named] for name, named in graph.names.items()}
    texts = json.dumps([graph.chunks, graph.notes, graph.others, names], ensure_ascii=False)
    content = io.BytesIO()
    encoded = np.frombuffer(texts.encode(errors="surrogatepass"), np.uint8)
    np.savez(content, texts=encoded, **{name: getattr(graph, name) for name in _ARRAYS})
    return content.getvalue()


def _load(content: bytes) -> WalkGraph:
    with np.load(io.BytesIO(content)) as arrays:
        chunks, notes, others, names = json.loads(arrays["texts"].tobytes().decode(errors="surrogatepass"))
        return WalkGraph(
            chunks=tuple(chunks),
            notes=tuple(notes),
            others=tuple(others),
            names={name: NamedNodes(tuple(nodes), frequency) for name, (nodes, frequency) in names.items()},
            **{name: arrays[name] for name in _ARRAYS},
        )
