"""The day that a note's name gives, in any format that Obsidian names daily notes by."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.ingest.day_names import daily_formats, day_of_name
from graphrag.ingest.parse import parse_note

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("日记/2024-01-05.md", "2024-01-05"),
        ("20240117 评审.md", "2024-01-17"),
        ("2024/01/05.md", "2024-01-05"),
        ("周报 2024年3月8日.md", "2024-03-08"),
        ("2023-12-31/2024-01-01 新年.md", "2024-01-01"),
        ("2024-13-40.md", None),
        ("v2024.1.md", None),
        ("12345678901.md", None),
        ("05.01.2024.md", None),
    ],
)
def test_a_name_gives_its_last_day(path: str, day: str | None) -> None:
    assert day_of_name(path) == (date.fromisoformat(day) if day else None)


FORMATS = {
    "DD.MM.YYYY": lambda day: f"{day:%d.%m.%Y}",
    "YYYY/MM-MMMM/YYYY-MM-DD-dddd": lambda day: f"{day:%Y}/{day:%m-%B}/{day:%Y-%m-%d-%A}",
    "MMM Do, YYYY": lambda day: f"{MONTHS[day.month - 1][:3]} {day.day}{_ending(day.day)}, {day.year}",
    "[Journal] D MMMM YYYY": lambda day: f"Journal {day.day} {MONTHS[day.month - 1]} {day.year}",
    "YYYY年M月D日 dddd": lambda day: f"{day.year}年{day.month}月{day.day}日 星期五",
    "YYMMDD": lambda day: f"{day:%y%m%d}",
    "MM-DD-YYYY": lambda day: f"{day:%m-%d-%Y}",
}


def _ending(day: int) -> str:
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")


@given(day=st.dates(date(2000, 1, 1), date(2099, 12, 31)), form=st.sampled_from(sorted(FORMATS)))
def test_a_name_in_the_format_of_the_vault_gives_its_day(day: date, form: str) -> None:
    name = FORMATS[form](day)
    assert day_of_name(f"日记/{name}.md", (form,)) == day
    assert day_of_name(f"日记/{name} x.md", (form,)) != day or day_of_name(f"日记/{name} x.md") == day


@pytest.mark.parametrize("form", ["", "YYYY", "MM-DD", "gggg-[W]ww", "[", "(?P<day>", "YYYY-MM-DD" * 40])
def test_a_format_without_a_day_reads_no_name(form: str) -> None:
    assert day_of_name("x/abc.md", (form,)) is None
    assert day_of_name("x/2024-01-05.md", (form,)) == date(2024, 1, 5)


def test_the_formats_are_those_of_the_settings_of_obsidian(tmp_path: Path) -> None:
    assert daily_formats(tmp_path) == ()
    plugin = tmp_path / ".obsidian/plugins/periodic-notes"
    plugin.mkdir(parents=True)
    (tmp_path / ".obsidian/daily-notes.json").write_text(json.dumps({"format": "DD.MM.YYYY"}))
    (plugin / "data.json").write_text(json.dumps({"daily": {"format": "YYYYMMDD"}}))
    assert daily_formats(tmp_path) == ("DD.MM.YYYY", "YYYYMMDD")
    (plugin / "data.json").write_text("[1, {")
    assert daily_formats(tmp_path) == ("DD.MM.YYYY",)
    (tmp_path / ".obsidian/daily-notes.json").write_text(json.dumps({"format": 3}))
    assert daily_formats(tmp_path) == ()


def test_the_day_of_a_note_is_that_of_its_name_before_its_property() -> None:
    text = "---\ndate: 2024-05-01\n---\n露营。\n".encode()
    assert parse_note("露营.md", text).day == date(2024, 5, 1)
    assert parse_note("2024-05-02.md", text).day == date(2024, 5, 2)
    assert parse_note("露营.md", b"---\ncreated: 2024-05-01\n---\n").day is None
    assert parse_note("02.05.2024.md", b"", daily=("DD.MM.YYYY",)).day == date(2024, 5, 2)
