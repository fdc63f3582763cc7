"""Prints the replies of a conversation, the lines behind them, and how a question came to its answer."""

from collections.abc import Callable, Mapping

from rich.console import Console
from rich.text import Text

from graphrag.answers.conversation import Reply
from graphrag.cli.labels import Labels, labels_for
from graphrag.cli.render_answer import GRAPH, render_answer
from graphrag.cli.render_results import reason_lines
from graphrag.cli.source_line import location_of, source_lines
from graphrag.cli.terminal import one_line, plain, print_text, width_of
from graphrag.domain.history import Passage
from graphrag.domain.query import Answer, Citation, Filters, Why
from graphrag.domain.reference import committed_version
from graphrag.errors import VaultError
from graphrag.language.language import is_chinese

_LINES_SHOWN = 40  # of one source

OpenCitation = Callable[[str], Passage]


def render_reply(console: Console, reply: Reply) -> None:
    """Print an answer, above it what a follow-up was read as."""
    if reply.rewritten:
        print_text(console, Text(_understood(reply), "italic"))
    render_answer(console, reply.answer)


def render_sources(console: Console, answer: Answer, open_citation: OpenCitation) -> None:
    """Print each source of an answer with the text of its lines, as far as that may be shown now."""
    if not answer.citations:
        console.print(Text("The last answer has no sources.", "dim"))
    version = committed_version(answer.snapshot) if answer.snapshot else ""
    for citation in answer.citations:
        _render_place(console, citation, version)
        for line in _text_of(citation, open_citation):
            print_text(console, Text(f"    {line}"))


def render_why(console: Console, reply: Reply, reasons: Mapping[int, Why]) -> None:
    """Print how a question was read, what was asked besides, how long each stage took, and why each source is there."""
    answer, labels = reply.answer, labels_for(reply.answer.question)
    if reply.rewritten:
        print_text(console, Text(_understood(reply)))
    rows = {
        "route": str(answer.route),
        "filters": filter_words(reply.filters),
        "also asked": " → ".join(map(one_line, answer.sub_questions)),
        "stages": ", ".join(f"{stage} {spent:.0f} ms" for stage, spent in answer.trace.milliseconds.items()),
    }
    for name, value in rows.items():
        if value:
            print_text(console, Text.assemble((f"{name:<11}", "dim"), plain(value)))
    for citation in answer.citations:
        _render_place(console, citation, "")
        why = reasons.get(citation.key)
        for line in reason_lines(why, labels) if why else [_stated(answer, labels)]:
            print_text(console, Text(f"    {line}", "dim"))


def filter_words(filters: Filters) -> str:
    """Return filters as they are written in a question, empty without any."""
    named = (
        ("tag", filters.tags),
        ("category", filters.categories),
        ("path", filters.paths),
        ("type", filters.types),
        ("since", (str(filters.since),) if filters.since else ()),
        ("until", (str(filters.until),) if filters.until else ()),
    )
    return " ".join(f"{name}:{_quoted(value)}" for name, values in named for value in values)


def _quoted(value: str) -> str:
    return f'"{value}"' if any(character.isspace() or character in "，。？！；" for character in value) else value


def _understood(reply: Reply) -> str:
    return f"{'理解为：' if is_chinese(reply.rewritten) else 'Read as: '}{one_line(reply.rewritten)}"


def _render_place(console: Console, citation: Citation, version: str) -> None:
    location = location_of(citation.note, citation.lines, citation.url, version)
    prefix = f"[{citation.key}] "
    for line in source_lines(
        prefix, citation.title, citation.heading, location, citation.changed[:10], width_of(console)
    ):
        console.print(line)


def _text_of(citation: Citation, open_citation: OpenCitation) -> list[str]:
    """Return the cited lines; a line of an ontology file is known by its quote, and a withheld one says why."""
    if not citation.ref:
        return [plain(citation.quote)]
    try:
        lines = plain(open_citation(citation.ref).text).split("\n")
    except VaultError as error:
        return [str(error)]
    more = len(lines) - _LINES_SHOWN
    return [*lines[:_LINES_SHOWN], *([f"… {more} more: graphrag open {citation.ref}"] if more > 0 else [])]


def _stated(answer: Answer, labels: Labels) -> str:
    return labels.from_graph if answer.model == GRAPH else "chosen for the answer, not found by the search"
