"""Titles -> names of files and folders that are safe on every system and in Obsidian, and stay the same. No I/O.

A name never holds a path separator, never starts with a dot, and is unique in its folder whatever the case. Who had a
name before keeps it while it still fits; new ones are named in the order of their ids, not in that of the listing.
"""

import posixpath
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from vault_sync.leanote.account import Notebook

UNTITLED = "无标题"
MAX_NAME_BYTES = 150  # an extension, a mark of a clash and a temporary suffix still fit into 255
_REPLACED = str.maketrans(
    {
        **dict.fromkeys("/\\|", "-"),
        **{":": "：", "*": "＊", "?": "？", '"': "”", "<": "＜", ">": "＞"},
        **{"#": "＃", "^": "＾", "[": "［", "]": "］"},
    }
)
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]|git~[0-9]+)(?=\.|\Z)", re.IGNORECASE)
_CLASH = re.compile(r" \([1-9][0-9]{0,8}\)")
_JOINER = "\u200d"  # makes one emoji of several; other invisible characters only hide what a name is
_PARTS = (_JOINER, "\ufe0e", "\ufe0f")  # these belong to the character before


@dataclass(frozen=True, slots=True)
class NameEntry:
    """Something that needs a name in a folder."""

    id: str
    title: str
    before: str = ""  # the name it had after the last run, empty for a new one


def safe_name(title: str, max_bytes: int = MAX_NAME_BYTES) -> str:
    """Return a title as a file name without extension; it may be the same for different titles."""
    text = unicodedata.normalize("NFC", title).translate(_REPLACED)
    text = " ".join("".join(_visible(char) for char in text).split())
    text = _cut(text.strip(". "), max_bytes).strip(". ") or UNTITLED
    return _DEVICE.sub(r"\1_", text, count=1) if _DEVICE.match(text) else text


def safe_file_name(name: str, max_bytes: int = MAX_NAME_BYTES) -> str:
    """Return a file's original name made safe; its extension survives the cutting."""
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem.strip(". ") or not re.fullmatch(r"[A-Za-z0-9]{1,10}", suffix):
        return safe_name(name, max_bytes)
    return f"{safe_name(stem, max_bytes - len(suffix) - 1)}.{suffix}"


