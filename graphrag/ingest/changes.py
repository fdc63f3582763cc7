"""A snapshot's notes against the vault's files -> the change set, by content hash."""

from graphrag.domain.snapshot import ChangeSet, LeftOut, Manifest, NoteEntry, NoteFile, VaultState


def find_changes(manifest: Manifest | None, state: VaultState) -> ChangeSet:
    """Return what must be indexed anew; without a manifest, everything is an addition."""
    if manifest is None:
        return ChangeSet(state.files, (), (), {})
    paths = {file.path for file in state.files}
    known = manifest.files
    added = tuple(file for file in state.files if file.path not in known)
    changed = tuple(file for file in state.files if file.path in known and _is_changed(known[file.path], file))
    deleted = tuple(sorted(path for path in known if path not in paths))
    return ChangeSet(added, changed, deleted, _renames(manifest, added, deleted))


def _is_changed(known: NoteEntry | LeftOut, file: NoteFile) -> bool:
    return (known.content_hash, known.dates) != (file.content_hash, file.dates)


def _renames(manifest: Manifest, added: tuple[NoteFile, ...], deleted: tuple[str, ...]) -> dict[str, str]:
    """Pair each deleted note with an added one of the same content."""
    arrivals: dict[str, list[str]] = {}
    for file in reversed(added):
        arrivals.setdefault(file.content_hash, []).append(file.path)
    renames: dict[str, str] = {}
    for path in deleted:
        entry = manifest.notes.get(path)
        if entry and (matching := arrivals.get(entry.content_hash)):
            renames[path] = matching.pop()
    return renames
