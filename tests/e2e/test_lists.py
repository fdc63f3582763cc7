"""Questions for a list: answered exactly, from the graph, with every note that fits and no other."""

from collections.abc import Callable

import pytest

from graphrag.app import App
from graphrag.domain.query import AnswerStatus, Filters, Route
from tests.e2e.conftest import silent

Open = Callable[..., App]
NOTES = {
    "支付/支付模块.md": "---\ntags: [支付/核心, saga]\ncreated: 2024-01-05\nupdated: 2024-06-01\n---\n# 支付模块\n",
    "支付/退款/退款.md": "---\ntags: [支付]\ncreated: 2024-02-10\n---\n# 退款\n\n正文。\n",
    "生活/牛腩.md": "---\ncategory: 菜谱\ncreated: 2023-05-01\n---\n# 牛腩\n\n正文。\n",
    "生活/空.md": "",
    "日记.md": "---\nprivate: true\ntags: [支付]\n---\n# 日记\n\n秘密。\n",
}


@pytest.fixture
def app(open_vault: Open) -> App:
    app = open_vault(NOTES)
    app.index(False, silent)
    return app


def listed(app: App, question: str, filters: Filters | None = None) -> list[str]:
    answer = app.ask(question, filters or Filters())
    assert answer.route is Route.LIST, answer.answer
    return [line.removeprefix("- ").split(" ")[0] for line in answer.answer.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("标签是 支付 的笔记有哪些", ["支付模块", "退款"]),
        ("标签是 SAGA 的笔记", ["支付模块"]),
        ("没有标签的笔记有哪些", ["牛腩", "空"]),
        ("支付文件夹里的笔记", ["支付模块", "退款"]),
        ("退款文件夹里有几篇", ["退款"]),
        ("菜谱这个分类里有哪些笔记", ["牛腩"]),
        ("2024 年 2 月新建的笔记", ["退款"]),
        ("2024 年写了哪些笔记", ["退款", "支付模块"]),
        ("2024 年修改了哪些笔记", ["支付模块", "退款"]),
        ("最早创建的 1 篇笔记", ["牛腩"]),
        ("标签是支付但不是 saga 的笔记", ["退款"]),
        ("带支付标签但没有 saga 标签的笔记", ["退款"]),
        ("同时有支付和 saga 标签的笔记", ["支付模块"]),
        ("notes tagged saga or 支付", ["支付模块", "退款"]),
        ("标签不是支付的笔记有哪些", ["牛腩", "空"]),
        ("最新的是哪篇笔记", ["支付模块"]),
    ],
)
def test_the_list_holds_what_fits(app: App, question: str, titles: list[str]) -> None:
    assert listed(app, question) == titles


def test_each_note_is_cited_but_an_empty_one(app: App) -> None:
    answer = app.ask("没有标签的笔记有哪些", Filters())
    assert [citation.note for citation in answer.citations] == ["生活/牛腩.md"]
    assert answer.answer.splitlines()[0] == "共 2 篇笔记："
    assert answer.model == "graph"


def test_filters_hold_too_and_nothing_is_a_plain_answer(app: App) -> None:
    assert listed(app, "标签是 支付 的笔记", Filters(paths=("支付/退款",))) == ["退款"]
    answer = app.ask("2019 年写了哪些笔记", Filters())
    assert (answer.status, answer.answer, answer.citations) == (AnswerStatus.NO_HIT, "没有这样的笔记。", ())


def test_a_tag_that_no_note_bears_is_named_with_those_like_it(app: App) -> None:
    answer = app.ask("标签是 sage 的笔记", Filters())
    assert (answer.status, answer.answer) == (AnswerStatus.NO_HIT, "没有笔记带标签 #sage。相近的标签：#saga。")
    assert app.ask("火星文件夹里的笔记", Filters()).route is not Route.LIST, "a folder may be any word"


@pytest.mark.parametrize("question", ["支付/退款 里有哪些笔记", "list all notes in 支付/退款", "文件夹 退款 里的笔记"])
def test_a_folder_may_be_named_by_its_path(app: App, question: str) -> None:
    assert listed(app, question) == ["退款"]


def test_what_the_vault_no_longer_holds_is_not_listed(app: App) -> None:
    (app.vault / "支付/退款/退款.md").unlink()
    note = app.vault / "支付/支付模块.md"
    note.write_text(note.read_text(encoding="utf-8").replace("---\n", "---\nprivate: true\n", 1), encoding="utf-8")
    assert app.ask("标签是 支付 的笔记有哪些", Filters()).status is AnswerStatus.NO_HIT


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("标签是支付的笔记", "共 2 篇笔记："),
        ("标签是支付但不是 saga 的笔记", "共 1 篇笔记（带 #支付，不带 #saga）："),
        ("notes tagged saga or 支付", "共 2 篇笔记（带 #saga 或 #支付）："),
        ("list notes tagged saga but not 支付", "没有这样的笔记（带 #saga，不带 #支付）。"),
    ],
)
def test_it_is_told_how_several_tags_were_read(app: App, question: str, told: str) -> None:
    assert app.ask(question, Filters()).answer.splitlines()[0] == told


