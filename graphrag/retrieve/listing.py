"""Question -> the list of notes that it asks for: by tag, folder or category, by date, the newest, or how many.

A question is read piece by piece, and only when no word is left over is it a list; else it is left to the search.
"""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from graphrag.retrieve.date_words import find_period, read_number

_LONGEST = 100  # characters; a longer question asks for more than a list
_QUOTED = r"[\"'“‘「『《](?P<quoted>[^\"'“”‘’「」『』《》\n]{1,60})[\"'”’」』》]"
_WORD = r"(?P<word>[^\s\"'“”「」『』《》,，。？?!！:：]{1,40}?)"
_END = r"(?=\s|$|[,，。？?]|的?(?:笔记|文章|条目|卡片|文档|notes?\b)|的?(?:都|一共|总共|共)?有|都|这个|里|下)"
_NAME = rf"(?:{_QUOTED}|{_WORD}{_END})(?:\s*的)?"
_NOTE = r"(?:笔记|文章|条目|卡片|文档|记录)"

_UNTAGGED = re.compile(
    r"(?:没有|没|未|无)(?:被)?(?:打|加|带|写|标)?(?:过|上)?(?:任何|一个)?标签的?|\buntagged\b|\bwithout\s+(?:any\s+)?tags?\b",
    re.I,
)
_TAGS = (
    re.compile(rf"(?:标签|\btags?)\s*(?:是|为|叫|名为|等于|=|:|：)\s*#?{_NAME}", re.I),
    re.compile(rf"(?:带有?|打了|打上|标了|加了|含有?|有)\s*#?(?:{_QUOTED}|{_WORD})\s*(?:这个|的)?\s*标签的?"),
    re.compile(rf"\b(?:tagged(?:\s+(?:with|as))?|with\s+(?:the\s+)?tag)\s+#?{_NAME}", re.I),
    re.compile(r"(?:标签)?#(?P<word>[\w/\-]{1,60})(?P<quoted>)(?:\s*(?:这个)?(?:标签)?的?)"),
)
_FOLDERS = (
    re.compile(rf"(?:分类|类别|目录|文件夹|\bcategory|\bfolder)\s*(?:是|为|叫|名为|=|:|：)\s*{_NAME}", re.I),
    re.compile(rf"\b(?:in|under|from)\s+(?:the\s+|my\s+)?(?:folder|category)\s+{_NAME}", re.I),
    re.compile(
        rf"\b(?:in|under|from)\s+(?:the\s+|my\s+)?(?:{_QUOTED}|(?P<word>\S{{1,40}}))\s+(?:folder|category)\b", re.I
    ),
    re.compile(r"\b(?:in|under|from)\s+(?P<word>[^\s,?]{1,60}/[^\s,?]{1,60})(?P<quoted>)", re.I),
    re.compile(
        r"(?:^|\s|列出|看看?|在)(?P<word>[^\s,，。？?]{1,60}/[^\s,，。？?]{1,60}?)(?P<quoted>)\s*(?:里面?|下面?|之?中)的?"
    ),
    re.compile(rf"(?:分类|类别|目录|文件夹)\s+(?:{_QUOTED}|(?P<word>\S{{1,40}}))\s*(?:里面?|下面?|之?中)的?"),
    re.compile(
        rf"(?:在|列出|列一下|列举|看看?|^|\s)\s*(?:{_QUOTED}|{_WORD})\s*(?:这个|那个|的)?"
        r"(?:分类|类别|目录|文件夹|category\b|folder\b)(?:里面?|下面?|之?中|之?内)?的?",
        re.I,
    ),
)
_COUNTED = re.compile(
    rf"(?:一共|总共|共|共有)?(?:有)?(?:多少|几)\s*(?:篇|条|个|张|份){_NOTE}?|\bhow\s+many\b|{_NOTE}数量", re.I
)
_NUMBER = r"(?P<number>\d{1,3}|[一二两三四五六七八九十]{1,3})"
_ORDERED = (
    re.compile(
        rf"(?P<end>最近|最新|最后|最早|最旧)(?P<verb>创建|新建|新增|写|修改|更新|改动|编辑)?(?:过|了)?的?\s*(?:{_NUMBER}\s*(?:篇|条|个|张|份))?"
    ),
    re.compile(
        rf"\b(?P<end>last|latest|newest|most\s+recent|oldest|first)(?:ly)?\s+(?:{_NUMBER}\s+)?(?P<verb>created|modified)?",
        re.I,
    ),
    re.compile(
        r"按(?:照)?(?P<verb>创建|修改|更新)?(?:的)?(?:时间|日期)(?:先后)?的?(?P<end>顺序|倒序|先后|正序)?(?:排序|排列)?(?:来)?"
    ),
    re.compile(r"\b(?:sorted|ordered)\s+by\s+(?P<verb>creation\s+)?(?:date|time)(?P<end>)", re.I),
)
_FIRST = frozenset({"最早", "最旧", "oldest", "first", "顺序", "正序"})
_CREATED = re.compile(r"新建|新增|创建|新写|添加|写|(?<!笔)记(?!录)|建|creat\w*|written|write|wrote|added", re.I)
_CHANGED = re.compile(r"修改|更新|改动|编辑|改|modified|updated|changed|edited", re.I)
_CUE = re.compile(rf"{_NOTE}|列|找|看|显示|给|哪些|哪几|有什么|list|show|which|what|find|give|display|notes?\b", re.I)
_SMALL = re.compile(
    r"列(?:举|出来?|一下|个)?|找(?:出来?|一下)?|看(?:一?看|一下)?|显示|给(?:我|出)?|哪些|哪几|什么|请|帮|麻烦|一下|所有|全部|整个|"
    rf"{_NOTE}|篇|条|个|我们?的?|你|这些?|那些?|里面?|下面?|之?中|之?内|一共|总共|过|了|都|在|是|为|有|呢|吗|啊|呀|的|和|并|到|出来?|做|被|"
    r"\b(?:list|show|which|what|find|give|display|me|all|the|my|our|of|are|is|was|were|do|does|did|have|has|there|that|in|any|"
    r"please|by|for|and|with|notes?|articles?|entries|files|i|we|you|to|out|a|an|been|got|carry|bear)\b",
    re.I,
)
_PUNCTUATION = re.compile(r"[\s,，.。?？!！:：;；、~～…]+")


