"""Measures what a chat model makes of RGB's questions: right answers, refusals, support of the sources, time.

python benchmarks/answers.py rgb-dev/rgb.jsonl --model qwen2.5:7b --limit 40 --embeddings cache/

Chinese questions with their passages become one vault: for every other question the first passages that answer it and
some that do not, for the rest those that do not alone, so that it should be refused. `right` are the answers that hold
one of RGB's accepted strings for each part of the question; `faithful` is the share of statements that the citation
check holds for supported. Without `--model` the answers are quoted from the passages.
"""

import argparse
import json
import tempfile
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from figures import print_table, say
from passages import RgbQuestion, index_kept, read_rgb

from graphrag.app import App
from graphrag.domain.query import NO_FILTERS, AnswerStatus
from graphrag.evaluate.cases import Case, Target
from graphrag.evaluate.evaluation import EvaluationPlan
from graphrag.evaluate.outcomes import AnswerGroup, AnswerOutcome

_HELD, _HIDDEN = "held", "hidden"


def main() -> None:
    arguments = _arguments()
    questions = read_rgb(arguments.rgb, arguments.limit)
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        cases = [_write(question, vault, number % 2 == 0) for number, question in enumerate(questions)]
        app = App.open(vault, vault, {"answer": _chat(arguments)})
        index_kept(app, "rgb", arguments.embeddings)
        plan = EvaluationPlan(modes=(), with_answers=True)
        report = app.evaluate(cases, plan, lambda step, done, total: say(f"{step} {done} of {total}")).answers
        app.close()
    assert report is not None
    if arguments.out:
        _keep(report.outcomes, arguments.out)
    accepted = {question.id: question.answer for question in questions}
    rows = [_row(kind, group, report.outcomes, accepted) for kind, group in report.kinds.items()]
    times = report.milliseconds["total"]
    print_table(["questions", "n", "answered", "right", "faithful", "refused"], rows, arguments.json)
    if not arguments.json:
        print(f"\nwritten by {dict(report.models)}, notices {dict(report.notices)}")
        print(f"an answer takes {times.p50 / 1000:.1f} s (p50), {times.p95 / 1000:.1f} s (p95)")


def _write(question: RgbQuestion, vault: Path, is_held: bool) -> Case:
    """Write the question's passages as notes and return it as a case."""
    folder = vault / question.id
    folder.mkdir(parents=True)
    given = [(f"p{place}.md", text) for place, text in enumerate(question.positive)] if is_held else []
    for name, text in given + [(f"n{place}.md", text) for place, text in enumerate(question.negative)]:
        (folder / name).write_text(f"{text}\n", encoding="utf-8")
    relevant = tuple(Target(f"{question.id}/{name}") for name, _ in given)
    kind = _HELD if is_held else _HIDDEN
    return Case(question.id, kind, question.text, relevant, "", (), NO_FILTERS, None)


def _row(
    kind: str, group: AnswerGroup, outcomes: Sequence[AnswerOutcome], accepted: dict[str, Sequence[Sequence[str]]]
) -> list[str]:
    answered = [item for item in outcomes if item.case.kind == kind and item.status is AnswerStatus.ANSWERED]
    right = sum(_is_right(item.text, accepted[item.case.id]) for item in answered)
    faithful = group.figures.get("faithfulness")
    return [
        kind,
        str(group.cases),
        str(len(answered)),
        f"{right}/{len(answered)}",
        "-" if faithful is None else f"{faithful.value:.2f}",
        str(group.cases - len(answered)),
    ]


def _keep(outcomes: Sequence[AnswerOutcome], file: Path) -> None:
    kept = [
        {"question": item.case.question, "kind": item.case.kind, "status": item.status, "answer": item.text}
        for item in outcomes
    ]
    file.write_text(json.dumps(kept, ensure_ascii=False, indent=2), encoding="utf-8")


def _is_right(text: str, accepted: Sequence[Sequence[str]]) -> bool:
    """Whether one of the accepted strings stands in the text for each part of the question."""
    plain = _plain(text)
    return all(any(_plain(string) in plain for string in part) for part in accepted)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split()).lower()


def _chat(arguments: argparse.Namespace) -> dict[str, object]:
    return (
        {"chat": "ollama", "model": arguments.model, "timeout_seconds": 600.0} if arguments.model else {"chat": "none"}
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rgb", type=Path, metavar="FILE")
    parser.add_argument("--model", help="of Ollama on this machine")
    parser.add_argument("--limit", type=int, default=40, help="how many questions (40)")
    parser.add_argument("--embeddings", type=Path, help="folder that keeps the vectors")
    parser.add_argument("--out", type=Path, help="keeps the answers as JSON")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
