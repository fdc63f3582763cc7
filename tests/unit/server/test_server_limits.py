"""How much is worked on at once, and for how long; and that nobody is worked for who has gone away."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphrag.app import App
from graphrag.domain.access import ServerRules
from graphrag.domain.request_course import present_course
from tests.e2e.conftest import SMALL, write_vault
from tests.fakes.ollama_server import Mood, running_server
from tests.unit.server.conftest import Served, ServeVault
from tests.unit.server.listening import listening

QUESTION = {"question": "重试次数是多少"}
EVENTS = {"Accept": "text/event-stream"}


class Held:
    """Work that does not end before it is told to; `begun` counts."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.released = threading.Event()

    def __call__(self, *_: object) -> list[object]:
        self.begun.release()
        assert self.released.wait(20)
        return []


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    work = Held()
    monkeypatch.setattr(App, "tags", work)
    yield work
    work.released.set()


@pytest.fixture
def make_served(serve_vault: ServeVault, tmp_path: Path) -> Callable[..., Served]:
    vault = write_vault(tmp_path / "v", SMALL)
    return lambda rules, **answer: serve_vault(vault, rules, **answer)


@contextmanager
def in_background(call: Callable[[], Any]) -> Iterator[Any]:
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(call)


def test_others_wait_a_little_and_are_then_asked_to_come_again(make_served: Any, held: Held) -> None:
    served = make_served(ServerRules(reads=1, patience=0.05))
    with in_background(lambda: served.get("/tags")) as first:
        assert held.begun.acquire(timeout=10)
        refused = served.get("/categories")
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) >= 1
        held.released.set()
        assert first.result().status_code == 200
    assert served.get("/categories").status_code == 200


def test_whoever_can_wait_is_served(make_served: Any, held: Held) -> None:
    served = make_served(ServerRules(reads=1))
    with in_background(lambda: served.get("/tags")) as first, in_background(lambda: served.get("/categories")) as next_:
        assert held.begun.acquire(timeout=10)
        held.released.set()
        assert (first.result().status_code, next_.result().status_code) == (200, 200)


def test_the_queue_itself_has_an_end(make_served: Any, held: Held) -> None:
    served = make_served(ServerRules(reads=1, waiting=0))
    with in_background(lambda: served.get("/tags")) as first:
        assert held.begun.acquire(timeout=10)
        started = time.monotonic()
        assert served.get("/categories").status_code == 503
        assert time.monotonic() - started < 5  # it did not wait for its patience
        held.released.set()
        assert first.result().status_code == 200


def test_a_request_that_takes_too_long_is_answered_and_its_thread_still_counts(make_served: Any, held: Held) -> None:
    served = make_served(ServerRules(reads=1, patience=0.05, read_seconds=0.05))
    late = served.get("/tags")
    assert late.status_code == 504 and "too long" in late.json()["detail"]
    assert served.get("/categories").status_code == 503
    held.released.set()
    assert eventually(lambda: served.get("/categories").status_code == 200)


