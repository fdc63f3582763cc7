"""What the import remembers between two runs: a file of JSON lines, one added after each note.

A line that a crash cut off is left out on reading: its note is found again by the id in the vault. The file holds
paths, digests and ids, and nothing of the notes' text. It lies in the folder of the index, which Git ignores.
"""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import BinaryIO

from graphrag.errors import StoreError

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class NoteState:
    """What a note was like when it was last imported. Paths are relative to the vault."""

    id: str
    account: str  # that listed it last
    path: str  # where it lies
    planned: str  # where the import would have it; differs from `path` when the user moved it
    revision: str  # of the source, and of what else decides the file
    digest: str  # of the bytes written; empty when they are not known
    content_digest: str = ""
    assets: tuple[str, ...] = ()  # paths of the files that it uses
    links: Mapping[str, str] = field(default_factory=dict)  # id of a note it links to -> the link written, or empty
    copy: str = ""  # path of the other version, after a conflict
    copy_digest: str = ""
    is_gone: bool = False  # removed at Leanote, and dealt with
    has_gaps: bool = False  # some of its files did not come; it is asked for again until they do
    usn: int = 0  # of the version that was seen last, as far as the source tells
    updated: str = ""  # its time, RFC 3339 in UTC


@dataclass(frozen=True, slots=True)
class AccountState:
    """What is remembered of an account."""

    checkpoint: str = ""  # of the last run, and of the options it had; empty when it is of no use
    into: str = ""  # the folder that the notes are in
    folders: Mapping[str, str] = field(default_factory=dict)  # a notebook's id -> its folder below `into`
    is_complete: bool = True  # whether the last run came to its end
    exclude: tuple[str, ...] = ()  # the notebooks that the last run left out
    private: tuple[str, ...] = ()  # and those that it kept from answers


class ImportState:
    """The state of one vault, held in memory and kept on disk; `file` is None for a trial run.

    Raises:
        StoreError: the file is of another version.
    """

    def __init__(self, file: Path, is_trial: bool = False) -> None:
        self.notes: dict[str, NoteState] = {}
        self.files: dict[str, str] = {}  # kind and id of a file -> its path
        self.assets: dict[str, str] = {}  # path of a file that was written -> the digest of its bytes
        self.pending: dict[str, str] = {}  # path that is in no commit yet -> what became of it
        self.accounts: dict[str, AccountState] = {}
        self._file = file
        self._lines: BinaryIO | None = None
        self.damaged = 0  # lines that could not be read
        self.is_new = not file.exists()
        if not self.is_new:
            self._load()
        if not is_trial:
            self._rewrite()

    def keep_note(self, note: NoteState) -> None:
        """Remember a note as it is now."""
        self.notes[note.id] = note
        self._add("note", asdict(note))

    def forget_note(self, note_id: str) -> None:
        """Remember nothing of a note any more."""
        self.notes.pop(note_id, None)
        self._add("forget", note_id)

    def keep_file(self, key: str, path: str) -> None:
        """Remember where a file of the source lies."""
        self.files[key] = path
        self._add("file", [key, path])

    def keep_asset(self, path: str, digest: str) -> None:
        """Remember that a file was written by us."""
        self.assets[path] = digest
        self._add("asset", [path, digest])

    def forget_asset(self, path: str) -> None:
        """Remember nothing of a file any more."""
        self.assets.pop(path, None)
        self.files = {key: other for key, other in self.files.items() if other != path}
        self._add("forget_asset", path)

    def keep_pending(self, path: str, what: str) -> None:
        """Remember that a path is to go into the next commit; `what` became of it first counts."""
        if path not in self.pending:
            self.pending[path] = what
            self._add("pending", [path, what])

    def clear_pending(self, but: Collection[str] = ()) -> None:
        """Remember that every path is committed, or left to the user; those of `but` are to go into the next commit."""
        kept = {path: what for path, what in self.pending.items() if path in but}
        self.pending.clear()
        self._add("committed", True)
        for path, what in kept.items():
            self.keep_pending(path, what)

    def keep_account(self, name: str, account: AccountState) -> None:
        """Remember what is to be known of an account."""
        self.accounts[name] = account
        self._add("account", [name, asdict(account)])

    def close(self) -> None:
        """Close the file; nothing can be kept any more."""
        if self._lines:
            self._lines.close()
            self._lines = None

    def _add(self, kind: str, value: object) -> None:
        if self._lines:
            self._lines.write(_line(kind, value))
            self._lines.flush()

    def _load(self) -> None:
        with self._file.open("rb") as lines:
            for line in lines:
                try:
                    self._read(json.loads(line))
                except (ValueError, TypeError, LookupError, AttributeError):
                    self.damaged += 1

    def _read(self, line: dict[str, object]) -> None:
        (kind, value), *_ = line.items()
        match kind, value:
            case "format", int(number) if number != _FORMAT:
                raise StoreError(
                    f"{self._file}: written by another version. Move it away; notes are found again by their ids."
                )
            case "note", dict(values):
                known = {item.name: values[item.name] for item in fields(NoteState) if item.name in values}
                known["assets"] = tuple(known.get("assets", ()))
                self.notes[str(known["id"])] = NoteState(**known)
            case "forget", str(name):
                self.notes.pop(name, None)
            case "file", [str(key), str(path)]:
                self.files[key] = path
            case "asset", [str(path), str(digest)]:
                self.assets[path] = digest
            case "forget_asset", str(path):
                self.forget_asset(path)
            case "pending", [str(path), str(what)]:
                self.pending.setdefault(path, what)
            case "committed", _:
                self.pending.clear()
            case "account", [str(name), dict(values)]:
                lists = {key: tuple(values.get(key, ())) for key in ("exclude", "private")}
                self.accounts[name] = AccountState(**{**values, **lists})

    def _rewrite(self) -> None:
        """Write only what counts by now, and go on behind it."""
        new = self._file.with_suffix(".new")
        with new.open("wb") as lines:
            lines.writelines(self._all_lines())
            lines.flush()
            os.fsync(lines.fileno())
        new.replace(self._file)
        self._lines = self._file.open("ab")

    def _all_lines(self) -> Iterator[bytes]:
        yield _line("format", _FORMAT)
        yield from (_line("account", [name, asdict(account)]) for name, account in self.accounts.items())
        yield from (_line("note", asdict(note)) for note in self.notes.values())
        yield from (_line("asset", pair) for pair in self.assets.items())
        yield from (_line("file", pair) for pair in self.files.items())
        yield from (_line("pending", pair) for pair in self.pending.items())


def _line(kind: str, value: object) -> bytes:
    return json.dumps({kind: value}, separators=(",", ":")).encode() + b"\n"
