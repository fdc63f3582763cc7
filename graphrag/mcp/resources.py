"""Notes as resources: those that changed last are listed, every other one is read by its path."""

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from mcp_types import (
    Annotations,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from graphrag.domain.graph import NoteSummary
from graphrag.domain.query import NO_FILTERS
from graphrag.errors import NoteNotFound

if TYPE_CHECKING:
    from graphrag.app import App

_SCHEME = "note:///"
_LISTED = 20
MARKDOWN = "text/markdown"


def note_uri(path: str) -> str:
    """Return the address of a note."""
    return _SCHEME + quote(path)


def recent_notes(app: "App") -> list[Resource]:
    """Return the notes that changed last."""
    return [_resource(note) for note in app.notes(NO_FILTERS, limit=_LISTED).notes]


def note_template() -> ResourceTemplate:
    """Return how the address of any note is made."""
    return ResourceTemplate(
        name="note",
        title="A note of the vault",
        uri_template=f"{_SCHEME}{{+path}}",
        description="The Markdown of a note; the path is the one that tools call `note`.",
        mime_type=MARKDOWN,
    )


def read_note(app: "App", uri: str) -> ReadResourceResult:
    """Return a note's text in the version that is indexed.

    Raises:
        NoteNotFound: the address is none of a note.
    """
    if not uri.startswith(_SCHEME):
        raise NoteNotFound(f"'{uri}' is not the address of a note. They look like {_SCHEME}folder/name.md")
    passage = app.open_citation(unquote(uri.removeprefix(_SCHEME)).replace("\0", " "))
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MARKDOWN, text=passage.text)])


def _resource(note: NoteSummary) -> Resource:
    moment = note.updated or note.created
    return Resource(
        uri=note_uri(note.path),
        name=note.path,
        title=note.title,
        mime_type=MARKDOWN,
        annotations=Annotations(last_modified=moment.isoformat()) if moment else None,
    )
