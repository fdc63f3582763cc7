"""Random notes before and after cleaning, to judge what the rules of cleaning do."""

import random
from typing import Protocol

from graphrag.domain.note import Note
from graphrag.domain.ports import VaultSource
from graphrag.domain.report import Sample
from graphrag.ingest.clean import clean_note
from graphrag.ingest.note_rule import NoteRule
from graphrag.ingest.prepare import parse_files, read_note


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
