import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from graphrag.errors import SourceRefused, SourceUnavailable
from tests.fakes.leanote.source import MemorySource, note_id
from tests.unit.vault_sync.leanote.vaults import IMAGE, OPTIONS, PAPER, Vault, kinds, small_account
from vault_sync.leanote.account import FileKind, FileRef, Problem
from vault_sync.leanote.write import import_plan
from vault_sync.leanote.write.import_plan import ConflictPolicy, ImportOptions, TrashPolicy
from vault_sync.leanote.write.import_report import Item
from vault_sync.leanote.write.import_state import ImportState
from vault_sync.leanote.write.note_file import id_in


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path)


@pytest.fixture
def source() -> MemorySource:
    return small_account()


def test_notes_become_files_in_nested_folders_with_their_pictures_and_links(vault: Vault, source: MemorySource) -> None:
    report = vault.run(source)
    assert kinds(report) == {"imported": 3}
    assert vault.names() == [f"assets/{IMAGE}.png", "assets/书单.pdf", "散记.md", "读书/小说/边城.md", "读书/随想.md"]
    text = vault.text("读书/小说/边城.md")
    assert f"![渡口](../../assets/{IMAGE}.png)" in text
    assert "[[散记|见]]" in text, "a note that comes later in the run is found"
    assert text.endswith("\n## 附件\n\n- [书单.pdf](../../assets/书单.pdf)\n")
    assert "[[读书/小说/边城|回]]" in vault.text("散记.md")
    assert "notebook: 读书/小说\n" in text
    assert report.unresolved_links == report.missing_files == ()


