"""A list -> its words: how many there are, a line for each that is shown, and how to see more of it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphrag.answers.list_tests import day_of
from graphrag.domain.graph import Facet, NoteSummary
from graphrag.language.marks import disarm
from graphrag.understand.listing import USUAL, Listed, Listing

_MOST_SHOWN = 100  # whatever it says
_LINE = re.compile(r"^- .* (?:\[(\d+)\]|\(.+\))$", re.MULTILINE)
_NOUNS = {Listed.TAGS: "标签", Listed.CATEGORIES: "分类", Listed.FOLDERS: "文件夹"}


@dataclass(frozen=True, slots=True)
class Page:
    """The part of a list that is shown: places from 1, the last one included."""

    first: int
    last: int
    total: int


def page_of(asked: Listing, total: int) -> Page:
    """Return what is to be shown of so many: what the question says, else the beginning."""
    first = asked.first or 1
    usual = USUAL if asked.listed is Listed.NOTES else _MOST_SHOWN
    wanted = asked.last - first + 1 if asked.last else asked.limit or usual
    return Page(first, min(total, first + min(max(wanted, 0), _MOST_SHOWN) - 1), total)


def notes_text(
    notes: Sequence[NoteSummary], page: Page, keys: Mapping[str, int], asked: Listing, told: str, in_chinese: bool
) -> str:
    """Return a list of notes; `keys` are those of the citations by path, `told` says how the tags were read."""
    count = f"共 {len(notes)} 篇笔记" if in_chinese else _count(len(notes), "note")
    if not notes:
        count = "没有这样的笔记" if in_chinese else "No note is like that"
    if told:
        count += f"（{told}）" if in_chinese else f" ({told})"
    if not notes:
        return count + ("。" if in_chinese else ".")
    lines = [_line(note, keys, asked) for note in notes[page.first - 1 : page.last]]
    return _told(count, lines, page, in_chinese)


def facets_text(facets: Sequence[Facet], notes: int, asked: Listing, in_chinese: bool) -> str:
    """Return the tags, categories or folders of so many notes."""
    page = page_of(asked, len(facets))
    sign = "#" if asked.listed is Listed.TAGS else ""
    if not facets:
        return f"这些笔记没有{_NOUNS[asked.listed]}。" if in_chinese else f"These notes have no {asked.listed}."
    shown = [(f"{sign}{disarm(facet.name)}", facet.notes) for facet in facets[page.first - 1 : page.last]]
    if in_chinese:
        count = f"{notes} 篇笔记里有 {len(facets)} 个{_NOUNS[asked.listed]}"
        return _told(count, [f"{name}（{number} 篇）" for name, number in shown], page, True)
    noun = _singular(asked.listed) if len(facets) == 1 else asked.listed
    count = f"{_count(notes, 'note')}, {len(facets)} {noun}"
    return _told(count, [f"{name} ({_count(number, 'note')})" for name, number in shown], page, False)


def listed_keys(text: str) -> tuple[int, ...]:
    """Return the keys of the notes in a list that was told, in its order; 0 for a note without a citation."""
    return tuple(int(found[1] or 0) for found in _LINE.finditer(text))


def _told(count: str, lines: Sequence[str], page: Page, in_chinese: bool) -> str:
    """Return the whole text; a page behind the end of the list has no lines."""
    place = ""
    if page.first > 1 and lines:
        place = f"，第 {page.first} 到 {page.last} 条" if in_chinese else f", {page.first} to {page.last}"
    elif not lines:
        place = f"，没有第 {page.first} 条" if in_chinese else f", none at {page.first}"
    end = ("：" if in_chinese else ":") if lines else ("。" if in_chinese else ".")
    head = f"{count}{place}{end}"
    return "\n".join([head, *(f"- {line}" for line in (*lines, *_rest(page, in_chinese)))])


def _rest(page: Page, in_chinese: bool) -> Iterator[str]:
    """Yield how much comes behind what is shown, and the words that show it."""
    if page.first > page.total or page.last >= page.total:
        return
    first, last, rest = page.last + 1, min(page.total, page.last + USUAL), page.total - page.last
    if in_chinese:
        yield f"后面还有 {rest} 条；在问题里加上“第 {first} 到 {last} 条”就能看到"
    else:
        yield f'{rest} more; add "{first} to {last}" to the question to see them'


def _line(note: NoteSummary, keys: Mapping[str, int], asked: Listing) -> str:
    day = day_of(note, asked)
    mark = f" [{keys[note.path]}]" if note.path in keys else f" ({disarm(note.path)})"
    return f"{disarm(note.title)}{f' · {day}' if day else ''}{mark}"


def _singular(listed: Listed) -> str:
    return "category" if listed is Listed.CATEGORIES else str(listed).removesuffix("s")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
