"""Which notes of a vault an index holds, by what they say; names and sizes of files are the rules of the vault."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from graphrag.domain.access import NO_LIMIT, Limit
from graphrag.domain.note import Note
from graphrag.domain.query import fold_name, folded_with_parents


def read_user_words(file: Path) -> tuple[str, ...]:
    """Return the words of a file in jieba's form, a word a line, frequency and tag ignored; none without the file."""
    if not os.access(file, os.R_OK):
        return ()
    lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    return tuple(line.split()[0] for line in lines if line.split())


def is_of_logseq(vault: Path) -> bool:
    """Whether a vault is one of Logseq's, by its settings or its two folders."""
    return (vault / "logseq/config.edn").is_file() or all((vault / name).is_dir() for name in ("pages", "journals"))


PARSER = "7"
CLEANER = "4"
CHUNKER = "4"


OUTSIDE = "outside the limit of this index"


@dataclass(frozen=True, slots=True)
class NoteRule:
    """Keeps private notes out, those with one of the tags, and those outside the limit."""

    exclude_tags: tuple[str, ...] = ()
    limit: Limit = NO_LIMIT
    is_logseq: bool = False  # whether the vault is one of Logseq's
    daily: tuple[str, ...] = ()  # formats of the names of daily notes

    def reason_to_leave_out(self, note: Note) -> str:
        """Return why a note stays out of every store, empty when it does not."""
        if note.is_private:
            return "left out by its front matter (private: true or rag: false)"
        excluded = {folded for tag in self.exclude_tags if (folded := fold_name(tag))}
        for tag in note.tags:
            if not excluded.isdisjoint(folded_with_parents((tag,))):
                return f"left out by its tag #{tag} ([vault] exclude_tags)"
        return "" if self.limit.holds(note.category, note.tags) else OUTSIDE

    @property
    def fingerprint(self) -> str:
        """Identity of the rule and of what reads the notes for it."""
        reader = [PARSER, *(["logseq"] if self.is_logseq else []), *self.daily]
        parts = ["-".join(reader), *sorted(self.exclude_tags)]
        return ":".join(parts if self.limit.is_empty else [*parts, f"limit-{digest_of(self.limit)}"])


def digest_of(limit: Limit) -> str:
    """Return the name of a limit: the same for two that hold the same notes by the same names."""
    names = [sorted({fold_name(name) for name in kind}) for kind in (limit.categories, limit.tags)]
    return hashlib.sha256(json.dumps(names).encode("utf-8", "surrogatepass")).hexdigest()[:20]
