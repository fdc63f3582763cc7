"""Which language a question is in, and how much of a model's window a text takes."""

import math
import re

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_TO_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_TOKENS_PER_WIDE = 0.8
_TOKENS_PER_OTHER = 0.35


def is_chinese(text: str) -> bool:
    """Whether the text holds any Chinese character."""
    return bool(_CHINESE.search(text))


def half_width(text: str) -> str:
    """Return the text with figures, letters and signs as they are in ASCII: ３００＋５０ is 300+50."""
    return text.translate(_TO_HALF_WIDTH)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a chat model reads the text as, rather too many than too few."""
    wide = len(_WIDE.findall(text))
    other = sum(1 for character in text if not character.isspace()) - wide
    return math.ceil(wide * _TOKENS_PER_WIDE + other * _TOKENS_PER_OTHER)
