import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from graphrag.cli.render_evaluation import CaseLines
from tests.fakes.app import PAYMENT, FakeApp
from tests.unit.cli.conftest import RunCommand

LINES: list[dict[str, object]] = [
    {"id": "1", "kind": "term", "question": "retry_count", "relevant": [PAYMENT], "evidence": "补偿由消息队列触发"},
    {"id": "2", "kind": "unanswerable", "question": "天气", "relevant": []},
]


def write(path: Path, lines: list[dict[str, object]]) -> str:
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def cases(tmp_path: Path) -> str:
    return write(tmp_path / "cases.jsonl", LINES)


@pytest.fixture
def many(tmp_path: Path) -> str:
    more = [{**LINES[0], "id": f"more{number}", "question": f"多{number}"} for number in range(8)]
    return write(tmp_path / "many.jsonl", [*LINES, *more])


def test_the_table_has_a_row_per_mode_and_kind(run_command: RunCommand, fake: FakeApp, cases: str) -> None:
    result = run_command("eval", cases)
    first, *rows = result.stdout.splitlines()
    assert first.split() == [
        *("mode", "kind", "n", "R@5", "R@10", "R@20", "H@1", "H@5", "MRR", "nDCG", "evid", "refused")
    ]
    assert rows[0].split() == ["settings", "all", "2", *["1.000"] * 8, "1/2"]
    assert rows[1].split() == ["1.0-1.0"] * 8
    assert rows[2].split()[:2] == ["term", "1"]
    assert rows[4].split() == ["unanswerable", "1", *["-"] * 8, "1/1"]
    assert fake.calls[0] == ("evaluate", (2, ("settings",)))
    assert "2,000 resamples" in rows[-1]


def test_each_stage_has_its_milliseconds(run_command: RunCommand, cases: str) -> None:
    lines = run_command("eval", cases).stdout.splitlines()
    (place,) = (number for number, line in enumerate(lines) if line.startswith("ms p50/p95"))
    assert lines[place].split()[2:] == ["route", "full_text", "vectors", "total"]
    assert lines[place + 1].split()[:4] == ["settings", "0/0", "3/3", "13/13"]


def test_all_modes_stand_in_one_table_of_readable_width(run_command: RunCommand, fake: FakeApp, cases: str) -> None:
    lines = run_command("eval", cases, "--mode", "all").stdout.splitlines()
    modes = ("full_text", "vectors", "fused", "walk")
    assert fake.calls[0] == ("evaluate", (2, modes))
    assert [line.split()[0] for line in lines if line.startswith(modes)] == [*modes] * 3
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


def test_a_log_gets_a_line_now_and_then() -> None:
    lines: list[str] = []
    now = 0.0
    report = CaseLines(lines.append, lambda: now)
    for done in range(31):
        now = float(done)
        report("answers", done, 30)
        report("answers", done, 30)
    assert lines == [f"answers: {done}/30 cases" for done in (0, 10, 20, 30)]


def test_the_report_is_printed_and_kept(run_command: RunCommand, cases: str, tmp_path: Path) -> None:
    kept = tmp_path / "run.json"
    result = run_command("eval", cases, "--json", "--out", str(kept))
    report = json.loads(result.stdout)
    assert json.loads(kept.read_text(encoding="utf-8")) == report
    assert report["cases"] == cases
    assert report["snapshot"]["generation"] == 3
    assert report["modes"]["settings"]["overall"]["mrr"] == 1.0
    assert report["milliseconds"]["settings"]["full_text"] == {"p50": 3.1, "p95": 3.1}
    assert "route" not in report and "answers" not in report


def test_a_kept_case_is_one_line(run_command: RunCommand, tmp_path: Path) -> None:
    odd = write(tmp_path / "odd.jsonl", [{**LINES[0], "id": 'a{"\n]', "kind": "[{"}, LINES[1]])
    text = run_command("eval", odd, "--json").stdout
    assert [row["id"] for row in json.loads(text)["modes"]["settings"]["outcomes"]] == ['a{"\n]', "2"]
    assert sum('"id": ' in line and '"refused": ' in line for line in text.splitlines()) >= 1


