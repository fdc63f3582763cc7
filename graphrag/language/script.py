"""The characters of a text: Chinese or not, one form of the wide and traditional ones; and how many tokens it takes."""

import math
import re
from functools import lru_cache
from importlib.resources import files

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


def simplify(text: str) -> str:
    """Return the text with every traditional character as its simplified one; the length stays."""
    return text if text.isascii() else text.translate(_table())


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    lines = (files("opencc") / "dictionary" / "TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {ord(traditional): forms.split(" ")[0] for traditional, forms in pairs}
