"""The forms of the pieces that a question for a list is made of, Chinese and English; `listing.py` takes them out."""

import re

from graphrag.understand.tag_words import JOINING, NOT

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
_LABEL_EN = r"(?:\s+(?:the\s+)?tags?)?"

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
_NUMBER = r"(?P<number>\d{1,3}|[一二两三四五六七八九十]{1,3})"
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
