"""Findings of the check -> their words in the language of the question, for a terminal and for a saved note."""

from dataclasses import dataclass

from graphrag.domain.query import Flag, FlagReason
from graphrag.language.script import is_chinese

_SENTENCE_END = "。！？!?. "


@dataclass(frozen=True, slots=True)
class CheckWords:
    """One language's words."""

    conflict: str  # {subject}
    flags: dict[FlagReason, str]
    dropped_sentence: str


CHECKS_EN = CheckWords(
    conflict="The sources disagree: {subject}",
    flags={
        FlagReason.NUMBER: "number not in its source",
        FlagReason.NAME: "name not in its source",
        FlagReason.IDENTIFIER: "identifier not in its source",
        FlagReason.NEGATION: "its source says the opposite",
        FlagReason.NO_SUPPORT: "no source says this",
    },
    dropped_sentence="left out",
)
CHECKS_ZH = CheckWords(
    conflict="来源说法不一：{subject}",
    flags={
        FlagReason.NUMBER: "数字不在来源里",
        FlagReason.NAME: "来源没有提到",
        FlagReason.IDENTIFIER: "标识符不在来源里",
        FlagReason.NEGATION: "来源的说法相反",
        FlagReason.NO_SUPPORT: "没有来源这样说",
    },
    dropped_sentence="已去掉",
)


def check_words_for(text: str) -> CheckWords:
    """Return the words of the language that a text is written in."""
    return CHECKS_ZH if is_chinese(text) else CHECKS_EN


def reason_of(flag: Flag, answer: str, words: CheckWords) -> str:
    """Return why a sentence is marked in an answer's text, or was left out of it."""
    is_shown = flag.sentence.rstrip(_SENTENCE_END) in answer
    parts = "" if is_shown else words.dropped_sentence, words.flags[flag.reason], " ".join(flag.detail.split())
    return " · ".join(part for part in parts if part)
