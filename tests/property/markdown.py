"""Strategies for notes as people, exporters and accidents make them."""

from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        *("事务", "补偿", "消息队列", "重试", "一", "支付系统的设计。", "为什么？", "好！", "甲，乙；丙"),
        *(
            "saga",
            "retry_count",
            "C++",
            "node.js",
            "Hello world.",
            "a",
            "x < y",
            "100%",
            "1.5",
            "==",
            "$a$",
            "\\",
            "\\[",
        ),
        *(
            "😀",
            "👨\u200d👩",
            "零\u200b宽",
            "不\u00a0断",
            "\ufeff",
            "e\u0301",
            "\u3000",
            "\u2028",
            "\x0c",
            "\ufffd",
            "\t",
        ),
    ]
)
INLINE = st.sampled_from(
    [
        *(
            "[[事务]]",
            "[[事务|别名]]",
            "[[a#b]]",
            "![[图.png]]",
            "[文字](a.md)",
            "![图](b.png)",
            "[x][r]",
            "[^1]",
            "[[",
            "]]",
        ),
        *("`code`", "``a ` b``", "`", "```", "%%注%%", "%%", "<!-- c -->", "<!--", "-->", "<b>粗</b>", "<br>", "<div>"),
        *("<script>s</script>", "<script>", "</style>", "<% t %>", "<%", "==重点==", "**粗**", "#标签", "#a/b", "^id1"),
        *("&nbsp;", "键:: 值", "[k:: [[v]]]", "|", "\\|", "https://example.org/a", "<img src=a alt=图>", "(", ")"),
    ]
)
LINE = st.lists(WORDS | INLINE, max_size=8).map(" ".join)
SENTENCES = st.lists(
    st.sampled_from(["事务要补偿。", "A short sentence. ", "没有标点的一段话"]), min_size=1, max_size=60
).map("".join)


def _block(first: str, rest: str) -> st.SearchStrategy[str]:
    return st.lists(LINE, min_size=1, max_size=4).map(lambda lines: first + f"\n{rest}".join(lines))


CODE = st.tuples(
    st.sampled_from(["```", "```python", "~~~", "```dataview", "````"]), st.lists(LINE, max_size=6), st.booleans()
).map(lambda parts: "\n".join([parts[0], *parts[1], *([parts[0].rstrip("pythondaview")] if parts[2] else [])]))
TABLE = st.lists(LINE.map(lambda line: f"| {line} | b |"), min_size=1, max_size=12).map(
    lambda rows: "\n".join(["| 名 | 值 |", "|---|---|", *rows])
)
BLOCK = st.one_of(
    LINE,
    SENTENCES,
    st.tuples(st.sampled_from(["# ", "## ", "### ", "###### "]), LINE).map("".join),
    LINE.map(lambda line: f"{line}\n==="),
    _block("- ", "  - "),
    _block("1. ", "   "),
    _block("> ", "> "),
    _block("> [!note] ", "> "),
    _block("    ", "    "),
    CODE,
    TABLE,
    st.sampled_from(
        ["---", "***", "", "[r]: b.md", "[^1]: 注", "%%", "<!--", "-->", "<div>", "</div>", "\n\n\n", " \n\t\n "]
    ),
)
BODY = st.lists(BLOCK, max_size=12).flatmap(
    lambda blocks: st.sampled_from(["\n", "\n\n"]).map(lambda by: by.join(blocks))
)
FRONT = st.sampled_from(
    [
        "",
        "---\ntitle: 甲\ntags: [a, b]\n---\n",
        "---\na: b: c\n---\n",
        "title: 甲\n---\n",
        "---\n",
        "---\nprivate: x\n\n",
    ]
)
ENDING = st.sampled_from(["\n", "\r\n", "\r"])
NOTE_TEXT = st.tuples(FRONT, BODY, ENDING).map(lambda parts: (parts[0] + parts[1]).replace("\n", parts[2]))
