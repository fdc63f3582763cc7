"""The interface of every kind of answer: one `Answerer` for each kind of reading."""

from collections.abc import Callable
from typing import Protocol

from graphrag.domain.query import Answer
from graphrag.retrieve.pipeline import StageClock
from graphrag.understand.plan import QueryPlan

OnText = Callable[[str], None]


class Answerer(Protocol):
    """Answers a question in one of the ways that its plan names."""

    notice: str  # what the user should know of how the answer came about, or of why there is none; often empty

    def answer(self, plan: QueryPlan, clock: StageClock, on_text: OnText | None) -> Answer | None:
        """Return the answer, None when the vault has nothing for this reading; a model's pieces go to `on_text`."""
        ...
