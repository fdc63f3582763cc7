"""How often an address showed no valid token lately: one that tries too often has to wait."""

import ipaddress
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

_WINDOW = 60.0  # seconds
_MOST_ADDRESSES = 10_000


class FailedTries:
    """Counts the failures of each address within a minute; of the addresses, those that were seen last."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._tries: OrderedDict[str, deque[float]] = OrderedDict()
        self._changing = Lock()

    def add(self, address: str) -> int:
        """Count a failure; return in how many seconds the next try is looked at, 0 for at once."""
        now = self._clock()
        with self._changing:
            tries = self._tries.setdefault(_network(address), deque(maxlen=self._most + 1))
            self._tries.move_to_end(_network(address))
            while tries and now - tries[0] > _WINDOW:
                tries.popleft()
            tries.append(now)
            if len(self._tries) > _MOST_ADDRESSES:
                self._tries.popitem(last=False)
            return max(1, round(_WINDOW - (now - tries[0]))) if len(tries) > self._most else 0


def _network(address: str) -> str:
    """Return what one sender cannot change as it likes: an address, of IPv6 the network."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else address
