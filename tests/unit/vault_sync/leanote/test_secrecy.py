import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from graphrag.ingest.front_matter import Head, read_front_matter
from vault_sync.leanote.write.removal import is_hidden, with_privacy


def is_private(data: bytes) -> bool:
    """What the indexer says of it."""
    return Head.of(read_front_matter(data.decode().replace("\r\n", "\n"))).is_private


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("---\ntitle: 甲\n---\n正文\n", "---\ntitle: 甲\nrag: false\n---\n正文\n"),
        ("---\r\ntitle: 甲\r\n---\r\n正文\r\n", "---\r\ntitle: 甲\r\nrag: false\r\n---\r\n正文\r\n"),
        ("\ufeff---\nx: 1\n---\n", "\ufeff---\nx: 1\nrag: false\n---\n"),
        ("---\n---\n正文", "---\nrag: false\n---\n正文"),
        ("---\ntext: |\n  a\n  b\n---\n", "---\ntext: |\n  a\n  b\nrag: false\n---\n"),
        ("---\ntitle: a: b\n---\n", "---\ntitle: a: b\nrag: false\n---\n"),
        ("没有头\n", "---\nrag: false\n---\n没有头\n"),
        ("", "---\nrag: false\n---\n"),
    ],
)
def test_the_line_is_added_and_nothing_else_changes(given_: str, expected: str) -> None:
    result = with_privacy(given_.encode())
    assert result == expected.encode()
    assert is_private(result)
    assert is_hidden(result)


@pytest.mark.parametrize("line", ["rag: false", "rag: no", "rag: '否'", "private: true", "Private: yes", "RAG: off"])
def test_a_private_note_stays_as_it_is(line: str) -> None:
    data = f"---\ntitle: x\n{line}\n---\n正文\n".encode()
    assert is_private(data)
    assert with_privacy(data) == data


@pytest.mark.parametrize(
    "text",
    [
        "---\nrag: true\n---\n",
        "---\n{a: 1}\n---\n",
        "---\n- a\n---\n",
        "---\nnever closed\n",
        "\n\n---\ntitle: x\n---\n",
        "title: x\ndate: 2020/01/01 00:00:00\n---\n正文\n",
        "———\ntitle: x\n———\n",
    ],
)
def test_an_unsure_case_is_left_to_the_user(text: str) -> None:
    assert with_privacy(text.encode()) is None
    assert with_privacy(text.encode("utf-16")) is None
    assert not is_hidden(text.encode())


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029"), max_size=12)
KEYS = st.text("xyz标", min_size=1, max_size=4)
VALUES = st.recursive(
    WORDS | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.text(max_size=40))
def test_whatever_the_properties_are_the_note_ends_up_private(properties: dict[str, object], body: str) -> None:
    front = yaml.safe_dump(properties, allow_unicode=True, sort_keys=False) if properties else ""
    text = f"---\n{front}---\n{body}".encode("utf-8", "replace")
    result = with_privacy(text)
    assert result is not None
    assert len(result) == len(text) + len("rag: false\n")
    assert with_privacy(result) == result
    assert is_private(result)
