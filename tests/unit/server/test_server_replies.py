"""What the endpoints return: what the facade returns, in the shape of `--json`."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from graphrag.domain.query import NO_FILTERS, Filters
from graphrag.shapes import answer_json, dump, fact_json, search_json
from tests.e2e.conftest import write_vault
from tests.unit.server.conftest import Served, ServeVault

PAYMENT = "支付/支付模块.md"


def as_printed(value: object) -> Any:
    return json.loads(dump(value))


def without_times(shape: Any) -> Any:
    return {**shape, "trace": sorted(shape["trace"])}


def test_search_is_search_json(served: Served) -> None:
    reply = served.get("/search", params={"q": "重试次数", "top_k": 2, "explain": True})
    expected = as_printed(search_json(served.app.search("重试次数", NO_FILTERS, 2, True), True))
    assert reply.status_code == 200
    assert without_times(reply.json()) == without_times(expected)
    assert reply.json()["results"][0]["note"] == PAYMENT and reply.json()["dropped"]


def test_filters_of_a_search_may_be_repeated(served: Served) -> None:
    both = served.get("/search", params={"q": "支付模块", "category": ["支付", "人物"]}).json()
    one = served.get("/search", params={"q": "支付模块", "category": "人物"}).json()
    assert {item["note"].partition("/")[0] for item in both["results"]} == {"支付", "人物"}
    assert {item["note"].partition("/")[0] for item in one["results"]} == {"人物"}
    assert served.get("/search", params={"q": "支付模块", "tag": "#支付/"}).json()["results"][0]["note"] == PAYMENT


def test_an_answer_is_ask_json(served: Served) -> None:
    for question in ("谁负责支付模块", "重试次数是多少", "鲸鱼吃什么"):
        reply = served.post("/ask", json={"question": question})
        expected = as_printed(answer_json(served.app.ask(question, NO_FILTERS)))
        assert without_times(reply.json()) == without_times(expected)


def test_filters_of_a_question_reach_the_facade(served: Served) -> None:
    body = {"question": "消息积压时做什么", "filters": {"paths": ["人物"], "since": "2020-01-01"}}
    assert served.post("/ask", json=body).json()["status"] == "no_hit"
    assert served.post("/ask", json={"question": "消息积压时做什么"}).json()["status"] == "answered"


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("/tags", lambda app: app.tags()),
        ("/categories", lambda app: app.categories()),
        ("/graph/near?name=支付模块&hops=2&limit=5", lambda app: app.near("支付模块", 2, 5)),
        ("/graph/path?from=张三&to=消息队列", lambda app: app.path("张三", "消息队列", 4)),
        ("/graph/overview?limit=3", lambda app: app.overview(3)),
        ("/explain?fact=张三 负责 支付模块", lambda app: fact_json(app.explain("张三 负责 支付模块"))),
    ],
)
def test_a_view_is_what_the_command_prints(served: Served, path: str, call: Any) -> None:
    reply = served.get(path)
    assert reply.status_code == 200
    assert reply.json() == as_printed(call(served.app)) != []


def test_the_overview_holds_the_best_connected_with_what_joins_them(served: Served) -> None:
    nodes = served.get("/graph/overview", params={"limit": 3}).json()["nodes"]
    edges = served.get("/graph/overview", params={"limit": 3}).json()["edges"]
    assert [node["degree"] for node in nodes] == sorted((node["degree"] for node in nodes), reverse=True)
    assert nodes[0]["id"] == PAYMENT and {edge["source"] for edge in edges} <= {node["id"] for node in nodes}
    assert served.get("/graph/overview", params={"limit": 1}).json()["edges"] == []


def test_a_note_is_show_json_with_its_page(served: Served) -> None:
    shown = served.get(f"/notes/{PAYMENT}").json()
    for name, value in as_printed(served.app.show(PAYMENT)).items():
        assert shown[name] == value
    assert shown["obsidian_url"].startswith("obsidian://open?vault=vault&file=")
    assert shown["markdown_url"] == f"/notes/{quote(PAYMENT)}?raw=1"
    assert "<h1" in shown["html"] and "属于" not in shown["html"]  # the front matter is no text
    assert served.get("/notes/支付模块").json()["note"]["path"] == PAYMENT


def test_the_markdown_is_the_file_as_it_lies_there_now(served: Served) -> None:
    file = served.app.vault / PAYMENT
    file.write_text(file.read_text("utf-8") + "新的一行。\n", "utf-8")
    reply = served.get(f"/notes/{PAYMENT}?raw=1")
    assert reply.text == file.read_text("utf-8")
    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"


def test_the_list_of_notes_has_the_newest_first_and_pages(served: Served) -> None:
    everything = served.get("/notes").json()
    assert everything["total"] == 4 and len(everything["notes"]) == 4
    assert set(everything["notes"][0]) == {"path", "title", "tags", "category", "updated"}
    first, rest = (served.get("/notes", params={"limit": 2, "offset": offset}).json() for offset in (0, 2))
    assert first["notes"] + rest["notes"] == everything["notes"] and first["total"] == 4
    assert [note["title"] for note in served.get("/notes?q=支付 模块").json()["notes"]] == ["支付模块"]
    assert served.get("/notes?tag=支付").json()["total"] == 1


def test_changes_without_a_history_are_a_problem_that_names_no_folder(served: Served) -> None:
    reply = served.get("/changes")
    assert reply.status_code == 404
    assert "no history" in reply.json()["detail"] and str(served.app.vault.parent) not in reply.text


def test_status_tells_an_admin_more_than_a_reader(served: Served) -> None:
    whole, brief = served.get("/status").json(), served.get("/status", served.make_token("reader")).json()
    assert {"notes": 4, "vault": "vault", "indexing": None, "embedded": 1.0}.items() <= brief.items() <= whole.items()
    assert whole["pending"] == {"added": 0, "changed": 0, "deleted": 0} and "pending" not in brief
    assert "disk_bytes" in whole and "index_dir" not in brief


def test_health_says_only_whether_there_is_an_index(served: Served, serve_vault: ServeVault, tmp_path: Any) -> None:
    empty = serve_vault(write_vault(tmp_path / "new", {"a.md": "x"}), index=False)
    assert (served.get("/health", "").status_code, served.get("/health", "").json()) == (200, {"status": "ok"})
    assert (empty.get("/health", "").status_code, empty.get("/health", "").json()) == (503, {"status": "no index"})
    status = empty.get("/status").json()
    assert (status["generation"], status["notes"], status["vault"], status["indexing"]) == (0, 0, "new", None)
    missing = empty.get("/search?q=x")
    assert missing.status_code == 503 and "graphrag index" in missing.json()["detail"]
    assert missing.headers["retry-after"]


def test_the_page_and_its_assets_are_open(served: Served) -> None:
    page = served.get("/", "")
    assert page.status_code == 200 and "text/html" in page.headers["content-type"]
    assert served.get("/page/main.js", "").status_code == 200
    for outside in ("/page/../asgi.py", "/page/%2e%2e/asgi.py", "/page//etc/passwd", "/page/"):
        assert served.get(outside, "").status_code in (401, 404)


def test_a_filter_that_no_note_can_pass_is_refused(served: Served) -> None:
    for reply in (
        served.get("/search?q=x&since=2024-02-01&until=2024-01-01"),
        served.post("/ask", json={"question": "x", "filters": {"since": "2024-02-01", "until": "2024-01-01"}}),
    ):
        assert reply.status_code == 422 and "later than" in reply.json()["detail"]


def test_filters_within_the_question_count(served: Served) -> None:
    found = served.get("/search", params={"q": "支付模块 category:人物"}).json()["results"]
    expected = served.app.search("支付模块", Filters(categories=("人物",))).candidates
    assert [item["chunk_id"] for item in found] == [item.chunk.id for item in expected]
