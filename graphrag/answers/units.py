"""A context -> the units that an answer may quote, and their order, the unit that answers first.

A unit is a sentence, a list item, a table's row or a line of code. It knows what it stands under (title, heading path,
lead-in, column names), since a sentence alone seldom says what it is about.

The order is a linear model's, over signs of each unit: a conditional logit, by which the chance that a unit answers is
its share of the exponents of all units' scores. `benchmarks/answer_units.py` trains it on public question sets;
docs/quality.md has the figures on sets outside of it.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.ports import Tokenizer, Vectors
from graphrag.domain.query import AskedFor, Context, ContextBlock
from graphrag.language.dates import read_dates
from graphrag.language.numbers import COUNT, MONEY_UNITS, PERCENT, read_figures
from graphrag.language.sentences import PassageSentence, SentenceKind, fit_sentences

Signs = NDArray[np.float64]
_FAR = -4.0  # deviations, of a unit that was not embedded

_PIECE = re.compile(r"[\u3400-\u9fff]+|[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_ASKING = re.compile(
    r"什么|甚么|多少|哪[些个里儿年月天位种家项]?|谁|几[个次年天种时点]?|怎么样?|如何|为什么|为何|是否|吗|呢|请问"
    r"|\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|the|a|an|of|in|to|for)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?？]\s*\Z|吗[。.]?\s*\Z")
_NUMBER = re.compile(
    r"\d|[二两三四五六七八九十百千万亿半]\s*[\u3400-\u9fff%]|\b(?:two|three|four|five|six|ten|dozen|hundred)\b", re.I
)
_TIME = re.compile(
    r"\d\s*(?:年|月|日|号|天|周|小时|分|秒|点|時|號)|\d:\d\d|(?:星期|周|礼拜)[一二三四五六日天]|世纪|年代|凌晨|早上|下午|晚上|年初|年底"
    r"|\b(?:1[0-9]|20)\d\d\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|days?|weeks?|months?|years?|hours?|minutes?)\b",
    re.I,
)
_GIVES = {AskedFor.NUMBER: _NUMBER, AskedFor.TIME: _TIME}
_COUNTER = re.compile(r"(?:多少|几)\s*(?P<counter>[个\u3400-\u9fff]{1,2})|how many (?P<things>[a-z]+)", re.I)

_LENGTH = ("second", "working day", "month", "year")
_MEASURES = (
    (re.compile(r"多久|多长时间|多長時間|\bhow (?:long|soon|quickly)\b", re.I), _LENGTH),
    (
        re.compile(
            r"多少钱|多少錢|[什啥]么价|价钱|价格|费用|多贵|\bhow much (?:is|are|does|do|did|was|were)\b|\bcosts?\b",
            re.I,
        ),
        tuple(MONEY_UNITS),
    ),
    (re.compile(r"多[远高宽厚深遠寬]|多长(?!时)|\bhow (?:far|tall|high|wide|deep)\b", re.I), ("metre",)),
    (re.compile(r"多[重沉]|\bhow heavy\b|\bweigh", re.I), ("gram",)),
    (
        re.compile(r"百分之[几多]|(?:比例|占比|费率|成功率|折扣)(?:是|为|有)?多少|\bwhat (?:share|percentage)\b", re.I),
        (PERCENT,),
    ),
)

NAMES = (
    "held_beyond_title",
    "held_with_lead",
    "held_rare",
    "runs_rare",
    "longest_run",
    "gives_what_is_asked",
    "counts_as_asked",
    "is_question",
    "length",
    "share",
    "block",
    "repeats_question",
    "similarity",
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a block that an answer may quote by itself."""

    said: PassageSentence
    key: int  # of its block
    place: int  # within the context
    title: str  # of the note, with the headings that it stands under
    share: float  # of the passage that comes before it, from 0 to 1

    @property
    def text(self) -> str:
        """What it says."""
        return self.said.text

    @property
    def under(self) -> str:
        """The lead-in, column names and heading that it is read under."""
        return self.said.lead

    @property
    def read_text(self) -> str:
        """What it says, a row with the names of its columns: `数据库 | 马超` alone does not say who is in charge."""
        return f"{self.under} {self.text}" if self.said.kind is SentenceKind.ROW else self.text

    @property
    def embedded_text(self) -> str:
        """What the embedder reads of it: a sentence alone seldom says what it is about."""
        return f"{self.title}\n{self.under} {self.text}".strip()


def units_of(context: Context) -> list[Unit]:
    """Return the units of all blocks, in their order."""
    units: list[Unit] = []
    for block in context.blocks:
        units += _units_of_block(block, len(units))
    return units


def _units_of_block(block: ContextBlock, place: int) -> Iterator[Unit]:
    chunk = block.chunk
    said = list(fit_sentences(chunk.text))
    title = " ".join((chunk.title, *chunk.heading))
    for number, sentence in enumerate(said):
        yield Unit(
            said=sentence,
            key=block.key,
            place=place + number,
            title=title,
            share=number / len(said),
        )


@dataclass(frozen=True, slots=True)
class UnitModel:
    """A weight for each sign; one set of them for vaults with vectors, one for those without."""

    with_vectors: Signs
    words_alone: Signs

    def scores(self, signs: Signs, has_vectors: bool) -> Signs:
        """Return the score of each unit, shape (n,); `signs` has shape (n, len(NAMES))."""
        return signs @ (self.with_vectors if has_vectors else self.words_alone)


@cache
def unit_model() -> UnitModel:
    """Return the model of this package."""
    data = json.loads(resources.files("graphrag.answers").joinpath("unit_model.json").read_text(encoding="utf-8"))
    weights = [
        np.array([data.get(kind, {}).get(name, 0.0) for name in NAMES]) for kind in ("with_vectors", "words_alone")
    ]
    return UnitModel(*weights)