@dataclass(frozen=True, slots=True)
class Listing:
    """Which notes are asked for, and in what order; names are as written, and may name nothing in the vault."""

    tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # folders or categories
    is_untagged: bool = False
    since: date | None = None
    until: date | None = None
    by_creation: bool = False  # the dates and the order are of creation, else of the last change
    is_ordered: bool = False
    is_oldest_first: bool = False
    limit: int = 0  # 0 for all
    is_count: bool = False


class _Reader:
    """Takes pieces out of a text until nothing is left."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, form: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first piece of a form, which is gone then."""
        if match := form.search(self.text):
            self.cut(match.span())
        return match

    def cut(self, span: tuple[int, int]) -> None:
        """Take a piece out."""
        self.text = f"{self.text[: span[0]]} {self.text[span[1] :]}"

    def names(self, forms: tuple[re.Pattern[str], ...]) -> tuple[str, ...]:
        """Return the names in all pieces of some forms."""
        found: list[str] = []
        for form in forms:
            while match := self.take(form):
                found.append((match["quoted"] or match["word"]).strip())
        return tuple(filter(None, found))

    @property
    def is_used_up(self) -> bool:
        """Whether only small words are left."""
        return not _PUNCTUATION.sub("", _SMALL.sub(" ", self.text))


def read_listing(question: str, today: date) -> Listing | None:
    """Return the list that a question asks for, None for every other question."""
    text = unicodedata.normalize("NFKC", question).strip(" \t\n。.？?！!")
    if len(text) > _LONGEST:
        return None
    reader, asks = _Reader(text), bool(_CUE.search(text))
    is_untagged = bool(reader.take(_UNTAGGED))
    tags, folders = reader.names(_TAGS), reader.names(_FOLDERS)
    is_count = bool(reader.take(_COUNTED))
    period = find_period(reader.text, today)
    if period:
        reader.cut(period.span)
    ordered = next(filter(None, map(reader.take, _ORDERED)), None)
    verb = (ordered["verb"] if ordered else "") or ""
    by_creation = bool(_CREATED.search(verb) or reader.take(_CREATED))
    reader.take(_CHANGED)
    order = ((ordered["end"] or "").lower(), ordered.groupdict().get("number") or "") if ordered else ("", "")
    is_restricted = is_untagged or tags or folders or period or ordered
    if not reader.is_used_up or not (is_count or (is_restricted and (asks or order[0]))):
        return None
    return Listing(
        tags=tags,
        folders=folders,
        is_untagged=is_untagged,
        since=period.since if period else None,
        until=period.until if period else None,
        by_creation=by_creation,
        is_ordered=bool(ordered),
        is_oldest_first=order[0] in _FIRST,
        limit=read_number(order[1]) or 0,
        is_count=is_count,
    )
