"""`eval` over the example vault: figures, routes, answers, comparison, and cases made of the vault itself."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import graphrag.evaluate.evaluation
from graphrag.app import App
from graphrag.cli.main import app as command
from graphrag.errors import ConfigError, ProviderUnavailable
from graphrag.evaluate.cases import read_cases
from graphrag.evaluate.evaluation import EvaluationPlan
from graphrag.evaluate.made_cases import CaseKind, MakePlan, case_lines
from graphrag.retrieve.pipeline import SearchMode
from graphrag.settings import AnswerSettings
from tests.e2e.conftest import EXAMPLES, silent
from tests.fakes.chat import ScriptedChat

SOME = EvaluationPlan((SearchMode.FULL_TEXT,), with_answers=True)
ALL_KINDS = tuple(CaseKind)


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every fifth question of the examples, and three that name a route."""
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()[::5]
    routes = [
        {"id": "r1", "question": "你好", "route": "direct"},
        {"id": "r2", "question": "我的笔记主要讲什么", "route": "overview"},
        {"id": "r3", "question": "支付模块", "route": "direct"},
    ]
    path = tmp_path_factory.mktemp("cases") / "questions.jsonl"
    path.write_text("\n".join([*lines, *map(json.dumps, routes)]), encoding="utf-8")
    return path


def run(vault: Path, *arguments: str) -> Result:
    return CliRunner().invoke(command, ["eval", *arguments, "--vault", str(vault)])


def test_one_run_measures_search_routes_and_answers(demo: App, questions: Path) -> None:
    found = demo.evaluate(read_cases(questions), SOME, silent)
    overall = found.modes["full_text"].overall
    assert overall.cases == len(read_cases(questions)) - 3
    assert overall.figures["recall@20"].value > 0.7
    assert found.unknown_notes == ()
    assert found.route is not None and found.answers is not None
    assert found.route.accuracy.value == pytest.approx(2 / 3)  # the third wants a route that is wrong
    assert found.answers.checked_by == "citation check, no judge model"
    assert found.answers.overall.cases == overall.cases + 3
    # The notes' own sentences pass the check by their making.
    assert found.answers.overall.figures["faithfulness"].value == 1.0
    assert found.answers.overall.figures["relevance"].value > 0.5
    assert {"full_text", "fuse", "select", "total"} <= found.modes["full_text"].milliseconds.keys()
    assert "total" in found.answers.milliseconds


