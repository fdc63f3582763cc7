"""What an agent reads when a call cannot be met: one line with what to do, never anything of the machine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from graphrag.app import App
from graphrag.domain.access import Scope
from graphrag.errors import StoreError
from graphrag.mcp.caller import Caller
from graphrag.mcp.server import OwnVault
from graphrag.mcp.tools import make_tools
from graphrag.settings import wrong_value
from tests.unit.mcp.conftest import run_with

ErrorOf = Callable[..., str]


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("search_notes", {}, ("query", "required")),
        ("search_notes", {"query": "x", "limit": 99}, ("limit", "8")),
        ("search_notes", {"query": " \n"}, ("query",)),
        ("search_notes", {"query": "x" * 2_001}, ("query", "2000")),
        ("search_notes", {"query": "x", "filter": {"tag": ["a"]}}, ("filter.tag", "no such argument")),
        ("search_notes", {"query": "x", "filter": {"since": "gestern"}}, ("filter.since", "2024-03-01")),
        ("search_notes", {"query": "x", "filter": {"since": "2024-02-01", "until": "2024-01-01"}}, ("no note can",)),
        ("search_notes", {"query": {"$ne": ""}}, ("query",)),
        ("search_notes", {"query": "tag:支付"}, ("empty",)),
        ("get_note", {"note": "支付模快"}, ("支付模块.md",)),
        ("get_note", {"note": "支付/支付模块.md:90-99"}, ("lines 1 to 9",)),
        ("get_note", {"note": "支付/支付模块.md@0000000"}, ("history",)),
        ("related_notes", {"name": "没有这个"}, ("没有这个",)),
        ("explain_relation", {"subject": "张三", "relation": "喜欢过的", "object": "支付模块"}, ("no relation",)),
        ("explain_relation", {"subject": 'a" "b', "relation": "负责", "object": "c"}, ("quotation marks",)),
        ("recent_changes", {}, ("Git",)),
        ("drop_index", {}, ("drop_index", "search_notes")),
    ],
)
def test_a_mistake_is_told_in_one_line(
    error_of: ErrorOf, tool: str, arguments: dict[str, Any], words: tuple[str, ...]
) -> None:
    line = error_of(tool, **arguments)
    assert all(word in line for word in words), line


@pytest.mark.parametrize("value", [7, 1.5, True, "", "x" * 2_001, [], {}, [7], ["a"] * 21, "2024-13-45", {"tags": 7}])
def test_what_is_wrong_with_an_argument_is_said_in_plain_words(value: object) -> None:
    checked = 0
    for tool in make_tools().values():
        for name in tool.takes.model_fields:
            try:
                tool.takes.model_validate({name: value})
            except ValidationError as error:
                for fault in error.errors():
                    line = wrong_value(fault, "unknown")
                    assert line != "cannot be used", fault
                    assert fault["msg"].removeprefix("Value error, ") != line or fault["type"] == "value_error", fault
                    checked += 1
    assert checked > 10


def test_a_filter_that_nothing_passes_names_what_is_like_it(error_of: ErrorOf) -> None:
    line = error_of("ask_notes", question="重试", filter={"tags": ["支付/核芯"]})
    assert "No tag is called '支付/核芯'; like it: 支付/核心" in line


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "/etc/passwd",
        "..\\..\\secret.md",
        "支付/../../outside.md",
        "%2e%2e/outside.md",
        "link.md",
        "秘密.md",
        "秘密",
        "a\0b",
        "\ud800",
        "graphrag.toml",
        ".graphrag/CURRENT",
        "$(id)",
    ],
)
def test_nothing_but_the_vaults_own_public_notes_can_be_read(error_of: ErrorOf, vault: Path, name: str) -> None:
    (vault.parent / "outside.md").write_text("# Outside\n\noutside the vault\n", encoding="utf-8")
    link = vault / "link.md"
    if not link.is_symlink():
        link.symlink_to(vault.parent / "outside.md")
    line = error_of("get_note", note=name)
    assert "outside the vault" not in line
    assert "4711" not in line
    assert str(vault) not in line


def test_before_anything_is_indexed_the_command_is_named(tmp_path: Path) -> None:
    app = App.open(tmp_path, tmp_path)
    result = run_with(_owner(app), lambda client: client.call_tool("list_notes", {}))
    assert result.is_error
    assert result.content[0].text.endswith("run: graphrag index")


def test_what_breaks_inside_is_not_told(monkeypatch: pytest.MonkeyPatch, app: App, error_of: ErrorOf) -> None:
    def break_(error: Exception) -> Callable[..., object]:
        def fail(*_: object) -> object:
            raise error

        return fail

    monkeypatch.setattr(app, "search", break_(StoreError("/home/someone/.graphrag is damaged")))
    assert "someone" not in error_of("search_notes", query="x")
    monkeypatch.setattr(app, "search", break_(ValueError("the value 4711")))
    assert "4711" not in error_of("search_notes", query="x")


def _owner(app: App) -> Caller:
    return Caller(Scope.ADMIN, OwnVault(app))
