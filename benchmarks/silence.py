"""Fits the weights of the decision whether the notes hold an answer, and measures it; one table, one run.

python benchmarks/silence.py ~/notes=questions.jsonl zh-retrieval-dev/cmrc2018 rgb-dev/rgb.jsonl --limit 110

A set is an indexed vault with a case file, a folder of `corpus.jsonl` and `queries.jsonl` (of several languages, the
Chinese part), or RGB's file (each question's first three passages that answer and six that do not, all in one vault).
Every question is asked as it is and, where notes answer it, once more with these hidden. A set is measured by weights
that are fitted on the other sets; precision and recall of refusals are at the default threshold, over the questions as
they are where the set has some without an answer, else over all. The last lines are the weights fitted on all sets.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
from figures import print_table, say
from numpy.typing import NDArray
from passages import index_kept, note_of, read_lines, read_rgb, write_passages

from graphrag.app import App
from graphrag.domain.query import NO_FILTERS, Filters
from graphrag.evaluate.cases import Case, read_cases
from graphrag.retrieve.confidence import DEFAULT_CONFIDENCE, Signs, read_signs_of

_PENALTY = 0.02  # of squared weights on standardized signs, against the mean loss
_PER_CLASS = 60  # questions of a set and kind beyond which each counts less
_STEPS = 30


@dataclass(frozen=True)
class Asked:
    """A question with the notes that answer it."""

    question: str
    gold: frozenset[str]
    filters: Filters = NO_FILTERS


@dataclass(frozen=True)
class Row:
    """One question, as it is or with its notes hidden."""

    dataset: str
    is_held: bool
    is_hidden: bool
    signs: Signs


def main() -> None:
    arguments = _arguments()
    rows: list[Row] = []
    for source in arguments.sets:
        with opened(source, arguments.embeddings, arguments.limit) as (name, app, asked):
            random.Random(5).shuffle(asked)
            rows += measure(name, app, [item for item in asked if item.gold][: arguments.limit])
            rows += measure(name, app, [item for item in asked if not item.gold])
    names = list(dict.fromkeys(row.dataset for row in rows))
    titles = ["set", "n", "AUC", "refusals P", "R", "AUC without vectors"]
    print_table(titles, [_cells(rows, name) for name in names], False)
    for with_vectors in (True, False):
        print(_told(fit(rows, with_vectors), with_vectors))


def measure(name: str, app: App, asked: Sequence[Asked]) -> list[Row]:
    """Read the signs of each question, and of those with an answer once more without it."""
    rows = []
    policy = app._parts.search_policy()
    for number, item in enumerate(asked):
        if number % 50 == 0:
            say(f"{name}: {number} of {len(asked)}")
        for hidden in [frozenset(), item.gold] if item.gold else [frozenset()]:
            found = app.find(item.question, item.filters, replace(policy, hidden=hidden))
            signs = read_signs_of(app._readers, item.question, found.result.candidates, found.weights, found.vector)
            rows.append(Row(name, bool(item.gold) and not hidden, bool(hidden), signs))
    return rows


@contextmanager
def opened(source: str, embeddings: Path | None, limit: int | None) -> Iterator[tuple[str, App, list[Asked]]]:
    """Open a set's vault, made for the time being unless it is one already."""
    vault, _, cases = source.partition("=")
    if cases:
        app = App.open(Path(vault), Path(vault), {"answer": {"chat": "none"}})
        yield Path(cases).stem, app, list(map(_asked, read_cases(Path(cases))))
        app.close()
        return
    with tempfile.TemporaryDirectory() as folder:
        root, path = Path(folder) / "vault", Path(source)
        asked = _write_rgb(path, root, limit) if path.is_file() else _write_set(path, root)
        app = App.open(root, root, {"answer": {"chat": "none"}})
        name = path.stem
        index_kept(app, name, embeddings)
        yield name, app, asked
        app.close()


def _asked(case: Case) -> Asked:
    return Asked(case.question, frozenset(target.note for target in case.relevant or ()), case.filters)


def _write_set(path: Path, vault: Path) -> list[Asked]:
    corpus, queries = (list(read_lines(path / name)) for name in ("corpus.jsonl", "queries.jsonl"))
    if "lang" in corpus[0]:
        queries = [query for query in queries if query["lang"] == "zh"]
        vault.mkdir(parents=True)
        for row in (row for row in corpus if row["lang"] == "zh"):
            head = f"---\ntitle: {json.dumps(row['title'], ensure_ascii=False)}\n---\n"
            file = vault / note_of(str(row["id"]))
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{head}{row['text']}\n", encoding="utf-8")
    else:
        write_passages(path, vault)
    return [Asked(str(query["question"]), frozenset(map(note_of, query["gold_ids"]))) for query in queries]


