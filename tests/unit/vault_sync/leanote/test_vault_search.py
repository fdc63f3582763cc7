from pathlib import Path

import pytest

from vault_sync.leanote.write.vault_writer import named_in_texts, notes_by_id

ID = b"---\nleanote_id: 'abc'\n---\n"


def test_notes_are_found_by_id_but_not_among_attachments_hidden_files_or_links(tmp_path: Path) -> None:
    for name in ("甲/x.md", "甲/assets/y.md", "Assets/z.md", ".trash/t.md", "page.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(ID)
    (tmp_path / "link.md").symlink_to(tmp_path / "甲/x.md")
    assert notes_by_id(tmp_path) == {"abc": ["甲/x.md"]}


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("a.md", "![[照 片.PNG]]"),
        ("a.md", "![](assets/%E7%85%A7%20%E7%89%87.png)"),
        ("a.canvas", '{"file": "assets/\\u7167 \\u7247.png"}'),
        ("a.html", "<img src='照 片.png'>"),
        ("a.excalidraw", "照 片.png"),
    ],
)
def test_a_name_is_found_in_every_text_in_every_form(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    names = {"照 片.png", "别的.png"}
    assert named_in_texts(tmp_path, names, ()) == {"照 片.png"}
    assert named_in_texts(tmp_path, names, {file}) == set()


def test_binary_files_name_nothing_and_a_text_that_may_not_be_read_names_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.bin").write_bytes(b"\0 a.png")
    assert named_in_texts(tmp_path, {"a.png"}, ()) == set()

    def refuse(self: Path, mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", refuse)
    assert named_in_texts(tmp_path, {"a.png"}, ()) == {"a.png"}
    assert notes_by_id(tmp_path) == {}
