"""How the index of a limited part is kept: beside the vault's own, brought up to date, dropped; and what it refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.access import NO_LIMIT, Limit, Scope
from graphrag.domain.history import ChangeKind
from graphrag.domain.note import Note
from graphrag.domain.query import NO_FILTERS
from graphrag.errors import NoteNotFound, SnapshotMissing, VaultError
from graphrag.ingest.prepare import read_note
from graphrag.vault.access_control import AccessTokens
from graphrag.vault.follow import Heart
from graphrag.vault.imports import LeanoteImport
from tests.e2e.conftest import silent, write_vault
from tests.e2e.limited_pair import INSIDE, LIMIT, Pair, change, finds, holds, pair, surroundings
from tests.fakes.git import run_git

__all__ = ["pair", "surroundings"]

Open = Callable[..., App]
NOTES = {
    "支付/甲.md": "# 甲\n\n甲讲支付 inword。\n",
    "随笔/乙.md": "# 乙\n\n#共享 乙讲别的。\n",
    "别处/丙.md": "# 丙\n\n丙讲外面 outword。\n",
}


def test_before_an_index_run_there_is_nothing_to_ask(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    limited = app.limited(LIMIT)
    with pytest.raises(SnapshotMissing):
        limited.search("甲", NO_FILTERS)
    assert limited.index(False, silent).notes == 2


def test_a_part_may_be_indexed_before_the_vault(open_vault: Open) -> None:
    app = open_vault(NOTES)
    limited = app.limited(LIMIT)
    assert limited.index(False, silent).notes == 2
    assert app.index(False, silent).notes == 3
    assert not holds(limited._parts.index_dir, "outword")
    limited.close()


def test_a_part_without_notes_answers_that_there_is_nothing(open_vault: Open) -> None:
    limited = open_vault(NOTES).limited(Limit(("没有",)))
    assert limited.index(False, silent).notes == 0
    assert limited.search("甲", NO_FILTERS).candidates == ()
    assert (limited.tags(), limited.categories(), limited.graph().entities) == ([], [], ())
    assert limited.ask("甲讲什么", NO_FILTERS).citations == ()
    write_vault(limited.vault, {"没有/丁.md": "# 丁\n"})
    assert limited.index(False, silent).added == 1
    assert limited.show("丁").note.path == "没有/丁.md"
    limited.close()


def test_limits_that_mean_the_same_share_an_index_and_others_do_not(open_vault: Open) -> None:
    app = open_vault(NOTES)
    same = app.limited(Limit(("支付",), ("共享",))), app.limited(Limit((" 支付/", "支付"), ("#共享",)))
    others = app.limited(Limit(("支付",))), app.limited(Limit((), ("支付",))), app.limited(NO_LIMIT)
    assert len({limited._parts.index_dir for limited in same}) == 1
    assert len({limited._parts.index_dir for limited in (*same, *others)}) == 4
    assert others[-1]._parts.index_dir == app._parts.index_dir
    assert len({limited._parts.note_rule.fingerprint for limited in (*same, *others)}) == 4


def test_models_are_shared_and_texts_embedded_once(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    limited = app.limited(LIMIT)
    assert limited.index(False, silent).embeddings_made == 0
    assert limited._parts.embedder(None) is app._parts.embedder(None)
    limited.close()


def test_the_other_notes_are_read_once(open_vault: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = open_vault(NOTES).limited(LIMIT)
    limited.index(False, silent)
    read: list[str] = []

    def count(path: str, *rest: object) -> object:
        read.append(path)
        return read_note(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("graphrag.vault.limited_source.read_note", count)
    assert limited.index(False, silent).is_unchanged
    assert limited.is_current()
    limited.status()
    assert read == []
    write_vault(limited.vault, {"别处/丙.md": "# 丙\n\n改了。\n"})
    limited.index(False, silent)
    limited.index(False, silent)
    assert read == ["别处/丙.md"]
    limited.close()


def test_saved_files_of_others_leave_no_trace_without_git_either(open_vault: Open) -> None:
    app = open_vault(NOTES)
    limited = app.limited(LIMIT)
    limited.index(False, silent)
    before = limited.status()
    write_vault(limited.vault, {"别处/丁.md": "# 丁\n", "别处/丙.md": "# 丙\n"})
    assert limited.status() == before
    limited.index(False, silent)
    assert limited.status() == before
    write_vault(limited.vault, {"支付/戊.md": "# 戊\n"})
    assert limited.status().pending == {"added": 1, "changed": 0, "deleted": 0}
    limited.close()


def test_what_is_not_committed_counts_where_it_lies_within(pair: Pair) -> None:
    limited = App.open(pair.whole, pair.whole, {"index": {"worktree": True}}).limited(LIMIT)
    limited.index(False, silent)
    write_vault(pair.whole, {"密档/未.md": "# 未\n", "密档/密谈支付模块.md": "改"})
    (pair.whole / "密根.md").unlink()
    limited.index(False, silent)
    assert not limited.status().worktree
    (pair.whole / "零散.md").unlink()
    limited.index(False, silent)
    assert limited.status().worktree
    assert limited.status().notes == len(INSIDE) - 1
    limited.close()


def test_a_note_that_becomes_private_leaves_the_limited_indexes_with_the_main_one(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    limited, other = app.limited(LIMIT), app.limited(Limit(("支付",)))
    for part in (limited, other):
        part.index(False, silent)
        part.close()
    assert holds(limited._parts.index_dir, "inword")
    write_vault(app.vault, {"支付/甲.md": "---\nprivate: true\n---\n" + NOTES["支付/甲.md"]})
    app.index(False, silent)
    assert not holds(app._parts.main_dir, "inword")
    assert limited.index(False, silent).notes == 1
    limited.close()


def test_a_note_that_becomes_private_is_purged_by_the_part_itself_too(open_vault: Open) -> None:
    limited = open_vault(NOTES).limited(LIMIT)
    limited.index(False, silent)
    write_vault(limited.vault, {"支付/甲.md": "---\nprivate: true\n---\n" + NOTES["支付/甲.md"]})
    assert limited.index(False, silent).rebuilt
    assert not holds(limited._parts.main_dir, "inword")
    assert (limited.status().skipped, limited.status().failed) == ((), ())
    assert not limited.index(False, silent).rebuilt
    limited.close()


def test_deleting_a_token_drops_the_index_that_no_other_needs(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    tokens = AccessTokens(app.index_folder())
    for name in ("a", "b"):
        tokens.create(name, Scope.READ, LIMIT)
    limited = app.limited(LIMIT)
    limited.index(False, silent)
    limited.close()
    tokens.delete("a")
    assert limited.is_indexed
    tokens.delete("b")
    assert [*(app.index_folder() / "limited").iterdir()] == []
    assert not limited.is_indexed


def test_a_part_writes_nothing_and_opens_no_other(open_vault: Open, tmp_path: Path) -> None:
    app = open_vault(NOTES)
    limited = app.limited(LIMIT)
    limited.index(False, silent)
    answer = limited.ask("甲讲什么", NO_FILTERS)
    for refused in (
        lambda: limited.limited(NO_LIMIT),
        lambda: limited.save_answer(answer),
        lambda: limited.import_leanote(LeanoteImport(str(tmp_path)), silent),
    ):
        with pytest.raises(VaultError, match="limited part"):
            refused()
    limited.close()


def test_conversations_of_a_part_and_of_the_vault_do_not_meet(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    limited = app.limited(LIMIT)
    limited.index(False, silent)
    app.converse().ask("丙讲什么 outword", NO_FILTERS)
    assert limited.converse().asked == ()
    limited.close()


def test_what_a_watcher_of_the_vault_says_is_not_told(open_vault: Open) -> None:
    app = open_vault(NOTES)
    app.index(False, silent)
    limited = app.limited(LIMIT)
    limited.index(False, silent)
    with Heart(app._parts.heartbeat) as heart:
        heart.say(heart.now)
        assert app.watcher() is not None
        assert (limited.watcher(), limited.status().watcher) == (None, None)
        (check,) = (check for check in limited.doctor() if check.name == "watcher")
        assert check.found.startswith("none ever ran")
    limited.close()


def test_a_history_begins_where_the_note_came_within(pair: Pair) -> None:
    text = "# 新来\n\n" + "".join(f"第{number}行讲支付\n" for number in range(9))
    change(pair.whole, {"密档/新来.md": text}, "密一", "2024-03-01")
    change(pair.whole, {"密档/新来.md": text + "密二\n"}, "密二", "2024-03-02")
    outside = run_git(pair.whole, "rev-parse", "HEAD")
    (pair.whole / "密档/新来.md").rename(pair.whole / "支付/新来.md")
    change(pair.whole, {"支付/新来.md": text}, "密三", "2024-03-03")
    change(pair.whole, {"支付/新来.md": text + "又一行\n"}, "密四", "2024-03-04")
    pair.index()
    revisions = pair.limited.log("新来")
    assert [(item.kind, item.previous_path, item.subject) for item in revisions] == [
        (ChangeKind.CHANGED, "", ""),
        (ChangeKind.ADDED, "", ""),
    ]
    assert len(pair.app.log("新来")) == len(pair.app.log("密档/新来.md")) == 4
    with pytest.raises(NoteNotFound):
        pair.limited.log("密档/新来.md")
    for citation in (f"支付/新来.md:1@{outside}", f"密档/新来.md:1@{outside}", f"新来@{outside}"):
        with pytest.raises(VaultError, match=r"there is no note|no note is called"):
            pair.limited.open_citation(citation)


def test_a_note_that_came_within_counts_as_added(pair: Pair) -> None:
    text = "# 新来\n\n" + "".join(f"第{number}行讲支付\n" for number in range(9))
    change(
        pair.whole,
        {"密档/甲.md": text, "密档/乙.md": text.replace("新来", "原样"), "丙.md": text},
        "密一",
        "2024-03-01",
    )
    outside = run_git(pair.whole, "rev-parse", "HEAD")
    for name in ("甲", "乙"):
        (pair.whole / f"密档/{name}.md").rename(pair.whole / f"支付/{name}.md")
    change(pair.whole, {"支付/甲.md": text + "又一行\n", "丙.md": text + "#共享\n"}, "密二", "2024-03-02")
    view = pair.limited.changes(outside)
    assert [(note.kind, note.path, note.previous_path) for note in view.notes] == [
        (ChangeKind.ADDED, "丙.md", ""),
        (ChangeKind.ADDED, "支付/乙.md", ""),
        (ChangeKind.ADDED, "支付/甲.md", ""),
    ]
    assert (view.since, view.until) == (outside, run_git(pair.whole, "rev-parse", "HEAD"))
    assert (view.commits, view.left_out) == (1, 0)
    assert not any(section.previous_heading for note in view.notes for section in note.sections)


def test_the_past_holds_no_note_that_lies_outside_today(pair: Pair) -> None:
    commit = run_git(pair.whole, "rev-parse", "HEAD")
    pair.limited.go_back(commit, silent)
    assert finds(pair.limited, "retry_count") and finds(pair.limited, "架构师")
    pair.limited.close()
    (pair.whole / "支付/支付模块.md").rename(pair.whole / "密档/移走.md")
    change(pair.whole, {"随笔/张三.md": INSIDE["随笔/张三.md"].replace("共享", "密")}, "移密", "2024-03-01")
    for is_indexed in (False, True):
        if is_indexed:
            pair.app.index(False, silent)
            pair.limited.index(False, silent)
        pair.limited.go_back(commit, silent)
        assert not finds(pair.limited, "retry_count") and not finds(pair.limited, "架构师")
        assert not {"支付/支付模块.md", "随笔/张三.md"} & {entity.id for entity in pair.limited.graph().entities}
        assert "共享/人物" not in {tag.name for tag in pair.limited.tags()}
        pair.limited.close()


def test_every_note_of_a_part_passes_its_rule(pair: Pair) -> None:
    shown = {note.path for note in pair.limited.notes(NO_FILTERS, "", 99).notes}
    passing = {
        path
        for file in pair.whole.rglob("*.md")
        if isinstance(
            read_note(
                path := file.relative_to(pair.whole).as_posix(), file.read_bytes(), pair.limited._parts.note_rule
            ),
            Note,
        )
    }
    assert shown == passing == INSIDE.keys()
