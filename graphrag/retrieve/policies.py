"""The settings of a vault -> the numbers that the read path runs by."""

from graphrag.domain.walk import EdgeKind
from graphrag.retrieve.expand import ExpandPolicy
from graphrag.retrieve.pipeline import Expansion, SearchPolicy
from graphrag.retrieve.rerank import RerankPolicy
from graphrag.retrieve.select import SelectPolicy
from graphrag.retrieve.walk import WalkPolicy
from graphrag.retrieve.walked import BlendPolicy
from graphrag.settings import Settings, WalkSettings

_NO_RERANKER = "none"


def search_policy(settings: Settings, top_k: int | None = None) -> SearchPolicy:
    """Return the numbers of a search, for so many results where that is said."""
    search = settings.search
    return SearchPolicy(
        candidates=search.candidates,
        rrf_k=search.rrf_k,
        expansion=Expansion(search.expansion),
        expand=ExpandPolicy(search.max_hops, search.hop_decay, search.hub_links),
        blend=BlendPolicy(search.rrf_k, search.walk_share, search.pointed_share),
        select=SelectPolicy(top_k or search.top_k, search.max_per_note, search.floor_margin),
        rerank=_rerank_policy(settings),
        language=settings.interface.language,
    )


def walk_policy(walk: WalkSettings) -> WalkPolicy:
    """Return the numbers of the walk along the graph."""
    weights = {
        EdgeKind.BELONGS: walk.own,
        EdgeKind.NAMES: walk.mention,
        EdgeKind.LINKS: walk.link,
        EdgeKind.TYPED: walk.typed_link,
        EdgeKind.SHARES: walk.term,
    }
    return WalkPolicy(walk.damping, walk.seeds, walk.sharpness, walk.name_weight, weights, walk.backward)


def _rerank_policy(settings: Settings) -> RerankPolicy | None:
    rerank = settings.rerank
    if rerank.provider == _NO_RERANKER:
        return None
    return RerankPolicy(rerank.candidates, rerank.share, settings.search.rrf_k)
