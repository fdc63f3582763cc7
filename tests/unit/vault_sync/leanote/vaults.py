"""A vault of its own for each import test, and the account that most of them start from."""

from pathlib import Path

from tests.fakes.leanote.pictures import png
from tests.fakes.leanote.source import MemorySource, note_id
from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.write.import_plan import ImportOptions
from vault_sync.leanote.write.import_report import ImportReport
from vault_sync.leanote.write.import_state import ImportState
from vault_sync.leanote.write.importer import Importer
from vault_sync.leanote.write.vault_writer import VaultWriter

OPTIONS = ImportOptions("account")
IMAGE = "a" * 24
PAPER = "b" * 24


class Vault:
    """A vault in a folder, and the state of its imports beside it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "vault"
        self.root.mkdir()
        self.state_file = folder / "state.jsonl"

    def run(self, source: MemorySource, options: ImportOptions = OPTIONS, is_trial: bool = False) -> ImportReport:
        source.bodies_read.clear()
        source.files_read.clear()
        state = ImportState(self.state_file, is_trial)
        try:
            writer = VaultWriter(self.root, is_trial)
            return Importer(source, writer, state, options, lambda step, done, total: None).run(is_trial)
        finally:
            state.close()

    def files(self) -> dict[str, bytes]:
        found = (path for path in sorted(self.root.rglob("*")) if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}

    def names(self) -> list[str]:
        return list(self.files())

    def text(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def edit(self, path: str, line: str = "我写的\n") -> str:
        with (self.root / path).open("a", encoding="utf-8") as file:
            file.write(line)
        return self.text(path)


def small_account() -> MemorySource:
    """Return three notes in nested notebooks, with a picture, attachments and links to one another, forth and back."""
    source = MemorySource()
    books = source.add_notebook("读书")
    novels = source.add_notebook("小说", books)
    first = f"![渡口](/api/file/getImage?fileId={IMAGE})\n\n[见](http://localhost:9000/note/{note_id(3)})\n"
    paper = FileRef(PAPER, FileKind.ATTACHMENT, "书单.pdf")
    source.add_note("边城", first, novels, files=(FileRef(IMAGE, FileKind.IMAGE), paper))
    source.add_note("随想", "一段文字\n", books)
    source.add_note("散记", f"[回](/note/{note_id(1)})\n")
    source.data |= {IMAGE: png(1), PAPER: b"%PDF-1.4 x"}
    return source


def kinds(report: ImportReport) -> dict[str, int]:
    lists = ("imported", "updated", "moved", "conflicts", "removed", "skipped", "failures", "warnings")
    counts = {name: len(getattr(report, name)) for name in lists}
    return {name: count for name, count in {**counts, "unchanged": report.unchanged}.items() if count}
