import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.fakes.app import PAYMENT, FakeApp
from tests.unit.cli.conftest import RunCommand


@pytest.fixture
def cases(tmp_path: Path) -> str:
    lines = [
        {"id": "1", "kind": "term", "question": "retry_count", "relevant": [PAYMENT], "evidence": "补偿由消息队列触发"},
        {"id": "2", "kind": "unanswerable", "question": "天气", "relevant": []},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return str(path)


def test_the_table_has_a_row_per_mode_and_kind(run_command: RunCommand, fake: FakeApp, cases: str) -> None:
    result = run_command("eval", cases)
    first, *rows = result.stdout.splitlines()
    assert first.split() == [
        *("mode", "kind", "n", "R@5", "R@10", "R@20", "H@1", "H@5", "MRR", "nDCG", "evid", "refused")
    ]
    assert rows[0].split() == ["settings", "all", "2", *["1.000"] * 8, "1/2"]
    assert rows[1].split()[:2] == ["term", "1"]
    assert rows[2].split() == ["unanswerable", "1", *["-"] * 8, "1/1"]
    assert fake.calls[0] == ("evaluate", (2, ("settings",)))


def test_all_modes_stand_in_one_table_of_readable_width(run_command: RunCommand, fake: FakeApp, cases: str) -> None:
    lines = run_command("eval", cases, "--mode", "all").stdout.splitlines()
    modes = ("full_text", "vectors", "fused", "hops", "walk")
    assert fake.calls[0] == ("evaluate", (2, modes))
    assert [line.split()[0] for line in lines if line.startswith(modes)] == [*modes, *modes]
    assert max(map(cell_len, lines)) <= 100
    assert "…" not in "".join(lines)


def test_progress_and_warnings_go_to_stderr(run_command: RunCommand, fake: FakeApp, cases: str) -> None:
    fake.unknown_notes = ("没有.md",)
    result = run_command("eval", cases, "--mode", "fused")
    assert result.stderr.splitlines() == [
        "fused: 0/2 cases",
        "fused: 2/2 cases",
        "warning: relevant notes that the index does not hold count as lost (1): 没有.md",
        "warning: only 80 % of the passages have a vector yet; graphrag index adds the rest",
    ]


def test_the_report_is_printed_and_kept(run_command: RunCommand, cases: str, tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    result = run_command("eval", cases, "--json", "--out", str(kept))
    report = json.loads(result.stdout)
    assert json.loads(kept.read_text(encoding="utf-8")) == report
    assert report["cases"] == cases
    assert report["snapshot"]["generation"] == 3
    assert report["modes"]["settings"]["overall"]["mrr"] == 1.0
    assert report["milliseconds"]["settings"]["full_text"] == {"p50": 3.1, "p95": 3.1}


def test_a_wrong_line_is_a_usage_error(run_command: RunCommand, fake: FakeApp, tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"id": "1"}', encoding="utf-8")
    result = run_command("eval", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {path}:1: the key 'kind' is missing.\n"
    assert fake.calls == []


def test_a_missing_folder_for_the_report_is_seen_before_the_run(
    run_command: RunCommand, fake: FakeApp, cases: str
) -> None:
    result = run_command("eval", cases, "--out", "missing/run.json")
    assert (result.exit_code, fake.calls) == (2, [])
    assert result.stderr == "error: --out: there is no folder 'missing'. Make it first, or name another.\n"


def test_an_unknown_mode_names_the_known_ones(run_command: RunCommand, cases: str) -> None:
    result = run_command("eval", cases, "--mode", "magic")
    assert result.exit_code == 2
    assert "full_text" in result.stderr
