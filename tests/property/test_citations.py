"""A citation that is printed can be read again: the same note, lines and commit."""

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.domain.query import Reference, readings
from tests.generated import examples

PARTS = st.lists(
    st.sampled_from(["a", "笔记", ":", "@", "-", "12", ":3-4", "@3f2a91c", ".md", "/", " ", "\n", "[["]), min_size=1
)
NOTES = PARTS.map("".join) | st.text(min_size=1)
LINES = st.none() | st.tuples(st.integers(1, 10**8), st.integers(0, 500)).map(lambda pair: (pair[0], sum(pair)))
COMMITS = st.just("") | st.text("0123456789abcdef", min_size=7, max_size=40)
REFERENCES = st.builds(Reference, NOTES.map(lambda name: f"{name}.md"), LINES, COMMITS)

modest = settings(max_examples=examples(200))


@modest
@given(REFERENCES)
def test_the_first_reading_whose_note_there_is_is_what_was_written(reference: Reference) -> None:
    known = [reading for reading in readings(str(reference)) if reading.note == reference.note]
    assert known[:1] == [reference]


@modest
@given(REFERENCES)
def test_longer_names_come_first(reference: Reference) -> None:
    lengths = [len(reading.note) for reading in readings(str(reference))]
    assert lengths == sorted(lengths, reverse=True)


@modest
@given(st.text())
def test_every_reading_is_a_part_of_the_text(text: str) -> None:
    for reading in readings(text):
        assert text.startswith(reading.note)
        assert text.endswith(reading.revision)
        assert reading.note
