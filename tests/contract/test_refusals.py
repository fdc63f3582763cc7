"""One suite over everything that asks a server: a refusal of any form is one clear line, and ours."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

import pytest

from graphrag.errors import ProviderError, ProviderUnavailable
from graphrag.providers import load_chat_model, load_embedder, load_reranker
from graphrag.settings import AnswerSettings, EmbeddingSettings, RerankSettings
from tests.fakes import ollama_server, openai_server

Server = ollama_server.OllamaServer | openai_server.OpenAIServer
T = TypeVar("T")
Use = Callable[[str], object]  # of a host


def chat_of(name: str, host: str) -> object:
    chat = load_chat_model(AnswerSettings.model_validate({"chat": name, "host": host, "model": "m"}))
    assert chat is not None
    return chat


def reranker_of(host: str) -> object:
    reranker = load_reranker(RerankSettings(provider="ollama", host=host, model="m"))
    assert reranker is not None
    return reranker


def embedder_of(name: str, host: str) -> object:
    return load_embedder(name, EmbeddingSettings(host=host, model="m"))


USES: dict[str, Use] = {
    "ollama chat": lambda host: list(chat_of("ollama", host).stream("s", "u")),  # type: ignore[attr-defined]
    "ollama chat, check": lambda host: chat_of("ollama", host).check(),  # type: ignore[attr-defined]
    "ollama embedder": lambda host: embedder_of("ollama", host).embed_query("问"),  # type: ignore[attr-defined]
    "ollama reranker": lambda host: reranker_of(host).score("q", ["a"]),  # type: ignore[attr-defined]
    "ollama reranker, check": lambda host: reranker_of(host).check(),  # type: ignore[attr-defined]
    "openai chat": lambda host: list(chat_of("openai", host).stream("s", "u")),  # type: ignore[attr-defined]
    "openai chat, check": lambda host: chat_of("openai", host).check(),  # type: ignore[attr-defined]
    "openai embedder": lambda host: embedder_of("openai", host).embed_query("问"),  # type: ignore[attr-defined]
}
SAYS = "It is refused"
BODIES = [
    {"error": SAYS},
    {"error": {"message": SAYS}},
    {"error": {"message": SAYS, "type": "auth", "code": 7, "param": None}},
    {"error": {"error": {"message": [SAYS]}}},
    {"error": [{"message": SAYS}]},
    {"error": None, "message": SAYS},
    {"error": True, "detail": SAYS},
    {"detail": [{"loc": ["body"], "msg": SAYS}]},
    {"message": SAYS},
    [{"error": SAYS}],
    SAYS,
]
WORDLESS: list[object] = [
    *({"error": value} for value in (None, 7, -1.5, False, True, [], {}, "", [[]], [None], {"message": None})),
    *(None, 7, [], {}, [1, 2], "", {"message": {"code": 1}}),
]
RAW = (b"", b"\n\n", b"nope", b"{", b"\xff\xfe", b"[" * 100_000, b'{"error": ' + b"9" * 5_000 + b"}")
OF_PYTHON = ("object has no attribute", "Error:", "validation error", "{'", "NoneType", "JSON object must")


def some(values: Sequence[T], use: str, is_full: bool) -> Sequence[T]:
    """Return all of a full run, else a quarter: another one for each of four uses."""
    return values if is_full else values[[*USES].index(use) % 4 :: 4]


def refusal(use: str, status: int, body: bytes) -> ProviderError:
    module = ollama_server if use.startswith("ollama") else openai_server
    running: AbstractContextManager[Server] = module.running_server(mood=module.Mood("refuse"), models=("m",))
    with running as server:
        server.refusal = (status, body)
        with pytest.raises(ProviderError) as caught:
            USES[use](server.host)
    line = str(caught.value)
    assert "\n" not in line and len(line) < 500 and not any(words in line for words in OF_PYTHON), line
    return caught.value


@pytest.mark.parametrize("use", USES)
def test_a_refusal_of_any_form_says_what_the_server_says(use: str, is_full: bool) -> None:
    for body in some(BODIES, use, is_full):
        assert SAYS in str(refusal(use, 400, json.dumps(body, indent=2).encode())), body


@pytest.mark.parametrize("use", USES)
def test_a_refusal_says_its_status(use: str, is_full: bool) -> None:
    for status in some((400, 401, 403, 404, 418, 429, 500, 503), use, is_full):
        assert str(status) in str(refusal(use, status, b'{"error": {"message": "no"}}')), status


@pytest.mark.parametrize("use", USES)
def test_a_refusal_without_words_is_one_line_too(use: str, is_full: bool) -> None:
    for body in some(WORDLESS, use, is_full):
        assert "400" in str(refusal(use, 400, json.dumps(body).encode()))
    for raw in some(RAW, use, is_full):
        assert "500" in str(refusal(use, 500, raw))


@pytest.mark.parametrize("use", USES)
def test_what_another_request_would_not_mend_now_is_unavailable(use: str, is_full: bool) -> None:
    for status in some((401, 403, 429, 503), use, is_full):
        assert isinstance(refusal(use, status, b'{"error": {"message": "no"}}'), ProviderUnavailable), status


@pytest.mark.parametrize("use", [use for use in USES if use.startswith("ollama")])
def test_a_missing_model_is_known_in_either_form(use: str) -> None:
    for body in ({"error": "model 'm' not found"}, {"error": {"message": "model 'm' not found"}}):
        assert "ollama pull m" in str(refusal(use, 404, json.dumps(body).encode()))
