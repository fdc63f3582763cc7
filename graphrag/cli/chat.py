"""`chat`: questions one after the other, typed or piped, and the commands between them."""

import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from graphrag.cli import options
from graphrag.cli.ask import NOTHING_PASSES, choose_snapshot, saved_line, with_index
from graphrag.cli.options import build_filters
from graphrag.cli.session import opened
from graphrag.errors import GraphragError

if TYPE_CHECKING:
    from graphrag.answers.conversation import Conversation, Reply
    from graphrag.app import App
    from graphrag.domain.query import Filters

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


def chat(
    tag: options.Tags = None,
    category: options.Categories = None,
    path: options.Paths = None,
    since: options.Since = None,
    until: options.Until = None,
    type_: options.Types = None,
    at: options.At = None,
    fresh: options.Fresh = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
) -> None:
    """Ask one question after the other.

    A follow-up such as "and its owner?" is read in the light of the questions before it. Questions can be piped in, one
    a line. The next chat goes on where this one ends. /help lists the commands.
    """
    filters = build_filters(tag, category, path, since, until, type_)
    with opened(vault, index_dir) as app:
        choose_snapshot(app, at, fresh)
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
            _say(self._conversation.warning)
        if asked:
            count = f"{len(asked)} question{'' if len(asked) == 1 else 's'}"
            _say(f"Going on with the last conversation ({count}, the last one: {asked[-1]}). /new begins anew.")
        elif self._is_typed:
            _say("Ask in your own words. /help lists the commands; Ctrl-D ends.")

    def _take(self, line: str) -> None:
        """Answer a line or do what it says; a failure is one line, and the next one may be typed."""
        text = line.strip()
        if not text:
            return
        try:
            command = _COMMAND.fullmatch(text)
            self._do(command["name"].lower(), (command["rest"] or "").strip()) if command else self._ask(text)
        except (GraphragError, OSError) as error:
            from graphrag.cli.failures import describe_os_error, report

            self._has_failed = True
            report(describe_os_error(error) if isinstance(error, OSError) else str(error))
        except KeyboardInterrupt:
            if not self._is_typed:
                raise
            _say("stopped")

    def _ask(self, text: str) -> None:
        from graphrag.cli.render_chat import render_reply
        from graphrag.cli.terminal import output
        from graphrag.domain.query import AnswerStatus

        if not self._is_typed:
            typer.echo(f"{_PROMPT}{text}")
        reply = self._reply(text)
        render_reply(output(), reply)
        answer = reply.answer
        if answer.status is AnswerStatus.NO_HIT and self._app.passing(answer.question, reply.filters) == 0:
            _say(NOTHING_PASSES)
        if self._conversation.warning:
            _say(self._conversation.warning)

    def _reply(self, text: str) -> "Reply":
        from graphrag.cli.labels import labels_for
        from graphrag.cli.stream import AnswerDraft
        from graphrag.cli.terminal import diagnostics

        if not diagnostics().is_terminal:
            return self._conversation.ask(text, self._filters)
        with AnswerDraft(diagnostics(), labels_for(text).working) as draft:
            return self._conversation.ask(text, self._filters, draft)

    def _do(self, name: str, rest: str) -> None:
        if name == "quit":
            self._is_open = False
        elif name == "help":
            for command, meaning in _HELP.items():
                typer.echo(f"/{command:<8} {meaning}")
        elif name == "new":
            self._conversation.forget()
            _say("The conversation is forgotten.")
        elif name == "filter":
            self._filter(rest)
        elif name in ("sources", "why", "save"):
            self._look_back(name, rest)
        else:
            self._has_failed = True
            _say(f"/{name} is no command. There are: {', '.join(f'/{command}' for command in _HELP)}")

    def _filter(self, rest: str) -> None:
        from graphrag.cli.render_chat import filter_words
        from graphrag.domain.query import NO_FILTERS
        from graphrag.understand.filters import read_filters

        if rest == "clear":
            self._filters = NO_FILTERS
        elif rest:
            self._filters = read_filters(rest)
        typer.echo(filter_words(self._filters) or "no filters")

    def _look_back(self, name: str, rest: str) -> None:
        from graphrag.cli.render_chat import render_sources, render_why
        from graphrag.cli.terminal import output

        reply = self._conversation.last
        if reply is None:
            _say("There is no answer yet in this session: ask a question first.")
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
