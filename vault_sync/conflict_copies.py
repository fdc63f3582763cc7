"""Paths of notes -> those that a sync tool made when two devices changed one note, each with its original.

A name that speaks of a conflict is enough where the original lies beside it. A bare number (`预算 2.md`, as iCloud
writes it) is also how people name notes, so that the two texts must be much the same, too.
"""

import re
from collections.abc import Callable, Collection, Iterable
from difflib import SequenceMatcher
from pathlib import PurePosixPath

_CONFLICT = (
    r"(?:冲突的?副本|衝突的?(?:副本|複本)|冲突|衝突|conflict(?:ed|ing)? copy|conflict(?=[^()]*\d)|case conflict)"
)
_MARKED = re.compile(
    rf"(?P<name>.+?)(?:[ _-]*[(（\[][^()（）\[\]]*{_CONFLICT}[^()（）\[\]]*[)）\]](?: ?\(\d+\))?"
    r"|\.sync-conflict-\d{8}-\d{6}(?:-\w+)?|[_ -]+conflict-\d{8}(?:-\d{6})?(?:-\w+)?"
    r"|[ _-]+(?:冲突副本|衝突副本|冲突文件|conflicted copy)[ _-]*[\d-]*)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<name>.+?)(?: \d{1,2}| ?[(（]\d{1,2}[)）]|(?: -)? copy(?: \d{1,2})?(?: \(\d{1,2}\))?"
    r"|(?: -)? ?副本(?: ?[(（]?\d{1,2}[)）]?)?)",
    re.IGNORECASE,
)
_HINT = re.compile(r"[\d)）\]本y]\.\w+\Z|conflict|[冲衝]突", re.IGNORECASE)  # most names need no closer look
_COMPARED = 2000  # characters of each text
_ALIKE = 0.6


def find_copies(
    paths: Collection[str], read: Callable[[str], bytes], asked: Iterable[str] | None = None
) -> dict[str, str]:
    """Return the original of each path that is a copy, of those that are asked for; `read` returns a file's bytes."""
    found: dict[str, str] = {}
    for path in paths if asked is None else asked:
        if not _HINT.search(path):
            continue
        original = _named(path, _MARKED)
        if original in paths or ((original := _named(path, _NUMBERED)) in paths and _are_alike(read, path, original)):
            found[path] = original
    return found


def copy_reason(original: str) -> str:
    """Return why a copy is left out."""
    return f"a copy that a sync tool made of '{original}'; move what it alone holds there, then delete it"


def _named(path: str, pattern: re.Pattern[str]) -> str:
    """Return the path of the original that a copy's name tells, empty without one."""
    file = PurePosixPath(path)
    matched = pattern.fullmatch(file.stem)
    return file.with_name(matched["name"] + file.suffix).as_posix() if matched else ""


def _are_alike(read: Callable[[str], bytes], *paths: str) -> bool:
    """Whether two files begin with the same line and are much the same; of one that cannot be read, False."""
    try:
        one, other = (read(path).decode("utf-8", "replace").strip()[:_COMPARED] for path in paths)
    except OSError:
        return False
    same_start = one.split("\n")[0].strip() == other.split("\n")[0].strip()
    return same_start and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE
