"""How well the citation check tells what a note holds: right and wrong claims about the example vault, one table.

    python benchmarks/support.py VAULT --wrong

VAULT is an indexed copy of `examples/vault`. Each claim of `claims.jsonl` cites the chunks of its note, among chunks of
five other notes that share most of its words. `true` claims say in other words what the note says, some in another
language; all others are wrong in one way: a number, a name, an identifier, a denial, things in each other's places
(`swap`), or nothing like it in the note. `graphrag/grounding/support.py` says where they come from and how many pass.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from figures import print_table, say

from graphrag.answers.from_passages import measures_of
from graphrag.app import App
from graphrag.domain.query import NO_FILTERS, Context
from graphrag.errors import GraphragError
from graphrag.grounding.evidence import read_claim
from graphrag.grounding.support import Meaning, Support, SupportCheck
from graphrag.retrieve.pipeline import build_context
from graphrag.retrieve.readers import SnapshotReaders
from graphrag.retrieve.search import search_full_text
from graphrag.vault.knowledge import find_persons

_CLAIMS = Path(__file__).with_name("claims.jsonl")
_TRUE = "true"
_OTHERS = 5


@dataclass(frozen=True)
class Claim:
    """A sentence about a note."""

    note: str
    kind: str
    text: str


def main() -> None:
    arguments = _arguments()
    claims = [*_read(arguments.claims)]
    app = App.open(arguments.vault, arguments.vault)
    try:
        found = {claim: _judge(app, claim, arguments.words) for claim in claims}
    except GraphragError as error:
        raise SystemExit(str(error)) from None
    finally:
        app.close()
    accepted: dict[str, list[bool]] = defaultdict(list)
    for claim, support in found.items():
        accepted[claim.kind].append(bool(support.keys))
        if arguments.wrong and bool(support.keys) != (claim.kind == _TRUE):
            reasons = [f"{finding.reason}: {finding.detail}" for finding in support.findings]
            say(f"{claim.kind}: {claim.text} ({claim.note}) {reasons or support.keys}")
    rows = [(kind, str(len(verdicts)), str(sum(verdicts))) for kind, verdicts in accepted.items()]
    print_table(("claims", "number", "accepted"), rows, arguments.json)


def _judge(app: App, claim: Claim, by_words: bool) -> Support:
    """Return what the check says of a claim that cites its own note."""
    opened = app._snapshot
    readers = opened.readers
    context, own = _context(readers, claim)
    meaning = Meaning(lambda: None if by_words else readers.load_embedder(), readers.load_reranker)
    measures = measures_of(readers, lambda: find_persons(opened.knowledge), meaning)
    sentence = read_claim(claim.text, readers.tokenizer, measures.persons())
    support = SupportCheck(context, measures).support(sentence, [*range(1, own + 1)], ())
    if meaning.failure:
        raise SystemExit(meaning.failure)
    return support


def _context(readers: SnapshotReaders, claim: Claim) -> tuple[Context, int]:
    """Return the chunks of the claim's note, then one of each note that shares most words, and how many are its own."""
    own = readers.chunks.chunks_of([claim.note], NO_FILTERS).get(claim.note)
    if not own:
        raise SystemExit(f"'{claim.note}' is not in the index. Index a copy of examples/vault.")
    hits = search_full_text(readers.chunks, readers.tokenizer.tokenize_query(claim.text), 20, NO_FILTERS)
    others = {hit.chunk.note: hit.chunk for hit in reversed(hits) if hit.chunk.note != claim.note}
    return build_context([*own, *[*others.values()][::-1][:_OTHERS]], 10**6), len(own)


def _read(file: Path) -> Iterator[Claim]:
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Claim(row["note"], row["kind"], row["claim"])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vault", type=Path)
    parser.add_argument("--claims", type=Path, default=_CLAIMS, help="JSON lines of note, kind, claim")
    parser.add_argument("--words", action="store_true", help="without the embedder and the reranker")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="show the claims that are judged wrongly")
    return parser.parse_args()


if __name__ == "__main__":
    main()
