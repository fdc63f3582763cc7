"""One suite over every chat model, and what the real one does when its server fails."""

import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import pytest

from graphrag.domain.ports import ChatModel
from graphrag.errors import BadProviderReply, ConfigError, ProviderError, ProviderUnavailable
from graphrag.providers import load_chat_model
from graphrag.providers.ollama_api import OllamaChat
from graphrag.providers.openai_api import OpenAIChat
from graphrag.settings import AnswerSettings
from tests.fakes import openai_server
from tests.fakes.chat import ScriptedChat
from tests.fakes.ollama_server import MODEL, Mood, OllamaServer, running_server

MakeChat = Callable[[Sequence[str], ProviderError | None], ChatModel]


def ask_ollama(server: OllamaServer, model: str = MODEL, timeout: float = 0.5) -> OllamaChat:
    return OllamaChat(AnswerSettings(host=server.host, model=model, timeout_seconds=timeout))


def ask_openai(server: openai_server.OpenAIServer) -> OpenAIChat:
    return OpenAIChat(AnswerSettings(chat="openai", host=server.host, model=openai_server.MODEL, timeout_seconds=0.5))


@pytest.fixture(params=["scripted", "ollama", "openai"])
def make_chat(request: pytest.FixtureRequest) -> Iterator[MakeChat]:
    """Make a model that says the pieces, and then fails in the way of an error if one is given."""
    with ExitStack() as stack:

        def make(pieces: Sequence[str], error: ProviderError | None = None) -> ChatModel:
            if request.param == "scripted":
                return ScriptedChat(*pieces, error=error)
            mood = Mood.ANSWER
            if isinstance(error, BadProviderReply):
                mood = Mood.STOP_SHORT
            elif isinstance(error, ProviderUnavailable):
                mood = Mood.STALL
            if request.param == "openai":
                same = openai_server.Mood(mood.value)
                return ask_openai(stack.enter_context(openai_server.running_server(*pieces, mood=same)))
            return ask_ollama(stack.enter_context(running_server(*pieces, mood=mood)))

        yield make


@pytest.mark.parametrize(
    "pieces",
    [("重试", "三次", "[来源1]。"), ("one",), ("a\n", "\n", " b "), ("🍲", "𠮷", "é"), ("", "x", "")],
)
def test_pieces_join_to_the_reply(make_chat: MakeChat, pieces: tuple[str, ...]) -> None:
    chat = make_chat(pieces, None)
    assert "".join(chat.stream("system", "user")) == "".join(pieces)
    assert "".join(chat.stream("system", "user")) == "".join(pieces), "a model answers more than once"


def test_a_ready_model_passes_its_check(make_chat: MakeChat) -> None:
    chat = make_chat(("ok",), None)
    chat.check()
    assert chat.model_id


def test_nothing_is_asked_before_the_first_piece_is_wanted(make_chat: MakeChat) -> None:
    make_chat(("ok",), ProviderUnavailable("down")).stream("system", "user")


def test_a_reply_that_breaks_off_gives_its_pieces_and_then_raises(make_chat: MakeChat) -> None:
    reply = make_chat(("half",), BadProviderReply("broken")).stream("system", "user")
    assert next(reply) == "half"
    with pytest.raises(BadProviderReply):
        next(reply)


def test_a_model_out_of_reach_is_unavailable(make_chat: MakeChat) -> None:
    chat = make_chat((), ProviderUnavailable("down"))
    with pytest.raises(ProviderUnavailable):
        list(chat.stream("system", "user"))


def test_a_reader_may_stop_early(make_chat: MakeChat) -> None:
    reply = make_chat(("a", "b", "c"), None).stream("system", "user")
    assert next(reply) == "a"
    reply.close()  # type: ignore[attr-defined]


def test_what_the_reader_raises_stays_its_own() -> None:
    with running_server("a") as server, pytest.raises(ValueError, match="reader"):
        for _ in ask_ollama(server).stream("system", "user"):
            raise ValueError("reader")


def test_a_request_names_model_messages_and_a_window_that_holds_the_prompt() -> None:
    with running_server("ok") as server:
        settings = AnswerSettings(host=server.host, model=MODEL, temperature=0.1, token_budget=3000, max_characters=400)
        list(OllamaChat(settings).stream("规则", "问题"))
    [body] = server.requests
    assert body["model"] == MODEL and body["stream"] is True
    assert body["messages"] == [{"role": "system", "content": "规则"}, {"role": "user", "content": "问题"}]
    assert body["options"]["temperature"] == 0.1
    assert body["options"]["num_ctx"] > 3000 + 400
    assert 400 <= body["options"]["num_predict"] <= 2000


