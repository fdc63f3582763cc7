import json
from pathlib import Path

import pytest

from graphrag.cli.init import default_settings
from graphrag.settings import Settings, load_settings
from tests.fakes.app import FakeApp
from tests.unit.cli.conftest import RunCommand


def test_near_marks_directions_topics_and_what_is_left_out(run_command: RunCommand) -> None:
    assert run_command("near", "支付模块", "--hops", "2").stdout.splitlines() == [
        "支付模块  架构/支付模块.md",
        "├── → 消息队列 (依赖)  架构/消息队列.md",
        '│   └── → 对账 "T+1" [草稿] ?',
        "├── ← 例会  会议/2024-06 支付重构例会.md",
        "├── 还有 12 条（--limit 可多显示）",
        "├── 推出的关系",
        "│   ├── ⇢ 张三 (负责人)  架构/支付模块.md:4 + 架构/消息队列.md:6",
        "│   └── ⇠ 消息队列 (间接依赖)  架构/支付模块.md:4 + 架构/支付模块.md:4 + 架构/支付模块.md:4",
        "├── 提及（无链接）",
        "│   ├── 0.80 → 张三  架构/支付模块.md:9",
        "│   └── 0.42 ← 例会  会议/2024-06 支付重构例会.md:7, 会议/2024-06 支付重构例会.md:12",
        "├── 共有标签",
        "│   └── 0.75 例会 (#架构/支付 #saga)  会议/2024-06 支付重构例会.md",
        "├── 共有术语",
        "│   └── 1.20 消息队列 (retry_count, Saga)  架构/消息队列.md",
        "└── 内容相近",
        "    └── 0.87 消息队列  架构/消息队列.md",
    ]


def test_inferred_relations_are_drawn_dashed(run_command: RunCommand) -> None:
    dot = run_command("near", "支付模块", "--dot").stdout
    assert '"架构/支付模块.md" -> "张三.md" [label="负责人", style=dashed];' in dot
    assert '"架构/消息队列.md" -> "架构/支付模块.md" [label="间接依赖", style=dashed];' in dot
    assert '-.->|"负责人"|' in run_command("near", "支付模块", "--mermaid").stdout


def test_mentions_are_drawn_dotted(run_command: RunCommand) -> None:
    dot = run_command("near", "支付模块", "--dot").stdout
    assert '"架构/支付模块.md" -> "张三.md" [style=dotted];' in dot
    assert '"会议/2024-06 支付重构例会.md" -> "架构/支付模块.md" [style=dotted];' in dot
    assert "n0 -.-> n4" in run_command("near", "支付模块", "--mermaid").stdout


def test_path_names_the_line_that_says_each_step(run_command: RunCommand) -> None:
    assert run_command("path", "支付模块", "例会").stdout.splitlines() == [
        "支付模块",
        "  ─依赖→ 消息队列  架构/支付模块.md:4",
        "  ←链接─ 2024-06 支付重构例会  会议/2024-06 支付重构例会.md:7",
    ]


def test_path_says_when_nothing_connects(run_command: RunCommand) -> None:
    assert "1 步之内" in run_command("path", "支付模块", "例会", "--hops", "1").stdout


def test_only_one_output_format_at_a_time(run_command: RunCommand) -> None:
    result = run_command("near", "支付模块", "--dot", "--json")
    assert (result.exit_code, result.stderr) == (
        2,
        "错误：--json、--dot 互相排斥：只能选一个。\n",
    )


def test_an_ambiguous_name_lists_the_candidates(run_command: RunCommand) -> None:
    result = run_command("near", "支付")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        "错误：'支付' means more than one note: give the path.",
        "  架构/支付模块.md",
        "  会议/2024-06 支付重构例会.md",
    ]


def test_show_prints_names_links_and_chunks(run_command: RunCommand) -> None:
    output = run_command("show", "支付模块").stdout
    assert "aliases   sg_pay" in output
    assert "→ 架构/消息队列.md (依赖)  line 4" in output
    assert "← 会议/2024-06 支付重构例会.md  line 7" in output
    assert "架构/支付模块.md:12-20" in output
    assert "retry_count" not in output
    assert "retry_count" in run_command("show", "支付模块", "--full").stdout


