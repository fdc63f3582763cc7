"""A vault's passages, names and links -> the graph of the walk. Made anew for every snapshot: it takes a moment.

Passages are nodes of their own, joined with the notes that they belong to and speak of, as HippoRAG 2 joins them with
phrases (Gutiérrez et al., From RAG to Memory, 2025), but without a language model: notes and terms are the phrases.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from ahocorasick_rs import AhoCorasick, MatchKind

from graphrag.domain.note import ResolvedLink, TargetKind
from graphrag.domain.passage_graph import ChunkText, EdgeKind, NamedNodes, WalkGraph, fold_words, name_forms, rarity
from graphrag.domain.snapshot import NoteEntry

_LATIN = re.compile(r"[a-z0-9_\u00df-\u024f\u0370-\u052f]")
_NUMBERS = re.compile(r"[\d\s\-_/.:年月日第周]+")  # a daily note's title says nothing of what it is about
_LINKING = r"(?:of|the|de|von|van|and|der|la|le|du|da|di|al|for|in)"
_CAPITALISED = re.compile(rf"\b[A-Z][\w'’.\-]*(?:\s+(?:{_LINKING}\s+){{0,2}}[A-Z0-9][\w'’.\-]*)*")
_IDENTIFIER = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Za-z]\w*_\w+|\w*[A-Za-z]\d+\w*)\b", re.ASCII)
_QUOTED = re.compile(r"[《「『]([^《》「」『』\n]{2,30})[》」』]")
_SHORTEST = 2
_STARTERS_TEXT = """
the a an he she it in on his her they this that these those at as after before during from for with when where while its
but and or if to of by we our you your i my there here what who how why not no yes all some many january february march
april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday
"""
_STARTERS = frozenset(_STARTERS_TEXT.split())


class NameMatch(NamedTuple):
    """A name found in a text; `is_mention` is false where only a common word was written like it."""

    name: str  # folded
    is_mention: bool


class NameFinder:
    """Finds titles and aliases, given as they are written."""

    def __init__(self, names: Iterable[str]) -> None:
        written = {fold_words(form): form for name in names for form in name_forms(name)}
        self._written = {name: form for name, form in written.items() if _is_telling(name)}
        self._names = sorted(self._written)
        self._automaton = AhoCorasick(self._names, matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> Iterator[NameMatch]:
        """Yield the names in a text; words of spaced scripts only where they stand for themselves."""
        folded = fold_words(text)
        for number, start, end in self._automaton.find_matches_as_indexes(folded):
            if not _cuts_a_word(folded, start) and not _cuts_a_word(folded, end):
                name = self._names[number]
                yield NameMatch(name, self._has_its_case(name, text, folded, start))

    def knows(self, name: str) -> bool:
        """Whether a folded name is looked for."""
        return name in self._written

    def _has_its_case(self, name: str, text: str, folded: str, start: int) -> bool:
        """Whether a capitalised name has its capital in the text as well: `Film` is a title, `film` a word."""
        if len(text) != len(folded) or not self._written[name][0].isupper():
            return True
        return not text[start].islower()


def find_terms(text: str, user_words: Collection[str]) -> set[str]:
    """Return the terms of a text, folded: identifiers, capitalised names, quoted titles, and words of the user's own.

    The user's words are folded already.
    """
    terms = {fold_words(match.group()) for match in _IDENTIFIER.finditer(text)}
    terms |= {fold_words(match.group(1)) for match in _QUOTED.finditer(text)}
    terms |= {word for match in _CAPITALISED.finditer(text) if (word := _without_starters(match.group()))}
    folded = fold_words(text) if user_words else ""
    terms |= {word for word in user_words if word in folded}
    return {term for term in terms if len(term) >= _SHORTEST}


def _without_starters(name: str) -> str:
    """Return a capitalised name, folded, without the words that are capitalised for beginning a sentence."""
    words = fold_words(name.strip(".'’-")).split()
    while words and words[0] in _STARTERS:
        del words[0]
    return " ".join(words)


def _is_telling(name: str) -> bool:
    return len(name) >= _SHORTEST and not _NUMBERS.fullmatch(name)


def _cuts_a_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and bool(_LATIN.match(text[place - 1]) and _LATIN.match(text[place]))


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
