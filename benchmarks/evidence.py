"""Measures how much of a question's evidence the first passages hold, on long documents: a row per variant and mode.

python benchmarks/evidence.py dragonball-dev --lang zh --sizes 200,400,600,900 --overlaps 0,0.15 --embeddings cache/
python benchmarks/evidence.py dragonball-dev --lang zh --titles yes,no --terms words,bigrams --per-note 1,2,4 --json

A set is a folder of `corpus.jsonl` and `queries.jsonl` with evidence sentences; every document becomes a note. E@5 is
the share of a question's sentences that stand in one of the first five passages, spaces and signs aside, as `graphrag
eval` has it. Beside it stand its 95 % interval and the difference to the first row of the same mode, questions drawn
in pairs. Every combination of the lists is a variant; a size is MAX, or MAX:MIN (else a third of it).
"""

import argparse
import itertools
import json
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

from figures import print_table, say
from passages import index_kept, read_lines

from graphrag.app import App
from graphrag.domain.note import Chunk
from graphrag.domain.ports import Embedder, Vectors
from graphrag.domain.query import NO_FILTERS
from graphrag.errors import QuestionError
from graphrag.evaluate.metrics import evidence_recall, interval, paired_interval
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.retrieve.pipeline import SearchMode, policy_of
from graphrag.vault.resources import Parts

_DEPTHS = (5, 20)
_MODES = (SearchMode.FULL_TEXT, SearchMode.VECTORS, SearchMode.FUSED, SearchMode.WALK)


@dataclass(frozen=True)
class Case:
    """A question with the sentences that its answer rests on."""

    question: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Variant:
    """How the notes are cut and indexed."""

    max_size: int
    min_size: int
    overlap: float
    titles: str  # in the embedded text: yes, no
    terms: str  # of the full text: words, bigrams


@dataclass(frozen=True)
class Row:
    """One variant in one mode; a recall per question and depth."""

    variant: Variant
    per_note: int
    mode: SearchMode
    chunks: int
    recalls: tuple[tuple[float, ...], ...]

    def at(self, column: int) -> list[float]:
        return [recall[column] for recall in self.recalls]


class BigramTokenizer(JiebaTokenizer):
    """Pairs of neighbouring Chinese characters as terms; all else as the tokenizer of the index has it."""

    @property
    def fingerprint(self) -> str:
        return "bigrams"

    def _word_terms(self, run: str) -> Iterator[str]:
        yield from map("".join, pairwise(run)) if len(run) > 1 else run

    _passage_terms = _word_terms

    def _is_word(self, term: str) -> bool:  # a pair with a particle in it tells as much as any other
        return True


class RememberingEmbedder:
    """An embedder that embeds each question once for all variants and modes."""

    def __init__(self, embedder: Embedder | None) -> None:
        assert embedder is not None
        self._embedder = embedder
        self._vectors: dict[str, Vectors] = {}
        self.model_id = embedder.model_id

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed_query(text)
        return self._vectors[text]


def main() -> None:
    arguments = _arguments()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        vault = Path(name).resolve() / "vault"
        cases = write_vault(arguments.dataset, arguments.lang, arguments.documents, vault)[: arguments.limit]
        embedder: RememberingEmbedder | None = None
        grid = itertools.product(arguments.sizes, arguments.overlaps, arguments.titles, arguments.terms)
        variants = [Variant(*size, *others) for size, *others in grid]
        for number, variant in enumerate(variants):
            overrides: dict[str, dict[str, object]] = {
                "index": {"dir": str(vault.parent / str(number))},
                "chunk": {"max_size": variant.max_size, "min_size": variant.min_size, "overlap": variant.overlap},
                "answer": {"chat": "none"},
            }
            with _varied(variant):
                app = App.open(vault, vault, overrides)
                embedder = embedder or RememberingEmbedder(app._parts.embedder(None))
                app._parts.__dict__["embedder"] = lambda base, made=embedder: made
                index_kept(app, "evidence", arguments.embeddings)
                for per_note in arguments.per_note:
                    rows += [measure(app, variant, per_note, mode, cases) for mode in _MODES]
                app.close()
    print_rows(rows, arguments.json)


