"""Rich text: the pairs in tests/cases, empty forms, and HTML that no editor writes."""

import time

import pytest

from tests.cases import Case, read_cases
from tests.fakes.leanote.targets import ATTACHMENT, IMAGE, NOTE, FakeTargets
from vault_sync.leanote.convert.link_writer import LinkWriter
from vault_sync.leanote.convert.rich_text import markdown_of_html

HASH = "0c1d2e3f405162738495a6b7c8d9eafb"


def converted(html: str, links: LinkWriter | None = None) -> str:
    files = {IMAGE: "assets/渡口.png", ATTACHMENT: "assets/书单 (1).pdf", HASH: "assets/hash.png"}
    return markdown_of_html(html, links or LinkWriter(FakeTargets(files)))


@pytest.mark.parametrize("case", read_cases("leanote_rich.md"), ids=str)
def test_case(case: Case) -> None:
    assert converted(case.given) == case.expected


@pytest.mark.parametrize(
    "html",
    [
        *(
            "",
            " \n",
            "<p><br></p>",
            '<p><br data-mce-bogus="1"></p>',
            "<p>&nbsp;</p>",
            "<div><p></p></div>",
            "<!-- x -->",
        ),
        *(
            "<b> </b>",
            "<ul></ul>",
            "<table><tr></tr></table>",
            "<pre></pre>",
            "\ufeff<p>\u200b</p>",
            "<a href='x'></a>",
        ),
    ],
)
def test_empty_forms(html: str) -> None:
    assert converted(html) == ""


def test_what_is_left_out_is_told() -> None:
    links = LinkWriter(FakeTargets())
    converted('<img id="__LEANOTE_IMAGE_1" src="blob:x"><img src="/file/75f0a1b2c3d4e5f600000200">', links)
    assert list(links.missing) == ["/file/75f0a1b2c3d4e5f600000200"]
    assert list(links.warnings) == ["a picture whose upload was never finished was left out (blob:x)"]


def test_a_picture_that_no_export_can_hold_is_missing_and_not_just_gone() -> None:
    links = LinkWriter(FakeTargets())
    converted('<img src="/etc/hostname"><img src="../../外.png">', links)
    assert list(links.missing) == ["/etc/hostname", "../../外.png"]


def test_links_are_counted_once_and_by_id() -> None:
    links = LinkWriter(FakeTargets())
    converted(f'<img src="/file/{IMAGE}"><img src="/file/{IMAGE}"><a href="/note/{NOTE}">x</a>', links)
    assert links.named == {IMAGE}


def test_divs_in_divs_without_end() -> None:
    assert converted("<div>" * 10_000 + "深" + "</div>" * 10_000 + "<p>后</p>") == "深\n\n后"


@pytest.mark.parametrize(
    "mark",
    [
        "<div><p>a</p>",
        "<ul><li>",
        "<table><tr><td>",
        "<blockquote>",
        "<b><i>",
        "<p>",
        "<code>",
        "<ol>",
        "<span><a href=x>",
    ],
)
def test_what_is_nested_without_end_keeps_its_text(mark: str) -> None:
    links = LinkWriter(FakeTargets())
    started = time.perf_counter()
    result = converted(mark * 3000 + "最深", links)
    assert "最深" in result
    assert result.count("a") == mark.count("a</p>") * 3000
    assert list(links.warnings) == ["nested too deeply: the innermost parts are kept as plain text"]
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    "mark",
    [
        *(
            "<",
            "&",
            "&#",
            "<a ",
            "<a b='",
            "</a",
            "<!--",
            "<![CDATA[",
            "<?",
            "<!x",
            "*",
            "a_b ",
            " ",
            "$",
            "|",
            "#",
            "`",
            "\\",
        ),
        *("<br>", "<b>x</b>", "<script>x</script>", "<li>x</li>", "<ul><li>x</li></ul>", "<pre>x</pre>", "<img src=x>"),
    ],
)
def test_time_grows_no_faster_than_the_text(mark: str) -> None:
    started = time.perf_counter()
    converted(mark * (30_000 // len(mark)))
    converted(f"<ul>{mark * (30_000 // len(mark))}</ul>")
    assert time.perf_counter() - started < 5


def test_spans_that_claim_millions_of_cells() -> None:
    html = "<table>" + "<tr><td rowspan=99999 colspan=99999>x</td></tr>" * 300 + "</table>"
    assert len(converted(html)) < 2_000_000


def test_a_picture_of_megabytes() -> None:
    targets = FakeTargets()
    html = f'<p>x</p><img src="data:image/png;base64,{"iVBORw0KGgoA" * 300_000}">'
    assert markdown_of_html(html, LinkWriter(targets)) == "x\n\n![](assets/inline-1.png)"
    assert len(targets.pictures[0]) == 2_700_000
