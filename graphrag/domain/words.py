"""What a dictionary says of a question's terms, whatever the notes say."""

from dataclasses import dataclass
from enum import StrEnum


class WordKind(StrEnum):
    """What a term is."""

    IDENTIFIER = "identifier"  # a product, a command, a number: what people write in Latin letters inside Chinese
    NOUN = "noun"  # names a thing or a person; what ends a doubt about the subject
    VERB = "verb"
    ENGLISH = "english"  # an ordinary word of an English sentence
    OTHER = "other"
    UNKNOWN = "unknown"  # in no dictionary: two characters that only happen to stand side by side, more often than not


@dataclass(frozen=True, slots=True)
class WordSense:
    """A term with its kind; `rarity` is how seldom people write it, from 0 to 1, on a logarithmic scale."""

    term: str
    kind: WordKind
    rarity: float
