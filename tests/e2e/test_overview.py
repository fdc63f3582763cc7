"""Questions for an overview, answered from the groups that notes form."""

import re
import time
from collections.abc import Callable

import pytest

from graphrag.app import App
from graphrag.domain.query import Answer, AnswerStatus, Filters, Route
from tests.e2e.conftest import silent

Open = Callable[..., App]
WHOLE = "我的笔记主要讲什么"
NOTES = {
    **{
        f"茶/{name}.md": f"---\ntags: [茶]\n---\n# {name}\n\n{name}怎么泡。[[茶具]]\n"
        for name in ("绿茶", "红茶", "白茶")
    },
    "茶/茶具.md": "---\ntags: [茶]\n---\n# 茶具\n\n盖碗泡茶，见 [[绿茶]] 与 [[红茶]]。\n",
    **{
        f"bikes/{name}.md": f"---\ntags: [cycling]\n---\n# {name}\n\nAbout {name}. [[Workshop]]\n"
        for name in ("Chain", "Brakes", "Wheels")
    },
    "bikes/Workshop.md": "---\ntags: [cycling]\n---\n# Workshop\n\nTools for [[Chain]] and [[Brakes]].\n",
    "孤.md": "# 孤\n\n什么也不连。\n",
}


def ask(app: App, question: str, filters: Filters | None = None) -> Answer:
    return app.ask(question, filters or Filters())


def test_the_whole_vault_is_told_by_its_groups(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    answer = ask(app, WHOLE)
    assert (answer.route, answer.status, answer.model) == (Route.OVERVIEW, AnswerStatus.ANSWERED, "graph")
    assert answer.answer.splitlines() == [
        "9 篇笔记，按彼此的链接、提及和标签大致分为 2 组：",
        "- cycling（4 篇）：Workshop [1]、Brakes [2]、Chain [3]",
        "- 茶（4 篇）：茶具 [4]、红茶 [5]、绿茶 [6]",
        "- 1 篇不属于任何一组",
    ]
    first = answer.citations[0]
    assert (first.note, first.quote, first.ref) == ("bikes/Workshop.md", "Tools for Chain and Brakes.", first.ref)
    assert first.ref.startswith("bikes/Workshop.md:")
    assert ask(app, "give me an overview of my notes").answer.splitlines()[-1] == "- 1 note in no group"


def test_few_notes_and_an_overview_of_nothing_are_searched(open_vault: Open) -> None:
    app = open_vault({path: text for path, text in NOTES.items() if path.startswith("茶")})
    app.index(False, silent)
    assert ask(app, WHOLE).route is Route.HYBRID


def test_filters_and_a_topic_restrict_it(open_vault: Open) -> None:
    more = {f"茶/{name}.md": f"---\ntags: [茶]\n---\n# {name}\n\n见 [[茶具]]。\n" for name in ("黑茶", "黄茶")}
    app = open_vault({**NOTES, **more})
    app.index(False, silent)
    filtered = ask(app, WHOLE, Filters(tags=("茶",)))
    assert filtered.answer.startswith("6 篇笔记")
    assert {citation.note.split("/")[0] for citation in filtered.citations} == {"茶"}


@pytest.mark.parametrize("text", [None, "---\nprivate: true\ntags: [cycling]\n---\n# Workshop\n"])
def test_what_is_private_or_gone_does_not_appear(open_vault: Open, text: str | None) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    assert "Workshop" in ask(app, WHOLE).answer
    if text is None:
        (app.vault / "bikes/Workshop.md").unlink()
    else:
        (app.vault / "bikes/Workshop.md").write_text(text, encoding="utf-8")
    answer = ask(app, WHOLE)
    assert answer.answer.startswith("8 篇笔记")
    assert "Workshop" not in answer.answer and "bikes/Workshop.md" not in {item.note for item in answer.citations}


def test_every_note_of_the_example_vault_is_counted_once(demo: App) -> None:
    answer = ask(demo, WHOLE)
    lines = answer.answer.splitlines()
    assert answer.route is Route.OVERVIEW and len(lines) <= 10
    total, *counts = (int(count) for count in re.findall(r"(\d+) 篇", answer.answer))
    assert total == sum(counts) == len(demo._readers.manifest.notes)
    assert len({citation.note for citation in answer.citations}) == len(answer.citations) <= 21
    again = App.open(demo.vault, demo.vault)
    assert ask(again, WHOLE).answer == answer.answer
    again.close()


def test_a_topic_is_told_by_the_notes_about_it(demo: App) -> None:
    answer = ask(demo, "我的笔记里关于消息队列大致有哪些内容")
    assert answer.route is Route.OVERVIEW and answer.answer.startswith("关于“消息队列”的 ")
    assert "消息队列/消息队列.md" in {citation.note for citation in answer.citations}
    assert int(re.findall(r"(\d+) 篇", answer.answer)[0]) < len(demo._readers.manifest.notes)
    assert ask(demo, "what do my notes say about the retry count").route is not Route.OVERVIEW


def test_it_is_quick_in_a_running_process(demo: App) -> None:
    ask(demo, WHOLE)
    start = time.perf_counter()
    ask(demo, WHOLE)
    assert time.perf_counter() - start < 0.5  # 0.02 on a quiet machine


@pytest.mark.parametrize(
    "question", ["概括一下茶", "帮我总结一下茶的内容", "茶概览", "summarize 茶", "give me an overview of 茶"]
)
def test_a_folder_or_tag_is_summed_up_by_its_name(open_vault: Open, question: str) -> None:
    more = {f"茶/{name}.md": f"---\ntags: [茶]\n---\n# {name}\n\n见 [[茶具]]。\n" for name in ("黑茶", "黄茶")}
    app = open_vault({**NOTES, **more})
    app.index(False, silent)
    answer = ask(app, question)
    assert (answer.route, "6" in answer.answer.splitlines()[0]) == (Route.OVERVIEW, True)
    assert {citation.note.split("/")[0] for citation in answer.citations} == {"茶"}
    assert ask(app, question, Filters(tags=("cycling",))).route is Route.HYBRID, "none of them passes"


def test_what_names_few_notes_or_one_is_searched(open_vault: Open) -> None:
    app = open_vault({**NOTES, "茶/茶.md": "---\ntags: [茶]\n---\n# 茶\n\n见 [[绿茶]]。\n"})
    app.index(False, silent)
    assert ask(app, "概括一下茶").route is Route.OVERVIEW, "a note of that name is one of five"
    assert ask(app, "概括一下绿茶").route is Route.HYBRID
    assert ask(app, "概括一下cycling").route is Route.HYBRID, "four notes are read sooner than told"
    assert ask(app, "概括一下火星").route is Route.HYBRID
