"""A search and a note -> one sentence that names the stage at which the note was lost."""

from dataclasses import replace

from graphrag.domain.query import Filters, Stage
from graphrag.domain.report import WhyNot
from graphrag.language.script import is_chinese
from graphrag.retrieve.pipeline import Found
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.select import LossWords, loss_words


def explain_absence(readers: SnapshotReaders, found: Found, note: str) -> WhyNot:
    """Return where the note's best chunk left the read path, or its rank when it did not."""
    words = loss_words(is_chinese(found.result.question.text))
    for rank, candidate in enumerate(found.result.candidates, 1):
        if candidate.chunk.note == note:
            return WhyNot(note, None, rank, words.result.format(rank=rank), candidate)
    for dropped in found.result.dropped:
        if dropped.candidate.chunk.note == note:
            return WhyNot(note, dropped.stage, None, dropped.detail, dropped.candidate)
    return WhyNot(note, Stage.CANDIDATES, None, _why_in_no_list(readers, found, note, words), None)


def _why_in_no_list(readers: SnapshotReaders, found: Found, note: str, words: LossWords) -> str:
    filters = found.result.question.filters
    chunks = readers.chunks.chunks_of([note], Filters()).get(note)
    if not chunks:
        return words.no_text
    if not readers.chunks.chunks_of([note], filters):
        return words.filtered
    own = replace(filters, paths=(note,))
    hits = readers.chunks.search_text(found.result.terms, 1, own)
    held = ", ".join(hits[0].terms) if hits else words.no_terms
    terms = words.terms.format(terms=held)
    if found.vector is None:
        return terms
    nearest = readers.chunks.search_vectors(found.vector, 1, own)
    meaning = words.nearest.format(similarity=f"{nearest[0].similarity:.3f}") if nearest else words.not_embedded
    return f"{terms}{words.joint}{meaning}"
