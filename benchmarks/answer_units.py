"""Trains and measures which sentence, item or row of the best passages an answer quotes first.

    python benchmarks/answer_units.py DATA --embeddings cache/ --limit 400 [--train]

DATA holds `zh-retrieval-dev/{cmrc2018,drcd}`, `dragonball-dev`, `rgb-dev`, and `vaults/NAME` with `cases/NAME.jsonl`,
in their plain forms. A set becomes a vault, its questions are searched as a user's are, and the right passage is added
where it is not among the first. A unit is right when it holds the answer (of dragonball and the vaults, the evidence).
`--train` fits the weights on half of cmrc2018, dragonball and javaguide, by passage, and on the example vault, each set
counting alike, and writes them into the package; the other halves and all other sets are never trained on.

`first` is the share of questions whose first unit is right, `200` and `400` the shares with a right one within so many
characters. Without `--embeddings` there are no vectors. `--keep FOLDER` keeps what the searches found for the next run.
"""

import argparse
import json
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import md5, sha256
from pathlib import Path

import numpy as np
from figures import print_table, say
from passages import index_kept, note_of, read_lines, read_rgb, write_passages

from graphrag.answers.units import NAMES, Signs, Unit, UnitModel, read_signs, unit_model, units_of
from graphrag.app import App
from graphrag.domain.query import NO_FILTERS, AskedFor
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.retrieve.pipeline import StageClock, build_context, search, search_policy
from graphrag.understand.filters import read_question
from graphrag.understand.plan import understand

_BLOCKS = 6
_BUDGET = 3000  # tokens of context
_MODEL = Path(__file__).parents[1] / "graphrag/answers/unit_model.json"
_STEPS, _RATE, _DECAY = 600, 0.5, 0.002


@dataclass(frozen=True)
class Asked:
    """A question with the notes that answer it and what tells a right unit."""

    id: str
    question: str
    gold: Sequence[str]
    is_right: Callable[[str], bool]


@dataclass(frozen=True)
class Example:
    """The units that an answer could quote, their signs, and which of them are right."""

    question: str
    signs: Signs
    texts: Sequence[str]
    right: np.ndarray
    in_view: bool  # may be trained on

    @property
    def lengths(self) -> np.ndarray:
        return np.array([len(text) for text in self.texts])


@dataclass(frozen=True)
class Searched:
    """A question with the units that its passages hold."""

    asked: str
    asked_for: AskedFor
    units: Sequence[Unit]
    weights: dict[str, float]
    similarities: np.ndarray | None
    right: np.ndarray
    gold: str


def main() -> None:
    arguments = _arguments()
    examples = {name: list(_examples(name, arguments)) for name in arguments.sets}
    has_vectors = arguments.embeddings is not None
    if arguments.train:
        _train(examples, has_vectors)
        unit_model.cache_clear()
    model = unit_model()
    rows = []
    for name, found in examples.items():
        for in_view in (True, False):
            part = [example for example in found if example.in_view is in_view]
            if part:
                rows.append(
                    [name, "in view" if in_view else "apart", str(len(part)), *_figures(part, model, has_vectors)]
                )
    print_table(["set", "part", "n", "first", "any of 4", "200", "400", "possible"], rows, arguments.json)
    if arguments.show:
        _print_wrong(examples[arguments.show], model, has_vectors)
    if arguments.ablate:
        _print_worth(examples, has_vectors)


def _figures(examples: Sequence[Example], model: UnitModel, has_vectors: bool) -> list[str]:
    first, four, short, long, possible = 0, 0, 0, 0, 0
    for example in examples:
        order = np.argsort(-model.scores(example.signs, has_vectors), kind="stable")
        right = example.right[order]
        used = np.cumsum(example.lengths[order])
        first += bool(right[:1].any())
        four += bool(right[:4].any())
        short += bool(
            right[: 1 + int(np.searchsorted(used, 200))][used[: 1 + int(np.searchsorted(used, 200))] <= 200].any()
            or right[:1].any()
        )
        long += bool(right[used <= 400].any() or right[:1].any())
        possible += bool(right.any())
    return [f"{count / len(examples):.3f}" for count in (first, four, short, long, possible)]


def _print_wrong(examples: Sequence[Example], model: UnitModel, has_vectors: bool) -> None:
    for example in examples:
        scores = model.scores(example.signs, has_vectors)
        first = int(np.argmax(scores))
        if not example.right[first]:
            right = [example.texts[place] for place in np.flatnonzero(example.right)][:1]
            print(f"? {example.question}\n  - {example.texts[first][:160]}\n  + {(right or ['(none)'])[0][:160]}")