def folded(name: str) -> str:
    """Return what is equal for names that some file system holds to be the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def assign_names(entries: Iterable[NameEntry], taken: Collection[str] = (), suffix: str = "") -> dict[str, str]:
    """Return a name for each id, unique in one folder among themselves and the names taken, whatever the case.

    `suffix` (such as `.md`) is part of the names in `taken` only; names are given without it.
    """
    used = {folded(name) for name in taken}
    names: dict[str, str] = {}
    ordered = sorted(entries, key=lambda entry: entry.id)
    for entry in ordered:
        if _still_fits(entry) and (mark := folded(entry.before + suffix)) not in used:
            used.add(mark)
            names[entry.id] = entry.before
    counts: dict[str, int] = {}
    for entry in ordered:
        if entry.id not in names:
            names[entry.id] = free_name(safe_name(entry.title), used, suffix, counts)
    return names


def free_name(name: str, used: set[str], suffix: str = "", counts: dict[str, int] | None = None) -> str:
    """Return the name, or the name with the first number, that is not used; and mark it as used.

    `used` holds folded names. `counts` remembers the last number of each name, for folders with thousands of equals.
    """
    counts = {} if counts is None else counts
    number = counts.get(folded(name), 1)
    chosen = name if number == 1 else f"{name} ({number})"
    while folded(chosen + suffix) in used:
        number += 1
        chosen = f"{name} ({number})"
    counts[folded(name)] = number
    used.add(folded(chosen + suffix))
    return chosen


def _still_fits(entry: NameEntry) -> bool:
    name = safe_name(entry.title)
    return entry.before == name or (
        entry.before.startswith(name) and _CLASH.fullmatch(entry.before, len(name)) is not None
    )


def _visible(char: str) -> str:
    """Return the character, a space for what breaks lines, nothing for what cannot be seen."""
    kind = unicodedata.category(char)
    if kind in ("Cc", "Zl", "Zp", "Zs"):
        return " "
    return "" if kind == "Cs" or (kind == "Cf" and char != _JOINER) else char


def _cut(text: str, max_bytes: int) -> str:
    """Return as much as fits, without half a character at the end."""
    data = text.encode()
    if len(data) <= max_bytes:
        return text.strip(_JOINER)
    kept = data[:max_bytes].decode(errors="ignore")
    following = text[len(kept)]
    while kept and (following in _PARTS or unicodedata.combining(following) or kept[-1] == _JOINER):
        kept, following = kept[:-1], kept[-1]
    return kept.rstrip()


MAX_FOLDER_BYTES = 400  # of a whole path: what lies deeper goes beside its parent


def notebook_folders(
    notebooks: Sequence[Notebook], before: Mapping[str, str] | None = None, reserved: Collection[str] = ("assets",)
) -> dict[str, str]:
    """Return a POSIX path without leading slash for each notebook that is not deleted.

    `before` holds the paths after the last run; `reserved` are names that no folder may have.
    """
    known = {notebook.id: notebook for notebook in notebooks if not notebook.is_deleted}
    parents = _parents(known)
    children: dict[str, list[str]] = {}
    for id_, parent in sorted(parents.items()):
        children.setdefault(parent, []).append(id_)
    earlier = {id_: posixpath.basename(path) for id_, path in (before or {}).items()}
    paths: dict[str, str] = {}
    taken: dict[str, list[str]] = {}
    level = children.get("", [])
    while level:
        for folder, siblings in _by_folder(level, parents, paths).items():
            entries = [NameEntry(id_, known[id_].title, earlier.get(id_, "")) for id_ in siblings]
            names = assign_names(entries, taken.setdefault(folder, list(reserved)))
            taken[folder].extend(names.values())
            paths.update((id_, posixpath.join(folder, name)) for id_, name in names.items())
        level = [child for id_ in level for child in children.get(id_, ())]
    return paths


def notebook_titles(notebooks: Sequence[Notebook]) -> dict[str, tuple[str, ...]]:
    """Return the titles from the root down to each notebook that is not deleted, as they are at the source."""
    known = {notebook.id: notebook for notebook in notebooks if not notebook.is_deleted}
    parents = _parents(known)
    titles: dict[str, tuple[str, ...]] = {}
    for id_ in known:
        chain = [id_]
        while (parent := parents[chain[-1]]) and parent not in titles:
            chain.append(parent)
        for link in reversed(chain):
            titles[link] = (*titles.get(parents[link], ()), known[link].title)
    return titles


def _parents(known: Mapping[str, Notebook]) -> dict[str, str]:
    """Return each notebook's parent, empty for roots, without cycles."""
    parents = {id_: notebook.parent if notebook.parent in known else "" for id_, notebook in known.items()}
    settled: set[str] = {""}
    for id_ in known:
        walked: dict[str, int] = {}
        while id_ not in settled and id_ not in walked:
            walked[id_] = len(walked)
            id_ = parents[id_]
        if id_ in walked:
            cycle = [member for member, place in walked.items() if place >= walked[id_]]
            parents[min(cycle)] = ""
        settled.update(walked)
    return parents


def _by_folder(level: Iterable[str], parents: Mapping[str, str], paths: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the notebooks of a level by the folder that each lies in: its parent's, or the next above with room."""
    grouped: dict[str, list[str]] = {}
    for id_ in level:
        folder = paths.get(parents[id_], "")
        while len(folder.encode()) > MAX_FOLDER_BYTES:
            folder = posixpath.dirname(folder)
        grouped.setdefault(folder, []).append(id_)
    return grouped
