"""All links as the notes write them, beside the graph file; edges hold only what a reader of the graph asks for.

One JSON line per note, the file compressed as a whole. In the graph they would cost several times as much: the
engine rewrites a column of strings, with room to grow, whenever one of them changes.
"""

import io
import json
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from graphrag.domain.note import Link, LinkKind, ResolvedLink, TargetKind
from graphrag.domain.passage_graph import NamedNodes, WalkGraph
from graphrag.domain.snapshot import Manifest
from graphrag.errors import StoreError
from graphrag.stores.durable import write_durably
from graphrag.stores.failures import reading, writing


def links_file_of(graph_file: Path) -> Path:
    """Return the file that holds the links of a graph file."""
    return graph_file.with_suffix(".links")


class LinkFile:
    """The links of one graph file, by note.

    Raises:
        ValueError, zlib.error: the file is damaged.
    """

    def __init__(self, graph_file: Path) -> None:
        self._file = links_file_of(graph_file)
        content = _unpack(self._file) if self._file.exists() else ""
        lines = content.split("\n") if content else []
        self._line_of = {str(json.loads(line.split("\t", 1)[0])): line.split("\t", 1)[1] for line in lines}

    def replace(self, sources: Iterable[str], links: Iterable[ResolvedLink]) -> None:
        """Set the links of the notes `sources`, which are all that `links` come from; their order is kept."""
        links_of: dict[str, list[ResolvedLink]] = {}
        for link in links:
            links_of.setdefault(link.source, []).append(link)
        for source in sources:
            self._line_of.pop(source, None)
            if source in links_of:
                self._line_of[source] = _dump_links(links_of[source])

    def links(self) -> list[ResolvedLink]:
        """Return all links, by note and in its order."""
        return [link for source in sorted(self._line_of) for link in _load_links(source, self._line_of[source])]

    def save(self) -> None:
        """Write the file."""
        lines = [f"{_json(source)}\t{self._line_of[source]}" for source in sorted(self._line_of)]
        self._file.write_bytes(zlib.compress("\n".join(lines).encode(errors="surrogatepass"), level=3))


def _dump_links(links: Iterable[ResolvedLink]) -> str:
    return _json(
        [
            (
                link.target,
                link.target_kind.value,
                link.link.target,
                link.link.kind.value,
                link.link.line,
                link.link.text,
                link.link.heading,
                link.link.relation,
            )
            for link in links
        ]
    )


def _load_links(source: str, dumped: str) -> list[ResolvedLink]:
    return [
        ResolvedLink(
            link=Link(written, LinkKind(kind), line, text, heading, relation),
            source=source,
            target=target,
            target_kind=TargetKind(target_kind),
        )
        for target, target_kind, written, kind, line, text, heading, relation in json.loads(dumped)
    ]


def _unpack(file: Path) -> str:
    return zlib.decompress(file.read_bytes()).decode(errors="surrogatepass")


def _json(value: object) -> str:
    """JSON escapes line breaks and tabs, so none of a name can end a line or a field."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_ARRAYS = ("sources", "targets", "kinds", "weights")


class WalkFiles:
    """The walks of one index folder; `locate` tells where the graph file of a snapshot lies.

    Raises:
        StoreError: a file is damaged, or cannot be written.
    """

    def __init__(self, locate: Callable[[Manifest], Path]) -> None:
        self._locate = locate

    def has_walk(self, manifest: Manifest) -> bool:
        """Whether a snapshot's walk was made and can be read; another one is to be made otherwise."""
        with suppress(StoreError):
            return self.load_walk(manifest) is not None
        return False

    def save_walk(self, manifest: Manifest, graph: WalkGraph) -> None:
        """Keep a snapshot's walk; nothing of it is seen before all of it is there."""
        file = self._file(manifest)
        with writing(file):
            write_durably(file, zlib.compress(_dump_walk(graph), level=3))

    def load_walk(self, manifest: Manifest) -> WalkGraph | None:
        """Return a snapshot's walk, None while it is not made yet."""
        file = self._file(manifest)
        with reading(file, cure="Run `graphrag index` to make it anew."):
            try:
                packed = file.read_bytes()
            except FileNotFoundError:
                return None
            return _load_walk(zlib.decompress(packed))

    def has_links(self, manifest: Manifest) -> bool:
        """Whether the links of a snapshot are there and can be read."""
        with suppress(StoreError):
            self.links(manifest)
            return self._locate(manifest).with_suffix(".links").exists()
        return False

    def links(self, manifest: Manifest) -> list[ResolvedLink]:
        """Return all links of a snapshot as they are resolved in it."""
        file = self._locate(manifest)
        with reading(file):
            return LinkFile(file).links()

    def _file(self, manifest: Manifest) -> Path:
        return self._locate(manifest).with_suffix(".walk")


def _dump_walk(graph: WalkGraph) -> bytes:
    names = {name: [*named] for name, named in graph.names.items()}
    texts = json.dumps([graph.chunks, graph.notes, graph.others, names], ensure_ascii=False)
    content = io.BytesIO()
    encoded = np.frombuffer(texts.encode(errors="surrogatepass"), np.uint8)
    np.savez(content, texts=encoded, **{name: getattr(graph, name) for name in _ARRAYS})
    return content.getvalue()


def _load_walk(content: bytes) -> WalkGraph:
    with np.load(io.BytesIO(content)) as arrays:
        chunks, notes, others, names = json.loads(arrays["texts"].tobytes().decode(errors="surrogatepass"))
        return WalkGraph(
            chunks=tuple(chunks),
            notes=tuple(notes),
            others=tuple(others),
            names={name: NamedNodes(tuple(nodes), frequency) for name, (nodes, frequency) in names.items()},
            **{name: arrays[name] for name in _ARRAYS},
        )