BROKEN_STREAMS = {
    Mood.BREAK_OFF: "Ask again",
    Mood.STOP_SHORT: "Ask again",
    Mood.GARBAGE: "graphrag doctor",
    Mood.LIST: "graphrag doctor",
    Mood.WRONG_TYPES: "graphrag doctor",
    Mood.NOT_UTF8: "graphrag doctor",
    Mood.HTML: "graphrag doctor",
    Mood.CLOSE: "graphrag doctor",
    Mood.ERROR_LINE: "out of memory. Look into the log",
    Mood.ERROR_OBJECT: "the reply has another form",
    Mood.SERVER_ERROR: "500: llama runner process has terminated. Look into the log",
    Mood.HTML_404: "404",
    Mood.REDIRECT: "307",
}


@pytest.mark.parametrize(("mood", "words"), BROKEN_STREAMS.items())
def test_a_bad_reply_says_what_to_do(mood: Mood, words: str) -> None:
    with running_server("a", "b", mood=mood) as server, pytest.raises(BadProviderReply) as caught:
        list(ask_ollama(server).stream("system", "user"))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("mood", [Mood.STALL, Mood.STALL_MIDWAY])
def test_a_stalled_server_is_given_up_after_the_time_limit(mood: Mood) -> None:
    with running_server("a", "b", mood=mood) as server, pytest.raises(ProviderUnavailable) as caught:
        list(ask_ollama(server, timeout=0.5).stream("system", "user"))
    assert "0.5 s" in str(caught.value) and "timeout_seconds" in str(caught.value)


def test_a_missing_model_names_the_command_that_gets_it() -> None:
    with running_server(models=("llama3:8b",)) as server:
        chat = ask_ollama(server, model="qwen3:4b")
        for use in (chat.check, lambda: list(chat.stream("system", "user"))):
            with pytest.raises(ProviderUnavailable, match="ollama pull qwen3:4b"):
                use()


def test_a_model_without_a_tag_means_the_latest() -> None:
    with running_server(models=("qwen3:latest",)) as server:
        ask_ollama(server, model="qwen3").check()


def test_a_server_that_is_down_names_the_command_that_starts_it() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        chat = OllamaChat(AnswerSettings(host=f"127.0.0.1:{unused.getsockname()[1]}"))
    for use in (chat.check, lambda: list(chat.stream("system", "user"))):
        with pytest.raises(ProviderUnavailable, match="ollama serve"):
            use()


@pytest.mark.parametrize(
    "mood",
    [Mood.GARBAGE, Mood.LIST, Mood.WRONG_TYPES, Mood.NOT_UTF8, Mood.SERVER_ERROR, Mood.HTML, Mood.HTML_404, Mood.CLOSE],
)
def test_the_check_refuses_what_is_not_ollama(mood: Mood) -> None:
    with running_server(mood=mood) as server, pytest.raises(ProviderUnavailable) as caught:
        ask_ollama(server).check()
    assert server.host in str(caught.value) and "[answer]" in str(caught.value)


def test_a_proxy_of_the_environment_never_sees_a_local_question(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with running_server("ok") as server:
        assert list(ask_ollama(server).stream("system", "user")) == ["ok"]


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:11434",
        "http://127.8.9.10:80",
        "localhost",
        "http://LOCALHOST:1234/",
        "https://localhost",
        "::1",
        "[::1]:11434",
        "http://[::1]",
    ],
)
def test_this_machine_is_allowed(host: str) -> None:
    OllamaChat(AnswerSettings(host=host))


REMOTE = [
    "http://10.0.0.5:11434",
    "example.org",
    "127.example.org",
    "http://127.0.0.1@example.org",
    "0.0.0.0",
    "2001:db8::1",
]


@pytest.mark.parametrize("host", REMOTE)
def test_another_machine_needs_permission(host: str) -> None:
    with pytest.raises(ConfigError, match="allow_remote"):
        OllamaChat(AnswerSettings(host=host))
    OllamaChat(AnswerSettings(host=host, allow_remote=True))


@pytest.mark.parametrize("host", ["http://", "localhost:notaport", "localhost:99999999", "ftp://localhost", "[::1"])
def test_what_is_no_address_is_a_wrong_setting(host: str) -> None:
    with pytest.raises(ConfigError, match=r"answer\.host"):
        OllamaChat(AnswerSettings(host=host))


def test_the_settings_choose_the_model_or_none() -> None:
    assert load_chat_model(AnswerSettings(chat="none")) is None
    chat = load_chat_model(AnswerSettings(model="m:1"))
    assert chat is not None and chat.model_id == "ollama:m:1"
