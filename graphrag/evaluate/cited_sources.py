"""An answer -> the text that its citations point at, and what of the answer that text supports.

The check is `verify` of the read path, run once more on the finished answer: it tells what is unsupported better than
what is true.
"""

import re
from collections.abc import Callable, Iterable

from graphrag.answers.relation_answer import GRAPH
from graphrag.answers.writing import measures_of
from graphrag.domain.note import Chunk, Span
from graphrag.domain.query import NO_FILTERS, Answer, Citation, Context, ContextBlock
from graphrag.evaluate.answers import Assessment
from graphrag.evaluate.cases import Case, Target
from graphrag.grounding.evidence import Persons
from graphrag.grounding.meaning import Meaning
from graphrag.grounding.verify import UNSUPPORTED_EN, UNSUPPORTED_ZH, verify
from graphrag.language.marks import CODE_SPAN, split_code
from graphrag.retrieve.readers import SnapshotReaders

_CODE_SPAN = re.compile(CODE_SPAN)
_MARKS = re.compile(r"\[\d{1,3}\](?:\s*\[\d{1,3}\])*")


class CitationCheck:
    """Assesses an answer by its own citations, without a model."""

    name = "citation check, no judge model"

    def __init__(self, readers: SnapshotReaders, persons: Callable[[], Persons] = dict) -> None:
        """`persons` tells who is known of the notes."""
        self._readers = readers
        self._persons = persons

    def assess(self, case: Case, answer: Answer) -> Assessment:
        """Return the share of statements that their sources support, and whether a relevant note is cited.

        What is read from the graph is exact by its making, and no statement of a passage: its support is not measured.
        """
        supported = None if answer.model == GRAPH else self._share_supported(answer)
        return Assessment(supported, float(_cites(answer.citations, case.relevant)) if case.relevant else None)

    def _share_supported(self, answer: Answer) -> float | None:
        bare = answer.answer.replace(UNSUPPORTED_ZH, "").replace(UNSUPPORTED_EN, "")
        blocks = tuple(ContextBlock(key, chunk) for key, chunk in cited_passages(self._readers, answer.citations))
        meaning = Meaning(self._readers.load_embedder, self._readers.load_reranker)
        measures = measures_of(self._readers, self._persons, meaning)
        checked = _without_code(verify(bare, Context(blocks, 0), measures).text)
        unsupported = checked.count(UNSUPPORTED_ZH) + checked.count(UNSUPPORTED_EN)
        supported = len(_MARKS.findall(checked))
        return supported / (supported + unsupported) if supported or unsupported else None


def cited_passages(readers: SnapshotReaders, citations: Iterable[Citation]) -> list[tuple[int, Chunk]]:
    """Return each citation's key with a passage of the cited lines, which begins with the words quoted from them."""
    cited = list(citations)
    held = readers.chunks.chunks_of(sorted({citation.note for citation in cited}), NO_FILTERS)
    return [(citation.key, _passage(citation, held.get(citation.note, []))) for citation in cited]


def _passage(citation: Citation, chunks: list[Chunk]) -> Chunk:
    """Return the chunk of the cited lines, else those that they touch; the front matter is in no chunk."""
    first, last = citation.lines
    touched = [chunk for chunk in chunks if chunk.span.first_line <= last and chunk.span.last_line >= first]
    whole = [chunk for chunk in touched if (chunk.span.first_line, chunk.span.last_line) == (first, last)]
    text = "\n".join([citation.quote, *(chunk.text for chunk in whole or touched)])
    return Chunk("", citation.note, citation.title, citation.heading, 0, text, Span(0, 0, first, last))


def _cites(citations: Iterable[Citation], relevant: Iterable[Target]) -> bool:
    """Whether a citation lies in a relevant note or, where a case names one, in the section."""
    places = {(citation.note, heading.casefold()) for citation in citations for heading in ("", *citation.heading)}
    return any((target.note, target.heading.casefold()) in places for target in relevant)


def _without_code(text: str) -> str:
    """Return a text without fenced and inline code: an index, a[1], looks like a mark."""
    return "".join(_CODE_SPAN.sub("", part) for part, is_code in split_code(text) if not is_code)