def test_routes_are_a_table_of_their_own(run_command: RunCommand, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"id": "1", "question": "支付怎么做", "route": "hybrid"},
        {"id": "2", "question": "列出笔记", "route": "list"},
    ]
    path = write(tmp_path / "routes.jsonl", lines)
    result = run_command("eval", path)
    first, *rows = result.stdout.splitlines()
    assert first.split() == ["route", "n", "right", "interval", "precision", "chosen", "instead"]
    assert rows[0].split()[:3] == ["all", "2", "0.500"]
    assert rows[2].split() == ["list", "1", "0.000", ".00-.00", "-", "hybrid", "1"]
    assert "R@5" not in result.stdout and "Refusals" not in result.stdout
    report = json.loads(run_command("eval", path, "--json").stdout)
    assert report["modes"] == {}
    assert report["route"]["confusions"] == {"list": {"hybrid": 1}}


def test_answers_are_measured_on_demand_and_say_who_checked_them(
    run_command: RunCommand, fake: FakeApp, cases: str
) -> None:
    lines = run_command("eval", cases, "--answers").stdout.splitlines()
    (place,) = (number for number, line in enumerate(lines) if line.startswith("answers"))
    assert lines[place + 1].split() == ["all", "2", "1", "1", "0", *["1.000"] * 4]
    assert "Faithfulness and relevance by: citation check, no judge model. Written by: extractive 2." in lines
    assert any(line.startswith("Notice (2): Ollama does not answer") for line in lines)
    assert any(line.startswith("milliseconds, p50 / p95: whole answer ") and "search 16" in line for line in lines)


def test_a_case_of_a_question_alone_serves_for_answers(run_command: RunCommand, tmp_path: Path) -> None:
    bare = write(tmp_path / "bare.jsonl", [{"id": "1", "question": "retry_count"}])
    refused = run_command("eval", bare)
    assert refused.exit_code == 2 and "bare.jsonl:1: it says nothing to measure the search by" in refused.stderr
    for options in (("--answers",), ("--judge", "qwen")):
        report = json.loads(run_command("eval", bare, *options, "--json").stdout)
        assert report["modes"] == {} and report["answers"]["overall"]["cases"] == 1


def test_a_judge_implies_answers(run_command: RunCommand, cases: str) -> None:
    report = json.loads(run_command("eval", cases, "--judge", "qwen", "--json").stdout)
    assert report["answers"]["checked_by"] == "judge model qwen"
    assert report["answers"]["overall"]["statuses"] == {"answered": 1, "not_in_notes": 1}


def kept_run(run_command: RunCommand, cases: str, tmp_path: Path) -> str:
    kept = tmp_path / "kept.json"
    assert run_command("eval", cases, "--out", str(kept)).exit_code == 0
    return str(kept)


def test_two_runs_stand_side_by_side(run_command: RunCommand, fake: FakeApp, many: str, tmp_path: Path) -> None:
    kept = kept_run(run_command, many, tmp_path)
    fake.refused = {f"多{number}" for number in range(8)}
    lines = run_command("eval", many, "--compare", kept).stdout.splitlines()
    start = lines.index(f"Compared with {kept}")
    assert lines[start + 1].startswith("  settings: 10 cases in both; p50 ")
    (worse,) = (line.split() for line in lines if line.rstrip().endswith("worse"))
    assert worse[:5] == ["refusal_precision", "9", "1.000", "0.111", "-0.889"]
    assert any(line.split() == ["term", "all", "alike", "9"] for line in lines)
    report = json.loads(run_command("eval", many, "--compare", kept, "--json").stdout)
    assert report["comparison"]["with"] == kept
    assert report["comparison"]["sections"]["settings"]["both"] == 10


