"""Traditional Chinese characters -> their simplified forms, one for one."""

from functools import lru_cache
from importlib.resources import files


def simplify(text: str) -> str:
    """Return the text with every traditional character as its simplified one; the length stays."""
    return text if text.isascii() else text.translate(_table())


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    lines = (files("opencc") / "dictionary" / "TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines)
    return {ord(traditional): forms.split(" ")[0] for traditional, forms in pairs}
