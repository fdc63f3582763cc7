"""A vault in Git: the index follows commits through all that Git can do to them, and can answer from the past."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag.app import App
from graphrag.domain.note import Severity
from graphrag.domain.query import Filters
from graphrag.domain.snapshot import Lag
from graphrag.errors import NoteNotFound, StoreError, VaultError
from tests.e2e.conftest import SMALL, silent, write_vault
from tests.e2e.test_crashes import contents
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.git import Git, isolate_git, run_git

Open = Callable[..., App]
_DAYS = iter(range(1, 10_000))


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Run Git in the vault without this machine's settings; every commit is a day later than the one before."""
    isolate_git(monkeypatch, tmp_path)

    def run(*arguments: str, folder: str = "vault") -> str:
        return run_git(tmp_path / folder, *arguments, moment=f"{1_704_067_200 + 86_400 * next(_DAYS)} +0800")

    return run


@pytest.fixture
def app(open_vault: Open, git: Git) -> App:
    """The small vault, committed and indexed."""
    app = open_vault()
    git("init", "-q")
    commit(app, git, "第一次")
    app.index(False, silent)
    return app


def commit(app: App, git: Git, message: str, notes: dict[str, str | None] | None = None) -> str:
    for path, text in (notes or {}).items():
        if text is None:
            (app.vault / path).unlink()
        else:
            write_vault(app.vault, {path: text})
    git("add", "-A")
    git("commit", "-qm", message)
    return git("rev-parse", "HEAD")


def assert_equals_a_fresh_index(app: App, name: str) -> None:
    fresh = App.open(app.vault, app.vault, {"index": {"dir": str(app.vault.parent / f"fresh-{name}")}})
    fresh.index(True, silent)
    assert contents(app) == contents(fresh)
    fresh.close()


def test_whatever_git_does_the_index_equals_a_fresh_one(app: App, git: Git, is_full: bool) -> None:
    vault = app.vault

    def edit() -> None:
        commit(app, git, "改", {"消息队列.md": "# 消息队列\n\n换成 RocketMQ。见 [[张三]]。\n"})

    def rename() -> None:
        git("mv", "人物/张三.md", "人物/张三丰.md")
        commit(app, git, "改名")

    def new_title_that_other_notes_mention() -> None:
        commit(app, git, "新", {"术语.md": "---\naliases: [毒消息]\n---\n# 扩消费者\n\n毒消息要隔离。\n"})

    def delete() -> None:
        commit(app, git, "删", {"术语.md": None})

    def switch_to_a_branch() -> None:
        git("switch", "-qc", "side", "HEAD~2")
        commit(app, git, "旁支", {"旁支.md": "# 旁支\n\n见 [[消息队列]]。\n"})

    def merge() -> None:
        git("switch", "-q", "main")
        git("merge", "-q", "--no-ff", "-m", "合并", "side")

    def amend() -> None:
        write_vault(vault, {"旁支.md": "# 旁支\n\n修订过。\n"})
        git("commit", "-qa", "--amend", "-m", "合并（修订）")

    def rebase() -> None:
        git("switch", "-qc", "topic", "HEAD~1")
        commit(app, git, "题", {"题.md": "# 题\n\n一。\n"})
        commit(app, git, "题二", {"题.md": "# 题\n\n二。\n"})
        git("rebase", "-q", "main")

    def reset() -> None:
        git("reset", "-q", "--hard", "HEAD~2")

    def detach() -> None:
        git("checkout", "-q", "--detach", "HEAD~1")

    def lose_the_indexed_commit() -> None:
        git("reflog", "expire", "--expire=now", "--all")
        git("branch", "-qD", "topic")
        git("gc", "-q", "--prune=now")
        git("checkout", "-q", "main")

    steps = [
        edit,
        rename,
        new_title_that_other_notes_mention,
        delete,
        switch_to_a_branch,
        merge,
        amend,
        rebase,
        reset,
        detach,
        lose_the_indexed_commit,
    ]
    for number, step in enumerate(steps):
        step()
        report = app.index(False, silent)
        assert report.commit == git("rev-parse", "HEAD")
        if is_full or number % 3 == 1:
            assert_equals_a_fresh_index(app, step.__name__)
        assert app.index(False, silent).is_unchanged


