"""Which language the program speaks: the setting, else that of the question, else that of the machine."""

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from graphrag.language.messages import chinese_of, chosen, filled
from graphrag.language.script import is_chinese

LanguageSetting = Literal["auto", "zh", "en"]

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first one that is set counts
_FILTER = re.compile(r"\b[a-z]+:(?:\"[^\"]*\"|\S+)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*[,.;:!?]*")


class Language(StrEnum):
    """A language of messages and answers."""

    ZH = "zh"
    EN = "en"

    @property
    def is_chinese(self) -> bool:
        """Whether this is Chinese."""
        return self is Language.ZH

    def say(self, template: str, **values: object) -> str:
        """Return an English template of the catalogue in this language, with its values filled in.

        An exception among the values is told in this language, too; a text is taken as it is. Of a template like
        `{n} note|{n} notes`, the form that fits the value `n` is taken.
        """
        told = {name: self.tell(str(it)) if isinstance(it, Exception) else it for name, it in values.items()}
        return filled(chosen(template, told, self.is_chinese), told)

    def tell(self, text: str) -> str:
        """Return an English message in this language; a text that the catalogue does not know stays as it is."""
        return chinese_of(text) if self.is_chinese else text


def interface_language(
    setting: LanguageSetting = "auto", question: str = "", environment: Mapping[str, str] | None = None
) -> Language:
    """Return the language to speak: what the setting says, else the question's, else that of the locale."""
    if setting != "auto":
        return Language(setting)
    if is_chinese(question):
        return Language.ZH
    return Language.EN if _has_sentence(question) else _of_locale(os.environ if environment is None else environment)


def _has_sentence(question: str) -> bool:
    """Whether a text without Chinese has words of a language; one word alone may be a name: `processTransaction`."""
    words = _FILTER.sub(" ", question).split()
    return len(words) > 1 and any(_WORD.fullmatch(word) and word[1:].islower() for word in words)


def _of_locale(environment: Mapping[str, str]) -> Language:
    locale = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    return Language.ZH if locale.lower().startswith("zh") else Language.EN
