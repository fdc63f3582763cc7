"""`chat`: questions one after the other, typed or piped, and the commands between them."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.ask import NOTHING_PASSES, choose_snapshot, saved_line, with_index
from graphrag.cli.render_answer import GRAPH, location_of, render_answer, source_lines
from graphrag.cli.render_results import reason_lines
from graphrag.cli.session import opened
from graphrag.cli.terminal import one_line, padded, plain, print_text, width_of
from graphrag.cli.words import answering, comma, say, tell
from graphrag.domain.history import Passage
from graphrag.domain.query import Answer, Citation, Filters, Why, committed_version
from graphrag.errors import GraphragError, VaultError

if TYPE_CHECKING:
    from graphrag.answers.conversation import Conversation, Reply
    from graphrag.app import App
    from graphrag.domain.query import Filters


_LINES_SHOWN = 40  # of one source

OpenCitation = Callable[[str], Passage]


def render_reply(console: Console, reply: "Reply") -> None:
    """Print an answer, above it what a follow-up was read as."""
    if reply.rewritten:
        with answering(reply.rewritten):
            print_text(console, Text(_understood(reply), "italic"))
    render_answer(console, reply.answer)


def render_sources(console: Console, answer: Answer, open_citation: OpenCitation) -> None:
    """Print each source of an answer with the text of its lines, as far as that may be shown now."""
    if not answer.citations:
        console.print(Text(say("The last answer has no sources."), "dim"))
    version = committed_version(answer.snapshot) if answer.snapshot else ""
    for citation in answer.citations:
        _render_place(console, citation, version)
        for line in _text_of(citation, open_citation):
            print_text(console, Text(f"    {line}"))


def render_why(console: Console, reply: "Reply", reasons: Mapping[int, Why]) -> None:
    """Print how a question was read, what was asked besides, how long each stage took, and why each source is there."""
    with answering(reply.answer.question):
        _render_why(console, reply, reasons)


def _render_why(console: Console, reply: "Reply", reasons: Mapping[int, Why]) -> None:
    answer = reply.answer
    if reply.rewritten:
        print_text(console, Text(_understood(reply)))
    rows = {
        say("route"): say(str(answer.route)),
        say("filters"): filter_words(reply.filters),
        say("also asked"): " → ".join(map(one_line, answer.sub_questions)),
        say("stages"): comma().join(
            f"{say(stage)} {spent:.0f} ms" for stage, spent in answer.trace.milliseconds.items()
        ),
    }
    for name, value in rows.items():
        if value:
            print_text(console, Text.assemble((padded(name, 11), "dim"), plain(value)))
    for citation in answer.citations:
        _render_place(console, citation, "")
        why = reasons.get(citation.key)
        for line in reason_lines(why) if why else [_stated(answer)]:
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


def _understood(reply: "Reply") -> str:
    return say("Read as: {question}", question=one_line(reply.rewritten))


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
        return [tell(str(error))]
    more = len(lines) - _LINES_SHOWN
    return [
        *lines[:_LINES_SHOWN],
        *([say("… {more} more: graphrag open {ref}", more=more, ref=citation.ref)] if more > 0 else []),
    ]


def _stated(answer: Answer) -> str:
    if answer.model == GRAPH:
        return say("read from the relations in the notes, no model")
    return say("chosen for the answer, not found by the search")


_PROMPT = "> "
_COMMAND = re.compile(r"/(?P<name>[a-z]+)(?:\s+(?P<rest>.*))?", re.DOTALL | re.IGNORECASE)  # not /etc/hosts
_HELP = {
    "sources": "the lines behind the last answer",
    "why": "how the last question was read, and why each source is there",
    "filter": "show the filters; set them: /filter tag:x category:y path:z since:2024-01-01; /filter clear",
    "save": "write the last answer as a new note: /save [NAME]",
    "new": "forget the conversation",
    "help": "this list",
    "quit": "end; so does Ctrl-D",
}


@options.with_narrowing
def chat(
    narrowing: options.Narrowing = options.ALL_NOTES,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Ask one question after the other.

    A follow-up such as "and its owner?" is read in the light of the questions before it. Questions can be piped in, one
    a line. The next chat goes on where this one ends. /help lists the commands.
    """
    filters = narrowing.filters()
    with opened(vault, index_dir) as app:
        choose_snapshot(app, narrowing.at, narrowing.fresh)
        with_index(app, app.stale)
        if not _Chat(app, filters).run():
            raise typer.Exit(1)


