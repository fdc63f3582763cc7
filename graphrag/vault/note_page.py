"""One note to be read: as it is indexed, and its text as the vault has it now, with where its links lead."""

from graphrag.domain.note import Note, TargetKind
from graphrag.domain.report import NotePage
from graphrag.errors import NoteNotFound
from graphrag.ingest.resolve import LinkResolver
from graphrag.vault.lookups import show
from graphrag.vault.note_versions import NoteVersions
from graphrag.vault.open_snapshot import OpenSnapshot, on_newest


@on_newest
def open_page(opened: OpenSnapshot, name: str) -> NotePage:
    """Return a note by path, title or alias.

    Raises:
        NoteNotFound: no note is called so, several are, or it is kept back now.
    """
    view, readers = show(opened, name), opened.readers
    path = view.note.path
    note = NoteVersions(opened.parts, opened.parts.repository).saved(path)
    if not isinstance(note, Note):
        raise NoteNotFound(f"'{path}' is in the index, but kept back now, or gone. Run: graphrag index")
    resolver = LinkResolver({path: entry.aliases for path, entry in readers.manifest.notes.items()})
    resolved = [resolver.resolve(path, link) for link in note.links]
    leads = {item.link.target: item.target for item in resolved if item.target_kind is TargetKind.NOTE}
    gone = {target for target in {*leads.values()} if readers.present.is_gone(target)}
    targets = {written: target for written, target in leads.items() if target not in gone}
    return NotePage(view, note.text, note.body_line, targets)
