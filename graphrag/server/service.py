"""What every endpoint works with, and the way in which a request reaches the library and its result the caller."""

import asyncio
import contextvars
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

import anyio
from fastapi import Request, Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from graphrag.app import App
from graphrag.domain.access import AccessToken, ServerRules
from graphrag.domain.query import Answer, Filters
from graphrag.domain.request_course import Course, following
from graphrag.server.problems import Problem, problem_of, too_long
from graphrag.server.served_vault import ServedVault
from graphrag.shapes import dump_line

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """The counters of one server; a registry of its own, so that two servers of one process do not mix."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "graphrag_requests_total",
            "Requests by endpoint, method and status.",
            ("endpoint", "method", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "graphrag_request_seconds",
            "Time of a request by endpoint.",
            ("endpoint",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.model_seconds = Counter(
            "graphrag_model_seconds_total", "Time that chat models took to write.", registry=self._registry
        )
        self.in_flight = Gauge("graphrag_requests_in_flight", "Requests under way.", registry=self._registry)
        self.generation = Gauge("graphrag_index_generation", "Generation of the index.", registry=self._registry)
        self.notes = Gauge("graphrag_index_notes", "Notes in the index.", registry=self._registry)
        self.embedded = Gauge(
            "graphrag_index_embedded_share", "Share of the passages that have a vector.", registry=self._registry
        )

    def text(self) -> bytes:
        """Return all of them."""
        return generate_latest(self._registry)


Result = TypeVar("Result")
_BUSY_SECONDS = 3


class Workers:
    """Runs work in threads; a request whose caller has given up still holds its place until its thread is free."""

    def __init__(self, name: str, count: int, most_waiting: int, patience: float) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix=name)
        self._places = anyio.Semaphore(count)
        self._patience = patience
        self._most_waiting = most_waiting
        self._waiting = 0
        self._courses: set[Course] = set()  # of what is under way

    async def begin(self, work: Callable[[], Result], course: Course) -> "asyncio.Future[Result]":
        """Start work in a thread and return what waits for it.

        Raises:
            Problem: no thread was free in time.
        """
        await self._take_place()
        loop = asyncio.get_running_loop()

        def run() -> Result:
            with following(course):
                return work()

        self._courses.add(course)
        future = self._pool.submit(contextvars.copy_context().run, run)
        future.add_done_callback(lambda done: self._free_place(loop, course))
        return asyncio.wrap_future(future)

    async def run(self, work: Callable[[], Result], seconds: float) -> Result:
        """Return what work returns, or stop it after so many seconds.

        Raises:
            Problem: no thread was free in time.
            Stopped: it took too long.
        """
        course = Course()
        future = await self.begin(work, course)
        try:
            with anyio.fail_after(seconds):
                return await future
        except TimeoutError:
            raise too_long() from None
        finally:
            course.stop()

    def close(self) -> None:
        """Take no more work, and stop what is under way: the process waits for its threads before it ends."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for course in [*self._courses]:
            course.stop()

    async def _take_place(self) -> None:
        with suppress(anyio.WouldBlock):
            self._places.acquire_nowait()
            return
        if self._waiting >= self._most_waiting:
            raise _busy()
        self._waiting += 1
        try:
            with anyio.fail_after(self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise _busy() from None
        finally:
            self._waiting -= 1

    def _free_place(self, loop: asyncio.AbstractEventLoop, course: Course) -> None:
        self._courses.discard(course)
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            loop.call_soon_threadsafe(self._places.release)


def _busy() -> Problem:
    detail = "Too many requests at once. Try again in a moment."
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, detail, _BUSY_SECONDS)


Event = tuple[str, Any]  # "stage", "token", "answer" or "error", with what is told
_MODEL_STAGES = frozenset({"plan", "generate", "direct"})


class Answering:
    """Answers one question; its events come in order, the last is the answer or the problem."""

    def __init__(self, workers: Workers, rules: ServerRules, metrics: Metrics) -> None:
        self._workers = workers
        self._rules = rules
        self._metrics = metrics
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._course = Course(self._on_stage)
        self._started = self._changed = time.monotonic()

    async def begin(self, app: App, question: str, filters: Filters) -> None:
        """Start when a thread is free.

        Raises:
            Problem: none was in time.
        """
        future = await self._workers.begin(lambda: app.ask(question, filters, self._on_text), self._course)
        self._started = self._changed = time.monotonic()
        future.add_done_callback(self._on_end)

    async def events(self) -> AsyncIterator[Event]:
        """Yield what happens until the answer; whoever stops listening stops the work."""
        try:
            while True:
                event = await self._next()
                yield event
                if event[0] in ("answer", "error"):
                    return
        finally:
            self._course.stop()

    async def answer(self) -> Answer:
        """Return the answer.

        Raises:
            Problem: there is none.
        """
        async for kind, told in self.events():
            if kind == "error":
                raise told
            if kind == "answer":
                answer: Answer = told
                return answer
        raise AssertionError("the last event is the answer or the problem")

    def stop(self) -> None:
        """End the work: nobody waits for it."""
        self._course.stop()

    async def _next(self) -> Event:
        while True:
            now = time.monotonic()
            ends = min(self._started + self._rules.answer_seconds, self._changed + self._rules.stage_seconds)
            try:
                return await asyncio.wait_for(self._events.get(), max(0.0, ends - now))
            except TimeoutError:
                if time.monotonic() >= min(
                    self._started + self._rules.answer_seconds, self._changed + self._rules.stage_seconds
                ):
                    return "error", too_long()

    def _on_text(self, piece: str) -> None:
        self._course.check()
        self._tell("token", {"text": piece})

    def _on_stage(self, name: str, milliseconds: float | None) -> None:
        self._changed = time.monotonic()
        if milliseconds is None:
            self._tell("stage", {"name": name})
            return
        if name in _MODEL_STAGES:
            self._metrics.model_seconds.inc(milliseconds / 1000)
        self._tell("stage", {"name": name, "milliseconds": milliseconds})

    def _tell(self, kind: str, told: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            self._loop.call_soon_threadsafe(self._events.put_nowait, (kind, told))

    def _on_end(self, future: "asyncio.Future[Answer]") -> None:
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            self._events.put_nowait(("answer", future.result()))
        elif isinstance(error, Exception):
            self._events.put_nowait(("error", problem_of(error)))


JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request, and the vault as the token shows it."""

    token: AccessToken
    app: App


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of one running server."""

    vault: ServedVault
    rules: ServerRules
    reads: Workers
    answers: Workers
    metrics: Metrics


def service_of(request: Request) -> Service:
    """Return the running server that a request came to."""
    service: Service = request.app.state.service
    return service


def caller_of(request: Request) -> Caller:
    """Return who sent a request."""
    caller: Caller = request.state.caller
    return caller


async def reply(request: Request, work: Callable[[App], object]) -> Response:
    """Answer a request with what a thread gets from the caller's vault, as JSON."""
    service, app = service_of(request), caller_of(request).app
    content = await service.reads.run(lambda: dump_line(work(app)), service.rules.read_seconds)
    return Response(content, media_type=JSON)
