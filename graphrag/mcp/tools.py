"""The tools: name, what each is for, what it takes and returns, and who may call it."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from mcp_types import Tool as ToolDescription
from mcp_types import ToolAnnotations
from pydantic import TypeAdapter

from graphrag.domain.access import Scope
from graphrag.domain.graph import Entity, EntityKind, GraphQuery, Neighbor, NoteSummary, Relation
from graphrag.domain.history import NoteChange
from graphrag.domain.history import Passage as CitedLines
from graphrag.domain.ontology import Place, Proof, ProofTree, depth_of
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Candidate,
    Citation,
    Filters,
    Reference,
    SnapshotRef,
    committed_version,
)
from graphrag.domain.report import FactView, NoteView, PathView, Surroundings
from graphrag.errors import NoteNotFound, QuestionError
from graphrag.language.interface import Language, interface_language
from graphrag.mcp.arguments import (
    Arguments,
    AskArguments,
    ChangesArguments,
    CypherArguments,
    ListArguments,
    NoteArguments,
    RelatedArguments,
    RelationArguments,
    SaveArguments,
    SearchArguments,
    lean_schema,
)
from graphrag.mcp.caller import Caller
from graphrag.mcp.results import (
    AnswerResult,
    ChangedNote,
    Changes,
    Connection,
    Link,
    ListedNote,
    Listing,
    NoteText,
    Passage,
    Passages,
    Related,
    Rows,
    Saved,
    Source,
    Step,
    Surrounding,
    excerpt,
    heading_path,
    one_line,
    shorten,
)
from graphrag.reasoning.explanation import nodes_of
from graphrag.reasoning.wording import Wording

if TYPE_CHECKING:
    from graphrag.app import App


_FEW = 4  # of each kind of reason that is no link
_HOPS = 6  # of a chain that joins two things
_STEPS = 20  # of a proof, counted from its end
_PROOF_LENGTH = 120
_QUERY_SECONDS = 5.0
_CELL = 300  # characters of a text in a row
_ROWS = 16_000  # characters of all rows
_ARROWS = ('"', "->", "→", "<-", "←")  # what a fact cannot hold inside a name


def related_notes(app: "App", arguments: RelatedArguments) -> Surrounding:
    """Return what lies around a note, topic, tag or term; links first, then what the notes have in common."""
    view = app.near(arguments.name, arguments.hops, arguments.limit)
    found: dict[str, Related] = {}
    for item in _related(view):
        known = found.get(item.name)
        found[item.name] = replace(known, why=f"{known.why}; {item.why}") if known else item
    return Surrounding(view.center.id, view.center.kind, tuple(found.values()), view.omitted)


def explain_relation(app: "App", arguments: RelationArguments) -> Connection:
    """Return the proof of a relation, or a shortest chain of links where none is named.

    Raises:
        QuestionError: a name cannot stand in a fact, or the ontology knows no such relation.
    """
    if not arguments.relation:
        return _connection(app.path(arguments.subject, arguments.object, _HOPS))
    names = (arguments.subject, arguments.relation, arguments.object)
    if any(arrow in name for arrow in _ARROWS for name in names):
        raise QuestionError("quotation marks and arrows cannot stand in a name here. Give the note's alias instead.")
    text = " ".join(f'"{name}"' for name in names)
    return _fact(app.explain(text), interface_language(app.settings.interface.language, text))


def _related(view: Surroundings) -> Iterator[Related]:
    yield from (_neighbor(item, view.center.id) for item in view.neighbors)
    for fact in view.inferred[:_FEW]:
        yield _entry(fact.entity, f"inferred: {_arrow('this', fact.name, fact.is_backlink)}", _first_ref(fact.places))
    for mention in view.mentions[:_FEW]:
        why = "names this without a link" if mention.is_backlink else "is named here without a link"
        yield _entry(mention.entity, why, _first_ref(mention.places))
    for tagged in view.shared_tags[:_FEW]:
        yield _entry(tagged.entity, f"shares tags: {', '.join(tagged.tags)}")
    for sharing in view.shared_terms[:_FEW]:
        yield _entry(sharing.entity, f"shares rare terms: {', '.join(sharing.terms[:_FEW])}")
    for similar in view.similar[:_FEW]:
        yield _entry(similar.entity, f"similar in meaning: {similar.weight:.2f}")


def _neighbor(neighbor: Neighbor, center: str) -> Related:
    relation, here = neighbor.relation, "this" if neighbor.via == center else neighbor.via
    why = f"link: {_arrow(here, relation.name, neighbor.is_backlink)}"
    return _entry(neighbor.entity, why, str(Reference(relation.note, (relation.line, relation.line))))


def _arrow(here: str, name: str, is_backlink: bool) -> str:
    """Return a relation between what was asked about, or a step on the way from it, and the entry: `it`."""
    start, end = ("it", here) if is_backlink else (here, "it")
    return f"{start} {f'—{name}→' if name else '→'} {end}"


def _entry(entity: Entity, why: str, ref: str = "") -> Related:
    bare = entity.id.rpartition("/")[2].removesuffix(".md")
    title = entity.title if entity.kind is EntityKind.NOTE and entity.title != bare else ""
    return Related(entity.id, entity.kind, one_line(why), title, ref)


def _first_ref(places: Iterable[Place]) -> str:
    place = next(iter(places), None)
    return _place(place) if place else ""


def _place(place: Place) -> str:
    return str(Reference(place.path, (place.line, place.line))) if place.line else place.path


def _connection(view: PathView) -> Connection:
    title = view.titles
    steps = tuple(
        Step(
            f"{title[relation.source]} —{relation.name or 'links to'}→ {title[relation.target]}",
            str(Reference(relation.note, (relation.line, relation.line))),
        )
        for relation in view.relations
    )
    names = f"{title.get(view.start, view.start)} … {title.get(view.end, view.end)}"
    is_same = view.start == view.end
    return Connection("connected" if steps or is_same else "unconnected", names, steps)


def _fact(view: FactView, language: Language) -> Connection:
    explanation = view.explanation
    words = Wording(lambda id_: one_line(view.titles.get(id_, id_)), language)
    proof = [*_steps([explanation.proof] if explanation.proof else [], view, words)]
    against = [
        step
        for conflict in explanation.conflicts
        for step in (*_steps(conflict.proofs, view, words), Step("", rule=words.rule(conflict.violation.axiom)))
    ]
    return Connection(
        status=explanation.status,
        statement=words.phrase(explanation.fact),
        steps=tuple(proof[-_STEPS:]),
        against=tuple(dict.fromkeys(against))[:_STEPS],
        omitted=max(len(proof) - _STEPS, 0),
    )


def _steps(proofs: Iterable[ProofTree], view: FactView, words: Wording) -> Iterator[Step]:
    """Yield the statements of proofs, what is written before what follows from it."""
    nodes = dict.fromkeys(node for proof in proofs for node in nodes_of(proof))
    for node in sorted(nodes, key=lambda node: depth_of(node.origin)):
        statement = words.phrase(node.fact)
        if isinstance(node.origin, Proof):
            yield Step(statement, rule=words.rule(node.origin.axiom))
        elif node.origin.path:  # else it is the statement that is being tried out
            line = shorten(one_line(view.lines.get(node.origin, "")), _PROOF_LENGTH)
            yield Step(statement, _place(node.origin), line)


_SHOWN = 300  # characters of a passage
_QUOTE_LENGTH = 160  # of the words that a citation rests on
_REMEMBERED = 32


def search_notes(app: "App", arguments: SearchArguments) -> Passages:
    """Return the passages that fit best, each by its beginning and the place to read on."""
    filters = arguments.filter.filters()
    found = app.search(arguments.query, filters, arguments.limit)
    if not found.candidates:
        check_passing(app, arguments.query, filters)
    results = tuple(_passage(candidate, found.snapshot) for candidate in found.candidates)
    return Passages(results, one_line(f"{found.notice} {_lag(found.snapshot)}"))


def ask_notes(app: "App", arguments: AskArguments) -> AnswerResult:
    """Return what the notes answer, with the sources of each statement."""
    return answer_result(answer_of(app, arguments))


def answer_of(app: "App", arguments: AskArguments) -> Answer:
    """Return the facade's answer.

    Raises:
        QuestionError: no note passes the filters.
    """
    filters = arguments.filter.filters()
    answer = app.ask(arguments.question, filters, lambda piece: None)  # a model that streams can be stopped
    if answer.status is AnswerStatus.NO_HIT:
        check_passing(app, arguments.question, filters)
    return answer


def answer_result(answer: Answer) -> AnswerResult:
    """Return an answer as a tool tells it."""
    return AnswerResult(
        status=answer.status,
        route=answer.route,
        answer=answer.answer,
        sure=answer.is_sure,
        citations=tuple(_source(citation) for citation in answer.citations),
        conflict=answer.conflict,
        conflicts=answer.conflicts,
        flags=answer.flags,
        model=answer.model,
        notice=one_line(f"{answer.notice} {_lag(answer.snapshot)}"),
    )


def check_passing(app: "App", question: str, filters: Filters) -> None:
    """Refuse a filter that no note passes, with names like those that nothing bears.

    Raises:
        QuestionError: no note passes.
    """
    if filters.is_empty or app.passing(question, filters):
        return
    known = (("tag", filters.tags, app.tags()), ("category", filters.categories, app.categories()))
    unknown = [
        f"No {kind} is called '{name}'{_like(name, [facet.name for facet in facets])}."
        for kind, names, facets in known
        for name in names
        if name.casefold() not in {facet.name.casefold() for facet in facets}
    ]
    hint = "list_notes without a filter counts the tags and categories; since and until leave out notes without a date."
    raise QuestionError(" ".join(["no note passes the filter.", *unknown, hint]))


class RememberedAnswers:
    """The last answers of a session, so that what is saved is what was read."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._changing = Lock()

    def ask_notes(self, app: "App", arguments: AskArguments) -> AnswerResult:
        """Answer, and keep the answer for a while."""
        return answer_result(self._keep(arguments, answer_of(app, arguments)))

    def save_answer(self, app: "App", arguments: SaveArguments) -> Saved:
        """Write the answer to a question as a new note; it is asked if it was not asked lately."""
        with self._changing:
            known = self._answers.get(_key(arguments))
        answer = known or self._keep(arguments, answer_of(app, arguments))
        return Saved(answer.status, app.save_answer(answer, arguments.name) or "")

    def _keep(self, arguments: AskArguments, answer: Answer) -> Answer:
        with self._changing:
            self._answers[_key(arguments)] = answer
            while len(self._answers) > _REMEMBERED:
                self._answers.popitem(last=False)
        return answer


