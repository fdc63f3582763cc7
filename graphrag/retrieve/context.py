"""Results -> the numbered blocks that an answer may use, whole ones within a token budget."""

from collections.abc import Iterable

from graphrag.domain.note import Chunk
from graphrag.domain.query import Context, ContextBlock
from graphrag.language.language import estimate_tokens


def build_context(chunks: Iterable[Chunk], token_budget: int) -> Context:
    """Return the first chunks that fit, best first; the very first is always in."""
    blocks: list[ContextBlock] = []
    used = 0
    for chunk in chunks:
        tokens = estimate_tokens(chunk.embedded_text())
        if blocks and used + tokens > token_budget:
            continue
        blocks.append(ContextBlock(len(blocks) + 1, chunk))
        used += tokens
    return Context(tuple(blocks), used)