def read_signs(
    question: str,
    asked: AskedFor,
    units: Sequence[Unit],
    weights: Mapping[str, float],
    tokenizer: Tokenizer,
    similarities: Vectors | None = None,
) -> Signs:
    """Return the signs of each unit, shape (len(units), len(NAMES)); `weights` are those of the question's terms.

    `similarities` are as for `with_similarities`, which can also add them later.
    """
    reader = _SignReader(question, asked, weights, tokenizer, units)
    own = np.array([reader.read(unit) for unit in units]).reshape(len(units), len(NAMES) - 1)
    signs = np.column_stack([own, np.zeros(len(units))])
    return signs if similarities is None else with_similarities(signs, similarities)


def with_similarities(signs: Signs, similarities: Vectors) -> Signs:
    """Return the signs with the similarity of question and unit, shape (n,), NaN where a unit was not embedded.

    It counts in deviations from the best one, since each embedder has a scale of its own.
    """
    known = similarities[~np.isnan(similarities)].astype(np.float64)
    spread = float(known.std()) if len(known) else 0.0
    if not spread:
        return signs
    near = np.nan_to_num((similarities.astype(np.float64) - known.max()) / spread, nan=_FAR)
    return np.column_stack([signs[:, :-1], near])


class _SignReader:
    def __init__(
        self,
        question: str,
        asked: AskedFor,
        weights: Mapping[str, float],
        tokenizer: Tokenizer,
        units: Sequence[Unit],
    ) -> None:
        self._kind = _GIVES.get(asked)
        self._weights = weights
        self._tokenizer = tokenizer
        self._plain = _folded(question)
        bare = _ASKING.sub(" ", question.lower())
        self._pieces = [piece for piece in _PIECE.findall(bare) if piece]
        self._runs = {run for piece in self._pieces for run in _runs_of(piece)}
        self._size = sum(map(len, self._pieces)) or 1
        self._counted = _counted(question)
        self._terms: dict[str, frozenset[str]] = {}
        terms = [self._terms_of(unit.read_text) for unit in units]
        texts = [unit.read_text.lower() for unit in units]
        self._rare = {
            term: weight * _rarity(sum(term in own for own in terms), len(units)) for term, weight in weights.items()
        }
        self._rare_runs = {run: _rarity(sum(run in text for text in texts), len(units)) for run in self._runs}

    def read(self, unit: Unit) -> list[float]:
        text = unit.read_text.lower()
        own = self._terms_of(unit.read_text)
        title = self._terms_of(unit.title)
        beyond = {term: weight for term, weight in self._weights.items() if term not in title}
        return [
            _held(own, beyond),
            _held(own | self._terms_of(unit.under), beyond),
            _held(own, self._rare),
            _share(sum(rarity for run, rarity in self._rare_runs.items() if run in text), self._rare_runs),
            self._longest_run(text) / self._size,
            float(bool(self._kind and self._kind.search(unit.text))),
            float(self._counted(unit.text)),
            float(bool(_QUESTION.search(unit.text))),
            math.log1p(len(text)) / 5,
            unit.share,
            1 / unit.key,
            float(_folded(unit.text) in self._plain),
        ]

    def _terms_of(self, text: str) -> frozenset[str]:
        if text not in self._terms:
            self._terms[text] = frozenset(self._tokenizer.tokenize(text)) if text else frozenset()
        return self._terms[text]

    def _longest_run(self, text: str) -> int:
        """Return the characters of the longest stretch of the question that stands in a text."""
        best = 0
        for piece in self._pieces:
            for start in range(len(piece)):
                while start + best < len(piece) and piece[start : start + best + 1] in text:
                    best += 1
        return best


def _counted(question: str) -> Callable[[str], bool]:
    """Return what tells whether a text gives the amount that is asked for: 5 秒 for 多少秒 and 多久, 3 台 for 几台."""
    if units := frozenset(unit for form, units in _MEASURES if form.search(question) for unit in units):
        return lambda text: _gives(units, text)
    found = _COUNTER.search(question)
    if not found:
        return lambda _: False
    counter = (found["things"] or found["counter"]).lower()
    units = frozenset(figure.unit for figure in read_figures(f"3 {counter}")) - {"", COUNT}
    if units:
        return lambda text: _gives(units, text)
    thing = re.escape(counter if found["things"] else counter[0])
    form = re.compile(rf"[\d〇零一二两三四五六七八九十百千万亿]\s*{thing}")
    return lambda text: bool(form.search(text.lower()))


def _gives(units: Collection[str], text: str) -> bool:
    """Whether a text gives an amount of one of these units; the year and the month of a date are none."""
    dates = [(dated.start, dated.end) for dated in read_dates(text)]
    return any(
        figure.unit in units and not any(start < figure.end and figure.start < end for start, end in dates)
        for figure in read_figures(text)
    )


def _held(terms: frozenset[str], weights: Mapping[str, float]) -> float:
    return _share(sum(weight for term, weight in weights.items() if term in terms), weights)


def _share(part: float, weights: Mapping[str, float]) -> float:
    total = sum(weights.values())
    return part / total if total else 0.0


def _rarity(count: int, units: int) -> float:
    """Return how much something tells between units, 0 where none or all of them hold it: its subject is in many."""
    return math.log((units + 1) / (count + 0.5)) if count else 0.0


def _runs_of(piece: str) -> list[str]:
    """Return the pairs of neighbouring characters of a Chinese piece, or a Latin word as it is."""
    return [piece[place : place + 2] for place in range(len(piece) - 1)] if _CHINESE.match(piece) else [piece]


def _folded(text: str) -> str:
    return "".join(_PIECE.findall(text.lower()))
