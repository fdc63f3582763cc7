"""What both uses of FlagEmbedding need: the library kept quiet, one device, and the window of a model."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from graphrag.domain.ports import TokenWeights, Vectors
from graphrag.domain.request_course import made_once
from graphrag.errors import ProviderUnavailable
from graphrag.providers.encoder import (
    Encoder,
    TextTooLong,
    broken,
    cannot_load,
    checked_scores,
    fit,
    prefixes_of,
    require,
    weights_folder,
)
from graphrag.providers.remote import reason_of
from graphrag.settings import EmbeddingSettings, RerankSettings

_RESERVED_POSITIONS = 2  # XLM-R counts positions from behind the padding token's number


def import_library() -> Any:
    """Return FlagEmbedding, which takes seconds to import, without its progress bars and warnings on stderr.

    Raises:
        MissingExtra: it is there and does not import, as with a version of transformers that it does not know.
    """
    try:
        import FlagEmbedding
        from transformers.utils import logging
    except ImportError as error:
        raise broken("FlagEmbedding", "flagembedding", error) from error
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    return FlagEmbedding


def best_device() -> str:
    """Return one device: with several, the library would start a process for each."""
    import torch

    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def token_window(tokenizer: Any, config: Any) -> int:
    """Return how many tokens a model reads at once, its special ones among them."""
    return min(int(tokenizer.model_max_length), int(config.max_position_embeddings) - _RESERVED_POSITIONS)


DEFAULT_RERANKER = "BAAI/bge-reranker-v2-m3"
_BATCH = 16
_WINDOW = 1024  # tokens of question and passage; the model was trained on so many, and a passage is shorter


class FlagReranker:
    """One model on one device."""

    def __init__(self, settings: RerankSettings) -> None:
        self._settings = settings
        self._name = settings.model or DEFAULT_RERANKER
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


DEFAULT_EMBEDDER = "BAAI/bge-m3"
_HEAD = "sparse_linear.pt"  # what turns the model's states into weights; without it the library makes random ones
_KIND = "weights"  # tells its vectors from those that were made and kept without weights

_Read = dict[str, Mapping[str, float]]  # token weights by what was read


class _Loaded(NamedTuple):
    model: Any
    window: int  # tokens
    has_head: bool


class FlagEmbedder:
    """One model on one device."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._name = settings.model or DEFAULT_EMBEDDER
        self._prefixes = prefixes_of(self._name, settings.query_prefix, settings.passage_prefix)
        self._encoder = Encoder(f"the model '{self._name}'", self._encode, self._prefixes, settings.batch_size)
        self._using = Lock()  # the library's tokenizers fail when two threads use one
        self._last: tuple[str, Vectors, TokenWeights | None] | None = None  # a question is asked for both, one by one
        self.model_id = f"flagembedding:{self._name}:{settings.precision}:{_KIND}{self._prefixes.tag}"

    @property
    def dimension(self) -> int:
        """Length of every vector; loads the model when no vector was made yet."""
        return self._encoder.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (len(texts), dimension); a text over the window is embedded in parts, averaged.

        Raises:
            MissingExtra: FlagEmbedding is not installed.
            ProviderUnavailable: the weights are not there, or the device fails.
            BadProviderReply: the vectors cannot be used.
        """
        return self._encoder.passages(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the question's unit vector, shape (dimension,); raises what `embed_passages` raises."""
        return self._read_query(text)[0]

    def embed_and_weigh(self, texts: Sequence[str]) -> tuple[Vectors, Sequence[TokenWeights] | None]:
        """Return the vectors and the token weights, None without them; raises what `embed_passages` raises.

        A token counts for as much as in that part of a text, or that place, where it counts most.
        """
        read: _Read = {}
        vectors = self._encoder.passages(texts, lambda batch: self._encode(batch, read))
        if not self._loaded.has_head:
            return vectors, None
        return vectors, [self._weights(self._prefixes.passage, text, read) for text in texts]

    def weigh_query(self, text: str) -> TokenWeights | None:
        """Return the question's token weights, None without them; raises what `embed_passages` raises."""
        return self._read_query(text)[1]

    def _read_query(self, text: str) -> tuple[Vectors, TokenWeights | None]:
        last = self._last
        if last is None or last[0] != text:
            read: _Read = {}
            vector = self._encoder.query(text, lambda batch: self._encode(batch, read))
            weights = self._weights(self._prefixes.query, text, read) if self._loaded.has_head else None
            self._last = last = (text, vector, weights)
        return last[1], last[2]

    def _weights(self, prefix: str, text: str, read: _Read) -> TokenWeights:
        return _merged(read[part] for part in self._encoder.parts(prefix, text, read))

    def _encode(self, texts: list[str], read: _Read | None = None) -> object:
        with self._using:
            return self._encode_alone(texts, read)

    def _encode_alone(self, texts: list[str], read: _Read | None) -> object:
        model, window, has_head = self._loaded
        # A token stands for no more than a few characters' worth of input, so short texts need no count.
        if any(len(text) * 4 > window and len(model.tokenizer(text).input_ids) > window for text in texts):
            raise TextTooLong(f"a text is longer than the window of '{self._name}', {window} tokens.")
        try:
            # One more than there are texts: the library shows a progress bar for whole batches.
            made = model.encode(texts, batch_size=len(texts) + 1, max_length=window, return_sparse=has_head)
        except Exception as error:
            raise ProviderUnavailable(
                f"the model '{self._name}' failed: {reason_of(error)}. "
                "Lower batch_size or change device under [embedding] in graphrag.toml."
            ) from error
        if read is not None and has_head:
            read.update(zip(texts, made["lexical_weights"], strict=True))
        return made["dense_vecs"]

    @made_once
    def _loaded(self) -> _Loaded:
        """The model, its window, and whether it knows the weights of tokens."""
        require("FlagEmbedding", "flagembedding")
        library = import_library()
        settings = self._settings
        folder = weights_folder(self._name, "embedding", settings.allow_remote)
        try:
            model = library.BGEM3FlagModel(
                folder,
                use_fp16=settings.precision == "fp16",
                use_bf16=settings.precision == "bf16",
                devices=settings.device or best_device(),
            )
        except Exception as error:
            raise cannot_load(self._name, "embedding", error) from error
        window = token_window(model.tokenizer, model.model.model.config)
        return _Loaded(model, window, (Path(folder) / _HEAD).is_file())


def _merged(parts: Iterable[Mapping[str, float]]) -> TokenWeights:
    """Return the weights of all parts of a text, as exact as they are kept; what is nothing then is left out."""
    most: dict[int, float] = {}
    for part in parts:
        for token, weight in part.items():
            most[int(token)] = max(most.get(int(token), 0.0), float(weight))
    tokens = np.array(sorted(most), dtype=np.int32)
    weights = np.array([most[token] for token in tokens.tolist()], dtype=np.float16)
    return TokenWeights(tokens[weights > 0], weights[weights > 0])
