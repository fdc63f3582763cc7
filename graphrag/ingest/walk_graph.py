"""A vault's passages, names and links -> the graph of the walk. Made anew for every snapshot: it takes a moment.

Passages are nodes of their own, joined with the notes that they belong to and speak of, as HippoRAG 2 joins them with
phrases (Gutiérrez et al., From RAG to Memory, 2025), but without a language model: notes and terms are the phrases.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from graphrag.domain.note import ResolvedLink, TargetKind
from graphrag.domain.snapshot import NoteEntry
from graphrag.domain.walk import ChunkText, EdgeKind, NamedNodes, WalkGraph, fold_words, name_forms, rarity
from graphrag.ingest.mentions import NameFinder, find_terms

_COMMON = 100  # chunks; a name in more of them is a word of the vault rather than a pointer
_COMMON_SHARE = 0.02  # of all chunks, where that is more
_SHARED_BY = 30  # chunks; a term in more of them joins too much

_Edge = tuple[int, int, EdgeKind, float]


def build_walk_graph(
    chunks: Sequence[ChunkText],
    entries: Mapping[str, NoteEntry],
    links: Iterable[ResolvedLink],
    user_words: Iterable[str],
) -> WalkGraph:
    """Return the graph of these chunks; `entries` are the notes that they belong to."""
    return _Builder(chunks, entries).build(links, user_words)


class _Builder:
    def __init__(self, chunks: Sequence[ChunkText], entries: Mapping[str, NoteEntry]) -> None:
        self._chunks = chunks
        self._entries = entries
        self._notes = sorted(entries)
        self._node_of = {path: len(chunks) + number for number, path in enumerate(self._notes)}
        self._others: dict[str, int] = {}
        self._names: dict[str, NamedNodes] = {}

    def build(self, links: Iterable[ResolvedLink], user_words: Iterable[str]) -> WalkGraph:
        """Return the graph."""
        edges = [*self._belonging(), *self._linking(links), *self._naming(), *self._sharing(user_words)]
        sources, targets, kinds, weights = zip(*edges, strict=True) if edges else ((), (), (), ())
        return WalkGraph(
            chunks=tuple(chunk.id for chunk in self._chunks),
            notes=tuple(self._notes),
            others=tuple(self._others),
            names=self._names,
            sources=np.array(sources, np.int32),
            targets=np.array(targets, np.int32),
            kinds=np.array(kinds, np.uint8),
            weights=np.array(weights, np.float32),
        )

    def _belonging(self) -> Iterator[_Edge]:
        for number, chunk in enumerate(self._chunks):
            yield number, self._node_of[chunk.note], EdgeKind.BELONGS, 1.0

    def _linking(self, links: Iterable[ResolvedLink]) -> Iterator[_Edge]:
        """Yield an edge from the chunk that holds a link's line, every chunk of the note if it is in none."""
        of_note: dict[str, list[int]] = defaultdict(list)
        for number, chunk in enumerate(self._chunks):
            of_note[chunk.note].append(number)
        for link in links:
            target = self._target(link)
            own = of_note.get(link.source, [])
            holding = [n for n in own if self._chunks[n].first_line <= link.link.line <= self._chunks[n].last_line]
            kind = EdgeKind.TYPED if link.link.relation else EdgeKind.LINKS
            if target is not None and target != self._node_of.get(link.source):
                for number in holding or own:
                    yield number, target, kind, 1.0 / len(holding or own)

    def _target(self, link: ResolvedLink) -> int | None:
        if link.target_kind is TargetKind.NOTE:
            return self._node_of.get(link.target)
        if link.target_kind is TargetKind.TOPIC:
            name = fold_words(link.target)
            node = self._other(name)
            self._names.setdefault(name, NamedNodes((node,), 1))
            return node
        return None

    def _naming(self) -> Iterator[_Edge]:
        """Yield an edge to each note that a chunk names; the rarer the name and the fewer bear it, the stronger."""
        bearers: dict[str, set[int]] = defaultdict(set)
        for path, entry in self._entries.items():
            for name in (entry.title, *entry.aliases):
                for form in name_forms(name):
                    bearers[fold_words(form)].add(self._node_of[path])
        finder = NameFinder(name for entry in self._entries.values() for name in (entry.title, *entry.aliases))
        found = [{*finder.find(chunk.text)} for chunk in self._chunks]
        frequency = Counter(name for names in found for name in {match.name for match in names})
        common = max(_COMMON, _COMMON_SHARE * len(self._chunks))
        for name, nodes in bearers.items():
            if frequency[name] <= common and finder.knows(name):
                self._names[name] = NamedNodes(tuple(sorted(nodes)), frequency[name])
        for number, (chunk, names) in enumerate(zip(self._chunks, found, strict=True)):
            for name in sorted(match.name for match in names if match.is_mention and match.name in self._names):
                own = self._node_of[chunk.note]
                weight = rarity(frequency[name]) / len(bearers[name])
                yield from ((number, node, EdgeKind.NAMES, weight) for node in sorted(bearers[name]) if node != own)

    def _sharing(self, user_words: Iterable[str]) -> Iterator[_Edge]:
        own = {fold_words(word) for word in user_words}
        found = [find_terms(chunk.text, own) for chunk in self._chunks]
        frequency = Counter(term for terms in found for term in terms)
        for number, terms in enumerate(found):
            for term in sorted(terms):
                if 2 <= frequency[term] <= _SHARED_BY:
                    node = self._other(term)
                    self._names.setdefault(term, NamedNodes((node,), frequency[term]))
                    yield number, node, EdgeKind.SHARES, rarity(frequency[term])

    def _other(self, name: str) -> int:
        return self._others.setdefault(name, len(self._chunks) + len(self._notes) + len(self._others))
