"""Tiny models for the tests that load the real libraries; nothing here may use the network."""

from pathlib import Path

import pytest

from tests.fakes.tiny_models import write_embedding_model, write_onnx_model, write_reranking_model


@pytest.fixture(scope="session", autouse=True)
def offline() -> None:
    """Fail at once, instead of after many tries, where a library would fetch something."""
    import huggingface_hub.constants

    huggingface_hub.constants.HF_HUB_OFFLINE = True


@pytest.fixture(scope="session")
def embedding_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("embedding")
    write_embedding_model(folder)
    return folder


@pytest.fixture(scope="session")
def reranking_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reranking")
    write_reranking_model(folder)
    return folder


@pytest.fixture(scope="session")
def onnx_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("onnx")
    write_onnx_model(folder, "model_optimized.onnx")
    return folder
