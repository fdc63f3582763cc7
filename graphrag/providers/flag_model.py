"""What both uses of FlagEmbedding need: the library kept quiet, one device, and the window of a model."""

from typing import Any

from graphrag.providers.extras import broken

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
