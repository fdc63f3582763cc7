"""Who is let in: tokens, scopes, failures; what is told to whoever is not, and what is written down."""

import json
import stat
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graphrag.domain.access import Scope, ServerRules
from graphrag.server.admission import FailedTries, is_open
from tests.e2e.conftest import SMALL, write_vault
from tests.unit.server.conftest import Served, ServeVault, routes_of

PAST_ALL = "grag_" + "x" * 43


def test_every_route_but_the_open_ones_wants_a_token(served: Served) -> None:
    closed = [(method, path) for method, path in routes_of(served.server) if not is_open(path)]
    assert {path for _, path in closed} >= {"/search", "/ask", "/notes", "/status", "/mcp", "/graph/near", "/metrics"}
    for method, path in closed:
        place = path.replace("{path:path}", "支付/支付模块.md")
        assert served.client.request(method, place).status_code in (401, 429), path  # of so many, some have to wait


def test_nothing_that_a_wrong_token_gets_tells_one_from_another(served: Served) -> None:
    secrets = {name: served.make_token(name) for name in ("off", "gone", "old")}
    served.tokens.disable("off")
    served.tokens.delete("gone")
    now = datetime.now(UTC)
    old = served.tokens.create("aged", Scope.READ, expires=now - timedelta(hours=1), now=now - timedelta(hours=2))
    replies = [served.get("/tags", secret) for secret in (secrets["off"], secrets["gone"], old, PAST_ALL, "", "x")]
    replies += [served.get("/tags", "", headers={"Authorization": text}) for text in ("Basic abc", "Bearer", "grag_x")]
    assert {reply.status_code for reply in replies} == {401}
    assert len({reply.text for reply in replies}) == 1
    assert {reply.headers["www-authenticate"] for reply in replies} == {"Bearer"}
    assert served.get("/tags", secrets["old"]).status_code == 200


def test_two_tokens_in_one_request_are_none(served: Served) -> None:
    both = [("Authorization", f"Bearer {served.server.token}"), ("Authorization", f"Bearer {PAST_ALL}")]
    assert served.client.get("/tags", headers=both).status_code == 401


def test_a_token_counts_until_it_is_disabled_and_again_after(served: Served) -> None:
    secret = served.make_token("phone")
    assert served.get("/tags", secret).status_code == 200
    served.tokens.disable("phone")
    assert served.get("/tags", secret).status_code == 401
    served.tokens.enable("phone")
    assert served.get("/tags", secret).status_code == 200
    assert served.tokens.all()[0].last_address == "testclient"


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [(Scope.READ, (200, 403, 403)), (Scope.ASK, (200, 200, 403)), (Scope.ADMIN, (200, 200, 200))],
)
def test_a_scope_holds_those_before_it(served: Served, scope: Scope, allowed: tuple[int, ...]) -> None:
    secret = served.make_token("who", scope)
    asked = served.post("/ask", secret, json={"question": "重试次数"})
    statuses = (served.get("/tags", secret).status_code, asked.status_code, served.get("/metrics", secret).status_code)
    assert statuses == allowed
    if scope is Scope.READ:
        assert asked.json()["detail"] == "This needs a token of scope ask."


def test_the_token_of_a_run_is_kept_nowhere(served: Served) -> None:
    assert served.get("/metrics").status_code == 200
    assert served.tokens.all() == []
    secret = served.server.token.encode()
    assert not [file for file in served.app.index_folder().rglob("*") if file.is_file() and secret in file.read_bytes()]


def test_too_many_failures_have_to_wait_but_a_valid_token_never(served: Served) -> None:
    statuses = [served.get("/tags", PAST_ALL).status_code for _ in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    waiting = served.get("/tags", "")
    assert waiting.status_code == 429 and 1 <= int(waiting.headers["retry-after"]) <= 60
    assert served.get("/tags").status_code == 200
    assert served.get("/health", "").status_code == 200


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_failures_are_counted_by_address_and_forgotten_after_a_minute() -> None:
    clock = Clock()
    tries = FailedTries(2, clock)
    assert [tries.add("10.0.0.1") for _ in range(3)] == [0, 0, 60]
    assert tries.add("10.0.0.2") == 0
    clock.now = 61.0
    assert tries.add("10.0.0.1") == 0


def test_an_address_of_ipv6_counts_by_its_network() -> None:
    tries = FailedTries(1, Clock())
    assert tries.add("2001:db8:1:2::1") == 0
    assert tries.add("2001:db8:1:2:ffff::9") > 0
    assert tries.add("2001:db8:1:3::1") == 0


def test_of_endless_addresses_only_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag.server.admission._MOST_ADDRESSES", 3)
    tries = FailedTries(1, Clock())
    for number in range(50):
        tries.add(f"10.0.0.{number}")
    assert len(tries._tries) == 3


def audit_of(served: Served) -> list[dict[str, Any]]:
    lines = (served.app.index_folder() / "audit.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_request_is_written_down_without_what_was_asked(served: Served) -> None:
    secret = served.make_token("phone", Scope.ASK)
    served.get("/search?q=绝密的问题", secret)
    served.post("/ask", secret, json={"question": "绝密的问题"})
    served.get("/tags", PAST_ALL)
    served.get("/nowhere", headers={"Host": "evil.example"})
    written = audit_of(served)
    assert [(line["token"], line["method"], line["path"], line["status"]) for line in written] == [
        ("phone", "GET", "/search", 200),
        ("phone", "POST", "/ask", 200),
        ("-", "GET", "/tags", 401),
        ("-", "GET", "/nowhere", 421),
    ]
    assert all(line["milliseconds"] >= 0 and line["address"] == "testclient" for line in written)
    text = (served.app.index_folder() / "audit.jsonl").read_text("utf-8")
    assert "\\u7edd\\u5bc6" not in text and "grag_" not in text


def test_the_audit_is_for_the_owner_alone(served: Served) -> None:
    served.get("/tags")
    assert stat.S_IMODE((served.app.index_folder() / "audit.jsonl").stat().st_mode) == 0o600


def test_an_audit_that_cannot_be_written_stops_no_request(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    (served.app.index_folder() / "audit.jsonl").mkdir()
    assert served.get("/tags").status_code == 200
    assert "cannot be written down" in caplog.text


def test_rules_can_allow_fewer_failures(serve_vault: ServeVault, tmp_path: Any) -> None:
    strict = serve_vault(write_vault(tmp_path / "v", SMALL), ServerRules(failures=1))
    assert [strict.get("/tags", "").status_code for _ in range(3)] == [401, 429, 429]
