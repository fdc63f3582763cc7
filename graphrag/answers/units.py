"""A context -> the units that an answer may quote: a sentence, a list item, a table's row, a line of code.

Each unit knows what it stands under (title, heading path, lead-in, column names), and its neighbours, since a sentence
alone seldom says what it is about.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from graphrag.domain.query import Context, ContextBlock
from graphrag.language.sentences import PassageSentence, fit_sentences


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a block that an answer may quote by itself."""

    said: PassageSentence
    key: int  # of its block
    place: int  # within the context
    title: str  # of the note, with the headings that it stands under
    before: str  # texts of its neighbours in the passage
    after: str
    share: float  # of the passage that comes before it, from 0 to 1

    @property
    def text(self) -> str:
        """What it says."""
        return self.said.text

    @property
    def under(self) -> str:
        """The lead-in, column names and heading that it is read under."""
        return self.said.lead


def units_of(context: Context) -> list[Unit]:
    """Return the units of all blocks, in their order."""
    units: list[Unit] = []
    for block in context.blocks:
        units += _units_of_block(block, len(units))
    return units


def _units_of_block(block: ContextBlock, place: int) -> Iterator[Unit]:
    chunk = block.chunk
    said = list(fit_sentences(chunk.text))
    title = " ".join((chunk.title, *chunk.heading))
    for number, sentence in enumerate(said):
        yield Unit(
            said=sentence,
            key=block.key,
            place=place + number,
            title=title,
            before=said[number - 1].text if number else "",
            after=said[number + 1].text if number + 1 < len(said) else "",
            share=number / len(said),
        )
