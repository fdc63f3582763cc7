"""`log`, `changes` and `open` on a small vault with real Git, from the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from graphrag.cli.main import app
from tests.unit.vault_sync.conftest import Git, git, write

__all__ = ["git"]

Run = Callable[..., Result]

SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'
OLD = "---\naliases: [sg_pay]\n---\n# 支付模块\n\n## 重试\n\n重试次数由 retry_count 控制，默认三次。\n"
NEW = OLD.replace("默认三次", "默认五次") + "\n## 降级\n\n依赖:: [[消息队列]]\n"
PLACE = "支付/支付模块.md"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run_(*arguments: str, vault: Path = tmp_path) -> Result:
        return CliRunner().invoke(app, [*arguments, "--vault", str(vault)])

    return run_


@pytest.fixture
def commits(tmp_path: Path, git: Git, run: Run) -> dict[str, str]:
    """A vault of three commits, indexed at the last one."""
    write(tmp_path, "graphrag.toml", SETTINGS)
    write(tmp_path, "支付模块.md", OLD)
    write(tmp_path, "旧 方案.md", "# 旧方案\n\n已经不用。\n")
    write(tmp_path, "私密.md", "---\nprivate: true\n---\n口令是芝麻开门。\n")
    days = {"2024-01-01": "第一版"}
    ids = {}
    for day, subject in {**days, "2024-02-01": "整理目录", "2024-03-01": "改成五次"}.items():
        if subject == "整理目录":
            (tmp_path / "支付").mkdir()
            git("mv", "支付模块.md", PLACE)
        elif subject == "改成五次":
            write(tmp_path, PLACE, NEW)
            write(tmp_path, "消息队列.md", "# 消息队列\n")
            git("rm", "-q", "旧 方案.md")
        git("add", "-A")
        git("commit", "-qm", subject, day=day)
        ids[day] = git("rev-parse", "HEAD")
    assert run("index").exit_code == 0
    return ids


def test_a_source_of_an_answer_can_be_opened_as_it_is_printed(
    tmp_path: Path, git: Git, run: Run, commits: dict[str, str]
) -> None:
    answer = run("ask", "retry_count 默认几次").stdout
    (citation, *_) = json.loads(run("ask", "retry_count 默认几次", "--json").stdout)["citations"]
    assert citation["ref"] == f"{PLACE}:8@{commits['2024-03-01'][:7]}"
    assert citation["ref"] in answer
    write(tmp_path, PLACE, NEW.replace("五次", "九次"))
    git("commit", "-qam", "改成九次", day="2024-04-01")
    opened = run("open", citation["ref"])
    assert opened.stdout == "".join(NEW.splitlines(keepends=True)[7:8])
    assert opened.stderr.splitlines()[-2] == "the file on disk no longer says this here"
    assert "2024-03-01" in opened.stderr


def test_a_past_version_is_found_under_every_name(run: Run, commits: dict[str, str]) -> None:
    first = commits["2024-01-01"]
    names = ("支付模块.md", "支付模块", "[[支付模块]]", "sg_pay", PLACE)
    citations = [*(f"{name}:8@{first[:7]}" for name in names), "sg_pay:8@2024-01-15", "sg_pay:8@HEAD~2"]
    passages = [json.loads(run("open", citation, "--json").stdout) for citation in citations]
    assert all(passage == passages[0] for passage in passages)
    assert passages[0] == {
        "note": "支付模块.md",
        "title": "支付模块",
        "heading": ["支付模块", "重试"],
        "commit": first,
        "lines": [8, 8],
        "text": "重试次数由 retry_count 控制，默认三次。",
        "changed": "2024-01-01T08:00:00+08:00",
        "note_now": PLACE,
        "is_current": False,
        "url": "",
    }


def test_without_a_commit_the_indexed_one_is_meant(tmp_path: Path, run: Run, commits: dict[str, str]) -> None:
    write(tmp_path, PLACE, "# 别的\n")
    whole = json.loads(run("open", "支付模块", "--json").stdout)
    assert (whole["text"] + "\n", whole["commit"], whole["heading"]) == (NEW, commits["2024-03-01"], [])
    assert (whole["lines"], whole["is_current"]) == ([1, 12], False)
    assert run("open", f"{PLACE}:1").stdout == "---\n"


def test_an_index_of_saved_files_opens_what_is_saved(tmp_path: Path, run: Run, commits: dict[str, str]) -> None:
    write(tmp_path, PLACE, "# 支付模块\n\n还没提交。\n")
    assert run("index", "--worktree").exit_code == 0
    passage = json.loads(run("open", f"{PLACE}:3", "--json").stdout)
    assert (passage["text"], passage["commit"], passage["changed"]) == ("还没提交。", "", None)
    assert (passage["is_current"], passage["url"][:16]) == (True, "obsidian://open?")
    (citation, *_) = json.loads(run("ask", "还没提交", "--json").stdout)["citations"]
    assert citation["ref"] == f"{PLACE}:3"


def test_a_note_that_is_gone_opens_at_a_commit_and_has_a_log(run: Run, commits: dict[str, str]) -> None:
    opened = run("open", "旧", f"方案.md:3@{commits['2024-01-01'][:7]}")
    assert (opened.stdout, opened.stderr.splitlines()[-2]) == ("已经不用。\n", "the note is no longer on disk")
    assert run("log", "旧 方案.md").stdout.splitlines() == [
        f"2024-03-01  {commits['2024-03-01'][:7]}  +0 -3  removed  某人  改成五次",
        f"2024-01-01  {commits['2024-01-01'][:7]}  +3 -0  added    某人  第一版",
    ]


def test_log_follows_a_note_named_by_its_alias(run: Run, commits: dict[str, str]) -> None:
    revisions = json.loads(run("log", "sg_pay", "--json").stdout)
    assert [(item["commit"], item["kind"], item["previous_path"]) for item in revisions] == [
        (commits["2024-03-01"], "changed", ""),
        (commits["2024-02-01"], "renamed", "支付模块.md"),
        (commits["2024-01-01"], "added", ""),
    ]


def test_changes_since_a_day_include_that_day(run: Run, commits: dict[str, str]) -> None:
    assert run("changes", "--since", "2024-02-01").stdout.splitlines() == [
        "Added (1)",
        "  消息队列.md  1 section, 0 links",
        "",
        "Removed (1)",
        "  旧 方案.md  1 section, 0 links",
        "",
        "Renamed (1)",
        "  支付/支付模块.md ← 支付模块.md",
        "    ~ 重试  line 6",
        "    + 降级  line 10",
        "    + [[消息队列]] (依赖)  line 12",
        "",
        f"2 commits since {commits['2024-01-01'][:7]}; notes: 1 added, 1 removed, 1 renamed.",
    ]
    everything = json.loads(run("changes", "--since", "1990-01-01", "--json").stdout)
    assert (everything["since"], everything["commits"], everything["left_out"]) == ("", 3, 1)
    assert run("changes").stdout == f"No note changed since {commits['2024-03-01'][:7]}.\n"


@pytest.mark.usefixtures("commits")
def test_a_private_note_is_refused_and_its_text_never_printed(run: Run) -> None:
    for arguments in (["open", "私密.md"], ["open", "私密.md:4@HEAD~2"], ["open", "私密"], ["log", "私密.md"]):
        result = run(*arguments)
        assert result.exit_code == 1
        assert "private" in result.stderr
        assert "芝麻开门" not in result.output
    assert "私密" not in run("changes", "--since", "1990-01", "--json").stdout


@pytest.mark.usefixtures("commits")
def test_what_there_is_not_costs_one_line(run: Run) -> None:
    messages = {
        ("open", "支付模块:40-50"): "has the lines 1 to 12 in that version, not 40 to 50",
        ("open", "支付模块:8-2"): "not 8 to 2",
        ("open", "支付模块@nosuch"): "'nosuch' is no commit, branch, tag or date",
        ("open", "没有.md:3"): "no note is called '没有.md'",
        ("open", "../graphrag.toml"): "no note is called",
        ("open", " "): "the citation is empty",
        ("log", "没有"): "no note is called '没有'",
        ("changes", "--since", "nosuch"): "'nosuch' is no commit",
        ("changes", "--since", "2024-13"): "'2024-13' is no day",
    }
    for arguments, message in messages.items():
        result = run(*arguments)
        assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
        assert message in result.stderr


def test_a_vault_without_git_opens_what_is_on_disk_and_has_no_history(
    run: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    vault = tmp_path_factory.mktemp("plain")
    write(vault, "a@b:1.md", "# 甲\n\n乙\n")
    assert run("open", "a@b:1.md:3", vault=vault).stdout == "乙\n"
    for arguments in (["log", "a@b:1.md"], ["changes"], ["open", "a@b:1.md@HEAD"]):
        result = run(*arguments, vault=vault)
        assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
        assert "not in a Git repository" in result.stderr
