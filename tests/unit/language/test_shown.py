"""What a person reads of a passage."""

import pytest

from graphrag.language.shown import shown_quote, shown_text

TABLE = "## 价目\n\n| 品种 | 单价 |\n| :-- | --: |\n| 白茶 | `30` |\n| 红茶 | 45[^2] |"


@pytest.mark.parametrize(
    ("passage", "shown"),
    [
        ("# 泡茶\n水温 `85` 度[^1]。", "泡茶\n水温 85 度。"),
        ("先烧水(工具:: 铜壶)再放茶", "先烧水(工具: 铜壶)再放茶"),
        ("产地:: 福鼎", "产地: 福鼎"),
        ("水温^[用壶量]要高", "水温 (用壶量)要高"),
        ("泡~~三~~两分钟", "泡两分钟"),
        ("> - [x] 洗杯\n> - [ ] 温杯", "- 洗杯\n- 温杯"),
        (TABLE, "价目\n\n品种: 白茶 · 单价: 30\n品种: 红茶 · 单价: 45"),
        ("| 只有 | 表头 |\n| --- | --- |", "只有 · 表头"),
        ("```sh\nbrew `tea`\n```\n好", "brew `tea`\n好"),
        ("a - b, x::y 和 `c::d`", "a - b, x::y 和 c::d"),
    ],
)
def test_marks_are_not_shown(passage: str, shown: str) -> None:
    assert shown_text(passage) == shown


def test_a_quote_has_no_backticks_and_no_double_colon() -> None:
    assert shown_quote("白茶 · `30` (产地:: 福鼎)") == "白茶 · 30 (产地: 福鼎)"
