"""Turns what a command raises into one line on stderr and an exit code."""

import errno
import os
import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from graphrag.errors import GraphragError, NoteNotFound, QuestionError, StoreError

KNOWN_ERROR, USAGE_ERROR, INTERRUPTED = 1, 2, 130


class UsageError(Exception):
    """The command line itself is wrong in a way that its parser does not see."""


class CommandGroup(TyperGroup):
    """The command group, with every expected failure handled in one place."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command; no expected failure leaves a traceback."""
        try:
            result = super().invoke(ctx)
            # Else the last lines meet a closed pipe while Python shuts down, where nobody catches it.
            if sys.stdout is not None:  # None when it was closed before the start
                sys.stdout.flush()
            return result
        except (UsageError, QuestionError) as error:
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


def _leave_at_once(error: StoreError) -> NoReturn:
    """End the process without clean-up when an engine failed: its own clean-up may abort on a full disk."""
    if error.__cause__ is not None:
        sys.stderr.flush()
        os._exit(KNOWN_ERROR)
    raise typer.Exit(KNOWN_ERROR) from error


def report(message: str) -> None:
    """Print one error line to stderr."""
    typer.echo(f"error: {' '.join(message.split())}", err=True)


def report_interrupt() -> None:
    """Say that Ctrl-C was heard and nothing is broken."""
    typer.echo("\ninterrupted: the last published snapshot still answers", err=True)


def abandon_stdout() -> None:
    """Point stdout at nothing, so that the final flush does not fail a second time."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def describe_os_error(error: OSError) -> str:
    """Return what the system refused, on which file, and what to do."""
    what = error.strerror or str(error)
    where = f": {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{what}{where}. Free some space and run the command again; the last snapshot still answers."
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{what}{where}. --index-dir puts the index somewhere writable."
    return f"{what}{where}"


def _list_candidates(error: GraphragError) -> None:
    if isinstance(error, NoteNotFound):
        for path in error.candidates:
            if path not in str(error):
                typer.echo(f"  {path}", err=True)
