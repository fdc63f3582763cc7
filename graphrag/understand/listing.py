"""A question -> the list that it asks for: notes by tag, folder, category, type, state or date, the newest, how many;
or the tags; or the tasks; or the names that are linked and have no note.

The question is read piece by piece. It is a list only when no word is left over; else it is left to the search.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from graphrag.errors import QuestionError
from graphrag.language.dates import NoSuchDay
from graphrag.language.numbers import CHINESE_NUMERAL, whole_number
from graphrag.language.periods import Period, find_period

_OPEN, _CLOSE = "\"'“‘「『《", "\"'”’」』》"
_QUOTED_TAG = re.compile(rf"[{_OPEN}]([^{_OPEN}{_CLOSE}]+)[{_CLOSE}]")
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
    tests = _TagReader(text, is_tag, is_without).read()
    if not any(is_tag(name) for test in tests for name in test.names):
        return (TagTest((bare_name(text),), is_without),)
    return tests


def bare_name(text: str) -> str:
    """Return a name without the quotes or the # that it is written with; one that is more than a name stays."""
    quoted = _QUOTED_TAG.fullmatch(text.strip())
    return quoted[1].strip() if quoted else re.sub(r"\A#(?=\S+\Z)", "", text.strip())


class _TagReader:
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
        if quoted := _QUOTED_TAG.match(self._text, self._place):
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


_QUOTED = r"[\"'“‘「『《](?P<quoted>[^\"'“”‘’「」『』《》\n]{1,60})[\"'”’」』》]"
_WORD = r"(?P<word>[^\s\"'“”「」『』《》,，。？?！!：:]{1,40}?)"
_END = r"(?=\s|$|[,，。？?]|的?(?:笔记|文章|条目|卡片|文档|notes?\b)|的?(?:都|一共|总共|共)?有|都|这个|里|下)"
_NAME = rf"(?:{_QUOTED}|{_WORD}{_END})(?:\s*的)?"
_NOTE = r"(?:笔记|文章|条目|卡片|文档|记录)"
_VERBS = r"(?:带有?|打了|打上|标了|加了|含有?|有)"

# Several tags with what joins them: words without a space, or with a word of its own between them.
_ITEM = r"#?(?:[\"'“‘「『《][^\"'“”‘’「」『』《》\n]{1,60}[\"'”’」』》]|[^\s\"'“”「」『』《》,，。？?！!：:]{1,60}?)"
_FILLING = rf"(?:(?:{NOT}|{_VERBS}|with|the|tags?|tagged)\s*)?"
_BETWEEN = rf"(?:\s*[,，]\s*(?={NOT})|\s*[,，]?\s+{JOINING}\s*{_FILLING}|(?:{JOINING}{NOT}?|{NOT})\s+{_FILLING})"
_ITEMS = rf"(?P<names>{_ITEM}(?:{_BETWEEN}{_ITEM}){{0,4}})"

