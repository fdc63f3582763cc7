"""An address written in a note -> the file or note of Leanote that it names, whatever source the note comes from.

The host is not looked at: the server writes its configured one, which often is another than the one that was called.
Path and id decide. Nothing is fetched, and nothing here knows whether the file or note exists.
"""

import re
from dataclasses import dataclass
from html import unescape
from urllib.parse import SplitResult, unquote, urlsplit

from vault_sync.leanote.account import FileKind, FileRef

_MAX_ADDRESS = 4000
_ID = re.compile(r"[0-9a-f]{24}", re.IGNORECASE)
_ID_FILE = re.compile(r"([0-9a-f]{24})(?:\.[0-9a-z]{1,8})?", re.IGNORECASE)
_PARAMETER = r"(?:^|[&;?])%s=([0-9a-f]{24})(?![0-9a-f])"
_PARAMETERS = {name: re.compile(_PARAMETER % name, re.IGNORECASE) for name in ("fileId", "attachId", "noteId")}
_FILE_ROUTES = {
    ("file", "getimage"): ("fileId", FileKind.IMAGE),
    ("file", "outputimage"): ("fileId", FileKind.IMAGE),
    ("file", "getattach"): ("fileId", FileKind.ATTACHMENT),
    ("attach", "download"): ("attachId", FileKind.ATTACHMENT),
}
_ALL_FILES_ROUTES = (("file", "getallattachs"), ("attach", "downloadall"))
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp|svg|ico|tiff?|avif|heic)\Z", re.IGNORECASE)
_NOT_A_FILE = re.compile(r"(?:www\.|.*\.(?:md|html?)\Z)", re.IGNORECASE | re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


@dataclass(frozen=True, slots=True)
class FileLink:
    """A link to a file; `is_path` when it names the file by a path, as exports do, and not by a route of the server."""

    ref: FileRef
    is_path: bool = False


@dataclass(frozen=True, slots=True)
class NoteLink:
    """A link to a note, by its id, or by the title in a blog's address; `is_files` when it asks for all its files."""

    note: str
    is_files: bool = False


def parse_leanote_address(address: str, is_embedded: bool = False) -> FileLink | NoteLink | None:
    """Return what an address of Leanote names, None for every other address.

    `is_embedded` tells that it is shown in the note, and so names a picture where the address itself does not tell.
    """
    parts = _split(address)
    if parts is None:
        return None
    path = f"{parts.netloc}{parts.path}" if parts.scheme == "leanote" else parts.path
    segments = [segment for segment in path.split("/") if segment]
    found = _by_route(segments, parts.query) or _by_segment(segments)
    if found or parts.scheme or parts.netloc or parts.query:
        return found
    return _by_path(path, is_embedded)


def _split(address: str) -> SplitResult | None:
    address = address.strip()
    if len(address) > _MAX_ADDRESS or address.startswith(("#", "?")):
        return None
    try:
        parts = urlsplit(unescape(address) if "&" in address else address)
    except ValueError:  # brackets that are no IPv6 address
        return None
    if parts.scheme not in ("http", "https", "leanote", "") or (parts.scheme and not parts.netloc):
        return None
    return parts


def _by_route(segments: list[str], query: str) -> FileLink | NoteLink | None:
    """Return what `controller/action?id=` names."""
    route = tuple(segment.lower() for segment in segments[-2:])
    if route in _ALL_FILES_ROUTES:
        found = _PARAMETERS["noteId"].search(query)
        return NoteLink(found.group(1).lower(), is_files=True) if found else None
    if route not in _FILE_ROUTES:
        return None
    parameter, kind = _FILE_ROUTES[route[0], route[1]]
    found = _PARAMETERS[parameter].search(query)
    return FileLink(FileRef(found.group(1).lower(), kind)) if found else None


def _by_segment(segments: list[str]) -> FileLink | NoteLink | None:
    """Return what an address names that carries the id in its path."""
    if len(segments) >= 4 and segments[-4] == "blog" and segments[-3] == "post":
        last = unquote(segments[-1])
        return NoteLink(last.lower() if _ID.fullmatch(last) else last)
    if len(segments) >= 4 and segments[0] == "upload" and "images" in segments[1:-1] and _has_id(segments):
        return FileLink(FileRef(unquote("/".join(segments)), FileKind.IMAGE), is_path=True)
    if len(segments) < 2:
        return None
    if segments[-2] == "note" and _ID.fullmatch(segments[-1]):
        return NoteLink(segments[-1].lower())
    if segments[-2] == "file" and (found := _ID_FILE.fullmatch(segments[-1])):
        return FileLink(FileRef(found.group(1).lower(), FileKind.IMAGE))
    return None


def _has_id(segments: list[str]) -> bool:
    return any(_ID.fullmatch(segment) for segment in segments)


def _by_path(path: str, is_embedded: bool) -> FileLink | None:
    """Return the file that a path names which ends with an extension: by the id in its name, or by the path itself."""
    path = unquote(path).replace("\\", "/")
    name = path.rpartition("/")[2]
    if "." not in name or _SCHEME.match(path) or (_NOT_A_FILE.match(path) and not is_embedded):
        return None
    kind = FileKind.IMAGE if is_embedded or _PICTURE.search(name) else FileKind.ATTACHMENT
    found = _ID_FILE.fullmatch(name)
    return FileLink(FileRef(found.group(1).lower() if found else path, kind), is_path=True)
