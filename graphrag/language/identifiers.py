"""A text -> the identifiers and names that it mentions, and whether another text has them, however they are spaced."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    r"https?://[^\s<>\"'）)】\]，。；]+"
    r"|(?<![\w@./-])@[A-Za-z][\w.-]*\w"  # a handle
    r"|(?<![\w-])--[A-Za-z][\w-]*"  # a flag
    r"|(?<![\w.])[~.]{0,2}/[\w.@-]+(?:/[\w.@-]+)*"  # a path
    r"|(?<![\w])\d+\.\d+\.\d+(?:[.\-+]\w+)*(?::\d{2,5})?"  # a version, an address
    r"|(?<![A-Za-z0-9])[A-Za-z_][A-Za-z0-9_]*(?:(?:[.\-/:@#]|::|\+{1,2})?[A-Za-z0-9_]+|\+\+|#)*(?:\(\))?",
)
_DOTTED_LETTERS = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]\.?|etc|vs|cf|al", re.IGNORECASE)  # e.g, U.S, p.m
_IDENTIFIER = re.compile(
    r"https?:|[@~/]|--|\.{1,2}/|.*_|\d+\.\d|.*(?:::|#|\+\+|\(\))|[a-z]+[A-Z]|.*[A-Za-z]-?\d|.*\w\.[A-Za-z]|.*:\d"
    r"|[\w.-]+/[\w.-]+/"
)
_CAPITAL = re.compile(r"[A-Z]")
_INNER = re.compile(r"\w*[A-Z]\w*[A-Z]|\w*[a-z][A-Z]|.*\d")  # RocketMQ, TCC, RSA2: no ordinary word at the start
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;。！？：；“\"‘(（>|\n]|\A[-*+]|\d[.)])[\s*_“\"'(（]*\Z")
_CHINESE_NEXT = re.compile(r"\s?[\u3400-\u9fff]")
_PIECE = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[a-z0-9](?:[\w.\-/:@#]*[a-z0-9])?", re.ASCII)
_JOINTS = re.compile(r"[\s_\-./:@#]+")
_ORDINARY_TEXT = """
i ok yes no api id ids url urls http https ip ui app apps pc cpu gpu ram os sql json html pdf faq qa tps qps sla ai
am pm utc md readme todo note notes mr mrs ms dr january february march april may june july august september
october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays english chinese
"""
_ORDINARY = frozenset(_ORDINARY_TEXT.split())
_PLACES_TEXT = """
北京 上海 天津 重庆 广州 深圳 杭州 南京 苏州 无锡 宁波 温州 厦门 福州 泉州 合肥 南昌 济南 青岛 烟台 郑州 洛阳 武汉
长沙 东莞 佛山 珠海 南宁 桂林 海口 三亚 成都 贵阳 昆明 大理 丽江 拉萨 西安 兰州 西宁 银川 乌鲁木齐 石家庄 太原 大同
呼和浩特 沈阳 大连 长春 哈尔滨 香港 澳门 台北 高雄 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南
湖北 湖南 广东 广西 海南 四川 贵州 云南 西藏 陕西 甘肃 青海 宁夏 新疆 内蒙古 台湾 中国 美国 英国 法国 德国 日本 韩国
印度 俄罗斯 加拿大 澳大利亚 新加坡 马来西亚 泰国 越南 印尼 意大利 西班牙 荷兰 瑞士 瑞典 巴西 墨西哥 东京 大阪 京都
首尔 曼谷 纽约 旧金山 西雅图 洛杉矶 伦敦 巴黎 柏林 悉尼 多伦多
"""
_PLACES = frozenset(_PLACES_TEXT.split())


@dataclass(frozen=True, slots=True)
class Named:
    """What a text mentions by name: code, versions, paths, names in capital letters, of known persons and places."""

    identifiers: tuple[str, ...]
    names: tuple[str, ...]


class Mentions:
    """What a source mentions, to be asked for names and identifiers."""

    def __init__(self, text: str) -> None:
        self._text = text.casefold()
        self._words = frozenset(_singular(word) for word in _PIECE.findall(self._text))
        whole = [_JOINTS.sub("", word) for word in _WORD.findall(self._text)]
        self._joined = frozenset([*whole, *(first + second for first, second in pairwise(whole))])

    def has_identifier(self, identifier: str) -> bool:
        """Whether the text holds an identifier, written together or apart, with or without a leading v."""
        folded = identifier.casefold().removesuffix("()")
        bare = folded[1:] if re.match(r"v\d", folded) else folded
        return _stands_in(bare, self._text) or _JOINTS.sub("", folded) in self._joined

    def has_name(self, name: str) -> bool:
        """Whether the text holds every word of a name, or the name written together or apart."""
        folded = name.casefold()
        words = [_singular(word) for word in _PIECE.findall(folded)]
        if words and all(word in self._words for word in words):
            return True
        return folded in self._text if not folded.isascii() else _JOINTS.sub("", folded) in self._joined


def read_named(text: str, persons: Mapping[str, object]) -> Named:
    """Return what a sentence mentions by name, each once."""
    identifiers: dict[str, None] = {}
    names: dict[str, None] = {}
    for match in _TOKEN.finditer(text):
        token = match.group().rstrip(".-:/")
        if len(token) < 2 or _DOTTED_LETTERS.fullmatch(token) or token.casefold() in _ORDINARY:
            continue
        if _IDENTIFIER.match(token):
            identifiers[token] = None
        elif _CAPITAL.match(token) and (_INNER.match(token) or not _is_first(match)):
            names[token] = None
    chinese = (name for name in (*persons, *_PLACES) if not name.isascii() and name in text)
    names |= dict.fromkeys(sorted(_longest(dict.fromkeys(chinese)), key=text.index))
    return Named(tuple(identifiers), tuple(names))


def is_unmistakable(name: str) -> bool:
    """Whether a name is written so that no translation would spell it otherwise: RocketMQ, TCC."""
    return name.isascii() and bool(_INNER.match(name))


def _is_first(word: re.Match[str]) -> bool:
    """Whether a word begins a sentence in Latin letters, where any word is written with a capital letter."""
    if _CHINESE_NEXT.match(word.string, word.end()):
        return False
    return _SENTENCE_START.search(word.string, max(0, word.start() - 12), word.start()) is not None


def _longest(names: Iterable[str]) -> list[str]:
    """Return the names that are no part of another one."""
    found = list(names)
    return [name for name in found if not any(name != other and name in other for other in found)]


def _stands_in(word: str, text: str) -> bool:
    """Whether a word stands in a text, and not inside a longer one."""
    before = r"(?<![a-z0-9_])(?<!\d\.)v?" if word[:1].isdigit() else r"(?<![a-z0-9_])"
    return re.search(rf"{before}{re.escape(word)}(?![a-z0-9_]|\.\d)", text) is not None


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word
