from dataclasses import replace

from graphrag.answers.citations import CitedPassages
from graphrag.domain.note import TextLines
from graphrag.domain.query import Context
from graphrag.retrieve.pipeline import build_context
from tests.fakes.notes import make_chunk, make_note

CONTEXT: Context = build_context(
    [make_chunk(make_note(f"n{i}.md"), i, "第一句。\n第二句。\n\n\n第五句。") for i in range(2)], 9999
)


def with_lines(context: Context) -> Context:
    """Give each line of a block's text its line of a file, from line 10 on."""
    starts = (0, 5, 10, 11, 12)
    lines = tuple(TextLines(start, number, number) for number, start in enumerate(starts, 10))
    blocks = tuple(replace(block, chunk=replace(block.chunk, lines=lines)) for block in context.blocks)
    return replace(context, blocks=blocks)


def test_a_models_citations_keep_the_keys_of_their_blocks() -> None:
    passages = CitedPassages(with_lines(CONTEXT), by_sentence=False)
    assert [passages.name(2, 0, 4, "第一句。"), passages.name(1, 5, 9, "b"), passages.name(2, 5, 9, "c")] == [2, 1, 2]
    assert [(cited.key, cited.lines, cited.quote) for cited in passages.all] == [
        (2, (2, 3), "第一句。"),
        (1, (1, 2), "b"),
    ]


def test_sentences_are_numbered_as_they_come_and_share_a_number_where_their_lines_touch() -> None:
    passages = CitedPassages(with_lines(CONTEXT), by_sentence=True)
    keys = [
        passages.name(2, 0, 4, "a"),
        passages.name(2, 5, 9, "b"),
        passages.name(2, 12, 16, "c"),
        passages.name(1, 0, 4, "d"),
    ]
    assert keys == [1, 1, 2, 3]
    assert [(cited.key, cited.lines, cited.quote) for cited in passages.all] == [
        (1, (10, 11), "a"),
        (2, (14, 14), "c"),
        (3, (10, 10), "d"),
    ]


def test_where_lines_cannot_be_told_the_whole_block_is_cited() -> None:
    passages = CitedPassages(CONTEXT, by_sentence=True)
    assert [passages.name(2, 0, 4, "a"), passages.name(2, 12, 16, "c"), passages.name(1, 0, 4, "d")] == [1, 1, 2]
    assert [cited.lines for cited in passages.all] == [(2, 3), (1, 2)]
    assert passages.lines_of(1, 0, 4) == (1, 2)
