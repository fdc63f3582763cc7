"""The MCP server: lists and calls the tools, lists and reads notes, each for the caller who asks."""

import json
import logging
from collections.abc import Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio import to_thread
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    TextContent,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from graphrag.domain.access import Scope
from graphrag.domain.request_course import Course, following
from graphrag.errors import GraphragError, QuestionError, VaultError
from graphrag.mcp.caller import Caller, Refusal, failure_line
from graphrag.mcp.handshake import INSTRUCTIONS, NAME, TITLE, FirstMessage
from graphrag.mcp.results import note_template, read_note, recent_notes
from graphrag.mcp.tools import Tool, make_tools

if TYPE_CHECKING:
    from graphrag.app import App


ToolRequest = ServerRequestContext[Any, Any]
Result = TypeVar("Result")
FindCaller = Callable[[ToolRequest], Caller]
_MISTAKES = (QuestionError, VaultError)


def build_server(find_caller: FindCaller) -> Server[Any]:
    """Return a server that answers each request with the vault as whoever asks may see it."""
    served = _ServedVault(find_caller)
    return Server(
        NAME,
        version=version(NAME),
        title=TITLE,
        instructions=INSTRUCTIONS,
        on_list_tools=served.list_tools,
        on_call_tool=served.call_tool,
        on_list_resources=served.list_resources,
        on_list_resource_templates=served.list_templates,
        on_read_resource=served.read_resource,
    )


class _ServedVault:
    """Meets the requests of one server."""

    def __init__(self, find_caller: FindCaller) -> None:
        self._find_caller = find_caller
        self._tools = make_tools()

    async def list_tools(self, request: ToolRequest, params: PaginatedRequestParams | None) -> ListToolsResult:
        """Return the tools that the caller may use."""
        caller = self._find_caller(request)
        return ListToolsResult(tools=[tool.describe() for tool in self._tools.values() if tool.allows(caller)])

    async def call_tool(self, request: ToolRequest, params: CallToolRequestParams) -> CallToolResult:
        """Return what a tool returns; a failure is a result, too, so that the agent can read it."""
        caller = self._find_caller(request)
        try:
            tool = self._tool(params.name, caller)
            arguments = tool.takes.model_validate(params.arguments or {})
            result = await _work(caller, lambda app: tool.run(app, arguments), tool.scope)
        except ValidationError as error:
            return _failed(failure_line(error))
        except Refusal as refusal:
            return _failed(str(refusal))
        shape = tool.shape(result)
        text = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
        return CallToolResult(content=[TextContent(text=text)], structured_content=shape)

    async def list_resources(self, request: ToolRequest, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Return the notes that changed last."""
        try:
            return ListResourcesResult(resources=await _work(self._find_caller(request), recent_notes, Scope.READ))
        except Refusal as refusal:
            raise _protocol_error(refusal) from refusal

    async def list_templates(
        self, request: ToolRequest, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Return the form of every note's address."""
        return ListResourceTemplatesResult(resource_templates=[note_template()])

    async def read_resource(self, request: ToolRequest, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Return a note's text."""
        try:
            return await _work(self._find_caller(request), lambda app: read_note(app, params.uri), Scope.READ)
        except Refusal as refusal:
            raise _protocol_error(refusal, uri=params.uri) from refusal

    def _tool(self, name: str, caller: Caller) -> Tool:
        tool = self._tools.get(name)
        if tool and tool.allows(caller):
            return tool
        if tool and not tool.writes:
            raise Refusal(f"{name} needs a token of scope {tool.scope}. Others: graphrag token create --help")
        usable = ", ".join(known.name for known in self._tools.values() if known.allows(caller))
        raise Refusal(f"there is no tool '{name}' here. There are: {usable}")


async def _work(caller: Caller, ask: "Callable[[App], Result]", scope: Scope) -> Result:
    """Return what is asked of the vault.

    Raises:
        Refusal: it fails.
    """

    def ask_told(app: "App") -> Result:
        try:
            return ask(app)
        except Exception as error:  # whatever it is, the agent gets a line and the log the rest
            raise Refusal(failure_line(error, app), isinstance(error, _MISTAKES)) from error

    try:
        return await caller.with_vault(ask_told, scope)
    except GraphragError as error:
        raise Refusal(failure_line(error)) from error


def _failed(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=message)], is_error=True)


def _protocol_error(refusal: Refusal, **data: str) -> MCPError:
    code = INVALID_PARAMS if refusal.is_mistake else INTERNAL_ERROR
    return MCPError(code=code, message=str(refusal), data=data or None)


FindHttpCaller = Callable[[MutableMapping[str, Any]], Caller]
_MOST_BYTES = 64 * 1024  # of a request


class McpApp:
    """An ASGI application; `run` surrounds its life, once."""

    def __init__(self, find_caller: FindHttpCaller) -> None:
        server = build_server(lambda request: find_caller(_scope_of(request.request)))
        self._manager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True, max_request_body_size=_MOST_BYTES
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return what has to be entered before the first request."""
        return self._manager.run()

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        """Meet one request; without sessions there is nothing to GET or DELETE."""
        if scope["method"] != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        await self._manager.handle_request(scope, receive, send)


def _scope_of(request: Request | None) -> MutableMapping[str, Any]:
    assert request is not None  # every message of this transport comes with its request
    return request.scope


_LOG = logging.getLogger("graphrag.mcp")


def serve_stdio(app: "App", may_write: bool, first: FirstMessage) -> None:
    """Serve one client, of whom the first message was read, until it closes stdin; stdout gets the protocol alone."""
    caller = Caller(Scope.ADMIN, OwnVault(app), may_write)
    anyio.run(_serve, caller, first)


async def _serve(caller: Caller, first: FirstMessage) -> None:
    server = build_server(lambda request: caller)
    options = server.create_initialization_options()
    async with stdio_server() as (incoming, outgoing):
        messages, read = anyio.create_memory_object_stream[SessionMessage | Exception]()
        write, answers = anyio.create_memory_object_stream[SessionMessage]()

        async def pass_on_messages() -> None:
            async with messages, incoming:
                if first.line:
                    await messages.send(_read_message(first.line))
                async for message in incoming:
                    await messages.send(message)

        async def pass_on_answers() -> None:
            is_known = first.is_answered  # to the client
            async with answers, outgoing:
                async for answer in answers:
                    if not is_known:
                        await outgoing.send(answer)
                    is_known = False

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pass_on_messages)
            tasks.start_soon(pass_on_answers)
            async with write:
                await server.run(read, write, options)


def _read_message(line: bytes) -> SessionMessage | Exception:
    """Return a message as the transport hands it on, and as an error what is none."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


class OwnVault:
    """The vault of the one caller."""

    def __init__(self, app: "App") -> None:
        self._app = app

    async def __call__(self, work: "Callable[[App], Result]", scope: Scope) -> Result:
        """Run work in a thread on the newest snapshot; when it is given up, the thread ends at its next step."""
        course = Course()
        try:
            return await to_thread.run_sync(partial(self._run, work, course), abandon_on_cancel=True)
        finally:
            course.stop()

    def _run(self, work: "Callable[[App], Result]", course: Course) -> Result:
        with following(course):
            self._take_newest()
            return work(self._app)

    def _take_newest(self) -> None:
        try:
            self._app.refresh()
        except GraphragError as error:
            _LOG.warning("the snapshot before goes on answering: %s", error)
