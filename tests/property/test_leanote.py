"""Any body can be converted, any title becomes a safe name, and neither depends on the order of a listing."""

import random
import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.fakes.leanote.targets import ATTACHMENT, GONE, IMAGE, NOTE, FakeTargets
from tests.generated import examples
from tests.property.markdown import LINE, NOTE_TEXT
from vault_sync.leanote.account import FileKind, Notebook, NoteListing
from vault_sync.leanote.convert.body import Converted, convert
from vault_sync.leanote.file_names import (
    NameEntry,
    assign_names,
    folded,
    notebook_folders,
    notebook_titles,
    safe_file_name,
    safe_name,
)
from vault_sync.leanote.links import FileLink, NoteLink, parse_leanote_address

modest = settings(max_examples=examples(80))

LINKS = st.sampled_from(
    [
        f"![图](/api/file/getImage?fileId={IMAGE})",
        f"[书单](/attach/download?attachId={ATTACHMENT} '题')",
        f"[边城](https://a.example/note/{NOTE})",
        f"![无][1]\n\n[1]: /file/{GONE}",
        f"<img src='/file/{IMAGE}' width=30>",
        f"<a href=/note/{NOTE}>",
        "\\\\(",
        "\\\\)",
        "\\[",
        "$$",
        "$",
        "[TOC]",
        "- [ ]",
        "<!---",
        "{#id}",
        "#标题",
        "\ud800",
    ]
)
MARKDOWN = st.lists(LINKS | LINE | NOTE_TEXT, max_size=6).flatmap(
    lambda parts: st.sampled_from(["\n", "\n\n", " "]).map(lambda by: by.join(parts))
)
TAG = st.sampled_from(
    (  # noqa: SIM905
        "p div ul ol li table tr td th b i u s span pre code a img br h1 h2 blockquote script input font sub dl dt dd"
    ).split()
)
ATTRIBUTES = st.sampled_from(
    [
        "",
        f" src='/file/{IMAGE}' width=9",
        " src=data:image/png;base64,AAAA",
        f" href=/note/{NOTE}",
        " href=http://a.example/(",
        " style='background:#ff0;font-weight:bold;padding-left:30px'",
        " type=checkbox checked",
        " rowspan=3 colspan=2",
        " class='brush:java'",
        " data-mce-bogus=1",
        " =x",
        " style=' background-color : #12'",
    ]
)
HTML_PIECE = (
    st.tuples(TAG, ATTRIBUTES).map(lambda parts: f"<{parts[0]}{parts[1]}>")
    | TAG.map(lambda name: f"</{name}>")
    | st.sampled_from(
        ["&nbsp;", "&lt;", "&#0;", "\ufdd4" + "0\ufdd4", "<!--", "-->", "<![CDATA[", "☐ 事", "# x", "| a |", "<"]
    )
    | LINE
)
HTML = st.lists(HTML_PIECE, max_size=25).map("".join) | st.text(max_size=80)
CODE = st.lists(
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="`~\r\x00\n")) | LINKS.filter(str.isascii),
    max_size=6,
).map("\n".join)
INVISIBLE = "\u200b\u200e\u200f\u2060\ufeff\u00ad"
TITLES = st.text(max_size=40) | st.sampled_from(
    [
        "",
        ".",
        "..",
        "CON",
        "con.md",
        "Nul",
        "a",
        "A",
        "a (2)",
        "a/b",
        "a:b",
        ".git",
        "é",
        "e\u0301",
        "ß",
        "SS",
        "文" * 90,
        "a" * 149 + "👨\u200d👩",
    ]
)
IDS = st.text("0123456789abcdef", min_size=1, max_size=3)


def converted(body: str, is_markdown: bool) -> Converted:
    return convert(NoteListing(NOTE, "", "", (), None, None, is_markdown, ""), body, FakeTargets())


def check(result: Converted) -> None:
    result.text.encode()
    assert result.text == "" or (
        result.text.strip() and result.text.endswith("\n") and not result.text.endswith("\n\n")
    )
    assert result.named <= {IMAGE, ATTACHMENT}


@modest
@given(MARKDOWN | st.text(max_size=200))
def test_any_markdown(body: str) -> None:
    check(converted(body, True))


@modest
@given(HTML)
def test_any_html(body: str) -> None:
    result = converted(body, False)
    check(result)
    assert not any("\ufdd0" <= char <= "\ufdef" for char in result.text)
    assert "<script" not in result.text and "javascript:" not in result.text


@modest
@given(MARKDOWN, CODE, st.sampled_from(["```", "~~~~", "```python"]))
def test_code_is_the_same_after_conversion(text: str, code: str, fence: str) -> None:
    mark = fence.rstrip("python")
    body = f"{fence}\n{code}\n{mark}\n\n{text}"
    first = next(token for token in MarkdownIt().parse(converted(body, True).text) if token.type == "fence")
    expected = next(token for token in MarkdownIt().parse(body) if token.type == "fence")
    assert (first.content, first.info) == (expected.content, expected.info)


