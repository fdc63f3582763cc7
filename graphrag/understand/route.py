"""Question -> route, by rules alone: each kind is read by a module of its own, the ones that are surest first."""

from datetime import date

from graphrag.domain.query import Route
from graphrag.language.language import is_chinese
from graphrag.understand.asked_note import asks_for_a_note
from graphrag.understand.described import asks_for_a_chain
from graphrag.understand.direct import direct_reply, is_for_model
from graphrag.understand.listing import read_listing
from graphrag.understand.overview import read_overview
from graphrag.understand.relation_words import speaks_of_links, speaks_of_relations


def choose_route(question: str, named_notes: frozenset[str]) -> Route:
    """Return the question's route; `named_notes` are the notes whose title, alias or file name it is, word for word."""
    if named_notes:
        return Route.LOOKUP
    if direct_reply(question, is_chinese(question)) is not None or is_for_model(question):
        return Route.DIRECT
    if read_overview(question) is not None:
        return Route.OVERVIEW
    if read_listing(question, date.today()) is not None:
        return Route.LIST
    if speaks_of_links(question):
        return Route.RELATION
    if asks_for_a_note(question):
        return Route.LOOKUP
    if asks_for_a_chain(question):
        return Route.MULTI_HOP
    return Route.RELATION if speaks_of_relations(question) else Route.HYBRID