def test_a_kept_run_compares_with_itself_and_shuts_the_gate_on_a_worse_one(
    demo_vault: Path, questions: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "run.json"
    words = (str(questions), "--mode", "full_text")
    assert run(demo_vault, *words, "--out", str(kept)).exit_code == 0
    again = run(demo_vault, *words, "--compare", str(kept), "--gate")
    assert again.exit_code == 0 and "all alike" in again.stdout
    better = json.loads(kept.read_text(encoding="utf-8"))
    for row in better["modes"]["full_text"]["outcomes"]:
        row |= {"hit@1": 1.0} if "hit@1" in row else {}
    kept.write_text(json.dumps(better), encoding="utf-8")
    worse = run(demo_vault, *words, "--compare", str(kept), "--gate")
    assert worse.exit_code == 1
    (line,) = (line for line in worse.stderr.splitlines() if line.startswith("error"))
    assert line.startswith("error: --gate: hit@1 of paraphrase (full_text) fell by ")


def test_a_judge_model_is_asked_for_each_answer(demo: App, questions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat('{"faithful": 1, "relevant": 2}')
    asked: list[AnswerSettings] = []

    def load(settings: AnswerSettings) -> ScriptedChat:
        asked.append(settings)
        return chat

    monkeypatch.setattr(graphrag.evaluate.evaluation, "load_chat_model", load)
    plan = EvaluationPlan((), with_answers=True, judge="ollama:qwen2.5:7b")
    found = demo.evaluate(read_cases(questions)[:6], plan, silent).answers
    assert found is not None
    assert [(settings.chat, settings.model, settings.temperature) for settings in asked] == [
        ("ollama", "qwen2.5:7b", 0.0)
    ]
    assert found.checked_by == "judge model scripted"
    assert len(chat.prompts) == found.overall.figures["faithfulness"].cases > 0
    assert (found.overall.figures["faithfulness"].value, found.overall.figures["relevance"].value) == (0.5, 1.0)


def test_a_judge_that_is_not_there_is_seen_before_the_run(
    demo: App, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    cases = read_cases(questions)
    with pytest.raises(ConfigError, match="Name the provider too, as in: --judge ollama:qwen"):
        demo.evaluate(cases, EvaluationPlan((), True, "qwen"), lambda *step: steps.append(step[0]))
    away = ScriptedChat(error=ProviderUnavailable("no server"))
    monkeypatch.setattr(graphrag.evaluate.evaluation, "load_chat_model", lambda _: away)
    with pytest.raises(ProviderUnavailable, match="no server"):
        demo.evaluate(cases, EvaluationPlan((), True, "qwen"), lambda *step: steps.append(step[0]))
    assert steps == []


def test_cases_made_of_the_vault_are_found_in_it(demo: App, tmp_path: Path) -> None:
    made = demo.make_cases(MakePlan(ALL_KINDS, 5, 1), silent)
    assert [case.kind for case in made] == [kind for kind in ALL_KINDS for _ in range(5)]
    path = tmp_path / "made.jsonl"
    path.write_text(case_lines(made), encoding="utf-8")
    found = demo.evaluate(read_cases(path), EvaluationPlan((SearchMode.FULL_TEXT,)), silent)
    kinds = found.modes["full_text"].kinds
    assert found.unknown_notes == ()
    assert kinds["known_item"].figures["recall@5"].value == 1.0
    assert kinds["known_item"].figures["evidence_recall@5"].value == 1.0
    assert kinds["link_pair"].figures["recall@20"].value == 1.0
    assert kinds["unanswerable"].unanswerable == 5


def test_made_cases_hold_nothing_of_private_notes(open_vault: Callable[..., App]) -> None:
    secret = "银行卡密码写在第三本笔记的最后一页。"
    notes = {
        "公开.md": "# 公开\n\n积压时先扩消费者，再查慢查询。见 [[秘密]] 与 [[后来]]。\n",
        "秘密.md": f"---\nprivate: true\naliases: [暗号]\n---\n# 秘密\n\n{secret}\n",
        "后来.md": f"---\naliases: [日后]\n---\n# 后来\n\n{secret}见 [[公开]]。\n",
        "文件夹/别的.md": "# 别的\n\n信用卡退回原路需要三到七个工作日。\n",
    }
    app = open_vault(notes)
    app.index(False, silent)
    plan = MakePlan(ALL_KINDS, 10, 1)
    assert "银行卡" in case_lines(app.make_cases(plan, silent))
    (app.vault / "后来.md").write_text(notes["秘密.md"], encoding="utf-8")  # and the index is not told
    text = case_lines(app.make_cases(plan, silent))
    assert "信用卡" in text
    assert not any(word in text for word in ("银行卡", "暗号", "日后", "秘密", "后来"))


def test_the_command_writes_cases_and_measures_them(demo_vault: Path, tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    result = run(demo_vault, "--make", "--count", "2", "--kinds", "alias,unanswerable", "--out", str(out))
    assert result.exit_code == 0 and len(out.read_text(encoding="utf-8").splitlines()) == 4
    again = tmp_path / "again.jsonl"
    run(demo_vault, "--make", "--count", "2", "--kinds", "alias,unanswerable", "--out", str(again))
    assert again.read_text(encoding="utf-8") == out.read_text(encoding="utf-8")
    shutil.copy(out, again)
    assert run(demo_vault, str(again), "--mode", "full_text").exit_code == 0
