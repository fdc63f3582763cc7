"""The name of an archive's entry -> the parts of a path below the target, or why it is refused.

Nothing here touches a file; the rules are stricter than those of `tarfile.data_filter`, which takes links that stay
inside and strips a leading slash: an export holds neither, so either means that somebody wants something else.
"""

import re

MAX_NAME_BYTES = 240  # most disks stop at 255; a suffix must still fit
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class UnsafeName(Exception):
    """An entry's name leads, or may lead, out of the target; its text is the reason."""


def decoded(raw: bytes) -> str:
    """Return a name that was written without saying its encoding: UTF-8, else what Chinese Windows writes."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("gb18030", errors="replace")


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of an entry's path, each short enough for a disk; empty for the target itself.

    Raises:
        UnsafeName: it is absolute, climbs, names a drive, or holds what another system reads as a separator.
    """
    if name.startswith("/"):
        raise UnsafeName("an absolute path")
    if "\\" in name:
        raise UnsafeName("a backslash in the name")
    if _DRIVE.match(name):
        raise UnsafeName("a drive letter")
    if _CONTROL.search(name):
        raise UnsafeName("a control character in the name")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise UnsafeName("`..` in the path")
    return tuple(shortened(part) for part in parts)


def shortened(part: str) -> str:
    """Return a file's name in at most MAX_NAME_BYTES, its suffix kept."""
    if len(part.encode("utf-8", errors="replace")) <= MAX_NAME_BYTES:
        return part
    stem, dot, suffix = part.rpartition(".")
    if not dot or len(suffix.encode()) > 16:
        stem, suffix = part, ""
    room = MAX_NAME_BYTES - len((dot + suffix).encode())
    return stem.encode()[:room].decode(errors="ignore") + (dot + suffix if suffix else "")


def printable(name: str) -> str:
    """Return a name that fits into a message of one line."""
    shown = _CONTROL.sub("?", name).encode("utf-8", errors="replace").decode()
    return shown if len(shown) <= 120 else f"{shown[:117]}..."
