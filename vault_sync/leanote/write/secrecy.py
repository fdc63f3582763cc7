"""Notes of private notebooks that the user edited -> the same files with `rag: false`, which keeps them from answers.

What the import writes has the line from the start. An edited file is the user's own: the one line is added to its front
matter, every other byte stays. Where that cannot be done for certain, the note is named in a warning.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from graphrag.errors import VaultError
from vault_sync.leanote.write.git_commit import UPDATED
from vault_sync.leanote.write.import_plan import TRASH
from vault_sync.leanote.write.import_report import Findings, Item
from vault_sync.leanote.write.import_state import ImportState, NoteState
from vault_sync.leanote.write.note_file import digest
from vault_sync.leanote.write.vault_writer import VaultWriter

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*(\r?\n)(.*?)^---[ \t]*\r?$", re.MULTILINE | re.DOTALL)
_LINE = "rag: false"
_NO = ("false", "no", "off", "n", "0", "否")
_YES = ("true", "yes", "on", "y", "1", "是")
_PROPERTY = re.compile(r"^[\"']?(\w+)[\"']?[ \t]*[:：][ \t]*[\"']?([^\s\"']*)", re.MULTILINE)
_HEAD_OF_OTHER_FORM = re.compile(r"\s*(?:[-\u2010-\u2015\u2212\u2500\ufe58\uff0d]{2,}|\w+[:：])")


def hide_edited(note_ids: Collection[str], state: ImportState, writer: VaultWriter, findings: Findings) -> None:
    """See to it that the files of these notes are kept from answers; those in the trash are so already."""
    for note_id in note_ids:
        note = state.notes.get(note_id)
        if note is None or note.path.startswith(f"{TRASH}/"):
            continue
        try:
            _hide(note, state, writer, findings)
        except VaultError as error:
            findings.warnings.append(Item(note.path, f"it is not kept from answers: {error}"))


def _hide(note: NoteState, state: ImportState, writer: VaultWriter, findings: Findings) -> None:
    if writer.is_free(note.path) or writer.is_rewritten(note.path):
        return
    data = writer.read(note.path)
    hidden = with_privacy(data) if data is not None else None
    if data is None or hidden is None:
        message = f"its notebook is private, but its front matter is not as expected: write `{_LINE}` into it"
        findings.warnings.append(Item(note.path, message))
    elif hidden != data:
        writer.write(note.path, hidden)
        state.keep_pending(note.path, UPDATED)
        if digest(data) == note.digest:
            state.keep_note(replace(note, digest=digest(hidden)))
        findings.made_private.append(Item(note.path, f"its notebook is private; `{_LINE}` was added to it"))


def with_privacy(data: bytes) -> bytes | None:
    """Return a note's file with the line that keeps it from answers, as it is if it has one, None if unsure."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    front = _FRONT_MATTER.match(text)
    if front is None:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        rest = text.removeprefix(mark)
        return None if _HEAD_OF_OTHER_FORM.match(rest) else f"{mark}---\n{_LINE}\n---\n{rest}".encode()
    start, end = front.span(2)
    with_line = f"{text[start:end]}{_LINE}{front.group(1)}"
    before, after = _values(text[start:end]), _values(with_line)
    if before is not None and _is_private(before):
        return data
    is_sure = before is not None and "rag" not in before and after is not None and _is_private(after)
    if not is_sure or (_is_yaml(text[start:end]) and not _is_yaml(with_line)):
        return None
    return (text[:start] + with_line + text[end:]).encode()


def is_hidden(data: bytes) -> bool:
    """Whether a note's file says that it is kept from answers."""
    return with_privacy(data) == data


def _values(front: str) -> dict[str, str] | None:
    """Return the properties as text, by key in lower case; None if they are none.

    What is not YAML is read line by line, as the indexer does.
    """
    import yaml

    try:
        loaded = yaml.load(front, Loader=yaml.BaseLoader)  # every value stays text
    except (yaml.YAMLError, RecursionError):
        loaded = dict(_PROPERTY.findall(front))
    if loaded is None:
        return {}
    return {str(key).lower(): str(value).lower() for key, value in loaded.items()} if isinstance(loaded, dict) else None


def _is_yaml(front: str) -> bool:
    import yaml

    try:
        yaml.load(front, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return False
    return True


def _is_private(values: dict[str, str]) -> bool:
    return values.get("rag", "") in _NO or values.get("private", "") in _YES
