"""The course of one request: which stage it is in, and a way to stop it from another thread.

A thread that works on a request runs inside `following`; what takes time there looks at `present_course`, so that no
function in between has to pass it on. Without one around it, nothing is told and nothing stops.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from threading import Event, Lock, RLock
from typing import Any, Self, TypeVar, overload

Value = TypeVar("Value")


class made_once(cached_property[Value]):  # noqa: N801 - used like the library's, which takes no lock since Python 3.12
    """A cached property that one thread makes while the others wait; for what is too large to be made twice."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        super().__init__(make)
        self._making = RLock()

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | Value:
        """Return the value; once it is there, Python no longer comes this way."""
        if instance is None:
            return self
        with self._making:
            value: Value = super().__get__(instance, owner)
            return value


OnStage = Callable[[str, float | None], None]  # a stage begins, or ended after so many milliseconds
_SILENT: OnStage = lambda name, milliseconds: None  # noqa: E731 - a constant


class Stopped(Exception):
    """The request was stopped: nobody waits for its result any more. No failure of the request itself."""


class Course:
    """One request under way; `stop` may be called from any thread."""

    def __init__(self, on_stage: OnStage = _SILENT) -> None:
        self._on_stage = on_stage
        self._stopped = Event()
        self._changing = Lock()
        self._interrupts: list[Callable[[], None]] = []

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """End the request at its next step; what blocks it now is interrupted."""
        with self._changing:
            self._stopped.set()
            interrupts, self._interrupts = self._interrupts, []
        for interrupt in interrupts:
            interrupt()

    def rest(self) -> None:
        """Forget what blocked it: that may serve another request by now."""
        with self._changing:
            self._interrupts = []

    def check(self) -> None:
        """Raise Stopped if the request was stopped."""
        if self.is_stopped:
            raise Stopped

    def begin(self, stage: str) -> None:
        """Tell that a stage begins.

        Raises:
            Stopped: it must not.
        """
        self.check()
        self._on_stage(stage, None)

    def end(self, stage: str, milliseconds: float) -> None:
        """Tell how long a stage took."""
        self._on_stage(stage, milliseconds)

    def interrupt_by(self, interrupt: Callable[[], None]) -> None:
        """Let `stop` call a function that makes a blocking call return; at once if it was called already."""
        with self._changing:
            if not self.is_stopped:
                self._interrupts.append(interrupt)
                return
        interrupt()


class _Unattended(Course):
    def interrupt_by(self, interrupt: Callable[[], None]) -> None:
        """Forget it: nobody stops this one."""


_UNATTENDED = _Unattended()
_present: ContextVar[Course | None] = ContextVar("course", default=None)


def present_course() -> Course:
    """Return the course of the request that this thread works on."""
    return _present.get() or _UNATTENDED


@contextmanager
def following(course: Course) -> Iterator[None]:
    """Make a course the present one for this thread; afterwards there is nothing left to interrupt."""
    token = _present.set(course)
    try:
        yield
    finally:
        _present.reset(token)
        course.rest()
