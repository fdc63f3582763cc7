"""An index that is deleted under the server: it is said, and made anew where the server makes it."""

import shutil
import time

from graphrag.domain.access import Limit
from tests.unit.server.conftest import Served

PAYMENT = Limit(tags=("支付",))


def wait_for_search(served: Served, token: str) -> list[str]:
    """Return the notes that a token's search finds, once its index is there."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        reply = served.get("/search?q=重试次数", token)
        if reply.status_code == 200:
            return [item["note"] for item in reply.json()["results"]]
        assert reply.status_code == 503 and "retry-after" in reply.headers
        time.sleep(0.2)
    raise AssertionError("the index of the limit was not made")


def test_the_index_of_a_limit_is_made_anew_after_its_last_token_was_deleted(served: Served) -> None:
    first = served.make_token("first", limit=PAYMENT)
    assert wait_for_search(served, first) == ["支付/支付模块.md"]
    served.tokens.delete("first")
    second = served.make_token("second", limit=PAYMENT)
    assert wait_for_search(served, second) == ["支付/支付模块.md"]


def test_health_says_when_the_index_is_gone(served: Served) -> None:
    assert served.get("/health").status_code == 200
    shutil.rmtree(served.app.vault / ".graphrag")
    assert served.get("/health").status_code == 503
    assert "generation 0.0" in served.get("/metrics").text
