"""Shows a passage outside the terminal: in Obsidian, or in the user's editor."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import typer

from graphrag.cli.failures import UsageError
from graphrag.domain.history import Passage
from graphrag.domain.reference import Reference
from graphrag.errors import VaultError

if TYPE_CHECKING:
    from graphrag.app import App

# How editors are told a line; vi, nano, emacs and their kin understand +LINE.
_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON = frozenset({"subl", "hx", "helix", "zed", "zeditor"})
_NO_LINE = frozenset({"notepad", "open", "xdg-open", "textedit"})


def open_in_obsidian(passage: Passage) -> None:
    """Open the note in Obsidian, which shows what is on disk.

    Raises:
        VaultError: that is not what the citation names, or nothing opens such an address here.
    """
    if not passage.url:
        name = Reference(passage.note, passage.lines, passage.commit[:7])
        raise VaultError(
            f"Obsidian shows the file on disk, which does not say this: graphrag open '{name}' prints it, "
            "--in editor shows that version."
        )
    if typer.launch(passage.url):
        raise VaultError(f"nothing on this machine opens {passage.url}")


def open_in_editor(app: "App", passage: Passage) -> None:
    """Open the note at the line: the file itself, or a read-only copy of a version that is not the one on disk.

    Raises:
        UsageError: no editor is set, or there is none of that name.
    """
    if passage.is_current:
        file = app.vault / passage.note_now
    else:
        whole = app.open_citation(str(Reference(passage.note, None, passage.commit)))
        file = _write_copy(whole)
        typer.echo(f"This version is not the one on disk: a read-only copy is in {file}", err=True)
    command = editor_command(os.environ, file, passage.lines[0])
    try:
        code = subprocess.call(command)
    except OSError as error:
        raise UsageError(f"the editor '{command[0]}' cannot be started: {error.strerror}. Set $VISUAL.") from error
    if code:
        raise typer.Exit(code)


def editor_command(environment: Mapping[str, str], file: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line in the user's editor."""
    words = shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "")
    if not words:
        raise UsageError("no editor is set. Set $VISUAL or $EDITOR, as in: VISUAL='code --wait'")
    name = PurePosixPath(words[0].replace("\\", "/")).name.removesuffix(".exe")
    if name in _GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    if name in _COLON:
        return [*words, f"{file}:{line}"]
    return [*words, str(file)] if name in _NO_LINE else [*words, f"+{line}", str(file)]


def _write_copy(passage: Passage) -> Path:
    """Return a file that only its owner may read; it stays, since many editors return before they have read it."""
    note = PurePosixPath(passage.note)
    file = Path(tempfile.mkdtemp(prefix="graphrag-")) / f"{note.stem}@{passage.commit[:7]}{note.suffix}"
    file.touch(mode=0o600)
    file.write_text(passage.text + "\n", encoding="utf-8")
    file.chmod(0o400)
    return file
