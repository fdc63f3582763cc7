"""Who the notes speak of: the persons and teams that the ontology knows, by every name that they go by."""

from collections.abc import Collection, Mapping

from graphrag.domain.ontology import TYPE
from graphrag.vault.knowledge import Knowledge

_AGENT = "urn:vault-graphrag:core#Agent"  # the class of the core ontology that persons and teams are of


def find_persons(knowledge: Knowledge) -> Mapping[str, Collection[str]]:
    """Return each name of a person or a team with all names of the same one; none where the notes state no relation."""
    if knowledge.is_empty:
        return {}
    agents = {fact.subject for fact in knowledge.closure.origins if fact.property == TYPE and fact.object == _AGENT}
    names: dict[str, list[str]] = {}
    for name, entity in knowledge.names:
        if entity in agents:
            names.setdefault(entity, []).append(name)
    return {name: tuple(all_names) for all_names in names.values() for name in all_names}