def write_vault(dataset: Path, lang: str, limit: int | None, vault: Path) -> list[Case]:
    """Write a language's documents as notes; return the questions that they answer by themselves."""
    documents = [row for row in read_lines(dataset / "corpus.jsonl") if lang in ("", row["lang"])]
    documents = sorted(documents, key=lambda row: _place(str(row["id"])))[:limit]
    vault.mkdir(parents=True)
    for row in documents:
        title = json.dumps(row["title"], ensure_ascii=False)  # a JSON string is YAML, too
        (vault / f"{row['id']}.md").write_text(f"---\ntitle: {title}\n---\n{row['text']}\n", encoding="utf-8")
    ids = {str(row["id"]) for row in documents}
    queries = [row for row in read_lines(dataset / "queries.jsonl") if ids.issuperset(row["gold_ids"])]
    queries = [row for row in queries if row["evidence"]]
    say(f"{len(documents)} documents, {len(queries)} questions")
    queries.sort(key=lambda row: _place(str(row["id"])))  # --limit takes some of every kind
    return [Case(row["question"], tuple(sentence["text"] for sentence in row["evidence"])) for row in queries]


def measure(app: App, variant: Variant, per_note: int, mode: SearchMode, cases: Sequence[Case]) -> Row:
    """Ask all questions in one mode."""
    base = app._parts.search_policy(max(_DEPTHS))
    policy = policy_of(mode, replace(base, select=replace(base.select, max_per_note=per_note)))
    recalls: list[tuple[float, ...]] = []
    for number, case in enumerate(cases):
        if number % 200 == 0:
            say(f"{variant}, {per_note} a note, {mode}: {number} of {len(cases)}")
        try:
            found = app.find(case.question, NO_FILTERS, policy).result.candidates
        except QuestionError:
            found = ()
        texts = [candidate.chunk.text for candidate in found]
        recalls.append(tuple(evidence_recall(texts[:depth], case.evidence) for depth in _DEPTHS))
    return Row(variant, per_note, mode, app._readers.manifest.chunk_count, tuple(recalls))


def print_rows(rows: Sequence[Row], as_json: bool) -> None:
    """Print the means with their intervals, and what each row gains on the first one of its mode."""
    titles = ["size", "overlap", "title", "terms", "a note", "chunks", "n", "mode", "E@5", "95 %", "E@20", "E@5 gain"]
    first = {mode: next(row for row in rows if row.mode is mode) for mode in {row.mode for row in rows}}
    print_table(titles, [[*_labels(row), *_figures(row, first[row.mode])] for row in rows], as_json)


def _labels(row: Row) -> list[str]:
    variant, count = row.variant, str(len(row.recalls))
    cut = (f"{variant.min_size}-{variant.max_size}", f"{variant.overlap:g}", variant.titles, variant.terms)
    return [*cut, str(row.per_note), f"{row.chunks:,}", count, row.mode]


def _figures(row: Row, first: Row) -> list[str]:
    low, high = interval(row.at(0))
    means = [100 * statistics.fmean(row.at(column)) for column in range(len(_DEPTHS))]
    gain = "" if row is first else _gain(first.at(0), row.at(0))
    return [f"{means[0]:.1f}", f"{100 * low:.1f} to {100 * high:.1f}", f"{means[1]:.1f}", gain]


def _gain(before: list[float], now: list[float]) -> str:
    low, high = paired_interval(before, now)
    mean = statistics.fmean(now) - statistics.fmean(before)
    return f"{100 * mean:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"


@contextmanager
def _varied(variant: Variant) -> Iterator[None]:
    """Replace, inside this process only, what no setting changes."""
    with ExitStack() as stack:
        if variant.titles == "no":
            stack.enter_context(patch.object(Chunk, "embedded_text", lambda chunk: chunk.text))
        if variant.terms == "bigrams":
            stack.enter_context(patch.object(Parts, "tokenizer", lambda _, lexicon: BigramTokenizer(lexicon)))
        yield


def _place(name: str) -> str:
    return blake2b(name.encode(), digest_size=8).hexdigest()


def _size(text: str) -> tuple[int, int]:
    most, _, least = text.partition(":")
    return int(most), int(least) if least else int(most) // 3


def _list_of(read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    return lambda text: [read(item) for item in text.split(",")]


def _one_of(*known: str) -> Callable[[str], str]:
    return lambda word: known[known.index(word)]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--lang", default="", help="only the documents of this language")
    parser.add_argument("--documents", type=int, help="only so many documents, and the questions about them alone")
    parser.add_argument("--limit", type=int, help="only so many questions")
    parser.add_argument("--sizes", type=_list_of(_size), default="600:200")
    parser.add_argument("--overlaps", type=_list_of(float), default="0.12", help="shares of MAX")
    parser.add_argument("--titles", type=_list_of(_one_of("yes", "no")), default="yes", help="in the embedded text")
    parser.add_argument("--terms", type=_list_of(_one_of("words", "bigrams")), default="words")
    parser.add_argument("--per-note", type=_list_of(int), default="2", help="most passages of a note in the results")
    parser.add_argument("--embeddings", type=Path, help="folder that keeps the vectors")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
