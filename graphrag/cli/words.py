"""What a command says, in the language that it speaks: by the vault's settings, what is asked, and the machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from graphrag.language.interface import Language, LanguageSetting, interface_language

_SETTING: ContextVar[LanguageSetting] = ContextVar("setting", default="auto")
_QUESTION: ContextVar[str] = ContextVar("question", default="")


def is_settled() -> bool:
    """Whether a vault has said which language to speak."""
    return _SETTING.get() != "auto"


def use(setting: LanguageSetting) -> None:
    """Follow this setting from now on."""
    _SETTING.set(setting)


@contextmanager
def answering(question: str) -> Iterator[None]:
    """Speak for a while as a question, or a name that is looked up, wants to be answered."""
    token = _QUESTION.set(question)
    try:
        yield
    finally:
        _QUESTION.reset(token)


def spoken() -> Language:
    """Return the language of what is printed now."""
    return interface_language(_SETTING.get(), _QUESTION.get())


def comma() -> str:
    """Return what stands between the items of a list."""
    return "，" if spoken().is_chinese else ", "


def semicolon() -> str:
    """Return what stands between the parts of a line."""
    return "；" if spoken().is_chinese else "; "


def say(template: str, **values: object) -> str:
    """Return an English template of the catalogue in the language of the command."""
    return spoken().say(template, **values)


def tell(text: str) -> str:
    """Return a message of another room in the language of the command."""
    return spoken().tell(text)