def test_a_moved_folder_embeds_nothing_and_keeps_its_dates(app: App, git: Git, embedder: HashingEmbedder) -> None:
    before = {note.path: note.updated for note in app._readers.graph.notes()}
    made = embedder.embedded
    (app.vault / "归档").mkdir()
    git("mv", "支付", "归档/支付")
    commit(app, git, "搬家")
    report = app.index(False, silent)
    assert (report.renamed, report.added, report.deleted, report.embeddings_made) == (2, 0, 0, 0)
    assert embedder.embedded == made
    after = {note.path.removeprefix("归档/"): note.updated for note in app._readers.graph.notes()}
    assert after == before


def test_notes_are_read_at_the_commit_not_from_the_disk(app: App, git: Git) -> None:
    commit(app, git, "改", {"消息队列.md": "# 消息队列\n\n提交的文字。\n"})
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n未提交的文字。\n", "草稿.md": "# 草稿\n"})
    app.index(False, silent)
    assert "提交的文字" in app.show("消息队列").chunks[0].text
    assert "未提交" not in app.show("消息队列").chunks[0].text
    assert "草稿.md" not in app._readers.manifest.notes
    saved = App.open(app.vault, app.vault, {"index": {"worktree": True}})
    assert saved.index(False, silent).added == 1
    assert "未提交" in saved.show("消息队列").chunks[0].text
    saved.close()


def test_what_the_vault_no_longer_holds_is_not_returned(app: App, git: Git) -> None:
    def notes(question: str) -> set[str]:
        return {item.chunk.note for item in app.search(question, Filters()).candidates}

    assert "消息队列.md" in notes("消息积压")
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n全部重写了。\n"})
    assert "消息队列.md" not in notes("消息积压")
    write_vault(app.vault, {"消息队列.md": "前言。\n\n" + SMALL["消息队列.md"]})
    assert "消息队列.md" in notes("消息积压")
    write_vault(app.vault, {"消息队列.md": "---\nprivate: true\n---\n" + SMALL["消息队列.md"]})
    assert "消息队列.md" not in notes("消息积压")
    (app.vault / "消息队列.md").unlink()
    assert "消息队列.md" not in notes("消息积压")
    assert app.why_not("消息积压", Filters(), "消息队列.md").stage == "gone"
    # Nor with what was dropped on the way, whatever the stage: its text would be told there.
    for top_k in (1, 10):
        assert all(
            item.candidate.chunk.note != "消息队列.md"
            for item in app.search("消息积压", Filters(), top_k, True).dropped
        )
    assert all(neighbor.entity.id != "消息队列.md" for neighbor in app.near("支付模块", 1, 10).neighbors)
    for use in (
        lambda: app.show("消息队列"),
        lambda: app.near("消息队列", 1, 5),
        lambda: app.path("消息队列", "张三", 4),
    ):
        with pytest.raises(NoteNotFound, match="no longer in the vault"):
            use()
    git("checkout", "-q", "--", ".")
    write_vault(app.vault, {".ragignore": "消息队列.md\n"})
    assert "消息队列.md" not in notes("消息积压")


def test_line_ends_that_git_converts_are_no_change(app: App, git: Git) -> None:
    git("config", "core.autocrlf", "true")
    shutil.rmtree(app.vault / "支付")
    (app.vault / "消息队列.md").unlink()
    git("checkout", "-q", "--", ".")
    assert b"\r\n" in (app.vault / "消息队列.md").read_bytes()
    assert app.index(False, silent).is_unchanged
    assert app.search("消息积压", Filters()).candidates
    assert app.search("消息积压", Filters()).snapshot.behind == Lag(0, 0, 0)