def _train(examples: dict[str, list[Example]], has_vectors: bool) -> None:
    kind = "with_vectors" if has_vectors else "words_alone"
    sets = _in_view(examples)
    weights = fit(sets, () if has_vectors else [NAMES.index("similarity")])
    data = json.loads(_MODEL.read_text(encoding="utf-8")) if _MODEL.exists() else {}
    data[kind] = {name: round(float(weight), 4) for name, weight in zip(NAMES, weights, strict=True)}
    part = [example for found in sets for example in found]
    digest = sha256(b"".join(example.signs.tobytes() for example in part)).hexdigest()[:16]
    data[f"{kind}_data"] = {"questions": len(part), "fingerprint": digest}
    _MODEL.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _in_view(examples: dict[str, list[Example]]) -> list[list[Example]]:
    """Return what may be trained on of each set."""
    parts = ([example for example in found if example.in_view and example.right.any()] for found in examples.values())
    return [part for part in parts if part]


def fit(sets: Sequence[Sequence[Example]], without: Sequence[int]) -> np.ndarray:
    """Return the weights under which the right units get the largest share of the exponents of all scores."""
    examples = [example for found in sets for example in found]
    counts = np.concatenate([np.full(len(found), 1 / len(found) / len(sets)) for found in sets])
    sizes = [len(example.right) for example in examples]
    signs = np.concatenate([example.signs for example in examples])
    right = np.concatenate([example.right for example in examples])
    group = np.repeat(np.arange(len(examples)), sizes)
    scale = signs.std(axis=0)
    scale[scale == 0] = 1
    signs[:, without] = 0
    scaled = signs / scale
    weights = np.zeros(len(NAMES))
    moment, spread = np.zeros(len(NAMES)), np.zeros(len(NAMES))
    for step in range(1, _STEPS + 1):
        chance = _shares(scaled @ weights, group)
        wanted = chance * right
        total = np.bincount(group, wanted)[group]
        gradient = scaled.T @ ((chance - wanted / np.maximum(total, 1e-12)) * counts[group]) + _DECAY * weights
        moment, spread = 0.9 * moment + 0.1 * gradient, 0.999 * spread + 0.001 * gradient**2
        weights -= _RATE / np.sqrt(step) * (moment / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.999**step)) + 1e-8)
    return weights / scale


def _shares(scores: np.ndarray, group: np.ndarray) -> np.ndarray:
    highest = np.full(group[-1] + 1, -np.inf)
    np.maximum.at(highest, group, scores)
    powers = np.exp(scores - highest[group])
    return powers / np.bincount(group, powers)[group]


def _print_worth(examples: dict[str, list[Example]], has_vectors: bool) -> None:
    part = _in_view(examples)
    shown = [example for found in part for example in found]
    apart = [example for found in examples.values() for example in found if not example.in_view]
    gone = [] if has_vectors else [NAMES.index("similarity")]
    rows = []
    for place in (-1, *range(len(NAMES))):
        without = [*gone, *([place] if place >= 0 else [])]
        weights = fit(part, without)
        model = UnitModel(weights, weights)
        rows.append(
            [
                "all" if place < 0 else f"without {NAMES[place]}",
                *_figures(shown, model, True)[:3],
                *_figures(apart, model, True)[:3],
            ]
        )
    print_table(["signs", "first", "any of 4", "200", "apart: first", "any of 4", "200"], rows, False)


def _examples(name: str, arguments: argparse.Namespace) -> Iterator[Example]:
    tokenizer = JiebaTokenizer()
    for item in _kept(name, arguments):
        signs = read_signs(item.asked, item.asked_for, item.units, item.weights, tokenizer, item.similarities)
        in_view = name == _OWN or (name in _TRAINED and md5(item.gold.encode()).digest()[0] % 2 == 0)
        yield Example(item.asked, signs, [unit.text for unit in item.units], item.right, in_view)


def _kept(name: str, arguments: argparse.Namespace) -> list[Searched]:
    if arguments.keep is None:
        return list(_search(name, arguments))
    file = arguments.keep / f"{name}-{arguments.limit}{'' if arguments.embeddings else '-words'}.pickle"
    if not file.exists():
        arguments.keep.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(list(_search(name, arguments))))
    return pickle.loads(file.read_bytes())


def _search(name: str, arguments: argparse.Namespace) -> Iterator[Searched]:
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        vault.mkdir()
        asked = _READERS[name](arguments.data, vault)
        asked.sort(key=lambda item: md5(item.id.encode()).hexdigest())
        embedder = {} if arguments.embeddings else {"index": {"embedder": "none"}}
        app = App.open(vault, vault, embedder)
        index_kept(app, name, arguments.embeddings)
        readers = app._readers
        for number, item in enumerate(asked[: arguments.limit]):
            if number % 50 == 0:
                say(f"{name}: {number} of {min(len(asked), arguments.limit)}")
            plan = understand(read_question(item.question, NO_FILTERS), readers)
            found = search(readers, plan, search_policy(app._parts.settings), StageClock())
            chunks = [candidate.chunk for candidate in found.result.candidates][:_BLOCKS]
            present = {chunk.note for chunk in chunks}
            missing = readers.chunks.chunks_of([note for note in item.gold if note not in present], NO_FILTERS)
            chunks += [chunk for note in item.gold for chunk in missing.get(note, [])][:2]
            units = units_of(build_context(chunks, _BUDGET))
            if units:
                near = (
                    _similarities(app, units, found.vector)
                    if arguments.embeddings and found.vector is not None
                    else None
                )
                right = np.array([item.is_right(unit.text) for unit in units])
                yield Searched(item.question, plan.asked_for, units, found.weights, near, right, item.gold[0])
        app.close()


