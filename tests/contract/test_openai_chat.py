"""What the chat model behind OpenAI's API does when its server fails."""

import logging
import socket

import pytest

from graphrag.errors import BadProviderReply, ConfigError, ProviderUnavailable
from graphrag.providers import load_chat_model
from graphrag.providers.openai_api import OpenAIChat
from graphrag.providers.remote import Address
from graphrag.settings import AnswerSettings
from tests.fakes.openai_server import MODEL, Mood, OpenAIServer, running_server


def ask(server: OpenAIServer, **values: object) -> OpenAIChat:
    settings: dict[str, object] = {"host": server.host, "model": MODEL, "timeout_seconds": 0.5, **values}
    return OpenAIChat(AnswerSettings.model_validate({"chat": "openai", **settings}))


@pytest.mark.parametrize("mood", [Mood.ANSWER, Mood.NO_DONE, Mood.ONLY_DONE])
def test_a_whole_reply_may_end_in_several_ways(mood: Mood) -> None:
    with running_server("重试", "三次", mood=mood) as server:
        assert list(ask(server).stream("s", "u")) == ["重试", "三次"]


def test_characters_that_only_look_like_the_end_of_a_line_are_kept() -> None:
    pieces = ["a\u2028b\x85", "\x0bc", "\r\n"]
    with running_server(*pieces) as server:
        assert list(ask(server).stream("s", "u")) == pieces


def test_a_request_names_model_messages_and_length() -> None:
    with running_server() as server:
        list(ask(server, temperature=0.1, max_characters=400).stream("规则", "问题"))
    [body] = server.requests
    assert body["model"] == MODEL and body["stream"] is True and body["temperature"] == 0.1
    assert body["messages"] == [{"role": "system", "content": "规则"}, {"role": "user", "content": "问题"}]
    assert 400 <= body["max_tokens"] <= 2000


BROKEN_STREAMS = {
    Mood.BREAK_OFF: "Ask again",
    Mood.STOP_SHORT: "Ask again",
    Mood.GARBAGE: "graphrag doctor",
    Mood.LIST: "graphrag doctor",
    Mood.WRONG_TYPES: "graphrag doctor",
    Mood.NOT_UTF8: "graphrag doctor",
    Mood.HTML: "text/html",
    Mood.CLOSE: "graphrag doctor",
    Mood.ERROR_EVENT: "out of memory. Look into the server's log",
    Mood.ERROR_FIELD: "out of memory. Look into the server's log",
    Mood.SERVER_ERROR: "500: CUDA error: out of memory. Look into the server's log",
    Mood.REDIRECT: "307",
    Mood.TOO_LONG: "token_budget under [answer]",
}


@pytest.mark.parametrize(("mood", "words"), BROKEN_STREAMS.items())
def test_a_bad_reply_says_what_to_do(mood: Mood, words: str) -> None:
    with running_server("a", "b", mood=mood) as server, pytest.raises(BadProviderReply) as caught:
        list(ask(server).stream("s", "u"))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


UNAVAILABLE = {
    Mood.STALL: "timeout_seconds under [answer]",
    Mood.STALL_MIDWAY: "timeout_seconds under [answer]",
    Mood.UNAUTHORIZED: "api_key_env under [answer]",
    Mood.BUSY: "Rate limit reached. Try again later",
    Mood.LOADING: "Loading model. Try again later",
}


@pytest.mark.parametrize(("mood", "words"), UNAVAILABLE.items())
def test_a_server_that_cannot_be_used_now_says_why(mood: Mood, words: str) -> None:
    with running_server("a", "b", mood=mood) as server, pytest.raises(ProviderUnavailable) as caught:
        list(ask(server).stream("s", "u"))
    assert words in str(caught.value) and server.host in str(caught.value)


