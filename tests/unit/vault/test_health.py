"""What `doctor` says of models: a server that is down is not one without the model, nor one that refuses."""

import socket
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.report import Check, CheckState
from tests.fakes import ollama_server, openai_server

LACKS, FAILS = "the server answers, but lacks the model", "does not work"


def checks_of(vault: Path, host: str, kind: str = "ollama") -> dict[str, Check]:
    """Return the checks of the three models, all behind one server."""
    reranker = "ollama" if kind == "ollama" else "none"
    settings: dict[str, dict[str, object]] = {
        "index": {"embedder": kind},
        "embedding": {"host": host, "model": "m"},
        "rerank": {"provider": reranker, **({"host": host, "model": "m"} if reranker != "none" else {})},
        "answer": {"chat": kind, "host": host, "model": "m"},
    }
    return {check.name: check for check in App.open(vault, vault, settings).doctor()}


@pytest.mark.parametrize("name", ["embedder", "reranker", "chat model"])
def test_a_missing_model_names_the_command_that_gets_it(tmp_path: Path, name: str) -> None:
    with ollama_server.running_server(models=("other",)) as server:
        check = checks_of(tmp_path, server.host)[name]
    assert check.found.startswith(LACKS) and "ollama pull m" in check.advice
    assert check.state is (CheckState.ERROR if name == "embedder" else CheckState.WARNING)


@pytest.mark.parametrize("name", ["embedder", "chat model"])
def test_a_missing_model_of_another_server_names_the_setting(tmp_path: Path, name: str) -> None:
    with openai_server.running_server(models=("other",)) as server:
        check = checks_of(tmp_path, server.host, "openai")[name]
    assert check.found.startswith(LACKS) and "Change model under [" in check.advice


@pytest.mark.parametrize("name", ["embedder", "reranker", "chat model"])
def test_a_server_that_is_down_or_refuses_lacks_no_model(tmp_path: Path, name: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        down = checks_of(tmp_path, f"127.0.0.1:{unused.getsockname()[1]}")[name]
    assert down.found.startswith(FAILS) and down.advice.endswith("Start it with: ollama serve")
    with ollama_server.running_server(mood=ollama_server.Mood.REFUSE) as server:
        server.refusal = (401, b'{"error": {"message": "no key"}}')
        refused = checks_of(tmp_path, server.host)[name]
    assert refused.found.startswith(FAILS) and "refuses the request (401): no key" in refused.advice
