"""A day in a question finds the notes that are about it, whatever way either is written."""

from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.query import Filters
from tests.e2e.conftest import silent

NOTES = {
    "日记/04.01.2024.md": "今天去图书馆还书，晚上看电影。",
    "日记/05.01.2024.md": "早上跑步五公里，下午修水管。",
    "日记/06.01.2024.md": "今天做了什么：去图书馆还书，晚上做了饭。",
    "会/20240308 评审.md": "# 支付评审\n\n参加：王敏、李强。结论：通过。",
    "会/20240309 评审.md": "# 评审会议\n\n谁参加了评审：赵六、钱七参加评审。",
    "露营.md": "---\ndate: 2024-05-01\n---\n# 露营\n\n在莫干山露营，花了三百元。",
    "海边.md": "---\ndate: 2024-05-02\n---\n# 海边露营\n\n露营又花了多少钱，没有人知道。",
}


@pytest.fixture
def app(tmp_path: Path) -> App:
    for name, text in NOTES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian/daily-notes.json").write_text('{"format": "DD.MM.YYYY"}')
    (tmp_path / "graphrag.toml").write_text('[index]\nembedder = "none"\n')
    app = App.open(tmp_path, tmp_path)
    app.index(False, silent)
    return app


@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("2024年1月5日我做了什么", "日记/05.01.2024.md"),
        ("what happened on January 5th, 2024?", "日记/05.01.2024.md"),
        ("2024/1/5 下午修了什么", "日记/05.01.2024.md"),
        ("谁参加了 2024-03-08 的评审", "会/20240308 评审.md"),
        ("2024年5月1日露营花了多少钱", "露营.md"),
    ],
)
def test_the_note_of_the_day_comes_first(app: App, question: str, note: str) -> None:
    assert app.search(question, Filters()).candidates[0].chunk.note == note


def test_a_thing_that_no_note_of_the_day_holds_is_refused(app: App) -> None:
    assert "修水管" in app.ask("2024年1月5日我做了什么", Filters()).answer
    assert app.ask("2024年1月5日的股价是多少", Filters()).citations == ()


def test_a_list_of_a_day_holds_the_notes_about_it_whenever_they_were_changed(app: App, tmp_path: Path) -> None:
    text = "---\ncreated: 2025-06-01\nupdated: 2025-08-01\n---\n看牙医，买肥皂。"
    (tmp_path / "日记/07.02.2024.md").write_text(text, encoding="utf-8")
    app.index(False, silent)
    for question in ("What did I do on Feb 7 2024?", "2024年2月7日的笔记有哪些"):
        answer = app.ask(question, Filters())
        assert [citation.note for citation in answer.citations] == ["日记/07.02.2024.md"], answer.answer
