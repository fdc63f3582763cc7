import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault_sync.leanote.sources.note_header import NoteDetails, split_header


@pytest.mark.parametrize(
    "title", ["甲: 乙", "[草稿] 丙", "#1 号", "@某人", "- 项", "2023", "yes", "a # b", "'", '"引"文']
)
def test_titles_that_are_not_yaml(title: str) -> None:
    details, body = split_header(
        f"---\ntitle: {title}\ndate: 2023-05-01T09:30:00.12+08:00\ntags: \n- #标签: x\n---\n正文"
    )
    assert (details.title, details.tags, body) == (title, ("#标签: x",), "正文")


def test_quotes_belong_to_a_title_when_the_file_is_named_with_them() -> None:
    text = '---\ntitle: "引文"\ndate: 2023-05-01\n---\n'
    assert split_header(text, "引文")[0].title == "引文"
    assert split_header(text, "＂引文＂")[0].title == '"引文"'


@pytest.mark.parametrize(
    "text",
    [
        "---\n正文前有一条线\n---\n后面",
        "---\n\n---\n",
        "---\ncolor: red\n---\n没有认得的键",
        "Date: 明天\n---\n这是标题",
        "Title: 只有一个键\n\n正文",
        "Title: 标题\nTags: 甲\n还有一行字\n\n正文",
        "https://example.org\n---\n",
        "",
        "---",
        "title: 没有结尾\n正文",
    ],
)
def test_text_that_only_looks_like_a_header_stays(text: str) -> None:
    assert split_header(text) == (NoteDetails(), text)


@given(st.text(st.sampled_from("-:\n [],\"'titleags文\r#"), max_size=80))
def test_a_header_and_its_text_are_the_whole(text: str) -> None:
    details, body = split_header(text)
    assert text.endswith(body)
    assert (details == NoteDetails()) <= (body == text) or body != text


@given(
    st.from_regex(
        r"[^\s'\"\x00-\x1f\x7f-\x9f\u2028\u2029]([^\r\n\x00-\x1f\x7f-\x9f\u2028\u2029]{0,20}\S)?", fullmatch=True
    )
)
def test_any_title_is_read_as_written(title: str) -> None:
    assert split_header(f"title: {title}\ndate: 2023/06/02 20:01:02\n---\n正文")[0].title == title.strip()


def test_a_title_of_two_lines_goes_on_until_the_next_key() -> None:
    details, body = split_header("title: 第一行\n第二行\ndate: 2023/06/02 20:01:02\n---\n正文")
    assert (details.title, body) == ("第一行\n第二行", "正文")
    text = "title: 只是一行字\n另一行\n\n---\n正文"
    assert split_header(text) == (NoteDetails(), text)


def test_the_header_of_three_lines_ends_at_the_first_empty_line() -> None:
    details, body = split_header("Title: 题\nTags: 甲\n\n---\ntitle: 正文里的\n---\n")
    assert (details.title, body) == ("题", "---\ntitle: 正文里的\n---\n")