class _Chat:
    """The loop of one session."""

    def __init__(self, app: "App", filters: "Filters") -> None:
        self._app = app
        self._filters = filters
        self._conversation: Conversation = app.converse()
        self._is_typed = sys.stdin.isatty()
        self._is_open = True
        self._has_failed = False

    def run(self) -> bool:
        """Answer until the end; return whether all went well, which only counts for questions that were piped in."""
        self._greet()
        lines = _typed_lines(self._conversation.asked) if self._is_typed else _piped_lines()
        for line in lines:
            self._take(line)
            if not self._is_open:
                break
        return self._is_typed or not self._has_failed

    def _greet(self) -> None:
        asked = self._conversation.asked
        if self._conversation.warning:
            _say(tell(self._conversation.warning))
        if asked:
            _say(
                say(
                    "Going on with the last conversation ({n} question, the last one: {asked}). /new begins anew."
                    "|Going on with the last conversation ({n} questions, the last one: {asked}). /new begins anew.",
                    n=len(asked),
                    asked=asked[-1],
                )
            )
        elif self._is_typed:
            _say(say("Ask in your own words. /help lists the commands; Ctrl-D ends."))

    def _take(self, line: str) -> None:
        """Answer a line or do what it says; a failure is one line, and the next one may be typed."""
        text = line.strip()
        if not text:
            return
        try:
            command = _COMMAND.fullmatch(text)
            self._do(command["name"].lower(), (command["rest"] or "").strip()) if command else self._ask(text)
        except (GraphragError, OSError) as error:
            from graphrag.cli.session import describe_os_error, report

            self._has_failed = True
            report(describe_os_error(error) if isinstance(error, OSError) else str(error))
        except KeyboardInterrupt:
            if not self._is_typed:
                raise
            _say(say("stopped"))

    def _ask(self, text: str) -> None:
        from graphrag.cli.terminal import output
        from graphrag.domain.query import AnswerStatus

        if not self._is_typed:
            typer.echo(f"{_PROMPT}{text}")
        reply = self._reply(text)
        render_reply(output(), reply)
        answer = reply.answer
        if answer.status is AnswerStatus.NO_HIT and self._app.passing(answer.question, reply.filters) == 0:
            _say(tell(NOTHING_PASSES))
        if self._conversation.warning:
            _say(tell(self._conversation.warning))

    def _reply(self, text: str) -> "Reply":
        from graphrag.cli.render_answer import draft_of_answer
        from graphrag.cli.terminal import diagnostics

        if not diagnostics().is_terminal:
            return self._conversation.ask(text, self._filters)
        with draft_of_answer(diagnostics(), text) as draft:
            return self._conversation.ask(text, self._filters, draft)

    def _do(self, name: str, rest: str) -> None:
        if name == "quit":
            self._is_open = False
        elif name == "help":
            for command, meaning in _HELP.items():
                typer.echo(f"/{command:<8} {say(meaning)}")
        elif name == "new":
            self._conversation.forget()
            _say(say("The conversation is forgotten."))
        elif name == "filter":
            self._filter(rest)
        elif name in ("sources", "why", "save"):
            self._look_back(name, rest)
        else:
            self._has_failed = True
            _say(
                say(
                    "/{name} is no command. There are: {help}",
                    name=name,
                    help=", ".join(f"/{command}" for command in _HELP),
                )
            )

    def _filter(self, rest: str) -> None:
        from graphrag.domain.query import NO_FILTERS
        from graphrag.understand.filters import read_filters

        if rest == "clear":
            self._filters = NO_FILTERS
        elif rest:
            self._filters = read_filters(rest)
        typer.echo(filter_words(self._filters) or say("no filters"))

    def _look_back(self, name: str, rest: str) -> None:
        from graphrag.cli.terminal import output

        reply = self._conversation.last
        if reply is None:
            _say(say("There is no answer yet in this session: ask a question first."))
        elif name == "sources":
            render_sources(output(), reply.answer, self._app.open_citation)
        elif name == "why":
            render_why(output(), reply, self._conversation.reasons())
        else:
            _say(saved_line(self._app.save_answer(reply.answer, rest)))


def _say(line: str) -> None:
    from graphrag.cli.terminal import one_line

    typer.echo(one_line(line), err=True)


def _piped_lines() -> Iterator[str]:
    for line in sys.stdin.buffer:
        yield line.decode("utf-8-sig", "replace")


def _typed_lines(asked: tuple[str, ...]) -> Iterator[str]:
    """Yield what is typed until Ctrl-D; Ctrl-C drops a line. The arrow keys bring back earlier questions."""
    _remember_lines(asked)
    while True:
        try:
            yield _read_line()
        except KeyboardInterrupt:
            typer.echo(err=True)
        except EOFError:
            typer.echo(err=True)
            return


def _read_line() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    typer.echo(_PROMPT, nl=False, err=True)  # the answers go to a file, the prompt must not
    return input()


def _remember_lines(asked: tuple[str, ...]) -> None:
    try:
        import readline
    except ImportError:  # Windows has none; its terminal remembers lines by itself
        return
    for line in asked:
        readline.add_history(line)
