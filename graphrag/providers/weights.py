"""Where a model's weights lie on this machine; they are fetched from Hugging Face only where a setting allows it."""

import logging
from pathlib import Path

from graphrag.errors import ProviderUnavailable
from graphrag.providers.failures import reason_of

_LOG = logging.getLogger("graphrag")
_UNUSED = ["onnx/*", "*.onnx*", "*.msgpack", "*.ot", "*.h5", "imgs/*"]  # the same weights for other libraries


def weights_folder(model: str, section: str, may_fetch: bool) -> str:
    """Return the folder of a model: a path as it is, a name of Hugging Face's from its cache.

    Raises:
        ProviderUnavailable: it is not there and may not or cannot be fetched.
    """
    if Path(model).expanduser().is_dir():
        return str(Path(model).expanduser())
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return str(snapshot_download(model, local_files_only=True))
    except LocalEntryNotFoundError as error:
        if not may_fetch:
            raise ProviderUnavailable(
                f"the weights of '{model}' are not on this machine. Get them with: hf download {model} "
                f"(or set allow_remote = true under [{section}] in graphrag.toml to have them fetched once)."
            ) from error
    except Exception as error:
        raise ProviderUnavailable(_no_model(model, section, error)) from error
    _LOG.info("[%s] fetches the weights of %s from Hugging Face", section, model)
    try:
        return str(snapshot_download(model, ignore_patterns=_UNUSED))
    except Exception as error:
        raise ProviderUnavailable(
            f"the weights of '{model}' cannot be fetched: {reason_of(error)}. "
            f"Check the network and the model under [{section}], then try again."
        ) from error


def cannot_load(model: str, section: str, error: Exception) -> ProviderUnavailable:
    """Return the exception for weights that are there and cannot be used."""
    return ProviderUnavailable(
        f"the model '{model}' cannot be loaded: {reason_of(error)}. Check model, device and precision "
        f"under [{section}] in graphrag.toml, or get it anew with: hf download --force-download {model}"
    )


def _no_model(model: str, section: str, error: Exception) -> str:
    return f"'{model}' is neither a folder nor a model's name: {reason_of(error)}. Change model under [{section}]."
