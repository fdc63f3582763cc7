"""The documentation's table of tools says what the tools say."""

import re
from pathlib import Path

import pytest

from graphrag.mcp.tools import make_tools

DOCS = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", DOCS, re.MULTILINE))


def test_every_tool_is_documented() -> None:
    assert list(ROWS) == list(make_tools())


@pytest.mark.parametrize("name", ROWS)
def test_what_a_tool_takes_is_as_documented(name: str) -> None:
    properties = make_tools()[name].describe().input_schema["properties"]
    row = ROWS[name]
    assert all(f"`{argument}`" in row for argument in properties)
    for argument, default in re.findall(r"`(\w+)` \(`?(\w+)`?[,)]", row):
        assert str(properties[argument]["default"]) == default
    if "at most" in row:
        assert str(properties["limit"]["maximum"]) in row