def _similarities(app: App, units: Sequence[Unit], question: np.ndarray | None) -> np.ndarray | None:
    embedder = app._readers.load_embedder()
    if embedder is None or question is None:
        return None
    return embedder.embed_passages([unit.embedded_text for unit in units]) @ question


def _plain(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _reading_set(folder: str) -> Callable[[Path, Path], list[Asked]]:
    def read(data: Path, vault: Path) -> list[Asked]:
        write_passages(data / folder, vault)
        rows = read_lines(data / folder / "queries.jsonl")
        return [
            Asked(
                str(row["id"]),
                row["question"],
                [note_of(id_) for id_ in row["gold_ids"]],
                _holds([row["answer"], *row["answer_aliases"]]),
            )
            for row in rows
        ]

    return read


def _holds(answers: Sequence[str]) -> Callable[[str], bool]:
    wanted = [plain for answer in answers if (plain := _plain(answer))]
    return lambda text: any(answer in _plain(text) for answer in wanted)


def _dragonball(data: Path, vault: Path) -> list[Asked]:
    folder = data / "dragonball-dev"
    write_passages(folder, vault)
    kinds = ("factual", "multihop")
    return [
        Asked(
            str(row["id"]),
            row["question"],
            [note_of(id_) for id_ in row["gold_ids"]],
            _is_of([item["text"] for item in row["evidence"]]),
        )
        for row in read_lines(folder / "queries.jsonl")
        if row["type"] in kinds and row["evidence"]
    ]


def _is_of(evidence: Sequence[str]) -> Callable[[str], bool]:
    wanted = [_plain(text) for text in evidence]

    def is_right(text: str) -> bool:
        plain = _plain(text)
        return len(plain) > 3 and any(plain in item or item in plain for item in wanted)

    return is_right


def _rgb(data: Path, vault: Path) -> list[Asked]:
    asked = []
    for question in read_rgb(data / "rgb-dev/rgb.jsonl", 110):
        folder = vault / question.id
        folder.mkdir()
        for place, text in enumerate((*question.positive, *question.negative)):
            (folder / f"p{place}.md").write_text(f"{text}\n", encoding="utf-8")
        gold = [f"{question.id}/p{place}.md" for place in range(len(question.positive))]
        asked.append(
            Asked(question.id, question.text, gold, _holds([string for part in question.answer for string in part]))
        )
    return asked


def _vault(name: str) -> Callable[[Path, Path], list[Asked]]:
    def read(data: Path, vault: Path) -> list[Asked]:
        is_own = name == _OWN
        shutil.copytree(_EXAMPLES / "vault" if is_own else data / "vaults" / name, vault, dirs_exist_ok=True)
        for folder in (vault, *vault.rglob("*")):
            folder.chmod(folder.stat().st_mode | 0o200)
        rows = read_lines(_EXAMPLES / "questions.jsonl" if is_own else data / "cases" / f"{name}.jsonl")
        return [
            Asked(
                row["id"],
                row["question"],
                row["relevant"],
                _is_of([evidence] if isinstance(evidence, str) else evidence),
            )
            for row in rows
            if (evidence := row.get("evidence"))
        ]

    return read


_OWN, _EXAMPLES = "example", Path(__file__).parents[1] / "examples"
_READERS: dict[str, Callable[[Path, Path], list[Asked]]] = {
    "cmrc2018": _reading_set("zh-retrieval-dev/cmrc2018"),
    "drcd": _reading_set("zh-retrieval-dev/drcd"),
    "dragonball": _dragonball,
    "rgb": _rgb,
    _OWN: _vault(_OWN),
    "javaguide": _vault("javaguide"),
    "knowledge-garden": _vault("knowledge-garden"),
}
_TRAINED = ("cmrc2018", "dragonball", "javaguide")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--sets", nargs="+", default=list(_READERS), choices=list(_READERS))
    parser.add_argument("--embeddings", type=Path, help="folder that keeps the vectors; without it there are none")
    parser.add_argument("--keep", type=Path, help="folder that keeps what the searches found")
    parser.add_argument("--show", help="print the questions of a set whose first unit is wrong, with it")
    parser.add_argument("--limit", type=int, default=400, help="questions of a set (400)")
    parser.add_argument("--train", action="store_true", help="fit the weights and write them into the package")
    parser.add_argument("--ablate", action="store_true", help="print what is lost without each sign")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
