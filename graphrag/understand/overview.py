"""A question -> the topic of the overview that it asks for, empty for all notes; None for other questions.

Politeness, a word for the notes, a verb such as 总结 and a word for all of it have to cover the whole question. With
one word more it is left to the search. `read_group` finds the folder or tag to be summed up (概括一下支付系统).
"""

import re

_LONGEST = 120  # characters; a longer question asks for something in particular
_TOPIC = r"(?P<topic>[^，,。.？?！!；;：:]{1,40}?)"

_POLITE = (
    r"(?:请问?|麻烦你?|帮我|给我|为我|你|能不能|能否|可以|可否|能|想(?:知道|了解)(?:一下)?|看看|说说|讲讲|我"
    r"|用[一两三几]?[段句]?(?:段话|句话|话)|(?:整体|总体|综合|大体)(?:来看|来说|上看|上)|总的来[说看讲]|[，,\s])*"
)
_NOTE_WORD = r"(?:笔记本?库?|知识库|资料库|vault|notes)(?:里面?|里头|中|当中)?"
_WHOSE = r"(?:(?:我们?|咱们?)的?(?:这些|所有的?|全部的?|整个)?|这些|所有的?|全部的?|整个|这个)"
_MY_NOTES = rf"(?:{_WHOSE}?\s*{_NOTE_WORD}\s*)"
_ABOUT = rf"(?:关于|有关|对于|针对)\s*{_TOPIC}\s*(?:这个?(?:主题|话题|方面)|的?方面|的话)?"
_ADVERB = r"(?:主要|大致|大概|大体上?|总体上?|整体上?|总的来说|总的来讲|基本上?|都|一共|究竟|到底|通常|在|[，,\s])*"
_VERB = (
    r"(?:讲|写|说|记|记录|记载|包含|包括|涵盖|涉及|覆盖|讨论|谈|聊|收录|积累|整理|有|是讲|是关于|围绕|关注|分为|分成)"
    r"(?:到|了|过|着|的是)*"
)
_WHAT = (
    r"(?:了?(?:一?些)?(?:什么|啥|哪些|哪几(?:个|类|种|方面|块))(?:样的)?)"
    r"(?:大的?|主要的?|重要的?)?(?:方面|主题|话题|领域|类别?|东西|知识点?|笔记|部分|大?板块)?的?(?:内容|主题|话题|东西|知识|笔记|资料)?"
)
_SUM_UP = r"(?:概述|概括|总结|综述|归纳|梳理|盘点|介绍|概览|汇总)(?:一?下)?"
_AREA = rf"{_TOPIC}(?:这一?(?:部分|块|方面|领域)|方面)"
_THEMES_ZH = r"(?:(?:什么|哪些|哪几(?:个|类|种))(?:大的?|主要的?)?(?:方面|主题|话题|领域|板块))"
_SUMMARY = (
    r"(?:概览|概况|概述|总览|综述|总结|全貌|全景|大纲|(?:整体|总体|大致|基本)(?:情况|内容|结构)|主要(?:内容|主题|话题))"
)
_ENDING = r"(?:呢|吗|啊|呀|吧|来着)?"

_CHINESE = (
    rf"{_MY_NOTES}{_ADVERB}{_VERB}{_WHAT}",
    rf"{_MY_NOTES}{_ADVERB}{_ABOUT}(?:的(?:部分|笔记|内容))?[，,]?{_ADVERB}{_VERB}{_WHAT}",
    rf"{_MY_NOTES}{_ADVERB}有{_WHAT}{_ABOUT}的(?:内容|主题|笔记|资料|记录|东西)",
    rf"{_ABOUT}(?:的(?:笔记|内容))?[，,\s]*(?:我|{_MY_NOTES}){_ADVERB}{_VERB}{_WHAT}",
    rf"(?:我的?)?{_ABOUT}的笔记{_ADVERB}{_VERB}{_WHAT}",
    rf"我?{_ADVERB}(?:记|写)(?:录|下)?了?(?:过|了)?{_WHAT}(?:笔记|内容)",
    rf"{_WHOSE}{_TOPIC}{_NOTE_WORD}{_ADVERB}(?:{_VERB}|偏向|偏重){_WHAT}",
    rf"{_AREA}[，,]?(?:的|我的?)?{_MY_NOTES}{_ADVERB}{_VERB}{_WHAT}",
    rf"{_AREA}[，,]?{_ADVERB}{_VERB}{_THEMES_ZH}",
    rf"我(?:这[些几]年|最近|近来|平时)?{_ADVERB}最?(?:关心|关注|感兴趣)的?是?{_THEMES_ZH}",
    rf"把?{_WHOSE}{_TOPIC}?{_NOTE_WORD}的?(?:核心|主要)?(?:思想|内容|主题|要点)?{_SUM_UP}",
    rf"{_SUM_UP}我?(?:对于?|关于)\s*{_TOPIC}\s*的(?:总体|整体|全部|所有)的?(?:看法|想法|思考|观点|认识|理解)",
    rf"把?我(?:对于?|关于)\s*{_TOPIC}\s*的(?:看法|想法|思考|观点|认识|理解)(?:做|来|写)?(?:一?个|一下)?"
    rf"(?:全局|全面|整体|总体|完整)?的?(?:{_SUMMARY}|{_SUM_UP})",
    rf"{_SUM_UP}{_MY_NOTES}(?:的?(?:{_SUMMARY}|内容))?",
    rf"{_SUM_UP}(?:我的?)?{_ABOUT}的(?:所有|全部)?笔记(?:的?(?:{_SUMMARY}|内容))?",
    rf"{_SUM_UP}{_MY_NOTES}{_ABOUT}的(?:内容|部分|笔记)",
    rf"(?:来|做|写|给出|生成)?(?:一?个|一份)?{_MY_NOTES}的?{_SUMMARY}(?:是什么|是怎样的|如何|有哪些)?",
    rf"(?:来|做|写|给出|生成)?(?:一?个|一份)?(?:我的?)?{_ABOUT}的笔记的?{_SUMMARY}(?:是什么|是怎样的|如何|有哪些)?",
)

