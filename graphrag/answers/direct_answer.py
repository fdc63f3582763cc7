"""A question that needs no notes -> its answer, by rules or by the chat model. Nothing is searched."""

from graphrag.answers.answerer import OnText
from graphrag.domain.ports import ChatModel
from graphrag.domain.query import Answer, AnswerStatus, Route, Trace
from graphrag.errors import ProviderError
from graphrag.language.interface import LanguageSetting, interface_language
from graphrag.retrieve.pipeline import StageClock
from graphrag.understand.plan import Direct, QueryPlan

RULES = "rules"
_PATIENCE = 3  # times the wanted length, after which a model that does not stop is stopped
_NO_MODEL = "This needs no notes but a chat model, and there is none to ask."
_SYSTEM_ZH = "直接、简短地完成用户的要求，最多 {limit} 个字。这件事与用户的笔记无关，不要提笔记，不要编造来源。"
_SYSTEM_EN = (
    "Do what the user asks, briefly, in at most {limit} characters. "
    "It has nothing to do with the user's notes: do not mention notes and name no sources."
)


class DirectAnswerer:
    """Answers what needs no notes; `model` is "rules" when no model wrote it."""

    def __init__(
        self, reading: Direct, chat: ChatModel | None, max_characters: int, setting: LanguageSetting = "auto"
    ) -> None:
        self._reading = reading
        self._chat = chat
        self._max_characters = max_characters
        self._setting = setting
        self.notice = ""

    def answer(self, plan: QueryPlan, clock: StageClock, on_text: OnText | None) -> Answer | None:
        """Return the reply of rules, else what the chat model writes, else that there is none to ask.

        None without a model where only the router takes the question for one that needs no notes.
        """
        with clock.stage("direct"):
            text, model = self._reply(plan.question.text, on_text)
        if model == RULES and not self._reading.is_sure:
            return None
        return Answer(
            question=plan.question.asked,
            route=Route.DIRECT,
            status=AnswerStatus.DIRECT,
            answer=text,
            model=model,
            citations=(),
            snapshot=None,
            conflict=False,
            trace=Trace(dict(clock.milliseconds)),
        )

    def _reply(self, question: str, on_text: OnText | None) -> tuple[str, str]:
        """Return the text, and who wrote it."""
        if self._reading.reply is not None:
            return self._reading.reply, RULES
        language = interface_language(self._setting, question)
        missing = language.say(_NO_MODEL)
        if self._chat is None:
            return missing, RULES
        system = (_SYSTEM_ZH if language.is_chinese else _SYSTEM_EN).format(limit=self._max_characters)
        try:
            return _write(self._chat, system, question, self._max_characters, on_text), self._chat.model_id
        except ProviderError as error:
            self.notice = str(error)
            return missing, RULES


def _write(chat: ChatModel, system: str, question: str, max_characters: int, on_text: OnText | None) -> str:
    text = ""
    for piece in chat.stream(system, question):
        text += piece
        if on_text:
            on_text(piece)
        if len(text) > _PATIENCE * max_characters:
            break
    return text.strip()