@modest
@given(CODE)
def test_code_of_rich_text_is_the_same_after_conversion(code: str) -> None:
    code = "".join(
        char for char in code.replace("\u00a0", " ") if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cn")
    )
    html = code.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    tokens = MarkdownIt().parse(converted(f"<ul><li><pre>{html}</pre></li></ul>", False).text)
    expected = code.strip("\n")
    assert [token.content for token in tokens if token.type == "fence"] == (
        [expected + "\n"] if expected.strip() else []
    )


@modest
@given(st.text(max_size=60) | st.text("*_`#>+-=|~$[]()!<&;\\ \n1.)a文:^%/t", max_size=40))
def test_text_of_rich_text_shows_as_it_was(text: str) -> None:
    html = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table").parse(converted(f"<p>{html}</p>", False).text)
    assert [token.type for token in tokens] in ([], ["paragraph_open", "inline", "paragraph_close"])
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "softbreak"}
    shown = "".join(child.content or " " for token in tokens for child in token.children or ())
    if text.isprintable():
        assert shown.split() == re.sub(f"[{INVISIBLE}]", "", text).split()


@modest
@given(
    st.sampled_from([IMAGE, NOTE, GONE]),
    st.sampled_from(["", "/", "https://a.example/", "http://localhost:9000/p/q/", "//h/"]),
)
def test_the_recogniser_knows_every_form(id_: str, host: str) -> None:
    for route, kind in (("file/getImage", FileKind.IMAGE), ("file/getAttach", FileKind.ATTACHMENT)):
        for query in (f"fileId={id_}", f"a=1&amp;fileId={id_.upper()}&b=2"):
            found = parse_leanote_address(f"{host}api/{route}?{query}")
            assert isinstance(found, FileLink) and (found.ref.id, found.ref.kind) == (id_, kind)
    assert parse_leanote_address(f"{host}note/{id_}") == NoteLink(id_)


@modest
@given(st.text(max_size=80), st.booleans())
def test_any_address(address: str, is_embedded: bool) -> None:
    parse_leanote_address(address, is_embedded)
    parse_leanote_address(f"https://{address}", is_embedded)


def is_safe(name: str) -> bool:
    return (
        bool(name)
        and not any(
            char in '\\/:*?"<>|#^[]' or ord(char) < 32 or unicodedata.category(char) in ("Cc", "Cs") for char in name
        )
        and name == name.strip(" ")
        and not name.startswith(".")
        and not name.endswith(".")
        and name.split(".")[0].lower() not in {"con", "prn", "aux", "nul", *(f"com{n}" for n in "123456789")}
        and unicodedata.is_normalized("NFC", name)
    )


@modest
@given(TITLES)
def test_any_title_becomes_a_safe_name(title: str) -> None:
    for name in (safe_name(title), safe_file_name(title), safe_file_name(title + ".pdf")):
        assert is_safe(name)
        assert len(name.encode()) <= 151
    assert safe_name(safe_name(title)) == safe_name(title)


@modest
@given(
    st.dictionaries(IDS, TITLES, max_size=12),
    st.lists(TITLES.map(safe_name), max_size=3),
    st.randoms(use_true_random=False),
)
def test_names_are_unique_and_stable(titles: dict[str, str], taken: list[str], chance: random.Random) -> None:
    entries = [NameEntry(id_, title) for id_, title in titles.items()]
    names = assign_names(entries, taken)
    assert names.keys() == titles.keys()
    assert len({folded(name) for name in [*names.values(), *taken]}) == len(names) + len(
        {folded(name) for name in taken}
    )
    assert all(is_safe(name) and len((name + ".md").encode()) < 200 for name in names.values())
    chance.shuffle(entries)
    assert assign_names(entries, taken) == names
    again = [NameEntry(entry.id, entry.title, names[entry.id]) for entry in entries if chance.random() < 0.7]
    assert assign_names(again, taken) == {entry.id: entry.before for entry in again}
    more = assign_names([*again, NameEntry("zzz", "a"), NameEntry("", "CON")], taken)
    assert {entry.id: more[entry.id] for entry in again} == {entry.id: entry.before for entry in again}


NOTEBOOKS = st.dictionaries(
    IDS, st.tuples(TITLES, IDS | st.just(""), st.sampled_from([False, False, True])), max_size=12
)


@modest
@given(NOTEBOOKS, st.randoms(use_true_random=False))
def test_folders_are_unique_nested_and_stable(
    notebooks: dict[str, tuple[str, str, bool]], chance: random.Random
) -> None:
    given_ = [
        Notebook(id_, title, parent, is_deleted=is_deleted) for id_, (title, parent, is_deleted) in notebooks.items()
    ]
    folders = notebook_folders(given_)
    assert folders.keys() == {notebook.id for notebook in given_ if not notebook.is_deleted}
    assert folders.keys() == notebook_titles(given_).keys()
    assert len({folded(folder) for folder in folders.values()}) == len(folders)
    for folder in folders.values():
        assert all(is_safe(part) for part in folder.split("/"))
        parent = folder.rpartition("/")[0]
        assert not parent or parent in folders.values()
        assert folded(folder) != "assets"
    chance.shuffle(given_)
    assert notebook_folders(given_) == folders
    assert notebook_folders(given_, folders) == folders
