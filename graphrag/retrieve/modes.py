"""The stages of the read path that an evaluation compares, as policies: one list, both, and the links besides."""

from dataclasses import replace
from enum import StrEnum

from graphrag.retrieve.pipeline import Expansion, SearchPolicy


class SearchMode(StrEnum):
    """Which parts of the read path run."""

    SETTINGS = "settings"  # what a user gets
    FULL_TEXT = "full_text"
    VECTORS = "vectors"
    FUSED = "fused"
    HOPS = "hops"
    WALK = "walk"


def policy_of(mode: SearchMode, policy: SearchPolicy) -> SearchPolicy:
    """Return the policy that runs only what the mode names, with all its other numbers kept."""
    if mode is SearchMode.SETTINGS:
        return policy
    expansions = {SearchMode.HOPS: Expansion.HOPS, SearchMode.WALK: Expansion.WALK}
    return replace(
        policy,
        use_full_text=mode is not SearchMode.VECTORS,
        use_vectors=mode is not SearchMode.FULL_TEXT,
        use_sparse=mode is not SearchMode.VECTORS,
        expansion=expansions.get(mode, Expansion.NONE),
        rerank=None,
    )
