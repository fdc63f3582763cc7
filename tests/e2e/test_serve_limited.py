"""The token sweep: to a limited token every endpoint says what it would say if the other notes had never been."""

import json
import re
import time
from collections.abc import Iterator
from urllib.parse import quote, unquote

import httpx
import pytest

from graphrag.domain.access import Limit, Scope, ServerRules
from tests.e2e.limited_pair import LIMIT, Pair, make_pair, surroundings
from tests.e2e.test_limited import MARK, NAMES, QUESTIONS
from tests.unit.server.conftest import Served, routes_of

__all__ = ["surroundings"]

Call = tuple[str, object]  # an address, or what is posted to it

FILTERS = ["", "&category=支付", "&category=密档", "&tag=密签", "&tag=支付", "&path=密档", "&type=密型", "&type=流程"]
CHANGES = ["7d", "2024-01-15", "2023-01-01", "密枝", ":/密", "0000000"]
_TOOLS = [
    *(("search_notes", {"query": text}) for text in QUESTIONS[::6]),
    *(("ask_notes", {"question": text}) for text in QUESTIONS[::6]),
    *(("get_note", {"note": text}) for text in (*NAMES[::4], "密根.md:1@密枝", "密档/旧.md@HEAD")),
    *(("related_notes", {"name": text}) for text in NAMES[::4]),
    *(("explain_relation", {"subject": text, "object": "张三"}) for text in NAMES[::4]),
    ("list_notes", {}),
    ("list_notes", {"words": "密"}),
    ("recent_changes", {"since": "2023-01-01"}),
]
CALLS: dict[str, list[Call]] = {
    "GET /search": [
        *((f"/search?q={quote(text)}&top_k=50&explain=1", None) for text in QUESTIONS[::2]),
        *((f"/search?q=支付模块 对账{filters}", None) for filters in FILTERS),
    ],
    "POST /ask": [
        *(("/ask", {"question": text}) for text in QUESTIONS),
        ("/ask", {"question": "支付模块", "filters": {"categories": ["密档"]}}),
    ],
    "GET /notes": [
        *((f"/notes?limit=200{filters}", None) for filters in FILTERS),
        *((f"/notes?q={quote(word)}", None) for word in ("密", "支付", "张三")),
        ("/notes?offset=4", None),
    ],
    "GET /notes/{path:path}": [
        (f"/notes/{quote(name)}{raw}", None) for name in (*NAMES, "密档/密谈支付模块.md") for raw in ("", "?raw=1")
    ],
    "GET /graph/near": [(f"/graph/near?name={quote(name)}&hops=3&limit=200", None) for name in NAMES],
    "GET /graph/path": [(f"/graph/path?from=张三&to={quote(name)}", None) for name in NAMES],
    "GET /graph/overview": [("/graph/overview?limit=500", None)],
    "GET /explain": [(f"/explain?fact={quote(f'{name} 负责人 张三')}", None) for name in NAMES],
    "GET /tags": [("/tags", None)],
    "GET /categories": [("/categories", None)],
    "GET /changes": [(f"/changes?since={quote(since)}", None) for since in CHANGES],
    "GET /status": [("/status", None)],
    "GET /metrics": [("/metrics", None)],
    "GET /health": [("/health", None)],
    "GET /openapi.json": [("/openapi.json", None)],
    "GET /": [("/", None)],
    "HEAD /": [("/", None)],
    "HEAD /openapi.json": [("/openapi.json", None)],
    "GET /page/main.js": [("/page/main.js", None)],
    "GET /mcp": [("/mcp", None)],
    "POST /mcp": [
        ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        for name, arguments in _TOOLS
    ]
    + [("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {}})],
}


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory, surroundings: None) -> Iterator[Pair]:
    made = make_pair(tmp_path_factory.mktemp("still"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def whole(still: Pair) -> Iterator[Served]:
    served = Served(still.app, ServerRules())
    yield served
    served.close()


@pytest.fixture(scope="module")
def reduced(still: Pair) -> Iterator[Served]:
    served = Served(still.plain, ServerRules())
    yield served
    served.close()


@pytest.fixture(scope="module")
def limited_token(whole: Served) -> str:
    token = whole.make_token("limited", Scope.ASK, LIMIT)
    wait_for_index(whole, token)
    return token


@pytest.fixture(scope="module")
def plain_token(reduced: Served) -> str:
    return reduced.make_token("plain", Scope.ASK)


def wait_for_index(served: Served, token: str) -> None:
    end = time.monotonic() + 30
    while (reply := served.get("/status", token)).status_code == 503:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert reply.status_code == 200


def ask(served: Served, token: str, method: str, call: Call) -> httpx.Response:
    address, body = call
    if method != "POST":
        return served._ask(method, address, token, {})
    headers = {"Accept": "application/json, text/event-stream"} if address == "/mcp" else {}
    return served.post(address, token, json=body, headers=headers)


def told(reply: httpx.Response) -> str:
    """Return a reply without what differs between two equal vaults."""
    text = re.sub(r"\b[0-9a-f]{40}\b", "COMMIT", reply.text)
    text = re.sub(r"@[0-9a-f]{7}\b", "@COMMIT", text)
    text = re.sub(r'("since"|"until"):"(COMMIT)?"', r'\1:""', text)  # commits that touch nothing else are not named
    text = re.sub(r'("generation"):\s*\d+', r"\1:0", text)
    text = re.sub(r'(\\?"(?:trace|behind)\\?"):\s*(\{[^{}]*\}|null)', r"\1:0", text)
    return f"{reply.status_code} {text}"


def test_every_endpoint_is_swept(whole: Served) -> None:
    """A new endpoint has to be added to the calls, or this fails."""
    assert {f"{method} {path}" for method, path in routes_of(whole.server)} == CALLS.keys()


@pytest.mark.parametrize("endpoint", CALLS)
def test_a_limited_token_is_told_what_the_reduced_vault_tells(
    whole: Served, reduced: Served, limited_token: str, plain_token: str, endpoint: str
) -> None:
    method = endpoint.partition(" ")[0]
    statuses: list[int] = []
    for call in CALLS[endpoint]:
        limited, plain = ask(whole, limited_token, method, call), ask(reduced, plain_token, method, call)
        assert told(limited) == told(plain), call
        if endpoint != "GET /page/main.js":
            assert not MARK.search(without_echo(limited, call)), call
        statuses.append(limited.status_code)
    assert max(statuses) < 500 and (min(statuses) < 300 or endpoint in ("GET /metrics", "GET /mcp"))


def without_echo(reply: httpx.Response, call: Call) -> str:
    """Return a reply without the words that it was asked with."""
    said = reply.text
    asked = f"{json.dumps(call[1], ensure_ascii=False)} {httpx.URL(call[0])!s} {call[0]}"
    words = set(re.findall(r"\w+", unquote(asked)))
    for word in sorted(words, key=len, reverse=True):
        if MARK.search(word):
            said = said.replace(word, "…").replace(json.dumps(word)[1:-1], "…")
    return said


def test_the_marks_would_show_to_a_token_without_a_limit(whole: Served) -> None:
    token = whole.make_token("whole", Scope.ASK)
    for endpoint in ("GET /search", "GET /notes", "GET /graph/near", "GET /tags", "GET /categories", "GET /changes"):
        shown = [ask(whole, token, "GET", call) for call in CALLS[endpoint]]
        assert any(MARK.search(without_echo(*pair)) for pair in zip(shown, CALLS[endpoint], strict=True)), endpoint


def test_an_index_that_is_being_made_is_waited_for(whole: Served) -> None:
    token = whole.make_token("other", Scope.READ, Limit(tags=("共享",)))
    first = whole.get("/tags", token)
    assert first.status_code == 503 and int(first.headers["retry-after"]) > 0
    assert "密" not in first.text and first.json()["status"] == 503
    wait_for_index(whole, token)
    assert {note["path"] for note in whole.get("/notes", token).json()["notes"]} == {"公开/说明.md", "随笔/张三.md"}


def test_a_limit_that_lets_nothing_through_shows_nothing(whole: Served) -> None:
    token = whole.make_token("nothing", Scope.READ, Limit(tags=("没有这个标签",)))
    end = time.monotonic() + 30
    while whole.get("/tags", token).status_code == 503 and time.monotonic() < end:
        time.sleep(0.1)
    for path in ("/tags", "/notes", "/search?q=支付模块", "/status"):
        reply = whole.get(path, token)
        assert not MARK.search(reply.text) and "支付/支付模块.md" not in reply.text
