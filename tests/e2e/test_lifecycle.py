"""A vault over its life: changes touch only their own rows, names resolve anew, and trouble costs one clear line."""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag.app import App
from graphrag.cli.main import app as command_line
from graphrag.domain.note import Severity
from graphrag.domain.query import AnswerStatus, Filters
from graphrag.errors import (
    ConfigError,
    NoteNotFound,
    QuestionError,
    SchemaMismatch,
    SnapshotConflict,
    SnapshotMissing,
    StoreError,
    VaultError,
)
from tests.e2e.conftest import SMALL, index_vault, silent, write_vault
from tests.e2e.test_crashes import contents
from tests.fakes.embedder import HashingEmbedder

Open = Callable[..., App]


def test_a_second_run_does_nothing(open_vault: Open, embedder: HashingEmbedder) -> None:
    app = open_vault()
    first = app.index(False, silent)
    assert (first.added, first.notes, first.embedded) == (4, 4, first.chunks)
    made = embedder.embedded
    files = {file: file.stat().st_mtime_ns for file in (app.vault / ".graphrag").rglob("*") if file.is_file()}
    second = app.index(False, silent)
    assert second.is_unchanged
    assert embedder.embedded == made
    after = {file: file.stat().st_mtime_ns for file in (app.vault / ".graphrag").rglob("*") if file.is_file()}
    ours = (".lock", ".pid")
    assert {file: time for file, time in files.items() if file.suffix not in ours} == {
        file: time for file, time in after.items() if file.suffix not in ours
    }


def test_a_changed_note_embeds_only_its_own_text(open_vault: Open, embedder: HashingEmbedder) -> None:
    app = open_vault()
    app.index(False, silent)
    made = embedder.embedded
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n换成 RocketMQ 以后积压少了。\n"})
    report = app.index(False, silent)
    assert (report.added, report.changed, report.deleted, report.embeddings_made) == (0, 1, 0, 1)
    assert embedder.embedded == made + 1
    assert app.search("RocketMQ", Filters()).candidates[0].chunk.note == "消息队列.md"


