"""What holds for the parsed, cleaned and chunked form of any note."""

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.domain.note import Note
from graphrag.ingest.chunk import ChunkPolicy, chunk_note, text_sizes
from graphrag.ingest.clean import RULES, CleanText, Code, clean_note
from graphrag.ingest.parse import parse_note
from graphrag.ingest.structure import code_ranges
from tests.generated import examples
from tests.property.markdown import NOTE_TEXT

modest = settings(max_examples=examples(80))

POLICIES = st.sampled_from([ChunkPolicy(200, 600, 0.12), ChunkPolicy(20, 60, 0.25), ChunkPolicy(1, 20, 0.0)])
_WORD = re.compile(r"\w")


def read(text: str) -> tuple[Note, CleanText]:
    note = parse_note("note.md", text.encode())
    return note, clean_note(note)


@modest
@given(NOTE_TEXT, POLICIES)
def test_spans_lie_in_the_file_and_their_lines_hold_the_words_of_the_chunk(text: str, policy: ChunkPolicy) -> None:
    note, clean = read(text)
    lines = note.text.split("\n")
    for chunk in chunk_note(note, clean, policy):
        span = chunk.span
        assert 0 <= span.start < span.end <= len(note.text)
        assert span.first_line == note.text.count("\n", 0, span.start) + 1
        assert span.last_line == note.text.count("\n", 0, span.end - 1) + 1
        source = "\n".join(lines[span.first_line - 1 : span.last_line])
        assert note.text[span.start : span.end] in source


@modest
@given(NOTE_TEXT, POLICIES)
def test_every_character_of_a_chunk_comes_from_its_span(text: str, policy: ChunkPolicy) -> None:
    note, clean = read(text)
    for chunk in chunk_note(note, clean, policy):
        inside = (clean.mapped.starts >= chunk.span.start) & (clean.mapped.ends <= chunk.span.end)
        cleaned = "".join(character for character, is_in in zip(clean.mapped.text, inside, strict=True) if is_in)
        assert chunk.text in cleaned or chunk.text.partition("\n")[2].partition("\n")[2] in cleaned  # behind a head


@modest
@given(NOTE_TEXT, POLICIES)
def test_chunks_cover_every_word_of_the_cleaned_note(text: str, policy: ChunkPolicy) -> None:
    note, clean = read(text)
    spans = [chunk.span for chunk in chunk_note(note, clean, policy)]
    for place, character in enumerate(clean.mapped.text):
        if _WORD.match(character):
            start, end = clean.mapped.source(place, place + 1)
            assert any(span.start <= start and end <= span.end for span in spans)


@modest
@given(NOTE_TEXT, POLICIES)
def test_no_chunk_is_larger_than_its_limit(text: str, policy: ChunkPolicy) -> None:
    """The limit is max_size; a chunk of table rows may have its head (at most half of that) and one long row more."""
    note, clean = read(text)
    for chunk in chunk_note(note, clean, policy):
        size = float(text_sizes(chunk.text)[-1])
        limit = policy.max_size * (4.5 if "|" in chunk.text else 1)
        assert size <= limit + 1e-6


@modest
@given(NOTE_TEXT, POLICIES)
def test_chunks_are_in_order_with_ids_of_their_own(text: str, policy: ChunkPolicy) -> None:
    note, clean = read(text)
    chunks = chunk_note(note, clean, policy)
    assert chunks == chunk_note(note, clean_note(note), policy)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(before.span.start <= after.span.start for before, after in pairwise(chunks))
    assert all(before.span.end <= after.span.end for before, after in pairwise(chunks))


@modest
@given(NOTE_TEXT)
def test_the_way_back_is_monotone_and_in_range(text: str) -> None:
    note, clean = read(text)
    mapped = clean.mapped
    assert len(mapped.starts) == len(mapped.ends) == len(mapped.text)
    assert all(0 <= start < end <= len(note.text) for start, end in zip(mapped.starts, mapped.ends, strict=True))
    assert all(before <= after for before, after in pairwise(mapped.starts.tolist()))
    assert all(before <= after for before, after in pairwise(mapped.ends.tolist()))
    for character, start, end in zip(mapped.text, mapped.starts, mapped.ends, strict=True):
        if end - start == 1 and not character.isspace():
            assert note.text[start] == character


@modest
@given(NOTE_TEXT)
def test_code_survives_verbatim_or_goes_as_a_whole(text: str) -> None:
    """It goes with a comment or a script around it, and when it is a Dataview query."""
    note, clean = read(text)
    for start, end in (*note.code_blocks, *note.code_spans):
        first, last = clean.mapped.locate([start, end])
        kept = clean.mapped.text[first:last]
        assert kept == "" or kept == note.text[start:end] or clean.mapped.source(first, last)[0] != start


@modest
@given(NOTE_TEXT)
def test_blocks_tile_the_body(text: str) -> None:
    note, _ = read(text)
    blocks = [block.span for section in note.sections for block in section.blocks]
    assert all(before.end == after.start for before, after in pairwise(blocks))
    if blocks:
        assert note.text[: blocks[0].start].count("\n") == note.body_line - 1
        assert blocks[-1].end == len(note.text)


@modest
@given(NOTE_TEXT)
def test_cleaning_clean_text_changes_nothing(text: str) -> None:
    """With the code where it was: without a comment in front of it, other backticks may pair up."""
    note, clean = read(text)
    mapped = clean.mapped
    blocks, spans = (
        tuple(
            zip(mapped.locate([start for start, _ in ranges]), mapped.locate([end for _, end in ranges]), strict=True)
        )
        for ranges in (note.code_blocks, note.code_spans)
    )
    ranges = code_ranges(*(tuple(span for span in found if span[0] < span[1]) for found in (blocks, spans)))
    code = Code(ranges, frozenset(blocks), [start for start, _ in ranges])
    assert {name: list(rule(mapped.text, code)) for name, rule in RULES} == {name: [] for name, _ in RULES}
