"""`watch`: follow the vault until stopped; a line on stdout for each change of the index, all else on stderr."""

import json
import plistlib
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.cli.session import UsageError, opened
from graphrag.cli.standby import Standby
from graphrag.cli.words import comma, say, semicolon, tell

if TYPE_CHECKING:
    from graphrag.app import App
    from graphrag.domain.snapshot import IndexReport
    from graphrag.vault.follow import Listener
    from vault_sync.file_watch import Pace


_RESTART_SECONDS = 30
_SYSTEMD = """# Save this as ~/.config/systemd/user/{name}.service, then:
#   systemctl --user daemon-reload
#   systemctl --user enable --now {name}
# What it does: journalctl --user -u {name} -f
# To keep it running after you log out: loginctl enable-linger

[Unit]
Description=vault-graphrag watches {vault}

[Service]
ExecStart={command}
Restart=on-failure
RestartSec={seconds}
Nice=10

[Install]
WantedBy=default.target
"""
# No double hyphen may stand in a comment of XML.
_LAUNCHD = """<!-- Save this as ~/Library/LaunchAgents/{name}.plist, then:
       launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{name}.plist
     What it does: tail -f ~/Library/Logs/{name}.log
     To take it out: launchctl bootout gui/$(id -u)/{name} -->
"""


def program() -> list[str]:
    """Return the command line of `graphrag` by absolute path; -P keeps Python from importing what lies in a vault."""
    return [sys.executable, "-P", "-m", "graphrag"]


def unit_for_platform() -> str:
    """Return the kind of unit that this machine uses."""
    return "launchd" if sys.platform == "darwin" else "systemd"


def render_unit(kind: str, vault: Path, command: Sequence[str]) -> str:
    """Return a unit that runs a command for a vault."""
    return _launchd(vault, command) if kind == "launchd" else _systemd(vault, command)


def _systemd(vault: Path, command: Sequence[str]) -> str:
    return _SYSTEMD.format(
        name=_name(vault),
        vault=" ".join(str(vault).split()).replace("%", "%%"),
        command=" ".join(map(_quote_for_systemd, command)),
        seconds=_RESTART_SECONDS,
    )


def _launchd(vault: Path, command: Sequence[str]) -> str:
    name = _name(vault)
    log = str(Path.home() / "Library" / "Logs" / f"{name}.log")
    unit = {
        "Label": name,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": _RESTART_SECONDS,
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    head, start, body = plistlib.dumps(unit).decode().partition("<plist")
    return head + _LAUNCHD.format(name=name) + start + body


def _name(vault: Path) -> str:
    """Return a unit's name: systemd takes no Chinese there, so the vault's path stands in it as a hash."""
    return f"graphrag-watch-{sha256(bytes(vault)).hexdigest()[:8]}"


def _quote_for_systemd(word: str) -> str:
    for plain, quoted in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("%", "%%"), ("$", "$$")):
        word = word.replace(plain, quoted)
    return f'"{word}"'


_UNITS = ("systemd", "launchd")
_DEBOUNCE, _SWEEP, _LONGEST = 0.5, 30.0, 5.0  # seconds


