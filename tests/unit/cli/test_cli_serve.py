"""`serve` before it serves: what it refuses on the command line, and what it prints."""

import socket
from pathlib import Path

import pytest

from tests.unit.cli.conftest import RunCommand


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--host", "0.0.0.0"), "--tls-cert and --tls-key, or --insecure-http"),
        (("--host", "192.168.1.5"), "opens the vault to other machines"),
        (("--host", "::"), "opens the vault to other machines"),
        (("--host", "notes.lan"), "opens the vault to other machines"),
        (("--tls-cert", "c.pem"), "go together"),
        (("--tls-key", "k.pem"), "go together"),
        (("--tls-cert", "/no/c.pem", "--tls-key", "/no/k.pem"), "/no/c.pem: no such file"),
        (("--port", "70000"), "--port"),
    ],
)
def test_a_wrong_command_line_is_told_before_anything_starts(
    run_command: RunCommand, arguments: tuple[str, ...], message: str
) -> None:
    result = run_command("serve", *arguments)
    assert result.exit_code == 2 and message in result.stderr
    assert not result.stdout


def test_a_taken_port_is_one_line(run_command: RunCommand, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run_command("serve", "--port", str(taken.getsockname()[1]))
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1 and "Choose others by --host and --port" in result.stderr
    assert not result.stdout


def test_help_says_how_to_open_it_to_others(run_command: RunCommand) -> None:
    text = run_command("serve", "--help").stdout
    assert "--insecure-http" in text and "graphrag serve --watch" in text
