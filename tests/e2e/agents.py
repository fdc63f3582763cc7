"""An agent for tests: the SDK's own client in a thread, each call waiting for its result."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp_types import CallToolResult, Resource


@dataclass(frozen=True)
class Agent:
    """A client that is connected."""

    client: Client
    portal: BlockingPortal

    def call(self, tool: str, /, **arguments: object) -> CallToolResult:
        result = self.portal.call(self.client.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    def get(self, tool: str, /, **arguments: object) -> Any:
        """Return a result, which the client has held against the tool's schema."""
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content
        return result.structured_content

    def error(self, tool: str, /, **arguments: object) -> str:
        result = self.call(tool, **arguments)
        assert result.is_error
        return text_of(result)

    def resources(self) -> list[Resource]:
        return self.portal.call(self.client.list_resources).resources

    def read(self, uri: str) -> str:
        return str(self.portal.call(self.client.read_resource, uri).contents[0].text)  # type: ignore[union-attr]


@contextmanager
def connected(server: Any, mode: str = "auto") -> Iterator[Agent]:
    """Connect to a server: by the command that starts it, a transport, or the object itself."""
    client = Client(server, mode=mode, read_timeout_seconds=60)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Agent(client, portal)


def text_of(result: CallToolResult) -> str:
    """Return a result's text, which is one line."""
    (content,) = result.content
    text = str(content.text)  # type: ignore[union-attr]
    assert "\n" not in text
    return text
