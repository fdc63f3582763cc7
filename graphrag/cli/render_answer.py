"""Prints an answer: its text with marks, its sources one a line, and who wrote it from which snapshot."""

import re

from rich.console import Console
from rich.style import Style
from rich.text import Text

from graphrag.cli.labels import Labels, labels_for
from graphrag.cli.source_line import location_of, origin_line, source_lines
from graphrag.cli.terminal import one_line, plain, print_text, width_of
from graphrag.domain.query import Answer, AnswerStatus, Flag, SnapshotRef, SourceConflict
from graphrag.domain.reference import committed_version
from graphrag.domain.snapshot import Lag
from graphrag.grounding.check_words import reason_of

_MARK = re.compile(r"\[(\d+)\]")
_QUOTED = 40  # characters of a sentence beside the reason why it is marked
EXTRACTIVE = "extractive"
RULES = "rules"
GRAPH = "graph"


def render_answer(console: Console, answer: Answer) -> None:
    """Print the answer, its sources, and where it comes from."""
    labels = labels_for(answer.question)
    print_text(console, _marked(answer, labels))
    for conflict in answer.conflicts:
        _render_conflict(console, conflict, labels)
    for flag in answer.flags:
        print_text(console, Text(_flag_line(flag, answer, labels), "dim"))
    if answer.citations:
        console.print()
        if answer.status in labels.refusals:
            console.print(Text(labels.nearest, "dim"))
        _render_sources(console, answer)
    console.print()
    if answer.notice:
        print_text(console, Text(plain(answer.notice), "yellow"))
    if answer.sub_questions:
        questions = " → ".join(one_line(text) for text in answer.sub_questions)
        print_text(console, Text(labels.also_asked.format(questions=questions), "dim"))
    print_text(console, Text(_footer(answer, labels), "dim"))


def snapshot_words(snapshot: SnapshotRef, labels: Labels) -> list[str]:
    """Return which snapshot a result comes from, and how much of it is embedded while that is not all."""
    is_worktree = snapshot.worktree or not snapshot.commit
    words = [labels.snapshot.format(name=labels.worktree if is_worktree else snapshot.commit[:7])]
    if snapshot.embedded < 1:
        words.append(labels.embedded.format(percent=int(snapshot.embedded * 100)))
    return words + (_lag_words(snapshot.behind, labels) if snapshot.behind else [])


def _lag_words(lag: Lag, labels: Labels) -> list[str]:
    words = []
    if not lag.is_zero:
        text = labels.behind if lag.commits else labels.behind_notes
        words.append(text.format(commits=lag.commits, notes=lag.notes))
    if lag.uncommitted:
        words.append(labels.uncommitted.format(notes=lag.uncommitted))
    return words


def _render_conflict(console: Console, conflict: SourceConflict, labels: Labels) -> None:
    """Print what is disputed, and a line for each side."""
    print_text(console, Text(f"! {labels.checks.conflict.format(subject=one_line(conflict.subject))}", "yellow"))
    for side in conflict.sides:
        print_text(console, Text(f"  {one_line(side.value)} [{side.key}]  {side.date}".rstrip(), "yellow"))


def _flag_line(flag: Flag, answer: Answer, labels: Labels) -> str:
    """Return why a sentence is marked, or was left out, with its beginning."""
    sentence = one_line(flag.sentence)
    quoted = sentence if len(sentence) <= _QUOTED else f"{sentence[:_QUOTED]}…"
    return f"? {plain(reason_of(flag, answer.answer, labels.checks))} — {quoted}"


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


def _marked(answer: Answer, labels: Labels) -> Text:
    text = Text(plain(answer.answer or labels.refusals.get(answer.status, "")).strip())
    urls = {citation.key: citation.url for citation in answer.citations}
    for mark in _MARK.finditer(text.plain):
        if (key := int(mark.group(1))) in urls:
            style = Style.parse("bold cyan") + Style(link=plain(urls[key]) or None)
            text.stylize(style, mark.start(), mark.end())
    return text


def _footer(answer: Answer, labels: Labels) -> str:
    words = []
    if answer.status is AnswerStatus.ANSWERED and answer.model == EXTRACTIVE:
        words.append(labels.extractive)
    elif answer.model == GRAPH:
        words.append(labels.from_graph)
    elif answer.model not in (EXTRACTIVE, RULES):
        words.append(labels.written_by.format(model=answer.model))
    if answer.snapshot is not None:
        words += snapshot_words(answer.snapshot, labels)
    return " · ".join(words)
