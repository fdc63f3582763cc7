"""Notes that plugins, templates and other programs write."""

import pytest

from graphrag.domain.note import Chunk, Note
from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note
from graphrag.ingest.resolve import LinkResolver

POLICY = ChunkPolicy(120, 420, 0.1)
BANNER = "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠== You can decompress it"
SCENE = "```compressed-json\n" + "N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQ\n\n" * 40 + "```"


def read(text: str, path: str = "note.md", is_logseq: bool = False) -> tuple[Note, tuple[Chunk, ...]]:
    note = parse_note(path, text.encode(), is_logseq=is_logseq)
    return note, chunk_note(note, clean_note(note), POLICY)


@pytest.mark.parametrize(
    ("opening", "before_drawing"),
    [
        ("# Excalidraw Data\n\n## Text Elements", "%%\n"),
        ("%%\n# Excalidraw Data\n## Text Elements", ""),
        ("# Text Elements", "%%\n"),
    ],
)
@pytest.mark.parametrize("key", ["excalidraw-plugin: parsed", "excalidraw-plugin: raw"])
def test_a_drawing_is_its_text_elements(opening: str, before_drawing: str, key: str) -> None:
    files = (
        "## Element Links\nAb12Cd34: [[订单]]\n\n## Embedded Files\n0a1b2c3d4e5f60718293a4b5c6d7e8f9: [[拓扑.png]]\n"
    )
    head = f"---\n{key}\n---\n{BANNER}\n\n\n{opening}"
    text = f"{head}\n网关先鉴权 ^ab12cd34\n\n# 再转发 ^ef56ab78\n\n{files}\n{before_drawing}## Drawing\n{SCENE}\n%%"
    note, chunks = read(text, "图/调用链.excalidraw.md")
    held = "\n".join(chunk.text for chunk in chunks)
    assert note.title == "调用链"
    assert "网关先鉴权" in held and "再转发" in held
    for data in ("EXCALIDRAW", "N4KAk", "0a1b2c3d", "ab12cd34", "Ab12Cd34", "%%", "Drawing", "Text Elements", "parsed"):
        assert data not in held
    assert [link.target for link in note.links] == ["订单", "拓扑.png"]


def test_text_around_a_drawing_stays_and_a_note_about_drawings_is_one_like_any_other() -> None:
    note, chunks = read(f"# 机房\n两台机器\n\n%%\n# Excalidraw Data\n## Text Elements\n%%\n## Drawing\n{SCENE}")
    assert (note.title, [chunk.text for chunk in chunks]) == ("机房", ["# 机房\n两台机器"])
    _, chunks = read("# 插件\n## Text Elements\n写字\n## Drawing\n画画")
    assert "画画" in chunks[-1].text


@pytest.mark.parametrize("title", ["{{title}}", '"<% tp.file.title %>"', '"{{date}} 周会"'])
def test_what_a_template_leaves_open_names_nothing(title: str) -> None:
    text = (
        f"---\ntitle: {title}\naliases: ['<% tp.x %>', 周会]\ntags: [会议, '{{{{tag}}}}']\n---\n"
        "# <% tp.file.title %>\n[[{{date}}]] #a/b 见 [[纪要]]"
    )
    note, _ = read(text, "模板/周会.md")
    assert (note.title, note.aliases, note.tags) == ("周会", ("周会",), ("会议", "a/b"))
    assert [link.target for link in note.links] == ["纪要"]


def test_code_in_a_heading_is_no_placeholder() -> None:
    assert read("# 模板语法 `{{ msg }}` 与 `<% %>`")[0].title == "模板语法 {{ msg }} 与 <% %>"


FRONT = """---
title: 春茶
author: 陆羽
summary: >
  明前采摘，
  炭火烘焙。
来源: [茶馆, 书店]
date: 2024-03-05
publish: true
rating: 5
tags: [茶]
---
# 春茶

正文在这里。
"""


