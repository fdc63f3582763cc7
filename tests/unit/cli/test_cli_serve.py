"""`serve` before it serves: what it refuses on the command line, and what it prints."""

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag.cli.main import app as command
from graphrag.cli.serve import _is_loopback, _without_port
from tests.e2e.conftest import SMALL, write_vault
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


def test_files_that_are_no_certificate_are_named_before_the_link(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", SMALL)
    file = tmp_path / "cert.pem"
    file.write_text("no certificate", encoding="utf-8")
    options = ["--port", "0", "--tls-cert", str(file), "--tls-key", str(file), "--vault", str(vault)]
    ran = CliRunner().invoke(command, ["serve", *options])
    assert ran.exit_code == 1 and "not a certificate with its private key" in ran.stderr
    assert "#token=" not in ran.output


@pytest.mark.parametrize(
    ("host", "is_loopback"), [("127.0.0.2", True), ("::1", True), ("192.168.1.7", False), ("x", False)]
)
def test_every_address_of_this_machine_alone_is_loopback(host: str, is_loopback: bool) -> None:
    assert _is_loopback(host) is is_loopback


@pytest.mark.parametrize(
    ("given", "kept"),
    [("notes.lan:8399", "notes.lan"), ("notes.lan", "notes.lan"), ("[::1]", "[::1]"), ("1.2.3.4:80", "1.2.3.4")],
)
def test_a_port_after_an_allowed_name_does_not_matter(given: str, kept: str) -> None:
    assert _without_port(given) == kept
