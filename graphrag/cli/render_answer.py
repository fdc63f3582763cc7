"""Prints an answer: its text with marks, its sources one a line, and who wrote it from which snapshot."""

import re
from types import TracebackType

from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.style import Style
from rich.text import Text

from graphrag.cli.terminal import linked, one_line, plain, print_text, shorten, width_of
from graphrag.cli.words import answering, say, spoken, tell
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    AskedFor,
    Flag,
    Reference,
    SnapshotRef,
    SourceConflict,
    Stage,
    committed_version,
)
from graphrag.domain.snapshot import Lag
from graphrag.grounding.check_words import conflict_line, reason_of


class AnswerDraft:
    """A region of the terminal that holds the draft, dim, and vanishes at the end; first a sign of life."""

    def __init__(self, console: Console, waiting: str) -> None:
        self._text = ""
        self._live = Live(
            Spinner("dots", Text(waiting, "dim")), console=console, transient=True, vertical_overflow="ellipsis"
        )

    def __enter__(self) -> "AnswerDraft":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, piece: str) -> None:
        """Add the next piece to the draft."""
        self._text += piece
        self._live.update(Text(plain(self._text), "dim"))


_SEPARATOR = " › "
_GAP = "  "
# A label shortened below this says too little; then the path moves to a line of its own.
_MIN_LABEL = 24


def source_lines(
    prefix: str, title: str, heading: tuple[str, ...], location: Text, date: str, width: int
) -> list[Text]:
    """Return one line where it fits, with the label shortened if need be, else two; the path is never cut."""
    tail = Text.assemble(_GAP, location, (_GAP + date if date else "", "dim"))
    label = label_of(title, heading)
    room = width - cell_len(prefix) - tail.cell_len
    if room >= min(cell_len(label), _MIN_LABEL):
        return [Text.assemble((prefix, "bold cyan"), (fit_label(label, room), "bold"), tail)]
    label = fit_label(label, width - cell_len(prefix))
    indent = " " * max(cell_len(prefix) - len(_GAP), 0)
    if len(indent) + tail.cell_len > width:
        tail = Text.assemble(_GAP, location)
    return [Text.assemble((prefix, "bold cyan"), (label, "bold")), Text.assemble(indent, tail)]


def origin_line(indent: int, origin: str) -> Text:
    """Return where a note was taken from, which opens where the terminal can."""
    return Text.assemble(" " * indent, ("↗ ", "dim"), linked(origin, origin, "dim blue"))


def location_of(note: str, lines: tuple[int, int], url: str, version: str = "") -> Text:
    """Return `path:first-last`, which opens the note where the terminal can, with `@version` where there is one."""
    place = linked(str(Reference(note, lines)), url, "blue")
    return Text.assemble(place, (f"@{plain(version)}", "dim")) if version else place


def label_of(title: str, heading: tuple[str, ...]) -> str:
    """Return title and heading path; a first heading that repeats the title is said once."""
    parts = [part for part in (title, *(part for part in heading if part != title)) if part]
    return one_line(_SEPARATOR.join(parts))


def fit_label(label: str, room: int) -> str:
    """Return the label within `room` cells: the middle of the heading path goes first, then the end."""
    parts = label.split(_SEPARATOR)
    if cell_len(label) > room and len(parts) > 2:
        label = _SEPARATOR.join([parts[0], "…", parts[-1]])
    return shorten(label, room)


REFUSALS = {
    AnswerStatus.NO_HIT: "Nothing in my notes matches this question.",
    AnswerStatus.LOW_RELEVANCE: "My notes hold nothing close enough to this question.",
    AnswerStatus.NOT_IN_NOTES: "The answer is not in my notes.",
}
STAGES = {
    Stage.CANDIDATES: "in neither list",
    Stage.GONE: "no longer in the vault",
    Stage.PER_NOTE_CAP: "its note already gave its share",
    Stage.NEAR_DUPLICATE: "says what a better one says",
    Stage.RELEVANCE_FLOOR: "too far from the question",
    Stage.TOP_K: "below the last result",
}
RELATIONS = {
    **{"wiki": "link", "markdown": "link", "embed": "embed", "tag": "tag", "property": "property"},
    **{"mention": "mention", "term": "shared term"},
}


def relation_name(kind: str) -> str:
    """Return what a kind of relation is called."""
    return say(RELATIONS[kind]) if kind in RELATIONS else kind


def draft_of_answer(console: Console, question: str) -> "AnswerDraft":
    """Return the draft of an answer to a question, not yet shown."""
    with answering(question):
        return AnswerDraft(console, say("reading the notes …"))


_MARK = re.compile(r"\[(\d+)\]")
_QUOTED = 40  # characters of a sentence beside the reason why it is marked
EXTRACTIVE = "extractive"
RULES = "rules"
GRAPH = "graph"


def render_answer(console: Console, answer: Answer) -> None:
    """Print the answer, its sources, and where it comes from."""
    with answering(answer.question):
        _render_answer(console, answer)


ASKED_FOR = {
    AskedFor.FACT: "a fact",
    AskedFor.PERSON: "a person",
    AskedFor.TIME: "a time",
    AskedFor.NUMBER: "a number",
    AskedFor.PLACE: "a place",
    AskedFor.REASON: "a reason",
    AskedFor.STEPS: "steps",
    AskedFor.COMPARISON: "a comparison",
    AskedFor.DEFINITION: "a definition",
    AskedFor.LIST: "a list",
    AskedFor.YES_NO: "yes or no",
}