def test_words_of_the_front_matter_belong_to_the_first_passage() -> None:
    _, (chunk,) = read(FRONT)
    head = "author: 陆羽\nsummary: 明前采摘， 炭火烘焙。\n来源: 茶馆, 书店\n"
    assert chunk.text == head + "\n# 春茶\n\n正文在这里。"
    assert chunk.text[: chunk.front].strip() == head.strip()
    places = {line: chunk.text.index(line) for line in ("author", "summary", "来源", "正文")}
    lines = {line: chunk.lines_of(start, start + 4) for line, start in places.items()}
    assert lines == {"author": (3, 3), "summary": (4, 6), "来源": (7, 7), "正文": (15, 15)}
    assert chunk.embedded_text() == "春茶\nsummary: 明前采摘， 炭火烘焙。\n# 春茶\n\n正文在这里。"


def test_a_note_of_front_matter_alone_is_a_passage_and_one_without_words_is_none() -> None:
    _, (chunk,) = read("---\nauthor: 陆羽\n---\n")
    assert chunk.text == "author: 陆羽"
    assert read("---\ndate: 2024-03-05\npublish: true\ntags: [茶]\n---\n")[1] == ()


def test_a_long_summary_is_parted_like_other_text() -> None:
    _, chunks = read(f"---\nsummary: {'采茶要早。' * 200}\n---\n正文在这里。")
    assert len(chunks) > 2 and all(len(chunk.text) <= POLICY.max_size + len("summary: ") for chunk in chunks)
    assert chunks[-1].text.endswith("正文在这里。")


def test_tags_of_a_list_that_nothing_closes() -> None:
    assert read("---\ntags: [茶, 器具\n---\n正文")[0].tags == ("茶", "器具")


PAGE = "title:: 订单/退换\nalias:: 换货, [[swap]]\ntags:: [[客服]], #电商\n\n- 三天内办完 [[订单/退换]]"


def test_properties_and_levels_of_a_logseq_page() -> None:
    note, _ = read(PAGE, "pages/订单___退换.md", is_logseq=True)
    assert (note.title, note.aliases, note.tags) == ("订单/退换", ("换货", "swap", "订单/退换"), ("客服", "电商"))
    named, _ = read("- 空", "pages/订单___发货.md", is_logseq=True)
    assert (named.title, named.aliases) == ("订单/发货", ("订单/发货",))
    resolver = LinkResolver({found.path: found.aliases for found in (note, named)})
    assert resolver.find("journals/2024_03_05.md", "订单/退换") == note.path
    assert resolver.find("journals/2024_03_05.md", "订单/发货") == named.path
    plain, _ = read(PAGE, "pages/订单___退换.md")
    assert plain.title == "订单___退换" and not plain.aliases


@pytest.mark.parametrize(
    "line", ["**作者**:: [[沈]]", "**作者:: ** [[沈]]", "[**作者**:: [[沈]]]", "(作者:: [[沈]])", "- __作者__:: [[沈]]"]
)
def test_a_field_with_a_marked_key(line: str) -> None:
    assert [(link.target, link.relation) for link in read(line)[0].links] == [("沈", "作者")]


def test_emoji_in_keys_and_tags() -> None:
    note, _ = read("🔥:: 热\n[🧠:: 想法]\n#✔️完成 #👨‍👩‍👧家 #1️⃣")
    assert dict(note.properties) == {"🔥": ("热",), "🧠": ("想法",)}
    assert note.tags[:2] == ("✔️完成", "👨‍👩‍👧家")


def test_a_space_that_does_not_break_names_the_same_note() -> None:
    note, _ = read("[[周报\u00a0模板]] 与 [[a b]]")
    resolver = LinkResolver({"周报 模板.md": (), "a\u00a0b.md": ()})
    assert [resolver.resolve("n.md", link).target for link in note.links] == ["周报 模板.md", "a\u00a0b.md"]


def test_a_link_to_a_block_shows_the_note_alone() -> None:
    _, (chunk,) = read("详见 [[设计#^a1b2]] 与 [[设计#目标]]")
    assert chunk.text == "详见 设计 与 设计 > 目标"
