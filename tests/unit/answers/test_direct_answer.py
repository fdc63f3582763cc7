from dataclasses import replace

import pytest

from graphrag.answers.answerer import OnText
from graphrag.answers.direct_answer import DirectAnswerer
from graphrag.domain.query import Answer, AnswerStatus, Route
from graphrag.errors import ProviderUnavailable
from graphrag.retrieve.pipeline import StageClock
from graphrag.understand.plan import Direct
from tests.fakes.chat import ScriptedChat
from tests.fakes.plans import answer_by, plan_of


def answer_directly(text: str, chat: ScriptedChat | None, length: int, on_text: OnText | None = None) -> Answer:
    plan = plan_of(text)
    [reading] = plan.readings
    assert isinstance(reading, Direct)
    answerer = DirectAnswerer(reading, chat, length)
    return replace(answer_by(answerer, plan, on_text), notice=answerer.notice)


TASK = "把“明天开会”翻译成英语"


def test_rules_answer_without_asking_a_model() -> None:
    chat = ScriptedChat("must not be asked")
    answer = answer_directly("1+1=?", chat, 100)
    assert (answer.answer, answer.model, chat.prompts) == ("2", "rules", [])


def test_work_on_a_text_goes_to_the_model_without_any_notes() -> None:
    pieces: list[str] = []
    chat = ScriptedChat("Meeting ", "tomorrow.")
    answer = answer_directly(TASK, chat, 100, pieces.append)
    assert (answer.answer, answer.model, answer.notice) == ("Meeting tomorrow.", "scripted", "")
    assert pieces == ["Meeting ", "tomorrow."]
    [(system, user)] = chat.prompts
    assert user == TASK and "100" in system and "来源" in system


def test_a_model_that_does_not_stop_is_stopped() -> None:
    chat = ScriptedChat(*["x" * 10] * 1000)
    answer = answer_directly(TASK, chat, 50)
    assert len(answer.answer) <= 160 and chat.yielded < 20


@pytest.mark.parametrize("chat", [None, ScriptedChat(error=ProviderUnavailable("start it"))])
def test_without_a_model_it_is_said_that_there_is_none(chat: ScriptedChat | None) -> None:
    answer = answer_directly(TASK, chat, 100)
    assert "聊天模型" in answer.answer and answer.model == "rules"
    assert answer.notice == ("start it" if chat else "")


def test_a_greeting_is_answered_without_a_search() -> None:
    answer = answer_directly("你好", ScriptedChat("must not be asked"), 100)
    assert (answer.status, answer.route, answer.model) == (AnswerStatus.DIRECT, Route.DIRECT, "rules")
    assert answer.snapshot is None and answer.citations == () and list(answer.trace.milliseconds) == ["direct"]


def test_a_question_about_the_notes_is_none_of_these() -> None:
    assert not any(isinstance(reading, Direct) for reading in plan_of("支付模块选择什么方案").readings)


def test_what_only_the_router_takes_for_direct_is_left_to_the_search_without_a_model() -> None:
    def reply(chat: ScriptedChat | None) -> str | None:
        answer = DirectAnswerer(Direct(None, is_sure=False), chat, 100).answer(plan_of(TASK), StageClock(), None)
        return answer and answer.answer

    assert reply(None) is None
    assert reply(ScriptedChat("Meeting")) == "Meeting"