UNTAGGED = re.compile(
    r"(?:没有|没|未|无)(?:被)?(?:打|加|带|写|标)?(?:过|上)?(?:任何|一个)?标签的?|\buntagged\b|\bwithout\s+(?:any\s+)?tags?\b"
    r"(?=\s*(?:$|notes?\b|[,，]))",
    re.I,
)
WITHOUT_TAGS = (
    re.compile(rf"标签\s*(?:不是|不为|不等于|不含|不包含|没有|≠|!=)\s*{_ITEMS}{_END}(?:\s*的)?"),
    re.compile(rf"(?<!有){NOT}\s*{_ITEMS}\s*(?:这个|的)?\s*标签的?"),
    re.compile(rf"\b(?:not\s+tagged(?:\s+(?:with|as))?|without\s+(?:the\s+)?tags?)\s+{_ITEMS}{_END}", re.I),
    re.compile(rf"{NOT}\s*(?P<names>#[\w/\-.]{{1,60}})(?:\s*(?:这个)?(?:标签)?的?)", re.I),
)
TAGS = (
    re.compile(rf"(?:标签|\btags?)\s*(?:是|为|叫|名为|等于|包含|包括|含有?|=|:|：)\s*{_ITEMS}{_END}(?:\s*的)?", re.I),
    re.compile(rf"{_VERBS}\s*{_ITEMS}\s*(?:这个|的)?\s*标签的?"),
    re.compile(rf"\b(?:tagged(?:\s+(?:with|as|both|either))*|with\s+(?:the\s+)?tags?)\s+{_ITEMS}{_END}", re.I),
    re.compile(
        rf"\b(?:have|has|having|with|carry|carrying)\s+(?:both\s+|either\s+)?(?:the\s+)?{_ITEMS}\s+tags?\b", re.I
    ),
    re.compile(r"(?:标签)?(?P<names>#[\w/\-]{1,60})(?:\s*(?:这个)?(?:标签)?的?)"),
)
FOLDERS = (
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
COUNTED = re.compile(
    rf"(?:一共|总共|共|共有)?(?:有)?(?:多少|几)\s*(?:(?:篇|条|个|张|份){_NOTE}?|{_NOTE})|\bhow\s+many\b"
    rf"|{_NOTE}的?(?:数量|总数|总量)(?:是多少)?|{_NOTE}(?:里面?)?(?:一共|总共|共)?有?多少\Z"
    r"|\bnumber\s+of(?=\s+(?:my\s+|our\s+|the\s+|all\s+)?notes?\b)",
    re.I,
)
_NUMBER = rf"(?P<number>\d{{1,3}}|{CHINESE_NUMERAL})"
ORDERED = (
    re.compile(
        rf"(?P<end>最近|最新|最后|最早|最旧)(?P<verb>创建|新建|新增|写|修改|更新|改动|编辑)?(?:过|了)?的?\s*(?:{_NUMBER}\s*(?:篇|条|个|张|份))?"
    ),
    re.compile(
        rf"\b(?P<end>last|latest|newest|most\s+recent|oldest|first)(?:ly)?(?:$|\s+(?:{_NUMBER}\s+)?(?P<verb>created|modified)?)",
        re.I,
    ),
    re.compile(
        r"按(?:照)?(?P<verb>创建|修改|更新)?(?:的)?(?:时间|日期)(?:先后)?的?(?P<end>顺序|倒序|先后|正序)?(?:排序|排列)?(?:来)?"
    ),
    re.compile(
        r"\b(?:sorted|ordered|sort|order)\s+(?:them\s+)?by\s+(?P<verb>creation\s+)?(?:date|time)(?P<end>)", re.I
    ),
)
FIRST = frozenset({"最早", "最旧", "oldest", "first", "顺序", "正序"})
RANGE = re.compile(
    r"第?\s*(?<![\d.\-/])(?P<first>\d{1,4})\s*(?:篇|条|个)?\s*(?:到|至|[-~～—–]|to)\s*第?\s*(?P<last>\d{1,4})(?![\d.\-/])\s*(?:篇|条|个|张|份)?(?!\s*[天月年周日号])"
    r"|(?:前|头)\s*(?P<most>\d{1,3})\s*(?:篇|条|个|张|份)|\btop\s+(?P<top>\d{1,3})\b",
    re.I,
)
CREATED = re.compile(r"新建|新增|创建|新写|添加|写|(?<!笔)记(?!录)|建|creat\w*|written|write|wrote|added", re.I)
CHANGED = re.compile(r"修改|更新|改动|编辑|改|modified|updated|changed|edited", re.I)
CUE = re.compile(rf"{_NOTE}|列|找|看|显示|给|哪些|哪几|有什么|list|show|which|what|find|give|display|notes?\b", re.I)
SMALL = re.compile(
    r"列(?:举|出来?|一下|个)?|找(?:出来?|一下)?|看(?:一?看|一下)?|显示|给(?:我|出)?|哪(?:些|几|一?[篇条个])?|什么|请|帮|麻烦|一下|所有|全部|整个|"
    rf"{_NOTE}|篇|条|个|我们?的?|你|这些?|那些?|里面?|下面?|之?中|之?内|一共|总共|过|了|都|在|是|为|有|呢|吗|啊|呀|的|和|并|到|出来?|做|被|"
    r"但是?|而|且|同时|既|又|也|只|再|其中|(?<!\S)['’]s\b|"
    r"\b(?:list|show|which|what|find|give|display|me|all|the|my|our|of|are|is|was|were|do|does|did|have|has|there|that|in|any|"
    r"please|by|for|and|but|with|notes?|articles?|entries|files|i|we|you|to|out|a|an|been|got|carry|bear|only|just|ones?|from|it|"
    r"them|these|those|they)\b",
    re.I,
)
PUNCTUATION = re.compile(r"[\s,，.。?？!！:：;；、~～…]+")

_KIND = r"(?:标签|分类|类别|目录|文件夹|tags?|categories|folders?)"
_KIND_EN = r"(?:tags|categories|folders)"
_HOW_MANY = r"(?:哪些|哪几[个种]|什么样?的?|多少[个种]?|几[个种])"
# 哪些标签 asks for tags, 标签是支付 for notes.
FACET = re.compile(
    rf"{_HOW_MANY}(?:不同的?)?\s*(?P<asked>{_KIND})(?!\s*(?:是|为|叫|=|:|：|里|下|中))"
    rf"|(?P<had>{_KIND})\s*(?:都|一共|总共|各)*(?:有|包括|是)\s*(?:哪些|哪几[个种]|多少[个种]?|几[个种])"
    rf"|(?<=[，,\s])(?P<theirs>{_KIND})\s*(?:都|各)*(?:有|是)什么\Z"
    rf"|(?P<whole>{_KIND})\s*(?:列表|清单|统计|数量)"
    rf"|(?:所有|全部|整个|(?:最?常用|用得最多|最多|主要)的?)\s*的?\s*(?P<every>{_KIND})(?!\s*(?:是|为|叫|=|:|：|里|下|中))"
    rf"|\b(?:what|which|how\s+many|all|list|show(?:\s+me)?)\s+(?:of\s+)?(?:the\s+|my\s+|our\s+)?(?:different\s+)?(?P<plural>{_KIND_EN})\b",
    re.I,
)
ONE = re.compile(r"哪一?[篇条个]|\b(?:which|the)\s+(?:one|note)\b|\bone\b", re.I)
USED = re.compile(
    r"用(?:得|的|到|过)?(?:最多|最频繁|最常)?|最常用|常用|最多|不同|\b(?:used?|most|often|exist|different)\b", re.I
)
NO_NAME = re.compile(r"#?(?:哪[些几].*|什么.*|多少.*|几[个种]?|任何|其他|别的|这些?|那些?|any|which|what)", re.I)


TYPES = (
    re.compile(rf"(?:(?<![A-Za-z])type|类型)\s*(?:是|为|叫|=|:|：)\s*{_NAME}", re.I),
    re.compile(rf"\b(?:of|with)\s+(?:the\s+)?type\s+{_NAME}", re.I),
)
TASKS = re.compile(
    r"(?P<done>(?:已经?)?(?:完成|做完|办完|勾掉|打勾)了?的?(?:待办|任务|事项|事情?)(?:事项|清单|列表)?"
    r"|\b(?:done|completed|finished|closed|checked)\s+(?:tasks?|to-?dos?|items?|action items?)\b)"
    r"|(?:(?:还|仍)?(?:没有?|未|尚未)(?:做|办|完成|处理|搞定|解决|勾)[完好掉]?了?的?|待处理的?|待完成的?)"
    r"(?:待办|任务|事项|事情?|工作)?(?:事项|清单|列表)?|(?:待办|任务)(?:事项|清单|列表)?"
    r"|\b(?:(?:open|unfinished|pending|outstanding|remaining|undone|incomplete|uncompleted)\s+)?"
    r"(?:tasks?|to-?dos?|action\s+items?)\b|\bleft\s+to\s+do\b",
    re.I,
)
_UNFINISHED = re.compile(r"没|未|待|open|unfinished|pending|outstanding|remaining|undone|incomplete|left", re.I)
TOPICS = re.compile(
    r"(?:断掉?|断开|坏掉?|失效|无效|悬空|未解析|不存在|找不到目标)了?的?(?:双链|链接|链)|[断死]链|"
    r"(?:被)?(?:链接|提到|引用)[过了到]?(?:但|却|可)?(?:是)?(?:还)?(?:没有?|未)(?:建|写|创建|对应)?的?(?:笔记|页面)?的?(?:名字|主题|名称|词)?"
    r"|\b(?:broken|dangling|dead|unresolved|missing)\s+(?:wiki)?-?links?\b"
    r"|\blinked\s+(?:names?|topics?|pages?)?\s*(?:but\s+)?(?:without|that\s+have\s+no|with\s+no)\s+(?:a\s+)?notes?\b"
    r"|\blinks?\s+to\s+(?:notes?|pages?|files?)\s+that\s+(?:do(?:es)?\s+not|don['’]t|doesn['’]t)\s+exist\b"
    r"|\btopics?\s+without\s+(?:a\s+)?notes?\b",
    re.I,
)
_NO_LINK = r"(?:没有?|无)(?:任何)?(?:其他|别的)?"
STATES = (
    (
        "unreferenced",
        re.compile(
            rf"{_NO_LINK}(?:笔记)?(?:被)?(?:任何|别的|其他)?(?:笔记)?(?:反向链接|反链|链接到它?|引用)的?|没有?被(?:任何|别的|其他)?(?:笔记)?(?:链接|引用)过?的?"
            r"|\b(?:without|(?:that\s+)?ha(?:s|ve)\s+no)\s+(?:any\s+)?(?:backlinks?|inbound\s+links?|incoming\s+links?)\b"
            r"|\b(?:that\s+)?(?:nothing|no\s+(?:other\s+)?notes?|nobody)\s+links?\s+to\b|\bnot\s+linked\s+(?:to|from)\s+(?:anywhere|any\w*)\b",
            re.I,
        ),
    ),
    (
        "unlinked",
        re.compile(
            rf"孤立的?|孤儿|{_NO_LINK}(?:双链|链接|连接)的?|\borphan(?:s|ed)?\b|\bunlinked\b"
            r"|\b(?:without|(?:that\s+)?ha(?:s|ve)\s+no)\s+(?:any\s+)?links?\b|\bnot\s+linked\b",
            re.I,
        ),
    ),
    (
        "empty",
        re.compile(r"空白?的?(?=笔记|文件|文档)|(?:没有?|无)(?:任何)?(?:内容|正文)的?|\b(?:empty|blank)\b", re.I),
    ),
)
_TIMES = re.compile(  # of tasks, besides small words
    r"还|仍|剩下?|多少|几[个项条]|要?做|目前|现在|当前|截止|到期|该|手[头上]|\b(?:left|due|currently|now|still|yet|assigned|mine|until|before|remain(?:s|ing)?)\b",
    re.I,
)
_ASKING = re.compile(r"怎|如何|为[什何啥]|谁|多久|何时|是否|吗|区别|\b(?:how|why|who|when|where)\b", re.I)
USUAL = 20  # notes of a long list that are shown, unless the question says which
_LONGEST = 120  # characters; a longer question asks for more than a list


class Listed(StrEnum):
    """What a list is of."""

    NOTES = "notes"
    TAGS = "tags"
    CATEGORIES = "categories"
    FOLDERS = "folders"
    TASKS = "tasks"
    TOPICS = "topics"  # names that are linked and have no note


class NoteState(StrEnum):
    """What a note may lack."""

    UNLINKED = "unlinked"  # no link leads to it or from it
    UNREFERENCED = "unreferenced"  # no link leads to it
    EMPTY = "empty"  # there is no text in it


_KINDS = {"标签": Listed.TAGS, "tag": Listed.TAGS, "分类": Listed.CATEGORIES, "类别": Listed.CATEGORIES}
_KINDS |= {"categor": Listed.CATEGORIES, "目录": Listed.FOLDERS, "文件夹": Listed.FOLDERS, "folder": Listed.FOLDERS}


@dataclass(frozen=True, slots=True)
class Listing:
    """What is asked for, of which notes, and in what order; names are as written, and may name nothing in the vault."""

    tags: tuple[str, ...] = ()  # each may be several, with words like 和 between them
    without_tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()  # folders or categories
    is_untagged: bool = False
    since: date | None = None
    until: date | None = None
    by_creation: bool = False  # the dates and the order are of creation, else of the last change
    is_ordered: bool = False
    is_oldest_first: bool = False
    limit: int = 0  # 0 for all
    is_count: bool = False
    listed: Listed = Listed.NOTES
    first: int = 0  # place of the first that is to be shown, from 1; 0 without a wish
    last: int = 0
    types: tuple[str, ...] = ()
    state: NoteState | None = None
    is_done: bool = False  # of tasks; open ones else
    about: str = ""  # of tasks: words that a task, or its note's title, holds


class _Reader:
    """Takes pieces out of a text until nothing is left."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, form: re.Pattern[str]) -> re.Match[str] | None:
        """Return the first piece of a form, which is gone then."""
        if match := form.search(self.text):
            self.cut(match.span())
        return match

    def take_all(self, form: re.Pattern[str]) -> list[re.Match[str]]:
        """Return all pieces of a form, which are gone then."""
        return list(iter(lambda: self.take(form), None))

    def cut(self, span: tuple[int, int]) -> None:
        """Take a piece out."""
        self.text = f"{self.text[: span[0]]} {self.text[span[1] :]}"

    def names(self, forms: tuple[re.Pattern[str], ...]) -> tuple[str, ...]:
        """Return the names in all pieces of some forms."""
        found: list[str] = []
        for form in forms:
            while match := self.take(form):
                named = match.groupdict()
                found.append(bare_name(named.get("names") or named.get("quoted") or named.get("word") or ""))
        return tuple(filter(None, found))

    @property
    def rest(self) -> str:
        """What is left besides small words."""
        return " ".join(PUNCTUATION.sub(" ", SMALL.sub(" ", self.text)).split())


def read_listing(question: str, today: date) -> Listing | None:
    """Return the list that a question asks for, None for every other question."""
    text = unicodedata.normalize("NFKC", question).strip(" \t\n。.？?！!").replace("有没有", "有")
    if len(text) > _LONGEST:
        return None
    reader, asks = _Reader(text), bool(CUE.search(text))
    listed = _take_facet(reader)
    is_untagged = bool(reader.take(UNTAGGED))
    without, tags, folders = (reader.names(forms) for forms in (WITHOUT_TAGS, TAGS, FOLDERS))
    if any(map(NO_NAME.fullmatch, (*without, *tags, *folders))):
        return None
    types = reader.names(TYPES)
    tasks = reader.take_all(TASKS) if listed is Listed.NOTES else []
    topics = None if tasks else reader.take(TOPICS)
    state = None if tasks or topics else _take_state(reader)
    is_count = bool(reader.take(COUNTED))
    period, problem = _period(reader.text, today)
    if period:
        reader.cut(period.span)
    shown = reader.take(RANGE)
    ordered = next(filter(None, map(reader.take, ORDERED)), None)
    verb = (ordered["verb"] if ordered else "") or ""
    by_creation = bool(CREATED.search(verb) or reader.take(CREATED))
    reader.take(CHANGED)
    order = ((ordered["end"] or "").lower(), ordered.groupdict().get("number") or "") if ordered else ("", "")
    is_restricted = is_untagged or tags or without or folders or period or ordered or shown or types or state
    is_asked = is_count or listed is not Listed.NOTES or bool(topics) or (is_restricted and (asks or order[0]))
    is_done, about = any(task["done"] for task in tasks), ""
    if tasks:
        reader.take_all(_TIMES)
        listed, about = Listed.TASKS, reader.rest
        is_open = any(_UNFINISHED.search(task[0]) for task in tasks)
        is_asked = not _ASKING.search(about) and (asks or is_done or is_open or not about)
    elif reader.rest:
        return None
    if not is_asked:
        return None
    if problem:
        raise QuestionError(f"there is no such day as {problem}. Ask with a day of the calendar, like 2024-03-01.")
    first, last = _range(shown)
    return Listing(
        tags=tags,
        without_tags=without,
        folders=folders,
        is_untagged=is_untagged,
        since=period.first if period else None,
        until=period.last if period else None,
        by_creation=by_creation,
        is_ordered=bool(ordered),
        is_oldest_first=order[0] in FIRST,
        limit=whole_number(order[1]) or int(bool(ordered and order[0] and ONE.search(text))),
        is_count=is_count,
        listed=Listed.TOPICS if topics else listed,
        first=first,
        last=last,
        types=types,
        state=state,
        is_done=is_done,
        about=about,
    )


def _period(text: str, today: date) -> tuple[Period | None, str]:
    """Return the period of a text, or the day in it that there is not."""
    try:
        return find_period(text, today), ""
    except NoSuchDay as error:
        return Period(None, None, error.span), str(error)


def _take_state(reader: _Reader) -> NoteState | None:
    """Take out what the notes that are asked for lack."""
    return next((NoteState(state) for state, form in STATES if reader.take(form)), None)


def _take_facet(reader: _Reader) -> Listed:
    """Take out that tags, categories or folders themselves are asked for."""
    if not (match := reader.take(FACET)):
        return Listed.NOTES
    reader.take(USED)
    kind = next(filter(None, match.groupdict().values())).lower()
    return next(listed for name, listed in _KINDS.items() if kind.startswith(name))


def _range(match: re.Match[str] | None) -> tuple[int, int]:
    """Return the places that a question wants to see."""
    if match is None:
        return 0, 0
    if most := match["most"] or match["top"]:
        return 1, int(most)
    return max(int(match["first"]), 1), int(match["last"])