def test_a_search_says_how_far_the_vault_is_ahead(app: App, git: Git) -> None:
    def behind() -> Lag | None:
        return app.search("消息积压", Filters()).snapshot.behind

    assert behind() == Lag(0, 0, 0)
    commit(app, git, "一", {"a.md": "# a\n"})
    commit(app, git, "二", {"a.md": "# a\n\n改\n", "人物/张三.md": None, "图.png": "x"})
    write_vault(app.vault, {"消息队列.md": "改\n", "新.md": "# 新\n"})
    assert behind() == Lag(2, 2, 2)
    git("checkout", "-q", "--", ".")
    (app.vault / "新.md").unlink()
    app.index(False, silent)
    assert behind() == Lag(0, 0, 0)
    assert app.ask("消息积压", Filters()).snapshot == app.search("消息积压", Filters()).snapshot


def test_what_is_no_note_does_not_count_as_ahead(app: App, git: Git) -> None:
    (app.vault / "链接.md").symlink_to("消息队列.md")
    (app.vault / "大.md").write_bytes(b"x" * 21_000_000)
    commit(app, git, "无关", {"图.png": "x", ".隐藏/a.md": "# a\n"})
    lag = app.search("消息积压", Filters()).snapshot.behind
    assert lag == Lag(1, 0, 0)
    app.index(False, silent)
    saved = App.open(app.vault, app.vault, {"index": {"worktree": True}})
    saved.index(False, silent)
    assert saved.search("消息积压", Filters()).snapshot.behind == Lag(0, 0, 0)
    saved.close()


def test_a_file_that_is_to_stay_out_counts_only_where_it_was_a_note(app: App, git: Git) -> None:
    def lag() -> Lag | None:
        return app.search("消息积压", Filters()).snapshot.behind

    out = "---\nrag: false\n---\n# 问答\n\n消息积压 [1]。\n"
    write_vault(app.vault, {"问答/积压.md": out, "问答/b.md": "---\nprivate: true\n---\nb\n"})
    assert lag() == Lag(0, 0, 0)
    commit(app, git, "问答", {"问答/积压.md": out + "改\n", "c.md": out})
    (app.vault / "c.md").unlink()
    assert lag() == Lag(1, 0, 0)
    commit(app, git, "藏", {"消息队列.md": out})  # which the index still holds
    assert lag() == Lag(2, 1, 0)
    app.index(False, silent)
    assert lag() == Lag(0, 0, 0)
    commit(app, git, "放", {"消息队列.md": out.replace("false", "true"), "问答/积压.md": None})
    assert lag() == Lag(1, 1, 0)