def test_the_gate_is_shut_by_a_figure_that_is_worse_beyond_its_interval(
    run_command: RunCommand, fake: FakeApp, many: str, tmp_path: Path
) -> None:
    kept = kept_run(run_command, many, tmp_path)
    assert run_command("eval", many, "--compare", kept, "--gate").exit_code == 0
    fake.refused = {f"多{number}" for number in range(8)}
    without_gate = run_command("eval", many, "--compare", kept)
    assert without_gate.exit_code == 0
    result = run_command("eval", many, "--compare", kept, "--gate", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["comparison"]
    assert result.stderr.splitlines()[-1].startswith(
        "error: --gate: refusal_precision of all cases (settings) fell by 0.889 from 1.000 to 0.111, ["
    )


def test_a_gate_with_nothing_to_compare_is_shut(run_command: RunCommand, cases: str, tmp_path: Path) -> None:
    kept = kept_run(run_command, cases, tmp_path)
    result = run_command("eval", cases, "--mode", "fused", "--compare", kept, "--gate")
    assert result.exit_code == 1
    assert "  the two runs have nothing in common that could be compared" in result.stdout.splitlines()
    assert result.stderr.splitlines()[-1].startswith("error: --gate: the two runs measure no case in common.")


def test_the_kept_run_is_read_before_the_new_one_starts(
    run_command: RunCommand, fake: FakeApp, cases: str, tmp_path: Path
) -> None:
    (tmp_path / "kept.json").write_text("{}", encoding="utf-8")
    result = run_command("eval", cases, "--compare", str(tmp_path / "kept.json"))
    assert (result.exit_code, fake.calls) == (2, [])
    assert "not a report of this version's graphrag eval" in result.stderr


def test_cases_are_made_into_a_file_that_is_never_replaced_unasked(
    run_command: RunCommand, fake: FakeApp, tmp_path: Path
) -> None:
    out = tmp_path / "made.jsonl"
    result = run_command("eval", "--make", "--kinds", "known_item, unanswerable", "--count", "1", "--out", str(out))
    assert result.stdout == f"2 cases written to {out}. Measure with: graphrag eval {out}\n"
    assert fake.calls[0] == ("make_cases", (("known_item", "unanswerable"), 1, 1))
    made = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in made] == ["known_item-001", "unanswerable-001"]
    assert run_command("eval", str(out)).exit_code == 0
    out.write_text("mine", encoding="utf-8")
    again = run_command("eval", "--make", "--out", str(out))
    assert (again.exit_code, out.read_text(encoding="utf-8")) == (2, "mine")
    assert again.stderr == f"error: {out} exists already. Name another file, or add --force to replace it.\n"
    forced = run_command("eval", "--make", "--out", str(out), "--force", "--json")
    assert json.loads(forced.stdout)["cases"] == {"known_item": 1, "alias": 0, "link_pair": 0, "unanswerable": 1}
    assert "warning: alias: the vault gives 0 of 20" in forced.stderr.splitlines()
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_a_vault_that_gives_nothing_writes_nothing(run_command: RunCommand, tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    result = run_command("eval", "--make", "--kinds", "alias", "--out", str(out))
    assert (result.exit_code, out.exists()) == (1, False)
    assert result.stderr.splitlines()[-1].startswith("error: the vault gives no question of these kinds")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a file of cases, or make one: graphrag eval --make --out cases.jsonl"),
        (["{cases}", "--gate"], "--gate needs a run to compare with. Add --compare RUN, a report that --out kept."),
        (["{cases}", "--seed", "7", "--force"], "--seed cannot go with CASES, only with --make."),
        (["{cases}", "--make", "--out", "x"], "CASES cannot go with --make."),
        (["--make", "--answers", "--mode", "all"], "--mode and --answers cannot go with --make."),
        (["--make"], "--make writes a file. Add --out cases.jsonl"),
        (
            ["--make", "--kinds", "alias,odd", "--out", "x"],
            "--kinds: 'odd' is no kind. Known ones: known_item, alias, link_pair, unanswerable.",
        ),
        (
            ["--make", "--kinds", " , ", "--out", "x"],
            "--kinds: ' , ' is no kind. Known ones: known_item, alias, link_pair, unanswerable.",
        ),
    ],
)
def test_what_does_not_go_together_is_said(
    run_command: RunCommand, fake: FakeApp, cases: str, arguments: list[str], message: str
) -> None:
    result = run_command("eval", *(argument.format(cases=cases) for argument in arguments))
    assert (result.exit_code, fake.calls) == (2, [])
    assert result.stderr == f"error: {' '.join(message.split())}\n"


def test_a_wrong_line_is_a_usage_error(run_command: RunCommand, fake: FakeApp, tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"id": "1"}', encoding="utf-8")
    result = run_command("eval", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {path}:1: the key 'question' is missing.\n"
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


def test_a_file_that_is_no_report_is_not_replaced(run_command: RunCommand, cases: str, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# 笔记\n", encoding="utf-8")
    before = Path(cases).read_bytes()
    for file in (str(note), cases):
        refused = run_command("eval", cases, "--out", file)
        assert (refused.exit_code, "is no report" in refused.stderr) == (2, True)
    assert (note.read_text(encoding="utf-8"), Path(cases).read_bytes()) == ("# 笔记\n", before)
    report = str(tmp_path / "run.json")
    assert [run_command("eval", cases, "--out", report).exit_code for _ in range(2)] == [0, 0], "a report may be"
    assert run_command("eval", cases, "--out", str(note), "--force").exit_code == 0