def test_a_rename_embeds_nothing_when_the_title_stays(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    (app.vault / "归档").mkdir()
    (app.vault / "消息队列.md").rename(app.vault / "归档" / "消息队列.md")
    report = app.index(False, silent)
    assert (report.renamed, report.added, report.deleted, report.embeddings_made) == (1, 0, 0, 0)
    found = {candidate.chunk.note for candidate in app.search("积压", Filters()).candidates}
    assert "归档/消息队列.md" in found
    assert "消息队列.md" not in found


def test_a_deleted_note_is_gone_from_everything(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    (app.vault / "消息队列.md").unlink()
    assert app.index(False, silent).deleted == 1
    assert all(candidate.chunk.note != "消息队列.md" for candidate in app.search("消息积压", Filters()).candidates)
    with pytest.raises(NoteNotFound):
        app.show("消息队列.md")
    assert all(neighbor.entity.id != "消息队列.md" for neighbor in app.near("支付模块", 2, 50).neighbors)


def test_a_topic_becomes_a_note_when_the_note_appears_and_back(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    assert {n.entity.kind for n in app.near("张三", 1, 10).neighbors if n.entity.title == "熔断设计"} == {"topic"}
    write_vault(app.vault, {"设计/熔断设计.md": "# 熔断设计\n\n错误率超过一半就断开。\n"})
    app.index(False, silent)
    assert "设计/熔断设计.md" in {neighbor.entity.id for neighbor in app.near("张三", 1, 10).neighbors}
    assert [relation.source for relation in app.show("熔断设计").backlinks] == ["人物/张三.md"]
    (app.vault / "设计/熔断设计.md").unlink()
    app.index(False, silent)
    assert {n.entity.kind for n in app.near("张三", 1, 10).neighbors if n.entity.title == "熔断设计"} == {"topic"}


def test_any_history_of_changes_equals_a_fresh_index(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    steps: tuple[dict[str, str | None], ...] = (
        {"支付/退款.md": "# 退款\n\n见 [[支付模块]] 与 [[新主题]]。\n", "人物/张三.md": None},
        {"新主题.md": "---\naliases: [张三]\n---\n# 新主题\n", "支付/支付模块.md": "# 支付模块\n\n改写过。\n"},
        {"支付/退款.md": None, "人物/张三.md": SMALL["人物/张三.md"]},
    )
    for step in steps:
        for path, text in step.items():
            if text is None:
                (app.vault / path).unlink()
            else:
                write_vault(app.vault, {path: text})
        app.index(False, silent)
        fresh = App.open(app.vault, app.vault, {"index": {"dir": str(app.vault.parent / "fresh-index")}})
        fresh.index(True, silent)
        assert contents(app) == contents(fresh)
        fresh.close()


@pytest.mark.parametrize("mark", ["private: true", "rag: false", "tags: [机密/薪资]"])
def test_a_note_that_becomes_private_is_purged_from_every_file(open_vault: Open, mark: str) -> None:
    phrase = "鲸鱼在七楼晒月亮"
    notes = {**SMALL, "秘密.md": f"# 秘密\n\n{phrase}。\n"}
    app = open_vault(notes)
    (app.vault / "graphrag.toml").write_text('[vault]\nexclude_tags = ["机密"]\n', encoding="utf-8")
    app = App.open(app.vault, app.vault)
    app.index(False, silent)
    assert app.search(phrase, Filters()).candidates[0].chunk.note == "秘密.md"
    write_vault(app.vault, {"秘密.md": f"---\n{mark}\n---\n# 秘密\n\n{phrase}。\n"})
    report = app.index(False, silent)
    assert report.rebuilt
    assert [item.path for item in report.diagnostics if item.severity is Severity.SKIPPED] == ["秘密.md"]
    for file in (app.vault / ".graphrag").rglob("*"):
        if file.is_file():
            assert phrase.encode() not in file.read_bytes(), file
            assert "七楼".encode() not in file.read_bytes(), file
    assert app.index(False, silent).is_unchanged
    app.close()


def test_ignored_files_and_changed_rules(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    (app.vault / ".ragignore").write_text("人物/\n", encoding="utf-8")
    app.index(False, silent)
    assert all(not path.startswith("人物/") for path in app._readers.manifest.notes)
    (app.vault / ".ragignore").unlink()
    app.index(False, silent)
    assert "人物/张三.md" in app._readers.manifest.notes


def test_a_change_of_chunking_is_seen_and_rebuilt(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    other = App.open(app.vault, app.vault, {"chunk": {"max_size": 300}})
    assert other.status().stale == ("chunker",)
    report = other.index(False, silent)
    assert report.rebuilt == ("the chunker changed",)
    assert other.index(False, silent).is_unchanged
    other.close()


def test_a_reader_keeps_its_snapshot_while_a_writer_publishes(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    reader = App.open(app.vault, app.vault)
    before = reader.show("消息队列").chunks
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n全部重写。\n"})
    app.index(False, silent)
    after = app.show("消息队列").chunks
    assert reader.show("消息队列").chunks in (before, after)  # the newest when files of the old one are gone
    assert before != after
    reader.close()


def test_a_second_writer_is_refused(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    with app._parts.snapshots.write_lock(), pytest.raises(SnapshotConflict, match="is writing this index"):
        App.open(app.vault, app.vault).index(False, silent)


def test_what_cannot_be_read_is_kept_with_its_reason(open_vault: Open) -> None:
    app = open_vault()
    (app.vault / "坏.md").write_bytes(b"\x00\x01\x02\xff\xfe\xfd" * 50)
    (app.vault / "坏.canvas").write_text("{not json", encoding="utf-8")
    report = app.index(False, silent)
    failed = {item.path: item.message for item in report.diagnostics if item.severity is Severity.ERROR}
    assert set(failed) == {"坏.canvas", "坏.md"} or set(failed) == {"坏.canvas"}
    assert "canvas" in failed["坏.canvas"]
    assert {item.path for item in app.status().failed} == set(failed)
    assert app.index(False, silent).is_unchanged


@pytest.mark.parametrize("question", ["", "   ", "tag:支付", "长" * 100_000, "支付 after:随便"])
def test_a_question_that_cannot_be_used_is_refused(open_vault: Open, question: str) -> None:
    app = open_vault()
    app.index(False, silent)
    with pytest.raises(QuestionError):
        app.ask(question, Filters())


def test_filters_that_match_nothing_are_no_hit(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    answer = app.ask("支付模块的重试次数", Filters(tags=("没有的标签",)))
    assert (answer.status, answer.citations) == (AnswerStatus.NO_HIT, ())


def test_names_are_found_listed_and_suggested(open_vault: Open) -> None:
    app = open_vault({**SMALL, "旧/消息队列.md": "# 消息队列\n\n旧的。\n"})
    app.index(False, silent)
    assert app.show("交易系统").note.path == "支付/交易系统.md"
    with pytest.raises(NoteNotFound) as ambiguous:
        app.show("消息队列")
    assert set(ambiguous.value.candidates) == {"消息队列.md", "旧/消息队列.md"}
    assert app.show("旧/消息队列").note.path == "旧/消息队列.md"
    with pytest.raises(NoteNotFound) as misspelt:
        app.show("交易系通")
    assert "支付/交易系统.md" in misspelt.value.candidates


def test_why_not_names_the_stage(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    assert app.why_not("重试次数", Filters(), "支付模块").rank == 1
    filtered = app.why_not("重试次数", Filters(paths=("人物",)), "支付模块")
    assert (filtered.stage, filtered.detail) == ("candidates", "被筛选条件排除")


def test_vaults_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(VaultError, match="no such folder"):
        App.open(tmp_path / "missing", tmp_path)
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    with pytest.raises(VaultError, match="not a folder"):
        App.open(tmp_path / "file.md", tmp_path)
    (tmp_path / "empty").mkdir()
    empty = App.open(tmp_path / "empty", tmp_path)
    with pytest.raises(VaultError, match="no notes"):
        empty.index(False, silent)
    with pytest.raises(SnapshotMissing):
        empty.search("支付", Filters())


def test_settings_name_the_key_and_its_line(open_vault: Open) -> None:
    app = open_vault()
    (app.vault / "graphrag.toml").write_text("[search]\ntop_k = 5\ntopk = 3\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"line 3: unknown setting 'search\.topk'"):
        App.open(app.vault, app.vault)


def test_an_index_of_a_newer_version_is_left_alone(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    app.close()
    manifest = max((app.vault / ".graphrag" / "manifests").iterdir())
    data = json.loads(gzip.decompress(manifest.read_bytes()))
    manifest.write_bytes(gzip.compress(json.dumps({**data, "format": 999}).encode()))
    for use in (lambda: app.search("支付", Filters()), lambda: app.index(False, silent)):
        with pytest.raises(SchemaMismatch, match="newer version"):
            use()
    assert app.index(True, silent).notes == 4


@pytest.mark.parametrize("broken", ["graph", "tables", "manifest", "current"])
def test_a_corrupt_index_says_so_and_full_rebuilds_it(open_vault: Open, broken: str) -> None:
    app = open_vault()
    app.index(False, silent)
    app.close()
    index = app.vault / ".graphrag"
    if broken == "graph":
        next((index / "graph").iterdir()).write_bytes(b"not a graph")
    elif broken == "tables":
        shutil.rmtree(next(index.glob("tables-*")) / "chunks.lance" / "data")
    elif broken == "manifest":
        max((index / "manifests").iterdir()).write_text("{", encoding="utf-8")
    else:
        (index / "CURRENT").write_text("?", encoding="utf-8")
    with pytest.raises(StoreError, match="graphrag index --full"):
        app.search("支付模块", Filters())
    app.close()
    app.index(True, silent)
    assert app.search("支付模块", Filters()).candidates[0].chunk.note == "支付/支付模块.md"


def test_an_interrupted_run_resumes(open_vault: Open, embedder: HashingEmbedder) -> None:
    notes = {f"笔记{number}.md": f"# 笔记{number}\n\n第 {number} 条内容。\n" for number in range(80)}
    app = open_vault(notes)

    def stop(step: str, done: int, total: int) -> None:
        if step == "vectors" and done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        app.index(False, stop)
    assert app.search("笔记7", Filters()).candidates
    made = embedder.embedded
    report = app.index(False, silent)
    assert made == 32
    assert report.embeddings_made == 48
    assert report.embedded == report.chunks == 80


def test_a_vault_that_cannot_be_written_asks_for_another_index_folder(open_vault: Open) -> None:
    app = open_vault()
    (app.vault / ".graphrag").write_text("a file where the index folder belongs", encoding="utf-8")
    with pytest.raises(StoreError):
        app.index(False, silent)
    elsewhere = App.open(app.vault, app.vault, {"index": {"dir": str(app.vault.parent / "elsewhere")}})
    assert elsewhere.index(False, silent).notes == 4
    elsewhere.close()


def test_the_command_line_works_inside_a_vault_without_init(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", SMALL)
    (vault / "graphrag.toml").write_text('[index]\nembedder = "none"\n[answer]\nchat = "none"\n', encoding="utf-8")
    command = [sys.executable, "-m", "graphrag"]
    asked = subprocess.run(
        [*command, "ask", "retry_count 默认几次", "--json"], cwd=vault, check=True, capture_output=True
    )
    answer = json.loads(asked.stdout)
    assert answer["status"] == "answered"
    assert "三次" in answer["answer"]
    assert answer["citations"][0]["note"] == "支付/支付模块.md"
    again = subprocess.run([*command, "index"], cwd=vault, check=True, capture_output=True, text=True)
    assert "Up to date" in again.stdout + again.stderr


def test_a_first_question_does_not_wait_for_all_vectors(open_vault: Open, embedder: HashingEmbedder) -> None:
    notes = {f"笔记{number}.md": f"# 笔记{number}\n\n第 {number} 条内容。\n" for number in range(80)}
    app = open_vault(notes)
    report = app.index(False, silent, embed_seconds=0.0)
    assert (report.chunks, report.embedded) == (80, 0)
    assert app.search("笔记7", Filters()).candidates
    assert app.index(False, silent).embedded == 80
    assert embedder.embedded == 80


def test_a_folder_that_holds_other_files_is_never_used_as_an_index(open_vault: Open) -> None:
    app = open_vault()
    own = app.vault.parent / "own"
    files = {"graph/thesis.txt": "my thesis", "manifests/m.json": "{}", "tables-recipes/soup.md": "soup"}
    write_vault(own, files)
    for folder in (str(own), ".", ".."):
        with pytest.raises((StoreError, ConfigError)):
            App.open(app.vault, app.vault, {"index": {"dir": folder}}).index(False, silent)
    assert {path: (own / path).read_text(encoding="utf-8") for path in files} == files
    app.index(False, silent)
    write_vault(app.vault / ".graphrag", files)
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n改了。\n"})
    app.index(False, silent)
    assert {path: (app.vault / ".graphrag" / path).read_text(encoding="utf-8") for path in files} == files


def test_two_vaults_cannot_share_an_index(open_vault: Open) -> None:
    shared = {"index": {"dir": str(open_vault().vault.parent / "shared")}}
    first = App.open(open_vault(SMALL, "first").vault, Path.cwd(), shared)
    first.index(False, silent)
    second = App.open(open_vault({"a.md": "别的"}, "second").vault, Path.cwd(), shared)
    for use in (lambda: second.index(False, silent), lambda: second.search("别的", Filters())):
        with pytest.raises(StoreError, match="another vault"):
            use()
    assert first.search("消息积压", Filters()).candidates
    first.close()


def test_a_tag_that_becomes_excluded_takes_its_notes_out_at_once_and_back(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    strict = App.open(app.vault, app.vault, {"vault": {"exclude_tags": ["支付"]}})
    assert strict.index(False, silent).rebuilt
    assert "支付/支付模块.md" not in strict._readers.manifest.notes
    for file in (app.vault / ".graphrag").rglob("*"):
        assert not file.is_file() or "默认三次".encode() not in file.read_bytes()
    strict.close()
    app.close()
    assert app.index(False, silent).notes == 4


def test_a_note_renamed_and_made_private_at_once_is_purged(open_vault: Open) -> None:
    phrase = "鲸鱼在七楼晒月亮"
    app = open_vault({**SMALL, "旧名.md": f"{phrase}。\n"})
    app.index(False, silent)
    (app.vault / "旧名.md").unlink()
    write_vault(app.vault, {"新名.md": f"---\nprivate: true\n---\n{phrase}。\n"})
    app.index(False, silent)
    for file in (app.vault / ".graphrag").rglob("*"):
        assert not file.is_file() or phrase.encode() not in file.read_bytes(), file
    assert app.index(False, silent).is_unchanged


def test_a_graph_file_with_a_few_flipped_bytes_is_told_before_an_engine_opens_it(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    app.close()
    graph = next((app.vault / ".graphrag" / "graph").glob("*.kuzu"))
    content = bytearray(graph.read_bytes())
    content[len(content) // 2] ^= 0xFF
    graph.write_bytes(content)
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n改了。\n"})
    for use in (lambda: app.near("支付模块", 1, 5), lambda: app.index(False, silent)):
        with pytest.raises(StoreError, match="graphrag index --full"):
            use()
    assert app.index(True, silent).notes == 4


def test_a_name_that_was_left_out_is_told_with_its_reason(open_vault: Open) -> None:
    app = open_vault({**SMALL, "秘密.md": "---\nprivate: true\n---\n# 秘密\n"})
    app.index(False, silent)
    for use in (
        lambda: app.show("秘密"),
        lambda: app.why_not("秘密", Filters(), "秘密.md"),
        lambda: app.near("秘密", 1, 5),
    ):
        with pytest.raises(NoteNotFound, match="left out by its front matter"):
            use()


@pytest.mark.parametrize("command", ["ask", "search"])
def test_filters_that_let_nothing_through_cost_one_line(tmp_path: Path, command: str) -> None:
    vault = write_vault(tmp_path / "vault", SMALL)
    (vault / "graphrag.toml").write_text('[index]\nembedder = "none"\n[answer]\nchat = "none"\n', encoding="utf-8")
    index_vault(vault)
    done = CliRunner().invoke(command_line, [command, "支付", "--tag", "没有的", "--vault", str(vault)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("错误：没有笔记符合筛选条件。")
    assert done.stderr.count("\n") == 1


def test_a_search_on_a_snapshot_whose_files_are_gone_goes_on_with_the_newest(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    reader = App.open(app.vault, app.vault)
    assert reader.search("消息积压", Filters()).candidates
    write_vault(app.vault, {"消息队列.md": "# 消息队列\n\n消息积压时先限流。\n"})
    app.index(True, silent)
    found = reader.search("消息积压", Filters()).candidates
    assert found[0].chunk.text.endswith("先限流。")
    assert not reader._snapshot.has_newer
    reader.close()


def test_a_search_in_a_new_process_loads_neither_parser_nor_writer_nor_reasoner(open_vault: Open) -> None:
    app = open_vault()
    app.index(False, silent)
    heavy = ("markdown_it", "git", "lancedb", "rdflib", "networkx", "watchdog")
    script = (
        "import sys; from pathlib import Path; from graphrag.app import App\n"
        "from graphrag.domain.query import Filters; vault = Path(sys.argv[1])\n"
        "App.open(vault, vault, {'index': {'embedder': 'none'}}).search('消息积压', Filters())\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(app.vault)], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
