"""The MCP server: lists and calls the tools, lists and reads notes, each for the caller who asks."""

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
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
)
from pydantic import ValidationError

from graphrag.domain.access import Scope
from graphrag.errors import GraphragError, QuestionError, VaultError
from graphrag.mcp.caller import Caller, Refusal
from graphrag.mcp.failures import failure_line
from graphrag.mcp.instructions import INSTRUCTIONS
from graphrag.mcp.resources import note_template, read_note, recent_notes
from graphrag.mcp.schemas import without_empty
from graphrag.mcp.tools import Tool, make_tools

if TYPE_CHECKING:
    from graphrag.app import App

Request = ServerRequestContext[Any, Any]
Result = TypeVar("Result")
FindCaller = Callable[[Request], Caller]
_MISTAKES = (QuestionError, VaultError)


def build_server(find_caller: FindCaller) -> Server[Any]:
    """Return a server that answers each request with the vault as whoever asks may see it."""
    served = _ServedVault(find_caller)
    return Server(
        "vault-graphrag",
        version=version("vault-graphrag"),
        title="Notes of the vault",
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

    async def list_tools(self, request: Request, params: PaginatedRequestParams | None) -> ListToolsResult:
        """Return the tools that the caller may use."""
        caller = self._find_caller(request)
        return ListToolsResult(tools=[tool.describe() for tool in self._tools.values() if tool.allows(caller)])

    async def call_tool(self, request: Request, params: CallToolRequestParams) -> CallToolResult:
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
        shape = without_empty(result)
        text = json.dumps(shape, ensure_ascii=False, separators=(",", ":"))
        return CallToolResult(content=[TextContent(text=text)], structured_content=shape)

    async def list_resources(self, request: Request, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Return the notes that changed last."""
        try:
            return ListResourcesResult(resources=await _work(self._find_caller(request), recent_notes, Scope.READ))
        except Refusal as refusal:
            raise _protocol_error(refusal) from refusal

    async def list_templates(
        self, request: Request, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """Return the form of every note's address."""
        return ListResourceTemplatesResult(resource_templates=[note_template()])

    async def read_resource(self, request: Request, params: ReadResourceRequestParams) -> ReadResourceResult:
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
