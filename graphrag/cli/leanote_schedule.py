"""`watch --leanote`: an import every so many minutes beside the watcher, which sees what came in as any other change.

A failure is a line, and the next time is as if it had not been. An import is told to stop between two notes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from graphrag.cli.failures import UsageError
from graphrag.cli.leanote_login import in_vault, with_login
from graphrag.cli.render_import import summary_line
from graphrag.errors import ConfigError, GraphragError
from graphrag.settings import Settings
from graphrag.vault.imports import LeanoteImport

if TYPE_CHECKING:
    from graphrag.app import App

_LONGEST_END = 5.0  # seconds that the end of a note is waited for


class Stopped(Exception):
    """The import is to end before it is done."""


@contextmanager
def leanote_schedule(app: "App", say: Callable[[str], None]) -> Iterator[None]:
    """Import as the settings say, at once and again and again, until the block ends.

    Raises:
        ConfigError: the settings name no source.
        UsageError: a server is named without a login.
    """
    wanted, stop = _wanted(app.settings, app.vault), Event()
    minutes = app.settings.leanote.every
    thread = Thread(target=_repeat, args=(app, wanted, minutes, say, stop), name="leanote", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_LONGEST_END)


def _repeat(app: "App", wanted: LeanoteImport, minutes: float, say: Callable[[str], None], stop: Event) -> None:
    while not stop.is_set():
        started = time.monotonic()
        _import_once(app, wanted, minutes, say, stop)
        stop.wait(max(0.0, minutes * 60 - (time.monotonic() - started)))


def _import_once(app: "App", wanted: LeanoteImport, minutes: float, say: Callable[[str], None], stop: Event) -> None:
    def progress(step: str, done: int, total: int) -> None:
        if stop.is_set():
            raise Stopped

    try:
        report = app.import_leanote(wanted, progress)
    except Stopped:
        return
    except Exception as error:  # a server that is down, a full disk: the next try may go well
        message = str(error) if isinstance(error, GraphragError | OSError) else repr(error)
        say(f"Leanote not imported, will try again in {minutes:g} min: {' '.join(message.split())}")
        return
    if report.has_news:
        say(summary_line(report))


def _wanted(settings: Settings, vault: Path) -> LeanoteImport:
    """Return what the settings ask for; relative paths count from the vault."""
    chosen = settings.leanote
    if not chosen.source:
        raise ConfigError("--leanote: the settings name no source. Write [leanote] and source into graphrag.toml.")
    wanted = LeanoteImport(chosen.source, user=chosen.user)  # the rest of the settings holds for every import
    if not wanted.is_address:
        return replace(wanted, source=str(in_vault(vault, chosen.source)))
    token, password = in_vault(vault, chosen.token_file), in_vault(vault, chosen.password_file)
    try:
        return with_login(wanted, token, password, may_ask=False)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}. Mend [leanote] in graphrag.toml.") from error
