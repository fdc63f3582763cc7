"""Vault files -> notes ready for the stores. What must stay out, or cannot be read, becomes a diagnostic."""

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from graphrag.domain.note import Diagnostic, Note, Severity
from graphrag.domain.ports import NoteReader, Tokenizer, VaultSource
from graphrag.domain.report import Sample
from graphrag.domain.snapshot import IndexedNote, LeftOut, NoteFile
from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import clean_note
from graphrag.ingest.note_rule import NoteRule
from graphrag.ingest.parse import parse_note

MakeTokenizer = Callable[[Iterable[str]], Tokenizer]


@dataclass(frozen=True, slots=True)
class ParsedNotes:
    """The notes of some files, and the files that did not become one."""

    notes: tuple[tuple[NoteFile, Note], ...]
    left_out: Mapping[str, LeftOut]
    diagnostics: tuple[Diagnostic, ...]


def parse_files(
    source: NoteReader, files: Iterable[NoteFile], rule: NoteRule, progress: Callable[[], None]
) -> ParsedNotes:
    """Return the notes of these files, without those that the rule leaves out."""
    notes: list[tuple[NoteFile, Note]] = []
    left_out: dict[str, LeftOut] = {}
    problems: list[Diagnostic] = []
    for file in files:
        progress()
        note = _read_note(source, file, rule)
        if isinstance(note, Diagnostic):
            left_out[file.path] = LeftOut(file.content_hash, file.dates)
            problems.append(note)
        else:
            notes.append((file, note))
            problems += note.diagnostics
    return ParsedNotes(tuple(notes), left_out, tuple(problems))


def read_note(
    path: str,
    data: bytes,
    rule: NoteRule,
    created: datetime | None = None,
    updated: datetime | None = None,
) -> Note | Diagnostic:
    """Return the note that a file's bytes hold, or why it is left out: by the rule, or since it cannot be read."""
    try:
        note = parse_note(path, data, created, updated, rule.is_logseq, rule.daily)
    except (OSError, UnicodeError) as error:
        return _unreadable(path, error)
    reason = rule.reason_to_leave_out(note)
    return Diagnostic(path, 0, Severity.SKIPPED, reason) if reason else note


def index_note(file: NoteFile, note: Note, policy: ChunkPolicy, tokenizer: Tokenizer) -> IndexedNote:
    """Return the note with its chunks, and the terms of each: of title, aliases, tags and headings besides its text."""
    chunks = chunk_note(note, clean_note(note), policy)
    head = " ".join((note.title, *note.aliases, *note.tags))
    tokens = tuple(" ".join(tokenizer.tokenize("\n\n".join((head, *chunk.heading, chunk.text)))) for chunk in chunks)
    return IndexedNote(note, file.content_hash, chunks, tokens)


def _read_note(source: NoteReader, file: NoteFile, rule: NoteRule) -> Note | Diagnostic:
    try:
        data = source.read(file)
    except OSError as error:
        return _unreadable(file.path, error)
    return read_note(file.path, data, rule, file.created, file.updated)


def _unreadable(path: str, error: Exception) -> Diagnostic:
    return Diagnostic(path, 0, Severity.ERROR, f"cannot be read: {error}")


class PresentFiles(Protocol):
    """The files on disk."""

    def present(self, path: str) -> bytes | None:
        """Return the bytes that lie at a note's path now, None when there are none to show."""


def sample_notes(
    source: VaultSource, present: PresentFiles, rule: NoteRule, count: int, seed: int | None
) -> list[Sample]:
    """Return so many random notes, the same ones for the same seed.

    Notes that the rule leaves out, there or on disk, and those that are on disk no longer, are passed over.
    """
    files = list(source.scan().files)
    random.Random(seed).shuffle(files)
    samples: list[Sample] = []
    for file in files:
        if len(samples) == count:
            break
        data = present.present(file.path)
        if data is None or not isinstance(read_note(file.path, data, rule), Note):
            continue
        for _, note in parse_files(source, [file], rule, lambda: None).notes:
            clean = clean_note(note)
            samples.append(Sample(note.path, note.text, clean.mapped.text, clean.effects))
    return samples
