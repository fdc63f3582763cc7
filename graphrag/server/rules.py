"""The numbers and names that a served vault keeps to."""

from dataclasses import dataclass

DEFAULT_PORT = 8321
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


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
