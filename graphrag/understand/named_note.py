"""A question -> the names by which it asks for a note or identifier: 打开 X, X 是什么, or X alone."""

import re
from collections.abc import Iterator

_IDENTIFIER = re.compile(r"(?=.*(?:_|\d|[a-z][A-Z]|\+\+|#|\w\.\w))[A-Za-z][\w.+#:/\-]{1,80}")
_QUOTED = re.compile(r"[\"“「『《]([^\"“”「」『』《》\n]{1,80})[\"”」』》]")
_FILE = re.compile(r"[^\s,，。？?《》“”\"]{1,120}\.(?:md|canvas)\b", re.IGNORECASE)
_THAT_ONE = re.compile(
    r"(?:打开|调出|找出?|翻出|翻到|看看?|把|有没有|标题(?:是|叫|为)?|文件名)?(?:一?[篇条个])?(?:叫|名为)?\s*"
    r"(?P<name>[^\s,，。？?][^,，。？?]{0,60}?)\s*(?:那|这)(?:一)?(?:篇|条|个笔记)\s*(?:笔记|文章|note)?(?:的原文|的内容)?(?:给我|调出来|打开|找出来)?"
)
_OPENED = re.compile(
    r"(?:打开|调出|翻出|\bopen\b(?:\s+the)?(?:\s+note)?)\s*(?P<name>[^,，。？?《》“”\"]{1,80})", re.IGNORECASE
)
_CALLED = re.compile(r"\b(?:notes?|file|page)\s+(?:titled|called|named)\s+(?P<name>[^,?]{1,80})", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(
    r"(?:打开|调出|翻出).{1,80}|(?:找|查)(?:出|一下|到)?\s*(?:标题|名字|文件名|文件)(?:是|叫|为)?.{1,80}"
    r"|有没有(?:一)?(?:篇|条|个)(?:笔记|文章)?\s*(?:叫|标题|名为).{1,80}"
    r"|把.{1,80}(?:那|这)(?:一)?(?:篇|条)?\s*(?:笔记|文章|note)?\s*(?:调|找|翻|拿)?(?:出来|给我|打开|原文).{0,10}"
    r"|.{1,80}(?:那|这)(?:一)?(?:篇|条)(?:笔记|文章)?(?:的)?(?:原文|全文|正文)?(?:给我(?:看看)?)?"
    r"|.{1,80}(?:记|写|出现|提|放)(?:到|过|了)?在(?:哪|什么)(?:篇|条|个|里|儿|地方|一篇).{0,10}"
    r"|.{1,80}的?(?:笔记|文章)在(?:哪|什么地方)(?:里|儿)?|.{1,80}在哪(?:一)?(?:篇|条)(?:笔记|文章)?(?:里|中)?"
    r"|(?:配置项|错误码|命令|变量|函数|常量|参数|类)\s*[\w.\-:]+\s*(?:查(?:一下)?|在哪.{0,4}|找(?:一下)?)"
    r"|(?:please\s+)?(?:open\s+.{1,80}|(?:find|show(?:\s+me)?|get|fetch)\s+(?:the\s+|my\s+)?(?:notes?|file|page)\b.{0,80})"
    r"|(?:which|what)\s+note\s+(?:mentions|contains|has)\b.{1,80}|where\s+(?:did\s+i\s+(?:write|note)|is\s+the\s+note)\b.{1,80}",
    re.IGNORECASE,
)
# What may stand around a name in a question about nothing else: who or what it is, how it is done, a greeting.
_BEFORE = re.compile(
    r"(?:请问?|麻烦|问一?下|想问|(?:我?想)?(?:知道|了解|看看?)(?:一?下)?|告诉我|[帮给]我|(?:查|找|搜|搜索)(?:一?下|找)?|看看|关于|有关|对于|"
    r"(?:介绍|解释|讲|说|谈|聊|描述|说明|讲解)(?:一?下|介绍|解释|讲|说|谈|聊)?|(?:什么|啥|谁|哪个|哪位)(?:是|叫)|何[为谓]|"
    r"(?:怎么|如何)(?:理解|用|做)|[这那]个|那么?|所以|[你您]们?好|大家好|[早中]上好|[上中下]午好|晚上好|嗨|哈[喽啰]|谢谢你?|多谢|好的|"
    r"(?:(?:please|hello|hi|hey|there|good (?:morning|afternoon|evening)|thanks|thank you|ok(?:ay)?|so|and|then|now|"
    r"(?:can|could|would) you|(?:tell|show|remind|give) me|more|explain|describe|define|look up|find|search(?: for)?|"
    r"about|of|"
    r"(?:what|who)(?:['’]s| is| are| was| were| does| do| did)?|how(?:['’]s| to| is| are| do| does| did)?|"
    r"(?:do )?(?:i|we|you) know|(?:my|our|the) notes? say|use|do|an?|the|my|our)(?![\w-])))[\s,，、。.:：!！]*",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\s,，、。.:：!！?？]*(?:是谁|是(?:个|一个|一种|一张|一篇)?(?:什么|啥|怎样|怎么样)(?:东西|意思|人|样|概念|内容|笔记)?的?|"
    r"是(?:做|干)(?:什么|啥|嘛)用?的?|是干嘛的?|是怎么回事|怎么回事|指(?:的是)?(?:什么|啥|谁)|(?:是|叫)?(?:什么|啥)意思|什么|谁|"
    r"是?(?:该|要|应该|应当)?(?:怎么|如何|怎样)(?:去)?(?:做|用|办|弄|搞|来|说|样|理解|解释|使用)?的?|"
    r"(?:里面?|中)?(?:都|主要|大概)?[讲写说记]了?(?:些|点)?(?:什么|啥)|有(?:什么|哪些)(?:内容)?|"
    r"的?(?:基本|具体|详细|相关)?(?:内容|介绍|简介|说明|定义|含义|意思|概念|资料|信息|情况|详情|笔记)|"
    r"这(?:个|位|篇|张|种)(?:人|词|概念|东西|笔记|表)?|怎么样|谢谢你?|多谢|[呢吗嘛吧啊呀的是]|"
    r"(?<![\w-])(?:mean(?:s|ing)?|about|please|thanks|thank you|works?|used(?: for)?|for|do|is|are|was|exactly|again|"
    r"then|stand for|like|all))\s*\Z",
    re.IGNORECASE,
)
_MARKS = " \t\n,，。.:：;；!！?？~～…\"'“”‘’「」『』《》`"
_LONGEST_NAME = 200  # characters of a question that is read for a name alone
_MOST_CUTS = 8  # idle words at either end


def asks_for_a_note(question: str) -> bool:
    """Whether a question asks for a note or a place, and not for what is said there: a file, the note called X."""
    text = question.strip().rstrip("?？。.!！ ")
    is_name = _IDENTIFIER.fullmatch(text) or _FILE.fullmatch(text) or _QUOTED.fullmatch(text)
    return bool(is_name or _ASKS_FOR_ONE.fullmatch(text) or _FILE.search(text))


def names_asked_for(question: str) -> tuple[str, ...]:
    """Return the names by which such a question may call a note; most are none."""
    if not asks_for_a_note(question):
        return ()
    text = question.strip().rstrip("?？。.!！ ")
    found = [*_QUOTED.findall(text), *_FILE.findall(text)]
    found += [match["name"] for form in (_THAT_ONE, _CALLED, _OPENED) if (match := form.search(text))]
    names = (name.strip().rpartition("/")[2] for name in found)
    return tuple(dict.fromkeys(re.sub(r"\.(?:md|canvas)\Z", "", name, flags=re.IGNORECASE) for name in names if name))


def names_left_alone(question: str) -> Iterator[str]:
    """Yield what may be a name in a question that holds nothing besides but idle words at its ends, longest first.

    In `老张是谁` that is 老张; in `用 Redis 的向量集合 VADD 怎么用` it is not Redis, which has other words around it.
    """
    text = question.strip(_MARKS)
    if len(text) > _LONGEST_NAME:
        return
    starts, ends = [0], [len(text)]
    while len(starts) < _MOST_CUTS and (before := _BEFORE.match(text, starts[-1])):
        starts.append(before.end())
    while len(ends) < _MOST_CUTS and (after := _AFTER.search(text, 0, ends[-1])) and after.start() < ends[-1]:
        ends.append(after.start())
    spans = sorted(
        ((start, end) for start in starts for end in ends if start < end), key=lambda span: span[0] - span[1]
    )
    yield from dict.fromkeys(filter(None, (text[start:end].strip(_MARKS) for start, end in spans)))
