"""The OpenAPI description against the server: what it says may come, comes so; what it does not, never."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from pydantic import TypeAdapter
from schemathesis import Case, GenerationMode
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import positive_data_acceptance

from graphrag.app import App
from graphrag.domain.access import ServerRules
from graphrag.server.asgi import Server
from graphrag.shapes import (
    AnswerShape,
    DroppedShape,
    FactShape,
    ListedNote,
    NoteShape,
    NotesShape,
    ResultShape,
    SearchShape,
    StatusShape,
    WhyShape,
)
from tests.unit.server.conftest import Served, routes_of

_SLOW = list(HealthCheck)  # the machine that tests may be busy
# That a question holds a word, or a fact names a relation, is no matter of a schema: 422 is a good answer there.
_NOT_SAID = [positive_data_acceptance]
_EXAMPLES = {GenerationMode.POSITIVE: 8, GenerationMode.NEGATIVE: 5}  # of each endpoint
_RULES = ServerRules(hosts=frozenset({asgi.HOST}), failures=1_000_000)


@pytest.fixture
def server(tmp_path: Path, indexed_small: Path) -> Iterator[Server]:
    vault = tmp_path / "vault"
    shutil.copytree(indexed_small, vault)
    app = App.open(vault, vault, {"answer": {"chat": "none"}})
    yield Server(app, _RULES)
    asgi.shutdown_lifespans()
    app.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", list(GenerationMode))
def test_whatever_is_sent_the_reply_is_one_that_is_described(server: Server, mode: GenerationMode) -> None:
    headers = {"Authorization": f"Bearer {server.token}"}
    api = schemathesis.openapi.from_asgi("/openapi.json", server.asgi)
    if mode is GenerationMode.NEGATIVE:  # a token that is not sent is no wrong data: one is sent with every request
        api = schemathesis.openapi.from_dict(without_security(api.raw_schema))
        api.app = server.asgi
    operations = [found.ok() for found in api.get_all_operations()]
    for operation in operations:
        if mode is GenerationMode.NEGATIVE and not operation.definition.raw.keys() & {"parameters", "requestBody"}:
            continue  # nothing can be wrong about it

        @settings(
            max_examples=_EXAMPLES[mode], derandomize=True, deadline=None, database=None, suppress_health_check=_SLOW
        )
        @given(operation.as_strategy(generation_mode=mode))
        def check(case: Case) -> None:
            response = case.call(headers=headers)
            if response.status_code != 413:  # whatever else is wrong with so large a body
                case.validate_response(response, headers=headers, excluded_checks=_NOT_SAID)

        check()
    assert len(operations) >= 13


def test_no_key_of_a_reply_is_left_out_of_its_description(served: Served) -> None:
    found = served.get("/search?q=支付&explain=1&top_k=1").json()
    replies = [
        (SearchShape, found),
        (ResultShape, found["results"][0]),
        (DroppedShape, found["dropped"][0]),
        (WhyShape, found["results"][0]["why"]),
        (AnswerShape, served.post("/ask", json={"question": "重试次数"}).json()),
        (NoteShape, served.get("/notes/支付模块").json()),
        (NotesShape, served.get("/notes").json()),
        (ListedNote, served.get("/notes").json()["notes"][0]),
        (StatusShape, served.get("/status", served.make_token("reader")).json()),
        (FactShape, served.get("/explain?fact=张三 负责 支付模块").json()),
    ]
    for shape, reply in replies:
        assert reply.keys() == TypeAdapter(shape).json_schema(mode="serialization")["properties"].keys(), shape


def without_security(description: dict[str, Any]) -> dict[str, Any]:
    paths = {
        path: {method: {**told, "security": []} for method, told in methods.items()}
        for path, methods in description["paths"].items()
    }
    return {**description, "paths": paths}


def test_every_endpoint_is_described(served: Served) -> None:
    described = served.get("/openapi.json", "").json()
    paths = {path.replace("{path}", "{path:path}") for path in described["paths"]}
    hidden = {"/", "/openapi.json", "/mcp", "/page/main.js"}
    assert paths == {path for _, path in routes_of(served.server)} - hidden
    for path, methods in described["paths"].items():
        for operation in methods.values():
            check_operation(path, operation)
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


def check_operation(path: str, operation: dict[str, Any]) -> None:
    is_open = path == "/health"
    assert operation["summary"] and operation["description"]
    assert operation.get("security") == (None if is_open else [{"HTTPBearer": []}])
    failures = {status: told for status, told in operation["responses"].items() if status != "200"}
    assert failures.keys() >= {"403", "413", "421", "500", "503", "504"} | (set() if is_open else {"401", "422", "429"})
    for status, told in failures.items():
        content = told["content"]
        if not (is_open and status == "503"):
            assert content == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
