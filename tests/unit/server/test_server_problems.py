"""Every failure has one shape, and tells nothing of the inside."""

from pathlib import Path
from typing import Any

import pytest

from graphrag.app import App
from graphrag.errors import BadProviderReply, ConfigError, InferenceLimit, SnapshotConflict, StoreError
from tests.unit.server.conftest import Served

SECRET = "/home/me/内部/secret.db"


def check_problem(reply: Any, status: int) -> dict[str, Any]:
    problem: dict[str, Any] = reply.json()
    assert reply.status_code == status == problem["status"]
    assert reply.headers["content-type"] == "application/problem+json"
    assert problem["type"] == "about:blank" and problem["title"] and problem["detail"]
    assert "\n" not in problem["detail"] and "Traceback" not in reply.text
    return problem


@pytest.mark.parametrize("path", ["/nowhere", "/notes/%E6%B2%A1%E6%9C%89.md", "/graph", "/docs", "/redoc", "/search/x"])
def test_what_is_not_there(served: Served, path: str) -> None:
    check_problem(served.get(path), 404)


def test_a_method_that_is_not_taken(served: Served) -> None:
    assert served.post("/tags").headers["allow"] == "GET"
    check_problem(served.post("/tags"), 405)
    check_problem(served.get("/ask"), 405)
    check_problem(
        served.client.request("PROPFIND", "/tags", headers={"Authorization": f"Bearer {served.server.token}"}), 405
    )


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/search", "query.q"),
        ("/search?q=", "query.q"),
        ("/search?q=%00", "query.q"),
        (f"/search?q={'长' * 2001}", "query.q"),
        ("/search?q=x&top_k=0", "query.top_k"),
        ("/search?q=x&top_k=201", "query.top_k"),
        ("/search?q=x&since=gestern", "query.since"),
        ("/search?q=x&" + "&".join(["tag=a"] * 21), "query.tag"),
        ("/graph/near?name=x&hops=9", "query.hops"),
        ("/graph/path?from=x", "query.to"),
        ("/notes?limit=1000000", "query.limit"),
        ("/notes?offset=-1", "query.offset"),
        ("/explain", "query.fact"),
    ],
)
def test_what_cannot_be_read_is_named(served: Served, path: str, where: str) -> None:
    problem = check_problem(served.get(path), 422)
    assert problem["detail"].startswith(f"{where}: ")
    assert problem["errors"][0]["where"] == where


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b'{"question": 7}',
        b'{"question": ""}',
        b'{"question": " \\u0000 "}',
        b'{"question": "x", "filter": {}}',
        b'{"question": "x", "filters": {"since": 0}}',
        b'{"question": "x", "filters": {"until": "1e9"}}',
        b'{"question": "x", "filters": {"tag": []}}',
        b"\xff\xfe",
        b'{"question": "' + "问".encode() * 2001 + b'"}',
    ],
)
def test_a_question_that_is_none(served: Served, body: bytes) -> None:
    check_problem(served.post("/ask", content=body, headers={"Content-Type": "application/json"}), 422)


def test_a_body_that_is_nested_too_deeply(served: Served) -> None:
    check_problem(served.post("/ask", content=b"[" * 60_000, headers={"Content-Type": "application/json"}), 400)


def test_a_name_that_is_none_of_a_note_names_those_near(served: Served) -> None:
    problem = check_problem(served.get("/notes/支付模快"), 404)
    assert problem["candidates"] == ["支付/支付模块.md"]
    check_problem(served.get("/graph/near?name=没有这个"), 404)
    check_problem(served.get("/explain?fact=张三 吃 支付模块"), 422)


@pytest.mark.parametrize(
    ("error", "status", "is_told"),
    [
        (StoreError(f"{SECRET}: the index is damaged"), 503, False),
        (ConfigError(f"{SECRET}: unknown setting"), 503, False),
        (SnapshotConflict(f"{SECRET}: process 7 is writing"), 409, False),
        (InferenceLimit("'属于' joins too many notes to tell", "urn:p"), 409, True),
        (BadProviderReply("the model did not reply"), 503, True),
        (RuntimeError(f"cannot open {SECRET}"), 500, False),
        (KeyError(SECRET), 500, False),
    ],
)
def test_a_failure_of_the_library(
    served: Served,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    is_told: bool,
) -> None:
    def fail(app: App) -> None:
        raise error

    monkeypatch.setattr(App, "tags", fail)
    reply = served.get("/tags")
    problem = check_problem(reply, status)
    assert "secret" not in reply.text and (str(error) == problem["detail"]) is is_told
    assert ("retry-after" in reply.headers) is (status == 503)
    if not is_told:
        assert "secret" in caplog.text
    assert served.get("/categories").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "../secret.md",
        "..%2Fsecret.md",
        "%2e%2e/secret.md",
        "%2e%2e%2fsecret.md",
        "支付/../../secret.md",
        "支付/%2e%2e/%2e%2e/secret.md",
        "..%5csecret.md",
        "%2Fetc%2Fpasswd",
        "/etc/passwd",
        "支付/支付模块.md%00.txt",
        "link.md",
        "folder/secret.md",
        ".graphrag/CURRENT",
        "graphrag.toml",
        "private.md",
        "image.png",
        "%FF%FE",
        "%ED%A0%80.md",
        "x" * 5000,
    ],
)
@pytest.mark.parametrize("raw", ["", "?raw=1"])
def test_no_path_leads_out_of_the_vault_or_to_what_is_no_note(served: Served, path: str, raw: str) -> None:
    vault = served.app.vault
    outside = vault.parent / "outside"
    outside.mkdir()
    for place in (vault.parent, outside):
        (place / "secret.md").write_text("# 鲸鱼\n\n绝密。\n", "utf-8")
    (vault / "link.md").symlink_to(vault.parent / "secret.md")
    (vault / "folder").symlink_to(outside)
    (vault / "private.md").write_text("---\nprivate: true\n---\n绝密。\n", "utf-8")
    (vault / "image.png").write_bytes(b"\x89PNG")
    reply = served.get(f"/notes/{path}{raw}")
    assert reply.status_code in (404, 422) and "绝密" not in reply.text and "root:" not in reply.text


def replaced_by_link(vault: Path, what: str) -> None:
    outside = vault.parent / "elsewhere"
    outside.mkdir()
    (outside / "支付模块.md").write_text("# 鲸鱼\n\n绝密。\n", "utf-8")
    place = vault / what
    place.rename(vault.parent / "before")
    place.symlink_to(outside if place.suffix == "" else outside / "支付模块.md")


@pytest.mark.parametrize("what", ["支付", "支付/支付模块.md"])
@pytest.mark.parametrize("raw", ["", "?raw=1"])
def test_a_note_or_folder_that_became_a_link_is_gone(served: Served, what: str, raw: str) -> None:
    replaced_by_link(served.app.vault, what)
    reply = served.get(f"/notes/支付/支付模块.md{raw}")
    assert reply.status_code == 404 and "绝密" not in reply.text
    found = served.get("/search?q=鲸鱼 支付模块").json()["results"]
    assert found and not [item for item in found if item["note"] == "支付/支付模块.md"]


@pytest.mark.parametrize("raw", ["", "?raw=1"])
def test_a_note_that_became_private_is_gone(served: Served, raw: str) -> None:
    file = served.app.vault / "支付/支付模块.md"
    file.write_text("---\nprivate: true\n---\n绝密。\n", "utf-8")
    reply = served.get(f"/notes/支付/支付模块.md{raw}")
    assert reply.status_code == 404 and "绝密" not in reply.text
