"""A follow-up -> what it takes from the questions before it, by rules.

It may take a subject (它的负责人呢), a source by number, an aspect, or the whole question (为什么). A pronoun counts
only when nothing before it in the same question can be meant. What no rule matches, the trained router judges.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from graphrag.domain.ontology import NameKind, NameSpan
from graphrag.language.numbers import ORDINALS, whole_number
from graphrag.language.script import is_chinese

Names = Callable[[str], Sequence[NameSpan]]  # the names of entities, properties and classes in a text
ENDS = " \t?？!！。.…~，,"


class Lean(StrEnum):
    """What is missing in a question that leans on others."""

    SOURCE = "source"  # 第二个来源是谁写的: which note that is
    PRONOUN = "pronoun"  # 它依赖什么: what it means
    ASPECT = "aspect"  # 负责人呢: whose
    SWITCH = "switch"  # 那消息队列呢: what is asked of it
    HEADLESS = "headless"  # 依赖什么: what does
    BARE = "bare"  # 为什么: all


@dataclass(frozen=True, slots=True)
class Leaning:
    """How a question leans: the ranges that stand for something else, or the part that it consists of."""

    lean: Lean
    ranges: tuple[tuple[int, int], ...] = ()
    part: str = ""
    number: int = 0  # of a source, from 1; -1 for the last
    is_key: bool = False  # whether the number is the one in the source's mark, and not its place among the sources


_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|「[^」]*」|『[^』]*』|\"[^\"]*\"|`[^`]*`")
_THEN = r"(?:那么?|但是?|可是?|所以|and|but|so|ok|okay|then)?[，, ]*"

_BARE = re.compile(
    _THEN
    + r"(?:(?:这|那)?(?:又|是|到底|究竟)?(?:为什么|为啥|为何|什么原因|怎么回事|怎么会)(?:这样|如此)?|"
    + r"怎么(?:做|办|弄|处理|实现|解决)的?|如何(?:做|处理|实现|解决)|什么时候(?:的|的事|开始的?|结束的?)?|何时|在?哪里|"
    + r"谁(?:说的|写的|定的|做的|决定的)?|多少|多久|是吗|真的吗|确定吗|什么意思|怎么理解|"
    + r"(?:依据|原因|理由|结果|结论|例子|细节)(?:是什么|有哪些)?|(?:有|举个?)例子|举例(?:说明)?|比如说?|例如|"
    + r"(?:再|说)?(?:具体|详细)(?:一?点|一些|说说|讲讲|介绍一下|是什么|来说)?|说说看|展开(?:说说|讲讲|一下)|"
    + r"继续|接着说|(?:还)?有(?:什么|哪些|谁|别的|其他的?)|还有|其[他它]的?|别的|然后|后来)(?:呢|吗|啊|呀|嘛)?"
    + r"|"
    + _THEN
    + r"(?:why(?: not| so| is that| was that)?|how(?: so| come| much| many| long| often)?|(?:since )?when|where|who|"
    + r"(?:what|who|where|anything|anyone) else|then what|what then|(?:for )?examples?|such as|like what|"
    + r"(?:tell me )?more(?: details?)?|(?:in more )?details?|go on|continue|elaborate|are you sure|really|says who|"
    + r"who (?:says|said|wrote|decided) (?:so|it|that|this))",
    re.IGNORECASE,
)

_SOURCE_ZH = r"(?:来源|出处|引用)"
_SOURCE_EN = r"(?:source|citation|reference)"
_SOURCES = re.compile(
    rf"第(?P<zh>[一二三四五六七八九十]|\d{{1,2}})[个条篇处]?{_SOURCE_ZH}|(?P<last>最后一?[个条篇处]?{_SOURCE_ZH})"
    rf"|{_SOURCE_ZH}\s?(?P<key>\d{{1,2}})(?!\d)|\A\[(?P<mark>\d{{1,2}})\]"
    rf"|(?:the )?(?P<en>{'|'.join(ORDINALS)}|last|\d{{1,2}}(?=st|nd|rd|th))(?:st|nd|rd|th)? {_SOURCE_EN}\b"
    rf"|\b{_SOURCE_EN} (?:number )?(?P<number>\d{{1,2}})\b",
    re.IGNORECASE,
)

_NOUN = (
    r"(?:模块|系统|服务|组件|团队|小组|部门|同事|笔记|文章|文档|方案|设计|决策|工具|框架|接口|平台|产品|中间件|数据库|"
    r"概念|算法|协议|事故|故障|函数|流程|制度|规则|主题|(?:人|组|书|库|表)(?=[的是有和跟与在由被属呢吗怎为什谁哪会能还又都]|\Z))"
)
_AFTER_BARE = r"(?=[的是和跟与]|有什么|怎么|为什么|为啥|会|能|依赖|属于|由|需要|\Z)"
_PRONOUNS = re.compile(
    rf"(?<![其吉利排维])[它他她](?:们|俩)?(?![人乡杀])|(?:(?<!应)该|上述|[这那](?:一?[个位篇本套项家次场条份])?){_NOUN}"
    rf"|[这那]个{_AFTER_BARE}|这{_AFTER_BARE}(?!是(?:不是|否))|那(?=的|是(?:谁|什么|哪))"
    r"|\b(?:its|it|they|them|theirs?|he|him|his|she|hers?)\b|\bthere(?=\s*\Z)"
    r"|\b(?:this|that|these|those)(?: ones?)?(?=\s*(?:\Z|(?:is|was|are|were|has|have|do|does|did|can|works?|means?)\b))"
    r"|\b(?:this|that) (?:module|system|service|team|group|note|document|tool|library|decision|person|book|incident)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\s+(?:that\b|time\b|going\b|raining\b|take[sn]?\b|took\b|(?:ok|okay|safe|right|wrong|possible|true|better|best|good|"
    r"bad|necessary|important|common|hard|easy|worth|fine|normal|usual|useful|enough)\b.*\b(?:to|that|if|when|for|\w+ing)\b)",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(r"\b(?:is|are|was|were|be|been|hi|hello|hey)\s*\Z", re.IGNORECASE)
_POINTING = re.compile(r"th(?:is|at|ese|ose)\b", re.IGNORECASE)
_LATER_NAMED = re.compile(r"(?:after|before|while|when|as|although|though|since|if|once)\s*\Z", re.IGNORECASE)

_LIGHT_ZH = re.compile(
    r"请问|问一下|知道|告诉|那么?|所以|而且|另外|还有|然后|但是?|可是?|不过|为什么|为啥|怎么|如何|怎样|什么时候|什么|啥|"
    r"哪[些个里儿位]?|谁|多少|几|有|没|不|是|否|会|能|可以|要|应该|需要|当初|当时|以前|之前|后来|现在|目前|最近|到底|究竟|"
    r"我们|咱们|大家|[我你您]|笔记|文章|对于?|关于|[把被给让由在从到用选了过地得都也还又就才吗呢个于和跟与同]|依赖|提到|提及|引用|链接|写"
)
_LIGHT_EN = re.compile(
    r"\b(?:and|but|so|then|also|else|what|which|who|whom|whose|when|where|why|how|is|are|was|were|be|been|do|does|did|"
    r"has|have|had|can|could|will|would|should|may|might|not|i|we|you|my|our|the|an?|of|for|to|on|in|at|with|by|from|"
    r"about|into|uses?|used|notes?|says?|said|tell|me|please|depends?|owns?|links?|wrote|written|mentions?|chose|choose|"
    r"much|many|long|often|far|old|big|any|ever|really|still|actually|exactly|difference|between|happened|works?)\b|'s",
    re.IGNORECASE,
)
_ASKING_ZH = re.compile(r"什么|怎|如何|为[何啥]|谁|哪|多少|几|吗|是|有没有|能|会|要|该|可以|[，,；;]")
_FRAGMENT_ZH = re.compile(
    r"(?:那么?|还有|以及)?[，, ]*(?P<part>[^?？]{1,12}?)呢|(?:那么?|还有)[，, ]*(?P<bare>[^?？]{1,8})"
)
_FRAGMENT_EN = re.compile(
    r"(?:(?:and|but|so|then|ok|okay)[, ]+)?(?:(?:what|how) about|and) "
    r"(?:(?:its|his|her|their|my|our|your|the) )?(?P<part>.{1,40})",
    re.IGNORECASE,
)
_ALL = re.compile(r"所有|全部|有哪些|[每各]|列|我")
_ASKS = re.compile(r"什么|谁|哪|几|多少|吗")


def find_leaning(asked: str, names: Names) -> Leaning | None:
    """Return how a question leans on earlier ones; None when it stands by itself."""
    text = asked.strip(ENDS)
    if not text or _is_entity(text, names):
        return None
    if _BARE.fullmatch(text):
        return Leaning(Lean.BARE)
    masked = _QUOTED.sub(lambda found: "■" * len(found.group()), text)
    return (
        _find_source(masked, names)
        or _find_fragment(text, _FRAGMENT_EN, names)
        or _find_pronoun(masked, names)
        or _find_fragment_zh(asked, text, names)
        or _find_headless(text, names)
    )


def is_bare(text: str) -> bool:
    """Whether a text leans on another with all that it says: 为什么, 还有吗, tell me more."""
    return bool(_BARE.fullmatch(text.strip(ENDS)))


def is_subject(span: NameSpan) -> bool:
    """Whether a name means a note, a topic or a tag, and no word of the ontology."""
    kinds = (NameKind.PROPERTY, NameKind.CLASS)
    return bool(span.ids(NameKind.ENTITY)) and not any(map(span.ids, kinds))


def _is_entity(text: str, names: Names) -> bool:
    return any(is_subject(span) and span.text == text for span in names(text))


def _find_source(text: str, names: Names) -> Leaning | None:
    found = _SOURCES.search(text)
    if found is None or not _is_light(text[: found.start()], names):
        return None
    number = found["zh"] or found["key"] or found["mark"] or found["en"] or found["number"] or "last"
    place = whole_number(number) or -1
    return Leaning(
        Lean.SOURCE, (found.span(),), number=place, is_key=bool(found["key"] or found["mark"] or found["number"])
    )


def _find_pronoun(text: str, names: Names) -> Leaning | None:
    found = [match for match in _PRONOUNS.finditer(text) if not _means_nothing(text, match)]
    if not found:
        return None
    before = text[: found[0].start()]
    may_have_verb = not _POINTING.match(found[0].group())  # else it may as well begin a clause: the ruler that was …
    is_light = _is_light(before, names, may_have_verb) and not _LATER_NAMED.fullmatch(before)
    return Leaning(Lean.PRONOUN, tuple(match.span() for match in found)) if is_light else None


def _means_nothing(text: str, found: re.Match[str]) -> bool:
    """Whether a word is no pronoun: IT, the title Hate Them, the `it` of `is it safe to`, the `there` of `is there`."""
    word, before = found.group(), text[: found.start()]
    if word.isascii() and (word[1:] != word[1:].lower() or (before and word[0].isupper())):
        return True
    if word.lower() == "there":
        return bool(_NO_PLACE.search(before))
    return word.lower() == "it" and bool(_EXPLETIVE.match(text, found.end()))


def _is_light(before: str, names: Names, may_have_verb: bool = True) -> bool:
    """Whether what stands before a pronoun holds nothing that it could mean; one unknown word may be a verb."""
    spans = names(before)
    if any(is_subject(span) for span in spans):
        return False
    for span in reversed(spans) if may_have_verb else ():
        before = f"{before[: span.start]} {before[span.end :]}"
    rest = _LIGHT_EN.sub(" ", _LIGHT_ZH.sub(" ", before)).rstrip()
    left = re.findall(r"\w+|■+", rest)
    return not left or (may_have_verb and len(left) == 1 and _may_be_verb(left[0], rest, before))


def _may_be_verb(word: str, rest: str, before: str) -> bool:
    """Whether the only unknown word stands right before a pronoun and looks like what one does with a thing."""
    if not before.rstrip().endswith(word) or not rest.endswith(word) or not word.isalpha():
        return False
    return not re.search(r"\bthe\b", before, re.IGNORECASE) if word.isascii() else len(word) <= 2


def _find_fragment_zh(asked: str, text: str, names: Names) -> Leaning | None:
    found = _FRAGMENT_ZH.fullmatch(text)
    if found is None:
        is_asked = asked.rstrip().endswith(("?", "？"))
        is_aspect = is_asked and any(span.text == text and span.ids(NameKind.PROPERTY) for span in names(text))
        return Leaning(Lean.ASPECT, part=text) if is_aspect else None
    if found["bare"] and not asked.rstrip().endswith(("?", "？")):
        return None
    return _find_fragment(text, _FRAGMENT_ZH, names)


def _find_fragment(text: str, form: re.Pattern[str], names: Names) -> Leaning | None:
    found = form.fullmatch(text)
    part = ((found["part"] or found.groupdict().get("bare")) if found else "") or ""
    if not part or _ASKING_ZH.search(part):
        return None
    spans = names(part)
    if any(is_subject(span) for span in spans):
        return Leaning(Lean.SWITCH, part=part) if _is_entity(part, names) else None
    is_english = form is _FRAGMENT_EN
    if is_english and not any(span.text == part for span in spans):
        return Leaning(Lean.BARE, part=part) if len(part.split()) <= 4 else None
    return Leaning(Lean.ASPECT, part=part)


def _find_headless(text: str, names: Names) -> Leaning | None:
    """Find a question of a relation without any end: it names no entity and holds small words besides."""
    if len(text) > 16 or text.isascii() or _ALL.search(text) or not _ASKS.search(text):
        return None
    spans = names(text)
    properties = [span for span in spans if span.ids(NameKind.PROPERTY)]
    if not properties or any(is_subject(span) for span in spans) or not _is_light(text, names):
        return None
    return Leaning(Lean.HEADLESS, ((properties[0].start, properties[0].end),))


Kinds = Callable[[str], frozenset[str]]  # the classes of what a name means, all that the notes or the ontology say
PERSON = "urn:vault-graphrag:core#Person"  # a class of the core ontology, and the one above it
AGENT = "urn:vault-graphrag:core#Agent"
_PERSONAL = re.compile(r"[他她](?:们|俩)?|he|him|his|she|hers?", re.IGNORECASE)
_IMPERSONAL = re.compile(r"它(?:们|俩)?|its?", re.IGNORECASE)
_PLURAL = re.compile(r"[它他她][们俩]|they|them|theirs?|these|those", re.IGNORECASE)
_ASKS_WHO = re.compile(
    r"谁|哪位|什么人|(?:[\u4e00-\u9fff]人|上级|下属|领导|老板|导师|师父|徒弟|搭档|同事)(?:是|有|呢|叫|为|\Z)"
    r"|\bwho(?:m|se)?\b|\b(?:owner|manager|boss|lead)\b",
    re.IGNORECASE,
)
_HEAD_ZH = 2  # characters at the end of a name that say what it is: 支付模块, 订单模块
_SMALL_EN = re.compile(
    r"the|an?|of|in|on|for|to|by|my|our|your|its|their|this|that|and|or|is|are|does|do|who|what", re.I
)


@dataclass(frozen=True, slots=True)
class Before:
    """A turn that a follow-up may lean on: a question that stands by itself, and what may be named of its answer."""

    question: str
    sources: tuple[str, ...] = ()  # titles, in their order; empty for one that must not be named
    keys: tuple[int, ...] = ()  # of the sources, where they are known
    named: tuple[str, ...] = ()  # entities in the answer that the question does not name
    answer: str = ""  # its text, as long as the conversation is open
    is_own_words: bool = True  # whether the question is made of the user's words alone


def no_kinds(_: str) -> frozenset[str]:
    """Return nothing: for notes of which no class is known."""
    return frozenset()


def find_subject(before: Sequence[Before], names: Names, kinds: Kinds, pronoun: str) -> tuple[str, bool]:
    """Return what a question without a subject is about, empty for nothing, and whether the user named it.

    That is the first name in the newest question that has one. A person's pronoun means persons, those of the last
    answer first, unless the question is about a person itself and asks for no other; 它 and `it` mean none, as far as
    the notes say what is a person.
    """
    last = before[-1]
    is_of_person = not _ASKS_WHO.search(last.question) and any(
        PERSON in kinds(name) for name in named_in(last.question, names)
    )
    if _PERSONAL.fullmatch(pronoun) and not is_of_person and (people := _people(last, kinds)):
        return _joined(people, pronoun), False
    for turn in reversed(before):
        found = named_in(turn.question, names)
        if fitting := [name for name in found if _fits(pronoun, kinds(name))]:
            return _joined(fitting, pronoun), True
        if turn is last and (fitting := [name for name in turn.named if found and _fits(pronoun, kinds(name))]):
            return _joined(fitting, pronoun), False
        if found:
            return _joined(found, pronoun), True
        titles = {title for title in turn.sources if title}
        if len(titles) == 1:
            return titles.pop(), False
    return "", True


def named_in(question: str, names: Names) -> list[str]:
    """Return the names of notes and topics in a question, after them those of tags."""
    spans = [span for span in names(question) if is_subject(span)]
    ordered = sorted(spans, key=lambda span: all(meaning.id.startswith("#") for meaning in span.meanings))
    return list(dict.fromkeys(span.text for span in ordered))


def switch_subject(part: str, before: Sequence[Before], names: Names, kinds: Kinds) -> str:
    """Return the newest question that names something, asked of the part instead; empty when there is none.

    The part takes the place of what is like it: ends in the same word, or is of the same class.
    """
    for turn in reversed(before):
        if found := named_in(turn.question, names):
            alike = max(found, key=lambda name: (_share_head(name, part), len(kinds(name) & kinds(part))))
            return turn.question.replace(alike, part, 1)
    return ""


def replace_same_ending(part: str, question: str, names: Names) -> str:
    """Return a question with a part of it replaced by one that no note is called, which ends in the same word.

    Empty when nothing in the question ends so: the part may then be anything.
    """
    if not part.isascii():
        alike = [name for name in named_in(question, names) if _share_head(name, part)]
        return question.replace(alike[0], part, 1) if alike else ""
    *modifiers, head = part.split()
    if not modifiers:
        return ""
    found = re.search(rf"((?:\b[\w.\-]+\s+){{1,4}}){re.escape(head)}\b", question, re.IGNORECASE)
    if found is None:
        return ""
    words = found[1].split()
    kept = next((place for place in range(len(words), 0, -1) if _SMALL_EN.fullmatch(words[place - 1])), 0)
    if kept == len(words):
        return ""
    before = f"{' '.join(words[:kept])} " if kept else ""
    return f"{question[: found.start()]}{before}{part}{question[found.end() :]}"


def _people(last: Before, kinds: Kinds) -> list[str]:
    """Return the persons in the last answer; where the notes do not say who is one, whoever it must have named."""
    if people := [name for name in last.named if PERSON in kinds(name)]:
        return people
    may_be = [name for name in last.named if kinds(name) <= {AGENT}]
    return may_be[:1] if _ASKS_WHO.search(last.question) else []


def _fits(pronoun: str, classes: frozenset[str]) -> bool:
    if _PERSONAL.fullmatch(pronoun):
        return PERSON in classes
    return not (_IMPERSONAL.fullmatch(pronoun) and PERSON in classes)


def _joined(found: Sequence[str], pronoun: str) -> str:
    both = ("和" if is_chinese(pronoun) else " and ").join(found[:2])
    return both if _PLURAL.fullmatch(pronoun) else found[0]


def _share_head(one: str, other: str) -> bool:
    """Whether two names end in the same word, which says what both are."""
    if one.isascii() and other.isascii():
        return len(one.split()) > 1 and one.split()[-1].casefold() == other.split()[-1].casefold()
    return min(len(one), len(other)) > _HEAD_ZH and one[-_HEAD_ZH:] == other[-_HEAD_ZH:]
