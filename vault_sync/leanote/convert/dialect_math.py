"""Which `$…$`, `\\\\(…\\\\)` and the like of Leanote's Markdown are formulas, and how Obsidian writes them.

The original takes every pair of dollars for a formula, money too. Here a pair with Chinese text outside `\\text{}`, or
that reads like two amounts, is text, and is escaped where Obsidian would see a formula in it.
"""

import re

_WORDS = re.compile(r"\\(?:text|mbox|mathrm|textbf|textit|hbox|tag|label)\s{0,5}\{[^{}]{0,500}\}")
_CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff65]")
_MATHS = re.compile(r"[\\^_=+<>]|(?<![A-Za-z])[A-Za-z]\s{0,3}[-*/]\s{0,3}[A-Za-z0-9](?![A-Za-z])")
_SMALL = re.compile(
    r"-?(?:[A-Za-z]{1,3}'{0,3}|[A-Za-z]{1,2}\([A-Za-z0-9, ]{1,20}\)|\d[\d.]{0,20}"
    r"|[A-Za-z0-9](?:\s?,\s?[A-Za-z0-9]){1,20})"
)
_VARIABLE = re.compile(r"\{?(?:[A-Z]{4,}|[A-Za-z]{2,}_[A-Za-z_]{2,})")  # of a shell
_AMOUNT = re.compile(r"\d[\d,.]*(?:\s|[,;.!?)]|\Z)")
_MAX_INLINE = 1000


def is_formula(content: str, is_certain: bool = False) -> bool:
    """Whether what stands between two marks is a formula; `is_certain` when the marks have no other use."""
    is_even = content[:1].isspace() == content[-1:].isspace()
    content = content.strip()
    if not content or len(content) > _MAX_INLINE or "\n" in content:
        return False
    if is_certain:
        return True
    if not is_even or _VARIABLE.match(content) or _CHINESE.search(_WORDS.sub("", content)):
        return False
    return bool(_SMALL.fullmatch(content) or (_MATHS.search(content) and not _is_prose(content)))


def is_seen_as_formula(content: str, following: str) -> bool:
    """Whether Obsidian would take the content of a pair of dollars, and the character after it, for a formula."""
    return bool(content) and not content[0].isspace() and not content[-1].isspace() and not following.isdigit()


def inline_formula(content: str) -> str:
    """Return a formula within a line; Obsidian allows no space next to the dollars."""
    return f"${content.strip()}$"


def display_formula(content: str) -> str:
    """Return a formula on its own."""
    return f"$${content}$$"


def _is_prose(content: str) -> bool:
    """Whether this reads like `5 to me and a_b `: an amount first, then words."""
    return bool(_AMOUNT.match(content)) and len(re.findall(r"(?<![\\\w])[A-Za-z]{2,}", content)) >= 2