def test_a_stage_that_takes_too_long_ends_the_answer(make_served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = threading.Event()

    def ask(app: App, *_: object) -> None:
        course = present_course()
        course.begin("generate")
        course.interrupt_by(stopped.set)
        assert stopped.wait(20)
        course.check()

    monkeypatch.setattr(App, "ask", ask)
    served = make_served(ServerRules(stage_seconds=0.05))
    late = served.post("/ask", json=QUESTION)
    assert late.status_code == 504 and stopped.is_set()
    stopped.clear()
    events = events_of(served.post("/ask", json=QUESTION, headers=EVENTS).text)
    assert [name for name, _ in events] == ["stage", "error"] and events[-1][1]["status"] == 504


def test_all_of_an_answer_has_a_limit_however_its_stages_go_on(
    make_served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(app: App, *_: object) -> None:
        while True:
            present_course().begin("search")
            time.sleep(0.01)

    monkeypatch.setattr(App, "ask", ask)
    served = make_served(ServerRules(answer_seconds=0.2))
    assert served.post("/ask", json=QUESTION).status_code == 504


def test_only_so_many_answers_at_a_time_while_reading_goes_on(
    make_served: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Held()
    real = App.ask
    monkeypatch.setattr(App, "ask", lambda app, *arguments: (work(), real(app, *arguments))[1])
    served = make_served(ServerRules(answers=2, patience=0.05))
    with ThreadPoolExecutor(2) as pool:
        under_way = [pool.submit(served.post, "/ask", json=QUESTION) for _ in range(2)]
        assert work.begun.acquire(timeout=10) and work.begun.acquire(timeout=10)
        assert served.post("/ask", json=QUESTION).status_code == 503
        assert served.get("/search?q=支付").status_code == 200
        work.released.set()
        assert [one.result().json()["status"] for one in under_way] == ["answered"] * 2


def events_of(text: str) -> list[tuple[str, Any]]:
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    assert all(len(lines) == 2 for lines in blocks)
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def eventually(holds: Callable[[], bool], seconds: float = 15) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_an_answer_comes_as_stages_tokens_and_the_checked_text(make_served: Any) -> None:
    with running_server("重试次数", "由 retry_count 控制，", "默认三次 [1]。") as ollama:
        served = make_served(ServerRules(), chat="ollama", host=ollama.host)
        reply = served.post("/ask", json=QUESTION, headers=EVENTS)
        events = events_of(reply.text)
        plain = served.post("/ask", json=QUESTION).json()
    assert reply.headers["content-type"].startswith("text/event-stream")
    names = [name for name, _ in events]
    assert names[-1] == "answer" and names.count("token") == 3 and set(names) == {"stage", "token", "answer"}
    assert (
        "".join(told["text"] for name, told in events if name == "token")
        == "重试次数由 retry_count 控制，默认三次 [1]。"
    )
    stages = [(told["name"], "milliseconds" in told) for name, told in events if name == "stage"]
    assert ("full_text", False) in stages and ("generate", True) in stages
    assert events[-1][1]["answer"] == plain["answer"] and events[-1][1]["citations"] == plain["citations"]


def test_an_answer_that_fails_is_an_event_in_the_stream(make_served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(app: App, *_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(App, "ask", fail)
    served = make_served(ServerRules())
    name, problem = events_of(served.post("/ask", json=QUESTION, headers=EVENTS).text)[-1]
    assert name == "error" and problem["status"] == 500 and "secret" not in problem["detail"]


@contextmanager
def waiting_for_an_answer(client: httpx.Client, accept: str) -> Iterator[None]:
    """Ask over a connection of its own, which closes with the block, whatever has come by then."""
    body = json.dumps(QUESTION).encode()
    head = (
        f"POST /ask HTTP/1.1\r\nHost: {client.base_url.host}:{client.base_url.port}\r\nAccept: {accept}\r\n"
        f"Authorization: {client.headers['Authorization']}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((client.base_url.host, client.base_url.port or 80)) as connection:
        connection.sendall(head.encode() + body)
        yield


@pytest.mark.parametrize("mood", [Mood.STALL, Mood.STALL_MIDWAY])
@pytest.mark.parametrize("accept", ["text/event-stream", "application/json"])
def test_a_caller_who_goes_away_stops_a_stalled_model(make_served: Any, mood: Mood, accept: str) -> None:
    with running_server("重试次数", "三次 [1]。", mood=mood) as ollama:
        served = make_served(ServerRules(answers=1, patience=0.1), chat="ollama", host=ollama.host)
        with listening(served.server) as client:
            with waiting_for_an_answer(client, accept):
                assert eventually(lambda: bool(ollama.requests), 60)
                assert not ollama.abandoned.wait(0.2)
            assert ollama.abandoned.wait(10)
            ollama.mood = Mood.ANSWER
            assert eventually(lambda: client.post("/ask", json=QUESTION).status_code == 200)


def test_a_caller_who_goes_away_stops_a_model_that_talks(make_served: Any) -> None:
    pieces = ["话"] * 20_000
    with running_server(*pieces) as ollama:
        served = make_served(ServerRules(answers=1), chat="ollama", host=ollama.host, max_characters=100_000)
        with listening(served.server) as client:
            with client.stream("POST", "/ask", json=QUESTION, headers=EVENTS) as reply:
                for line in reply.iter_lines():
                    if line == "event: token":
                        break
            started = time.monotonic()
            ollama.pieces = ("重试次数默认三次 [1]。",)
            assert client.post("/ask", json=QUESTION).json()["status"] == "answered"
            assert time.monotonic() - started < 10


def test_metrics_count_what_happens(make_served: Any) -> None:
    with running_server("重试次数默认三次 [1]。") as ollama:
        served = make_served(ServerRules(), chat="ollama", host=ollama.host)
        for path in ("/search?q=支付", "/search?q=消息", "/nowhere", "/elsewhere", "/notes/支付模块", "/page/main.js"):
            served.get(path)
        served.get("/tags", "")
        served.post("/ask", json=QUESTION)
        text = served.get("/metrics").text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert values['graphrag_requests_total{endpoint="/search",method="GET",status="200"}'] == "2.0"
    assert values['graphrag_requests_total{endpoint="unknown",method="GET",status="404"}'] == "2.0"
    assert values['graphrag_requests_total{endpoint="/notes/{path:path}",method="GET",status="200"}'] == "1.0"
    assert values['graphrag_requests_total{endpoint="unknown",method="GET",status="401"}'] == "1.0"
    assert values['graphrag_request_seconds_count{endpoint="/search"}'] == "2.0"
    assert float(values["graphrag_model_seconds_total"]) > 0
    assert values["graphrag_index_notes"] == "4.0" and values["graphrag_index_embedded_share"] == "1.0"
    assert float(values["graphrag_index_generation"]) >= 1
    assert values["graphrag_requests_in_flight"] == "1.0"
    assert "支付" not in text and "nowhere" not in text