def test_a_saved_answer_leaves_an_index_of_saved_files_up_to_date(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    answer = app.ask("消息积压", Filters())
    assert app.save_answer(answer, "") is not None
    assert app.ask("消息积压", Filters()).snapshot.behind == Lag(0, 0, 0)
    app.index(False, silent)
    write_vault(app.vault, {"消息队列.md": "---\nrag: false\n---\n"})
    assert app.search("交易系统", Filters()).snapshot.behind == Lag(0, 1, 0)


def test_without_git_files_newer_than_the_index_count(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    assert app.search("消息积压", Filters()).snapshot.behind == Lag(0, 0, 0)
    write_vault(app.vault, {"消息队列.md": "改\n", "新.md": "# 新\n"})
    for path in ("消息队列.md", "支付/支付模块.md"):  # of which one is only touched
        os.utime(app.vault / path, (4e9, 4e9))
    (app.vault / "人物/张三.md").unlink()
    assert app.search("交易系统", Filters()).snapshot.behind == Lag(0, 3, 0)


def test_the_past_answers_as_it_was_and_embeds_only_what_was_never_seen(
    app: App, git: Git, embedder: HashingEmbedder
) -> None:
    first = git("rev-parse", "HEAD")
    git("tag", "v1")
    commit(app, git, "改", {"支付/支付模块.md": "# 支付模块\n\n重试次数由 retry_count 控制，改为五次。\n"})
    app.index(False, silent)
    assert "五次" in app.ask("retry_count 默认几次", Filters()).answer
    made = embedder.embedded
    report = app.go_back("v1", silent)
    assert embedder.embedded == made
    answer = app.ask("retry_count 默认几次", Filters())
    assert "三次" in answer.answer
    assert answer.snapshot and (answer.snapshot.commit, answer.snapshot.behind) == (first, None)
    assert {citation.commit for citation in answer.citations} == {first}
    assert report is None or report.embeddings_made == 0
    app.close()
    assert "五次" in app.ask("retry_count 默认几次", Filters()).answer


def test_a_commit_that_was_never_indexed_is_built_beside_the_present(
    app: App, git: Git, embedder: HashingEmbedder
) -> None:
    commit(app, git, "中间", {"中间.md": "# 中间\n\n只在中间提交里的鲸鱼。\n"})
    middle = git("rev-parse", "HEAD")
    commit(app, git, "删", {"中间.md": None})
    for number in range(4):
        commit(app, git, f"{number}", {"a.md": f"# a\n\n第 {number} 版\n"})
        app.index(False, silent)
    made = embedder.embedded
    before = app._readers.manifest
    report = app.go_back(middle, silent)
    assert report and report.embeddings_made == 1
    assert embedder.embedded == made + 1
    assert app.search("鲸鱼", Filters()).candidates[0].chunk.note == "中间.md"
    past = contents(app)
    app.close()
    assert app._readers.manifest == before
    assert all(item.chunk.note != "中间.md" for item in app.search("鲸鱼", Filters()).candidates)
    git("checkout", "-q", "--detach", middle)
    fresh = App.open(app.vault, app.vault, {"index": {"dir": str(app.vault.parent / "fresh")}})
    fresh.index(True, silent)
    assert past == contents(fresh)
    fresh.close()
    report = app.go_back(middle, silent)
    assert report and report.is_unchanged
    app.close()


def test_dates_branches_and_nonsense_as_a_revision(app: App, git: Git) -> None:
    commit(app, git, "二", {"a.md": "# a\n"})
    date = git("log", "-1", "--format=%cs", "HEAD~1")
    app.go_back(date, silent)
    assert "a.md" not in app._readers.manifest.notes
    app.go_back("main", silent)
    assert "a.md" in app._readers.manifest.notes
    for nonsense in ("没有的", "-1", "--all", "1999-01-01", ""):
        with pytest.raises(VaultError):
            app.go_back(nonsense, silent)


def test_only_as_many_pasts_are_kept_as_the_settings_say(app: App, git: Git) -> None:
    commits = [commit(app, git, f"{number}", {"a.md": f"# a\n\n第 {number} 版\n"}) for number in range(4)]
    app.index(False, silent)
    for revision in commits[:3]:
        app.go_back(revision, silent)
        assert [folder.name for folder in (app.vault / ".graphrag" / "at").iterdir()] == [revision]


def test_a_note_that_is_private_today_stays_out_of_the_past(app: App, git: Git) -> None:
    phrase = "鲸鱼在七楼晒月亮"
    public = commit(app, git, "公开", {"日记.md": f"# 日记\n\n{phrase}。\n"})
    app.index(False, silent)
    git("mv", "日记.md", "私记.md")
    commit(app, git, "私密", {"私记.md": f"---\nprivate: true\n---\n# 日记\n\n{phrase}。\n"})
    app.index(False, silent)
    app.go_back(public, silent)
    assert "日记.md" not in app._readers.manifest.notes
    assert [item.path for item in app._readers.manifest.diagnostics if item.severity is Severity.SKIPPED] == ["日记.md"]
    for file in (app.vault / ".graphrag").rglob("*"):
        assert not file.is_file() or "七楼".encode() not in file.read_bytes(), file


def test_a_note_that_left_for_an_ignored_folder_stays_out_of_the_past(app: App, git: Git) -> None:
    public = commit(
        app, git, "公开", {"日记.md": "# 日记\n\n鲸鱼。\n", "*.md": "# 星\n", "模板.md": "# 日记\n\n鲸鱼。\n"}
    )
    (app.vault / "私").mkdir()
    git("mv", "日记.md", "私/日记.md")
    commit(app, git, "藏", {".ragignore": "私/\n"})
    app.index(False, silent)
    app.go_back(public, silent)
    assert "日记.md" not in app._readers.manifest.notes
    assert {"*.md", "模板.md"} <= app._readers.manifest.notes.keys()


def test_a_past_that_was_built_before_a_note_became_private_is_forgotten(app: App, git: Git) -> None:
    phrase = "鲸鱼在七楼晒月亮"
    public = commit(app, git, "公开", {"日记.md": f"# 日记\n\n{phrase}。\n"})
    commit(app, git, "删", {"日记.md": None})
    app.index(False, silent)
    app.go_back(public, silent)
    assert app.search(phrase, Filters()).candidates
    commit(app, git, "私密", {"日记.md": f"---\nprivate: true\n---\n{phrase}。\n"})
    app.index(False, silent)
    for file in (app.vault / ".graphrag").rglob("*"):
        assert not file.is_file() or "七楼".encode() not in file.read_bytes(), file


def test_a_vault_in_a_folder_of_a_repository_with_a_submodule_and_lfs(open_vault: Open, git: Git) -> None:
    app = open_vault(SMALL, "vault/子 文件夹")
    other = write_vault(app.vault.parent.parent / "other", {"别的.md": "# 别的\n"})
    git("init", "-q", folder="other")
    git("add", "-A", folder="other")
    git("commit", "-qm", "别的", folder="other")
    git("init", "-q")
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "子 文件夹/子模块")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n"
    oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
    write_vault(app.vault, {"大.md": pointer.format(oid), "缺.md": pointer.format("0" * 64)})
    stored = app.vault.parent / ".git/lfs/objects/4d/7a" / oid
    stored.parent.mkdir(parents=True)
    stored.write_text("# 大\n\n鲸鱼。\n", encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "全部")
    report = app.index(False, silent)
    assert app._readers.manifest.notes.keys() == {*SMALL, "大.md"}
    assert app.search("鲸鱼", Filters()).candidates == () or app.show("大").chunks
    (failed,) = [item for item in report.diagnostics if item.severity is Severity.ERROR]
    assert (failed.path, "git lfs pull" in failed.message) == ("缺.md", True)


def test_a_shallow_clone_and_a_second_worktree(app: App, git: Git, tmp_path: Path) -> None:
    commit(app, git, "二", {"a.md": "# a\n"})
    git("clone", "-q", "--depth", "1", f"file://{app.vault}", str(tmp_path / "clone"), folder=".")
    git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other", "HEAD~1")
    for folder, count in (("clone", 5), ("tree", 4)):
        other = App.open(tmp_path / folder, tmp_path)
        assert other.index(False, silent).notes == count
        assert other.search("消息积压", Filters()).snapshot.behind == Lag(0, 0, 0)
        assert {note.created for note in other._readers.graph.notes()} == {None} or folder == "tree"
        other.close()


def test_names_that_differ_only_by_case(app: App, git: Git) -> None:
    commit(app, git, "大小写", {"Async.md": "# Async\n\n大写鲸鱼\n", "async.md": "# async\n\n小写鲸鱼\n"})
    app.index(False, silent)
    assert {"Async.md", "async.md"} <= app._readers.manifest.notes.keys()
    assert {item.chunk.note for item in app.search("鲸鱼", Filters()).candidates} >= {"Async.md", "async.md"}
    assert_equals_a_fresh_index(app, "case")


def test_citations_carry_the_commit_and_the_date_of_their_lines(app: App, git: Git) -> None:
    old = git("log", "-1", "--format=%aI")
    text = SMALL["支付/交易系统.md"]
    commit(
        app, git, "加", {"支付/交易系统.md": f"{text}\n## 容量\n\n" + "容量每天一亿笔，峰值每秒五千笔。" * 20 + "\n"}
    )
    app.index(False, silent)
    new = git("log", "-1", "--format=%aI")
    changed = {
        citation.lines: citation.changed
        for question in ("交易系统包含什么模块", "容量峰值每秒")
        for citation in app.ask(question, Filters()).citations
        if citation.note == "支付/交易系统.md"
    }
    assert set(changed.values()) >= {new}
    assert set(changed.values()) <= {old, new}


_PHRASE = "鲸鱼在七楼晒月亮"


@pytest.fixture
def secret(app: App, git: Git) -> str:
    """A public note in the last commit; what hides it since is in no commit."""
    commit(app, git, "公开", {"日记.md": f"# 日记\n\n{_PHRASE}。[[交易系统]]\n"})
    app.index(False, silent)
    return git("rev-parse", "HEAD")


def hide_by_mark(app: App, git: Git) -> None:
    write_vault(app.vault, {"日记.md": f"---\nprivate: true\n---\n# 日记\n\n{_PHRASE}。[[交易系统]]\n"})


def hide_by_rule(app: App, git: Git) -> None:
    write_vault(app.vault, {".ragignore": "日记.md\n"})


def hide_under_another_name(app: App, git: Git) -> None:
    (app.vault / "日记.md").rename(app.vault / "私记.md")
    write_vault(app.vault, {"私记.md": f"---\nprivate: true\n---\n# 日记\n\n{_PHRASE}。[[交易系统]]\n"})


@pytest.mark.parametrize("hide", [hide_by_mark, hide_by_rule, hide_under_another_name])
def test_what_is_hidden_in_no_commit_yet_shows_nowhere(
    app: App, git: Git, secret: str, hide: Callable[[App, Git], None]
) -> None:
    hide(app, git)
    app.close()
    assert all(_PHRASE not in item.before for item in app.sample(100, 1))
    for use in (
        lambda: app.show("日记.md"),
        lambda: app.path("日记.md", "交易系统", 3),
        lambda: app.near("日记.md", 1, 9),
    ):
        with pytest.raises(NoteNotFound):
            use()
    for reference in ("日记.md", f"日记.md@{secret}"):
        with pytest.raises((VaultError, NoteNotFound)):
            app.open_citation(reference)
    for revision in (None, "HEAD"):
        if revision:
            app.go_back(revision, silent)
        assert all(item.chunk.note != "日记.md" for item in app.search(_PHRASE, Filters()).candidates)
        assert _PHRASE not in app.ask(_PHRASE, Filters()).answer


def test_git_variables_of_another_repository_lead_nowhere(
    app: App, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_vault(tmp_path / "other", {"别的.md": "# 别的\n"})
    git("init", "-q", folder="other")
    git("add", "-A", folder="other")
    git("commit", "-qm", "别的", folder="other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    app.close()
    fresh = App.open(app.vault, app.vault)
    assert fresh.search("消息积压", Filters()).snapshot.behind == Lag(0, 0, 0)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert fresh.index(False, silent).is_unchanged
    fresh.close()


def test_a_branch_without_a_commit_still_answers(app: App, git: Git) -> None:
    git("checkout", "-q", "--orphan", "empty")
    assert app.search("消息积压", Filters()).candidates


@pytest.mark.parametrize("date", ["2025-99-99", "0000-00-00", "2025-13", "2025-02-30", "2025-02-10T99:99", "2025-00"])
def test_what_looks_like_a_date_and_is_none_is_refused(app: App, git: Git, date: str) -> None:
    with pytest.raises(VaultError, match=r"is no (?:day|commit)"):
        app.go_back(date, silent)


def test_a_date_to_come_is_now_and_a_tag_comes_before_a_date(app: App, git: Git) -> None:
    git("tag", "2024-01-01")
    commit(app, git, "二", {"a.md": "# a\n"})
    app.go_back("9999-12-31", silent)
    assert "a.md" in app._readers.manifest.notes
    app.go_back("2024-01-01", silent)
    assert "a.md" not in app._readers.manifest.notes


def test_a_damaged_owner_names_a_way_out_that_works(app: App) -> None:
    owner = app.vault / ".graphrag" / "OWNER"
    for content in (b"", b"\xff\x00\x01"):
        owner.write_bytes(content)
        with pytest.raises(StoreError, match="delete that file"):
            app.index(True, silent)
        owner.unlink()
        assert app.index(False, silent).notes == 4
