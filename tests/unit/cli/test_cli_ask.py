import json
from dataclasses import replace
from datetime import date

import pytest

from graphrag.cli.render_answer import RELATIONS
from graphrag.domain.query import AnswerStatus, AskedFor, Filters, PlanView, Route
from graphrag.language.messages import said
from graphrag.retrieve import walk
from tests.fakes.app import ANSWER_TEXT, QUEUE, FakeApp
from tests.unit.cli.conftest import RunCommand


def test_words_without_quotes_are_one_question(run_command: RunCommand, fake: FakeApp) -> None:
    assert run_command("ask", "why", "Saga").exit_code == 0
    assert fake.calls == [("ask", ("why Saga", Filters()))]
    assert fake.is_closed


def test_dash_reads_the_question_from_stdin(run_command: RunCommand, fake: FakeApp) -> None:
    run_command("ask", "-", stdin="\ufeff为什么选择 Saga\n".encode())
    assert fake.calls[0][1][0] == "为什么选择 Saga"


def test_a_piped_answer_has_its_text_sources_and_author(run_command: RunCommand) -> None:
    lines = run_command("ask", "为什么选择 Saga").stdout.splitlines()
    assert lines == [
        ANSWER_TEXT,
        "",
        "[1] 支付模块 › 分布式事务 › 为什么选择 Saga  架构/支付模块.md:12-20@3f2a9c1  2024-06-16",
        "[2] 消息队列 › 重试  架构/消息队列.md:31@3f2a9c1  2024-06-16",
        "",
        "Ollama does not answer at http://127.0.0.1:11434: start it with `ollama serve`.",
        "笔记原句，未经模型改写 · 快照 3f2a9c1 · 已嵌入 80 %",
    ]


def test_a_piped_answer_is_the_checked_one_not_the_stream(run_command: RunCommand, fake: FakeApp) -> None:
    fake.pieces = ("unchecked",)
    output = run_command("ask", "why").stdout
    assert "unchecked" not in output
    assert ANSWER_TEXT in output
    assert "written by ollama:qwen2.5:7b" in output


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("at_a_terminal")
def test_a_terminal_sees_the_draft_on_stderr_and_the_checked_answer_on_stdout(
    run_command: RunCommand, fake: FakeApp
) -> None:
    fake.pieces = ("用 Saga [来", "源1]。")
    result = run_command("ask", "为什么")
    assert "用 Saga [来源1]。" in result.stderr
    assert "用 Saga [来" not in result.stdout
    assert "银行通道" in result.stdout
    assert "架构/支付模块.md:12-20" in result.stdout


@pytest.mark.parametrize(
    ("question", "refusal"), [("回滚了吗", "我笔记里没有相关内容。"), ("rolled back?", "Nothing in my notes")]
)
def test_refusals_follow_the_language_of_the_question(
    run_command: RunCommand, fake: FakeApp, question: str, refusal: str
) -> None:
    fake.status_of_answer = AnswerStatus.NO_HIT
    assert run_command("ask", question).stdout.startswith(refusal)


def test_ask_json_has_the_documented_keys(run_command: RunCommand) -> None:
    reply = json.loads(run_command("ask", "为什么", "--json").stdout)
    assert list(reply) == [
        *("question", "route", "status", "answer", "sure", "model"),
        *("citations", "snapshot", "conflict", "conflicts", "flags", "sub_questions", "notice", "plan", "trace"),
    ]
    assert list(reply["citations"][0]) == [
        *("key", "note", "title", "heading", "lines", "commit", "changed", "url", "quote", "ref", "origin")
    ]
    assert reply["trace"] == {"search": 16.3, "answer": 1.5}
    assert reply["citations"][0]["lines"] == [12, 20]
    assert reply["citations"][0]["ref"] == "架构/支付模块.md:12-20@3f2a9c1"


def test_json_keeps_chinese_characters(run_command: RunCommand) -> None:
    assert "支付模块" in run_command("ask", "为什么", "--json").stdout


