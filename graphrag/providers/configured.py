"""The models that the settings of one vault name, each loaded once for all that ask for it."""

from graphrag.domain.ports import ChatModel, Embedder, Reranker
from graphrag.domain.request_course import made_once
from graphrag.domain.snapshot import NO_EMBEDDER
from graphrag.providers import load_chat_model, load_embedder, load_reranker
from graphrag.settings import Settings


class ConfiguredModels:
    """Makes each model when it is first asked for; libraries, weights and servers are used with a first text."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @made_once
    def embedder(self) -> Embedder | None:
        """The embedder, None when the settings want none."""
        name = self._settings.index.embedder
        return None if name == NO_EMBEDDER else load_embedder(name, self._settings.embedding)

    @made_once
    def reranker(self) -> Reranker | None:
        """The reranker, None when the settings want none."""
        return load_reranker(self._settings.rerank)

    @made_once
    def chat_model(self) -> ChatModel | None:
        """The chat model, None when the settings want none; whether it answers shows on use."""
        return load_chat_model(self._settings.answer)
