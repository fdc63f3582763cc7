"""How many claims the citation check flags: of those that a block supports, contradicts, or says nothing about.

    python benchmarks/claims.py benchmarks/data/claims/writer_1.jsonl benchmarks/data/kept_apart/claims.jsonl

Each line is a claim about a block, by a writer who has not read the rules of the check. A claim cites its block, among
five blocks of other claims. Few of the supported ones should be flagged, and many of the others; totals alone are
printed, so that what is kept apart stays unread.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from figures import print_table

from graphrag.domain.note import Chunk, Span
from graphrag.domain.ports import Embedder
from graphrag.domain.query import Context, ContextBlock
from graphrag.grounding.evidence import read_claim
from graphrag.grounding.support import Meaning, Measures, SupportCheck
from graphrag.providers import load_embedder
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.settings import EmbeddingSettings

_BLOCKS = 6
_VERDICTS = ("supported", "contradicted", "absent")
_TOKENIZER = JiebaTokenizer()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    embedder = load_embedder("onnxruntime", EmbeddingSettings())
    rows = []
    for file in arguments.files:
        claims = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for name, model in (("words alone", None), ("with vectors", embedder)):
            flagged = _flagged(claims, model)
            shares = [f"{sum(flagged[it]) / len(flagged[it]):.3f} of {len(flagged[it])}" for it in _VERDICTS]
            rows.append([file.stem, name, *shares])
    print_table(["claims", "check", *_VERDICTS], rows, arguments.json)


def _flagged(claims: Sequence[dict[str, str]], embedder: Embedder | None) -> dict[str, list[bool]]:
    """Return for each verdict which of its claims are flagged."""
    blocks = list(dict.fromkeys((claim["title"], claim["block"]) for claim in claims))
    found = defaultdict(list)
    for claim in claims:
        own = blocks.index((claim["title"], claim["block"]))
        context = _context([*blocks[own:], *blocks[:own]][:_BLOCKS])
        meaning = Meaning(lambda: embedder, lambda: None)
        check = SupportCheck(context, Measures(_TOKENIZER, meaning=meaning))
        support = check.support(read_claim(claim["claim"], _TOKENIZER, {}), [1], ())
        found[claim["verdict"]].append(not support.keys)
    return found


def _context(blocks: Sequence[tuple[str, str]]) -> Context:
    return Context(
        tuple(
            ContextBlock(
                key,
                Chunk(f"{key}", f"{key}.md", title, (title,), 0, text, Span(0, len(text), 1, 1 + text.count("\n"))),
            )
            for key, (title, text) in enumerate(blocks, 1)
        ),
        0,
    )


if __name__ == "__main__":
    main()
