from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.fakes.leanote.targets import FakeTargets
from vault_sync.leanote.convert.dialect import markdown_of_dialect
from vault_sync.leanote.convert.emphasis import PUNCTUATION, is_seen, without_punctuation
from vault_sync.leanote.convert.link_writer import LinkWriter

TEXT = st.text("中文a1，。“”（）+x", max_size=6)


@given(TEXT, TEXT, TEXT)
def test_marks_are_seen_exactly_where_commonmark_sees_them(before: str, inner: str, after: str) -> None:
    if inner:
        html = MarkdownIt("commonmark").renderInline(f"{before}**{inner}**{after}")
        assert is_seen(before[-1:], inner, after[:1]) == ("<strong>" in html)


@given(TEXT, TEXT, TEXT)
def test_bold_text_is_bold_and_says_what_it_said(before: str, inner: str, after: str) -> None:
    text = f"甲{before}**{inner}**{after}"
    converted = markdown_of_dialect(text, LinkWriter(FakeTargets()))
    assert converted.replace("<b>", "**").replace("</b>", "**").replace("*", "") == text.replace("*", "")
    if without_punctuation(inner)[1]:
        html = MarkdownIt("commonmark", {"html": True}).renderInline(converted)
        assert "<strong>" in html or "<b>" in html
        assert "**" not in html


@given(st.text(PUNCTUATION + "中a\\", max_size=8))
def test_punctuation_is_split_off_and_nothing_is_lost(text: str) -> None:
    assert "".join(without_punctuation(text)) == text
