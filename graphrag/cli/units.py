"""Units that keep `graphrag watch` running: for systemd (user) and launchd, with how to install them on top."""

import plistlib
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

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