def _write_rgb(path: Path, vault: Path, limit: int | None) -> list[Asked]:
    asked = []
    for question in read_rgb(path, limit):
        passages = {f"{question.id}/p{place}.md": text for place, text in enumerate(question.positive)}
        others = {f"{question.id}/n{place}.md": text for place, text in enumerate(question.negative)}
        (vault / question.id).mkdir(parents=True)
        for name, text in {**passages, **others}.items():
            (vault / name).write_text(f"{text}\n", encoding="utf-8")
        asked.append(Asked(question.text, frozenset(passages)))
    return asked


@dataclass(frozen=True)
class Fitted:
    """Weights of a logistic model: a bias, then one for each sign."""

    bias: float
    weights: NDArray[np.float64]

    def confidences(self, signs: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1 / (1 + np.exp(-(self.bias + signs @ self.weights)))


def fit(rows: Sequence[Row], with_vectors: bool) -> Fitted:
    """Fit by Newton's method with a penalty on the weights; sets and classes of any size count about the same."""
    signs, held = _matrix(rows, with_vectors), np.array([row.is_held for row in rows], dtype=np.float64)
    counts: dict[tuple[str, bool], int] = {}
    for row in rows:
        counts[row.dataset, row.is_held] = counts.get((row.dataset, row.is_held), 0) + 1
    weight = np.array([min(1.0, _PER_CLASS / counts[row.dataset, row.is_held]) for row in rows])
    mean, spread = signs.mean(axis=0), signs.std(axis=0)
    deviation = np.where(spread > 0, spread, 1.0)  # a sign that no row shows
    inputs = np.column_stack([np.ones(len(rows)), (signs - mean) / deviation])
    penalty = np.diag([0.0] + [_PENALTY * weight.sum()] * signs.shape[1])
    found = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-inputs @ found))
        slope = inputs.T @ (weight * (held - chance)) - penalty @ found
        curve = (inputs * (weight * chance * (1 - chance))[:, None]).T @ inputs + penalty
        found = found + np.linalg.solve(curve, slope)
    return Fitted(float(found[0] - (found[1:] * mean / deviation).sum()), found[1:] / deviation)


def _matrix(rows: Sequence[Row], with_vectors: bool) -> NDArray[np.float64]:
    columns = len(fields(Signs)) if with_vectors else len(fields(Signs)) - 1
    return np.array([[value or 0.0 for value in astuple(row.signs)[:columns]] for row in rows])


def _cells(rows: Sequence[Row], name: str) -> list[str]:
    own, others = [row for row in rows if row.dataset == name], [row for row in rows if row.dataset != name]
    asked = [row for row in own if not row.is_hidden]
    shown = own if all(row.is_held for row in asked) else asked
    held = np.array([row.is_held for row in shown])
    found = fit(others, True).confidences(_matrix(shown, True))
    words = fit(others, False).confidences(_matrix(shown, False))
    refused = found < DEFAULT_CONFIDENCE
    right = float((refused & ~held).sum())
    precision, recall = right / max(1, refused.sum()), right / max(1, (~held).sum())
    return [
        name,
        str(len(shown)),
        f"{_auc(found, held):.3f}",
        f"{precision:.2f}",
        f"{recall:.2f}",
        f"{_auc(words, held):.3f}",
    ]


def _auc(confidences: NDArray[np.float64], held: NDArray[np.bool_]) -> float:
    """Return the share of pairs of a question with and one without an answer that stand in the right order."""
    pairs = confidences[held][:, None] - confidences[~held][None, :]
    return float(((pairs > 0) + 0.5 * (pairs == 0)).mean())


def _told(fitted: Fitted, with_vectors: bool) -> str:
    names = [field.name for field in fields(Signs)]
    told = ", ".join(f"{name}={value:.3f}" for name, value in zip(names, fitted.weights, strict=False))
    return f"{'with' if with_vectors else 'without'} vectors: bias={fitted.bias:.3f}, {told}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--limit", type=int, help="only so many questions with an answer of each set")
    parser.add_argument("--embeddings", type=Path, help="folder that keeps the vectors of each set")
    return parser.parse_args()


if __name__ == "__main__":
    main()
