"""A clause -> the values that it states, each with its kind, and its frame: the remaining words in order.

A number, date or name is a value where it says how much, when or who: `端口是 8080`, `保留 30 天`, `负责人是陈静`.
Where it identifies the subject it belongs to the frame: 第 3 章, Redis 6 支持 ACL, 30 GB plan. Clauses with different
frames are not about the same.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from graphrag.language.dates import Dated, read_dates, read_times
from graphrag.language.negation import without_denial
from graphrag.language.numbers import COUNT, DESIGNATING, MONEY_UNITS, Figure, stated_figures

_ROLES = "负责人|管理员|管理人|作者|组长|导师|接口人|主持人|维护者|维护人|联系人|对接人|经理|主管|班主任|所有者|拥有者"
_ROLES_EN = "owner|author|maintainer|manager|lead|mentor|administrator|admin|head|contact|organi[sz]er"
_NAME = r"(?P<name>[\u4e00-\u9fff·]{2,8}?|@[\w.-]+|[A-Z][\w.'-]*(?:\s[A-Z][\w.'-]*){0,3})"
_FORMS = (
    re.compile(rf"(?:{_ROLES}|(?i:\b(?:{_ROLES_EN})))\s*(?:目前|现在|现)?\s*[是为叫由]\s*{_NAME}\s*\Z"),
    re.compile(rf"[由归]\s*{_NAME}\s*(?:来|统一|全权)?(?:负责|管理|管|维护|主持|牵头|担任|编写|撰写|保管)"),
    re.compile(rf"(?i:\b(?:{_ROLES_EN})\b.*?\bis)\s+{_NAME}\s*\Z"),
    re.compile(rf"(?i:\b(?:led|owned|maintained|managed|written|run|chaired|headed|organi[sz]ed)\s+by)\s+{_NAME}\s*\Z"),
)
_COLON = re.compile(rf"({_ROLES}|\b(?:{_ROLES_EN})\b)\s*[:：]\s*(?=\S)", re.IGNORECASE)
_NO_NAME = re.compile(r"[谁的未待不没无我你他她它和与及或暂等这那]|\A(?:The|This|That|Our|My|Not|No|Nobody|None|TBD)\b")
_RESPONSIBLE = re.compile(rf"负责|维护|主持|牵头|{_ROLES}|\b(?:owned|maintain\w*|leads?|{_ROLES_EN})\b", re.IGNORECASE)
_GROUP = re.compile(r"(?:组|部|部门|团队|队|处|科|公司|中心|委员会|(?i:\b(?:team|group|department)))\Z")
_FAMILIAR = re.compile(r"\A[老小阿](?P<first>.)\Z|\A(?P<last>.)(?:总|工|老师|经理|哥|姐|先生|女士|博士|教授)\Z")


@dataclass(frozen=True, slots=True)
class StatedName:
    """A name and where it stands."""

    text: str
    start: int
    end: int


def with_verbs(sentence: str) -> str:
    """Return a sentence in which `负责人：陈静` is written as `负责人是陈静`, so that no border parts the two."""
    return _COLON.sub(lambda found: f"{found[1]}{' is ' if found[1].isascii() else '是'}", sentence)


def read_name(clause: str, persons: Callable[[], Collection[str]]) -> StatedName | None:
    """Return the one who is made responsible: by the place in the clause, else the only known person in it."""
    for form in _FORMS:
        found = form.search(clause)
        if found:
            is_name = not _NO_NAME.search(found["name"])
            return StatedName(found["name"], *found.span("name")) if is_name else None
    if not _RESPONSIBLE.search(clause):
        return None
    known = [name for name in persons() if name in clause]
    longest = [name for name in known if not any(name != other and name in other for other in known)]
    if len(longest) != 1:
        return None
    start = clause.index(longest[0])
    return StatedName(longest[0], start, start + len(longest[0]))


def may_be_one(one: str, other: str) -> bool:
    """Whether two names may be of the same person, or cannot be compared: another script, a person and a group."""
    first, second = one.casefold(), other.casefold()
    if first in second or second in first or one.isascii() != other.isascii():
        return True
    if bool(_GROUP.search(one)) != bool(_GROUP.search(other)):
        return True
    if one.isascii():
        return not set(first.split()).isdisjoint(second.split())
    return bool(_FAMILIAR.match(one) or _FAMILIAR.match(other)) and _surname(one) == _surname(other)


def _surname(name: str) -> str:
    found = _FAMILIAR.match(name)
    return (found["first"] or found["last"]) if found else name[0]


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
