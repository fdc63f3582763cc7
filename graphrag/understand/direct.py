"""A question that needs no notes -> its reply: courtesies, this program's abilities, arithmetic, days, units.

It also recognises work on a text that the question gives, for a chat model. Each form matches the whole question, and
a question that mentions notes matches none.
"""

import re
from calendar import isleap, monthrange
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from graphrag.language.interface import Language
from graphrag.language.numbers import NUMERAL, UNIT_NAME, converted, number_of
from graphrag.language.script import half_width
from graphrag.understand.arithmetic import calculate
from graphrag.understand.calendar import count_days

_NOW = re.compile(
    r"(?:请问|那)?(?:现在|当前|目前)?(?:是)?几点(?:钟|了|钟了)?|现在(?:的)?时间(?:是多少)?"
    r"|what(?:'s|\s+is)?\s+(?:the\s+)?time(?:\s+is\s+it)?(?:\s+now)?",
    re.I,
)
_DAYS = re.compile(r"(\d{4})\s*年\s*(?:的)?\s*(?:(\d{1,2})\s*月)?\s*(?:一共|总共|共)?有?(?:多少|几)\s*天")
_DAYS_EN = re.compile(
    r"how\s+many\s+days\s+(?:are\s+(?:there\s+)?)?(?:in|does)\s+(?:the\s+year\s+)?(\d{4})(?:\s+have)?", re.I
)

_COUNT = rf"(?P<below>-\s?|−\s?|零下\s?|负\s?|minus\s+)?(?P<count>{NUMERAL}|半|an?)"
_CONVERSION = re.compile(
    rf"(?:what\s+is\s+|how\s+much\s+is\s+|convert\s+|请?[把将]?\s*){_COUNT}\s*(?P<unit>{UNIT_NAME})"
    r"\s*(?:(?:是|等于|折?合|相当于|换算[成为]?|转?换[成为]|转[成为]?|有|=|(?:in)?to|in|is)\s*(?:多少|几|how\s+many)?|多少)"
    rf"\s*(?P<into>{UNIT_NAME})",
    re.I,
)
_CONVERSION_EN = re.compile(
    rf"how\s+many\s+(?P<into>{UNIT_NAME})\s+(?:are\s+)?(?:in|is|make)\s+{_COUNT}\s*(?P<unit>{UNIT_NAME})",
    re.I,
)


def _language(in_chinese: bool) -> Language:
    return Language.ZH if in_chinese else Language.EN


def look_up(question: str, in_chinese: bool, now: datetime) -> str | None:
    """Return what the calendar, the clock or the table of units says."""
    text = half_width(question).strip(" \t\n?。.!")
    steps: tuple[Callable[[str, bool, datetime], str | None], ...] = (_clock, _calendar, _length_of, _converted)
    return next((answer for step in steps if (answer := step(text, in_chinese, now)) is not None), None)


def _clock(text: str, in_chinese: bool, now: datetime) -> str | None:
    if not _NOW.fullmatch(text):
        return None
    return _language(in_chinese).say("It is {time}.", time=f"{now:%H:%M}")


def _calendar(text: str, in_chinese: bool, now: datetime) -> str | None:
    return count_days(text, in_chinese, now.date())


def _length_of(text: str, in_chinese: bool, _: datetime) -> str | None:
    """Return how many days a year or a month has."""
    match = _DAYS.fullmatch(text) or _DAYS_EN.fullmatch(text)
    if not match:
        return None
    year, month = int(match[1]), int(match[2]) if match.re is _DAYS and match[2] else 0
    if year < 1 or month > 12:
        return None
    days = monthrange(year, month)[1] if month else 366 if isleap(year) else 365
    return _language(in_chinese).say("{days} days.", days=days)


def _converted(text: str, in_chinese: bool, _: datetime) -> str | None:
    match = _CONVERSION.fullmatch(text) or _CONVERSION_EN.fullmatch(text)
    if not match:
        return None
    count = match["count"].lower()
    number = Decimal(1) if count in ("a", "an") else number_of(count)
    value = None if number is None else converted(-number if match["below"] else number, match["unit"], match["into"])
    if value is None:
        return None
    told = str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"
    return _language(in_chinese).say("{number} {unit}.", number=told, unit=match["into"])


