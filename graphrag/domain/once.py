"""A property that is made once, however many threads ask for it first."""

from collections.abc import Callable
from functools import cached_property
from threading import RLock
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
