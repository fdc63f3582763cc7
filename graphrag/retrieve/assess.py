"""Results -> how well they cover the question, and how likely it is that the notes hold the answer."""

from collections.abc import Mapping, Sequence

from graphrag.domain.models import Vectors
from graphrag.domain.query import Candidate, Evidence
from graphrag.retrieve.attribute import asked_attribute
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.search import best_coverage, best_similarity, weight_of_unknown
from graphrag.retrieve.silence import DEPTH, PassageText, Signs, confidence_of, measure_standing, read_signs


def assess(
    readers: SnapshotReaders,
    question: str,
    kept: Sequence[Candidate],
    weights: Mapping[str, float],
    vector: Vectors | None,
    is_named: bool,
) -> Evidence:
    """Return how well the results cover the question; a note that it names is its answer, whatever the words."""
    similarity = best_similarity(kept)
    if is_named:
        return Evidence(1.0, similarity, 1.0)
    signs = read_signs_of(readers, question, kept, weights, vector)
    return Evidence(best_coverage(kept, weights), similarity, confidence_of(signs) if kept else 0.0)


def read_signs_of(
    readers: SnapshotReaders,
    question: str,
    kept: Sequence[Candidate],
    weights: Mapping[str, float],
    vector: Vectors | None,
) -> Signs:
    """Return what results show of the question with these terms and vector."""
    total, similarity = readers.manifest.chunk_count, best_similarity(kept)
    texts = [candidate.chunk.embedded_text() for candidate in kept[:DEPTH]]
    passages = [PassageText(frozenset(readers.tokenizer.tokenize(text)), text.lower()) for text in texts]
    attribute = readers.tokenizer.tokenize_query(asked_attribute(question))
    standing = None
    if vector is not None and similarity is not None:
        standing = measure_standing(similarity, vector, readers.sample, total)
    senses = readers.tokenizer.look_up(list(weights), question)
    return read_signs(senses, weights, weight_of_unknown(total), passages, attribute, standing)