def test_a_second_run_asks_for_nothing_and_changes_nothing(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    before = vault.files()
    report = vault.run(source)
    assert report.is_unchanged
    assert kinds(report) == {"unchanged": 3}
    source.has_checkpoint = False
    report = vault.run(source)
    assert not report.is_unchanged
    assert kinds(report) == {"unchanged": 3}
    assert source.bodies_read == source.files_read == []
    assert vault.files() == before


def test_only_what_changed_is_read_again_and_its_files_are_not(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    source.change(note_id(1), source.bodies[note_id(1)] + "又一段\n")
    report = vault.run(source)
    assert report.updated == (Item("读书/小说/边城.md"),)
    assert kinds(report) == {"updated": 1, "unchanged": 2}
    assert (source.bodies_read, source.files_read) == ([note_id(1)], [])
    assert "又一段" in vault.text("读书/小说/边城.md")


def test_a_renamed_note_and_a_renamed_notebook_move_the_files_and_mend_the_links(
    vault: Vault, source: MemorySource
) -> None:
    vault.run(source)
    source.change(note_id(1), title="边城读后")
    source.rename_notebook(source.listings[note_id(1)].notebook, "长篇")
    report = vault.run(source)
    assert report.moved == (Item("读书/长篇/边城读后.md", "from 读书/小说/边城.md"),)
    assert not (vault.root / "读书/小说").exists()
    assert "[[读书/长篇/边城读后|回]]" in vault.text("散记.md")
    assert "notebook: 读书/长篇\n" in vault.text("读书/长篇/边城读后.md")
    assert kinds(vault.run(source)) == {"unchanged": 3}


def test_two_notes_that_swap_their_titles_swap_their_files(vault: Vault, source: MemorySource) -> None:
    source.change(note_id(2), notebook="")
    vault.run(source)
    source.change(note_id(2), title="散记")
    source.change(note_id(3), title="随想")
    vault.run(source)
    vault.run(source)
    found = {id_in((vault.root / name).read_bytes()): name for name in ("散记.md", "随想.md")}
    assert found == {note_id(2): "散记.md", note_id(3): "随想.md"}
    assert len([name for name in vault.names() if name.endswith(".md")]) == 3


def test_an_edited_note_is_kept_and_leanotes_version_put_beside_it(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    mine = vault.edit("散记.md")
    assert kinds(vault.run(source)) == {"unchanged": 3}
    source.change(note_id(3), "他们写的\n")
    report = vault.run(source)
    assert kinds(report) == {"conflicts": 1, "unchanged": 2}
    (copy,) = [name for name in vault.names() if "Leanote" in name]
    assert copy == "散记 (Leanote 2023-06-02).md"
    assert copy in report.conflicts[0].detail
    assert vault.text("散记.md") == mine
    assert "他们写的" in vault.text(copy)
    assert "rag: false" in vault.text(copy)
    source.change(note_id(3), "他们又写的\n")
    vault.run(source)
    assert [name for name in vault.names() if "Leanote" in name] == [copy], "an untouched copy is brought up to date"
    assert "他们又写的" in vault.text(copy)
    assert kinds(vault.run(replace_checkpoint(source))) == {"unchanged": 3}


def replace_checkpoint(source: MemorySource) -> MemorySource:
    source.has_checkpoint = False
    return source


@pytest.mark.parametrize("is_later", [False, True])
def test_theirs_takes_leanotes_version_and_ours_keeps_the_vaults(
    tmp_path: Path, source: MemorySource, is_later: bool
) -> None:
    """Whether asked for at once, or after the conflict was shown."""
    for policy, expected in ((ConflictPolicy.THEIRS, "他们写的"), (ConflictPolicy.OURS, "我写的")):
        folder = tmp_path / policy
        folder.mkdir()
        vault = Vault(folder)
        vault.run(source)
        vault.edit("散记.md")
        source.change(note_id(3), f"他们写的 {policy}\n")
        if is_later:
            vault.run(source)
        report = vault.run(source, replace(OPTIONS, conflicts=policy))
        assert len(report.conflicts) == 1
        assert expected in vault.text("散记.md")
        assert not [name for name in vault.names() if "Leanote" in name]
        assert kinds(vault.run(replace_checkpoint(source))) == {"unchanged": 3}


def test_an_edited_note_that_leanote_renames_stays_and_its_name_is_not_given_away(
    vault: Vault, source: MemorySource
) -> None:
    vault.run(source)
    mine = vault.edit("散记.md")
    source.change(note_id(3), title="别名")
    source.add_note("散记", "甲\n")
    source.add_note("散记 (2)", "乙\n")
    report = vault.run(source)
    assert report.moved == ()
    assert vault.text("散记.md") == mine
    new = [item.name for item in report.imported]
    assert len(new) == len(set(new)) == 2
    assert sorted(vault.text(name).splitlines()[-1] for name in new) == ["乙", "甲"]
    before = vault.files()
    assert kinds(vault.run(replace_checkpoint(source))) == {"unchanged": 5}
    assert vault.files() == before


def test_counters_alone_make_no_conflict(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    mine = vault.edit("散记.md")
    source.change(note_id(3), is_blog=True)
    assert kinds(vault.run(source)) == {"unchanged": 3}
    assert vault.text("散记.md") == mine


def test_a_note_deleted_here_stays_deleted_until_it_changes_at_leanote(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    (vault.root / "散记.md").unlink()
    source.change(note_id(2), "别的\n")
    report = vault.run(source)
    assert report.skipped == (Item("散记.md", "deleted here"),)
    assert not (vault.root / "散记.md").exists()
    source.change(note_id(3), "新的\n")
    report = vault.run(source)
    assert "deleted here and changed at Leanote" in report.conflicts[0].detail
    assert not (vault.root / "散记.md").exists()
    assert "新的" in vault.text("散记 (Leanote 2023-06-02).md")
    vault.run(source, replace(OPTIONS, conflicts=ConflictPolicy.THEIRS))
    assert "新的" in vault.text("散记.md")


def test_a_note_that_the_user_moved_is_found_and_stays_there(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    (vault.root / "我的").mkdir()
    (vault.root / "读书/小说/边城.md").rename(vault.root / "我的/边城.md")
    source.change(note_id(1), source.bodies[note_id(1)] + "又一段\n", title="另一个题目")
    report = vault.run(source)
    assert report.updated == (Item("我的/边城.md"), Item("散记.md"))
    assert f"](../assets/{IMAGE}.png)" in vault.text("我的/边城.md")
    assert "[[我的/边城|回]]" in vault.text("散记.md")
    assert len(vault.names()) == 5
    assert kinds(vault.run(replace_checkpoint(source))) == {"unchanged": 3}


def test_removed_notes_go_to_the_trash_and_come_back(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    before = vault.files()
    source.change(note_id(2), is_trash=True)
    report = vault.run(source)
    assert report.removed == (Item("读书/随想.md", "in Leanote's trash; moved to .trash/随想.md"),)
    assert ".trash/随想.md" in vault.names()
    assert kinds(vault.run(replace_checkpoint(source))) == {"skipped": 1, "unchanged": 2}
    source.change(note_id(2), is_trash=False)
    vault.run(source)
    assert vault.names() == list(before)
    assert "一段文字" in vault.text("读书/随想.md")


def test_a_note_comes_back_though_the_trash_holds_another_file_by_then(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    source.change(note_id(2), is_trash=True)
    vault.run(source)
    (vault.root / ".trash/随想.md").write_text("另一篇", encoding="utf-8")
    source.change(note_id(2), is_trash=False)
    vault.run(source)
    assert "一段文字" in vault.text("读书/随想.md")
    assert vault.text(".trash/随想.md") == "另一篇"


def test_a_file_that_took_the_place_of_a_deleted_one_is_not_ours(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    source.drop(note_id(2))
    vault.run(source, replace(OPTIONS, trash=TrashPolicy.DELETE))
    (vault.root / "读书").mkdir(exist_ok=True)
    (vault.root / "读书/随想.md").write_text("我的", encoding="utf-8")
    source.listings[note_id(2)] = replace(source.listings[note_id(1)], id=note_id(2), title="随想", files=())
    source.change(note_id(2), notebook=next(iter(source.books)))
    vault.run(source, replace(OPTIONS, conflicts=ConflictPolicy.THEIRS))
    assert vault.text("读书/随想.md") == "我的"
    assert "一段文字" in vault.text("读书/随想 (2).md")


@pytest.mark.parametrize(("policy", "is_there"), [(TrashPolicy.DELETE, False), (TrashPolicy.KEEP, True)])
def test_removed_notes_are_deleted_or_kept_on_demand(
    vault: Vault, source: MemorySource, policy: TrashPolicy, is_there: bool
) -> None:
    vault.run(source)
    source.drop(note_id(1))
    report = vault.run(source, replace(OPTIONS, trash=policy))
    assert kinds(report) == {"removed": 1, "updated": 1, "unchanged": 1}, "the link to it is plain again"
    assert (vault.root / "读书/小说/边城.md").exists() == is_there
    assert (vault.root / f"assets/{IMAGE}.png").exists() == is_there
    assert len(report.unresolved_links) == 1


def test_an_edited_note_is_never_taken_away(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    mine = vault.edit("读书/随想.md")
    source.drop(note_id(2))
    report = vault.run(source, replace(OPTIONS, trash=TrashPolicy.DELETE))
    assert report.conflicts == (Item("读书/随想.md", "no longer at Leanote, but changed here: kept"),)
    assert vault.text("读书/随想.md") == mine


def test_a_listing_that_may_lack_notes_removes_nothing(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    before = vault.files()
    saved = dict(source.listings)
    source.has_checkpoint = source.is_whole = False
    source.drop(note_id(2))
    assert "removed" not in kinds(vault.run(source))
    source.is_whole = True
    source.listings.clear()
    report = vault.run(source)
    assert "none of the 3 notes" in report.warnings[0].detail
    source.listings = saved
    other = MemorySource()
    other.add_note("别人的", id=note_id(77))
    other.listings = {note_id(77): replace(other.listings[note_id(1)], id=note_id(77))}
    other.bodies[note_id(77)] = "x\n"
    assert kinds(vault.run(other, ImportOptions("another account"))) == {"imported": 1}
    assert {name: data for name, data in vault.files().items() if name in before} == before


def test_a_problem_that_hides_no_note_keeps_nothing_from_being_removed(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    source.drop(note_id(2))
    source.troubles = [Problem("a file", "the server answers 500 for it")]
    assert kinds(vault.run(source))["removed"] == 1


def test_files_that_no_note_uses_are_removed_unless_someone_names_or_changed_them(
    vault: Vault, source: MemorySource
) -> None:
    vault.run(source)
    (vault.root / "我的.md").write_text(f"![[{IMAGE}.png]]", encoding="utf-8")
    source.change(note_id(1), "没有了\n", files=())
    vault.run(source)
    assert (vault.root / f"assets/{IMAGE}.png").exists()
    assert not (vault.root / "assets/书单.pdf").exists()


def test_the_same_bytes_are_written_once_and_a_clash_is_marked(vault: Vault, source: MemorySource) -> None:
    refs = [FileRef(f"{number:024x}", FileKind.ATTACHMENT, "书单.pdf") for number in (1, 2)]
    source.data |= {refs[0].id: source.data[PAPER], refs[1].id: "别的书单".encode()}
    source.add_note("附件多", "x\n", files=tuple(refs))
    vault.run(source)
    assert [name for name in vault.names() if name.endswith(".pdf")] == ["assets/书单 (2).pdf", "assets/书单.pdf"]
    assert vault.text("附件多.md").endswith("- [书单.pdf](assets/书单.pdf)\n- [书单.pdf](assets/书单%20%282%29.pdf)\n")


def test_files_of_others_in_the_way_are_left_alone(vault: Vault, source: MemorySource) -> None:
    (vault.root / "assets").mkdir()
    mine = {"散记.md": "我的笔记", f"assets/{IMAGE}.png": "不是图片"}
    for name, text in mine.items():
        (vault.root / name).write_text(text, encoding="utf-8")
    vault.run(source)
    assert {name: vault.text(name) for name in mine} == mine
    assert {"散记 (2).md", f"assets/{IMAGE} (2).png"} <= set(vault.names())
    assert kinds(vault.run(replace_checkpoint(source))) == {"unchanged": 3}


def test_notebooks_are_left_out_or_kept_from_answers(vault: Vault, source: MemorySource) -> None:
    diary = source.add_notebook("日记")
    deeper = source.add_notebook("2023", diary)
    source.add_note("秘密", "x\n", deeper)
    options = replace(OPTIONS, exclude=("读书/小说",), private=("日记",))
    report = vault.run(source, options)
    assert report.skipped == (Item("边城", "its notebook is left out"),)
    assert "rag: false" in vault.text("日记/2023/秘密.md")
    assert "rag" not in vault.text("散记.md")
    assert len(report.unresolved_links) == 1, "a link does not tell the place of what is left out"
    source.usn += 1
    vault.run(source, replace(options, private=()))
    assert "rag" not in vault.text("日记/2023/秘密.md")
    for wrong in (replace(OPTIONS, exclude=("日志",)), replace(OPTIONS, private=("",))):
        with pytest.raises(SourceRefused, match=r"no notebook is called so\. There are: 日记, 日记/2023, 读书"):
            vault.run(source, wrong)


def test_a_child_of_a_deleted_private_notebook_stays_private(vault: Vault, source: MemorySource) -> None:
    diary = source.add_notebook("日记")
    source.add_note("秘密", "x\n", source.add_notebook("2023", diary))
    source.books[diary] = replace(source.books[diary], is_deleted=True)
    vault.run(source, replace(OPTIONS, private=("日记",)))
    assert "rag: false" in vault.text("2023/秘密.md")


def test_a_run_that_breaks_down_goes_on_where_it_was(vault: Vault, source: MemorySource) -> None:
    for number in range(20):
        source.add_note(f"第{number}篇", f"内容{number}\n")
    source.fail_after = 9
    with pytest.raises(SourceUnavailable, match=r"\d+ of 23 notes are done; the same command goes on"):
        vault.run(source)
    done = len([name for name in vault.names() if name.endswith(".md")])
    assert 0 < done <= 9
    source.fail_after = None
    report = vault.run(source)
    assert len(report.imported) == 23 - done
    assert len(source.bodies_read) == 23 - done
    assert len([name for name in vault.names() if name.endswith(".md")]) == 23


class Killed(BaseException):
    """What no code may catch."""


def test_a_kill_between_any_two_steps_loses_and_doubles_nothing(
    tmp_path: Path, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ends a run before and after each write to the disk, in turn, and runs again."""
    expected: dict[str, bytes] = {}
    at, is_killed = -1, True
    while is_killed:
        folder = tmp_path / str(at)
        folder.mkdir()
        vault = Vault(folder)
        copy = MemorySource()
        vars(copy).update({**vars(source), "listings": dict(source.listings), "books": dict(source.books)})
        copy.bodies = {**source.bodies, note_id(9): "刚写的\n"}
        is_killed = run_history(vault, copy, Path.replace, monkeypatch, at) or at < 0
        expected = expected or vault.files()
        assert vault.files() == expected, f"killed at step {at}"
        at += 1
    assert at > 40


def run_history(
    vault: Vault, source: MemorySource, real: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, at: int
) -> bool:
    """Import, change the account, and import again; a kill at one step begins the run anew. Return whether it came."""
    steps = [at]

    def step() -> None:
        steps[0] -= 1
        if steps[0] == -1:
            raise Killed

    def killing(method: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            step()
            result = method(*arguments, **named)
            step()
            return result

        return call

    with monkeypatch.context() as patch:
        for owner, name in ((Path, "rename"), (Path, "unlink"), (ImportState, "keep_note")):
            patch.setattr(owner, name, killing(getattr(owner, name)))
        patch.setattr(Path, "replace", killing(real))
        survive(vault, source)
        ids = list(source.listings)
        source.listings = {key: note for key, note in source.listings.items() if key != ids[1]}
        source.listings[ids[0]] = replace(source.listings[ids[0]], title="改名", revision="changed")
        source.listings[note_id(9)] = replace(source.listings[ids[2]], id=note_id(9), title="后来的")
        source.usn += 1
        survive(vault, source)
    return steps[0] < 0


def survive(vault: Vault, source: MemorySource) -> None:
    try:
        vault.run(source)
    except Killed:
        vault.run(source)


def test_a_lost_state_is_rebuilt_from_the_ids_in_the_vault(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    mine = vault.edit("散记.md")
    before = vault.files()
    vault.state_file.unlink()
    report = vault.run(source)
    assert kinds(report) == {"conflicts": 1, "unchanged": 2, "warnings": 1}
    assert "nothing is remembered, but 3 notes are here; they go on in the vault" in report.warnings[0].detail
    assert vault.text("散记.md") == mine
    after = vault.files()
    assert {name: after[name] for name in before} == before
    assert len(after) == len(before) + 1


def test_an_empty_file_that_a_power_cut_left_is_written_again(vault: Vault, source: MemorySource) -> None:
    vault.run(source)
    before = vault.files()
    (vault.root / "散记.md").write_bytes(b"")
    vault.run(replace_checkpoint(source))
    assert vault.files() == before


def test_a_damaged_note_is_named_the_rest_comes_in_and_it_is_tried_again(vault: Vault, source: MemorySource) -> None:
    source.unreadable.add(note_id(2))
    report = vault.run(source)
    assert report.failures == (Item("读书/随想.md", "随想: damaged."),)
    assert len(report.imported) == 2
    source.unreadable.clear()
    assert [item.name for item in vault.run(source).imported] == ["读书/随想.md"]


def test_empty_bodies_missing_files_and_dead_links_are_named(vault: Vault, source: MemorySource) -> None:
    del source.data[IMAGE], source.data[PAPER]
    source.add_note("空", "")
    source.add_note("断", f"[x](/note/{note_id(99)})\n")
    report = vault.run(source)
    assert report.empty == (Item("空.md"),)
    assert [item.name for item in report.unresolved_links] == ["断.md"]
    assert {item.name for item in report.missing_files} == {"读书/小说/边城.md"}
    assert Item("读书/小说/边城.md", "书单.pdf") in report.missing_files
    assert "附件" not in vault.text("读书/小说/边城.md")


def test_a_trial_writes_nothing_and_tells_what_a_run_would_do(vault: Vault, source: MemorySource) -> None:
    trial = vault.run(source, is_trial=True)
    assert vault.names() == []
    assert not vault.state_file.exists()
    assert replace(trial, is_trial=False) == vault.run(source)
    before, state = vault.files(), vault.state_file.read_bytes()
    source.change(note_id(1), title="改名")
    source.drop(note_id(2))
    trial = vault.run(source, is_trial=True)
    assert (vault.files(), vault.state_file.read_bytes()) == (before, state)
    assert replace(trial, is_trial=False) == vault.run(source)


def test_all_goes_below_the_folder_asked_for_and_later_runs_find_it(vault: Vault, source: MemorySource) -> None:
    vault.run(source, replace(OPTIONS, into="导入/Leanote"))
    assert all(name.startswith("导入/Leanote/") for name in vault.names())
    source.change(note_id(3), "新的\n")
    assert kinds(vault.run(source)) == {"updated": 1, "unchanged": 2}
    assert "[[导入/Leanote/读书/小说/边城|" not in vault.text("导入/Leanote/散记.md")
    vault.run(source, replace(OPTIONS, into=""))
    assert "散记.md" in vault.names()
    assert not (vault.root / "导入/Leanote/散记.md").exists()


def test_a_folder_that_is_a_link_fails_its_notes_alone(vault: Vault, source: MemorySource, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (vault.root / "读书").symlink_to(tmp_path / "outside")
    report = vault.run(source)
    assert [item.name for item in report.failures] == ["读书/小说/边城.md", "读书/随想.md"]
    assert "symbolic link" in report.failures[0].detail
    assert report.imported == (Item("散记.md"),)
    assert list((tmp_path / "outside").iterdir()) == []
    (vault.root / "读书").unlink()
    assert len(vault.run(source).imported) == 2


@pytest.mark.parametrize("title", ["../../x", "/etc/x", "..", ".git", "a/../../b", "CON", "x" * 300, "\0", "..\\..\\x"])
def test_no_title_leads_out_of_the_vault(vault: Vault, source: MemorySource, title: str) -> None:
    source.add_note(title, "x\n", source.add_notebook(title))
    report = vault.run(source)
    assert len(report.imported) == 4
    assert {entry.name for entry in vault.root.parent.iterdir()} == {"vault", "state.jsonl"}
    assert not any(part.startswith(".") for name in vault.names() for part in name.split("/"))


def test_a_name_that_leads_out_is_refused_whoever_made_it(
    vault: Vault, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        import_plan, "assign_names", lambda entries, taken, suffix: {entry.id: "../../escaped" for entry in entries}
    )
    assert {"leads out of the vault" in item.detail for item in vault.run(source).failures} == {True}
    assert {entry.name for entry in vault.root.parent.iterdir()} == {"vault", "state.jsonl"}


def test_thousands_of_notes_of_one_title_come_in_and_stay(vault: Vault) -> None:
    source = MemorySource()
    source.has_checkpoint = False
    for _ in range(3_000):
        source.add_note("日报", "x\n")
    options = replace(OPTIONS, into="导入")
    assert len(vault.run(source, options).imported) == 3_000
    source.change(note_id(1500), "y\n")
    shuffled = list(source.listings.items())
    random.Random(7).shuffle(shuffled)
    source.listings = dict(shuffled)
    assert kinds(vault.run(source, options)) == {"updated": 1, "unchanged": 2_999}
    assert len(list((vault.root / "导入").iterdir())) == 3_000
