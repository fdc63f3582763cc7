"""Every word that a reader sees of a note stands in a passage, or in a named list of what is left out and why.

What a reader sees is markdown-it's own rendering, which shares no code with the rules that clean a note.
"""

import re
from collections.abc import Iterator

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import RULES, MappedText, _apply, _code, clean_note
from graphrag.ingest.parse import parse_note
from graphrag.ingest.structure import code_ranges, math_ranges
from tests.generated import examples
from tests.property.markdown import BODY

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
POLICY = ChunkPolicy(200, 600, 0.1)
LEFT_OUT = {
    "conflicts": "the marks that Git writes around two versions",
    "comments": "%%…%% and <!--…-->: Obsidian and browsers show neither",
    "templater": "<%…%> is a program",
    "dataview": "a query, whose result stands in no file",
    "scripts": "programs and styles",
    "images": "an address, or a picture without words",
    "links": "the address of a link; its text stays",
    "html": "a tag; its text stays",
    "callouts": "the kind of a callout",
    "block_ids": "^id, the target of a link",
}
BREAKS = dict.fromkeys(("softbreak", "hardbreak", "image", "html_inline"), "\n")
WORD = re.compile(r"[^\W_]+")


def seen_words(body: str) -> Iterator[str]:
    for token in RENDERER.parse(body):
        for text in re.split(r"\n", shown(token)):
            yield from WORD.findall(text)


def shown(token: Token) -> str:
    """Return the text that a token is shown as, without HTML, which a browser reads and this renderer does not."""
    if token.type in ("fence", "code_block"):
        return token.content
    return "".join(map(shown_inline, token.children or ()))


def shown_inline(child: Token) -> str:
    if child.type == "text":
        return child.content
    return f"\n{child.content}\n" if child.type == "code_inline" else BREAKS.get(child.type, "")


def left_out(text: str) -> str:
    """Return what the named rules take away."""
    note = parse_note("a.md", text.encode("utf-8", "surrogatepass"))
    mapped = MappedText.original(note.text)
    spans = code_ranges(note.code_spans, math_ranges(note.text, code_ranges(note.code_blocks, note.code_spans)))
    code, taken = _code(mapped, note, spans), []
    for name, rule in RULES:
        edits = list(rule(mapped.text, code))
        taken += [mapped.text[edit.start : edit.end] for edit in edits if name in LEFT_OUT]
        mapped = _apply(mapped, name, edits, [])
        code = _code(mapped, note, spans)
    return "\n".join(taken)


@settings(max_examples=examples(400))
@given(BODY)
@example("元素个数 n <p 时用桶排序，而 m> q 时改用堆排序。")
@example("a <b\n\n| x | y |\n|---|---|\n| 叶**绿**体 | un**install** |\n")
@example("> [!note] 标题\n> 内容 `<script>` 的 defer\n\nList<String> 与 &amp;lt;")
@example("[^1] 与脚注\n\n[^1]: 脚注的文字\n\n$a<b$ 与 $$c>d$$\n\n- [ ] 待办 #标签 ^id\n")
def test_every_word_that_is_seen_is_in_a_passage_or_left_out_by_a_named_rule(body: str) -> None:
    note = parse_note("a.md", body.encode("utf-8", "surrogatepass"))
    body = "\n".join(note.text.split("\n")[note.body_line - 1 :])
    passages = "\n".join(chunk.text for chunk in chunk_note(note, clean_note(note), POLICY))
    gone = left_out(body)
    assert [word for word in seen_words(body) if word not in passages and word not in gone] == []


@settings(max_examples=examples(40))
@given(st.lists(st.sampled_from(["甲乙。", "word ", "| a | b |\n", "\n\n", "# 题\n", "- 项\n", "`码`"]), max_size=400))
def test_a_long_note_loses_nothing_to_its_cuts(pieces: list[str]) -> None:
    test = test_every_word_that_is_seen_is_in_a_passage_or_left_out_by_a_named_rule
    test.hypothesis.inner_test("".join(pieces))
