"""The tags that a question for a list names -> what a note must bear: 支付和复盘, 支付但不是会议, oncall or release.

A tag may be called 产品与设计: what the vault has as a tag is read as one, before any word inside it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_OPEN, _CLOSE = "\"'“‘「『《", "\"'”’」』》"
_QUOTED = re.compile(rf"[{_OPEN}]([^{_OPEN}{_CLOSE}]+)[{_CLOSE}]")
_SKIPPED = re.compile(r"(?:\s|#|\b(?:the|tags?|tagged|with|both|either)\b|标签(?:[是为])?)+", re.IGNORECASE)
NOT = (
    r"(?:不(?:是|为|带|含|包含|包括|要|等于)有?|没(?:有|带|打|加|标)?(?:上|过|了)?|未(?:带|打|加|标)?|无|除了|排除|去掉"
    r"|\b(?:(?:but\s+)?(?:not|without|except|excluding)(?:\s+(?:tagged|with))?)\b)"
)
JOINING = r"(?:以及|并且?|而且|但是?|而|同时|和|与|及|跟|又|也|且|或者?|还是|[、&+|]|\b(?:and|or|but)\b)"
_NOT = re.compile(NOT, re.IGNORECASE)
_BUT = re.compile(r"但是?|而(?!且)|\bbut\b", re.IGNORECASE)
_OR = re.compile(r"或者?|还是|\||\bor\b", re.IGNORECASE)
_AND = re.compile(rf"{JOINING}|[,，]", re.IGNORECASE)
_BEARS = re.compile(r"(?:带有?|含有?|有|是|为|打了|标了)")
_WORDS = (_NOT, _BUT, _OR, _AND)


@dataclass(frozen=True, slots=True)
class TagTest:
    """A note must bear one of the names, or none of them."""

    names: tuple[str, ...]
    is_without: bool = False


def read_tags(text: str, is_tag: Callable[[str], bool], is_without: bool = False) -> tuple[TagTest, ...]:
    """Return what a note must bear, all of it; a text that holds no known tag is one name."""
    tests = _Reader(text, is_tag, is_without).read()
    if not any(is_tag(name) for test in tests for name in test.names):
        return (TagTest((bare_name(text),), is_without),)
    return tests


def bare_name(text: str) -> str:
    """Return a name without the quotes or the # that it is written with; one that is more than a name stays."""
    quoted = _QUOTED.fullmatch(text.strip())
    return quoted[1].strip() if quoted else re.sub(r"\A#(?=\S+\Z)", "", text.strip())


class _Reader:
    """Reads a text from its start, name by name, with the words between them."""

    def __init__(self, text: str, is_tag: Callable[[str], bool], is_without: bool) -> None:
        self._text = text
        self._is_tag = is_tag
        self._place = 0
        self._starts_without = is_without
        self._is_without = is_without
        self._is_choice = False

    def read(self) -> tuple[TagTest, ...]:
        """Return the tests in the order of the text."""
        tests: list[TagTest] = []
        while self._go_to_name():
            name = self._name()
            last = tests[-1] if tests else None
            if last and self._is_choice and last.is_without == self._is_without:
                tests[-1] = TagTest((*last.names, name), self._is_without)
            else:
                tests.append(TagTest((name,), self._is_without))
            self._is_choice = False
        return tuple(tests)

    def _go_to_name(self) -> bool:
        """Pass over the words before the next name, and heed them; return whether there is one."""
        while self._place < len(self._text):
            if self._known():
                return True
            if skipped := _SKIPPED.match(self._text, self._place):
                self._place = skipped.end()
            elif not self._heed():
                return True
        return False

    def _heed(self) -> bool:
        """Take a joining word, if one stands here."""
        for form in _WORDS:
            if found := form.match(self._text, self._place):
                self._place = found.end()
                if form is _NOT:
                    self._is_without = True
                elif form is _BUT:
                    self._is_without = self._starts_without
                else:
                    self._is_choice |= form is _OR
                if form is not _NOT and (bears := _BEARS.match(self._text, self._place)):
                    self._place = bears.end()
                return True
        return False

    def _known(self) -> str:
        """Return the longest tag of the vault that stands here."""
        for end in range(len(self._text), self._place, -1):
            name = self._text[self._place : end]
            if name == name.strip() and self._is_tag(name) and self._may_end(end):
                return name
        return ""

    def _name(self) -> str:
        if quoted := _QUOTED.match(self._text, self._place):
            self._place = quoted.end()
            return quoted[1].strip()
        if known := self._known():
            self._place += len(known)
            return known
        start, self._place = self._place, self._place + 1
        while self._place < len(self._text) and not self._may_end(self._place):
            self._place += 1
        return self._text[start : self._place].strip()

    def _may_end(self, place: int) -> bool:
        rest = self._text[place:]
        return not rest or rest[0].isspace() or any(form.match(self._text, place) for form in _WORDS)
