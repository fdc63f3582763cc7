"""The options that several commands share, and the checks that the argument parser does not make.

Nothing but typer is imported at the top of this and the command modules: `--help` imports them all.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import date
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from graphrag.cli.session import UsageError
from graphrag.errors import QuestionError

if TYPE_CHECKING:
    from graphrag.domain.query import Filters

# Far above what the facade accepts as a question, and far below what would hurt to read.
_STDIN_LIMIT = 1_000_000

Vault = Annotated[
    Path | None,
    typer.Option(
        "--vault",
        envvar="GRAPHRAG_VAULT",
        metavar="DIR",
        help="The vault; by default the enclosing folder that holds graphrag.toml or .graphrag.",
    ),
]
IndexDir = Annotated[
    Path | None,
    typer.Option(
        "--index-dir",
        envvar="GRAPHRAG_INDEX_DIR",
        metavar="DIR",
        help="Where the index lives; by default .graphrag in the vault.",
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="REV", help="Answer as of a commit, tag, branch or time: 2024-06-16, 上周五, 3 days ago."
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Bring the index up to date first.")]
Worktree = Annotated[
    bool, typer.Option("--worktree", help="Follow saved files; by default, where there is Git, commits.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Dot = Annotated[bool, typer.Option("--dot", help="Print Graphviz DOT.")]
Mermaid = Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid flowchart.")]

QuestionWords = Annotated[
    list[str] | None,
    typer.Argument(metavar="QUESTION", help="The question, with or without quotes; - reads it from stdin."),
]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="Only notes with this tag or one below it; repeatable."),
]
Categories = Annotated[
    list[str] | None,
    typer.Option("--category", metavar="NAME", help="Only notes of this category or one below it; repeatable."),
]
Paths = Annotated[
    list[str] | None,
    typer.Option("--path", metavar="PATH", help="Only notes in this folder, or this note; repeatable."),
]
Types = Annotated[
    list[str] | None,
    typer.Option("--type", metavar="TYPE", help="Only notes whose type property has this value; repeatable."),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="DATE",
        help="Only notes last changed on this day or later: 2024-06-16, 7d, 上周, last Friday.",
    ),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="DATE", help="Only notes last changed on this day or earlier."),
]


def examples(*commands: str) -> str:
    """Return a command's epilog: its examples, one a line."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


@dataclass
class Narrowing:
    """The options that choose the notes of a question, and the snapshot that answers it."""

    tag: Tags = None
    category: Categories = None
    path: Paths = None
    since: Since = None
    until: Until = None
    type_: Types = None
    at: At = None
    fresh: Fresh = False

    def filters(self) -> "Filters":
        """Return the filters that the options ask for."""
        from graphrag.domain.query import Filters

        first, last = _read_date("--since", self.since), _read_date("--until", self.until)
        return Filters.named(self.tag or (), self.category or (), self.path or (), first, last, self.type_ or ())


ALL_NOTES = Narrowing()


def with_narrowing(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with each option of `Narrowing` in the place of its parameter `narrowing`."""
    names = [option.name for option in fields(Narrowing)]

    @wraps(command)
    def run(**given: Any) -> None:
        narrowing = Narrowing(**{name: given.pop(name) for name in names})
        command(**given, narrowing=narrowing)

    hints = get_type_hints(command, include_extras=True) | get_type_hints(Narrowing, include_extras=True)
    written: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        options = signature(Narrowing).parameters.values() if parameter.name == "narrowing" else (parameter,)
        written += [option.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[option.name]) for option in options]
    run.__signature__ = Signature(written)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in written}
    return run


_NO_QUESTION = 'the question is empty. Write it after the command, as in: graphrag ask "why Saga?"'


def read_question(words: list[str] | None, if_empty: str = _NO_QUESTION) -> str:
    """Return the words as one question, or what stdin holds when the only word is `-`."""
    text = _read_stdin() if words == ["-"] else " ".join(words or ())
    # Bytes of the command line that are not UTF-8 arrive as lone surrogates, which no store accepts.
    text = text.encode("utf-8", "replace").decode("utf-8").strip()
    if not text:
        raise UsageError(if_empty)
    return text


def check_one_format(**flags: bool) -> None:
    """Refuse two output formats at once."""
    chosen = [f"--{name}" for name, is_set in flags.items() if is_set]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} exclude each other: give one of them.")


def _read_date(option: str, value: str | None) -> date | None:
    if value is None:
        return None
    from graphrag.understand.filters import first_day, last_day

    try:
        return first_day(value) if option == "--since" else last_day(value)
    except QuestionError as error:
        raise UsageError(f"{option}: {error}") from error


def _read_stdin() -> str:
    return sys.stdin.buffer.read(_STDIN_LIMIT).decode("utf-8-sig", "replace")
