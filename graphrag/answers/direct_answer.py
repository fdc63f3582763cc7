"""A question that needs no notes -> its answer, by rules or by the chat model, without any retrieval."""

from collections.abc import Callable
from dataclasses import dataclass

from graphrag.domain.ports import ChatModel
from graphrag.errors import ProviderError
from graphrag.language.interface import LanguageSetting, interface_language
from graphrag.understand.direct import direct_reply, is_for_model

RULES = "rules"
_PATIENCE = 3  # times the wanted length, after which a model that does not stop is stopped
_NO_MODEL = "This needs no notes but a chat model, and there is none to ask."
_SYSTEM_ZH = "直接、简短地完成用户的要求，最多 {limit} 个字。这件事与用户的笔记无关，不要提笔记，不要编造来源。"
_SYSTEM_EN = (
    "Do what the user asks, briefly, in at most {limit} characters. "
    "It has nothing to do with the user's notes: do not mention notes and name no sources."
)


@dataclass(frozen=True, slots=True)
class DirectAnswer:
    """An answer without sources; `model` is "rules" when no model wrote it."""

    text: str
    model: str
    notice: str = ""


def answer_directly(
    question: str,
    chat: ChatModel | None,
    max_characters: int,
    on_text: Callable[[str], None] | None,
    setting: LanguageSetting = "auto",
) -> DirectAnswer | None:
    """Return the answer to a question that needs no notes, None for every other question."""
    language = interface_language(setting, question)
    reply = direct_reply(question, language.is_chinese)
    if reply is not None:
        return DirectAnswer(reply, RULES)
    if not is_for_model(question):
        return None
    missing = language.say(_NO_MODEL)
    if chat is None:
        return DirectAnswer(missing, RULES)
    system = (_SYSTEM_ZH if language.is_chinese else _SYSTEM_EN).format(limit=max_characters)
    try:
        return DirectAnswer(_write(chat, system, question, max_characters, on_text), chat.model_id)
    except ProviderError as error:
        return DirectAnswer(missing, RULES, str(error))


def _write(
    chat: ChatModel, system: str, question: str, max_characters: int, on_text: Callable[[str], None] | None
) -> str:
    text = ""
    for piece in chat.stream(system, question):
        text += piece
        if on_text:
            on_text(piece)
        if len(text) > _PATIENCE * max_characters:
            break
    return text.strip()
