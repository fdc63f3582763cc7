"""The one meaning of a folder that a filter or a question names."""

from datetime import date

import pytest

from graphrag.domain.query import Filters, find_folder, is_below
from graphrag.errors import QuestionError

NOTES = (
    "支付/退款/流程.md",
    "支付/支付模块.md",
    "会议/2024/周会.md",
    "日记/2024/一月.md",
    "English/Notes/a.md",
    "根.md",
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("支付", "支付"),
        ("支付/", "支付"),
        ("./支付/", "支付"),
        ("/支付/退款", "支付/退款"),
        ('"支付/退款"', "支付/退款"),
        ("「退款」", "支付/退款"),
        ("“退款/”", "支付/退款"),
        ("退款", "支付/退款"),
        ("会议/2024", "会议/2024"),
        ("2024", None),  # two folders end so
        ("english/notes", "English/Notes"),
        ("notes", "English/Notes"),
        ("支付/支付模块.md", "支付/支付模块.md"),
        ("支付模块.md", "支付/支付模块.md"),
        ("款", None),  # a part of a name is no folder
        ("火星", None),
        ("/", ""),
    ],
)
def test_a_folder_is_its_path_or_its_last_part_where_that_is_unique(written: str, meant: str | None) -> None:
    assert find_folder(written, NOTES) == meant


def test_a_folder_holds_what_is_nested_below_it() -> None:
    assert [note for note in NOTES if is_below(note, "支付")] == ["支付/退款/流程.md", "支付/支付模块.md"]
    assert not is_below("支付系统/a.md", "支付")
    assert all(is_below(note, "") for note in NOTES)


def test_filters_find_their_folders_and_keep_what_is_not_there() -> None:
    filters = Filters(tags=("a",), paths=("退款/", "「火星」"))
    assert filters.located(NOTES) == Filters(tags=("a",), paths=("支付/退款", "火星"))


def test_named_filters_are_cleaned_once() -> None:
    named = Filters.named(["#支付/"], ["工作/"], ["./「会议」/"], types=[" adr "])
    assert named == Filters(tags=("支付",), categories=("工作",), paths=("会议",), types=("adr",))
    with pytest.raises(QuestionError, match="a path to filter by is empty"):
        Filters.named(paths=["/"])
    with pytest.raises(QuestionError, match="later than until"):
        Filters.named(since=date(2024, 2, 1), until=date(2024, 1, 1))