def render_plan(console: Console, answer: Answer) -> None:
    """Print how the question was understood: what is asked for, the ways that were tried, period, names, filters."""
    plan = answer.plan
    if plan is None:
        return
    with answering(answer.question):
        parts = [say("asks for {what}", what=say(ASKED_FOR[plan.asked_for]))]
        by = (
            say("by a rule")
            if plan.sure is None
            else say("by the trained router, {percent} % sure", percent=round(plan.sure * 100))
        )
        parts.append(say("taken for {route} {by}", route=say(plan.route), by=by))
        parts.append(say("ways, in order: {ways}", ways=" → ".join(map(say, plan.readings))))
        if plan.since or plan.until:
            parts.append(say("period: {first} to {last}", first=plan.since or "…", last=plan.until or "…"))
        if plan.notes:
            parts.append(say("names: {notes}", notes=", ".join(map(plain, plan.notes))))
        print_text(console, Text(say("Understood: {parts}", parts=" · ".join(parts)), "dim"))


def _render_answer(console: Console, answer: Answer) -> None:
    if not answer.is_sure:
        print_text(console, Text(say("Not sure: these lines come nearest, and may not answer."), "yellow"))
    print_text(console, _marked(answer))
    for conflict in answer.conflicts:
        _render_conflict(console, conflict)
    for flag in answer.flags:
        print_text(console, Text(_flag_line(flag, answer), "dim"))
    if answer.citations:
        console.print()
        if answer.status in REFUSALS:
            console.print(Text(say("The nearest passages:"), "dim"))
        _render_sources(console, answer)
    console.print()
    if answer.notice:
        print_text(console, Text(plain(tell(answer.notice)), "yellow"))
    if answer.sub_questions:
        questions = " → ".join(one_line(text) for text in answer.sub_questions)
        print_text(console, Text(say("also searched for: {questions}", questions=questions), "dim"))
    print_text(console, Text(_footer(answer), "dim"))


def snapshot_words(snapshot: SnapshotRef) -> list[str]:
    """Return which snapshot a result comes from, and how much of it is embedded while that is not all."""
    is_worktree = snapshot.worktree or not snapshot.commit
    words = [say("snapshot {name}", name=say("worktree") if is_worktree else snapshot.commit[:7])]
    if snapshot.embedded < 1:
        words.append(say("{percent} % embedded so far", percent=int(snapshot.embedded * 100)))
    return words + (_lag_words(snapshot.behind) if snapshot.behind else [])


def _lag_words(lag: Lag) -> list[str]:
    words = []
    if lag.commits:
        behind = "behind the vault, commits: {commits}, notes: {notes} (--fresh takes them in)"
        words.append(say(behind, commits=lag.commits, notes=lag.notes))
    elif not lag.is_zero:
        words.append(say("behind the vault, notes: {notes} (--fresh takes them in)", notes=lag.notes))
    if lag.uncommitted:
        words.append(say("notes changed and not committed: {notes}", notes=lag.uncommitted))
    return words


def _render_conflict(console: Console, conflict: SourceConflict) -> None:
    """Print what is disputed, and a line for each side."""
    print_text(console, Text(f"! {conflict_line(one_line(conflict.subject), spoken())}", "yellow"))
    for side in conflict.sides:
        print_text(console, Text(f"  {one_line(side.value)} [{side.key}]  {side.date}".rstrip(), "yellow"))


def _flag_line(flag: Flag, answer: Answer) -> str:
    """Return why a sentence is marked, or was left out, with its beginning."""
    sentence = one_line(flag.sentence)
    quoted = sentence if len(sentence) <= _QUOTED else f"{sentence[:_QUOTED]}…"
    return f"? {plain(reason_of(flag, answer.answer, spoken()))} — {quoted}"


def _render_sources(console: Console, answer: Answer) -> None:
    prefixes = [f"[{citation.key}] " for citation in answer.citations]
    version = committed_version(answer.snapshot) if answer.snapshot else ""
    widest = max(map(len, prefixes))
    for prefix, citation in zip(prefixes, answer.citations, strict=True):
        location = location_of(citation.note, citation.lines, citation.url, version)
        lines = source_lines(
            prefix.ljust(widest),
            citation.title,
            citation.heading,
            location,
            citation.changed[:10],
            width_of(console),
        )
        for line in (*lines, *([origin_line(widest, citation.origin)] if citation.origin else [])):
            console.print(line)


def _refusal(status: AnswerStatus) -> str:
    return say(REFUSALS[status]) if status in REFUSALS else ""


def _marked(answer: Answer) -> Text:
    text = Text(plain(answer.answer or _refusal(answer.status)).strip())
    urls = {citation.key: citation.url for citation in answer.citations}
    for mark in _MARK.finditer(text.plain):
        if (key := int(mark.group(1))) in urls:
            style = Style.parse("bold cyan") + Style(link=plain(urls[key]) or None)
            text.stylize(style, mark.start(), mark.end())
    return text


def _footer(answer: Answer) -> str:
    words = []
    if answer.status is AnswerStatus.ANSWERED and answer.model == EXTRACTIVE:
        words.append(say("the notes' own sentences, no model"))
    elif answer.model == GRAPH:
        words.append(say("read from the relations in the notes, no model"))
    elif answer.model not in (EXTRACTIVE, RULES):
        words.append(say("written by {model}", model=answer.model))
    if answer.snapshot is not None:
        words += snapshot_words(answer.snapshot)
    return " · ".join(words)
