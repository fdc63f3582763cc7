"""A question -> what is asked for, by its question words: a person, a time, a number, steps, a reason, …

One table holds the words in Chinese and English. The first row with a match decides, so 为什么 is not read as 什么, nor
"how many" as "how".
"""

import re

from graphrag.domain.query import AskedFor

_WORDS: tuple[tuple[AskedFor, str], ...] = (
    (
        AskedFor.COMPARISON,
        r"区别|不同|差别|差异|异同|对比|相比|比较|优劣|哪个(?:更|好|快)|还是.{1,20}(?:好|合适)"
        r"|\b(?:differ(?:s|ence|ences|ent)?|compare[sd]?|comparison|versus|vs)\b",
    ),
    (AskedFor.REASON, r"为什么|为何|为啥|干嘛要|原因|理由|怎么会|凭什么|\bwhy\b|\breasons?\b|\bhow come\b"),
    (AskedFor.PERSON, r"谁|哪位|哪些人|什么人|\bwho(?:m|se)?\b"),
    (
        AskedFor.TIME,
        r"什么时候|何时|啥时候|几[号点时月]|哪[天年月日]|哪一[天年]|多久|多长时间|日期|时间是|截止"
        r"|\bwhen\b|\bhow (?:long|soon|often)\b|\b(?:what|which) (?:day|date|time|year|month|week)\b|\bdeadline\b",
    ),
    (
        AskedFor.NUMBER,
        r"多少|几[个次秒天篇条种人倍步位名层级块元]|多[大高长重远快宽深]|[比概频]率|上限|下限|阈值|超时(?:时间)?是"
        r"|\bhow (?:many|much|big|large|fast|far|high|old)\b|\b(?:number|amount|size|price|cost|limit) of\b",
    ),
    (AskedFor.PLACE, r"哪里|哪儿|在哪|什么地方|何处|\bwhere\b"),
    (
        AskedFor.STEPS,
        r"怎么(?!样)|怎样|如何|步骤|流程|做法|方法|命令是"
        r"|\bhow (?:to|do|does|did|can|should|would|is|are)\b|\bsteps?\b",
    ),
    (
        AskedFor.LIST,
        r"哪些|有什么|哪几|列出|列一下|都有|清单"
        r"|\bwhich\b.{0,30}s\b|\blist\b|\bwhat are\b|\bwhat .{1,20}s (?:are|do|does|have)\b",
    ),
    (
        AskedFor.DEFINITION,
        r"是什么(?:意思|东西)?|什么是|什么叫|是啥|含义|定义|何谓|何为|指(?:的是)?什么"
        r"|\bwhat(?:'s| is| was| does)\b.{0,60}(?:mean)?|\bmeaning of\b|\bdefine\b",
    ),
    (
        AskedFor.YES_NO,
        r"吗[？?]?\s*\Z|是不是|是否|能不能|可不可以|可以.{0,20}吗|有没有|要不要|会不会|行不行|对不对"
        r"|\A\s*(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|must)\b",
    ),
)
_FORMS = [(asked, re.compile(form, re.IGNORECASE)) for asked, form in _WORDS]


def asked_for(question: str) -> AskedFor:
    """Return what a question asks for; a fact where no question word says more."""
    return next((asked for asked, form in _FORMS if form.search(question)), AskedFor.FACT)
