"""`init`: write a settings file that shows every setting with its default; an existing one stays."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli import options
from graphrag.errors import ConfigError, VaultError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

_HEADER = (
    "# Settings of vault-graphrag. Every line shows a default: take the '#' away and change the value.\n"
    "# graphrag doctor checks this file."
)


def init(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[VAULT]", help="The vault; by default the current folder.")
    ] = None,
    vault: options.Vault = None,
) -> None:
    """Write a settings file with the defaults.

    An existing graphrag.toml is left alone.
    """
    from graphrag.settings import SETTINGS_FILE

    target = (folder or vault or Path()).expanduser()
    if not target.is_dir():
        raise VaultError(f"{target} is not a folder. Name the folder that holds your notes.")
    path = target / SETTINGS_FILE
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(default_settings())
    except FileExistsError as error:
        raise ConfigError(f"{path} is already there; nothing was written.") from error
    typer.echo(f"Wrote {path}. Next: graphrag index --vault {target}")


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
