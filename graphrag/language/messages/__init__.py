"""The catalogue of messages: an English text with `{placeholders}` -> its Chinese.

`printed` holds what is said by its template; `raised` modules hold what errors and notices say, which is recognised
by the fixed parts of the text. Nothing is read before the first Chinese word is wanted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

_PLACEHOLDER = re.compile(r"\{([a-z_][a-z_0-9]*)\}")
_SENTENCE = re.compile(r"(?<=[.!?…]) +(?=\S)|(?<=[。！？]) +")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z0-9]")
_FORMS = "|"  # between the form for one and the form for more
_MOST_NESTED = 4  # a message within a message within a message


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return a template with its values in the place of its placeholders; other braces stay."""
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), template)


def _spaced(template: str, values: Mapping[str, str]) -> str:
    """Fill a Chinese template; a space comes between a value's Latin letter or figure and the Chinese behind it."""

    def value_of(match: re.Match[str]) -> str:
        text = values[match[1]]
        return f"{text} " if _LATIN.match(text[-1:]) and _CHINESE.match(template, match.end()) else text

    return _PLACEHOLDER.sub(value_of, template)


def chosen(template: str, values: Mapping[str, object], in_chinese: bool) -> str:
    """Return the Chinese of a template, else its English form that fits the number `n`."""
    if in_chinese:
        return said().get(template, template.partition(_FORMS)[0])
    one, bar, more = template.partition(_FORMS)
    return more if bar and str(values.get("n")) != "1" else one


@cache
def said() -> Mapping[str, str]:
    """Return the Chinese of all templates."""
    from graphrag.language.messages import printed

    return {**_recognised(), **printed.ANSWERS, **printed.COMMANDS, **printed.REPORTS}


@cache
def _recognised() -> Mapping[str, str]:
    from graphrag.language.messages import importing, measuring, models, questions, storage

    return {
        **questions.MESSAGES,
        **storage.MESSAGES,
        **models.MESSAGES,
        **importing.MESSAGES,
        **measuring.MESSAGES,
    }


def chinese_of(text: str, depth: int = 0) -> str:
    """Return the Chinese of a message: of the whole, else of what stands behind its place, else of its sentences."""
    if depth > _MOST_NESTED or not text.strip():
        return text
    told = _whole(text, depth)
    if told is not None:
        return told
    place, colon, rest = text.partition(": ")
    if colon and (told := _whole(rest, depth + 1)) is not None:
        return f"{chinese_of(place, depth + 1)}：{told}"
    sentences = _SENTENCE.split(text)
    if len(sentences) > 1:
        for end in range(len(sentences) - 1, 0, -1):  # a message may have several sentences
            first, later = " ".join(sentences[:end]), " ".join(sentences[end:])
            if (told := _whole(first, depth)) is not None:
                return _in_a_row([told, chinese_of(later, depth)])
        parts = [sentences[0], chinese_of(" ".join(sentences[1:]), depth)]
        parts[0] = chinese_of(sentences[0], depth + 1)
        return _in_a_row(parts)
    if colon and (told := chinese_of(rest, depth + 1)) != rest:
        return f"{chinese_of(place, depth + 1)}：{told}"
    return _listed(text)


def _whole(text: str, depth: int) -> str | None:
    catalogue = _recognised()
    if text in catalogue:
        return catalogue[text]
    if text.endswith(".") and text[:-1] in catalogue:
        return f"{catalogue[text[:-1]]}。"
    for form in _forms():
        if values := form.values_in(text):
            told = {
                name: value if form.quotes(name) else chinese_of(value, depth + 1) for name, value in values.items()
            }
            return _spaced(form.chinese, told)
    return None


def _in_a_row(sentences: list[str]) -> str:
    """Return sentences one behind the other; a space stands behind what is not Chinese."""
    row = ""
    for sentence in sentences:
        row += f"{'' if not row or row[-1] in '。！？…：' else ' '}{sentence}"
    return row


def _listed(text: str) -> str:
    """Return names joined in Chinese where the catalogue knows each of them, or each is an option."""
    catalogue, names = _recognised(), re.split(", | and ", text)
    is_known = all(name in catalogue or name.startswith("--") for name in names)
    return "、".join(catalogue.get(name, name) for name in names) if is_known else text


@dataclass(frozen=True)
class _Form:
    """One template with placeholders."""

    english: str
    chinese: str

    @cached_property
    def fixed(self) -> tuple[str, ...]:
        """The parts between the placeholders."""
        return tuple(_PLACEHOLDER.split(self.english)[::2])

    @cached_property
    def _longest(self) -> str:
        return max(self.fixed, key=len)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = _PLACEHOLDER.findall(self.english)
        groups = (f"(?P={name})" if name in names[:at] else f"(?P<{name}>.*?)" for at, name in enumerate(names))
        parts = [re.escape(self.fixed[0])]
        for group, fixed in zip(groups, self.fixed[1:], strict=True):
            parts += [group, re.escape(fixed)]
        return re.compile("".join(parts), re.DOTALL)

    def quotes(self, name: str) -> bool:
        """Whether a placeholder stands in quotation marks: it holds a name then, and no message."""
        return f"'{{{name}}}'" in self.english

    def values_in(self, text: str) -> dict[str, str] | None:
        """Return what stands in the place of the placeholders, None where the text has another form."""
        if self._longest not in text or not text.startswith(self.fixed[0]):
            return None
        match = self._pattern.fullmatch(text)
        return match.groupdict() if match else None


@cache
def _forms() -> tuple[_Form, ...]:
    """Return the templates with placeholders, those with the most fixed text first."""
    forms = [_Form(english, chinese) for english, chinese in _recognised().items() if _PLACEHOLDER.search(english)]
    return tuple(sorted(forms, key=lambda form: -sum(map(len, form.fixed))))
