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


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"[" * 60_000, "nested too deeply"),
        (b'{"question":' * 5_000, "nested too deeply"),
        (b'{"question": "x", "filters": ' + b"[" * 30_000 + b"]" * 30_000 + b"}", "nested too deeply"),
        (b'{"question": "\xe9t\xe9"}', "not UTF-8"),
        ('{"question": "支付"}'.encode("gb18030"), "not UTF-8"),
        (b'{"question": ' + b"1" * 5_000 + b"}", "cannot be read"),
    ],
)
def test_a_body_that_is_no_json_at_all(served: Served, body: bytes, told: str) -> None:
    problem = check_problem(served.post("/ask", content=body, headers={"Content-Type": "application/json"}), 400)
    assert told in problem["detail"]
    assert "method" not in problem["detail"]


def parameters_of(served: Served) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Return each parameter of each endpoint's query: the path, how it is described, what else is required there."""
    found = []
    for path, methods in served.get("/openapi.json").json()["paths"].items():
        place = path.replace("{path}", "支付/支付模块.md")
        taken = [item for item in methods.get("get", {}).get("parameters", ()) if item["in"] == "query"]
        required = {item["name"]: "支付" for item in taken if item["required"]}
        found += [(place, item, required) for item in taken]
    return found


def is_list(parameter: dict[str, Any]) -> bool:
    return bool(parameter["schema"].get("type") == "array")


def test_a_parameter_of_one_value_is_taken_once(served: Served) -> None:
    parameters = parameters_of(served)
    assert sum(map(is_list, (parameter for _, parameter, _ in parameters))) == 8
    assert len(parameters) > 20
    for path, parameter, others in parameters:
        name = parameter["name"]
        given = {**others, name: ["1", "1"]}
        if is_list(parameter):
            assert served.get(path, params=given).status_code == 200, (path, name)
        else:
            problem = check_problem(served.get(path, params=given), 422)
            assert problem["detail"] == f"query.{name}: is given 2 times; it takes one value."
            assert [fault["where"] for fault in problem["errors"]] == [f"query.{name}"]


def test_all_that_are_given_twice_are_named_and_what_an_endpoint_ignores_may_be(served: Served) -> None:
    problem = check_problem(served.get("/search?q=a&tag=a&tag=b&q=b&top_k=1&top_k=2&top_k=3"), 422)
    assert [fault["where"] for fault in problem["errors"]] == ["query.q", "query.top_k"]
    assert served.get("/tags?q=a&q=b").status_code == 200


WRONG = ("", " ", "x", "x" * 2001, "-1", "1.5", "1e9", "9" * 5000, "true", "2024-13-45", "2024-06-16T00:00", "\0", "[]")
BODIES: list[Any] = [
    None,
    7,
    "x",
    [],
    {},
    {"question": "x", "unknown": 1},
    *({"question": value} for value in (None, 7, 1.5, True, [], {}, "", "x" * 2001)),
    *({"question": "x", "filters": value} for value in (None, 7, "x", [], {"tag": ["a"]}, {"since": "2024-02-30"})),
    *(
        {"question": "x", "filters": {name: value}}
        for name in ("tags", "categories", "paths", "types", "since", "until")
        for value in (7, "x", {}, [7], [""], [None], ["x" * 1001], ["x"] * 21, True, "2024-13-45")
    ),
]


LIBRARY_WORDS = ("should", "Value error", "Field", "unable to", "permitted", "valid", "decode", "Extra")


def check_plain(problem: dict[str, Any]) -> None:
    """Check that what is said is of the project, not of its libraries."""
    for fault in problem.get("errors", ()):
        assert fault["where"].partition(".")[0] in ("query", "path", "body")
    told = " ".join([problem["detail"], *(fault["what"] for fault in problem.get("errors", ()))])
    assert "cannot be used" not in told, "it does not say what is taken"
    assert not any(word in told for word in LIBRARY_WORDS), told


def test_what_is_wrong_with_a_parameter_is_said_in_plain_words(served: Served) -> None:
    refused = 0
    for path, parameter, others in parameters_of(served):
        given = [{**others, parameter["name"]: value} for value in WRONG]
        given += [{**others, parameter["name"]: ["a"] * 21}, {**others, parameter["name"] + "x": "1"}, {}]
        for values in given:
            reply = served.get(path, params=values)
            if reply.status_code == 422:
                check_plain(check_problem(reply, 422))
                refused += 1
    assert refused > 150
    check_plain(check_problem(served.get(f"/notes/{'x' * 1001}"), 422))


def test_what_is_wrong_with_a_body_is_said_in_plain_words(served: Served) -> None:
    for body in BODIES:
        reply = served.post("/ask", json=body)
        if reply.status_code != 200:
            check_plain(check_problem(reply, 422))
    for content, kind in [(b"{", "application/json"), (b"", "application/json"), (b"{}", "text/plain"), (b"a=b", "")]:
        check_plain(check_problem(served.post("/ask", content=content, headers={"Content-Type": kind}), 422))


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/search", "query.q: is required."),
        ("/search?q=", "query.q: is empty."),
        ("/search?q=x&top_k=many", "query.top_k: takes a whole number."),
        ("/search?q=x&top_k=201", "query.top_k: takes 200 at most."),
        ("/search?q=x&top_k=0", "query.top_k: takes 1 or more."),
        ("/search?q=x&explain=maybe", "query.explain: takes true or false."),
        (
            "/search?q=x&until=gestern",
            "query.until: 'gestern' is not a day. Write it as 2024-03-01, 7d, 上周 or last Friday.",
        ),
        (f"/search?q={'x' * 2001}", "query.q: takes 2000 characters at most."),
        ("/search?q=x&" + "&".join(["tag=a"] * 21), "query.tag: takes 20 values at most."),
        ("/search?q=x&tgs=a", "query.tgs: there is no such name. GET /openapi.json lists what there is."),
    ],
)
def test_a_wrong_parameter_is_told_with_what_is_taken(served: Served, path: str, detail: str) -> None:
    assert check_problem(served.get(path), 422)["detail"] == detail


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
