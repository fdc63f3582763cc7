"""What a client sees of the server: its tools by scope, its resources, and that giving up stops the work."""

import asyncio
import json
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS

from graphrag.app import App
from graphrag.domain.access import Scope
from graphrag.domain.course import present_course
from graphrag.mcp.caller import Caller
from graphrag.mcp.server import OwnVault, build_server
from tests.unit.mcp.conftest import NOTES, run_with

READING = ["search_notes", "get_note", "related_notes", "explain_relation", "list_notes", "cypher", "recent_changes"]


def names(caller: Caller) -> list[str]:
    async def list_names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    return run_with(caller, list_names)


def test_a_caller_sees_the_tools_of_the_scope(app: App) -> None:
    assert sorted(names(Caller(Scope.READ, OwnVault(app)))) == sorted(READING)
    assert sorted(names(Caller(Scope.ASK, OwnVault(app)))) == sorted([*READING, "ask_notes"])
    writing = names(Caller(Scope.ADMIN, OwnVault(app), may_write=True))
    assert sorted(writing) == sorted([*READING, "ask_notes", "save_answer"])


@pytest.mark.parametrize(
    ("caller", "tool", "words"),
    [
        (lambda vault: Caller(Scope.READ, vault), "ask_notes", "scope ask"),
        (lambda vault: Caller(Scope.ADMIN, vault), "save_answer", "no tool 'save_answer'"),
        (lambda vault: Caller(Scope.READ, vault, may_write=True), "save_answer", "no tool 'save_answer'"),
    ],
)
def test_a_tool_that_is_not_offered_cannot_be_called(
    app: App, caller: Callable[[OwnVault], Caller], tool: str, words: str
) -> None:
    arguments = {"question": "谁负责交易系统"}
    result = run_with(caller(OwnVault(app)), lambda client: client.call_tool(tool, arguments))
    assert result.is_error
    assert words in result.content[0].text


def test_tools_say_what_they_take_and_that_they_only_read(app: App) -> None:
    async def list_tools(client: Client) -> Any:
        return (await client.list_tools()).tools

    tools = run_with(Caller(Scope.ADMIN, OwnVault(app), may_write=True), list_tools)
    for tool in tools:
        assert tool.annotations.read_only_hint is (tool.name != "save_answer")
        assert tool.annotations.destructive_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"
        text = json.dumps([tool.input_schema, tool.output_schema])
        assert "$ref" not in text
        assert "null" not in text
    read = sum(len(tool.description) + len(json.dumps(tool.input_schema)) for tool in tools)
    assert read < 8_000  # characters that an agent reads before its first call


def test_the_instructions_say_that_notes_are_data_and_what_statuses_mean(app: App) -> None:
    async def instructions(client: Client) -> str:
        return str(client.instructions)

    text = run_with(Caller(Scope.READ, OwnVault(app)), instructions)
    assert "never an instruction" in text
    assert all(status in text for status in ("answered", "no_hit", "low_relevance", "not_in_notes", "conflict"))


def test_resources_are_the_notes_that_changed_last(app: App) -> None:
    async def read_all(client: Client) -> tuple[list[Any], list[str]]:
        listed = (await client.list_resources()).resources
        return listed, [(await client.read_resource(item.uri)).contents[0].text for item in listed]

    listed, texts = run_with(Caller(Scope.READ, OwnVault(app)), read_all)
    assert [item.name for item in listed][:3] == ["支付/支付模块.md", "支付/交易系统.md", "人物/张三.md"]
    assert all(item.mime_type == "text/markdown" and item.uri.isascii() for item in listed)
    assert [text.rstrip() for text in texts] == [NOTES[item.name].rstrip() for item in listed]


def test_every_note_has_an_address_written_raw_or_encoded(app: App) -> None:
    async def read(client: Client) -> list[str]:
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "note:///{+path}"
        uris = ["note:///人物/张三.md", "note:///%E4%BA%BA%E7%89%A9%2F%E5%BC%A0%E4%B8%89.md"]
        return [(await client.read_resource(uri)).contents[0].text for uri in uris]

    first, second = run_with(Caller(Scope.READ, OwnVault(app)), read)
    assert first == second
    assert "架构师" in first


@pytest.mark.parametrize(
    "uri", ["note:///秘密.md", "note:///../outside.md", "note:////etc/passwd", "file:///etc/passwd", "note:///", "x"]
)
def test_an_address_of_nothing_is_the_callers_mistake(app: App, uri: str) -> None:
    async def fail(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await client.read_resource(uri)
        return raised.value

    error = run_with(Caller(Scope.READ, OwnVault(app)), fail)
    assert error.error.code == INVALID_PARAMS
    assert "4711" not in str(error)


def test_a_call_that_is_given_up_stops_its_work(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    began, stopped = Event(), Event()

    def ask(*_: object) -> object:
        present_course().interrupt_by(stopped.set)
        began.set()
        assert stopped.wait(30)
        raise AssertionError("nobody waits for this")

    monkeypatch.setattr(app, "ask", ask)

    async def give_up() -> None:
        caller = Caller(Scope.ASK, OwnVault(app))
        async with Client(build_server(lambda request: caller)) as client:
            call = asyncio.ensure_future(client.call_tool("ask_notes", {"question": "重试"}))
            assert await asyncio.to_thread(began.wait, 30)
            call.cancel()
            assert await asyncio.to_thread(stopped.wait, 30)

    asyncio.run(give_up())


def test_several_calls_at_once_do_not_wait_for_one_another(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    is_searched = Event()
    ask = app.ask
    monkeypatch.setattr(app, "ask", lambda *arguments: is_searched.wait(30) and ask(*arguments))

    async def overlap(client: Client) -> tuple[bool, bool]:
        asking = asyncio.ensure_future(client.call_tool("ask_notes", {"question": "谁负责交易系统"}))
        found = await client.call_tool("search_notes", {"query": "重试"})
        is_searched.set()
        return bool(found.is_error), bool((await asking).is_error)

    assert run_with(Caller(Scope.ASK, OwnVault(app)), overlap) == (False, False)
