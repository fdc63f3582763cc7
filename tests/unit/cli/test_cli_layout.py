import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from graphrag.cli.index import PlainProgress
from graphrag.cli.render_answer import location_of, render_answer, source_lines
from graphrag.cli.render_graph import render_surroundings
from graphrag.cli.render_results import render_results, snippet_lines
from graphrag.cli.terminal import plain, shorten, wrap_text
from graphrag.domain.graph import Entity, EntityKind, Neighbor, Relation
from graphrag.domain.query import Filters
from graphrag.domain.report import Surroundings
from tests.fakes.app import FakeApp


def terminal(width: int = 80, color: bool = False) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    system = "truecolor" if color else None
    return Console(file=file, force_terminal=True, color_system=system, width=width, soft_wrap=True), file


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    console, file = terminal(width)
    app = FakeApp(Path())
    render_answer(console, app.ask("为什么选择 Saga", Filters()))
    render_results(console, app.search("补偿", Filters()), app.note_url, explain=False)
    lines = [line for line in file.getvalue().splitlines() if "://" not in line]
    assert max(map(cell_len, lines)) <= width


def test_each_line_of_a_result_has_its_number_and_its_link() -> None:
    console, file = terminal(color=True)
    render_results(console, FakeApp(Path()).search("补偿", Filters()), lambda note, line: f"x://{note}#{line}", False)
    plain = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", file.getvalue())
    assert "\n   14  因此选择 Saga，补偿由消息队列触发。\n" in plain
    assert any(link.endswith("#14") for link in re.findall(r"\x1b\]8;[^;]*;([^\x1b]+)\x1b", file.getvalue()))


def test_sources_are_links_on_a_terminal_and_plain_text_in_a_pipe() -> None:
    app = FakeApp(Path())
    console, file = terminal(color=True)
    render_answer(console, app.ask("为什么", Filters()))
    assert "\x1b]8;" in file.getvalue()
    assert "obsidian://open?vault=demo&file=" in file.getvalue()
    pipe = io.StringIO()
    render_answer(Console(file=pipe, soft_wrap=True), app.ask("为什么", Filters()))
    assert "\x1b" not in pipe.getvalue()


def test_a_long_label_is_shortened_before_the_path_moves_down() -> None:
    location = location_of("a.md", (1, 2), "")
    heading = ("分布式事务", "一致性", "方案比较", "为什么选择 Saga 而不是 TCC")
    (line,) = source_lines("[1] ", "支付模块", heading, location, "2024-06-16", 64)
    assert line.plain == "[1] 支付模块 › … › 为什么选择 Saga 而不是…  a.md:1-2  2024-06-16"


def test_a_long_path_stands_whole_on_its_own_line() -> None:
    path = "very/long/" * 8 + "note.md"
    first, second = source_lines("[1] ", "标题", ("小节",), location_of(path, (3, 3), ""), "", 80)
    assert (first.plain, second.plain) == ("[1] 标题 › 小节", f"    {path}:3")


def test_wrapping_breaks_between_chinese_characters_and_keeps_punctuation() -> None:
    text = Text("支付模块使用 Saga，补偿由消息队列触发。[1]")
    assert [line.plain for line in wrap_text(text, 12)] == [
        "支付模块使用",
        "Saga，补偿由",
        "消息队列触",
        "发。[1]",
    ]


def test_wrapping_keeps_styles_and_blank_lines() -> None:
    lines = wrap_text(Text.assemble(("一二三四", "bold"), "\n\nend"), 4)
    assert [line.plain for line in lines] == ["一二", "三四", "", "end"]
    assert lines[1].spans[0].style == "bold"


def test_shortening_counts_cells() -> None:
    assert shorten("支付模块", 8) == "支付模块"
    assert shorten("支付模块", 7) == "支付模…"
    assert cell_len(shorten("a支付模块", 7)) <= 7


def test_a_snippet_shows_the_densest_terms_bold() -> None:
    text = "开头。" * 100 + "这里讨论补偿事务的做法。" + "结尾。" * 100
    lines = snippet_lines(text, ("补偿", "事务"), 40)
    assert len(lines) == 2
    assert lines[0].plain.startswith("…这里讨论补偿事务的做法。")
    assert lines[1].plain.endswith("…")
    assert {str(span.style) for span in lines[0].spans} == {"bold yellow"}


def test_a_short_term_is_not_marked_inside_a_word() -> None:
    (line,) = snippet_lines("the algorithm gone to go", ("go",), 60)
    assert [(span.start, span.end) for span in line.spans] == [(22, 24)]


def test_escape_sequences_of_a_note_never_reach_the_terminal() -> None:
    assert plain("a\x1b]8;;http://x\x07b\x9bc\nd") == "a]8;;http://xbc\nd"


def test_plain_progress_is_at_most_a_line_every_five_seconds() -> None:
    now = 0.0
    lines: list[str] = []
    progress = PlainProgress(lines.append, lambda: now)
    for done in range(0, 121):
        progress("vectors", done, 120)
        now += 0.1
    progress("vectors", 120, 120)
    assert lines == [
        "vectors: 0/120 chunks",
        "vectors: 51/120 chunks, 10/s, about 7 s left",
        "vectors: 102/120 chunks, 10/s, about 2 s left",
        "vectors: 120/120 chunks, 10/s",
    ]


def test_a_progress_line_names_what_its_step_counts() -> None:
    lines: list[str] = []
    progress = PlainProgress(lines.append, lambda: 0.0)
    for step, total in (("scan", 9), ("graph", 4), ("walk", 7), ("vectors", 7), ("questions", 2)):
        progress(step, 0, 0)
        progress(step, total, total)
    assert lines == [
        "scan",
        "scan: 9/9 files",
        "graph",
        "graph: 4/4 links",
        "walk",
        "walk: 7/7 chunks",
        "vectors",
        "vectors: 7/7 chunks",
        "questions",
        "questions: 2/2",
    ]


def test_a_piped_neighbourhood_keeps_long_paths_whole() -> None:
    path = "目录/" + "很长的名字" * 30 + ".md"
    relation = Relation("a.md", path, "wiki", "", "a.md", 1)
    center, far = Entity("a.md", EntityKind.NOTE, "a"), Entity(path, EntityKind.NOTE, "长")
    pipe = io.StringIO()
    view = Surroundings(center, 1, (Neighbor(far, 1, relation, "a.md"),), 0, (), (), (), (), ())
    render_surroundings(Console(file=pipe, soft_wrap=True), view, lambda path, line: "")
    assert path in pipe.getvalue()
