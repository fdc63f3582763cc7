"""Threads for the library, which is synchronous: a bounded number, each busy until its work really ends."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from typing import TypeVar

import anyio

from graphrag.domain.course import Course, following
from graphrag.server.problems import Problem, too_long

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
