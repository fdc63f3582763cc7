"""A clause -> who it makes responsible for something; whether two names may be those of one person."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

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
