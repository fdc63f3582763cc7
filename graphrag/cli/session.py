"""Opens the facade for one command. It is imported at run time only, so that `--help` stays fast."""

import errno
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperGroup

from graphrag.cli.words import answering, is_settled, say, spoken, tell, use
from graphrag.errors import GraphragError, NoteNotFound, QuestionError, StoreError

if TYPE_CHECKING:
    from graphrag.app import App


class _Stderr(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        typer.echo(tell(self.format(record)), err=True)


_HANDLER = _Stderr(logging.INFO)


def show_log() -> None:
    """Show what is logged from now on; calling it again changes nothing."""
    log = logging.getLogger("graphrag")
    log.setLevel(logging.INFO)
    log.addHandler(_HANDLER)


_ParserError: Any = typer.BadParameter.__mro__[1]  # it has another module with each version of typer
_WORDS = "graphrag.words"  # of the command line, in the context of a command
_DASHED_TEXT = re.compile(r"-[^A-Za-z-]")
_ASKING = frozenset({"ask", "search", "near", "path", "explain"})  # errors speak the language of what is asked
KNOWN_ERROR, USAGE_ERROR, INTERRUPTED = 1, 2, 130


class UsageError(Exception):
    """The command line itself is wrong in a way that its parser does not see."""


class CommandGroup(TyperGroup):
    """The command group, with every expected failure handled in one place."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line, and keep them: they name the vault whose language errors speak."""
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; no expected failure leaves a traceback."""
        use("auto")  # until a vault says otherwise
        with answering(_question_in(ctx.meta.get(_WORDS, []))):
            try:
                return self._invoke(ctx)
            except _ParserError as error:
                _speak_as_the_vault(ctx)
                _report_usage(error)
                raise typer.Exit(USAGE_ERROR) from error

    def _invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            # Else the last lines meet a closed pipe while Python shuts down, where nobody catches it.
            if sys.stdout is not None:  # None when it was closed before the start
                sys.stdout.flush()
            return result
        except (UsageError, QuestionError) as error:
            _speak_as_the_vault(ctx)
            report(str(error))
            raise typer.Exit(USAGE_ERROR) from error
        except StoreError as error:
            report(str(error))
            _leave_at_once(error)
        except GraphragError as error:
            report(str(error))
            _list_candidates(error)
            raise typer.Exit(KNOWN_ERROR) from error
        except KeyboardInterrupt as error:
            report_interrupt()
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:
            abandon_stdout()
            raise typer.Exit(KNOWN_ERROR) from error
        except OSError as error:
            report(describe_os_error(error))
            raise typer.Exit(KNOWN_ERROR) from error


def _question_in(words: list[str]) -> str:
    """Return what the words of a command line ask for, as far as that can be told before they are read."""
    if not words or words[0] not in _ASKING:
        return ""
    pairs = pairwise(words)
    return " ".join(word for before, word in pairs if not before.startswith("--") and not word.startswith("-"))


def _speak_as_the_vault(ctx: Any) -> None:
    """Follow the language of the vault that the command line names, where an error comes before it is opened."""
    from graphrag.settings import load_settings
    from graphrag.vault.resources import enclosing_vault

    if is_settled():
        return
    words: list[str] = ctx.meta.get(_WORDS, [])
    named = [after for word, after in pairwise(words) if word == "--vault"]
    named += [word.partition("=")[2] for word in words if word.startswith("--vault=")]
    folder = next(filter(None, (*named, os.environ.get("GRAPHRAG_VAULT"))), None)
    try:
        vault = Path(folder).expanduser() if folder else enclosing_vault(Path.cwd())
        use(load_settings(vault).interface.language)
    except (GraphragError, OSError):
        return


def _report_usage(error: Any) -> None:
    """Print what the parser of the command line did not take.

    Raises:
        Exception: the error itself, where its parser says it well enough, in English.
    """
    if _DASHED_TEXT.match(getattr(error, "option_name", None) or ""):
        command = f'{error.ctx.command_path} -- "-5 °C in F"'
        error.message += f". A text that starts with a dash stands behind --, as in: {command}"
    if not spoken().is_chinese or type(error).__name__ == "NoArgsIsHelpError":
        raise error
    if error.ctx:
        typer.echo(say("Usage:") + error.ctx.get_usage().removeprefix("Usage: "), err=True)
        command = f"{error.ctx.command_path} {error.ctx.help_option_names[0]}"
        typer.echo(say("Try '{command}' for help.", command=command) + "\n", err=True)
    report(error.format_message())


def _leave_at_once(error: StoreError) -> NoReturn:
    """End the process without clean-up when an engine failed: its own clean-up may abort on a full disk."""
    if error.__cause__ is not None:
        sys.stderr.flush()
        HOST.get().leave(KNOWN_ERROR)
    raise typer.Exit(KNOWN_ERROR) from error


def report(message: str) -> None:
    """Print one error line to stderr."""
    typer.echo(say("error: {text}", text=tell(" ".join(message.split()))), err=True)


def report_interrupt() -> None:
    """Say that Ctrl-C was heard and nothing is broken."""
    typer.echo(say("\ninterrupted: the last published snapshot still answers"), err=True)


def abandon_stdout() -> None:
    """Point stdout at nothing, so that the final flush does not fail a second time."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def describe_os_error(error: OSError) -> str:
    """Return what the system refused, on which file, and what to do."""
    what = tell(error.strerror or str(error))
    where = f": {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return say(
            "{what}{where}. Free some space and run the command again; the last snapshot still answers.",
            what=what,
            where=where,
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return say("{what}{where}. --index-dir puts the index somewhere writable.", what=what, where=where)
    return f"{what}{where}"


def _list_candidates(error: GraphragError) -> None:
    if isinstance(error, NoteNotFound):
        for path in error.candidates:
            if path not in str(error):
                typer.echo(f"  {path}", err=True)


def open_app(vault: Path | None, index_dir: Path | None, worktree: bool = False) -> "App":
    """Return the facade over the chosen vault; a relative path counts from the current folder."""
    from graphrag.app import App

    index: dict[str, object] = {}
    if index_dir is not None:
        index["dir"] = os.path.abspath(index_dir.expanduser())  # noqa: PTH100 - keeps symlinks
    if worktree:
        index["worktree"] = True
    return App.open(vault.expanduser() if vault else None, Path.cwd(), {"index": index})


class Host:
    """What runs a command: a process of its own, which opens the vault, closes it and ends."""

    def open(self, vault: Path | None, index_dir: Path | None, worktree: bool) -> "App":
        """Return the facade of one command."""
        return open_app(vault, index_dir, worktree)

    def close(self, app: "App") -> None:
        """Take the facade back after the command."""
        app.close()

    def leave(self, code: int) -> NoReturn:
        """End at once, without any clean-up."""
        os._exit(code)


HOST: ContextVar[Host] = ContextVar("host", default=Host())  # noqa: B039 - it holds no state


@contextmanager
def opened(vault: Path | None, index_dir: Path | None, worktree: bool = False) -> Iterator["App"]:
    """Open the facade and close it whatever happens."""

    show_log()
    host = HOST.get()
    app = host.open(vault, index_dir, worktree)
    use(app.settings.interface.language)
    try:
        yield app
    finally:
        host.close(app)
