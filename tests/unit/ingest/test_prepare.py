import pytest

from graphrag.domain.note import Severity
from graphrag.domain.snapshot import LeftOut, NoteEntry, NoteFile
from graphrag.ingest.chunk import ChunkPolicy
from graphrag.ingest.note_rule import NoteRule
from graphrag.ingest.prepare import ParsedNotes, index_note, parse_files


class Source:
    """A vault in memory; a file without bytes cannot be read."""

    def __init__(self, files: dict[str, bytes | None]) -> None:
        self.files = files

    def read(self, file: NoteFile) -> bytes:
        data = self.files[file.path]
        if data is None:
            raise PermissionError(13, "Permission denied")
        return data


class Words:
    fingerprint = "words"

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def tokenize_query(self, text: str) -> list[str]:
        return text.split()


def parse(files: dict[str, bytes | None], exclude_tags: tuple[str, ...] = ()) -> ParsedNotes:
    wanted = [NoteFile(path, f"hash of {path}", 1, None, None) for path in files]
    return parse_files(Source(files), wanted, NoteRule(exclude_tags), lambda: None)


def test_what_must_stay_out_is_left_out_with_its_reason() -> None:
    parsed = parse(
        {
            "公开.md": "公开".encode(),
            "私密.md": "---\nprivate: true\n---\n秘密".encode(),
            "日记.md": "#日记/2024 一天".encode(),
            "二进制.md": bytes(500),
            "坏.canvas": b"{",
            "禁.md": None,
        },
        exclude_tags=("#日记", ""),
    )
    assert [note.path for _, note in parsed.notes] == ["公开.md"]
    assert parsed.left_out == {
        path: LeftOut(f"hash of {path}", "|") for path in ("私密.md", "日记.md", "二进制.md", "坏.canvas", "禁.md")
    }
    assert [(found.path, found.severity) for found in parsed.diagnostics] == [
        ("私密.md", Severity.SKIPPED),
        ("日记.md", Severity.SKIPPED),
        ("二进制.md", Severity.ERROR),
        ("坏.canvas", Severity.ERROR),
        ("禁.md", Severity.ERROR),
    ]


@pytest.mark.parametrize(("tag", "is_out"), [("日记", True), ("日记/2024", False), ("日", False), ("日记本", False)])
def test_an_excluded_tag_matches_its_children_only(tag: str, is_out: bool) -> None:
    assert bool(parse({"a.md": "#日记/2023".encode()}, (tag,)).left_out) is is_out


def test_other_encodings_and_broken_front_matter_are_indexed_with_a_warning() -> None:
    parsed = parse({"a.md": ("编码的笔记内容" * 20).encode("gb18030"), "b.md": b"---\na: b: c\n---\ntext"})
    assert len(parsed.notes) == 2
    assert [found.severity for found in parsed.diagnostics] == [Severity.WARNING] * 2


def test_terms_of_a_chunk_hold_title_aliases_tags_and_headings() -> None:
    ((file, note),) = parse({"a.md": b"---\ntitle: T\naliases: [A]\ntags: [x/y]\n---\n# H\nbody"}).notes
    indexed = index_note(file, note, ChunkPolicy(200, 600, 0.1), Words())
    assert indexed.tokens == ("T A x/y H # H body",)
    assert indexed.content_hash == "hash of a.md"


def test_the_lexicon_is_what_notes_call_themselves() -> None:
    entry = NoteEntry("hash", "|", "事务", ("补偿机制", "x"), ("架构/后端",), (), 1)
    assert entry.words == {"事务", "补偿机制", "架构", "后端"}