# A terminal that closes says SIGHUP.
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def watch(
    unit: Annotated[
        str | None, typer.Argument(metavar="[systemd|launchd]", help="With --print-unit: which kind.")
    ] = None,
    worktree: options.Worktree = False,
    poll: Annotated[
        float | None,
        typer.Option(
            min=0.1, metavar="SECONDS", help="Look so often instead of waiting for events: for network disks."
        ),
    ] = None,
    debounce: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="Wait for so much quiet after a change.")
    ] = 0.5,
    sweep: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Look so often even without an event.")
    ] = 30.0,
    leanote: Annotated[
        bool, typer.Option("--leanote", help="Import from Leanote now and then, as [leanote] in the settings says.")
    ] = False,
    print_unit: Annotated[
        bool, typer.Option("--print-unit", help="Print a unit for systemd or launchd that does this, and stop.")
    ] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Follow the vault: index every commit, or every save.

    Prints one line for each change of the index. Ctrl-C or SIGTERM ends it at any moment; embedding goes on at the next
    start. `graphrag status` shows how it is.
    """
    if unit is not None and not (print_unit and unit in _UNITS):
        raise UsageError(f"'{unit}' is unknown here. Units are printed by: graphrag watch --print-unit systemd|launchd")
    if print_unit:
        _print_unit(unit, vault, index_dir, _given(worktree, leanote, poll, debounce, sweep))
        return
    with _until_signal() as stop:
        from vault_sync.file_watch import Pace

        pace = Pace(debounce=debounce, longest=max(_LONGEST, debounce), sweep=sweep, poll=poll)
        _follow(vault, index_dir, worktree, leanote, pace, _listener(as_json), stop)


def _follow(
    vault: Path | None,
    index_dir: Path | None,
    worktree: bool,
    leanote: bool,
    pace: "Pace",
    listener: "Listener",
    stop: Event,
) -> None:
    """Follow until the signal; changed settings mean to open the vault anew."""
    has_new_settings = True
    while has_new_settings:
        with opened(vault, index_dir, worktree) as app:
            vault = app.vault
            with Standby(app.index_dir), _imports(app, listener) if leanote else nullcontext():
                has_new_settings = app.watch(pace, listener, stop)


def _imports(app: "App", listener: "Listener") -> AbstractContextManager[None]:
    from graphrag.cli.import_ import leanote_schedule

    return leanote_schedule(app, listener.on_note)


@contextmanager
def _until_signal() -> Iterator[Event]:
    """Turn the first SIGTERM or SIGINT into a quiet end, wherever the program is; a second one kills."""
    stop = Event()

    def end(number: int, frame: FrameType | None) -> None:
        for name in _SIGNALS:
            signal.signal(name, signal.SIG_DFL)
        stop.set()
        raise KeyboardInterrupt

    before = {name: signal.signal(name, end) for name in _SIGNALS}
    try:
        yield stop
    except KeyboardInterrupt:
        if not stop.is_set():
            raise
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    typer.echo(say("stopped"), err=True)


def _listener(as_json: bool) -> "Listener":
    from graphrag.vault.follow import Listener

    show = event_json if as_json else event_line
    return Listener(
        lambda report: typer.echo(show(report)), lambda note: typer.echo(f"{_time()}  {tell(note)}", err=True)
    )


def event_line(report: "IndexReport") -> str:
    """Return what a change of the index was, in one line."""
    counts = {"added": report.added, "changed": report.changed, "deleted": report.deleted, "renamed": report.renamed}
    changes = comma().join(
        say(f"{{count}} {name}", count=f"{count:,}") for name, count in counts.items() if count
    ) or say("no note changed")
    parts = [
        changes,
        *(
            [say("{embeddings_made} embedded", embeddings_made=f"{report.embeddings_made:,}")]
            if report.embeddings_made
            else []
        ),
    ]
    parts += (
        [say("{report} not embedded yet", report=f"{report.chunks - report.embedded:,}")] if report.is_partial else []
    )
    parts.append(say("{seconds} s", seconds=f"{report.seconds:.1f}"))
    return f"{_time()}  {report.commit[:7] or say('files')}  {semicolon().join(parts)}"


def event_json(report: "IndexReport") -> str:
    """Return the same as JSON, in one line."""
    names = ("commit", "generation", "added", "changed", "deleted", "renamed", "notes", "chunks", "embedded")
    shape = {"time": datetime.now().astimezone().isoformat(timespec="seconds")}
    shape |= {name: getattr(report, name) for name in (*names, "embeddings_made", "seconds")}
    return json.dumps(shape, ensure_ascii=False)


def _time() -> str:
    return f"{datetime.now():%H:%M:%S}"


def _given(worktree: bool, leanote: bool, poll: float | None, debounce: float, sweep: float) -> list[str]:
    """Return the options for a unit's command line."""
    words = [name for name, is_set in (("--worktree", worktree), ("--leanote", leanote)) if is_set]
    numbers = (("--poll", poll, None), ("--debounce", debounce, _DEBOUNCE), ("--sweep", sweep, _SWEEP))
    for name, value, default in numbers:
        if value is not None and value != default:
            words += [name, f"{value:g}"]
    return words


def _print_unit(kind: str | None, vault: Path | None, index_dir: Path | None, given: list[str]) -> None:

    with opened(vault, index_dir) as app:
        command = [*program(), "watch", "--vault", str(app.vault), *given]
        if index_dir is not None:
            command += ["--index-dir", str(app.vault / app.settings.index.dir)]
        sys.stdout.write(render_unit(kind or unit_for_platform(), app.vault, command))
