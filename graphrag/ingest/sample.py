"""Random notes before and after cleaning, to judge what the rules of cleaning do."""

import random
from collections.abc import Iterable

from graphrag.domain.ports import VaultSource
from graphrag.domain.report import Sample
from graphrag.ingest.clean import clean_note
from graphrag.ingest.prepare import parse_files


def sample_notes(source: VaultSource, exclude_tags: Iterable[str], count: int, seed: int | None) -> list[Sample]:
    """Return so many random notes, the same ones for the same seed; private notes are passed over."""
    files = list(source.scan().files)
    random.Random(seed).shuffle(files)
    samples: list[Sample] = []
    for file in files:
        if len(samples) == count:
            break
        for _, note in parse_files(source, [file], exclude_tags, lambda: None).notes:
            clean = clean_note(note)
            samples.append(Sample(note.path, note.text, clean.mapped.text, clean.effects))
    return samples
