"""What the Open API answers -> notebooks and listings; whether an answer means that there is no such file. Pure."""

from collections.abc import Mapping

from vault_sync.leanote.account import FileKind, FileRef, Notebook, NoteListing
from vault_sync.leanote.sources.api_transport import Answer
from vault_sync.leanote.sources.rows import listing_of, notebook_of, read_id, read_text

_NO_FILE = b"No Such File"


def read_notebook(row: Mapping[str, object]) -> Notebook:
    """Return a notebook from a row that has an id."""
    return notebook_of(row, "NotebookId")


def read_listing(row: Mapping[str, object], site: str) -> NoteListing:
    """Return a note from a row that has an id."""
    times = (read_text(row.get("CreatedTime")), read_text(row.get("UpdatedTime")))
    files = row.get("Files")
    refs = [ref for file in files if (ref := _file_ref(file))] if isinstance(files, list) else []
    return listing_of(row, read_id(row.get("NoteId")), times, site, refs)


def is_missing(answer: Answer, kind: FileKind) -> bool:
    """Whether the server says in its way that it has no such file, or does not show it to who asks."""
    if answer.status == 404:
        return True
    if answer.status != 200 or (answer.body and kind is FileKind.IMAGE):
        return False
    return not answer.is_named and answer.body in (b"", _NO_FILE)


def _file_ref(file: object) -> FileRef | None:
    if not isinstance(file, dict) or not (file_id := read_id(file.get("FileId"))):
        return None
    kind = FileKind.ATTACHMENT if file.get("IsAttach") else FileKind.IMAGE
    return FileRef(file_id, kind, read_text(file.get("Title")))
