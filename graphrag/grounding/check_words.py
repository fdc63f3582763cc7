"""Findings of the check -> their words, for a terminal and for a saved note."""

from graphrag.domain.query import Flag, FlagReason
from graphrag.language.interface import Language

_SENTENCE_END = "。！？!?. "
_FLAGS = {
    FlagReason.NUMBER: "number not in its source",
    FlagReason.NAME: "name not in its source",
    FlagReason.IDENTIFIER: "identifier not in its source",
    FlagReason.NEGATION: "its source says the opposite",
    FlagReason.NO_SUPPORT: "no source says this",
}


def conflict_line(subject: str, language: Language) -> str:
    """Return that the sources disagree on a subject."""
    return language.say("The sources disagree: {subject}", subject=subject)


def reason_of(flag: Flag, answer: str, language: Language) -> str:
    """Return why a sentence is marked in an answer's text, or was left out of it."""
    is_shown = flag.sentence.rstrip(_SENTENCE_END) in answer
    parts = "" if is_shown else language.say("left out"), language.say(_FLAGS[flag.reason]), flag.detail
    return " · ".join(" ".join(part.split()) for part in parts if part)
