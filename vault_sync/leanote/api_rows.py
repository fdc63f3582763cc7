"""What the Open API answers -> notebooks and listings; whether an answer means that there is no such file. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from vault_sync.leanote.account import FileKind, FileRef, Notebook, NoteListing
from vault_sync.leanote.api_transport import Answer
from vault_sync.leanote.rows import read_id, read_int, read_tags, read_text, read_times, revision_of

_NO_FILE = b"No Such File"


def read_notebook(row: Mapping[str, object]) -> Notebook:
    """Return a notebook from a row that has an id."""
    return Notebook(
        id=read_id(row.get("NotebookId")),
        title=read_text(row.get("Title")),
        parent=read_id(row.get("ParentNotebookId")),
        position=read_int(row.get("Seq")),
        is_deleted=bool(row.get("IsDeleted")),
    )


def read_listing(row: Mapping[str, object], site: str) -> NoteListing:
    """Return a note from a row that has an id."""
    note_id = read_id(row.get("NoteId"))
    created, updated = read_times(note_id, read_text(row.get("CreatedTime")), read_text(row.get("UpdatedTime")))
    files = row.get("Files")
    listing = NoteListing(
        id=note_id,
        title=read_text(row.get("Title")),
        notebook=read_id(row.get("NotebookId")),
        tags=read_tags(row.get("Tags")),
        created=created,
        updated=updated,
        is_markdown=bool(row.get("IsMarkdown")),
        revision="",
        usn=read_int(row.get("Usn")),
        url=f"{site}/note/{note_id}",
        is_blog=bool(row.get("IsBlog")),
        is_trash=bool(row.get("IsTrash")),
        is_deleted=bool(row.get("IsDeleted")),
        files=tuple(ref for file in files if (ref := _file_ref(file))) if isinstance(files, list) else (),
    )
    return replace(listing, revision=revision_of(listing))


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
