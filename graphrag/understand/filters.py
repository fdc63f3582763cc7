"""A question as typed -> its words and the filters in it: `tag:x category:"a b" after:2024-01-01`."""

import re
from datetime import date

from graphrag.domain.query import NO_FILTERS, Filters, Question
from graphrag.errors import QuestionError
from graphrag.understand.direct import without_courtesies

MAX_QUESTION = 10_000  # characters; more is a paste by mistake
# As typed with a Chinese keyboard too: its colon and quotes, and its punctuation ends a value.
_FILTER = re.compile(
    r"(?<!\S)(tag|category|path|type|after|since|before|until)[:：](\"[^\"]*\"|“[^”]*”|[^\s，。？！；]+)", re.IGNORECASE
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
        value = match.group(2).strip('"“”').strip()
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


def parse_day(text: str) -> date:
    """Return a day written as YYYY-MM-DD.

    Raises:
        QuestionError: it is none.
    """
    parts = re.fullmatch(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", text.strip())
    try:
        if not parts:
            raise ValueError(text)
        return date(*map(int, parts.groups()))
    except ValueError as error:
        raise QuestionError(f"'{text}' is not a day. Write it as 2024-03-01.") from error


def _join(filters: Filters, found: dict[str, list[str]]) -> Filters:
    since = [parse_day(value) for key in ("after", "since") for value in found.get(key, [])]
    until = [parse_day(value) for key in ("before", "until") for value in found.get(key, [])]
    return Filters(
        tags=(*filters.tags, *found.get("tag", [])),
        categories=(*filters.categories, *found.get("category", [])),
        paths=(*filters.paths, *found.get("path", [])),
        since=max([*since, *([filters.since] if filters.since else [])], default=None),
        until=min([*until, *([filters.until] if filters.until else [])], default=None),
        types=(*filters.types, *found.get("type", [])),
    )
