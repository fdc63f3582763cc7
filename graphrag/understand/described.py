"""Question -> whether it describes a thing instead of naming it, so that the thing has to be found first."""

import re

_LONGEST = 300  # characters
_ASKS = r"(?:什么|啥|哪|谁|多少|几[个次点天年]|吗|怎|如何|是否|为何)"
_ASKS_EN = r"(?:which|what|who|whom|whose|when|where|how|does|do|did|is|are|was|were|can)"
# A thing described by what it did or by what it belongs to, of which something else is asked.
_CHAINS = (
    re.compile(rf"(?:[的里中上用过]\s*那(?:个|种|家|位|篇|本|款|项|次|类|套|些)|那(?:篇|本|个)[里中]).*{_ASKS}"),
    re.compile(rf"[^，,]{{2,40}}(?:的|里|中)[^，,]{{1,16}}[，,].*{_ASKS}"),
    re.compile(rf"[^的，,]{{2,}}的[^的，,]{{1,}}的[^的，,]*{_ASKS}"),
    re.compile(rf"\bthe\b[^:,?]{{3,60}}\b(?:that|which|who|of|by|behind)\b[^:,?]{{2,80}}[:,]\s*{_ASKS_EN}\b", re.I),
    re.compile(rf"\b{_ASKS_EN}\b.*\b(?:of|by|for|in|with|from)\s+the\s+[\w\s-]{{2,40}}\b(?:that|which|who)\b", re.I),
    re.compile(rf"\b{_ASKS_EN}\b.*\bthe\s+[\w\s-]{{2,30}}\bof\s+the\s+[\w\s-]{{2,30}}\bof\b", re.I),
)


def asks_for_a_chain(question: str) -> bool:
    """Whether a question describes a thing instead of naming it, and asks something about that thing."""
    return len(question) <= _LONGEST and any(form.search(question) for form in _CHAINS)
