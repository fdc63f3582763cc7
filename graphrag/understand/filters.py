"""A question as typed -> its words and the filters in it: `tag:x category:"a b" after:2024-01-01`."""

import re
from collections.abc import Callable
from datetime import date

from graphrag.domain.query import NO_FILTERS, Filters, Question
from graphrag.errors import QuestionError
from graphrag.language.dates import NoSuchDay
from graphrag.language.periods import Period, read_period
from graphrag.language.points import Toward
from graphrag.understand.direct import without_courtesies

MAX_QUESTION = 10_000  # characters; more is a paste by mistake
# As typed with a Chinese keyboard too: its colon and quotes, and its punctuation ends a value.
_FILTER = re.compile(
    r"(?<!\S)(tag|category|path|type|after|since|before|until)[:：](\"[^\"]*\"|“[^”]*”|「[^」]*」|[^\s，。？！；]+)",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(r"[的了么吗嘛呢吧啊呀\W_]*")


def has_words(text: str) -> bool:
    """Whether a text holds anything to search for, and not signs and particles alone: ？, 😀, 的的的."""
    return not _SAYS_NOTHING.fullmatch(text)


def read_question(asked: str, filters: Filters) -> Question:
    """Return the question with the filters inside it joined to the given ones, and without greetings before it.

    Raises:
        QuestionError: it is empty, too long, or a date in it is not one.
    """
    if len(asked) > MAX_QUESTION:
        raise QuestionError(f"the question has {len(asked)} characters; at most {MAX_QUESTION} are taken. Shorten it.")
    # Bytes of another encoding arrive as lone surrogates, which no engine and no terminal takes.
    asked = asked.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
    found: dict[str, list[str]] = {}
    for match in _FILTER.finditer(asked):
        value = match.group(2).strip('"“”「」').strip()
        if value:
            found.setdefault(match.group(1).lower(), []).append(value)
    text = " ".join(_FILTER.sub(" ", asked).split())
    if not text:
        raise QuestionError("the question is empty. Ask in words; filters come besides, e.g. tag:支付.")
    return Question(asked, without_courtesies(text), _join(filters, found))


def read_filters(text: str) -> Filters:
    """Return the filters of a text that holds nothing else.

    Raises:
        QuestionError: it holds something else, or a date in it is not one.
    """
    rest = _FILTER.sub(" ", text).split()
    if rest:
        raise QuestionError(f"'{' '.join(rest)}' is no filter. Write them like tag:支付 path:会议 since:2024-01-01.")
    return read_question(f"? {text}", NO_FILTERS).filters


def first_day(text: str, today: date | None = None) -> date:
    """Return the day from which a filter counts: a day like 2024-03-01, or the first one of 上周, last Friday, 7d.

    Raises:
        QuestionError: the text names no time, none that begins, or a day that there is not.
    """
    return _end_of(_read(text, today or _today(), Toward.PAST).first, text)


def last_day(text: str, today: date | None = None, toward: Toward = Toward.PAST) -> date:
    """Return the day up to which a filter counts, the last one of what is said.

    Raises:
        QuestionError: the text names no time, none that ends, or a day that there is not.
    """
    return _end_of(_read(text, today or _today(), toward).last, text)


def first_day_given(value: object) -> date:
    """Return the day from which a filter in JSON counts.

    Raises:
        ValueError: it is no text that `first_day` reads.
    """
    return _given(value, first_day)


def last_day_given(value: object) -> date:
    """Return the day up to which a filter in JSON counts.

    Raises:
        ValueError: it is no text that `last_day` reads.
    """
    return _given(value, last_day)


def _given(value: object, read: Callable[[str], date]) -> date:
    if isinstance(value, date):
        return value
    try:
        return read(value if isinstance(value, str) else str(value))
    except QuestionError as error:
        raise ValueError(str(error).removesuffix(".")) from error


def _today() -> date:
    return date.today()


def _read(text: str, today: date, toward: Toward) -> Period:
    try:
        period = read_period(text, today, toward)
    except NoSuchDay as error:
        raise QuestionError(f"'{text}' is not a day: the calendar has no {error}.") from error
    if period is None:
        raise QuestionError(f"'{text}' is not a day. Write it as 2024-03-01, 7d, 上周 or last Friday.")
    return period


def _end_of(day: date | None, text: str) -> date:
    if day is None:
        raise QuestionError(f"'{text}' is not a day: it is open on that side. Write a day like 2024-03-01.")
    return day


def _join(filters: Filters, found: dict[str, list[str]]) -> Filters:
    since = [first_day(value) for key in ("after", "since") for value in found.get(key, [])]
    until = [last_day(value) for key in ("before", "until") for value in found.get(key, [])]
    return Filters(
        tags=(*filters.tags, *found.get("tag", [])),
        categories=(*filters.categories, *found.get("category", [])),
        paths=(*filters.paths, *found.get("path", [])),
        since=max([*since, *([filters.since] if filters.since else [])], default=None),
        until=min([*until, *([filters.until] if filters.until else [])], default=None),
        types=(*filters.types, *found.get("type", [])),
    )