_LONGEST_COURTESY = 60  # characters
_LONGEST = 600  # characters; a longer text is no question of this kind, or too long to be read this way
_CLAUSE_ENDS = re.compile(r"[!！.。~～?？,，、;；…\n]+")
_FIRST_CLAUSE = re.compile(r"\s*([^!！.。~～?？,，、;；…\n]{1,30})[!！.。~～?？,，、;；…\n]+\s*(?=\S)")
_LAST_CLAUSE = re.compile(r"[!！.。~～?？,，、;；…\n]+\s*([^!！.。~～?？,，、;；…\n]{1,30})[!！.。~～,，、;；…\s]*\Z")
_HELLO = re.compile(
    r"\s*(?:hi|hello|hey)(?:\s+there)?\s+(?=(?:who|what|which|when|where|why|how|is|are|do|does|did|can|could|please|list"
    r"|show|find|tell)\b)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"[?？]|什么|谁|哪|怎|如何|为[何啥]|多少|多久|几|吗|呢|是否|是不是|有没有|列|找|给我|告诉|说说|讲讲|介绍|概[括述]|总结|解释|比较|查"
    r"|\b(?:what|which|who|whose|whom|when|where|why|how|is|are|was|were|do|does|did|has|have|can|could|list|show|find|give"
    r"|tell|explain|summari[sz]e|compare|describe)\b",
    re.IGNORECASE,
)
_TONE = r"[呀啊哦吗呢吧哈啦了]*"
_GREETING = re.compile(
    rf"(?:你|您|大家)好{_TONE}|[嗨喂]{_TONE}|哈[喽啰]{_TONE}|(?:早上|上午|中午|下午|晚上)好{_TONE}|早安?{_TONE}|晚安{_TONE}|在吗|在不在"
    r"|(?:hi|hello|hey|greetings|yo)(?:\s+there|\s+again)?|good\s+(?:morning|afternoon|evening|day|night)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    rf"(?:(?:非常|太|十分|真是)?(?:谢谢|多谢|感谢|谢了|辛苦)(?:你|您)?(?:们)?(?:的(?:帮助|帮忙|回答))?{_TONE})|帮(?:了)?大忙{_TONE}"
    r"|(?:many\s+|a\s+lot\s+of\s+)?(?:thanks|thank\s+you|thx|cheers)(?:\s+(?:a\s+lot|a\s+bunch|very\s+much|so\s+much|again))?",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    rf"再见{_TONE}|拜拜{_TONE}|回头见|下次见|(?:good)?bye(?:\s*bye)?|see\s+you(?:\s+(?:later|soon))?", re.IGNORECASE
)
_AGREEING = re.compile(
    rf"好的?{_TONE}|行{_TONE}|嗯+|明白{_TONE}|知道了|懂了|收到|没事{_TONE}|太好了|很好|不错|没问题|对了?"
    r"|ok(?:ay)?|great|nice|got\s+it|i\s+see|sure|cool|perfect|never\s+mind",
    re.IGNORECASE,
)
_ABOUT_US = re.compile(
    r"你(?:到底)?(?:是谁|是什么|叫什么(?:名字)?|是(?:ai|人工智能|机器人)吗?)"
    r"|(?:你是谁)?[,，]?\s*你?都?(?:能|会|可以)(?:帮我|为我)?(?:做|干)(?:些|点)?(?:什么|啥|哪些事)"
    r"|你有(?:什么|哪些)(?:功能|本事|能力)|(?:怎么|如何)使用你"
    r"|你(?:支持|能|会|可以)(?:不支持|不能|不会)?(?:上传|读取?|识别|打开|导入|导出|处理|看|听|说|用)?\s*"
    r"(?:pdf|word|excel|ppt|markdown|图片|照片|视频|音频|语音|文件|附件|英[语文]|日[语文]|联网|上网)(?:文件)?\s*[吗么]"
    r"|(?:who|what)\s+are\s+you|what\s+can\s+you\s+do(?:\s+for\s+me)?|what(?:'s|\s+is)\s+your\s+name"
    r"|are\s+you\s+(?:an?\s+)?(?:ai|bot|robot|human)"
    r"|(?:do|can)\s+you\s+(?:support|upload|read|speak)\s+(?:pdfs?|images?|pictures?|files?|english|chinese)",
    re.IGNORECASE,
)
_LANGUAGE = (
    r"(?:(?:英|中|日|法|德|韩|俄|西|葡|意|泰|粤|阿拉伯|西班牙|葡萄牙|意大利|越南|拉丁)(?:文|语|国话)"
    r"|汉语|文言文?|白话文?|繁体(?:字|中文)?|简体(?:字|中文)?)"
)
_LANGUAGE_EN = (
    r"(?:english|chinese|japanese|french|german|korean|russian|spanish|italian|portuguese|latin|cantonese|mandarin)"
)
_PLEASE = r"(?:请|帮我|麻烦|\s)*"
_QUOTED = r"[\"'“‘「『《][^\n]{1,400}?[\"'”’」』》]"
_GIVEN = r"(?:(?:这|下面|以下|上面)(?:的|一|这|几)*(?:句|段|篇|些)?(?:话|文字|文案|句子|英文|中文|短信))"
_WORK = r"(?:改|润色|重写|精简|缩写|扩写|校对|rewrite|polish|proofread|翻译)"
# A text has to be given: what is to be done with a note is a question about the notes.
_TASKS = (
    rf"{_PLEASE}(?:把|将)?\s*(?:{_QUOTED}|{_GIVEN})[^,，:：]{{0,10}}(?:翻译|译)(?:成|为|到|作)\s*{_LANGUAGE}.{{0,400}}",
    rf"{_PLEASE}(?:翻译|译)(?:一下|下)?{_GIVEN}?(?:(?:成|为|到|作)\s*{_LANGUAGE})?\s*(?:[:：]\s*.+|{_QUOTED}.{{0,20}})",
    rf"[^,，]{{1,40}}?(?:的|用)?{_LANGUAGE}(?:里|中)?(?:怎么|如何|该怎么)(?:说|讲|拼|念|表达)",
    rf"{_PLEASE}(?:把|将)(?:我)?{_GIVEN}.{{0,12}}?{_WORK}.{{0,500}}",
    rf"{_PLEASE}{_WORK}\s*(?:写)?(?:一下|下)?\s*(?:{_GIVEN})?[^:：]{{0,10}}[:：].+",
    rf"(?:please\s+)?translate\s+(?:{_QUOTED}|this\b.{{0,300}})\s+(?:in)?to\s+{_LANGUAGE_EN}",
    r"(?:please\s+)?translate\b[^:]{0,30}:.+",
    rf"how\s+(?:do\s+(?:you|i)|to)\s+say\s+.{{1,80}}\s+in\s+{_LANGUAGE_EN}",
    r"(?:please\s+)?(?:rewrite|rephrase|paraphrase|polish|proofread|shorten|correct)\s+(?:this|the\s+following|these)\b.{0,500}",
    r"(?:给我|再)?(?:讲|说)(?:个|一个)笑话(?:吧|听听)?|tell\s+(?:me\s+)?(?:a|another)\s+joke",
)
_ON_A_TEXT = re.compile("|".join(f"(?:{task})" for task in _TASKS), re.IGNORECASE | re.DOTALL)
_OF_NOTES = re.compile(r"笔记|知识库|我(?:记|写)(?:过|的|了|下)|\bvault\b|\bmy\s+notes?\b|\bnotes\b", re.IGNORECASE)
_REPLIES = (
    (_THANKS, "You are welcome."),
    (_FAREWELL, "Goodbye."),
    (_GREETING, "Hello! Ask me about anything you wrote down."),
    (_AGREEING, "All right."),
)
_WHAT_WE_DO = (
    "I answer from your notes: ask a question, a list (by tag, folder, date), a relation (who owns, what depends on), "
    "or an overview. Every sentence names its source."
)


