"""Train the router of questions, measure it on writers that it has not seen, and write its weights.

    python benchmarks/train_router.py --vectors cache.npz --write
    python benchmarks/train_router.py --vectors cache.npz --on other/questions.jsonl

Each file of benchmarks/data/router holds the questions of one writer. One writer after the other is left out, and the
router trained on the rest is measured on that one. `--on` measures the router of the package, with the rules before
it, on a file that nothing was trained on. Training needs scikit-learn (`pip install "vault-graphrag[train]"`).
"""

import argparse
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphrag.domain.query import NO_FILTERS, AskedFor, Question, Route
from graphrag.understand.plan import understand
from graphrag.understand.question_grams import grams, normal_form, number_of, tokens
from graphrag.understand.router import ASKED, FILE, ROUTES, Judgement, Router, Weights, router

HERE = Path(__file__).parent
DATA = HERE / "data" / "router"
WEIGHTS = HERE.parent / "graphrag" / "understand" / FILE
KEPT = 5  # questions that a token must occur in to be kept in a frame
KNOWN = 2  # questions that an n-gram must occur in
SCALE = 2.2  # of the vector beside the n-grams
STRENGTH = 4.0  # inverse of the regularisation
LEVELS = 127  # of a weight in eight bits
# Of the writer of what the others lack: questions about the notes that look like others, and plain ones of each kind.
SUPPLEMENT, SHARE = "writer_4", 0.4
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, help="a file of vectors, made where it is missing")
    parser.add_argument("--write", action="store_true", help="write the weights into the package")
    parser.add_argument("--on", type=Path, nargs="*", default=[], help="files to measure the package's router on")
    options = parser.parse_args()
    vectors = Vectors(options.vectors)
    for path in options.on:
        measure_package(path, vectors)
    if options.on:
        return
    writers = {path.stem: read(path) for path in sorted(DATA.glob("*.jsonl"))}
    heat = cross_validate(writers, vectors)
    if options.write:
        write(train([row for rows in writers.values() for row in rows], vectors, heat))


