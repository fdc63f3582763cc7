"""Questions along relations over the example vault: answered from the graph with the lines, or left to the search."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag.app import App
from graphrag.cli.main import app as command_line
from graphrag.domain.ontology import FactStatus
from graphrag.domain.query import Answer, AnswerStatus, Filters, Route
from graphrag.errors import NoteNotFound, QuestionError
from tests.e2e.conftest import EXAMPLES, silent
from tests.fakes.git import run_git

Open = Callable[..., App]

OWNED_MODULES = {"支付模块:6", "交易系统:4", "订单模块:3"}

# question -> what the answer names, and the lines that it cites, by the names of their files
QUESTIONS: list[tuple[str, set[str], set[str]]] = [
    ("张三负责哪些模块", {"支付模块", "订单模块"}, OWNED_MODULES),
    ("老张负责哪些系统？", {"交易系统"}, {"交易系统:4"}),
    ("sg_pay_2024 由谁负责？", {"王五"}, {"sg_pay_2024:7"}),
    ("sg_pay_2024 的负责人是谁", {"王五"}, {"sg_pay_2024:7"}),
    ("请问谁是交易系统的负责人？", {"张三"}, {"交易系统:4"}),
    ("哪些模块的负责人是张三", {"支付模块", "订单模块"}, OWNED_MODULES),
    ("哪些东西归王五负责", {"sg_pay_2024", "支付网关"}, {"sg_pay_2024:7", "支付网关:34"}),
    ("交易系统有哪些模块？", {"支付模块", "订单模块"}, {"支付模块:6", "订单模块:3"}),
    ("哪些模块属于交易系统", {"支付模块", "订单模块"}, {"支付模块:6", "订单模块:3"}),
    ("支付模块属于哪个系统", {"交易系统"}, {"支付模块:6"}),
    ("支付模块 依赖什么", {"支付网关", "消息队列"}, {"支付模块:134", "支付模块:135"}),
    ("支付模块的依赖有哪些", {"支付网关", "消息队列"}, {"支付模块:134", "支付模块:135"}),
    ("哪些模块依赖支付网关", {"支付模块"}, {"支付模块:135"}),
    ("支付模块被谁依赖", {"对账"}, {"对账:37"}),
    (
        "交易系统直接或间接依赖哪些系统？",
        {"支付网关", "消息队列"},
        {"支付模块:6", "支付模块:135", "交易系统:40"},
    ),
    ("交易组有哪些成员", {"张三", "王五", "周婷", "刘洋"}, {"张三:4", "交易组:6", "交易组:7", "交易组:8"}),
    ("交易组的组长是谁", {"张三"}, {"交易组:4"}),
    ("王五在哪个团队", {"交易组"}, {"王五:3"}),
    ("周婷属于哪个团队", {"交易组"}, {"周婷:3"}),
    ("张三指导了谁", {"王五"}, {"王五:21"}),
    ("谁的上级是陈总", {"张三"}, {"张三:21"}),
    ("订单模块是谁开发的", {"周婷", "王五"}, {"订单模块:5"}),
    ("周婷开发了哪些模块", {"订单模块"}, {"订单模块:5"}),
    ("ADR-0003 被什么取代", {"ADR-0007 消息队列迁移到 RocketMQ"}, {"ADR-0007 消息队列迁移到RocketMQ:10"}),
    ("谁参加了 2024-05-22 掉单复盘", {"张三", "王五", "周婷"}, {"2024-05-22 掉单复盘:4"}),
    ("消息队列由哪个团队维护", {"基础架构组"}, {"消息队列:5"}),
    ("张三负责支付模块吗", {"是", "支付模块"}, {"支付模块:6", "交易系统:4"}),
    ("张三是交易系统的负责人吗", {"是", "交易系统"}, {"交易系统:4"}),
    ("支付模块和张三有什么关系", {"负责人"}, {"支付模块:6", "交易系统:4"}),
    ("Kafka 和 RocketMQ 有什么联系", {"路径", "消息队列"}, {"Kafka:3", "RocketMQ:3"}),
    (
        "哪些笔记链接到对账",
        {"5 篇", "支付模块", "退款流程"},
        {
            "ADR-0012 订单库分库分表:34",
            "Postmortem 2024-08-11 Payment Outage:28",
            "交易系统:*",
            "支付模块:*",
            "退款流程:*",
        },
    ),
    (
        "值班手册链接到哪些笔记",
        {"3 处", "Alice Chen", "值班制度", "消息积压排查"},
        {"On-call Runbook:5", "On-call Runbook:10", "On-call Runbook:31"},
    ),
    ("Who owns the trading system?", {"张三 owns 交易系统"}, {"交易系统:4"}),
    ("which modules does Zhang San own", {"支付模块", "订单模块"}, OWNED_MODULES),
    ("what does the payment module depend on?", {"支付网关", "消息队列"}, {"支付模块:134", "支付模块:135"}),
    ("who's the owner of the message queue", {"李四"}, {"消息队列:4"}),
    ("which systems depend on the message queue, directly or not", {"交易系统"}, {"交易系统:40"}),
    ("what are the members of the Trading Team", {"张三", "刘洋"}, {"张三:4", "交易组:6", "交易组:7", "交易组:8"}),
    ("which team is 王五 a member of", {"is a member of 交易组"}, {"王五:3"}),
    ("which team does Zhang San belong to", {"交易组"}, {"张三:4"}),
    ("what does ADR-0007 supersede", {"ADR-0003"}, {"ADR-0007 消息队列迁移到RocketMQ:10"}),
    ("who mentors 周婷", {"王五 mentors 周婷"}, {"周婷:6"}),
    (
        "show me the backlinks of Kafka",
        {"3"},
        {"ADR-0007 消息队列迁移到RocketMQ:38", "消息队列:13", "2024-01-16 消息队列选型评审:*"},
    ),
    ("how are the payment module and Zhang San related?", {"owned by"}, {"支付模块:6", "交易系统:4"}),
    ("Does the payment module depend on the message queue?", {"Yes", "消息队列"}, {"支付模块:134"}),
]

NOT_ALONG_RELATIONS = [
    "为什么支付模块依赖消息队列",
    "支付模块什么时候开始依赖消息队列",
    "支付模块不依赖什么",
    "哪些模块没有负责人",
    "以前谁负责交易系统",
    "除了张三谁负责模块",
    "张三和李四负责哪些模块",  # of both together nothing is stated
    "张三负责人力资源吗",
    "支付模块依赖的消息队列由谁负责，属于哪个团队？",
    "写 processTransaction 的人什么时候入职，导师是谁？",
    "sg_pay_2024 里的 sg 是什么意思？",
    "支付模块是什么",
    "账户系统由谁负责",  # nothing is stated
    "哪些系统依赖 Kafka",
    "消息队列依赖什么",  # others depend on it
    "who owns the transaction system",  # nothing is called so
    "who leads the team that owns the trading system",
    "why does the payment module depend on the message queue",
    "when did Zhang San become the owner of the trading system",
    "What are the default timeout_ms and daily_limit in sg_pay_2024?",
]


def cited(answer: Answer) -> set[str]:
    return {f"{Path(citation.note).stem}:{citation.lines[0]}" for citation in answer.citations}


@pytest.mark.parametrize(("question", "named", "lines"), QUESTIONS, ids=[item[0] for item in QUESTIONS])
def test_a_question_along_relations(
    demo: App, demo_vault: Path, question: str, named: set[str], lines: set[str]
) -> None:
    answer = demo.ask(question, Filters())
    assert (answer.route, answer.status, answer.model) == (Route.RELATION, AnswerStatus.ANSWERED, "graph")
    assert {name for name in named if name not in answer.answer} == set()
    exact = {line for line in lines if not line.endswith("*")}
    assert exact <= cited(answer)
    assert {line.rpartition(":")[0] for line in lines} == {line.rpartition(":")[0] for line in cited(answer)}
    assert len(answer.citations) == len(lines)
    for citation in answer.citations:
        text = (demo_vault / citation.note).read_text(encoding="utf-8").split("\n")
        assert citation.quote == text[citation.lines[0] - 1].strip()
        assert f"[{citation.key}]" in answer.answer


@pytest.mark.parametrize("question", NOT_ALONG_RELATIONS)
def test_what_is_not_understood_or_not_stated_is_left_to_the_search(demo: App, question: str) -> None:
    assert demo.ask(question, Filters()).route is not Route.RELATION


def test_a_relation_question_is_searched_as_any_other(demo: App) -> None:
    result = demo.search("张三负责哪些模块", Filters())
    assert result.route is Route.HYBRID
    assert result.candidates


def test_filters_leave_a_relation_question_to_the_search(demo: App) -> None:
    assert demo.ask("张三负责哪些模块", Filters(paths=("支付系统",))).route is not Route.RELATION


def test_the_worked_case(demo: App) -> None:
    answer = demo.ask("张三负责哪些模块", Filters())
    assert answer.answer.splitlines() == [
        "共 2 项：",
        "- 张三负责支付模块，由“支付模块 所属系统 交易系统”[1]、“交易系统 负责人 张三”[2]推出。",
        "- 张三负责订单模块，由“订单模块 所属系统 交易系统”[3]、“交易系统 负责人 张三”[2]推出。",
    ]
    assert [citation.quote for citation in answer.citations[:2]] == ['属于: "[[交易系统]]"', '负责人: "[[张三]]"']


def command(*arguments: str, vault: Path) -> str:
    done = CliRunner().invoke(command_line, [*arguments, "--vault", str(vault)])
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_the_worked_case_on_the_terminal_and_as_json(demo_vault: Path) -> None:
    lines = command("explain", "张三 负责 支付模块", vault=demo_vault).splitlines()
    assert lines[0] == "张三 负责 支付模块  由笔记推出"
    assert lines[-2].endswith('支付模块 所属系统 交易系统  支付系统/支付模块.md:6  属于: "[[交易系统]]"')
    assert lines[-1].endswith('交易系统 负责人 张三  支付系统/交易系统.md:4  负责人: "[[张三]]"')
    tree = json.loads(command("explain", "支付模块 --负责人--> 张三", "--json", vault=demo_vault))
    assert [leaf["place"]["line"] for leaf in tree["proof"]["premises"]] == [6, 4]
    reply = json.loads(command("ask", "张三负责哪些模块", "--json", vault=demo_vault))
    assert (reply["route"], reply["model"], len(reply["citations"])) == ("relation", "graph", 3)


@pytest.mark.parametrize(
    ("fact", "status"),
    [
        ("支付模块 --负责人--> 张三", FactStatus.INFERRED),
        ("张三 <--负责人-- 支付模块", FactStatus.INFERRED),
        ("张三负责支付模块", FactStatus.INFERRED),
        ('"Alice Chen" team "SRE组"', FactStatus.ASSERTED),
        ("Alice Chen team SRE组", FactStatus.ASSERTED),
        ("支付模块 依赖 消息队列", FactStatus.ASSERTED),
        ("支付模块 类型 模块", FactStatus.ASSERTED),
        ("支付模块 type 组件", FactStatus.INFERRED),
        ("交易系统 属于 支付模块", FactStatus.CONTRADICTED),
        ("张三 type 系统", FactStatus.CONTRADICTED),
        ("张三 负责 消息队列", FactStatus.UNKNOWN),
    ],
)
def test_every_status_of_a_fact(demo: App, fact: str, status: FactStatus) -> None:
    explanation = demo.explain(fact).explanation
    assert explanation.status is status
    assert bool(explanation.proof) == (status in (FactStatus.ASSERTED, FactStatus.INFERRED))
    assert bool(explanation.conflicts) == (status is FactStatus.CONTRADICTED)


def test_a_fact_that_cannot_be_read_says_what_is_wrong(demo: App) -> None:
    with pytest.raises(QuestionError, match="is no fact"):
        demo.explain("张三")
    with pytest.raises(QuestionError, match="Did you mean: 负责人"):
        demo.explain("支付模块 负则人 张三")
    with pytest.raises(NoteNotFound, match="赵六"):
        demo.explain("赵六 负责 支付模块")


def test_near_shows_each_kind_for_itself(demo: App) -> None:
    view = demo.near("支付模块", 1, 50)
    assert [(item.entity.title, item.name, len(item.places)) for item in view.inferred] == [("张三", "负责人", 2)]
    assert {item.entity.title for item in view.shared_tags} >= {"processTransaction", "幂等设计"}
    assert view.shared_tags[0].tags == ("支付/核心",)
    weights = [item.weight for item in view.similar]
    assert weights == sorted(weights, reverse=True)
    assert "支付模块" not in {item.entity.title for item in view.similar}
    assert demo.near("#支付", 1, 10).similar == ()


def test_near_stays_quick_in_a_running_process(demo: App) -> None:
    import time

    demo.near("支付模块", 1, 30)
    start = time.perf_counter()
    demo.near("支付模块", 1, 30)
    assert time.perf_counter() - start < 0.5  # 0.03 on a quiet machine


def test_the_example_vault_has_nothing_to_mend(demo: App) -> None:
    view = demo.check_ontology()
    assert not view.is_broken
    assert view.report.unknown_relations == view.report.unknown_types == ()


BROKEN = (Path(__file__).parents[1] / "cases" / "ontology" / "broken.ttl").read_text(encoding="utf-8")


def test_a_broken_ontology_is_reported_with_its_lines(open_vault: Open) -> None:
    app = open_vault(
        {"a.md": "---\ntype: 怪物\n负则人: '[[b]]'\n---\n# a\n", "b.md": "# b\n", "ontology/broken.ttl": BROKEN}
    )
    app.index(False, silent)
    view = app.check_ontology()
    assert view.is_broken
    assert {(item.file, item.line) for item in view.report.problems} >= {
        ("ontology/broken.ttl", 10),
        ("ontology/broken.ttl", 13),
        ("ontology/broken.ttl", 16),
    }
    assert [(item.used.name, item.used.place.line, item.suggestions[:1]) for item in view.report.unknown_relations] == [
        ("负则人", 3, ("负责人",))
    ]
    assert [item.used.name for item in view.report.unknown_types] == ["怪物"]
    assert {term.place.path for term in (*view.report.unused_properties, *view.report.empty_classes)} == {
        "ontology/broken.ttl"
    }
    (app.vault / "ontology" / "broken.ttl").write_text("@prefix : <urn:x#> .\n:a :b\n\n:c .\n:d", encoding="utf-8")
    app.close()
    problems = app.check_ontology().report.problems
    assert [item.message.startswith("not valid Turtle") for item in problems] == [True]


def test_an_edit_of_the_ontology_takes_effect_without_indexing(open_vault: Open) -> None:
    notes = {"老王.md": "# 老王\n", "仓库.md": "---\n看门人: '[[老王]]'\n---\n# 仓库\n"}
    app = open_vault(notes)
    app.index(False, silent)
    assert app.ask("仓库的看门人是谁", Filters()).route is not Route.RELATION
    folder = app.vault / "ontology"
    folder.mkdir()
    (folder / "own.ttl").write_text(
        "@prefix : <urn:own#> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        ":guardedBy a owl:ObjectProperty ; skos:prefLabel '看门人'@zh, 'guarded by'@en .\n",
        encoding="utf-8",
    )
    app.close()
    answer = app.ask("仓库的看门人是谁", Filters())
    assert answer.answer == "仓库的看门人是老王 [1]。"


TEAM = {
    "模块.md": "---\ntype: 模块\n属于: '[[系统甲]]'\n---\n# 收银\n",
    "系统甲.md": "---\ntype: 系统\n负责人: '[[小明]]'\n---\n# 系统甲\n",
    "小明.md": "---\ntype: 人\n---\n# 小明\n",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("系统甲.md", None),
        ("系统甲.md", "---\nprivate: true\ntype: 系统\n负责人: '[[小明]]'\n---\n# 系统甲\n"),
        ("系统甲.md", "---\ntype: 系统\n负责人: '[[小红]]'\n---\n# 系统甲\n"),
        ("小明.md", "---\ntype: 人\nprivate: true\n---\n# 小明\n"),
    ],
    ids=["deleted", "private", "rewritten", "the answer is private"],
)
def test_nothing_rests_on_what_the_vault_no_longer_says(open_vault: Open, path: str, text: str | None) -> None:
    app = open_vault(TEAM)
    app.index(False, silent)
    assert app.ask("谁负责收银", Filters()).route is Route.RELATION
    if text is None:
        (app.vault / path).unlink()
    else:
        (app.vault / path).write_text(text, encoding="utf-8")
    answer = app.ask("谁负责收银", Filters())
    assert answer.route is not Route.RELATION
    assert "小明" not in answer.answer
    assert app.near("收银", 1, 10).inferred == ()
    with pytest.raises(NoteNotFound):
        app.explain("小明 负责 收银")
    assert app.ask("哪些笔记链接到小明", Filters()).route is not Route.RELATION


def test_no_way_leads_through_a_note_that_is_kept_back(open_vault: Open) -> None:
    app = open_vault({"a.md": "# 甲\n\n[[b]]\n", "b.md": "# 乙\n\n[[c]]\n", "c.md": "# 丙\n"})
    app.index(False, silent)
    assert [item.entity.id for item in app.near("甲", 2, 10).neighbors] == ["b.md", "c.md"]
    (app.vault / "b.md").write_text("---\nprivate: true\n---\n# 乙\n\n[[c]]\n", encoding="utf-8")
    assert app.near("甲", 2, 10).neighbors == ()
    with pytest.raises(NoteNotFound, match="kept back"):
        app.near("b.md", 1, 10)


def test_lines_are_those_of_the_commit(open_vault: Open) -> None:
    app = open_vault(TEAM)
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        run_git(app.vault, *arguments)
    app.index(False, silent)
    system = app.vault / "系统甲.md"
    system.write_text(system.read_text(encoding="utf-8").replace("type", "created: 2024-01-01\ntype"), encoding="utf-8")
    answer = app.ask("谁负责收银", Filters())
    assert answer.snapshot is not None
    assert {citation.ref for citation in answer.citations} == {
        f"模块.md:3@{answer.snapshot.commit[:7]}",
        f"系统甲.md:3@{answer.snapshot.commit[:7]}",
    }
    assert all(citation.changed for citation in answer.citations)
    run_git(app.vault, "commit", "-qam", "two")
    app.index(False, silent)
    assert "系统甲.md:4@" in " ".join(citation.ref for citation in app.ask("谁负责收银", Filters()).citations)


def test_names_of_several_notes_are_not_mixed(open_vault: Open) -> None:
    app = open_vault(
        {
            "甲/部署.md": "---\n负责人: '[[小明]]'\n---\n# 部署\n",
            "乙/部署.md": "---\n负责人: '[[小红]]'\n---\n# 部署\n",
            "乙/发布.md": "---\naliases: [部署]\n依赖: '[[小红]]'\n---\n# 发布\n",
        }
    )
    app.index(False, silent)
    assert app.ask("部署的负责人是谁", Filters()).route is not Route.RELATION
    assert app.ask("小红负责什么", Filters()).route is Route.RELATION


def test_conflicting_notes_are_marked(open_vault: Open) -> None:
    notes = {
        "甲.md": "---\n上级: '[[乙]]'\n---\n# 甲同学\n",
        "乙.md": "---\n上级: '[[甲]]'\n---\n# 乙同学\n",
    }
    app = open_vault(notes)
    app.index(False, silent)
    answer = app.ask("甲同学的上级是谁", Filters())
    assert answer.conflict
    (conflict,) = answer.conflicts
    assert "上级" in conflict.subject
    cited = {citation.key: citation for citation in answer.citations}
    assert {cited[side.key].note for side in conflict.sides} == {*notes}
    assert all(side.value for side in conflict.sides)
    assert app.check_ontology().is_broken


def test_a_vault_without_typed_links_never_reads_turtle(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 甲笔记\n\n见 [[b]]。\n", encoding="utf-8")
    (tmp_path / "b.md").write_text("# 乙笔记\n", encoding="utf-8")
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from graphrag.app import App\nfrom graphrag.domain.query import Filters\n"
        f"vault = Path({str(tmp_path)!r})\n"
        "app = App.open(vault, vault, {'answer': {'chat': 'none'}, 'index': {'embedder': 'none'}})\n"
        "app.index(False, lambda step, done, total: None)\n"
        "print(app.ask('哪些笔记链接到乙笔记', Filters()).answer.splitlines()[0])\n"
        "print(app.near('乙笔记', 1, 9).center.title)\n"
        "print('rdflib' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["链接到“乙笔记”的笔记有 1 篇：", "乙笔记", "False"]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("下单接口由哪个模块提供", {"订单模块提供下单接口 [1]"}),
        ("谁负责下单接口", {"小周", "推出"}),
        ("收银台间接依赖什么", {"下单接口", "订单模块"}),
        ("小周参加了哪些会议", {"例会"}),
        ("下单接口的 up 是什么", {"订单域"}),
    ],
)
def test_the_worked_example_of_an_ontology_does_what_it_says(open_vault: Open, question: str, named: set[str]) -> None:
    notes = {
        "下单接口.md": "---\ntype: 接口\n---\n# 下单接口\n\nup:: [[订单域]]\n",
        "订单模块.md": "---\ntype: 模块\n提供: '[[下单接口]]'\n负责人: '[[小周]]'\n---\n# 订单模块\n",
        "收银台.md": "---\ntype: 模块\n---\n# 收银台\n\n调用:: [[下单接口]]\n",
        "人物/小周.md": "# 小周\n",
        "会议纪要/例会.md": "---\n参会: '[[小周]]'\n---\n# 例会\n",
    }
    text = (EXAMPLES / "ontology" / "team.ttl").read_text(encoding="utf-8")
    app = open_vault({**notes, "ontology/team.ttl": text})
    app.index(False, silent)
    assert not app.check_ontology().is_broken
    answer = app.ask(question, Filters())
    assert answer.route is Route.RELATION
    assert {name for name in named if name not in answer.answer} == set()
