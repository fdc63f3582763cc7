"""The pairs in tests/cases, one test each."""

import pytest

from graphrag.domain.note import Link, Note
from graphrag.ingest.chunk import ChunkPolicy, chunk_note
from graphrag.ingest.clean import clean_note
from graphrag.ingest.parse import parse_note
from tests.cases import Case, read_cases

SMALL = ChunkPolicy(min_size=20, max_size=60, overlap=0.25)


@pytest.mark.parametrize("case", read_cases("parse.md"), ids=str)
def test_parse(case: Case) -> None:
    note = parse_note("note.md", case.given.encode())
    expected = [line.split(": ", 1) for line in case.expected.split("\n")]
    assert [[key, _field(note, key)] for key, _ in expected] == expected


def _field(note: Note, key: str) -> str:
    match key:
        case "title" | "category":
            return str(getattr(note, key))
        case "tags" | "aliases":
            return " | ".join(getattr(note, key))
        case "created" | "updated":
            return str(getattr(note, key).isoformat())
        case "body_line":
            return str(note.body_line)
        case "problems":
            return str(len(note.diagnostics))
        case "headings":
            return " | ".join(" > ".join(section.heading) for section in note.sections if section.heading)
        case _:
            return " | ".join(note.properties.get(key, ()))


@pytest.mark.parametrize("case", read_cases("links.md"), ids=str)
def test_links(case: Case) -> None:
    assert "\n".join(_written(link) for link in parse_note("note.md", case.given.encode()).links) == case.expected


def _written(link: Link) -> str:
    heading = f" # {link.heading}" if link.heading else ""
    relation = f" ({link.relation})" if link.relation else ""
    return f"{link.line} {link.kind} {link.target}{heading} = {link.text}{relation}"


@pytest.mark.parametrize("case", read_cases("clean.md"), ids=str)
def test_clean(case: Case) -> None:
    clean = clean_note(parse_note("note.md", case.given.encode()))
    assert clean.mapped.text.strip("\n") == case.expected
    named = {name.strip() for name in case.title.partition(":")[0].split(",")} - {"none"}
    assert named <= {effect.rule for effect in clean.effects}


@pytest.mark.parametrize("case", read_cases("chunk.md"), ids=str)
def test_chunk(case: Case) -> None:
    note = parse_note("note.md", case.given.encode())
    written = [
        f"{' > '.join(chunk.heading)} @ {chunk.span.first_line}-{chunk.span.last_line}\n{chunk.text}"
        for chunk in chunk_note(note, clean_note(note), SMALL)
    ]
    assert "\n".join(written) == case.expected