def direct_reply(question: str, is_chinese: bool, now: datetime | None = None) -> str | None:
    """Return the reply of rules to a question that needs no retrieval; None when they have none."""
    text = question.strip()
    if len(text) > _LONGEST:
        return None
    if (reply := _courtesy(text, is_chinese)) is not None:
        return reply
    if _ABOUT_US.fullmatch(text.strip("?？。.!！ ")) and not _OF_NOTES.search(text):
        return _language(is_chinese).say(_WHAT_WE_DO)
    computed = calculate(text, is_chinese)
    return computed if computed is not None else look_up(text, is_chinese, now or datetime.now().astimezone())


def is_courtesy(text: str) -> bool:
    """Whether a text is a greeting, thanks or the like, and nothing else."""
    return _courtesy(text, False) is not None


def without_courtesies(question: str) -> str:
    """Return a question without the greetings and thanks around it; what asks nothing besides stays whole."""
    if len(question) > _LONGEST:
        return question
    rest = _HELLO.sub("", question, count=1) if _HELLO.match(question) else question
    while (first := _FIRST_CLAUSE.match(rest)) and _is_courteous(first[1]):
        rest = rest[first.end() :]
    while (last := _LAST_CLAUSE.search(rest)) and _is_courteous(last[1]):
        mark = next((sign for sign in last.group() if sign in "?？"), "")
        rest = rest[: last.start()] + mark
    asks = _ASKS.search(rest) and not all(map(_is_courteous, _parts(rest)))
    return rest.strip() if asks else question


def _is_courteous(clause: str) -> bool:
    return any(form.fullmatch(clause.strip()) for form, *_ in _REPLIES)


def is_for_model(question: str) -> bool:
    """Whether a question asks for work on a text that it gives, which a chat model does without any notes."""
    text = question.strip().rstrip("?？。.!！ ")
    return len(text) <= _LONGEST and bool(_ON_A_TEXT.fullmatch(text)) and not _OF_NOTES.search(text)


def speaks_of_notes(question: str) -> bool:
    """Whether a question mentions notes, so that it is for them to answer."""
    return bool(_OF_NOTES.search(question))


def _courtesy(text: str, is_chinese: bool) -> str | None:
    """Return the reply to a text that consists of courtesies."""
    if len(text) > _LONGEST_COURTESY:
        return None
    whole = text.strip("!！.。~～?？,， 　")
    clauses = [whole] if any(form.fullmatch(whole) for form, *_ in _REPLIES) else _parts(text)
    if not clauses or not all(any(form.fullmatch(clause) for form, *_ in _REPLIES) for clause in clauses):
        return None
    for form, reply in _REPLIES:
        if any(form.fullmatch(clause) for clause in clauses):
            return _language(is_chinese).say(reply)
    return None


def _parts(text: str) -> list[str]:
    """Return the clauses of a text; words of English stay together between punctuation."""
    return [clause.strip() for clause in _CLAUSE_ENDS.split(text) if clause.strip()]
