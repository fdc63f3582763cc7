"""Traditional characters -> simplified ones, one for one, so that either script finds notes in the other.

The characters are OpenCC's. Words that differ besides (軟體, 软件) stay apart, and of the few characters with several
simplified forms the commonest is taken, in notes and questions alike.
"""

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
