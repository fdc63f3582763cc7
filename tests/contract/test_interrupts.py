"""Chat models and rerankers on a server: a request that waits for it can be broken off from another thread."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from graphrag.domain.request_course import Course, Stopped, following
from graphrag.providers.ollama_api import OllamaChat, OllamaReranker, OllamaServer
from graphrag.providers.openai_api import OpenAIChat
from graphrag.settings import AnswerSettings, RerankSettings
from tests.fakes import ollama_server, openai_server

Work = Callable[[], object]


@contextmanager
def ollama_chat(mood: str) -> Iterator[Work]:
    with ollama_server.running_server("a", "b", mood=ollama_server.Mood(mood)) as server:
        model = OllamaChat(AnswerSettings(host=server.host))
        yield lambda: list(model.stream("s", "u"))


@contextmanager
def openai_chat(mood: str) -> Iterator[Work]:
    with openai_server.running_server("a", "b", mood=openai_server.Mood(mood)) as server:
        model = OpenAIChat(AnswerSettings(chat="openai", host=server.host, model=openai_server.MODEL))
        yield lambda: list(model.stream("s", "u"))


@contextmanager
def ollama_reranker(mood: str) -> Iterator[Work]:
    with ollama_server.running_server("{}", mood=ollama_server.Mood(mood)) as server:
        model = OllamaReranker(RerankSettings(provider="ollama", host=server.host, model=ollama_server.MODEL))
        yield lambda: model.score("q", ["p"])


@pytest.mark.parametrize(
    ("serve", "mood"),
    [
        (ollama_chat, "stall"),
        (ollama_chat, "stall_midway"),
        (openai_chat, "stall"),
        (openai_chat, "stall_midway"),
        (ollama_reranker, "stall"),
    ],
)
def test_a_server_that_stalls_is_left_when_the_request_is_stopped(
    serve: Callable[[str], "contextmanager[Work]"], mood: str
) -> None:
    course = Course()
    with serve(mood) as work:  # type: ignore[attr-defined]
        threading.Timer(0.3, course.stop).start()
        started = time.monotonic()
        with following(course), pytest.raises(Stopped):
            work()
        assert time.monotonic() - started < 10


def test_one_who_stops_reading_closes_the_connection() -> None:
    with ollama_server.running_server("a", "b", "c", mood=ollama_server.Mood.STALL_MIDWAY) as server:
        pieces = OllamaChat(AnswerSettings(host=server.host)).stream("s", "u")
        assert next(pieces) == "a"
        pieces.close()  # type: ignore[attr-defined]  # as leaving a `for` loop by an exception does
        assert server.abandoned.wait(10)


def test_one_who_stops_reading_an_openai_stream_closes_the_connection() -> None:
    with openai_server.running_server("a", "b", "c", mood=openai_server.Mood.STALL_MIDWAY) as server:
        pieces = OpenAIChat(AnswerSettings(chat="openai", host=server.host, model=openai_server.MODEL)).stream("s", "u")
        assert next(pieces) == "a"
        pieces.close()  # type: ignore[attr-defined]
        assert server.abandoned.wait(10)


@pytest.mark.parametrize("linger", [None, (1, 0)], ids=["in order", "by a reset"])
def test_the_tests_own_servers_see_that_a_client_has_gone(linger: tuple[int, int] | None) -> None:
    with ollama_server.running_server("a", mood=ollama_server.Mood.STALL) as server:
        with socket.create_connection(server.http.server_address) as client:  # type: ignore[arg-type]
            client.sendall(b"GET /api/tags HTTP/1.1\r\nHost: x\r\n\r\n")
            assert not server.abandoned.wait(0.3)
            if linger:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", *linger))
        assert server.abandoned.wait(10)


def test_a_request_that_ended_leaves_a_kept_connection_to_the_next_one() -> None:
    with ollama_server.running_server("ok") as server:
        ollama = OllamaServer("answer", server.host, ollama_server.MODEL, 10.0, False)
        for _ in range(3):
            course = Course()
            with following(course):
                assert ollama.kept_client.embed(model=ollama_server.MODEL, input=["x"], truncate=False).embeddings
            course.stop()