def test_options_become_filters(run_command: RunCommand, fake: FakeApp) -> None:
    run_command(
        *("ask", "q", "--tag", "#a/b", "--tag", "c", "--category", "架构/", "--path", "./x"),
        *("--since", "2024-01-01", "--until", "2024-02-01", "--type", "decision"),
    )
    filters = fake.calls[0][1][1]
    assert isinstance(filters, Filters)
    assert (filters.tags, filters.categories, filters.paths) == (("a/b", "c"), ("架构",), ("x",))
    assert (str(filters.since), str(filters.until), filters.types) == (
        "2024-01-01",
        "2024-02-01",
        ("decision",),
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask"], "the question is empty"),
        (["ask", "  "], "the question is empty"),
        (["search", "-"], "the question is empty"),
        (["ask", "q", "--since", "2024-13-01"], "--since: '2024-13-01' is not a day"),
        (["ask", "q", "--until", "gestern"], "--until: 'gestern' is not a day"),
        (["ask", "q", "--since", "2024-02-01", "--until", "2024-01-01"], "no note can match"),
        (["ask", "q", "--tag", "#"], "a tag to filter by is empty"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    run_command: RunCommand, arguments: list[str], message: str
) -> None:
    result = run_command(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("error: ")
    assert message in result.stderr


@pytest.mark.parametrize("command", ["ask", "search"])
def test_a_vault_without_an_index_is_indexed_first(run_command: RunCommand, fake: FakeApp, command: str) -> None:
    fake.is_indexed = False
    result = run_command(command, "为什么", "--json")
    assert [name for name, _ in fake.calls] == [command, "index", command]
    assert "还没有索引" in result.stderr
    assert json.loads(result.stdout)["question"] == "为什么"


def test_search_json_has_exactly_the_documented_shape(run_command: RunCommand) -> None:
    reply = json.loads(run_command("search", "分布式事务", "补偿", "--json").stdout)
    assert list(reply) == ["snapshot", "question", "route", "confidence", "results", "notice", "trace"]
    assert list(reply["snapshot"]) == ["generation", "commit", "worktree", "embedded", "behind"]
    first, second = reply["results"]
    assert list(first) == [
        *("rank", "note", "title", "heading", "lines", "chunk_id", "score", "text", "why", "best_lines")
    ]
    assert [best["line"] for best in first["best_lines"]] == [12, 14]
    assert first["why"] == {
        "full_text": {"rank": 1, "score": 12.408, "terms": ["分布式", "事务", "补偿"]},
        "vector": {"rank": 2, "similarity": 0.8731},
        "sparse": None,
        "graph": None,
        "rerank": None,
    }
    assert second["why"]["full_text"] is None
    assert list(second["why"]["graph"]["path"][0]) == ["source", "target", "kind", "name", "is_backlink"]


def test_search_json_lists_what_was_dropped_when_asked_to_explain(run_command: RunCommand) -> None:
    reply = json.loads(run_command("search", "q", "--json", "--explain").stdout)
    assert [item["stage"] for item in reply["dropped"]] == ["top_k", "per_note_cap"]


def test_search_explains_terms_ranks_similarity_path_and_losses(run_command: RunCommand) -> None:
    output = run_command("search", "分布式事务 补偿", "--explain").stdout
    assert "词语 #1 (12.41): 分布式, 事务, 补偿" in output
    assert "语义 #2 (0.873)" in output
    assert "支付模块 ─依赖→ 消息队列 ←链接─ 2024-06 支付重构例会" in output
    assert "1  所在笔记的名额已满 (per_note_cap)" in output
    assert "hybrid" not in output


def test_every_edge_and_route_of_a_search_has_a_name_in_chinese() -> None:
    assert {*RELATIONS} >= {*walk._KINDS.values()}
    assert {*said()} >= {*RELATIONS.values(), *map(str, Route)}


def test_top_k_reaches_the_facade(run_command: RunCommand, fake: FakeApp) -> None:
    assert QUEUE not in run_command("search", "q", "-k", "1").stdout
    assert fake.calls[0][1][2] == 1
    assert run_command("search", "q", "-k", "0").exit_code == 2


def test_no_results_are_told_on_stderr(run_command: RunCommand, fake: FakeApp) -> None:
    fake.status_of_answer = AnswerStatus.NO_HIT
    result = run_command("search", "q")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "passages dropped: 1" in result.stderr


def test_why_not_names_the_stage(run_command: RunCommand) -> None:
    output = run_command("search", "为什么", "--why-not", "例会").stdout
    assert "会议/2024-06 支付重构例会.md  所在笔记的名额已满" in output
    reply = json.loads(run_command("search", "为什么", "--why-not", "例会", "--json").stdout)
    assert reply["stage"] == "per_note_cap"


def test_explain_shows_how_the_question_was_understood(run_command: RunCommand, fake: FakeApp) -> None:
    fake.plan = PlanView(
        Route.LIST, (Route.LIST, Route.HYBRID), AskedFor.LIST, date(2024, 6, 10), date(2024, 6, 16), (), Filters()
    )
    shown = run_command("ask", "上周新建了哪些笔记", "--explain").stdout
    assert (
        "理解为：问的是列表 · 当作“列表”，由规则判定 · 依次：列表 → 综合检索 · 时段：2024-06-10 至 2024-06-16" in shown
    )
    fake.plan = replace(fake.plan, sure=0.834)
    shown = run_command("ask", "上周新建了哪些笔记", "--explain").stdout
    assert "当作“列表”，由训练的分类器判定，把握 83 %" in shown
    assert "理解为" not in run_command("ask", "上周新建了哪些笔记").stdout
    plan = json.loads(run_command("ask", "上周新建了哪些笔记", "--json").stdout)["plan"]
    assert (plan["route"], plan["readings"], plan["since"]) == ("list", ["list", "hybrid"], "2024-06-10")
