"""A conversation reads follow-ups, remembers questions over sessions, and tells nothing that became private."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graphrag.answers.conversation import Conversation
from graphrag.app import App
from graphrag.domain.query import AnswerStatus, Filters
from graphrag.errors import ProviderUnavailable, QuestionError
from graphrag.stores.chat_history import CHAT_FILE
from tests.fakes.chat import TurnByTurnChat

NOTES = {
    "支付模块.md": '---\n负责人: "[[张三]]"\ntags: [支付/退款]\n---\n# 支付模块\n\n依赖:: [[消息队列]]\n\n先记账。\n',
    "消息队列.md": '---\n负责人: "[[李四]]"\n---\n# 消息队列\n\n消息积压时先扩消费者，鲸鱼计划不变。\n',
    "张三.md": "# 张三\n\n张三是架构师。\n",
    "李四.md": "# 李四\n\n李四养猫。\n",
}
NONE = Filters()
OpenApp = Callable[[], App]


@pytest.fixture
def open_app(tmp_path: Path) -> Iterator[OpenApp]:
    opened: list[App] = []
    vault = tmp_path / "vault"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, encoding="utf-8")

    def open_() -> App:
        opened.append(App.open(vault, vault, {"index": {"embedder": "none"}, "answer": {"chat": "none"}}))
        return opened[-1]

    open_().index(False, lambda step, done, total: None)
    yield open_
    for app in opened:
        app.close()


def _give_chat(app: App, chat: TurnByTurnChat) -> Conversation:
    app._parts.__dict__["chat_model"] = chat
    return app.converse()


def _history(app: App) -> str:
    return (app.vault / ".graphrag" / CHAT_FILE).read_text(encoding="utf-8")


def test_a_follow_up_is_answered_as_what_it_means(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    first = conversation.ask("支付模块的负责人是谁", NONE)
    assert (first.rewritten, "张三" in first.answer.answer) == ("", True)
    second = conversation.ask("它依赖什么", NONE)
    assert (second.asked, second.rewritten) == ("它依赖什么", "支付模块依赖什么")
    assert second.answer.question == "支付模块依赖什么"
    assert "消息队列" in second.answer.answer
    third = conversation.ask("那消息队列的负责人呢", NONE)
    assert (third.rewritten, "李四" in third.answer.answer) == ("消息队列的负责人呢", True)
    assert conversation.last is third


def test_filters_of_a_follow_up_count(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    conversation.ask("支付模块的负责人是谁", NONE)
    reply = conversation.ask("它依赖什么 path:张三.md", Filters(tags=("支付",)))
    assert (reply.rewritten, reply.filters) == ("支付模块依赖什么", Filters(tags=("支付",), paths=("张三.md",)))
    assert reply.answer.status is AnswerStatus.NO_HIT


def test_tags_are_names_and_the_answer_says_who_he_is(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    conversation.ask("支付模块的负责人是谁", NONE)
    assert conversation.ask("他是做什么的", NONE).rewritten == "张三是做什么的"
    conversation.ask("支付模块的负责人是谁", NONE)
    assert conversation.ask("那退款呢", NONE).rewritten == "退款的负责人是谁"


def test_the_next_session_goes_on(open_app: OpenApp) -> None:
    open_app().converse().ask("支付模块的负责人是谁", NONE)
    conversation = open_app().converse()
    assert conversation.asked == ("支付模块的负责人是谁",)
    assert conversation.ask("它依赖什么", NONE).rewritten == "支付模块依赖什么"
    conversation.ask("它依赖什么", NONE)
    again = open_app().converse()
    again.forget()
    assert (again.asked, open_app().converse().asked) == ((), ())
    assert again.ask("它依赖什么", NONE).rewritten == ""


def test_the_history_holds_questions_and_paths_and_no_text_of_notes(open_app: OpenApp) -> None:
    app = open_app()
    chat = TurnByTurnChat("张三 [来源1]。", "李四养什么？", "猫 [来源1]。")
    conversation = _give_chat(app, chat)
    conversation.ask("消息积压时怎么办，鲸鱼呢", NONE)
    assert conversation.ask("第一个来源是谁写的", NONE).rewritten.endswith("是谁写的")
    turns = [json.loads(line) for line in _history(app).splitlines()]
    assert [turn["question"] for turn in turns] == ["消息积压时怎么办，鲸鱼呢", "第一个来源是谁写的"]
    assert {*turns[0]["notes"]} <= {*NOTES}
    assert "扩消费者" not in _history(app)
    assert "计划" not in _history(app)


def test_a_note_that_became_private_is_not_named_from_the_history(open_app: OpenApp) -> None:
    app = open_app()
    app.converse().ask("消息积压时先做什么", NONE)
    assert "消息队列.md" in _history(app)
    assert open_app().converse().ask("第一个来源是谁写的", NONE).rewritten == "消息队列是谁写的"
    app.converse().ask("消息积压时先做什么", NONE)
    (app.vault / "消息队列.md").write_text("---\nprivate: true\n---\n# 消息队列\n", encoding="utf-8")
    reply = open_app().converse().ask("第一个来源是谁写的", NONE)
    assert reply.rewritten == ""
    assert "消费者" not in reply.answer.answer


def test_what_a_note_said_before_it_became_private_reaches_no_model(open_app: OpenApp) -> None:
    app = open_app()
    chat = TurnByTurnChat("先扩消费者 [来源1]。", "消息积压由谁处理？", "不知道。")
    conversation = _give_chat(app, chat)
    assert "扩消费者" in conversation.ask("消息积压时先做什么", NONE).answer.answer
    (app.vault / "消息队列.md").write_text("---\nprivate: true\n---\n# 消息队列\n", encoding="utf-8")
    conversation.ask("为什么", NONE)
    assert all("扩消费者" not in user for _, user in chat.prompts[1:])


def test_the_models_question_is_searched_for_and_not_written_down(open_app: OpenApp) -> None:
    app = open_app()
    chat = TurnByTurnChat("张三负责什么模块？", "张三是架构师 [来源1]。")
    conversation = _give_chat(app, chat)
    conversation.ask("支付模块的负责人是谁", NONE)
    reply = conversation.ask("他还管什么", NONE)
    assert reply.rewritten == "张三负责什么模块？"
    assert "张三" not in _history(app).splitlines()[-1].split('"notes"')[0]
    assert "张三" in chat.prompts[0][1]


def test_what_a_model_wrote_is_not_written_down_by_way_of_the_next_question(open_app: OpenApp) -> None:
    app = open_app()
    conversation = _give_chat(
        app, TurnByTurnChat("鲸鱼计划与支付模块有什么关系？", "没有 [来源1]。", "不是问句", "不知道。")
    )
    conversation.ask("支付模块的负责人是谁", NONE)
    assert "鲸鱼" in conversation.ask("它和别的有什么关系", NONE).rewritten
    assert "鲸鱼" in conversation.ask("为什么", NONE).rewritten
    assert "鲸鱼" not in _history(app)


def test_a_model_that_fails_is_told_and_the_name_carried_over(open_app: OpenApp) -> None:
    conversation = _give_chat(open_app(), TurnByTurnChat(ProviderUnavailable("start it: ollama serve")))
    conversation.ask("支付模块的负责人是谁", NONE)
    reply = conversation.ask("它依赖什么", NONE)
    assert (reply.rewritten, reply.answer.notice) == ("支付模块依赖什么", "start it: ollama serve")


def test_a_damaged_history_begins_anew_with_a_warning(open_app: OpenApp) -> None:
    app = open_app()
    (app.vault / ".graphrag" / CHAT_FILE).write_text("{", encoding="utf-8")
    conversation = app.converse()
    assert (conversation.asked, "begins anew" in conversation.warning) == ((), True)
    conversation.ask("支付模块的负责人是谁", NONE)
    assert conversation.warning == ""


@pytest.mark.parametrize("text", ["tag:支付", "？", "😀", "的的的的的"])
def test_a_question_that_cannot_be_used_is_not_remembered(open_app: OpenApp, text: str) -> None:
    conversation = open_app().converse()
    with pytest.raises(QuestionError):
        conversation.ask(text, NONE)
    assert conversation.asked == ()


def test_signs_that_a_note_is_called_by_are_a_question(open_app: OpenApp) -> None:
    app = open_app()
    (app.vault / "😀.md").write_text("# 😀\n\n今天心情好。\n", encoding="utf-8")
    app.index(False, lambda step, done, total: None)
    app.ask("😀", NONE)
    for ask in (app.ask, app.search):
        with pytest.raises(QuestionError, match="nothing to search for"):
            ask("😡", NONE)


def test_thanks_and_another_subject_after_a_list_are_a_question_of_its_own(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    conversation.ask("today's notes", NONE)
    reply = conversation.ask("谢谢，那支付模块呢", NONE)
    assert (reply.rewritten, reply.answer.status) == ("支付模块", AnswerStatus.ANSWERED)
    assert conversation.ask("它依赖什么", NONE).rewritten == "支付模块依赖什么"


def test_follow_ups_are_about_the_question_before_them_all(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    conversation.ask("支付模块依赖什么", NONE)
    for asked in ("还有吗", "为什么", "展开说说"):
        assert conversation.ask(asked, NONE).rewritten == f"支付模块依赖什么，{asked}"
    again = open_app().converse()
    assert again.ask("为什么", NONE).rewritten == "支付模块依赖什么，为什么"


def test_a_pronoun_means_whom_the_follow_up_before_it_was_about(open_app: OpenApp) -> None:
    app = open_app()
    for name, text in (("张三", "张三对花生过敏，李四也知道。"), ("李四", "李四养猫。")):
        (app.vault / f"{name}.md").write_text(f"---\ntype: 人\n---\n# {name}\n\n{text}\n", encoding="utf-8")
    app.index(False, lambda step, done, total: None)
    conversation = app.converse()
    conversation.ask("张三对什么过敏", NONE)
    assert conversation.ask("李四呢", NONE).rewritten == "李四对什么过敏"
    assert conversation.ask("他的爱好是什么", NONE).rewritten == "李四的爱好是什么"


def test_the_reasons_of_sources_are_those_of_the_search(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    assert conversation.reasons() == {}
    conversation.ask("消息积压时先做什么", NONE)
    assert conversation.reasons()[1].full_text_rank == 1
    conversation.ask("支付模块的负责人是谁", NONE)
    assert conversation.reasons() == {}


def test_answers_come_from_the_newest_snapshot(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    conversation.ask("支付模块的负责人是谁", NONE)
    other = open_app()
    text = NOTES["支付模块.md"].replace("张三", "王五")
    (other.vault / "支付模块.md").write_text(text, encoding="utf-8")
    (other.vault / "王五.md").write_text("# 王五\n", encoding="utf-8")
    other.index(False, lambda step, done, total: None)
    assert "王五" in conversation.ask("它的负责人呢", NONE).answer.answer
    assert conversation.ask("他是谁", NONE).rewritten == "王五是谁"


def test_a_person_is_who_the_notes_say_is_one(open_app: OpenApp) -> None:
    app = open_app()
    (app.vault / "交易组.md").write_text("---\ntype: 团队\n---\n# 交易组\n", encoding="utf-8")
    (app.vault / "张三.md").write_text('---\ntype: 人\n团队: "[[交易组]]"\n---\n# 张三\n', encoding="utf-8")
    app.index(False, lambda step, done, total: None)
    conversation = app.converse()
    conversation.ask("支付模块的负责人是谁", NONE)
    assert conversation.ask("他的团队呢", NONE).rewritten == "张三的团队呢"
    conversation.ask("张三负责什么", NONE)
    assert conversation.ask("它依赖什么", NONE).rewritten == "支付模块依赖什么"


def test_a_list_is_followed_up(open_app: OpenApp) -> None:
    app = open_app()
    (app.vault / "空.md").write_text("", encoding="utf-8")
    app.index(False, lambda step, done, total: None)
    conversation = app.converse()
    first = conversation.ask("没有标签的笔记有哪些", NONE)
    assert [line.split()[1] for line in first.answer.answer.splitlines()[1:]] == ["张三", "李四", "消息队列", "空"]
    assert conversation.ask("第三篇讲什么", NONE).rewritten == "消息队列讲什么"
    conversation.ask("没有标签的笔记有哪些", NONE)
    assert conversation.ask("第四篇讲什么", NONE).rewritten == "", "it has no text to cite"
    conversation.ask("没有标签的笔记有哪些", NONE)
    assert conversation.ask("有几篇", NONE).answer.answer.startswith("共 4 篇笔记")


def test_a_relation_that_no_note_states_is_said_to_be_so(open_app: OpenApp) -> None:
    conversation = open_app().converse()
    conversation.ask("支付模块依赖什么", NONE)
    reply = conversation.ask("那消息队列呢", NONE)
    assert reply.rewritten == "消息队列依赖什么"
    assert reply.answer.notice == "没有笔记用链接或属性写明这层关系，只能按内容查找。"
