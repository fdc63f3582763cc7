"""Leanote's Markdown: the pairs in tests/cases, and input that no person writes."""

import time

import pytest

from tests.cases import Case, read_cases
from tests.fakes.leanote.targets import IMAGE, FakeTargets
from vault_sync.leanote.convert.dialect import markdown_of_dialect
from vault_sync.leanote.convert.link_writer import LinkWriter


def converted(text: str) -> str:
    return markdown_of_dialect(text, LinkWriter(FakeTargets()))


@pytest.mark.parametrize("case", read_cases("leanote_dialect.md"), ids=str)
def test_case(case: Case) -> None:
    assert converted(case.given) == case.expected


def test_line_ends_of_every_kind() -> None:
    assert converted("\ufeff#一\r\n二\r```\r\nx\r\n```") == "# 一\n二\n```\nx\n```"


@pytest.mark.parametrize(
    "mark",
    [
        *(
            "[",
            "]",
            "(",
            "[[(",
            "[](",
            "![](",
            "[a][",
            "[a](data:",
            "[^",
            "`",
            "``` ",
            "$",
            "$$ ",
            "$a $",
            "\\(",
            "\\\\[",
            "\\",
        ),
        *("<", "<img ", "<a href=/note/65f0a1b2c3d4e5f600000100>", "<!--", "<center>", "src='", "&", "==", "%%", "#a "),
        *(
            "> ",
            "- ",
            "1. ",
            "*",
            "_",
            "|",
            " ",
            "\u00a0",
            "{#",
            "https://",
            "\\begin{a}",
            "[x]: /file/",
            "a b\n",
            "| a |\n",
        ),
    ],
)
def test_time_grows_no_faster_than_the_text(mark: str) -> None:
    for end in ("", " x]>)`$-->"):
        started = time.perf_counter()
        converted(mark * (50_000 // len(mark)) + end)
        assert time.perf_counter() - started < 5


def test_a_picture_of_megabytes_in_the_text() -> None:
    targets = FakeTargets()
    data = "data:image/png;base64," + "iVBORw0KGgoA" * 200_000
    text = f"![图]({data})\n<img src='{data}'>\n\n![图][1]\n\n[1]: {data}"
    result = markdown_of_dialect(text, LinkWriter(targets))
    assert result.strip() == "![图](assets/inline-1.png)\n![](assets/inline-2.png)\n\n![图](assets/inline-3.png)"
    assert [len(picture) for picture in targets.pictures] == [1_800_000] * 3


def test_what_is_nested_deeper_than_anyone_writes_stays_readable() -> None:
    image = f"![x](/file/{IMAGE})"
    nested = image
    for _ in range(50):
        nested = f"[{nested}](http://a.example)"
    assert nested.count("http://a.example") == converted(nested).count("http://a.example")
