import json
import stat
import subprocess
from pathlib import Path

import pytest
import typer

from graphrag.cli import revisions
from graphrag.cli.revisions import editor_command
from tests.fakes.app import COMMIT, PAYMENT, FakeApp
from tests.unit.cli.conftest import RunCommand


def test_log_prints_a_line_a_revision_and_where_the_note_was_before(run_command: RunCommand) -> None:
    assert run_command("log", "支付模块").stdout.splitlines() == [
        "2024-06-16  3f2a9c1   +12 -3  changed  张三  补充重试",
        "2024-06-16  aaaaaaa    +0 -0  renamed  Li  整理[2J",
        "            from 支付.md",
        "2024-06-16  bbbbbbb  +140 -0  added    张三  第一版",
    ]


def test_log_can_be_cut_short(run_command: RunCommand) -> None:
    assert len(run_command("log", "x", "-n", "1").stdout.splitlines()) == 1
    assert [item["kind"] for item in json.loads(run_command("log", "x", "-n", "2", "--json").stdout)] == [
        "changed",
        "renamed",
    ]


def test_changes_are_grouped_and_long_ones_cut(run_command: RunCommand, fake: FakeApp) -> None:
    assert run_command("changes").stdout.splitlines() == [
        "Added (1)",
        "  架构/消息队列.md  1 section, 0 links",
        "",
        "Changed (1)",
        "  架构/支付模块.md",
        "    ~ front matter",
        "    ~ 分布式事务  line 12",
        "    → 重试 ← 重发  line 31",
        "    - before the first heading  was line 2",
        "    + [[消息队列]] (依赖)  line 7",
        *(f"    - [[旧系统{number}]]  was line 9" for number in range(3)),
        "    2 more (--all shows them)",
        "",
        "Removed (1)",
        "  旧[31m.md  0 sections, 0 links",
        "",
        "Renamed (1)",
        "  会议/2024-06 支付重构例会.md ← 会议/例会.md",
        "",
        "3 commits since ccccccc; notes: 1 added, 1 changed, 1 removed, 1 renamed; 2 left out, private or ignored.",
    ]
    assert fake.calls == [("changes", (None,))]


def test_changes_with_all_details(run_command: RunCommand) -> None:
    output = run_command("changes", "--all").stdout
    assert "    + 消息队列  line 1" in output
    assert "[[旧系统4]]" in output
    assert "more" not in output


def test_no_change_is_one_line(run_command: RunCommand, fake: FakeApp) -> None:
    output = run_command("changes", "--since", "0d").stdout
    assert output == "No note changed since ccccccc; 2 left out, private or ignored.\n"
    assert fake.calls == [("changes", ("0d",))]


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("changes", ["since", "until", "commits", "notes", "left_out"]),
        (
            "open",
            ["note", "title", "heading", "commit", "lines", "text", "changed", "note_now", "is_current", "url"],
        ),
    ],
)
def test_json_keys_are_the_dataclass_fields(run_command: RunCommand, command: str, keys: list[str]) -> None:
    arguments = ["x"] if command == "open" else []
    assert list(json.loads(run_command(command, *arguments, "--json").stdout)) == keys


def test_open_prints_the_lines_alone_and_tells_about_them_on_stderr(run_command: RunCommand, fake: FakeApp) -> None:
    result = run_command("open", "会议/2024-06", "例会.md:12-13")
    assert fake.calls == [("open_citation", ("会议/2024-06 例会.md:12-13",))]
    assert result.stdout == "重试\t三次\n\x1b[31m红\n"
    assert result.stderr.splitlines() == [
        "支付模块 › 重试  架构/支付模块.md:12-13@3f2a9c1  2024-06-16",
        "the file on disk says the same here",
        "",
    ]
    assert "no longer says this here" in run_command("open", "x@3f2a9c1").stderr


def test_a_terminal_gets_no_control_characters(run_command: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run_command("open", "x").stdout == "重试  三次\n[31m红\n"


def test_only_one_way_of_showing(run_command: RunCommand) -> None:
    result = run_command("open", "x", "--json", "--in", "editor")
    assert (result.exit_code, result.stderr) == (2, "error: --json and --in exclude each other: give one of them.\n")


def test_obsidian_opens_what_is_on_disk_and_nothing_else(
    run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(typer, "launch", lambda url: opened.append(url) or 0)
    assert run_command("open", "x", "--in", "obsidian").exit_code == 0
    assert opened == [FakeApp(Path()).note_url(PAYMENT)]
    result = run_command("open", "x@3f2a9c1", "--in", "obsidian")
    assert result.exit_code == 1
    assert "which does not say this" in result.stderr
    assert f"graphrag open '{PAYMENT}:12-13@3f2a9c1'" in result.stderr
    assert len(opened) == 1
    monkeypatch.setattr(typer, "launch", lambda url: 3)
    assert "nothing on this machine opens obsidian://" in run_command("open", "x", "--in", "obsidian").stderr


def test_the_editor_gets_the_file_or_a_read_only_copy(
    run_command: RunCommand, fake: FakeApp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(subprocess, "call", lambda command: commands.append(command) or 0)
    monkeypatch.setattr(revisions.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("VISUAL", "vim -u none")
    run_command("open", "x", "--in", "editor")
    assert commands == [["vim", "-u", "none", "+12", str(fake.vault / PAYMENT)]]
    assert "read-only copy" in run_command("open", "x@3f2a9c1", "--in", "editor").stderr
    assert fake.calls[-1] == ("open_citation", (f"{PAYMENT}@{COMMIT}",))
    copy = Path(commands[1][-1])
    assert copy.name == "支付模块@3f2a9c1.md"
    assert copy.read_bytes() == "重试\t三次\n\x1b[31m红\n".encode()
    assert (stat.S_IMODE(copy.stat().st_mode), stat.S_IMODE(copy.parent.stat().st_mode)) == (0o400, 0o700)


def test_an_editor_that_fails_or_is_missing(run_command: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    result = run_command("open", "x", "--in", "editor")
    assert (result.exit_code, "Set $VISUAL or $EDITOR" in result.stderr) == (2, True)
    monkeypatch.setenv("EDITOR", "no-such-editor")
    assert "the editor 'no-such-editor' cannot be started" in run_command("open", "x", "--in", "editor").stderr
    monkeypatch.setenv("EDITOR", "false")
    assert run_command("open", "x", "--in", "editor").exit_code == 1


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("code --wait", ["code", "--wait", "--goto", "/v/a b.md:7"]),
        ("/usr/bin/nvim", ["/usr/bin/nvim", "+7", "/v/a b.md"]),
        ("hx", ["hx", "/v/a b.md:7"]),
        ("'C:\\Program Files\\notepad.exe'", ["C:\\Program Files\\notepad.exe", "/v/a b.md"]),
    ],
)
def test_editors_are_told_the_line_in_their_own_way(editor: str, command: list[str]) -> None:
    assert editor_command({"EDITOR": editor}, Path("/v/a b.md"), 7) == command
