from itertools import pairwise

import pytest

from graphrag.domain.note import Note
from graphrag.ingest.front_matter import read_front_matter
from graphrag.ingest.parse import parse_note


def parse(text: str | bytes) -> Note:
    return parse_note("note.md", text if isinstance(text, bytes) else text.encode())


PRIVATE = {
    "merged": "---\n<<: {private: true}\n---\n秘密",
    "merged from an anchor": "---\ndefaults: &d\n  private: true\nprivate: false\n<<: *d\n---\n秘密",
    "block below broken YAML": "---\nx: {a\nprivate: |\n  true\n---\n秘密",
    "line below broken YAML": "---\nx: {a\nprivate:\n  true\n---\n秘密",
    "comma behind": "---\nprivate: true,\n---\n秘密",
    "list of keys": "---\n- private: true\n---\n秘密",
    "TOML": '+++\ntitle = "甲"\nprivate = true\n+++\n秘密',
    "broken TOML": "+++\ntitle = 甲\nprivate = true\n+++\n秘密",
    "inline field": "# 题\n\nprivate:: true\n\n秘密",
    "plain": "---\nprivate: true\n---\n秘密",
    "yes": "---\nprivate: yes\n---\n秘密",
    "capital": "---\nPrivate: True\n---\n秘密",
    "quoted": '---\nprivate: "true"\n---\n秘密',
    "quoted key": '---\n"private": on\n---\n秘密',
    "Chinese": "---\nprivate: 是\n---\n秘密",
    "list": "---\nprivate: [true]\n---\n秘密",
    "comment": "---\nprivate: true # 勿外传\n---\n秘密",
    "tagged": "---\nprivate: !!bool true\n---\n秘密",
    "no space": "---\nprivate:true\n---\n秘密",
    "full-width colon": "---\nprivate：true\n---\n秘密",
    "broken elsewhere": "---\ntitle: 甲: 乙\nprivate: true # 勿外传\n---\n秘密",
    "broken, no space": "---\ntitle: [甲\nprivate:true\n---\n秘密",
    "broken, indented": "---\n  title: {{x}}\n  private: 'yes'\n---\n秘密",
    "control character": "---\na: \x08\nprivate: true\n---\n秘密",
    "twice": "---\nPrivate: true\nprivate: false\n---\n秘密",
    "tab": "---\n\tprivate: true\n---\n秘密",
    "CRLF": "---\r\nprivate: true\r\n---\r\n秘密",
    "CR": "---\rprivate: true\r---\r秘密",
    "BOM": "\ufeff---\nprivate: true\n---\n秘密",
    "two BOMs": "\ufeff\ufeff---\nprivate: true\n---\n秘密",
    "blank line first": "\n\n---\nprivate: true\n---\n秘密",
    "trailing spaces": "---  \nprivate: true\n---  \n秘密",
    "dots close": "---\nprivate: true\n...\n秘密",
    "nothing closes": "---\nprivate: true\n\n秘密",
    "nothing closes, later key": "---\nauthor: 甲\nprivate: true\n\n秘密",
    "ends the file": "---\nprivate: true\n---",
    "dashes of an editor": "———\nprivate: true\n———\n秘密",
    "mixed dashes": "—-\nprivate: true\n—-\n秘密",
    "long fence": "-----\nprivate: true\n-----\n秘密",
    "exporter's header": "title: 甲\nprivate: true\n---\n秘密",
    "exporter's header, private first": "private: true\ntitle: 甲\n---\n秘密",
    "rag": "---\nrag: false\n---\n秘密",
    "rag, broken": "---\nrag:no\na: b: c\n---\n秘密",
    "rag, off": "---\nRAG: Off\n---\n秘密",
}


@pytest.mark.parametrize("text", PRIVATE.values(), ids=PRIVATE)
def test_a_private_note_is_known_whatever_its_form(text: str) -> None:
    assert parse(text).is_private


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_a_private_note_is_known_in_any_encoding(encoding: str) -> None:
    assert parse(("---\nprivate: true\ntitle: 私密笔记\n---\n" + "不可外传的内容。\n" * 9).encode(encoding)).is_private


@pytest.mark.parametrize(
    "text",
    [
        "---\nprivate: false\nrag: true\n---\n",
        "---\nprivate:\n---\n",
        "---\ndescription: |\n  private: true\n---\n",
        "---\ntitle: a\n---\nprivate: true\n",
        "正文\n---\nprivate: true\n---\n",
        "```\nprivate: true\n```",
    ],
)
def test_other_notes_are_not_private(text: str) -> None:
    assert not parse(text).is_private


@pytest.mark.parametrize(
    "text", ["", "\n", "---", "---\n", "---\n\n文字\n\n---\n", "---\n- a\n---\n", "---\n文字\n---\n"]
)
def test_no_front_matter(text: str) -> None:
    front = read_front_matter(text)
    assert (front.properties, front.body_line, front.problem) == ({}, 1, None)


