"""A clause -> the values that it gives, each with its kind, and its frame: the words around them, in order.

A number, date or name is a value where it says how much, when or who: `端口是 8080`, `保留 30 天`, `负责人是陈静`.
Where it says which thing is spoken of, it is a word like any other: 第 3 章, Redis 6 支持 ACL, 30 GB plan. What is no
value stays in the frame, so that two clauses with different ones are not about the same.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from graphrag.grounding.stated_name import read_name
from graphrag.language.dated import Dated, read_dates, read_times
from graphrag.language.figures import Figure, stated_figures
from graphrag.language.polarity import without_denial
from graphrag.language.units import COUNT, DESIGNATING, MONEY_UNITS

Frame = tuple[str, ...]
PLACE = "\0"  # in a frame: where a value stands

_SETTERS = (
    "统一|定为|设定?为?|改为|改成|调整?[为成]?|默认|目前|现在|现行|当前|如今|已经|规定|设置|配置|最终|应该|一共|总共|共计"
    r"|总计|[共有是为成在于到至叫由归:：=]|\b(?:is|are|be|now|currently|set|defaults?|to|at|on|in)\b"
)
_SETTING_AT_END = re.compile(rf"(?:(?:{_SETTERS})\s*)+\Z", re.IGNORECASE)
_LESS = re.compile(r"不到\s*\Z")  # before a number it denies nothing
_LEADING = re.compile(r"\A\s*(?:(?:目前|现在|现行|当前|如今|the|an?)\s*)+", re.IGNORECASE)
_IDLE = re.compile(
    r"允许|准许|可以|能够|[的了能会可]|\b(?:the|an?|is|are|do(?:es)?|can|will|allowed|permitted)\b", re.I
)
_TOKEN = re.compile(r"\0|[a-z0-9_]+(?:[.\-/:@'][a-z0-9_]+)*|[^\W_]|[<>≤≥≈~+%#@]")
_VERSION = re.compile(r"(?<![\w.])(?:[vV](?P<marked>\d+(?:\.\d+)*)|(?P<bare>\d+(?:\.\d+)+))(?![\w.]*\w)")
_VERSION_WORD = re.compile(r"(?:\bversion|版本号?)\s*(?:是|为|[:：])?\s*\Z", re.IGNORECASE)
# A number alone is a value where something is set to it, and nothing follows.
_SET_TO = re.compile(r"(?:[是为:：=]|\b(?:is|are)|端口号?|密码|\b(?:port|password|pin))\s*\Z", re.IGNORECASE)
_STATE = re.compile(
    r"(?:默认|处于|[是为已]|\b(?:is|are)(?:\s+(?:now|currently))?\s)\s*"
    r"(?P<state>(?P<on>打开|开启|启用|enabled|on)|关闭|停用|禁用|disabled|off)(?:状态|的)?\s*\Z",
    re.IGNORECASE,
)
_HAS = re.compile(r"[有共是为达含:：]\s*\Z")
_NO_AMOUNT = re.compile(r"[第了#]\s*\Z")  # before a number: 第 3 章; 跑了 5 公里 tells of one occasion
_AFTER = re.compile(
    r"\s*(?:\Z|[^\sA-Za-z的]|(?:in|on|at|per|for|from|to|of|after|before|by|and|or|each|every|an?|with|long|old|tall|high"
    r"|wide|deep|away)\b)",
    re.IGNORECASE,
)
_TOLD = re.compile(r"了|过(?!期)|我们|\bwe\b", re.IGNORECASE)  # what happened on one day may have on another as well
_LASTING = re.compile(
    r"[\u3400-\u9fff]|:|\b(?:is|are|will|until|due|ends?|starts?|begins?|expires?|closes?|opens?|scheduled)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """What a clause gives in one place; those of one kind compare."""

    kind: str
    what: Figure | Dated | str
    text: str
    start: int
    end: int


def read_values(clause: str, persons: Callable[[], Collection[str]]) -> tuple[Value, ...]:
    """Return the values of a clause in order; `persons` tells the known names, where someone is made responsible."""
    found: list[Value] = []
    name = read_name(clause, persons)
    named = [Value("name", name.text, name.text, name.start, name.end)] if name else []
    for value in (*named, *_moments(clause), *_states(clause), *_versions(clause), *_numbers(clause)):
        if not any(value.start < other.end and other.start < value.end for other in found):
            found.append(value)
    return tuple(sorted(found, key=lambda value: value.start))


def read_frame(clause: str, values: Sequence[Value]) -> Frame:
    """Return the words of a clause that tell what its values are of; those that set a value or deny tell nothing."""
    parts, end = list[str](), 0
    for value in values:
        parts.append(_SETTING_AT_END.sub("", _LESS.sub("<", clause[end : value.start])) + PLACE)
        end = value.end
    text = without_denial(_LEADING.sub("", "".join([*parts, clause[end:]])))
    tokens = tuple(_singular(token) for token in _TOKEN.findall(_IDLE.sub(" ", text.casefold())))
    # Of a single value it does not matter where it stands: 集群 6 月 28 日下线, 集群下线是 6 月 28 日.
    return tokens if len(values) > 1 else tuple(token for token in tokens if token != PLACE)


def subject_of(clause: str, value: Value) -> str:
    """Return what a clause gives a value to, in its own words."""
    before = _SETTING_AT_END.sub("", clause[: value.start]).strip(" ，,:：")
    after = clause[value.end :].strip(" ，,:：")
    is_latin = bool(before and after) and before[-1].isascii() and after[0].isascii()
    return f"{before} {after}" if is_latin else before + after


def _moments(clause: str) -> Iterator[Value]:
    """Yield the days, weekdays and times of day that something is set for."""
    if _TOLD.search(clause) or not _LASTING.search(clause):
        return
    for dated in read_dates(clause):
        if dated.month and dated.day and not _begins(clause, dated.start):
            yield Value("date", dated, dated.text, dated.start, dated.end)
    for time in read_times(clause):
        if not _begins(clause, time.start):
            yield _figure(time)


def _states(clause: str) -> Iterator[Value]:
    """Yield the state that something is said to be in: on or off."""
    if found := _STATE.search(clause):
        yield Value("state", "on" if found["on"] else "off", found["state"], *found.span("state"))


def _versions(clause: str) -> Iterator[Value]:
    for match in _VERSION.finditer(clause):
        digits = match["marked"] or match["bare"]
        is_one = match["marked"] or digits.count(".") > 1 or _VERSION_WORD.search(clause, 0, match.start())
        if is_one and not clause[match.end() :].strip() and not _begins(clause, match.start()):
            yield Value("version", digits, match.group(), *match.span())


def _numbers(clause: str) -> Iterator[Value]:
    """Yield the numbers that say how much or how many; those of dates are no numbers."""
    bare = clause
    for dated in read_dates(clause):
        bare = bare[: dated.start] + " " * (dated.end - dated.start) + bare[dated.end :]
    for figure in stated_figures(bare):
        before = clause[: figure.start]
        is_attribute = _NO_AMOUNT.search(before) or not _AFTER.match(clause, figure.end) or "-" in figure.text
        if not is_attribute and not _begins(clause, figure.start) and _is_amount(figure, before, clause[figure.end :]):
            yield _figure(figure)


def _is_amount(figure: Figure, before: str, after: str) -> bool:
    """Whether a number tells how much there is, and not which one it is."""
    if not figure.unit:
        return not after.strip() and bool(_SET_TO.search(before) or figure.text[-1] in "万萬亿億")
    return figure.unit != COUNT or figure.text[-1] not in DESIGNATING or bool(_HAS.search(before))


def _figure(figure: Figure) -> Value:
    """Return a number as a value: things counted compare with the same things, 5 万 with a sum of money."""
    kind = f"{COUNT} {figure.text[-1]}" if figure.unit == COUNT else figure.unit
    is_sum = figure.unit in MONEY_UNITS or (not kind and figure.text[-1] in "万萬亿億")
    return Value("money" if is_sum else kind or "number", figure, figure.text, figure.start, figure.end)


def _begins(clause: str, start: int) -> bool:
    """Whether nothing that tells anything stands before a place: what begins a clause tells what it is about."""
    return not _LEADING.sub("", clause[:start]).strip()


def _singular(token: str) -> str:
    is_plural = len(token) > 3 and token.isascii() and token.isalpha() and token.endswith("s") and token[-2] != "s"
    return token[:-1] if is_plural else token