def _key(arguments: AskArguments) -> str:
    return f"{arguments.question}\n{arguments.filter.model_dump_json()}"


def _like(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return f"; like it: {', '.join(near)}" if near else ""


def _passage(candidate: Candidate, snapshot: SnapshotRef) -> Passage:
    chunk = candidate.chunk
    lines = (chunk.span.first_line, chunk.span.last_line)
    return Passage(
        ref=str(Reference(chunk.note, lines, committed_version(snapshot))),
        note=chunk.note,
        lines=lines,
        heading=heading_path(chunk.title, chunk.heading),
        text=excerpt(chunk.text, candidate.why.terms, _SHOWN),
        score=round(candidate.score, 4),
    )


def _source(citation: Citation) -> Source:
    return Source(
        key=citation.key,
        ref=citation.ref,
        note=citation.note,
        lines=citation.lines,
        quote=shorten(one_line(citation.quote), _QUOTE_LENGTH),
        url=citation.url,
        heading=heading_path(citation.title, citation.heading),
        changed=citation.changed[:10],
    )


def _lag(snapshot: SnapshotRef | None) -> str:
    """Return that the index is not up to date, empty when it is or nobody knows."""
    lag = snapshot.behind if snapshot else None
    if lag is None or lag.is_zero:
        return ""
    return f"Notes that changed since they were indexed: {lag.notes}. `graphrag index` takes them in."


_LONGEST = 6_000  # characters of a note in one call
_LINKS = 20  # in each direction
_FACETS = 15
_SECTIONS = 5
_SHORT = 7  # digits of a commit


def get_note(app: "App", arguments: NoteArguments) -> NoteText:
    """Return a note, or the lines of it that a ref names; a long one ends early, and says where to go on."""
    passage = app.open_citation(arguments.note)
    text, last = _first_lines(passage)
    view = _view_of(app, passage)
    note = view.note if view else None
    first, end = passage.lines
    return NoteText(
        note=passage.note,
        title=passage.title,
        ref=_ref(passage, first, last),
        lines=(first, last),
        text=text,
        rest=_ref(passage, last + 1, end) if last < end else "",
        url=passage.url,
        category=note.category if note else "",
        tags=note.tags if note else (),
        updated=_day(note.updated or note.created) if note else "",
        links=_links((relation, relation.target) for relation in view.outgoing) if view else (),
        backlinks=_links((relation, relation.source) for relation in view.backlinks) if view else (),
        is_current=passage.is_current,
    )


def list_notes(app: "App", arguments: ListArguments) -> Listing:
    """Return some notes, newest first, and what there is to narrow the list by."""
    filters = arguments.filter.filters()
    listed = app.notes(filters, arguments.words, arguments.limit, arguments.offset)
    if not listed.total:
        check_passing(app, arguments.words or "*", filters)
    first_page = not arguments.offset
    return Listing(
        total=listed.total,
        notes=tuple(map(_listed, listed.notes)),
        tags=listed.tags[:_FACETS] if first_page else (),
        categories=listed.categories[:_FACETS] if first_page else (),
    )


def recent_changes(app: "App", arguments: ChangesArguments) -> Changes:
    """Return the notes that differ from how they were, with the headings of the sections that do."""
    found = app.changes(arguments.since)
    return Changes(len(found.notes), found.commits, tuple(map(_changed, found.notes[: arguments.limit])))


def cypher(app: "App", arguments: CypherArguments) -> Rows:
    """Return the rows of a query on the graph."""
    query = GraphQuery(
        arguments.query, arguments.parameters, arguments.limit, _QUERY_SECONDS, max_text=_CELL, max_total=_ROWS
    )
    table = app.cypher(query)
    return Rows(table.columns, table.rows, table.is_cut)


def _first_lines(passage: CitedLines) -> tuple[str, int]:
    """Return the lines that fit into one call, and the number of the last one; a first line that is too long is cut."""
    lines = passage.text.split("\n")
    taken, length = 0, 0
    for line in lines:
        length += len(line) + 1
        if taken and length > _LONGEST:
            break
        taken += 1
    return "\n".join(lines[:taken])[:_LONGEST], passage.lines[0] + taken - 1


def _view_of(app: "App", passage: CitedLines) -> NoteView | None:
    """Return what is known of the note today, None when it is gone or not indexed yet."""
    if not passage.note_now:
        return None
    try:
        return app.show(passage.note_now)
    except NoteNotFound:
        return None


def _ref(passage: CitedLines, first: int, last: int) -> str:
    return str(Reference(passage.note, (first, last), passage.commit[:_SHORT]))


def _links(relations: Iterable[tuple[Relation, str]]) -> tuple[Link, ...]:
    """Return the ends of relations, each once under each name."""
    return tuple(dict.fromkeys(Link(end, relation.name) for relation, end in relations))[:_LINKS]


def _listed(note: NoteSummary) -> ListedNote:
    return ListedNote(note.path, note.title, _day(note.updated or note.created), note.category, note.tags)


def _changed(change: NoteChange) -> ChangedNote:
    sections = dict.fromkeys(heading_path("", section.heading) for section in change.sections if section.heading)
    return ChangedNote(change.path, change.kind, change.title, change.previous_path, tuple(sections)[:_SECTIONS])


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""


@cache
def _types_of(run: Callable[..., object]) -> tuple[Any, Any]:
    return run.__annotations__["arguments"], TypeAdapter(run.__annotations__["return"])


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool; `run` is called in a thread, and its annotations say what the tool takes and returns."""

    name: str
    title: str
    description: str
    run: "Callable[[App, Any], object]"
    scope: Scope = Scope.READ
    writes: bool = False

    def allows(self, caller: Caller) -> bool:
        """Whether a caller may use it."""
        return caller.scope.allows(self.scope) and (caller.may_write or not self.writes)

    @property
    def takes(self) -> type[Arguments]:
        """The type of its arguments."""
        found: type[Arguments] = _types_of(self.run)[0]
        return found

    @property
    def _adapter(self) -> TypeAdapter[object]:
        found: TypeAdapter[object] = _types_of(self.run)[1]
        return found

    def shape(self, result: object) -> Any:
        """Return a result as JSON knows it, without the fields that hold their defaults."""
        return self._adapter.dump_python(result, mode="json", exclude_defaults=True)

    def describe(self) -> ToolDescription:
        """Return what a client lists."""
        return ToolDescription(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=lean_schema(self.takes.model_json_schema()),
            output_schema=lean_schema(self._adapter.json_schema(mode="serialization")),
            annotations=ToolAnnotations(
                read_only_hint=not self.writes,
                destructive_hint=False,
                idempotent_hint=not self.writes,
                open_world_hint=False,
            ),
        )


_READING = (
    Tool(
        "search_notes",
        "Search the notes",
        "Find the passages of the vault that fit words or a question, best first. Each has the beginning of its "
        "text and a `ref`: get_note with that ref reads the whole lines. Use it to look something up yourself.",
        search_notes,
    ),
    Tool(
        "get_note",
        "Read a note",
        "Read a note as Markdown by path, title or alias, or only the lines of a ref; with links and backlinks. "
        "A long note ends early: `rest` is the ref of what follows.",
        get_note,
    ),
    Tool(
        "related_notes",
        "What lies around a note",
        "List what a note, topic, #tag or term is linked with, and which notes share its rare terms and tags or "
        "mean something similar; each with the reason (`this` is what was asked about, `it` the entry).",
        related_notes,
    ),
    Tool(
        "explain_relation",
        "How two things hang together",
        "With a relation: whether the notes state it, let it be inferred, contradict it or say nothing, with the "
        "proof line by line. Without: a shortest chain of links between the two.",
        explain_relation,
    ),
    Tool(
        "list_notes",
        "List notes",
        "List notes newest first, by filter and by words of their titles, with the number of all and of each tag "
        "and category among them. Use it to see what there is before filtering.",
        list_notes,
    ),
    Tool(
        "cypher",
        "Query the graph",
        "Run a Cypher query that reads the graph, for counts and patterns that the other tools do not answer. Nodes: "
        "Entity(id, kind 'note'|'topic'|'tag', title, aliases[], tags[], category, created, updated); a note's id is "
        "its path, a topic's '?name', a tag's '#name' in lower case; dates are ISO text or ''. Relations: "
        "(Entity)-[Link(kind 'wiki'|'markdown'|'embed'|'property'|'tag', name, line)]->(Entity); name is the "
        "relation of a typed link, else ''. Topics are names that have no note.",
        cypher,
    ),
    Tool(
        "recent_changes",
        "What changed lately",
        "List the notes that were added, changed, removed or renamed since a day or for some days, by the vault's "
        "Git history, with the headings of the sections that differ. Without Git: list_notes with a filter since.",
        recent_changes,
    ),
)


def make_tools() -> dict[str, Tool]:
    """Return the tools by name; those of one server share the answers that it remembers."""
    answers = RememberedAnswers()
    ask = Tool(
        "ask_notes",
        "Answer from the notes",
        "Answer one question from the notes alone, with sources marked [1]. Exact for relations (who owns X, what "
        "depends on Y), lists (notes with tag x since May) and counts. `status` answered: rely on the citations; "
        "no_hit, low_relevance or not_in_notes: the notes do not say, so do not fill the gap.",
        answers.ask_notes,
        scope=Scope.ASK,
    )
    save = Tool(
        "save_answer",
        "Save an answer as a note",
        "Write the answer that ask_notes gave to a question as a new note of the vault, with its sources as links. "
        "Never changes an existing note. Only when the user asks for it.",
        answers.save_answer,
        scope=Scope.ASK,
        writes=True,
    )
    search, *others = _READING
    return {tool.name: tool for tool in (search, ask, *others, save)}
