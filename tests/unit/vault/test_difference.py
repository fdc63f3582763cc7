from graphrag.domain.note import Note
from graphrag.ingest.parse import parse_note
from graphrag.vault.changes import is_front_matter_changed, link_changes, section_changes


def note(text: str) -> Note:
    return parse_note("a.md", text.encode())


def sections(old: str, new: str) -> list[tuple[str, str, str, int]]:
    return [
        (change.kind.value, "/".join(change.heading), "/".join(change.previous_heading), change.line)
        for change in section_changes(note(old), note(new))
    ]


OLD = "开头\n\n# 题\n\n正文\n\n## 一\n\n甲\n\n## 二\n\n乙\n"


def test_sections_that_came_went_and_changed() -> None:
    new = "开头改\n\n# 题\n\n正文\n\n\n## 二\n\n乙乙\n\n## 三\n\n丙\n"
    assert sections(OLD, new) == [
        ("changed", "", "", 1),
        ("removed", "题/一", "", 7),
        ("changed", "题/二", "", 8),
        ("added", "题/三", "", 12),
    ]


def test_blank_lines_around_and_the_order_say_nothing() -> None:
    assert sections(OLD, "开头\n# 题\n正文\n## 二\n乙\n\n\n## 一\n甲") == []


def test_a_renamed_heading_keeps_what_stands_below_it() -> None:
    assert sections(OLD, OLD.replace("# 题", "# 新题", 1)) == [("renamed", "新题", "题", 3)]
    assert sections(OLD, OLD.replace("## 一", "## 壹")) == [("renamed", "题/壹", "题/一", 7)]


def test_a_section_that_moved_below_another_heading_is_told() -> None:
    old = "# A\n\na\n\n## 节\n\n文\n\n# B\n\nb\n"
    new = "# A\n\na\n\n# B\n\nb\n\n## 节\n\n文\n"
    assert sections(old, new) == [("renamed", "B/节", "A/节", 9)]


def test_equal_headings_pair_in_order_and_empty_sections_with_none() -> None:
    assert sections("## 例\n\n一\n\n## 例\n\n二\n", "## 例\n\n一\n\n## 例\n\n三\n\n## 例\n\n四\n") == [
        ("changed", "例", "", 5),
        ("added", "例", "", 9),
    ]
    assert sections("# 甲\n", "# 乙\n") == [("added", "乙", "", 1), ("removed", "甲", "", 1)]


def test_a_whole_note_that_came_or_went() -> None:
    assert [change.kind.value for change in section_changes(None, note(OLD))] == ["added"] * 4
    assert [change.kind.value for change in section_changes(note(OLD), None)] == ["removed"] * 4


def test_links_by_target_and_relation() -> None:
    old = note("[[A]] [[A|别名]] [[B#节]]\n\n依赖:: [[C]]\n[[#本节]]\n")
    new = note("\n[[A]] [文](D.md)\n\n[[C]]\n")
    assert [(change.kind.value, change.target, change.relation, change.line) for change in link_changes(old, new)] == [
        ("removed", "B", "", 1),
        ("added", "D.md", "", 2),
        ("removed", "C", "依赖", 3),
        ("added", "C", "", 4),
    ]


def test_front_matter() -> None:
    plain, headed = note("文\n"), note("---\na: 1\n---\n文\n")
    assert is_front_matter_changed(plain, headed)
    assert is_front_matter_changed(headed, note("---\na: 2\n---\n文\n"))
    assert not is_front_matter_changed(headed, note("---\na: 1\n---\n\n改\n"))
    assert not is_front_matter_changed(None, headed)
