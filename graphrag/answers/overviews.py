"""A question for an overview -> groups of related notes: what each is about, its size, its central notes.

`find_topic_notes` finds the notes of a topic. With fewer than five notes the question is left to the search.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count, islice

from graphrag.answers.answerer import OnText
from graphrag.answers.citations import cite_chunk
from graphrag.answers.lists import list_tests
from graphrag.answers.relations import GRAPH
from graphrag.domain.note import Chunk
from graphrag.domain.query import Answer, AnswerStatus, Candidate, Citation, Filters, Question, Route, Stage, Trace
from graphrag.language.interface import Language
from graphrag.language.markdown import disarm
from graphrag.language.sentences import answer_sentences
from graphrag.retrieve.pipeline import Found, SearchPolicy, StageClock, search
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.understand.listing import Listing
from graphrag.understand.plan import GroupOverview, Overview, QueryPlan, understand
from graphrag.vault.open_snapshot import OpenSnapshot
from graphrag.vault.whole_graph import Group

_CANDIDATES = 300  # of either list
_COVERAGE = 0.6  # of the topic's term weight; a passage that holds less must be among the nearest in meaning
_NEAREST = 15
_LOST = frozenset({Stage.RELEVANCE_FLOOR, Stage.GONE})  # the other stages only shorten the list


def find_topic_notes(
    readers: SnapshotReaders, topic: Question, policy: SearchPolicy, clock: StageClock, by_meaning: bool = True
) -> tuple[set[str], str]:
    """Return the paths of the notes with a passage that holds the topic's words, or is nearest to its meaning.

    The text is the search's notice. Some passage is always nearest, so that only words tell that there are none.
    """
    wide = replace(  # the order does not matter here, only who is found
        policy,
        candidates=_CANDIDATES,
        use_walk=False,
        rerank=None,
        select=replace(policy.select, top_k=1),
    )
    found = search(readers, understand(topic, readers), wide, clock)
    dropped = (item.candidate for item in found.result.dropped if item.stage not in _LOST)
    candidates = (*found.result.candidates, *dropped)
    about = {candidate.chunk.note for candidate in candidates if _is_about(candidate, found, by_meaning)}
    return about, found.result.notice


def _is_about(candidate: Candidate, found: Found, by_meaning: bool) -> bool:
    total = sum(found.weights.values())
    held = sum(found.weights.get(term, 0.0) for term in candidate.why.terms)
    rank = candidate.why.vector_rank
    return held >= _COVERAGE * total > 0.0 or (by_meaning and rank is not None and rank <= _NEAREST)


_FEWEST_NOTES = 5  # fewer are read sooner than an overview of them
_MOST_GROUPS = 7
_CENTRAL = 3  # notes that stand for a group
_AT_ONCE = 4
_LOOKED_AT = 6  # notes of a group, of which some may be empty or changed


class OverviewAnswerer:
    """Tells what all notes say, or those about a topic, or those of a folder, category or tag."""

    def __init__(self, opened: OpenSnapshot, reading: Overview | GroupOverview) -> None:
        self._opened = opened
        self._reading = reading
        self.notice = ""

    def answer(self, plan: QueryPlan, clock: StageClock, on_text: OnText | None) -> Answer | None:
        """Return the overview; None when the notes that it is about are too few, or do not hang together at all."""
        if isinstance(self._reading, Overview):
            topic = self._reading.topic
            among, self.notice = _notes_asked_for(self._opened, self._reading, plan.question.filters, clock)
            if among is not None and len(among) < _FEWEST_NOTES:
                return None
        else:
            topic = self._reading.name
            with clock.stage("filter"):
                among = _notes_of_group(self._opened, topic, plan.question.filters)
            if not among:
                return None
        return _answer(self._opened, plan.question, topic, among, clock)


def _notes_of_group(opened: OpenSnapshot, name: str, filters: Filters) -> set[str]:
    """Return the notes of a folder, category or tag of this name that the filters let through."""
    summaries = opened.readers.graph.notes()
    asked = (Listing(folders=(name,)), Listing(tags=(name,)))
    tests = [test for listing in asked for test in list_tests(listing, summaries).notes]
    among = {note.path for note in summaries if any(test(note) for test in tests)}
    return among if filters.is_empty else {*opened.readers.chunks.chunks_of(sorted(among), filters)}


def _answer(
    opened: OpenSnapshot, question: Question, topic: str, among: set[str] | None, clock: StageClock
) -> Answer | None:
    """Return the overview of some notes, of all where `among` is None."""
    with clock.stage("group"):
        lines = opened.lines()
        shown = [path for path in (opened.readers.manifest.notes if among is None else among) if lines.is_shown(path)]
        groups = opened.note_map.groups(shown) if among is None else opened.note_map.groups_among(shown)
    joined = [group for group in groups if len(group.notes) > 1]
    if len(shown) < _FEWEST_NOTES or not joined:
        return None
    with clock.stage("cite"):
        citations = _cite(opened, joined[:_MOST_GROUPS], question.filters)
    return Answer(
        question=question.asked,
        route=Route.OVERVIEW,
        status=AnswerStatus.ANSWERED,
        answer=_Words(opened.parts.language(question.text)).overview(topic, len(shown), joined, citations),
        model=GRAPH,
        citations=tuple(citation for some in citations for citation in some),
        snapshot=opened.readers.reference(),
        conflict=False,
        trace=Trace(dict(clock.milliseconds)),
    )


def _notes_asked_for(
    opened: OpenSnapshot, reading: Overview, filters: Filters, clock: StageClock
) -> tuple[set[str] | None, str]:
    """Return the notes that a search for the topic finds, with its notice, or that the filters let through.

    None stands for all notes.
    """
    readers = opened.readers
    if topic := reading.topic:
        question, policy = Question(topic, topic, filters), opened.parts.search_policy()
        return find_topic_notes(readers, question, policy, clock, reading.is_sure)
    if filters.is_empty:
        return None, ""
    with clock.stage("filter"):
        return {*readers.chunks.chunks_of([*readers.manifest.notes], filters)}, ""


def _cite(opened: OpenSnapshot, groups: Sequence[Group], filters: Filters) -> list[list[Citation]]:
    """Return for each group the beginnings of its most central notes, as far as the vault still holds them."""
    readers = opened.readers
    central = [path for group in groups for path in group.notes[:_LOOKED_AT]]
    chunks = readers.chunks.chunks_of(central, filters)
    why_gone = readers.present.look()
    held: list[list[Chunk]] = []
    for group in groups:
        beginnings = (chunks[path][0] for path in group.notes[:_LOOKED_AT] if path in chunks)
        held.append([*islice((chunk for chunk in beginnings if not why_gone(chunk)), _CENTRAL)])

    def cite(key: int, chunk: Chunk) -> Citation:
        return cite_chunk(readers, opened.parts.vault.name, key, chunk, _first_words(chunk))

    # Git takes some milliseconds to date the lines of each.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        citations = pool.map(cite, count(1), [chunk for some in held for chunk in some])
        return [[*islice(citations, len(some))] for some in held]


def _first_words(chunk: Chunk) -> str:
    return next(iter(answer_sentences(chunk)), chunk.text)


class _Words:
    """Puts an overview into words."""

    def __init__(self, language: Language) -> None:
        self._say = language.say
        self._joint = "、" if language.is_chinese else ", "

    def overview(self, topic: str, notes: int, groups: Sequence[Group], citations: Sequence[Sequence[Citation]]) -> str:
        """Return the text: a line for each group, and how much is not told."""
        listed = [self._group(group, cited) for group, cited in zip(groups, citations, strict=False)]
        rest = groups[len(citations) :]
        alone = notes - sum(len(group.notes) for group in groups)
        more = [self._more(rest)] if rest else []
        left = [self._left(alone)] if alone else []
        return "\n".join([self._head(topic, notes, len(groups)), *(f"- {line}" for line in (*listed, *more, *left))])

    def _head(self, topic: str, notes: int, groups: int) -> str:
        about = self._say('{notes} notes about "{topic}"', notes=notes, topic=disarm(topic))
        return self._say(
            "{about}, in {n} group by how they link to, name and are tagged like one another:"
            "|{about}, in {n} groups by how they link to, name and are tagged like one another:",
            about=about if topic else self._say("{n} notes", n=notes),
            n=groups,
        )

    def _group(self, group: Group, citations: Sequence[Citation]) -> str:
        notes = self._joint.join(f"{disarm(citation.title)} [{citation.key}]" for citation in citations)
        label = disarm(self._joint.join(group.labels)) or (disarm(citations[0].title) if citations else "…")
        size = self._say(" ({n} note): | ({n} notes): ", n=len(group.notes))
        return f"{label}{size}{notes}".rstrip(" ：:")

    def _more(self, groups: Sequence[Group]) -> str:
        notes = sum(len(group.notes) for group in groups)
        more = "{n} more group with {notes} notes in all|{n} more groups with {notes} notes in all"
        return self._say(more, n=len(groups), notes=notes)

    def _left(self, notes: int) -> str:
        return self._say("{n} note in no group|{n} notes in no group", n=notes)