def test_facets_are_aligned(run_command: RunCommand) -> None:
    assert run_command("tags").stdout == "12  #架构\n 3  #架构/支付\n"
    assert run_command("categories").stdout == "12  架构\n 4  会议\n"


def test_sample_folds_unchanged_lines_and_names_rules(run_command: RunCommand, fake: FakeApp) -> None:
    output = run_command("sample", "3", "--seed", "7").stdout
    assert fake.calls == [("sample", (3, 7))]
    assert "⋯ 19 unchanged lines" in output
    assert "drop_html ×2 (-11 characters); squeeze_blank ×1 (-2 characters)" in output
    assert "unchanged" not in run_command("sample", "--full").stdout


def test_status_groups_and_limits_what_it_lists(run_command: RunCommand) -> None:
    output = run_command("status").stdout
    assert "12.3 MB (3.1 × the notes' text)" in output
    assert "1 added, 2 changed → graphrag index" in output
    assert "Skipped (12)" in output
    assert "2 more (--all shows them)" in output
    assert "坏.md:3: cannot be decoded" in output
    assert "日记/11.md" in run_command("status", "--all").stdout


def test_doctor_gives_advice_and_fails_on_an_error(run_command: RunCommand) -> None:
    result = run_command("doctor")
    assert result.exit_code == 1
    assert "✓ python      3.11.9" in result.stdout
    assert "→ Rebuild it: graphrag index --full" in result.stdout
    assert json.loads(run_command("doctor", "--json").stdout)[2]["state"] == "error"


@pytest.mark.parametrize("command", [["near", "x"], ["path", "a", "b"], ["show", "x"], ["status"], ["index"]])
def test_json_keys_are_the_dataclass_fields(run_command: RunCommand, command: list[str]) -> None:
    reply = json.loads(run_command(*command, "--json").stdout)
    expected = {
        "near": "omitted",
        "path": "titles",
        "show": "backlinks",
        "status": "pending",
        "index": "rebuilt",
    }
    assert expected[command[0]] in reply


def test_index_tells_steps_on_stderr_and_the_sum_on_stdout(run_command: RunCommand, fake: FakeApp) -> None:
    fake.is_indexed = False
    result = run_command("index")
    assert result.stdout == (
        "4 notes, 10 chunks; 4 added, 0 changed, 0 deleted; 4 embedded; 1 skipped (graphrag status shows why); 0.4 s\n"
    )
    assert result.stderr.splitlines()[-2:] == ["vectors: 0/10 chunks", "vectors: 10/10 chunks"]


def test_index_of_an_unchanged_vault_says_so(run_command: RunCommand) -> None:
    assert run_command("index").stdout.startswith("Up to date: 4 notes, 10 chunks")


def test_full_index_gives_the_reason(run_command: RunCommand, fake: FakeApp) -> None:
    assert "rebuilt: --full was given" in run_command("index", "--full").stderr
    assert fake.calls == [("index", (True,))]


def test_init_writes_the_defaults_and_never_overwrites(run_command: RunCommand, tmp_path: Path) -> None:
    assert run_command("init", str(tmp_path)).exit_code == 0
    assert load_settings(tmp_path) == Settings()
    (tmp_path / "graphrag.toml").write_text("[search]\ntop_k = 3\n", encoding="utf-8")
    result = run_command("init", "--vault", str(tmp_path))
    assert result.exit_code == 1
    assert "already there" in result.stderr
    assert load_settings(tmp_path).search.top_k == 3


def test_every_default_that_init_shows_is_valid(tmp_path: Path) -> None:
    lines = default_settings().splitlines()
    settings = [line.removeprefix("# ") if " = " in line else line for line in lines]
    (tmp_path / "graphrag.toml").write_text("\n".join(settings), encoding="utf-8")
    assert load_settings(tmp_path) == Settings()


def test_init_wants_a_folder(run_command: RunCommand, tmp_path: Path) -> None:
    result = run_command("init", str(tmp_path / "missing"))
    assert (result.exit_code, "is not a folder" in result.stderr) == (1, True)
