import pytest

from vault_sync.leanote.account import Notebook
from vault_sync.leanote.file_names import (
    MAX_FOLDER_BYTES,
    UNTITLED,
    NameEntry,
    assign_names,
    notebook_folders,
    notebook_titles,
    safe_file_name,
    safe_name,
)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("《边城》笔记", "《边城》笔记"),
        ("", UNTITLED),
        ("  ", UNTITLED),
        ("...", UNTITLED),
        (". . .", UNTITLED),
        ("../../etc/passwd", "-..-etc-passwd"),
        ("a/b\\c|d", "a-b-c-d"),
        ('C# [1]: "a"? <b> * ^', "C＃ ［1］： ”a”？ ＜b＞ ＊ ＾"),
        (".git", "git"),
        (".obsidian", "obsidian"),
        ("a.\u200b ", "a"),
        ("一\n二\t三\u2028四\x00五", "一 二 三 四 五"),
        ("a\u202etxt.exe", "atxt.exe"),
        ("CON", "CON_"),
        ("nul.txt", "nul_.txt"),
        ("com1", "com1_"),
        ("console", "console"),
        ("GIT~1", "GIT~1_"),
        ("e\u0301", "\u00e9"),
        ("\ud800x", "x"),
        ("\u00a0a\u3000b", "a b"),
    ],
)
def test_a_title_becomes_a_safe_name(title: str, name: str) -> None:
    assert safe_name(title) == name


def test_a_long_title_is_cut_between_characters() -> None:
    assert safe_name("文" * 300) == "文" * 50
    assert len(safe_name("👨\u200d👩\u200d👧" * 30).encode()) <= 150
    assert safe_name("👨\u200d👩\u200d👧" * 30).endswith("👧")
    assert safe_name("e\u0323\u0301" * 100)[-1] == "\u0301"


def test_a_file_name_keeps_its_extension() -> None:
    assert safe_file_name("书单: 1.PDF") == "书单： 1.PDF"
    assert safe_file_name("长" * 100 + ".docx") == "长" * 48 + ".docx"
    assert safe_file_name(".png") == "png"
    assert safe_file_name("a.") == "a"
    assert safe_file_name("a.b/c") == "a.b-c"
    assert safe_file_name("con.pdf") == "con_.pdf"


def test_names_that_clash_are_numbered_in_the_order_of_ids() -> None:
    entries = [NameEntry("3", "readme"), NameEntry("1", "README"), NameEntry("2", "ReadMe")]
    assert assign_names(entries) == {"1": "README", "2": "ReadMe (2)", "3": "readme (3)"}


def test_a_name_is_kept_while_it_fits_its_title() -> None:
    entries = [NameEntry("1", "甲"), NameEntry("2", "甲", before="甲"), NameEntry("3", "甲", before="甲 (7)")]
    assert assign_names(entries) == {"1": "甲 (2)", "2": "甲", "3": "甲 (7)"}
    assert assign_names([NameEntry("1", "乙", before="甲 (2)")]) == {"1": "乙"}
    assert assign_names([NameEntry("1", "甲", before="甲 (x)")]) == {"1": "甲"}
    assert assign_names([NameEntry("1", "甲", before="../甲")]) == {"1": "甲"}


def test_one_earlier_name_goes_to_one_only() -> None:
    assert assign_names([NameEntry("2", "甲", "甲"), NameEntry("1", "甲", "甲")]) == {"1": "甲", "2": "甲 (2)"}


def test_names_that_are_taken_are_left_alone() -> None:
    assert assign_names([NameEntry("1", "a"), NameEntry("2", "b", "b")], {"A.md", "B"}, suffix=".md") == {
        "1": "a (2)",
        "2": "b",
    }


def test_a_title_that_looks_like_a_clash_is_told_apart() -> None:
    first = assign_names([NameEntry("1", "a"), NameEntry("2", "a"), NameEntry("3", "a (2)")])
    assert sorted(first.values()) == ["a", "a (2)", "a (2) (2)"]


def test_thousands_of_equal_titles_take_no_time() -> None:
    names = assign_names([NameEntry(f"{number:05}", "笔记") for number in range(20_000)])
    assert len(set(names.values())) == 20_000


def test_notebooks_become_nested_folders() -> None:
    notebooks = [
        Notebook("2", "小说", parent="1"),
        Notebook("1", "读书"),
        Notebook("3", "小说", parent="1"),
        Notebook("4", "a/b", parent="2"),
        Notebook("5", "孤儿", parent="gone"),
        Notebook("6", "旧", is_deleted=True),
        Notebook("7", "旧的孩子", parent="6"),
        Notebook("8", "Assets"),
        Notebook("9", "assets", parent="1"),
    ]
    assert notebook_folders(notebooks) == {
        "1": "读书",
        "2": "读书/小说",
        "3": "读书/小说 (2)",
        "4": "读书/小说/a-b",
        "5": "孤儿",
        "7": "旧的孩子",
        "8": "Assets (2)",
        "9": "读书/assets (2)",
    }
    assert notebook_titles(notebooks)["4"] == ("读书", "小说", "a/b")


def test_a_cycle_is_cut_at_its_smallest_id() -> None:
    cycle = [Notebook("b", "乙", parent="a"), Notebook("a", "甲", parent="c"), Notebook("c", "丙", parent="b")]
    tail = [Notebook("z", "尾", parent="c"), Notebook("s", "自己", parent="s")]
    expected = {"a": "甲", "b": "甲/乙", "c": "甲/乙/丙", "z": "甲/乙/丙/尾", "s": "自己"}
    assert notebook_folders([*cycle, *tail]) == expected
    assert notebook_folders([*reversed(tail), *reversed(cycle)]) == expected


def test_folders_stay_when_a_sibling_comes_or_the_parent_is_renamed() -> None:
    before = {"2": "书/甲 (2)", "9": "书/甲", "1": "书"}
    notebooks = [Notebook("1", "读书"), *(Notebook(id_, "甲", parent="1") for id_ in ("0", "2", "9"))]
    assert notebook_folders(notebooks, before) == {
        "1": "读书",
        "2": "读书/甲 (2)",
        "9": "读书/甲",
        "0": "读书/甲 (3)",
    }


def test_what_is_nested_too_deeply_goes_beside_its_parent() -> None:
    notebooks = [Notebook(f"{depth:04}", "深" * 40, parent=f"{depth - 1:04}") for depth in range(1000)]
    folders = notebook_folders(notebooks)
    assert len(set(folders.values())) == 1000
    assert max(len(folder.encode()) for folder in folders.values()) < MAX_FOLDER_BYTES + 200
    assert len(notebook_titles(notebooks)) == 1000