_PLEASE = (
    r"(?:(?:please|could you|can you|would you|give me|show me|tell me|write|make|provide|i(?:'d| would) like|i want"
    r"|i need|let me see|produce)\s+(?:me\s+)?)*"
)
_MINE = (
    r"(?:all\s+(?:of\s+)?)?(?:my|our|these|the)\s+(?:whole\s+|entire\s+|own\s+)?"
    r"(?:notes?(?:books?)?|note\s+collection|vault|knowledge\s+base|pkm)"
)
_ON = rf"(?:\s+(?:about|on|regarding|concerning|around|related\s+to|that\s+(?:are|deal)\s+(?:about|with))\s+{_TOPIC})"
_MOSTLY = r"(?:\s+(?:mostly|mainly|generally|broadly|roughly|basically|actually|typically|usually))?"
_OVERALL = r"(?:\s+(?:in\s+general|overall|on\s+the\s+whole|mostly|mainly|all\s+together|altogether|so\s+far|broadly))"
_VIEW = (
    r"(?:an?\s+|the\s+)?(?:(?:short|brief|quick|general|high[- ]level|rough|broad|complete|full)\s+)*"
    r"(?:overview|summary|outline|survey|big\s+picture|bird'?s[- ]eye\s+view|synopsis|digest)"
)
_THEMES = r"(?:main\s+|major\s+|big\s+|key\s+|general\s+|central\s+)?(?:topics?|themes?|subjects?|areas?)"

_ENGLISH = (
    rf"{_PLEASE}{_VIEW}\s+(?:of|over|for)\s+{_MINE}{_ON}?{_OVERALL}?",
    rf"{_PLEASE}{_VIEW}\s+of\s+what\s+{_MINE}\s+(?:say|cover|contain|hold){_ON}?{_OVERALL}?",
    rf"{_PLEASE}{_VIEW}\s+(?:of|over|for)\s+(?:all\s+(?:of\s+)?)?my\s+{_TOPIC}\s+notes{_OVERALL}?",
    rf"{_PLEASE}(?:summari[sz]e|sum\s+up|outline|survey)\s+(?:everything\s+in\s+)?{_MINE}{_ON}?{_OVERALL}?",
    rf"{_PLEASE}(?:summari[sz]e|sum\s+up|outline)\s+(?:everything|all)\s+(?:that\s+)?(?:i|we)(?:'ve|\s+have)?"
    rf"\s+(?:wrote|written|noted)(?:\s+down)?{_ON}?",
    rf"what\s+(?:do|does){_MOSTLY}\s+{_MINE}{_MOSTLY}\s+(?:cover|contain|hold|include|deal\s+with){_ON}?{_OVERALL}?",
    rf"what\s+(?:do|does)\s+{_MINE}{_MOSTLY}\s+(?:say|discuss|talk\s+about|tell){_OVERALL}{_ON}?",
    rf"what\s+(?:do|does)\s+{_MINE}{_MOSTLY}\s+(?:talk\s+about|deal\s+with)",
    rf"what(?:\s+are|\s+is|'s){_MOSTLY}\s+(?:in\s+)?{_MINE}{_MOSTLY}(?:\s+about)?{_OVERALL}?",
    rf"(?:what|which)\s+{_THEMES}\s+(?:do|does)\s+{_MINE}{_MOSTLY}\s+(?:cover|contain|hold|include|deal\s+with){_ON}?",
    rf"(?:what|which)\s+{_THEMES}\s+(?:are|is)(?:\s+covered|\s+there)?\s+(?:in|by)\s+{_MINE}{_ON}?",
    rf"what\s+(?:are|is)\s+the\s+{_THEMES}\s+(?:of|in|across)\s+{_MINE}{_ON}?",
    rf"what\s+(?:have|did)\s+(?:i|we)\s+(?:written?|noted?|taken?\s+notes)(?:\s+down)?(?:{_OVERALL}|\s+about{_OVERALL}?|{_ON}{_OVERALL}?)",
)

