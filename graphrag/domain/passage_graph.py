"""The graph that a random walk runs on: passages, the notes they belong to and name, and the terms they share."""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_BRACKETED = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


class EdgeKind(IntEnum):
    """What joins two nodes; the number is what a walk file keeps."""

    BELONGS = 0  # a chunk and its note
    NAMES = 1  # a chunk and a note whose title or alias stands in it without a link
    LINKS = 2  # a chunk and the note or topic that it links to
    TYPED = 3  # likewise, by a link that names a relation
    SHARES = 4  # a chunk and a term that few other chunks hold


class ChunkText(NamedTuple):
    """A chunk as far as a walk is concerned."""

    id: str
    note: str
    heading: tuple[str, ...]
    text: str
    first_line: int
    last_line: int


class NamedNodes(NamedTuple):
    """The nodes that a name stands for, and in how many chunks it occurs."""

    nodes: tuple[int, ...]
    frequency: int


class Mention(NamedTuple):
    """A note that another one names without a link, in these chunks."""

    source: str  # path of the note in whose text the name stands
    target: str  # path of the note that is named
    chunks: tuple[str, ...]  # ids, in the order of the text
    weight: float  # the sum of the chunks': the rarer the name, the more


class TermHolder(NamedTuple):
    """A note that holds a term which few passages hold, in these chunks."""

    term: str
    note: str  # path
    chunks: tuple[str, ...]  # ids, in the order of the text
    weight: float  # the rarer the term, the more


@dataclass(frozen=True, slots=True)
class WalkGraph:
    """Nodes by number: first the chunks, then the notes, then topics and terms; every edge stands once.

    `names` holds, folded, what a question may call a note, a topic or a term.
    """

    chunks: tuple[str, ...]  # ids
    notes: tuple[str, ...]  # paths
    others: tuple[str, ...]  # topics and terms
    names: Mapping[str, NamedNodes]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    weights: NDArray[np.float32]  # before that of the kind

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.chunks) + len(self.notes) + len(self.others)

    def mentions(self, note: str = "") -> list[Mention]:
        """Return which notes name which, the strongest first; only those by or of one note when it is given."""
        found: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for chunk, source, target, weight in self._named(note):
            found.setdefault((source, target), []).append((chunk, weight))
        first = len(self.chunks)
        mentions = (
            Mention(
                self.notes[source - first],
                self.notes[target - first],
                tuple(dict.fromkeys(self.chunks[chunk] for chunk, _ in edges)),
                sum(weight for _, weight in edges),
            )
            for (source, target), edges in found.items()
        )
        return sorted(mentions, key=lambda item: (-item.weight, item.source, item.target))

    def holders(self, term: str) -> list[TermHolder]:
        """Return the notes that hold a term, given folded; none for what is no term."""
        edges = self._edges(EdgeKind.SHARES)
        return self._holders(
            edges, edges.targets == self._number(self.others, term, len(self.chunks) + len(self.notes))
        )

    def shared_terms(self, note: str) -> list[TermHolder]:
        """Return the terms of a note with the other notes that hold them."""
        edges = self._edges(EdgeKind.SHARES)
        own = edges.notes == self._number(self.notes, note, len(self.chunks))
        return self._holders(edges, np.isin(edges.targets, edges.targets[own]) & ~own)

    def _holders(self, edges: "_Edges", wanted: NDArray[np.bool_]) -> list[TermHolder]:
        found: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for chunk, note, term, weight in edges.rows(wanted):
            found.setdefault((term, note), []).append((chunk, weight))
        first_note, first_other = len(self.chunks), len(self.chunks) + len(self.notes)
        return [
            TermHolder(
                self.others[term - first_other],
                self.notes[note - first_note],
                tuple(self.chunks[chunk] for chunk, _ in rows),
                rows[0][1],
            )
            for (term, note), rows in found.items()
        ]

    def _named(self, note: str) -> Iterator[tuple[int, int, int, float]]:
        """Yield the chunk, its note, the note that it names, and the weight, in the order of the chunks."""
        edges = self._edges(EdgeKind.NAMES)
        node = self._number(self.notes, note, len(self.chunks))
        is_wanted = (edges.notes == node) | (edges.targets == node)
        yield from edges.rows(is_wanted if note else np.ones_like(is_wanted))

    def _edges(self, kind: EdgeKind) -> "_Edges":
        belongs, wanted = self.kinds == EdgeKind.BELONGS, self.kinds == kind
        note_of = np.zeros(len(self.chunks), np.int32)
        note_of[self.sources[belongs]] = self.targets[belongs]
        chunks = self.sources[wanted]
        return _Edges(chunks, note_of[chunks], self.targets[wanted], self.weights[wanted])

    def _number(self, names: tuple[str, ...], name: str, first: int) -> int:
        """Return the node of a name among those whose numbers begin with `first`, -1 when it is not there."""
        return first + names.index(name) if name in names else -1


class _Edges(NamedTuple):
    """Edges of one kind, in the order of the chunks: whence, the note there, whither."""

    chunks: NDArray[np.int32]
    notes: NDArray[np.int32]
    targets: NDArray[np.int32]
    weights: NDArray[np.float32]

    def rows(self, wanted: NDArray[np.bool_]) -> Iterator[tuple[int, int, int, float]]:
        """Yield the wanted edges one by one."""
        columns = (column[wanted].tolist() for column in self)
        yield from zip(*columns, strict=True)


def fold_words(text: str) -> str:
    """Return a text in the form in which names are looked for: compatibility form, lower case, no lone surrogates."""
    return _LONE_SURROGATES.sub("?", unicodedata.normalize("NFKC", text).lower())


def name_forms(name: str) -> tuple[str, ...]:
    """Return a title or alias and, if it ends with something in brackets, what stands before."""
    bare = _BRACKETED.sub("", name)
    return (name, bare) if bare and bare != name else (name,)


def rarity(frequency: int) -> float:
    """Return 1 for a name that occurs once or never, falling with the logarithm."""
    return 1.0 / math.log(math.e - 1 + max(1, frequency))
