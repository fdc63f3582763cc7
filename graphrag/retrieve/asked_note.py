"""Question -> whether it asks for one note, or where something stands; and the names by which it calls a note."""

import re

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
