"""A cross-encoder through FlagEmbedding; the library and the weights load on the first question."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

from graphrag.domain.once import made_once
from graphrag.errors import ProviderUnavailable
from graphrag.providers.encoder import fit
from graphrag.providers.extras import require
from graphrag.providers.failures import reason_of
from graphrag.providers.flag_model import best_device, import_library, token_window
from graphrag.providers.scores import checked_scores
from graphrag.providers.weights import cannot_load, weights_folder
from graphrag.settings import RerankSettings

DEFAULT_MODEL = "BAAI/bge-reranker-v2-m3"
_BATCH = 16
_WINDOW = 1024  # tokens of question and passage; the model was trained on so many, and a passage is shorter


class FlagReranker:
    """One model on one device."""

    def __init__(self, settings: RerankSettings) -> None:
        self._settings = settings
        self._name = settings.model or DEFAULT_MODEL
        self._using = Lock()  # the library's tokenizers fail when two threads use one
        self.model_id = f"flagembedding:{self._name}:{settings.precision}"

    def check(self) -> None:
        """Load the model and score a passage."""
        self.score("你好", ["你好"])

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return the probability of relevance, 0 to 1, of each passage; what is over the window is not read.

        Raises:
            MissingExtra: FlagEmbedding is not installed.
            ProviderUnavailable: the weights are not there, or the device fails.
            BadProviderReply: the scores cannot be used.
        """
        if not passages:
            return ()
        model, window = self._loaded
        pairs = [(fit(question), fit(passage)) for passage in passages]
        try:
            with self._using:
                scores = [
                    score
                    for start in range(0, len(pairs), _BATCH)
                    # A batch larger than its pairs keeps the library's progress bars away.
                    for score in model.compute_score(
                        pairs[start : start + _BATCH], normalize=True, batch_size=_BATCH + 1, max_length=window
                    )
                ]
        except Exception as error:
            raise ProviderUnavailable(
                f"the reranker '{self._name}' failed: {reason_of(error)}. "
                "Lower candidates or change device under [rerank] in graphrag.toml."
            ) from error
        return checked_scores(scores, len(passages), f"the reranker '{self._name}'")

    @made_once
    def _loaded(self) -> tuple[Any, int]:
        """The model and how many tokens of a pair it reads."""
        require("FlagEmbedding", "flagembedding")
        library = import_library()
        settings = self._settings
        folder = weights_folder(self._name, "rerank", settings.allow_remote)
        try:
            model = library.FlagReranker(
                folder, use_fp16=settings.precision == "fp16", devices=settings.device or best_device()
            )
        except Exception as error:
            raise cannot_load(self._name, "rerank", error) from error
        return model, min(_WINDOW, token_window(model.tokenizer, model.model.config))
