"""A folder -> the vault that it lies in."""

from pathlib import Path

from graphrag.errors import VaultError
from graphrag.settings import DEFAULT_INDEX_DIR, SETTINGS_FILE
from vault_sync.file_rules import NOTE_SUFFIXES

_MARKS = ((SETTINGS_FILE, DEFAULT_INDEX_DIR), (".obsidian",), (".git",))  # the surer ones first


def enclosing_vault(cwd: Path) -> Path:
    """Return the folder that a mark makes a vault, the nearest above `cwd`; else `cwd`, if it holds a note itself.

    Raises:
        VaultError: it lies in no vault.
    """
    for marks in _MARKS:
        for folder in (cwd, *cwd.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    if any(entry.suffix in NOTE_SUFFIXES for entry in cwd.iterdir()):
        return cwd
    raise VaultError(f"{cwd}: lies in no vault. Go into the folder of your notes, or name it with --vault.")