def read(path: Path) -> list[Row]:
    share = SHARE if path.stem == SUPPLEMENT else 1.0
    return [
        {"share": share} | json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def fingerprint() -> str:
    """Return the fingerprint of the data, which the weights carry."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(DATA.glob("*.jsonl")))).hexdigest()


class Vectors:
    """The vectors of questions, kept in a file."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._held = path, dict[str, np.ndarray]()
        if path and path.exists():
            with np.load(path) as held:
                self._held = dict(zip(held["texts"].tolist(), held["vectors"], strict=True))

    def of(self, texts: Sequence[str]) -> np.ndarray:
        if missing := [text for text in dict.fromkeys(texts) if text not in self._held]:
            from graphrag.providers.onnx_embedder import OnnxEmbedder

            embedder = OnnxEmbedder()
            self._held |= {text: embedder.embed_query(text) for text in missing}
            if self._path:
                np.savez(self._path, texts=np.array([*self._held]), vectors=np.stack([*self._held.values()]))
        return np.stack([self._held[text] for text in texts])


def vocabulary(texts: Sequence[str]) -> Router:
    """Return a router without weights: the tokens and n-grams that it knows."""
    seen = Counter(token for text in texts for token in {*tokens(normal_form(text))})
    kept = np.array([number_of("t", token) for token, count in seen.items() if count >= KEPT], dtype=np.uint32)
    is_kept = frozenset(kept.tolist())
    found = Counter(gram for text in texts for family in grams(text, is_kept) for gram in family)
    known = np.array(sorted(gram for gram, count in found.items() if count >= KNOWN), dtype=np.uint32)
    rarity = np.array([np.log((1 + len(texts)) / (1 + found[int(gram)])) + 1 for gram in known], dtype=np.float16)
    nothing = Weights(*(np.zeros((0, 0)) for _ in range(4)))
    return Router(np.sort(kept), known, rarity.astype(np.float32), nothing, nothing, fingerprint())


def train(rows: Sequence[Row], vectors: Vectors, heat: Sequence[float]) -> Router:
    """Return the router trained on these questions; `heat` divides the scores of each head of each model."""
    empty = vocabulary([row["question"] for row in rows])
    alone = fit(empty, rows, None, heat[:3])
    with_vector = fit(empty, rows, vectors.of([row["question"] for row in rows]), heat[3:])
    return Router(empty.kept, empty.known, empty.rarity, alone, with_vector, empty.fingerprint)


def fit(empty: Router, rows: Sequence[Row], vectors: np.ndarray | None, heat: Sequence[float]) -> Weights:
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    found = [empty.features(row["question"]) for row in rows]
    ends = np.cumsum([0, *(len(places) for places, _ in found)])
    parts = (np.concatenate([values for _, values in found]), np.concatenate([places for places, _ in found]), ends)
    matrix = csr_matrix(parts, shape=(len(rows), len(empty.known)))
    middle = np.zeros(0) if vectors is None else vectors.mean(0)
    if vectors is not None:
        matrix = hstack([matrix, csr_matrix((vectors - middle) * SCALE)]).tocsr()
    columns, bias = [], []
    for (label, names), warmth in zip(HEADS, heat, strict=True):
        chosen = [place for place, row in enumerate(rows) if label(row) is not None]
        model = LogisticRegression(C=STRENGTH, max_iter=300, tol=1e-3, class_weight="balanced")
        labels, shares = zip(
            *((names.index(label(rows[place])), rows[place]["share"]) for place in chosen), strict=True
        )
        model.fit(matrix[chosen], labels, sample_weight=shares)
        columns.append(model.coef_.T / warmth)
        bias.append(model.intercept_ / warmth)
    weights, start = np.concatenate(columns, axis=1), np.concatenate(bias)
    of_grams, of_vector = weights[: len(empty.known)], weights[len(empty.known) :] * SCALE
    start = start - (middle @ of_vector if vectors is not None else 0)
    packed = [in_eight_bits(part) for part in (of_grams, of_vector)]
    scales = np.stack([scale for _, scale in packed]).astype(np.float32)
    return Weights(packed[0][0], packed[1][0], scales, start.astype(np.float32))


def in_eight_bits(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scale = np.abs(weights).max(axis=0, initial=1e-9) / LEVELS
    return np.round(weights / scale).astype(np.int8), scale


def route_of(row: Row) -> str | None:
    """Return the label of a question that stands by itself."""
    return None if row["leans"] else str(Route(row["route"]))


def asked_of(row: Row) -> str | None:
    return None if row["leans"] or row["asked"] in (None, "none") else str(AskedFor(row["asked"]))


HEADS: tuple[tuple[Callable[[Row], Any], Sequence[Any]], ...] = (
    (route_of, [*map(str, ROUTES)]),
    (asked_of, [*map(str, ASKED)]),
    (lambda row: bool(row["leans"]), [False, True]),
)


def cross_validate(writers: dict[str, list[Row]], vectors: Vectors) -> list[float]:
    """Print how the router does on each writer, trained on the others; return the heat of each head."""
    heat = [1.0] * 6
    told: dict[bool, list[tuple[Row, Judgement]]] = {False: [], True: []}
    for name, rows in writers.items():
        rest = [row for other, some in writers.items() if other != name for row in some]
        trained = train(rest, vectors, heat)
        for has_vector in told:
            judged = [
                (row, trained.judge(row["question"], vector)) for row, vector in beside(rows, vectors, has_vector)
            ]
            told[has_vector] += judged if name != SUPPLEMENT else []
            print(f"{name} {'with its vector' if has_vector else 'n-grams alone':15}  {figures(judged)}")
    for has_vector, judged in told.items():
        print(f"\nall but {SUPPLEMENT}, {'with the vector' if has_vector else 'n-grams alone'}: {figures(judged)}")
        print_table(judged)
        warmest = [heat_of(judged, head) for head in range(3)]
        heat[3 * has_vector : 3 * has_vector + 3] = warmest
        print("heat:", *(f"{warmth:.2f}" for warmth in warmest))
    return heat


def beside(rows: Sequence[Row], vectors: Vectors, has_vector: bool) -> Iterable[tuple[Row, np.ndarray | None]]:
    made = vectors.of([row["question"] for row in rows]) if has_vector else [None] * len(rows)
    return zip(rows, made, strict=True)


def heat_of(judged: Sequence[tuple[Row, Judgement]], head: int) -> float:
    """Return the number that the scores are divided by, so that the probabilities of unseen questions are true.

    Only the probability of the first choice is known here; its odds against the rest are taken to be those of two.
    """
    pairs = []
    for row, found in judged:
        label = HEADS[head][0](row)
        if label is not None:
            guess = ((str(found.route), found.sure), (str(found.asked_for), found.asked_sure), (True, found.leans))[
                head
            ]
            pairs.append((guess[0] == label, min(max(guess[1], 1e-6), 1 - 1e-6)))
    is_right, sure = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    odds = np.log(sure / (1 - sure))

    def loss(warmth: float) -> float:
        shares = 1 / (1 + np.exp(-odds / warmth))
        return float(-np.log(np.where(is_right, shares, 1 - shares)).mean())

    return min(np.arange(0.3, 2.5, 0.05), key=loss)


def figures(judged: Sequence[tuple[Row, Judgement]]) -> str:
    route = [route_of(row) == found.route for row, found in judged if route_of(row)]
    direct = [(row["route"] == "direct") == (found.route is Route.DIRECT) for row, found in judged if route_of(row)]
    asked = [asked_of(row) == found.asked_for for row, found in judged if asked_of(row)]
    leans = [bool(row["leans"]) == (found.leans > 0.5) for row, found in judged]
    names = ("route", "direct", "asked", "leans")
    return "  ".join(
        f"{name} {np.mean(some):.3f}" for name, some in zip(names, (route, direct, asked, leans), strict=True)
    )


def print_table(judged: Sequence[tuple[Row, Judgement]]) -> None:
    for name, label, found_by in (
        ("route", route_of, lambda found: str(found.route)),
        ("asked for", asked_of, lambda found: str(found.asked_for)),
    ):
        pairs = Counter((label(row), found_by(found)) for row, found in judged if label(row))
        print_confusion(name, pairs)
    print_confusion("leans", Counter((str(bool(row["leans"])), str(found.leans > 0.5)) for row, found in judged))


def print_confusion(name: str, pairs: Counter[tuple[Any, str]]) -> None:
    """Print a line for each label: how many, how many of them are found, and what the others are taken for."""
    for label in sorted({label for label, _ in pairs}):
        total = sum(count for (is_, _), count in pairs.items() if is_ == label)
        wrong = {found: count for (is_, found), count in pairs.most_common() if is_ == label and found != label}
        right = pairs[label, label]
        taken = sum(count for (_, found), count in pairs.items() if found == label)
        others = ", ".join(f"{found} {count}" for found, count in wrong.items())
        print(f"  {name} {label:11} {total:4}  found {right / total:.3f}  right {right / (taken or 1):.3f}  {others}")


class NoNames:
    """A vault without notes."""

    def notes_called(self, _: str) -> frozenset[str]:
        return frozenset()

    def notes_of(self, _: object) -> frozenset[str]:
        return frozenset()


def measure_package(path: Path, vectors: Vectors) -> None:
    """Print how rules and the package's router do together on a file."""
    rows = [{"leans": False, "asked": None, **row} for row in read(path)]
    for has_vector in (False, True):
        pairs: Counter[tuple[Any, str]] = Counter()
        asked, leans, by_rule = [], [], 0
        for row, vector in beside(rows, vectors, has_vector):
            text = row["question"]
            plan = understand(Question(text, text, NO_FILTERS), NoNames(), vector_of=lambda vector=vector: vector)
            leans.append(bool(row["leans"]) == (router().judge(text, vector).leans > 0.5))
            if route_of(row):
                pairs[route_of(row), str(plan.route)] += 1
                by_rule += plan.sure is None
            if asked_of(row):
                asked.append(asked_of(row) == plan.asked_for)
        total, right = sum(pairs.values()), sum(count for (is_, found), count in pairs.items() if is_ == found)
        direct = sum(count for (is_, found), count in pairs.items() if (is_ == "direct") == (found == "direct"))
        print(
            f"{path.name}, {'with the vector' if has_vector else 'n-grams alone'}: route {right / total:.3f}  "
            f"direct {direct / total:.3f}  asked {np.mean(asked or [0]):.3f}  leans {np.mean(leans):.3f}  "
            f"by rules {by_rule / total:.2f}"
        )
        print_confusion("route", pairs)


def write(trained: Router) -> None:
    models = {"alone": trained.alone, "with_vector": trained.with_vector}
    weights = {
        f"{name}_{part}": getattr(model, part)
        for name, model in models.items()
        for part in ("grams", "vector", "scales", "bias")
    }
    np.savez_compressed(
        WEIGHTS,
        kept=trained.kept,
        known=trained.known,
        rarity=trained.rarity.astype(np.float16),
        fingerprint=np.array(trained.fingerprint),
        **weights,
    )
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size / 1000:.0f} KB, {len(trained.known)} n-grams")


if __name__ == "__main__":
    main()
