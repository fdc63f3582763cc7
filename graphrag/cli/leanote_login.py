"""How a Leanote server is logged in to: from files, the environment, or the keyboard; never from the command line."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import typer

from graphrag.cli.failures import UsageError
from graphrag.settings import LeanoteSettings
from graphrag.vault.imports import LeanoteImport

_SECRET_BYTES = 10_000  # of a file that should hold a password or a token


def login_of(
    chosen: LeanoteSettings, vault: Path, wanted: LeanoteImport, token_file: Path | None, password_file: Path | None
) -> tuple[LeanoteImport, Path | None, Path | None]:
    """Return the request with its files for `with_login`, as the settings say for this very source and no other.

    What was given on the command line or in the environment comes first; relative paths count from the vault.
    """
    is_same = bool(chosen.source) and _plain(chosen.source) == _plain(wanted.source)
    if not is_same or (wanted.user and wanted.user != chosen.user):
        return wanted, token_file, password_file
    wanted = replace(wanted, user=chosen.user)
    if token_file or password_file or os.environ.get("LEANOTE_TOKEN") or os.environ.get("LEANOTE_PASSWORD"):
        return wanted, token_file, password_file
    return wanted, in_vault(vault, chosen.token_file), in_vault(vault, chosen.password_file)


def in_vault(vault: Path, given: str) -> Path | None:
    """Return a path of the settings, None for an empty one."""
    return vault / Path(given).expanduser() if given else None


def _plain(source: str) -> str:
    return source.strip().rstrip("/")


def with_login(
    wanted: LeanoteImport, token_file: Path | None, password_file: Path | None, may_ask: bool = True
) -> LeanoteImport:
    """Return the request with a token, or with a user and a password; what is missing is asked for without echo."""
    token = _secret(token_file, "LEANOTE_TOKEN")
    if token:
        return replace(wanted, token=token)
    password = _secret(password_file, "LEANOTE_PASSWORD")
    if not (may_ask and sys.stdin.isatty()) and not (wanted.user and password):
        raise UsageError(
            "A server needs a login: a user with a password file or LEANOTE_PASSWORD, or a token file or LEANOTE_TOKEN."
        )
    user = wanted.user or typer.prompt("User or e-mail", err=True)
    return replace(wanted, user=user, password=password or typer.prompt("Password", hide_input=True, err=True))


def _secret(file: Path | None, variable: str) -> str:
    if file is None:
        return os.environ.get(variable, "")
    with file.expanduser().open("rb") as content:
        secret = content.read(_SECRET_BYTES).decode("utf-8-sig", "replace").strip()
    if not secret:
        raise UsageError(f"{file} is empty.")
    return secret
