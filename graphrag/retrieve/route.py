"""Question -> route, by rules alone: what needs no notes, names a note or identifier, asks for the whole, or twice."""

import re

from graphrag.domain.query import Route
from graphrag.retrieve.described import asks_for_a_chain
from graphrag.retrieve.direct import direct_reply
from graphrag.retrieve.language import is_chinese
from graphrag.retrieve.overview import read_overview

_IDENTIFIER = re.compile(r"(?=.*(?:_|\d|[a-z][A-Z]|\+\+|#|\w\.\w))[A-Za-z][\w.+#:/\-]{1,80}")


def choose_route(question: str, named_notes: frozenset[str]) -> Route:
    """Return the question's route; `named_notes` are the notes whose title, alias or file name it is, word for word."""
    if named_notes:
        return Route.LOOKUP
    if direct_reply(question, is_chinese(question)) is not None:
        return Route.DIRECT
    if read_overview(question) is not None:
        return Route.OVERVIEW
    if _IDENTIFIER.fullmatch(question):
        return Route.LOOKUP
    return Route.MULTI_HOP if asks_for_a_chain(question) else Route.HYBRID
