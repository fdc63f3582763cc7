"""Citation marks: `[来源1]` and its kin as models write them, told apart from brackets in code and from links."""

import re
from collections.abc import Callable, Container, Iterator

CODE_SPAN = r"(?P<code>(?<!`)`{1,3}(?!`)[^`\n]+`{1,3})"
_LABEL = r"(?:来源|sources?)"
_KEYS = rf"\d{{1,3}}(?:\s*[,，、;；]\s*{_LABEL}?\s*[:：]?\s*\d{{1,3}})*"
_NAMED = rf"[\[［【（(]\s*{_LABEL}\s*[:：]?\s*{_KEYS}\s*[\]］】）)]"
_BARE = rf"[\[［【]\s*\^?{_KEYS}\s*[\]］】]"
_MORE = rf"(?:[ \t]*(?:{_NAMED}|{_BARE}))*"
_SENTENCE_ENDS = r"(?=\s*(?:[。！？!?，；、]|\.(?:\s|\Z)|\Z)|[ \t]*\n)"
# A bare number right after a Latin letter or digit is an index, a[1], unless it ends a sentence: then it may be either.
_MARK = re.compile(
    rf"{CODE_SPAN}|(?:(?<=\w)[ \t]+)?(?:(?P<sure>{_NAMED}{_MORE}|(?<![A-Za-z0-9_)\]]){_BARE}{_MORE}(?![(:]))"
    rf"|(?P<maybe>{_BARE}{_MORE}){_SENTENCE_ENDS})",
    re.IGNORECASE,
)
_KEYS_OF_MARK = re.compile(rf"[\[［【（(]\s*\^?{_LABEL}?\s*[:：]?\s*({_KEYS})", re.IGNORECASE)
_NAMED_MARK = re.compile(_NAMED, re.IGNORECASE)
_FENCED = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_OTHER_BRACKETS = str.maketrans("[［【（(]］】）)", "〔〔〔〔〔〕〕〕〕〕")


def split_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the stretches of a text in order, each with whether it is fenced code; an open fence lasts to the end."""
    end = 0
    for fence in _FENCED.finditer(text):
        yield text[end : fence.start()], False
        yield fence.group(), True
        end = fence.end()
    yield text[end:], False


def replace_marks(prose: str, known: Container[int], write: Callable[[list[int]], str]) -> str:
    """Return the text with each mark replaced by what `write` makes of its known keys; inline code stays as it is."""

    def _replace(found: re.Match[str]) -> str:
        if found["code"]:
            return found.group()
        numbers = " ".join(_KEYS_OF_MARK.findall(found.group()))
        keys = [key for number in re.findall(r"\d+", numbers) if (key := int(number)) in known]
        if found["maybe"] and not keys:
            return found.group()
        return write(list(dict.fromkeys(keys)))

    return _MARK.sub(_replace, prose)


def disarm(text: str) -> str:
    """Return a note's text with its own `[来源9]` and `[9]` in other brackets, so that none passes for one of ours."""
    stretches = [part if is_code else _MARK.sub(_disarm_mark, part) for part, is_code in split_code(text)]
    return _NAMED_MARK.sub(_other_brackets, "".join(stretches))


def _disarm_mark(found: re.Match[str]) -> str:
    return found.group() if found["code"] else _other_brackets(found)


def _other_brackets(found: re.Match[str]) -> str:
    return found.group().translate(_OTHER_BRACKETS)