_BRING_TOGETHER = r"(?:概述|概括|总结|综述|归纳|梳理|盘点|概览|汇总)(?:一?下)?"
_ALL_OF_IT = r"(?:的(?:所有|全部)?(?:内容|情况|笔记|资料|全貌|整体情况|全部))?"
_GROUPS = (
    rf"{_POLITE}(?:把|对)?{_BRING_TOGETHER}(?:关于)?\s*[“\"《]?{_TOPIC}[”\"》]?{_ALL_OF_IT}",
    rf"{_POLITE}(?:把|对)\s*{_TOPIC}{_ALL_OF_IT}(?:做|来|写)?(?:一?个)?{_BRING_TOGETHER}",
    rf"(?:来|做|写|给出|生成)?(?:一?个|一份)?{_TOPIC}的?(?:概览|概况|概述|总览|综述|全貌|全景|(?:整体|总体)情况)",
    rf"{_PLEASE}(?:summari[sz]e|sum\s+up|outline)\s+(?:the\s+)?{_TOPIC}",
    rf"{_PLEASE}{_VIEW}\s+of\s+(?:the\s+)?{_TOPIC}",
)
_HINT = re.compile(
    r"笔记|知识库|资料库|vault|[记写]|主题|话题|领域|方面|板块|总体|整体|全部|所有|note|knowledge|pkm|written|wrote",
    re.IGNORECASE,
)
_ASKS_OVERVIEW = [re.compile(rf"{_POLITE}{form}{_ENDING}") for form in _CHINESE]
_ASKS_GROUP = [re.compile(f"{form}{_ENDING}", re.IGNORECASE) for form in _GROUPS]
_ASKS_OVERVIEW += [re.compile(form, re.IGNORECASE) for form in _ENGLISH]
# What is asked about a topic, if it is more than its name, is a question of its own.
_QUESTION_WORDS = re.compile(
    r"谁|什么|怎么|怎样|如何|为何|为什么|多少|几[个次点天]|哪|何时|是否|吗|"
    r"\b(?:who|whom|whose|what|which|when|where|why|how|whether)\b",
    re.IGNORECASE,
)


def read_overview(question: str) -> str | None:
    """Return the topic that an overview is asked for, "" for the notes as a whole; None for every other question."""
    text = " ".join(question.strip(" \t\n。.？?！!~～").split())
    if len(text) > _LONGEST or not _HINT.search(text):
        return None
    found = (form.fullmatch(text) for form in _ASKS_OVERVIEW)
    for match in filter(None, found):
        topic = (match.groupdict().get("topic") or "").strip(" 的\"'“”《》「」")
        if not _QUESTION_WORDS.search(topic):
            return topic
    return None


def read_group(question: str) -> str:
    """Return what a question wants summed up by its name alone, such as 支付系统; empty for every other question.

    Whether that is the name of one thing or of many notes, only the vault can say.
    """
    text = " ".join(question.strip(" \t\n。.？?！!~～").split())
    if len(text) > _LONGEST:
        return ""
    found = filter(None, (form.fullmatch(text) for form in _ASKS_GROUP))
    topics = (match["topic"].strip(" 的\"'“”《》「」") for match in found)
    return next((topic for topic in topics if topic and not _QUESTION_WORDS.search(topic)), "")


# What a request for an overview holds besides its topic.
_IDLE = re.compile(
    rf"{_SUM_UP}|{_SUMMARY}|{_THEMES_ZH}|{_NOTE_WORD}|{_BRING_TOGETHER}|{_WHAT}"
    r"|所有的?|全部的?|整个|整体|总体|大致|大概|主要|基本上?|一共|到底|究竟|合起来|加起来|从头到尾|这些|那些|关于|有关|方面|情况|内容|记录|文件夹"
    r"|请|麻烦|帮我|给我|看看|看来|看|说说|讲讲|一?下|一遍|[我你咱]们?的?|写过?|记过?|[都的了过着里中把对从在和是有吧呢吗啊]"
    r"|\b(?:please|could|can|you|give|show|tell|me|make|an?|the|of|in|on|from|about|over|across|all|my|our|i|we|have|ve|has|do"
    r"|does|did|is|are|was|what|which|notes?|vault|folder|written?|wrote|overview|summary|summari[sz]e|sum|up|gist|outline"
    r"|everything|themes?|topics?|main|key|overall|so|far|whole|entire|and|that|this|these|keep|keeps|come|coming)\b"
    r"|[\s,，。.？?！!；;：:、'’~～]+",
    re.IGNORECASE,
)


def topic_left(question: str) -> str:
    """Return what is left of a request for an overview without its idle words; empty where that is nothing."""
    return " ".join(filter(None, _IDLE.sub(" ", question[:_LONGEST]).split()))