def test_empty_front_matter() -> None:
    assert read_front_matter("---\n---\n文字").body_line == 3


@pytest.mark.parametrize(
    ("block", "line"),
    [("a: b\nc: d: e", 3), ("a: [b", 3), ("a: {{b}}", 2), ("a: &a [*a]", 2), ("a: " + "[" * 100_000, 2)],
)
def test_a_block_that_does_not_parse_is_reported_with_its_line(block: str, line: int) -> None:
    front = read_front_matter(f"---\n{block}\n---\n文字")
    assert front.problem is not None
    assert front.problem[0] == line
    assert "\n" not in front.problem[1]
    assert "a" in front.properties


def test_references_do_not_unfold_without_bound() -> None:
    names = "abcdefghijklm"
    lines = [f"{name}: &{name} [{','.join(['*' + before] * 9)}]" for before, name in pairwise(names)]
    front = read_front_matter("\n".join(["---", "a: &a [x]", *lines, "---"]))
    assert front.problem is None
    assert 0 < len(front.properties["m"]) <= 2000


def test_references_to_nothing_do_not_either() -> None:
    names = "abcdefghijklm"
    lines = [f"{name}: &{name} [{','.join(['*' + before] * 9)}]" for before, name in pairwise(names)]
    assert read_front_matter("\n".join(["---", "a: &a []", *lines, "---"])).properties["m"] == ()


def test_merge_keys_do_not_unfold() -> None:
    names = "abcdefghijklmnopqrstuvwxyz"
    lines = [f"{name}: &{name} {{<<: [{','.join(['*' + before] * 9)}]}}" for before, name in pairwise(names)]
    front = read_front_matter("\n".join(["---", "a: &a {x: 1}", *lines, "---"]))
    assert len(front.properties["z"]) <= 2000


def test_lone_surrogates_never_come_through() -> None:
    front = read_front_matter('---\nk: "\\uD83D\\uDE00 \\uD800"\n---\n')
    assert "".join(front.properties["k"]).encode()


def test_a_link_without_quotes_is_a_link() -> None:
    front = read_front_matter("---\nowner: [[张三]]\nmembers:\n  - [[李四]]\n---\n")
    assert front.properties == {"owner": ("[[张三]]",), "members": ("[[李四]]",)}


def test_lines_of_each_key() -> None:
    front = read_front_matter("---\na: 1\nb:\n  - x\n  - y\nc: 2\n---\n")
    assert front.lines == (("a", 2, 2), ("b", 3, 5), ("c", 6, 6))
    assert front.lists == {"b"}


def test_types_come_with_their_lines_wherever_they_are_written() -> None:
    note = parse('---\ntitle: 甲\nType:\n  - 模块\n  - "系统"\n---\n# 甲\n\ntype:: 决策\n')
    assert note.types == (("模块", 4), ("系统", 5), ("决策", 9))
    assert parse("---\ntype: 人\n---\n").types == (("人", 2),)
    assert parse("---\n{type: 人, a: b}\n---\n").types == (("人", 1),)
    assert parse("# 甲\n").types == ()


@pytest.mark.parametrize(
    "head",
    [
        "private: true\ntitle: 账\nprivate: false",
        "private: false\nprivate: true",
        "Private: yes\nprivate: no",
        "rag: false\nrag: true",
        "private: [false]\nprivate: [true]",
        "{private: true, private: false}",
        "title: a: b\nprivate: true\nprivate: false",  # broken, so read line by line
    ],
)
def test_the_stricter_of_two_values_keeps_a_note_private(head: str) -> None:
    note = parse(f"---\n{head}\n---\n正文\n")
    assert note.is_private
    assert any("given twice" in problem.message for problem in note.diagnostics)


def test_a_list_that_is_given_twice_is_joined() -> None:
    note = parse('---\ntags: [甲]\n归属: "[[丙]]"\ntags:\n  - 乙\n归属: "[[丁]]"\n---\n')
    assert note.tags == ("甲", "乙")
    assert [(link.target, link.line, link.relation) for link in note.links] == [("丙", 3, "归属"), ("丁", 6, "归属")]
    assert [(problem.line, problem.message.split("`")[1]) for problem in note.diagnostics] == [(4, "tags"), (6, "归属")]


def test_what_a_merge_brings_gives_way_to_the_notes_own_keys() -> None:
    front = read_front_matter("---\nbase: &b {title: 旧, tags: [甲]}\n<<: *b\ntitle: 新\n---\n")
    assert (front.properties["title"], front.properties["tags"]) == (("新",), ("甲",))


def test_toml_between_plus_signs_is_front_matter() -> None:
    front = read_front_matter('+++\ntitle = "甲"\ntags = ["乙", "丙"]\ndate = 2024-05-01\n[extra]\nx = 1\n+++\n正文')
    assert front.properties == {"title": ("甲",), "tags": ("乙", "丙"), "date": ("2024-05-01",), "extra": ("x: 1",)}
    assert front.body_line == 8
    assert read_front_matter("+++\n正文").body_line == 1
