"""Question -> the list that it asks for: notes by tag, folder or category, by date, the newest, how many; or the tags.

A question is read piece by piece, and only when no word is left over is it a list; else it is left to the search.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from graphrag.language.date_words import find_period, read_number
from graphrag.understand import listing_words as words
from graphrag.understand.tag_words import bare_name

USUAL = 20  # notes of a long list that are shown, unless the question says which
_LONGEST = 120  # characters; a longer question asks for more than a list


class Listed(StrEnum):
    """What a list is of."""

    NOTES = "notes"
    TAGS = "tags"
    CATEGORIES = "categories"
    FOLDERS = "folders"


_KINDS = {"标签": Listed.TAGS, "tag": Listed.TAGS, "分类": Listed.CATEGORIES, "类别": Listed.CATEGORIES}
_KINDS |= {"categor": Listed.CATEGORIES, "目录": Listed.FOLDERS, "文件夹": Listed.FOLDERS, "folder": Listed.FOLDERS}


@dataclass(frozen=True, slots=True)
class Listing:
    """What is asked for, of which notes, and in what order; names are as written, and may name nothing in the vault."""

    tags: tuple[str, ...] = ()  # each may be several, with words like 和 between them
    without_tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # folders or categories
    is_untagged: bool = False
    since: date | None = None
    until: date | None = None
    by_creation: bool = False  # the dates and the order are of creation, else of the last change
    is_ordered: bool = False
    is_oldest_first: bool = False
    limit: int = 0  # 0 for all
    is_count: bool = False
    listed: Listed = Listed.NOTES
    first: int = 0  # place of the first that is to be shown, from 1; 0 without a wish
    last: int = 0


class _Reader:
    """Takes pieces out of a text until nothing is left."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, form: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first piece of a form, which is gone then."""
        if match := form.search(self.text):
            self.cut(match.span())
        return match

    def cut(self, span: tuple[int, int]) -> None:
        """Take a piece out."""
        self.text = f"{self.text[: span[0]]} {self.text[span[1] :]}"

    def names(self, forms: tuple[re.Pattern[str], ...]) -> tuple[str, ...]:
        """Return the names in all pieces of some forms."""
        found: list[str] = []
        for form in forms:
            while match := self.take(form):
                named = match.groupdict()
                found.append(bare_name(named.get("names") or named.get("quoted") or named.get("word") or ""))
        return tuple(filter(None, found))

    @property
    def is_used_up(self) -> bool:
        """Whether only small words are left."""
        return not words.PUNCTUATION.sub("", words.SMALL.sub(" ", self.text))


def read_listing(question: str, today: date) -> Listing | None:
    """Return the list that a question asks for, None for every other question."""
    text = unicodedata.normalize("NFKC", question).strip(" \t\n。.？?！!").replace("有没有", "有")
    if len(text) > _LONGEST:
        return None
    reader, asks = _Reader(text), bool(words.CUE.search(text))
    listed = _take_facet(reader)
    is_untagged = bool(reader.take(words.UNTAGGED))
    without, tags, folders = (reader.names(forms) for forms in (words.WITHOUT_TAGS, words.TAGS, words.FOLDERS))
    if any(map(words.NO_NAME.fullmatch, (*without, *tags, *folders))):
        return None
    is_count, shown = bool(reader.take(words.COUNTED)), reader.take(words.RANGE)
    period = find_period(reader.text, today)
    if period:
        reader.cut(period.span)
    ordered = next(filter(None, map(reader.take, words.ORDERED)), None)
    verb = (ordered["verb"] if ordered else "") or ""
    by_creation = bool(words.CREATED.search(verb) or reader.take(words.CREATED))
    reader.take(words.CHANGED)
    order = ((ordered["end"] or "").lower(), ordered.groupdict().get("number") or "") if ordered else ("", "")
    is_restricted = is_untagged or tags or without or folders or period or ordered or shown
    is_asked = is_count or listed is not Listed.NOTES or (is_restricted and (asks or order[0]))
    if not reader.is_used_up or not is_asked:
        return None
    first, last = _range(shown)
    return Listing(
        tags=tags,
        without_tags=without,
        folders=folders,
        is_untagged=is_untagged,
        since=period.since if period else None,
        until=period.until if period else None,
        by_creation=by_creation,
        is_ordered=bool(ordered),
        is_oldest_first=order[0] in words.FIRST,
        limit=read_number(order[1]) or int(bool(ordered and order[0] and words.ONE.search(text))),
        is_count=is_count,
        listed=listed,
        first=first,
        last=last,
    )


def _take_facet(reader: _Reader) -> Listed:
    """Take out that tags, categories or folders themselves are asked for."""
    if not (match := reader.take(words.FACET)):
        return Listed.NOTES
    reader.take(words.USED)
    kind = next(filter(None, match.groupdict().values())).lower()
    return next(listed for name, listed in _KINDS.items() if kind.startswith(name))


def _range(match: re.Match[str] | None) -> tuple[int, int]:
    """Return the places that a question wants to see."""
    if match is None:
        return 0, 0
    if most := match["most"] or match["top"]:
        return 1, int(most)
    return max(int(match["first"]), 1), int(match["last"])
