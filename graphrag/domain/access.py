"""Who may ask a served vault: tokens, what they allow, and the part of the vault that they are limited to."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graphrag.domain.query import fold_name, folded_with_parents

DEFAULT_PORT = 8321
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Scope(StrEnum):
    """What a token allows; each holds what stands before it."""

    READ = "read"  # search, notes, the graph
    ASK = "ask"  # answers, which may keep a chat model busy
    ADMIN = "admin"  # how the index stands, what it costs, and whatever writes

    def allows(self, other: "Scope") -> bool:
        """Whether this scope holds another one."""
        order = list(Scope)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class Limit:
    """The part of a vault that a token opens: notes in one of the categories or with one of the tags.

    A parent holds its children, and names compare as in filters. Without either, the whole vault.
    """

    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left out."""
        return not (self.categories or self.tags)

    def holds(self, category: str, tags: Iterable[str]) -> bool:
        """Whether a note of this category and with these tags lies within the limit."""
        kinds = (self.categories, (category,)), (self.tags, tags)
        wanted = (({fold_name(name) for name in names}, folded_with_parents(borne)) for names, borne in kinds)
        return self.is_empty or any(not names.isdisjoint(borne) for names, borne in wanted)


NO_LIMIT = Limit()


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token as it is kept: never itself, only what is known of it."""

    name: str  # unique
    scope: Scope
    limit: Limit
    is_enabled: bool
    created: datetime
    expires: datetime | None
    last_used: datetime | None
    last_address: str  # of the last request that used it; empty before


class Denial(StrEnum):
    """Why a request was turned away; a caller is told no more than that it was."""

    UNKNOWN = "unknown token"
    DISABLED = "disabled token"
    EXPIRED = "expired token"
    SCOPE = "scope too small"


@dataclass(frozen=True, slots=True)
class ServerRules:
    """What a server lets in, and how long it works on it."""

    hosts: frozenset[str] = LOOPBACK_NAMES  # names and addresses that a request may call it by, in lower case
    body_bytes: int = 64 * 1024
    reads: int = 8  # requests that the library works on at once
    answers: int = 2
    patience: float = 10.0  # seconds that a request waits for its turn
    waiting: int = 64  # requests that wait for theirs
    body_seconds: float = 15.0  # until all of a request has come
    read_seconds: float = 30.0  # for a whole request
    answer_seconds: float = 600.0
    stage_seconds: float = 300.0  # for one stage of an answer
    failures: int = 10  # wrong tokens of one address within a minute, before it has to wait
    watched: bool = False  # whether this process also follows the vault
