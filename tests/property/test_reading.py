"""Reading is total: any bytes are a note or a UnicodeError, any text has front matter or none."""

import contextlib
import unicodedata
from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.domain.note import Link, LinkKind, TargetKind
from graphrag.ingest.clean import clean_note
from graphrag.ingest.front_matter import read_front_matter
from graphrag.ingest.parse import parse_note
from graphrag.ingest.resolve import LinkResolver
from graphrag.language.dates import parse_date
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from tests.generated import examples
from tests.property.markdown import BODY, LINE, NOTE_TEXT

TOKENIZER = JiebaTokenizer(["消息队列", "支付系统"])

modest = settings(max_examples=examples(60))

ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "latin-1", "utf-32"])
YAML_LINES = st.lists(
    st.sampled_from(
        [
            *(
                "a: b",
                "title: 甲: 乙",
                "- x",
                "  - y",
                "tags: [a, b",
                "tags: #a",
                "x: {y: z}",
                "? k",
                "a: |",
                "  text",
                ": v",
            ),
            *(
                "&a b",
                "c: *a",
                "<<: *a",
                "d: !!set {e}",
                "private: yes",
                "private：true",
                "---",
                "...",
                "",
                "\t",
                '"',
                "'",
                "%",
            ),
            *(
                "日期: 2024-99-99",
                'u: "\\ud800"',
                "k: \x07",
                "- [[a]]",
                "o: [[a]]",
                "é: \u2028",
                "n: 1e999",
                "x: " + "[" * 60,
            ),
        ]
    ),
    max_size=8,
)
NAMES = (
    st.text(st.sampled_from("aAbé\u0301事务 .-_"), min_size=1, max_size=6)
    .map(str.strip)
    .filter(lambda name: name.strip("."))
)
PATHS = st.lists(
    st.lists(NAMES, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + ".md"), min_size=1, max_size=6
)


@modest
@given(st.binary(max_size=400), st.sampled_from(["a.md", "a.canvas"]))
def test_any_bytes(data: bytes, path: str) -> None:
    with contextlib.suppress(UnicodeError):
        clean_note(parse_note(path, data))


@modest
@given(NOTE_TEXT, ENCODINGS, st.sampled_from(["a.md", "a.canvas"]))
def test_any_note_in_any_encoding(text: str, encoding: str, path: str) -> None:
    with contextlib.suppress(UnicodeError):
        note = parse_note(path, text.encode(encoding, "replace"))
        note.text.encode()
        assert "\r" not in note.text


@modest
@given(YAML_LINES, BODY)
def test_any_front_matter(lines: list[str], body: str) -> None:
    text = "\n".join(["---", *lines, "---", body])
    front = read_front_matter(text)
    assert 1 <= front.body_line <= text.count("\n") + 2
    assert all(1 <= first <= last < front.body_line for _, first, last in front.lines)
    "".join(f"{key}{''.join(values)}" for key, values in front.properties.items()).encode()


@modest
@given(st.text(max_size=40))
def test_any_date(text: str) -> None:
    found = parse_date(text)
    assert found is None or (isinstance(found, datetime) and found.tzinfo is not None)


@modest
@given(PATHS, LINE, st.sampled_from(LinkKind), NAMES)
def test_links_resolve_to_one_target_whatever_they_name(
    paths: list[str], name: str, kind: LinkKind, alias: str
) -> None:
    names = {unicodedata.normalize("NFC", path): (alias,) for path in paths}
    resolver = LinkResolver(names)
    backwards = LinkResolver(dict(reversed(names.items())))
    for target in (*paths, name, alias):
        link = Link(target, kind, 1, target)
        resolved = resolver.resolve("首页.md", link)
        assert resolved == backwards.resolve("首页.md", link)
        assert resolved.target_kind is not TargetKind.NOTE or resolved.target in (*names, "首页.md")


@modest
@given(PATHS)
def test_a_link_to_a_path_resolves_to_it(paths: list[str]) -> None:
    names = [unicodedata.normalize("NFC", path) for path in paths]
    resolver = LinkResolver(dict.fromkeys(names, ()))
    for path in names:
        for kind in (LinkKind.WIKI, LinkKind.MARKDOWN):
            assert resolver.resolve("首页.md", Link(path, kind, 1, path)).target == path


@modest
@given(st.text(max_size=60) | NOTE_TEXT)
def test_a_passage_holds_every_term_of_a_question_made_of_it(text: str) -> None:
    terms = set(TOKENIZER.tokenize(text))
    assert set(TOKENIZER.tokenize_query(text)) <= terms
    assert all(len(term.split()) == 1 for term in terms)
