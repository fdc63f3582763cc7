"""A manifest as it lies in its file: compressed JSON with the number of its format."""

import gzip
import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from graphrag.domain.note import Diagnostic, NoteType, Severity
from graphrag.domain.snapshot import Fingerprints, LeftOut, Manifest, NoteEntry
from graphrag.errors import SchemaMismatch

FORMAT = 4

_PLAIN = (
    "generation",
    "commit",
    "worktree",
    "store_dir",
    "chunks_version",
    "vectors_version",
    "graph_file",
    "graph_digest",
    "user_words",
    "chunk_count",
    "embedded_count",
)
_ENTRY = ("content_hash", "dates", "title", "aliases", "tags", "types", "chunk_count", "origin", "day")


def dump_manifest(manifest: Manifest) -> bytes:
    """Return the manifest as UTF-8 JSON, compressed: it names every note, and several manifests are kept."""
    data: dict[str, object] = {
        "format": FORMAT,
        **{name: getattr(manifest, name) for name in _PLAIN},
        "fingerprints": {name: getattr(manifest.fingerprints, name) for name in Fingerprints.__slots__},
        "notes": {path: [getattr(entry, name) for name in _ENTRY] for path, entry in manifest.notes.items()},
        "left_out": {path: [entry.content_hash, entry.dates] for path, entry in manifest.left_out.items()},
        "diagnostics": [[d.path, d.line, d.severity.value, d.message] for d in manifest.diagnostics],
        "created": manifest.created.isoformat(),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(errors="surrogatepass"), mtime=0)


def load_manifest(file: Path, content: bytes) -> Manifest:
    """Return the manifest in `content`, read from `file`.

    Raises:
        SchemaMismatch: another version of this program wrote it.
        ValueError, LookupError, TypeError, AttributeError, EOFError, OSError, zlib.error: it is damaged.
    """
    data: Mapping[str, Any] = json.loads(gzip.decompress(content).decode(errors="surrogatepass"))
    _check_format(file, data["format"])
    return Manifest(
        **{name: data[name] for name in _PLAIN if name != "user_words"},
        user_words=tuple(data["user_words"]),
        fingerprints=Fingerprints(**data["fingerprints"]),
        notes={path: _load_entry(*entry) for path, entry in sorted(data["notes"].items())},
        left_out={path: LeftOut(*entry) for path, entry in data["left_out"].items()},
        diagnostics=tuple(
            Diagnostic(path, line, Severity(severity), message) for path, line, severity, message in data["diagnostics"]
        ),
        created=datetime.fromisoformat(data["created"]),
    )


def _load_entry(
    content_hash: str,
    dates: str,
    title: str,
    aliases: list[str],
    tags: list[str],
    types: list[list[Any]],
    chunk_count: int,
    origin: str,
    day: str,
) -> NoteEntry:
    named = tuple(NoteType(*type_) for type_ in types)
    return NoteEntry(content_hash, dates, title, tuple(aliases), tuple(tags), named, chunk_count, origin, day)


def _check_format(file: Path, found: int) -> None:
    if found > FORMAT:
        raise SchemaMismatch(
            f"{file}: the index was made by a newer version (format {found}, this one reads {FORMAT}). "
            "Upgrade vault-graphrag, or run `graphrag index --full` to rebuild it."
        )
    if found < FORMAT:
        raise SchemaMismatch(
            f"{file}: the index was made by an older version (format {found}, this one reads {FORMAT}). "
            "Run `graphrag index --full` to rebuild it."
        )
