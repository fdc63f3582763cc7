"""What goes wrong between a source and a vault: files that come late, older versions, bad places, a lost state."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag.errors import SourceRefused, SourceUnavailable
from tests.fakes.leanote.pictures import png
from tests.fakes.leanote.source import MemorySource, note_id
from tests.unit.vault_sync.leanote.vaults import IMAGE, OPTIONS, PAPER, Vault, kinds, small_account
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.write.import_plan import ConflictPolicy, ImportOptions, TrashPolicy
from vault_sync.leanote.write.import_report import Item

NOTE = "读书/小说/边城.md"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


@pytest.fixture
def source() -> MemorySource:
    return small_account()


def test_a_file_that_was_missing_once_is_asked_for_until_it_comes(vault: Vault, source: MemorySource) -> None:
    late = {name: source.data.pop(name) for name in (IMAGE, PAPER)}
    first = vault.run(source)
    assert len(first.missing_files) == 2
    again = vault.run(source)
    assert not again.is_unchanged, "the source says that nothing has changed, but something is missing"
    assert again.missing_files == first.missing_files
    assert kinds(again) == {"unchanged": 3}
    source.data |= late
    assert kinds(vault.run(source)) == {"updated": 1, "unchanged": 2}
    assert {f"assets/{IMAGE}.png", "assets/书单.pdf"} <= set(vault.names())
    assert f"![渡口](../../assets/{IMAGE}.png)" in vault.text(NOTE)
    assert vault.run(source).missing_files == ()
    assert vault.run(source).is_unchanged


def test_a_missing_file_is_asked_for_again_though_the_note_was_edited_here(vault: Vault, source: MemorySource) -> None:
    paper = source.data.pop(PAPER)
    vault.run(source)
    mine = vault.edit(NOTE)
    assert kinds(vault.run(source)) == {"unchanged": 3}
    source.data[PAPER] = paper
    assert kinds(vault.run(source)) == {"conflicts": 1, "unchanged": 2}
    assert vault.text(NOTE) == mine
    assert "assets/书单.pdf" in vault.names()


@pytest.mark.parametrize("name", ["秘密.md", "秘密.MD", "图.canvas"])
def test_an_attachment_never_becomes_a_note_of_the_vault(vault: Vault, source: MemorySource, name: str) -> None:
    text = f"---\nleanote_id: '{note_id(3)}'\n---\n机密\n".encode()
    source.data["c" * 24] = text
    source.add_note("带附件", "x\n", files=(FileRef("c" * 24, FileKind.ATTACHMENT, name),))
    vault.run(source)
    assert vault.files()[f"assets/{name}.txt"] == text
    assert f"- [{name}](assets/{name}.txt)\n" in vault.text("带附件.md")
    assert f"assets/{name}" not in vault.names()


def test_a_note_among_the_attachments_is_not_taken_for_one_that_is_missing(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    (vault.root / "assets/别的.md").write_text(f"---\nleanote_id: '{note_id(3)}'\n---\n", encoding="utf-8")
    (vault.root / "散记.md").rename(vault.root / "搬走.md")
    source.change(note_id(3), "改了\n")
    vault.run(source)
    assert "改了" in vault.text("搬走.md")


def test_a_private_notebook_reaches_notes_that_were_edited_here(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    mine = vault.edit("读书/随想.md")
    report = vault.run(source, replace(OPTIONS, private=("读书",)))
    assert [item.name for item in report.made_private] == ["读书/随想.md"]
    assert vault.text("读书/随想.md") == mine.replace("format: markdown\n---", "format: markdown\nrag: false\n---")
    assert "rag: false" in vault.text(NOTE)
    assert vault.run(source).is_unchanged
    assert kinds(vault.run(source, replace(OPTIONS, conflicts=ConflictPolicy.OURS))) == {"unchanged": 3}


def test_a_note_that_leanote_moves_into_a_private_notebook_becomes_private(vault: Vault, source: MemorySource) -> None:
    options = replace(OPTIONS, private=("读书",))
    vault.run(source, options)
    vault.edit("散记.md")
    book = next(book.id for book in source.books.values() if book.title == "读书")
    source.change(note_id(3), notebook=book)
    trial = vault.run(source, options, is_trial=True)
    assert "rag" not in vault.text("散记.md")
    report = vault.run(source, options)
    assert [item.name for item in report.made_private] == ["散记.md"]
    assert trial.made_private == report.made_private
    assert "rag: false" in vault.text("散记.md")


def test_a_source_that_breaks_down_leaves_no_private_note_open(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    vault.edit("读书/随想.md")
    source.fail_after = 0
    with pytest.raises(SourceUnavailable):
        vault.run(source, replace(OPTIONS, private=("读书",)))
    assert "rag: false" in vault.text("读书/随想.md")
    assert "rag: false" in vault.text(NOTE)
    source.fail_after = None
    assert kinds(vault.run(source)) == {"unchanged": 3}
    assert "rag" not in vault.text("散记.md")


def test_an_edited_note_in_the_trash_or_left_out_becomes_private_too(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    vault.edit("读书/随想.md")
    vault.edit(NOTE)
    source.change(note_id(2), is_trash=True)
    report = vault.run(source, replace(OPTIONS, private=("读书",), exclude=("读书/小说",)))
    assert {item.name for item in report.made_private} == {"读书/随想.md", NOTE}


def test_a_note_whose_front_matter_is_odd_is_named_and_left_alone(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    odd = "---\n- 一个\n- 列表\n---\n正文\n"
    (vault.root / "读书/随想.md").write_text(odd, encoding="utf-8")
    report = vault.run(source, replace(OPTIONS, private=("读书",)))
    assert [item.name for item in report.warnings] == ["读书/随想.md"]
    assert "write `rag: false` into it" in report.warnings[0].detail
    assert vault.text("读书/随想.md") == odd


def test_the_lists_hold_until_they_are_given_anew(vault: Vault, source: MemorySource) -> None:
    diary = source.add_notebook("日记")
    source.add_note("秘密", "x\n", diary)
    vault.run(source, replace(OPTIONS, private=("日记",), exclude=("小说",)))
    source.change(note_id(4), "y\n")
    source.add_note("后来的", "x\n", diary)
    report = vault.run(source)
    assert report.skipped == (Item("边城", "its notebook is left out"),)
    assert "rag: false" in vault.text("日记/秘密.md")
    assert "rag: false" in vault.text("日记/后来的.md")
    report = vault.run(source, replace(OPTIONS, exclude=()))
    assert [item.name for item in report.imported] == [NOTE]
    assert "rag: false" in vault.text("日记/秘密.md"), "the other list stays"
    vault.run(source, replace(OPTIONS, private=()))
    assert "rag" not in vault.text("日记/秘密.md")
    assert vault.run(source).is_unchanged


def test_a_remembered_private_notebook_that_is_gone_stops_the_run(vault: Vault, source: MemorySource) -> None:
    diary = source.add_notebook("日记")
    source.add_note("秘密", "x\n", diary)
    vault.run(source, replace(OPTIONS, private=("日记",)))
    source.rename_notebook(diary, "随笔")
    with pytest.raises(SourceRefused, match=r"--private 日记: .* Give --private anew, or --private '' for none"):
        vault.run(source)
    assert "rag: false" in vault.text("日记/秘密.md")


def test_another_source_of_the_same_notes_goes_on_with_their_choices(vault: Vault, source: MemorySource) -> None:
    vault.run(source, replace(OPTIONS, into="导入", private=("读书",)))
    before = vault.files()
    report = vault.run(source, ImportOptions("a dump of it"))
    assert (report.into, kinds(report)) == ("导入", {"unchanged": 3})
    assert vault.files() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("画.canvas", '{"nodes":[{"type":"file","file":"assets/\\u4e66\\u5355.pdf"}]}'),
        ("页.html", '<a href="assets/%E4%B9%A6%E5%8D%95.pdf">书</a>'),
        ("表.csv", "名,assets/书单.pdf\n"),
        ("我的.md", "[书](assets/%e4%b9%a6单.pdf)"),
    ],
)
def test_a_file_that_any_text_of_the_vault_names_stays(
    vault: Vault, source: MemorySource, name: str, text: str
) -> None:
    vault.run(source)
    (vault.root / name).write_text(text, encoding="utf-8")
    source.change(note_id(1), "没有了\n", files=())
    report = vault.run(source)
    assert "assets/书单.pdf" in vault.names()
    assert [item.name for item in report.removed_files] == [f"assets/{IMAGE}.png"]


@pytest.mark.parametrize("policy", list(TrashPolicy))
def test_a_file_that_no_note_uses_goes_where_notes_go_and_is_listed(
    vault: Vault, source: MemorySource, policy: TrashPolicy
) -> None:
    vault.run(source)
    source.change(note_id(1), "没有了\n", files=())
    options = replace(OPTIONS, trash=policy)
    trial = vault.run(source, options, is_trial=True)
    report = vault.run(source, options)
    assert trial.removed_files == report.removed_files
    assert {item.name for item in report.removed_files} == {f"assets/{IMAGE}.png", "assets/书单.pdf"}
    assert ("assets/书单.pdf" in vault.names()) == (policy is TrashPolicy.KEEP)
    assert (".trash/书单.pdf" in vault.names()) == (policy is TrashPolicy.MOVE)
    assert vault.run(source, options).removed_files == ()


def test_an_older_source_takes_nothing_back(vault: Vault, source: MemorySource) -> None:
    old = small_account()
    source.change(note_id(3), "新的\n", title="新题目")
    source.change(note_id(2), is_trash=False)
    source.add_note("最新的", "x\n")
    vault.run(source)
    before = vault.files()
    old.change(note_id(2), is_trash=True)
    old.listings[note_id(2)] = replace(old.listings[note_id(2)], usn=1)
    report = vault.run(old, ImportOptions("an old dump"))
    assert [item.name for item in report.skipped] == ["读书/随想.md", "新题目.md"]
    assert "older version" in report.skipped[0].detail
    assert vault.files() == before
    report = vault.run(source)
    assert not report.is_unchanged, "another source had its notes meanwhile"
    assert kinds(report) == {"unchanged": 4}
    old.usn += 1
    vault.run(old, ImportOptions("an old dump", conflicts=ConflictPolicy.THEIRS))
    assert "新的" not in vault.text("散记.md")


def test_an_older_source_does_not_bring_back_what_was_trashed_since(vault: Vault, source: MemorySource) -> None:
    old = small_account()
    vault.run(source)
    source.change(note_id(2), is_trash=True)
    vault.run(source)
    vault.run(old, ImportOptions("an old dump"))
    assert ".trash/随想.md" in vault.names()
    assert "读书/随想.md" not in vault.names()
    source.change(note_id(2), is_trash=False)
    vault.run(source)
    assert "读书/随想.md" in vault.names()


def test_an_older_dump_under_the_same_name_removes_no_newer_note(vault: Vault, source: MemorySource) -> None:
    old = small_account()
    source.add_note("最新的", "x\n")
    vault.run(source)
    report = vault.run(old)
    assert kinds(report) == {"skipped": 1, "unchanged": 3}
    assert "最新的.md" in vault.names()


def test_times_tell_what_is_older_where_there_are_no_counters(vault: Vault, source: MemorySource) -> None:
    source.change(note_id(3), "新的\n")
    old = small_account()
    for account in (source, old):
        account.listings = {id_: replace(note, usn=0) for id_, note in account.listings.items()}
    vault.run(source)
    report = vault.run(old, ImportOptions("an old export"))
    assert [item.name for item in report.skipped] == ["散记.md"]
    assert "新的" in vault.text("散记.md")


def test_a_file_where_a_folder_should_be_fails_its_notes_alone(vault: Vault, source: MemorySource) -> None:
    (vault.root / "读书").write_text("我的", encoding="utf-8")
    trial = vault.run(source, is_trial=True)
    report = vault.run(source)
    assert report.failures == trial.failures
    assert [item.name for item in report.failures] == [NOTE, "读书/随想.md"]
    assert report.failures[0].detail == "读书 is a file, not a folder. Move it away, and import again."
    assert vault.names() == ["散记.md", "读书"], "and no picture without its note"
    (vault.root / "读书").unlink()
    assert len(vault.run(source).imported) == 2


def test_a_known_note_whose_folder_became_a_link_fails_alone(
    vault: Vault, source: MemorySource, tmp_path: Path
) -> None:
    vault.run(source)
    outside = tmp_path / "outside"
    shutil.move(vault.root / "读书", outside)
    (vault.root / "读书").symlink_to(outside)
    before = {path: path.read_bytes() for path in outside.rglob("*.md")}
    source.change(note_id(2), "改了\n")
    source.change(note_id(1), is_trash=True)
    report = vault.run(source)
    assert {item.name for item in report.failures} == {NOTE, "读书/随想.md"}
    assert {path: path.read_bytes() for path in outside.rglob("*.md")} == before


@pytest.mark.parametrize("folder", [".trash", "assets"])
def test_a_link_in_place_of_our_own_folders_is_not_followed(
    vault: Vault, source: MemorySource, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "outside").mkdir()
    vault.run(source)
    if (vault.root / folder).exists():
        shutil.rmtree(vault.root / folder)
    (vault.root / folder).symlink_to(tmp_path / "outside")
    source.change(note_id(1), source.bodies[note_id(1)] + "又\n")
    source.change(note_id(2), is_trash=True)
    source.data[IMAGE] = png(7)
    report = vault.run(source)
    assert len(report.failures) == 1
    assert "symbolic link" in report.failures[0].detail
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_folder_that_may_not_be_written_to_fails_its_notes_alone(
    vault: Vault, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.root / "读书").mkdir()
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "读书" and real(path, mode))
    report = vault.run(source)
    assert len(report.failures) == 2
    assert "nothing may be written into" in report.failures[0].detail
    assert "--index-dir" not in report.failures[0].detail
    assert report.imported == (Item("散记.md"),)


@pytest.mark.parametrize("into", ["", "导入/Leanote"])
def test_a_lost_state_is_found_again_in_the_vault(vault: Vault, source: MemorySource, into: str) -> None:
    same = [FileRef(f"{number:024x}", FileKind.ATTACHMENT, "书单.pdf") for number in (1, 2)]
    source.data |= {same[0].id: b"one", same[1].id: b"two"}
    source.add_note("附件多", "x\n", source.add_notebook("日记"), files=tuple(same))
    vault.run(source, replace(OPTIONS, into=into, private=("日记",)))
    before = vault.files()
    vault.state_file.unlink()
    source.change(note_id(3), is_blog=True)
    report = vault.run(source)
    assert report.into == into
    assert report.conflicts == report.imported == report.removed_files == ()
    assert set(vault.names()) == set(before), "no second folder of assets, no copies"
    changed = {name for name, data in vault.files().items() if data != before[name]}
    assert {Path(name).name for name in changed} == {"散记.md"}
    assert "--private is taken to be 日记" in report.warnings[0].detail
    assert vault.run(source).is_unchanged


def test_a_lost_state_and_a_folder_that_the_user_renamed_make_no_conflict(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    vault.state_file.unlink()
    (vault.root / "读书").rename(vault.root / "我的")
    report = vault.run(source)
    assert report.conflicts == ()
    assert "[[我的/小说/边城|回]]" in vault.text("散记.md")


def test_a_lost_state_writes_no_second_copy_of_a_conflict(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    vault.edit("散记.md")
    source.change(note_id(3), "他们写的\n")
    vault.run(source)
    before = vault.files()
    vault.state_file.unlink()
    assert len(vault.run(source).conflicts) == 1
    assert vault.files() == before


def test_a_lost_state_keeps_what_the_user_hid(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    text = vault.text("读书/随想.md").replace("format: markdown\n", "format: markdown\nrag: false\n")
    (vault.root / "读书/随想.md").write_text(text, encoding="utf-8")
    book = next(book.id for book in source.books.values() if book.title == "读书")
    source.add_note("公开的", "x\n", book)
    vault.run(source)
    vault.state_file.unlink()
    report = vault.run(source)
    assert vault.text("读书/随想.md") == text
    assert "rag" not in vault.text("读书/公开的.md")
    assert "--private" not in report.warnings[0].detail


def test_equal_bytes_keep_the_names_that_their_notes_give_them(vault: Vault, source: MemorySource) -> None:
    refs = [FileRef(f"{number:024x}", FileKind.ATTACHMENT, name) for number, name in ((1, "甲.txt"), (2, "乙.log"))]
    source.data |= {ref.id: b"same" for ref in refs}
    source.add_note("附件多", "x\n", files=tuple(refs))
    vault.run(source)
    assert {"assets/甲.txt", "assets/乙.log"} <= set(vault.names())


def test_equal_pictures_are_written_once(vault: Vault, source: MemorySource) -> None:
    source.data["d" * 24] = source.data[IMAGE]
    source.add_note("同图", f"![x](/api/file/getImage?fileId={'d' * 24})\n")
    vault.run(source)
    assert [name for name in vault.names() if name.endswith(".png")] == [f"assets/{IMAGE}.png"]
    assert f"(assets/{IMAGE}.png)" in vault.text("同图.md")


def test_most_of_the_notes_do_not_go_at_once_unless_it_is_said(vault: Vault, source: MemorySource) -> None:
    for number in range(9):
        source.add_note(f"第{number}篇", "x\n")
    vault.run(source)
    before = vault.files()
    for number in range(3, 10):
        source.drop(note_id(number))
    report = vault.run(source)
    assert "lacks 7 of the 12 notes" in report.warnings[0].detail
    assert "--trash move" in report.warnings[0].detail
    assert vault.names() == list(before)
    assert len(vault.run(source, replace(OPTIONS, removes_many=True)).removed) == 7


def test_a_run_that_took_nothing_is_a_failure(vault: Vault, source: MemorySource) -> None:
    source.unreadable = set(source.listings)
    source.add_note("旧稿", "x\n", is_trash=True)
    report = vault.run(source)
    assert report.is_failure
    source.unreadable.remove(note_id(2))
    assert not vault.run(source).is_failure
