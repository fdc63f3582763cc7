"""The small parts that the providers share: addresses, prefixes, words about length, packages that are not there."""

import sys

import pytest

from graphrag.errors import ConfigError, MissingExtra
from graphrag.providers import load_embedder, load_reranker
from graphrag.providers.encoder import Prefixes, fit, is_about_length, prefixes_of
from graphrag.providers.remote import read_address
from graphrag.settings import EmbeddingSettings, RerankSettings

DEFAULT = "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("written", "url", "is_local"),
    [
        ("", DEFAULT, True),
        (" \n", DEFAULT, True),
        ("localhost", "http://localhost:8080", True),
        ("LOCALHOST:1", "http://localhost:1", True),
        ("https://localhost/v1/", "https://localhost:443/v1", True),
        ("127.8.9.10", "http://127.8.9.10:8080", True),
        ("::1", "http://[::1]:8080", True),
        ("[::1]:9", "http://[::1]:9", True),
        ("example.org", "http://example.org:8080", False),
        ("127.example.org", "http://127.example.org:8080", False),
        ("http://127.0.0.1@example.org", "http://example.org:8080", False),
        ("0.0.0.0", "http://0.0.0.0:8080", False),
        ("2001:db8::1", "http://[2001:db8::1]:8080", False),
    ],
)
def test_an_address_is_read_from_what_a_person_writes(written: str, url: str, is_local: bool) -> None:
    address = read_address("embedding", written, DEFAULT, allow_remote=True)
    assert (address.url, address.is_local) == (url, is_local)
    if not is_local:
        with pytest.raises(ConfigError, match=r"embedding.host .* allow_remote = true under \[embedding\]"):
            read_address("embedding", written, DEFAULT, allow_remote=False)


@pytest.mark.parametrize("written", ["http://", "localhost:notaport", "localhost:99999999", "ftp://localhost", "[::1"])
def test_what_is_no_address_is_a_wrong_setting(written: str) -> None:
    with pytest.raises(ConfigError, match=rf"rerank\.host .* Write it as {DEFAULT}"):
        read_address("rerank", written, DEFAULT, allow_remote=False)


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("bge-m3", "", ""),
        ("BAAI/bge-m3", "", ""),
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
        ("mxbai-embed-large:latest", "Represent this sentence for searching relevant passages: ", ""),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("jeffh/intfloat-multilingual-e5-small:f16", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "", ""),
        ("intfloat/e5-mistral-7b-instruct", "", ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("snowflake-arctic-embed:335m", "Represent this sentence for searching relevant passages: ", ""),
        ("text-embedding-3-small", "", ""),
    ],
)
def test_known_models_get_the_prefixes_of_their_makers(model: str, query: str, passage: str) -> None:
    assert prefixes_of(model, "auto", "auto") == Prefixes(query, passage)
    assert prefixes_of(model, "Q ", "") == Prefixes("Q ", "")


def test_other_prefixes_have_another_tag() -> None:
    tags = {Prefixes().tag, Prefixes("a", "b").tag, Prefixes("ab", "").tag, Prefixes("", "ab").tag}
    assert len(tags) == 4 and "" in tags


@pytest.mark.parametrize(
    "message",
    [
        "the input length exceeds the context length",
        "input length exceeds maximum context length",
        "input (992 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
        "input is larger than the max context size. skipping",
        "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "Trying to keep the first 111490 tokens when context the overflows.",
        "The number of tokens to keep from the initial prompt is greater than the context length.",
        "max_tokens must be at least 1, got -186.",
    ],
)
def test_every_servers_words_for_too_long_are_understood(message: str) -> None:
    assert is_about_length(message)


@pytest.mark.parametrize("message", ["CUDA error: out of memory", "model 'x' not found", "Rate limit reached", ""])
def test_other_failures_are_not_about_length(message: str) -> None:
    assert not is_about_length(message)


def test_what_cannot_be_sent_is_taken_out_of_a_text() -> None:
    assert fit("a\0b\ud800𠮷") == "a b?𠮷"


@pytest.mark.parametrize("name", ["flagembedding", "fastembed"])
def test_a_missing_package_names_the_extra_when_it_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag.providers.encoder.find_spec", lambda package: None)
    embedder = load_embedder(name, EmbeddingSettings())
    assert embedder.model_id.startswith(f"{name}:"), "the name is known without the package"
    with pytest.raises(MissingExtra, match=rf"pip install 'vault-graphrag\[{name}\]'"):
        embedder.embed_query("重试")


def test_a_missing_package_of_the_reranker_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag.providers.encoder.find_spec", lambda package: None)
    reranker = load_reranker(RerankSettings(provider="flagembedding"))
    assert reranker is not None
    with pytest.raises(MissingExtra, match=r"pip install 'vault-graphrag\[flagembedding\]'"):
        reranker.check()


@pytest.mark.parametrize(("name", "package"), [("flagembedding", "FlagEmbedding"), ("fastembed", "fastembed")])
def test_a_package_that_does_not_import_names_the_extra(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag.providers.encoder.find_spec", lambda package: object())
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"cannot be imported: .*pip install 'vault-graphrag\[{name}\]'"):
        load_embedder(name, EmbeddingSettings()).embed_query("重试")


def test_the_names_of_an_embedder_tell_model_precision_and_prefixes() -> None:
    def model_id(name: str, **values: object) -> str:
        return load_embedder(name, EmbeddingSettings.model_validate(values)).model_id

    assert model_id("flagembedding") == "flagembedding:BAAI/bge-m3:fp32:weights"
    assert model_id("flagembedding", precision="fp16") == "flagembedding:BAAI/bge-m3:fp16:weights"
    assert model_id("ollama") == "ollama:bge-m3"
    assert model_id("ollama", batch_size=4, timeout_seconds=3.0) == "ollama:bge-m3"
    assert model_id("openai", model="m", host="127.0.0.1:1") == model_id("openai", model="m")
    assert model_id("fastembed").startswith("fastembed:BAAI/bge-small-zh-v1.5:")