def test_a_missing_model_names_those_that_are_there() -> None:
    with running_server(models=("qwen3-4b", "bge-m3")) as server:
        with pytest.raises(ProviderUnavailable, match=r"has no model 'qwen2.5-7b-instruct'; it has: bge-m3, qwen3-4b"):
            ask(server).check()
        with pytest.raises(ProviderUnavailable, match=r"does not exist.*/v1/models"):
            list(ask(server).stream("s", "u"))


def test_a_server_that_is_down_names_the_command_that_starts_one() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        chat = OpenAIChat(AnswerSettings(chat="openai", model="m", host=f"127.0.0.1:{unused.getsockname()[1]}"))
    for use in (chat.check, lambda: list(chat.stream("s", "u"))):
        with pytest.raises(ProviderUnavailable, match=r"llama-server.*host under \[answer\]"):
            use()


@pytest.mark.parametrize(
    "mood", [Mood.GARBAGE, Mood.LIST, Mood.WRONG_TYPES, Mood.NOT_UTF8, Mood.SERVER_ERROR, Mood.HTML, Mood.CLOSE]
)
def test_the_check_refuses_what_is_no_such_server(mood: Mood) -> None:
    with running_server(mood=mood) as server, pytest.raises(ProviderUnavailable) as caught:
        ask(server).check()
    assert server.host in str(caught.value) and "[answer]" in str(caught.value)


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/"])
def test_the_host_may_hold_the_version_or_not(path: str) -> None:
    with running_server("ok") as server:
        chat = ask(server, host=server.host + path)
        chat.check()
        assert list(chat.stream("s", "u")) == ["ok"]


def test_the_key_comes_from_the_environment_and_stands_in_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " secret-7 ")
    with running_server(mood=Mood.UNAUTHORIZED) as server:
        chat = ask(server, api_key_env="MY_KEY")
        with pytest.raises(ProviderUnavailable, match="MY_KEY") as caught:
            chat.check()
    assert server.keys == ["Bearer secret-7"] and "secret" not in str(caught.value)
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ConfigError, match=r"MY_KEY, which is not set. Run: export MY_KEY="):
        ask(server, api_key_env="MY_KEY")
    with running_server() as server:
        ask(server).check()
    assert server.keys == [None]


def test_a_proxy_of_the_environment_never_sees_a_local_question(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with running_server("ok") as server:
        assert list(ask(server).stream("s", "u")) == ["ok"]


def test_another_machine_needs_permission_and_leaves_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = AnswerSettings(chat="openai", model="m", host="http://notes.invalid:80")
    with pytest.raises(ConfigError, match=r"allow_remote = true under \[answer\]"):
        OpenAIChat(settings)
    caplog.set_level(logging.INFO, "graphrag")
    monkeypatch.setattr(Address, "is_local", property(lambda address: False))
    with running_server("ok") as server:
        list(ask(server, allow_remote=True).stream("four", "six..."))
    assert f"[answer] sends 2 texts, 10 characters, to {server.host}" in caplog.messages


def test_a_local_question_leaves_no_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "graphrag")
    with running_server("ok") as server:
        list(ask(server).stream("s", "u"))
    assert [record for record in caplog.records if record.name == "graphrag"] == []


def test_the_settings_choose_it_and_must_name_a_model() -> None:
    chat = load_chat_model(AnswerSettings(chat="openai", model="m"))
    assert chat is not None and chat.model_id == "openai:m"
    with pytest.raises(ConfigError, match=r"Set model under \[answer\]"):
        load_chat_model(AnswerSettings(chat="openai"))
    with pytest.raises(ConfigError, match=r"api_key_env under \[answer\] means nothing to ollama, only to openai"):
        load_chat_model(AnswerSettings(chat="ollama", api_key_env="KEY"))


def test_a_key_in_place_of_its_variables_name_is_not_repeated() -> None:
    with pytest.raises(ConfigError, match="is to name a variable") as caught:
        load_chat_model(AnswerSettings(chat="openai", model="m", api_key_env="sk-abc/def 123"))
    assert "sk-abc" not in str(caught.value)