def test_one_unknown_tag_among_others_is_named(app: App) -> None:
    assert app.ask("标签是支付和火星的笔记", Filters()).answer == "没有笔记带标签 #火星。"


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("有哪些标签", ["4 篇笔记里有 3 个标签：", "- #支付（2 篇）", "- #saga（1 篇）", "- #支付/核心（1 篇）"]),
        (
            "what tags are there?",
            ["4 notes, 3 tags:", "- #支付 (2 notes)", "- #saga (1 note)", "- #支付/核心 (1 note)"],
        ),
        ("退款文件夹里有哪些标签", ["1 篇笔记里有 1 个标签：", "- #支付（1 篇）"]),
        ("列出所有文件夹", ["4 篇笔记里有 3 个文件夹：", "- 支付（2 篇）", "- 生活（2 篇）", "- 支付/退款（1 篇）"]),
        ("生活文件夹里有哪些标签", ["这些笔记没有标签。"]),
    ],
)
def test_tags_and_folders_are_listed_themselves(app: App, question: str, lines: list[str]) -> None:
    answer = app.ask(question, Filters())
    assert (answer.route, answer.answer.splitlines()) == (Route.LIST, lines)


def test_a_long_list_says_how_to_see_the_rest_and_shows_it(open_vault: Open) -> None:
    app = open_vault({f"n{number:02}.md": "---\ntags: [t]\n---\n正文。\n" for number in range(45)})
    app.index(False, silent)
    first = app.ask("标签是 t 的笔记", Filters()).answer.splitlines()
    assert len(first) == 22
    assert first[-1] == "- 后面还有 25 条；在问题里加上“第 21 到 40 条”就能看到"
    second = app.ask("标签是 t 的笔记，第 21 到 40 条", Filters()).answer.splitlines()
    assert (second[0], second[1].split()[1]) == ("共 45 篇笔记，第 21 到 40 条：", "n20")
    assert second[-1].startswith("- 后面还有 5 条")
    assert len(app.ask("前 45 篇标签是 t 的笔记", Filters()).citations) == 45
    assert app.ask("标签是 t 的笔记，第 61 到 80 条", Filters()).answer == "共 45 篇笔记，没有第 61 条。"
    english = app.ask("list notes tagged t", Filters()).answer.splitlines()[-1]
    assert english == '- 25 more; add "21 to 40" to the question to see them'
    assert app.ask("list notes tagged t, 21 to 40", Filters()).answer.splitlines()[0] == "45 notes, 21 to 40:"


OPEN_ENDS = {
    "家务.md": "---\ntype: 清单\n---\n# 家务\n\n- [ ] 交电费 📅 2024-10-05 #家\n"
    "- [ ] 修水管 [due:: 2024-09-02]\n- [x] 买灯泡\n"
    "* [ ] 给李四报税\n\n见 [[李四]] 和 [[没写的]]。\n",
    "人物/李四.md": "# 李四\n\n- [x] 交材料\n\n[[没写的|别名]]\n",
    "孤独.md": "# 孤独\n\n谁也不提它。\n",
    "空.md": "",
    "密.md": "---\nprivate: true\n---\n- [ ] 秘密的事 [[密友]]\n",
}


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("还有哪些没做完的待办", ["修水管", "交电费", "给李四报税"]),
        ("open tasks", ["修水管", "交电费", "给李四报税"]),
        ("2024年10月到期的待办有哪些", ["交电费"]),
        ("李四有哪些待办没完成", ["给李四报税"]),
        ("已完成的任务有哪些", ["交材料", "买灯泡"]),
        ("有哪些断掉的链接", ["没写的"]),
        ("哪些笔记没有任何链接", ["孤独", "空"]),
        ("哪些笔记没有被链接", ["孤独", "家务", "空"]),
        ("空的笔记有哪些", ["空"]),
        ("类型是 清单 的笔记", ["家务"]),
    ],
)
def test_what_is_left_open_is_listed(open_vault: Open, question: str, items: list[str]) -> None:
    app = open_vault(OPEN_ENDS)
    app.index(False, silent)
    assert listed(app, question) == items


def test_a_task_is_cited_by_its_own_line(open_vault: Open) -> None:
    app = open_vault(OPEN_ENDS)
    app.index(False, silent)
    answer = app.ask("家务里还有哪些待办没做", Filters())
    assert [(citation.note, citation.lines) for citation in answer.citations] == [
        ("家务.md", (7, 7)),
        ("家务.md", (6, 6)),
        ("家务.md", (9, 9)),
    ]
    assert "没有类型为 清单子 的笔记" in app.ask("类型是 清单子 的笔记", Filters()).answer
    assert app.ask("张三有哪些待办没完成", Filters()).route is not Route.LIST
