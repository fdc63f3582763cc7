"""A search and a note -> one sentence that names the stage at which the note was lost."""

from dataclasses import replace

from graphrag.domain.query import Filters, Stage
from graphrag.domain.report import WhyNot
from graphrag.language.interface import Language
from graphrag.retrieve.pipeline import Found
from graphrag.retrieve.readers import SnapshotReaders


def explain_absence(readers: SnapshotReaders, found: Found, note: str, language: Language) -> WhyNot:
    """Return where the note's best chunk left the read path, or its rank when it did not."""
    for rank, candidate in enumerate(found.result.candidates, 1):
        if candidate.chunk.note == note:
            return WhyNot(note, None, rank, language.say("it is result {rank}", rank=rank), candidate)
    for dropped in found.result.dropped:
        if dropped.candidate.chunk.note == note:
            return WhyNot(note, dropped.stage, None, dropped.detail, dropped.candidate)
    return WhyNot(note, Stage.CANDIDATES, None, _why_in_no_list(readers, found, note, language), None)


def _why_in_no_list(readers: SnapshotReaders, found: Found, note: str, language: Language) -> str:
    filters = found.result.question.filters
    chunks = readers.chunks.chunks_of([note], Filters()).get(note)
    if not chunks:
        return language.say("it has no text that is indexed")
    if not readers.chunks.chunks_of([note], filters):
        return language.say("the filters leave it out")
    own = replace(filters, paths=(note,))
    hits = readers.chunks.search_text(found.result.terms, 1, own)
    held = ", ".join(hits[0].terms) if hits else language.say("none")
    terms = language.say("of the question's terms its best chunk holds {terms}, which others hold more of", terms=held)
    if found.vector is None:
        return terms
    nearest = readers.chunks.search_vectors(found.vector, 1, own)
    meaning = (
        language.say("its similarity is {similarity}", similarity=f"{nearest[0].similarity:.3f}")
        if nearest
        else language.say("it is not embedded yet")
    )
    return f"{terms}{'；' if language.is_chinese else '; '}{meaning}"
