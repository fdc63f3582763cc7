import pytest

from graphrag.answers.direct_answer import answer_directly
from graphrag.errors import ProviderUnavailable
from tests.fakes.chat import ScriptedChat

TASK = "把“明天开会”翻译成英语"


def test_rules_answer_without_asking_a_model() -> None:
    chat = ScriptedChat("must not be asked")
    answer = answer_directly("1+1=?", chat, 100, None)
    assert answer and (answer.text, answer.model, chat.prompts) == ("2", "rules", [])


def test_work_on_a_text_goes_to_the_model_without_any_notes() -> None:
    pieces: list[str] = []
    chat = ScriptedChat("Meeting ", "tomorrow.")
    answer = answer_directly(TASK, chat, 100, pieces.append)
    assert answer and (answer.text, answer.model, answer.notice) == ("Meeting tomorrow.", "scripted", "")
    assert pieces == ["Meeting ", "tomorrow."]
    [(system, user)] = chat.prompts
    assert user == TASK and "100" in system and "来源" in system


def test_a_model_that_does_not_stop_is_stopped() -> None:
    chat = ScriptedChat(*["x" * 10] * 1000)
    answer = answer_directly(TASK, chat, 50, None)
    assert answer and len(answer.text) <= 160 and chat.yielded < 20


@pytest.mark.parametrize("chat", [None, ScriptedChat(error=ProviderUnavailable("start it"))])
def test_without_a_model_it_is_said_that_there_is_none(chat: ScriptedChat | None) -> None:
    answer = answer_directly(TASK, chat, 100, None)
    assert answer and "聊天模型" in answer.text and answer.model == "rules"
    assert answer.notice == ("start it" if chat else "")


def test_a_question_about_the_notes_is_none_of_these() -> None:
    assert answer_directly("支付模块选择什么方案", ScriptedChat("no"), 100, None) is None
