"""One account by every way in: a server, a dump, the desktop app's export and the exporters', into real vaults."""

import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from graphrag.app import App
from graphrag.cli.main import app as command_line
from graphrag.domain.query import Filters
from graphrag.vault.imports import LeanoteImport
from tests.e2e.conftest import silent
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.git import isolate_git, run_git
from tests.fakes.leanote import desktop, exporters
from tests.fakes.leanote.account import FakeAccount, seeded_account
from tests.fakes.leanote.mongodump import write_mongodump
from tests.fakes.leanote.server import LeanoteServer, Trouble, running_leanote
from vault_sync.leanote.sources import api
from vault_sync.leanote.sources.api_client import Patience
from vault_sync.leanote.write.import_report import ImportReport
from vault_sync.leanote.write.note_file import id_in

SHANGHAI = ZoneInfo("Asia/Shanghai")
EXPORTS: dict[str, Callable[[FakeAccount, Path], object]] = {
    "desktop": desktop.write_desktop,
    "leanote4md": exporters.write_leanote4md,
    "leanote4md_fork": exporters.write_leanote4md_fork,
    "leanote2md": exporters.write_leanote2md,
    "leanote_md": exporters.write_leanote_md,
    "downloader": exporters.write_downloader,
    "leanote2local": exporters.write_leanote2local,
    "generic": exporters.write_generic,
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LeanoteServer]:
    monkeypatch.setattr(api, "Patience", partial(Patience, first_wait_seconds=0.01))
    with running_leanote(seeded_account()) as running:
        yield running


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a vault that took in all of the account."""
    folder = tmp_path_factory.mktemp("whole")
    bring(folder / "vault", write_mongodump(seeded_account(), folder / "backup"))
    return files_of(folder / "vault")


def bring(vault: Path, source: str | Path, **options: object) -> ImportReport:
    vault.mkdir(exist_ok=True)
    app = App.open(vault, vault)
    try:
        wanted = LeanoteImport(str(source), zone=SHANGHAI, **options)  # type: ignore[arg-type]
        return app.import_leanote(wanted, silent)
    finally:
        app.close()


def bring_from(server: LeanoteServer, vault: Path, **options: object) -> ImportReport:
    return bring(vault, server.host, user="lin", password=server.account.password, **options)


def files_of(vault: Path) -> dict[str, bytes]:
    """Return what a person sees of a vault, and its trash."""
    hidden = (".graphrag", ".git")
    found = (path for path in sorted(vault.rglob("*")) if path.is_file())
    names = ((path.relative_to(vault), path) for path in found)
    return {name.as_posix(): path.read_bytes() for name, path in names if name.parts[0] not in hidden}


def note_at(vault: Path, note_id: str) -> str:
    """Return the path of the one note with an id."""
    files = {name: data for name, data in files_of(vault).items() if name.endswith(".md")}
    (name,) = [name for name, data in files.items() if id_in(data) == note_id and not name.startswith(".trash/")]
    return name


def body_of(data: bytes) -> bytes:
    return data.split(b"---\n", 2)[2]


def test_a_server_and_a_dump_give_the_same_vault_and_go_on_from_each_other(
    server: LeanoteServer, tmp_path: Path
) -> None:
    dump = write_mongodump(server.account, tmp_path / "backup")
    by_api = bring_from(server, tmp_path / "a")
    by_dump = bring(tmp_path / "b", dump, site=server.host)
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")
    assert len(by_api.imported) == len(by_dump.imported) == len(desktop.exported_notes(server.account))
    assert by_api.failures == by_dump.failures == ()
    assert {item.name for item in by_api.missing_files} == {item.name for item in by_dump.missing_files}
    assert by_api.empty == by_dump.empty != ()
    assert [item.name for item in by_api.skipped if "trash" in item.detail]
    report = bring(tmp_path / "a", dump, site=server.host)
    assert (report.imported, report.updated, report.moved, report.conflicts) == ((), (), (), ())
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


@pytest.mark.parametrize("kind", EXPORTS)
def test_an_export_gives_what_it_holds_and_nothing_twice(kind: str, whole: dict[str, bytes], tmp_path: Path) -> None:
    account = seeded_account()
    EXPORTS[kind](account, tmp_path / "export")
    report = bring(tmp_path / "a", tmp_path / "export")
    assert report.failures == report.conflicts == ()
    assert len(report.imported) >= 280
    before = files_of(tmp_path / "a")
    again = bring(tmp_path / "a", tmp_path / "export")
    assert (again.imported, again.updated, again.moved, again.unchanged) == ((), (), (), len(report.imported))
    assert files_of(tmp_path / "a") == before
    bodies = {body_of(data) for name, data in whole.items() if name.endswith(".md")}
    ours = [body_of(data) for name, data in before.items() if name.endswith(".md")]
    same = sum(body in bodies for body in ours)
    assert same >= 0.85 * len(ours), "most texts hold nothing that this export loses"


def test_edits_moves_and_deletions_on_the_server_come_through(
    server: LeanoteServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, account = tmp_path / "a", server.account
    isolate_git(monkeypatch, tmp_path)
    vault.mkdir()
    run_git(vault, "init", "-q")
    run_git(vault, "config", "user.name", "某人")
    run_git(vault, "config", "user.email", "someone@example.org")
    first = bring_from(server, vault)
    assert run_git(vault, "log", "--format=%s").endswith(f": {len(first.imported)} new")
    plain = [note for note in desktop.exported_notes(account) if note.notebook == account.keys["公开"]]
    edited, renamed, moved, trashed, deleted, mine = (note.id for note in plain[:6])
    places = {note_id: note_at(vault, note_id) for note_id in (edited, renamed, moved, trashed, deleted, mine)}
    account.edit(edited, "# 全新的内容\n")
    account.rename(renamed, "改了名字的笔记")
    account.move(moved, account.keys["读书"])
    account.trash(trashed)
    account.delete(deleted)
    account.edit(mine, "服务器上改的\n")
    added = account.add_note("后来写的", "刚写下\n", account.keys["读书"])
    with (vault / places[mine]).open("a", encoding="utf-8") as file:
        file.write("我在这里改的\n")
    requests = server.counts()["note/getNoteAndContent"]
    report = bring_from(server, vault)
    gaps = {item.name for item in first.missing_files}
    asked = server.counts()["note/getNoteAndContent"] - requests
    assert asked <= 6 + len(gaps), "only what changed is asked for, and what lacks a file"
    assert "全新的内容" in (vault / places[edited]).read_text()
    assert note_at(vault, renamed) == "公开/改了名字的笔记.md"
    assert note_at(vault, moved).startswith("读书/")
    assert note_at(vault, added.id) == "读书/后来写的.md"
    assert {item.name for item in report.removed} == {places[trashed], places[deleted]}
    assert not (vault / places[trashed]).exists()
    assert [item.name for item in report.conflicts] == [places[mine]]
    assert "我在这里改的" in (vault / places[mine]).read_text()
    subject = run_git(vault, "log", "-1", "--format=%s")
    assert subject.endswith(": 2 new, 1 updated, 2 moved, 2 removed"), "the copy of the conflict is a new file"
    account.restore(trashed)
    account.rename_notebook(account.keys["公开"], "公开的")
    bring_from(server, vault)
    assert note_at(vault, trashed) == places[trashed].replace("公开/", "公开的/", 1)
    assert {name for name in files_of(vault) if name.startswith("公开/")} == {places[mine], *copies(vault)}
    assert run_git(vault, "status", "--porcelain") == f"M {quoted(places[mine])}"


def test_files_that_are_given_later_come_in(whole: dict[str, bytes], tmp_path: Path) -> None:
    dump = write_mongodump(seeded_account(), tmp_path / "backup")
    away = tmp_path / "away"
    away.mkdir()
    for name in ("files", "public"):
        shutil.move(dump / name, away / name)
    vault = tmp_path / "a"
    poor = bring(vault, dump)
    assert len(list(vault.rglob("*.png"))) == 1, "the one that stands in a text itself"
    assert {item.name for item in bring(vault, dump).missing_files} == {item.name for item in poor.missing_files}
    bring(vault, dump, files=away)
    assert files_of(vault) == whole


def test_files_that_the_server_could_not_give_once_come_in_later(server: LeanoteServer, tmp_path: Path) -> None:
    whole, vault = tmp_path / "whole", tmp_path / "a"
    bring_from(server, whole)
    server.fail(Trouble.HTML, 20, "file/getImage")
    server.fail(Trouble.EMPTY, 10, "file/getAttach")
    bring_from(server, vault)
    assert files_of(vault) != files_of(whole)
    server.troubles.clear()
    bring_from(server, vault)
    assert files_of(vault) == files_of(whole)


def copies(vault: Path) -> list[str]:
    return [name for name in files_of(vault) if "(Leanote " in name]


def quoted(path: str) -> str:
    return '"' + "".join(f"\\{byte:03o}" if byte > 126 else chr(byte) for byte in path.encode()) + '"'


def test_the_files_beside_an_archive_of_the_database_are_found(whole: dict[str, bytes], tmp_path: Path) -> None:
    dump = write_mongodump(seeded_account(), tmp_path / "server")
    backup = tmp_path / "apart" / "backup.tar.gz"
    backup.parent.mkdir()
    (database,) = dump.rglob("notes.bson")
    with tarfile.open(backup, "w:gz") as archive:
        archive.add(database.parent, arcname=".")
    for name in ("files", "public"):
        (found,) = (path for path in dump.rglob(name) if path.is_dir() and path.parent == dump)
        shutil.move(found, backup.parent / name)
    report = bring(tmp_path / "apart-vault", backup)
    assert files_of(tmp_path / "apart-vault") == whole, report.missing_files


def test_a_killed_import_goes_on_and_doubles_nothing(whole: dict[str, bytes], tmp_path: Path) -> None:
    dump = write_mongodump(seeded_account(), tmp_path / "backup")
    vault = tmp_path / "killed"
    vault.mkdir()
    words = ["import", "leanote", str(dump), "--vault", str(vault), "--zone", "Asia/Shanghai"]
    for wanted in (20, 150):
        process = subprocess.Popen([sys.executable, "-m", "graphrag", *words], stderr=subprocess.DEVNULL)
        while process.poll() is None and len(list(vault.rglob("*.md"))) < wanted:
            time.sleep(0.002)
        process.kill()
        process.wait()
    done = subprocess.run([sys.executable, "-m", "graphrag", *words], capture_output=True, text=True, check=True)
    assert "Imported from backup" in done.stdout
    assert files_of(vault) == whole


def test_the_command_imports_from_a_server_and_the_notes_answer_questions(
    server: LeanoteServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: HashingEmbedder
) -> None:
    vault = tmp_path / "a"
    vault.mkdir()
    monkeypatch.setenv("LEANOTE_PASSWORD", server.account.password)
    monkeypatch.setenv("LEANOTE_USER", "lin")
    words = ["import", "leanote", server.host, "--vault", str(vault), "--private", "日记", "--exclude", "公开"]
    result = CliRunner().invoke(command_line, words)
    assert result.exit_code == 0, result.stderr
    assert server.account.password not in result.stdout + result.stderr
    assert not (vault / "公开").exists()
    app = App.open(vault, vault)
    app.index(False, silent)
    found = app.search("翠翠 渡口", Filters())
    assert found.candidates[0].chunk.note == note_at(vault, server.account.keys["边城"])
    status = app.status()
    assert sum("rag: false" in item.message for item in status.skipped) >= 20, "the diary is not indexed"
    original = f"{server.host}/note/{server.account.keys['边城']}"
    citations = app.ask("翠翠的渡口在哪", Filters()).citations
    assert original in [citation.origin for citation in citations]
    printed = CliRunner().invoke(command_line, ["ask", "翠翠的渡口在哪", "--vault", str(vault)]).stdout
    assert f"↗ {original}" in printed
    app.close()
