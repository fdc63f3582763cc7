"""Forms of a word that mean the same: 12,800 is 12800, v1.10.2 is 1.10.2, e-mail is email, café is cafe.

Each function takes folded text, in compatibility form and small letters, and takes time linear in its length.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator

CJK = "\u3005\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
LATIN = "a-z\u00df-\u00f6\u00f8-\u024f\u1e00-\u1eff"
THOUSANDS = r"(?<![0-9.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!,?\d)"  # 12,800
AMPERSAND = rf"(?<![{LATIN}0-9_&])[{LATIN}]{{1,3}} ?& ?[{LATIN}]{{1,3}}(?![{LATIN}0-9_&])"  # R&D, AT&T

_VERSION_MARK = re.compile(r"(?<![^/:@\-])v(?=\d+\.\d)")
_HYPHEN = re.compile(rf"(?<=[{LATIN}])-(?=[{LATIN}0-9])|(?<=[0-9])-(?=[{LATIN}])")
_ACCENTED = re.compile(rf"[{LATIN}\u0370-\u03ff\u1f00-\u1fff]")  # and Greek; the mark of й and が makes another letter
_LETTERS = {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ħ": "h"}  # that no mark is taken off
_LETTERS |= {"ı": "i", "ð": "d", "þ": "th", "ŋ": "n", "ς": "σ"}
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")
_COMPONENT = re.compile(r"[^/:@]+")
_ALONE = rf"(?:[0-9]{{1,3}}|[{LATIN}])(?![{LATIN}0-9_+#&]|[.,\-/:@][{LATIN}0-9_])"
_COUNT = re.compile(rf"(?<![{LATIN}0-9_.,\-/:@+&]){_ALONE}")
_NAMED_COUNT = re.compile(rf"(?<![{LATIN}0-9_.\-/:@+&'])(?P<word>[{LATIN}]{{2,16}}) (?P<count>{_ALONE})")
_PLAIN_LETTERS = frozenset("ai")  # words in small letters
_CHINESE = re.compile(rf"[{CJK}]")
_LINE_END = re.compile(rf"(?<=[{CJK}])\n[ \t>]*(?=[{CJK}])")
_OWN_LINE = re.compile(r"[ \t>]*#{1,6} |[^|\n]*\|")  # a heading or a table's row is never continued
_REACH = 10  # characters of a word on either side of a line end


def canonical(piece: str) -> str:
    """Return the form that every spelling of a piece shares."""
    bare = piece if piece.isascii() else _ACCENTED.sub(lambda found: _without_accent(found.group()), piece)
    return _HYPHEN.sub("", _VERSION_MARK.sub("", _COMMA.sub("", bare.replace(" ", ""))))


def _without_accent(letter: str) -> str:
    return _LETTERS.get(letter) or unicodedata.normalize("NFD", letter)[0]


def components(piece: str) -> list[str]:
    """Return the parts of a path, an address or a pinned package that have separators of their own: pkg@v1.10.2."""
    found = _COMPONENT.findall(piece)
    return [part for part in found if "." in part or "-" in part] if len(found) > 1 else []


def counted_words(folded: str, original: str, idle: Collection[str]) -> Iterator[str]:
    """Yield each short number or lone letter joined with what it counts: 8号, 层7, line6; `idle` words join nothing.

    A digit alone is in too many passages to tell anything, and 8号楼 is another building than 3号楼.
    """
    for found in _COUNT.finditer(folded):
        before = folded[max(0, found.start() - 2) : found.start()].rstrip(" ")[-1:]
        after = folded[found.end() : found.end() + 2].lstrip(" ")[:1]
        if _CHINESE.match(after) and after not in idle:
            yield found.group() + after
        elif _CHINESE.match(before) and before not in idle:
            yield before + found.group()
    for found in _NAMED_COUNT.finditer(folded):
        count = found["count"]
        is_article = count in _PLAIN_LETTERS and original[found.start("count")] == count
        if found["word"] not in idle and not is_article:
            yield found["word"] + count


def split_by_line_ends(folded: str) -> Iterator[tuple[str, str]]:
    """Yield the Chinese characters on both sides of each line end within running text: a word may span it."""
    for end in _LINE_END.finditer(folded):
        first = folded.rfind("\n", 0, end.start()) + 1
        if not _OWN_LINE.match(folded, first, end.start()) and not _OWN_LINE.match(folded, end.end()):
            left, right = folded[max(first, end.start() - _REACH) : end.start()], folded[end.end() : end.end() + _REACH]
            yield re.split(rf"[^{CJK}]", left)[-1], re.split(rf"[^{CJK}]", right)[0]
