"""A follow-up to a list -> a question of its own: fewer notes, another order, the next ones, one of them.

The narrowing words are appended to the list question. The result is used only if it reads as a list again.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from graphrag.domain.ontology import NameKind
from graphrag.language.numbers import ORDINALS, whole_number
from graphrag.language.periods import find_period
from graphrag.language.script import is_chinese
from graphrag.understand.follow_up import ENDS, Before, Names
from graphrag.understand.listing import RANGE, USUAL, Listing, read_listing

_THEN = r"(?:那么?|and|but|so|then|ok(?:ay)?)?[，, ]*"
_MORE = re.compile(
    rf"{_THEN}(?:还有(?:别的|其[他它]的?|哪些|什么|更多)?|其[他它余]的?|剩下的?|余下的?|继续(?:列|看)?|接着(?:列|看|说)?|后面的?|下一页|更多"
    r"|(?:show\s+(?:me\s+)?)?(?:more|the\s+rest|the\s+others|the\s+next(?:\s+(?:ones|page))?)(?:\s+of\s+them)?|next(?:\s+page)?"
    r"|go\s+on|continue|what\s+else|any\s+others)(?:呢|吗)?",
    re.IGNORECASE,
)
_OF_THEM = re.compile(
    rf"{_THEN}(?:其中的?|(?:[这那]些|上面这?些?|刚才这?些?|[这那]几篇)(?:笔记|文章)?(?:里面?|当中|之?中)?的?"
    r"|它们(?:里面?|当中|之?中)?的?|(?:那)?里面的?|(?:of|among|from)\s+(?:these|those|them)\b)",
    re.IGNORECASE,
)
_OF_THEM_EN = re.compile(r"\b(?:of|among|in)\s+(?:these|those|them)\b|\b(?:them|these|those|they)\b", re.IGNORECASE)
_SWITCH = re.compile(
    rf"{_THEN}(?P<part>[^?？，,]{{1,20}}?)(?:的|标签的?)?呢|(?:and|what\s+about|how\s+about)\s+(?P<other>.{{1,40}})",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:第(?P<zh>[一二三四五六七八九十]|\d{1,3})|(?P<last>最后一))[篇条个份]"
    r"(?:笔记|文章|条目|文档)?(?=[的是讲说写有呢怎为什谁在里和跟与给，]|都|主要|大概|\Z)"
    rf"|\bthe\s+(?P<en>{'|'.join(ORDINALS)}|last)"
    r"(?:\s+(?:one|note|article|entry)\b|(?=\s*(?:\Z|(?:says?|is|was|means?|about)\b)))",
    re.IGNORECASE,
)
_BEFORE_PLACE = re.compile(r"(?:那么?|请问?|打开|看看|看一下|把)*|(?:\w+\s+){0,3}", re.IGNORECASE)
_YEAR, _NO_YEAR = re.compile(r"\d{4}\s*年\s*"), re.compile(r"\d{1,2}\s*月")
_NOTE = re.compile(r"笔记|文章|条目|卡片|文档|日记|\bnotes?\b|\barticles?\b", re.IGNORECASE)


def follow_list(asked: str, before: Before, names: Names) -> tuple[str, bool] | None:
    """Return what a follow-up to a list asks, and whether in the user's own words; None for every other question."""
    listing = read_listing(before.question, date.today())
    text = asked.strip(ENDS)
    if listing is None or not text:
        return None
    if _MORE.fullmatch(text):
        return _next_page(before.question, listing), True
    if (question := _one_of_them(text, asked, before)) is not None:
        return (question, False) if question else None
    narrowed = _narrowed(text, before.question, listing) or _switched(text, before.question, listing, names)
    return (narrowed, True) if narrowed else None


def _next_page(question: str, listing: Listing) -> str:
    """Return the question for the part of a list that comes behind the one that was shown."""
    shown = listing.last or listing.limit or USUAL
    first, last = shown + 1, shown + USUAL
    rest = RANGE.sub("", question).rstrip("，, ").strip(ENDS)
    return f"{rest}，第 {first} 到 {last} 条" if is_chinese(question) else f"{rest}, {first} to {last}"


def _one_of_them(text: str, asked: str, before: Before) -> str | None:
    """Return a question about one note of the list, empty for one that it does not show; None for no such question."""
    found = _PLACE.search(text)
    if found is None or not _BEFORE_PLACE.fullmatch(text[: found.start()]):
        return None
    word = (found["zh"] or found["en"] or "last").lower()
    place = whole_number(word) or len(before.sources)
    title = before.sources[place - 1] if 0 < place <= len(before.sources) else ""
    mark = asked[len(asked.rstrip("?？")) :][:1]
    return f"{text[: found.start()]}{title}{text[found.end() :]}{mark}" if title else ""


def _narrowed(text: str, question: str, listing: Listing) -> str:
    """Return the question with the follow-up behind it, if that makes a list of fewer notes, or in another order."""
    pointer = _OF_THEM.match(text)
    is_pointing = bool(pointer or _OF_THEM_EN.search(text))
    if not is_pointing and _NOTE.search(text):
        return ""
    rest = " ".join(_OF_THEM_EN.sub(" ", text[pointer.end() :] if pointer else text).split()).strip(" ，,的")
    for joined in _joinings(question, rest):
        together = read_listing(joined, date.today())
        if together and together != listing and (is_pointing or _is_same_kind(together, listing)):
            return joined
    return ""


def _joinings(question: str, rest: str) -> Iterator[str]:
    """Yield the question with the rest behind it, then with the rest's time in the place of its own."""
    comma = "，" if is_chinese(question) else ", "
    bare = question.strip(ENDS)
    if rest:
        yield f"{bare}{comma}{rest}"
    old, new = find_period(bare, date.today()), find_period(rest, date.today())
    if old and new:
        time, year = rest[slice(*new.span)].strip(), _YEAR.search(bare[slice(*old.span)])
        year_too = year[0] if year and _NO_YEAR.match(time) else ""  # after June 2024, July is that of 2024
        yield f"{bare[: old.span[0]]}{year_too}{time}{bare[old.span[1] :]}"


def _is_same_kind(one: Listing, other: Listing) -> bool:
    """Whether two lists differ in nothing but time, order and number."""
    keys = ("tags", "without_tags", "folders", "is_untagged", "listed")
    return all(getattr(one, key) == getattr(other, key) for key in keys)


def _switched(text: str, question: str, listing: Listing, names: Names) -> str:
    """Return the question for the same list under another tag or folder: 那会议的呢."""
    found = _SWITCH.fullmatch(text)
    part = ((found["part"] or found["other"]) if found else "").strip()
    given = (*listing.tags, *listing.folders)
    is_name = any(span.text == part and span.ids(NameKind.ENTITY) for span in names(part))
    if len(given) != 1 or not is_name:
        return ""
    switched = question.replace(given[0], part, 1)
    together = read_listing(switched, date.today())
    if together is None or switched == question:
        return ""
    same = replace(together, tags=listing.tags, folders=listing.folders) == listing
    return switched if same and bool(together.tags) is bool(listing.tags) else ""
