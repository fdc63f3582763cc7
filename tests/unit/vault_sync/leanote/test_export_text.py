from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import NoteUnreadable
from vault_sync.leanote.sources.export_text import clean_tags, decode_text, is_rich_text, parse_time

EAST = timezone(timedelta(hours=8))
MOMENT = datetime(2023, 6, 2, 20, 1, 2, tzinfo=EAST)


@pytest.mark.parametrize(
    "value",
    [
        "2023/06/02 20:01:02",
        "2023/6/2 20:01:02",
        " 2023-06-02 20:01:02 ",
        "2023-06-02T20:01:02+08:00",
        "2023-06-02T12:01:02Z",
        "2023-06-02T20:01:02.000000000+08:00",
        1685707262,
        1685707262000,
    ],
)
def test_forms_of_a_time(value: object) -> None:
    assert parse_time(value, EAST) == MOMENT


@pytest.mark.parametrize("fraction", ["1", "34", "345", "3456", "123456789"])
def test_a_fraction_of_any_length(fraction: str) -> None:
    found = parse_time(f"2023-06-02T20:01:02.{fraction}+08:00", None)
    assert found is not None and found.microsecond == int(fraction.ljust(6, "0")[:6])


@pytest.mark.parametrize(
    "value",
    ["0001-01-01T00:00:00Z", "9998-12-31T00:00:00Z", "", "Invalid date", "2023-13-01", None, True, 1e300, [], -1e15],
)
def test_what_is_unset_or_no_time_is_none(value: object) -> None:
    assert parse_time(value, EAST) is None


@given(st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1)))
def test_every_second_is_read_as_it_was_written(moment: datetime) -> None:
    second = moment.replace(microsecond=0)
    assert parse_time(second.strftime("%Y/%m/%d %H:%M:%S"), UTC) == second.replace(tzinfo=UTC)


@given(st.text(max_size=30))
def test_no_text_breaks_the_reading_of_times(text: str) -> None:
    found = parse_time(text, EAST)
    assert found is None or found.tzinfo is not None


def test_tags_without_blanks_and_doubles() -> None:
    assert clean_tags(["", " 甲 ", "甲", None, "乙", 3]) == ("甲", "乙", "3")


@given(st.text(st.characters(exclude_characters="\r\ufeff", codec="utf-8")))
def test_text_in_utf8_is_read_as_it_is(text: str) -> None:
    assert decode_text(text.encode(), "a.md") == (text, False)
    assert decode_text(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "a.md") == (text, False)


def test_other_encodings() -> None:
    assert decode_text("国标".encode("gbk"), "a.md") == ("国标", True)
    with pytest.raises(NoteUnreadable, match=r"a\.md: neither UTF-8 nor GB18030"):
        decode_text(b"\xff\xff", "a.md")


@pytest.mark.parametrize(
    ("text", "is_rich"),
    [
        ("<p>一</p>", True),
        ("\n <DIV class='a'>一</DIV>\n<ul><li># 二</li></ul>", True),
        ("<pre>\n# 注释\n- 项\n</pre>", True),
        ("<center>题</center>\n# 一", False),
        ("<br>\n- 一", False),
        ("<img src='a'>\n```\n码\n```", False),
        ("<!-- 注释 -->一", False),
        ("<preface>一", False),
        ("一<p>二</p>", False),
        ("", False),
    ],
)
def test_rich_text_starts_with_a_tag_and_holds_no_line_of_markdown(text: str, is_rich: bool) -> None:
    assert is_rich_text(text) is is_rich


@pytest.mark.parametrize("hostile", ["<p" * 500_000, "<pre" * 300_000, "<p>" + "<pre>" * 200_000])
def test_hostile_text_takes_no_time(hostile: str) -> None:
    is_rich_text(hostile)
