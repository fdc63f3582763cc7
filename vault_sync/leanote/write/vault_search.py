"""A vault's files -> which notes have an id of the source, and which names its texts hold. It only reads.

Hidden folders and symbolic links are passed over. Nothing is guessed from a file's name but whether it is a note.
"""

import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import unquote

from vault_sync.leanote.names import folded
from vault_sync.leanote.write.note_file import HEAD_BYTES, id_in
from vault_sync.repository import nfc

ASSETS = "assets"  # the folder of pictures and attachments; no notebook's folder is called so
_LARGEST_TEXT = 64 * 2**20
_START = 8192  # bytes that tell a text from other files


def notes_by_id(vault: Path) -> dict[str, list[str]]:
    """Return the paths of all notes whose front matter names an id, by that id.

    Attachments do not count, whatever they say of themselves, nor does what lies in the trash.
    """
    found: dict[str, list[str]] = {}
    for location in _files(vault, passed_over=ASSETS):
        if location.name.lower().endswith(".md") and (note_id := _read_id(location)):
            found.setdefault(note_id, []).append(nfc(location.relative_to(vault).as_posix()))
    return found


def named_in_texts(vault: Path, names: Collection[str], passed_over: Collection[str]) -> set[str]:
    """Return those names that some text of the vault holds: a note, a canvas, a page, whatever is no binary file.

    `passed_over` are paths that are not looked into. A text that cannot be read may name any of them.
    """
    wanted = {folded(name): name for name in names}
    found: set[str] = set()
    for location in _files(vault):
        if nfc(location.relative_to(vault).as_posix()) in passed_over:
            continue
        text = _read_text(location)
        if text is None:
            return set(names)
        found |= {name for form, name in wanted.items() if form in text}
    return found


def _read_id(location: Path) -> str:
    try:
        with location.open("rb") as file:
            return id_in(file.read(HEAD_BYTES))
    except PermissionError:  # the user's own; what we wrote can be read
        return ""


def _read_text(location: Path) -> str | None:
    """Return a file's text in every way that a name may be written in it, empty for a binary file; None if unread."""
    try:
        with location.open("rb") as file:
            data = file.read(_START)
            if b"\0" in data:
                return ""
            data += file.read(_LARGEST_TEXT)
    except PermissionError:
        return None
    if len(data) > _LARGEST_TEXT:
        return None
    text = data.decode("utf-8", "replace")
    forms = [text, unquote(text)] if "%" in text else [text]
    if location.suffix.lower() in (".canvas", ".json"):
        forms.append(_plain_json(text))
    return folded("\n".join(forms))


def _plain_json(text: str) -> str:
    """Return JSON with its letters in plain sight; what is no JSON names only what can be seen in it."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _files(vault: Path, passed_over: str = "") -> Iterator[Path]:
    """Yield the regular files below a folder in order; a folder called `passed_over` is left out with all in it."""
    for parent, folders, files in os.walk(vault):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and folded(name) != passed_over)
        for name in sorted(files):
            location = Path(parent, name)
            if not name.startswith(".") and location.is_file() and not location.is_symlink():
                yield location
