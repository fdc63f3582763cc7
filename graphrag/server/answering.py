"""One question under way: a thread answers it, and what it tells on the way is passed on to whoever waits.

It is stopped when nobody waits any more, when a stage takes too long, or all of it does.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from graphrag.app import App
from graphrag.domain.course import Course
from graphrag.domain.query import Answer, Filters
from graphrag.server.metrics import Metrics
from graphrag.server.problems import problem_of, too_long
from graphrag.server.rules import ServerRules
from graphrag.server.workers import Workers

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
