"""Question -> whether it asks how things hang together. Whether the notes know it is for the graph to say."""

import re

_LINKS = re.compile(
    r"反向?链接?|反链|链接(?:到|着|过)|(?:直接|互相|相互)?(?:连着|相连|连到|引用)|指向|隔着|顺着(?:链接|双链)"
    r"|\bback-?links?\b|\blinks?\s+(?:to|from)\b|\blinked\s+(?:to|from)\b|\bconnect(?:s|ed|ion)?\b",
    re.IGNORECASE,
)
_RELATIONS = re.compile(
    r"依赖|负责|(?:什么|啥|何种?|有无|有没有).{0,6}(?:关系|关联|联系)|之间.{0,8}(?:关系|关联|联系)|影响(?:到)?(?:谁|哪|什么)"
    r"|属于(?:谁|哪|什么)|归谁|谁(?:的|管)|上级|下级|汇报给|取代|替代了"
    r"|\bdepend(?:s|ed|encies|ency)?\s*(?:on)?\b|\b(?:who|which\s+team)\s+(?:owns?|maintains?|manages?|is\s+responsible)\b"
    r"|\bowner\s+of\b|\bpart\s+of\b|\brelat(?:ed|ion|ionship)\b|\breports?\s+to\b",
    re.IGNORECASE,
)


def speaks_of_links(question: str) -> bool:
    """Whether a question is about the links between notes."""
    return bool(_LINKS.search(question))


def speaks_of_relations(question: str) -> bool:
    """Whether a question is about who is responsible, what depends on what, and the like."""
    return bool(_RELATIONS.search(question))
