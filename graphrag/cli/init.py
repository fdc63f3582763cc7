"""`init`: write a settings file that shows every setting with its default, and put in or take out Git hooks."""

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.cli.session import UsageError
from graphrag.cli.words import say
from graphrag.errors import ConfigError, VaultError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_HEADER = (
    "# Settings of vault-graphrag. Every line shows a default: take the '#' away and change the value.\n"
    "# graphrag doctor checks this file."
)


def init(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[VAULT]", help="The vault; by default the current folder.")
    ] = None,
    hook: Annotated[
        bool, typer.Option("--hook", help="Make Git bring the index up to date after commits, merges and checkouts.")
    ] = False,
    unhook: Annotated[bool, typer.Option("--unhook", help="Take the hooks out; earlier ones are put back.")] = False,
    vault: options.Vault = None,
) -> None:
    """Write a settings file with the defaults.

    An existing graphrag.toml is left alone; then --hook only installs the hooks.
    """
    from graphrag.settings import SETTINGS_FILE

    target = _choose_target(context, folder, vault)
    if hook and unhook:
        raise UsageError("--hook and --unhook exclude each other: give one of them.")
    path = target / SETTINGS_FILE
    if not (unhook or (hook and path.exists())):
        _write_settings(path)
        typer.echo(
            say("Wrote {path}. Next: graphrag index --vault {folder}", path=path, folder=shlex.quote(str(target)))
        )
    if hook:
        _install_hooks(target)
    if unhook:
        _remove_hooks(target)


def _choose_target(context: typer.Context, folder: Path | None, vault: Path | None) -> Path:
    """Return the vault that the argument or the option names, not two; a variable of the environment gives way."""
    source = context.get_parameter_source("vault")
    is_option = source is not None and source.name == "COMMANDLINE"
    if folder and vault and is_option and folder.expanduser().resolve() != vault.expanduser().resolve():
        raise UsageError(f"two vaults are named, {folder} and --vault {vault}: give one of them.")
    target = (folder or vault or Path()).expanduser()
    if not target.is_dir():
        raise VaultError(f"{target} is not a folder. Name the folder that holds your notes.")
    return target


def _write_settings(path: Path) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(default_settings())
    except FileExistsError as error:
        raise ConfigError(f"{path} is already there; nothing was written.") from error


def _install_hooks(vault: Path) -> None:
    from graphrag.cli.watch import program
    from vault_sync.hooks import install_hooks

    vault = vault.resolve()
    hooks = install_hooks(vault, [*program(), "index", "--background", "--vault", str(vault)])
    typer.echo(
        say(
            "Git's hooks in {hooks} bring the index up to date. They write to hook.log in the index folder.",
            hooks=hooks,
        )
    )


def _remove_hooks(vault: Path) -> None:
    from vault_sync.hooks import remove_hooks

    removed = remove_hooks(vault.resolve())
    names = ", ".join(hook.name for hook in removed)
    typer.echo(say("Took out: {names}.", names=names) if names else say("There were no hooks of vault-graphrag."))


def default_settings() -> str:
    """Return a settings file in which every setting stands commented out with its default."""
    from graphrag.settings import Settings

    parts = [_HEADER]
    for name, field in Settings.model_fields.items():
        section: type[BaseModel] = type(field.default)
        lines = [f"# {section.__doc__}", f"[{name}]"]
        lines += [_setting(key, item) for key, item in section.model_fields.items()]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _setting(key: str, field: "FieldInfo") -> str:
    # A JSON string, number, boolean or list of strings is also TOML.
    line = f"# {key} = {json.dumps(field.default, ensure_ascii=False)}"
    return f"{line}  # {field.description}" if field.description else line
