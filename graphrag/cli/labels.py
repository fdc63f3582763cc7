"""The words around an answer, in the language of the question: Chinese when it holds a Chinese character."""

import re
from dataclasses import dataclass

from graphrag.domain.query import AnswerStatus, Route, Stage
from graphrag.grounding.check_words import CHECKS_EN, CHECKS_ZH, CheckWords

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")


@dataclass(frozen=True, slots=True)
class Labels:
    """One language's words."""

    refusals: dict[AnswerStatus, str]
    working: str
    nearest: str
    extractive: str
    written_by: str  # {model}
    snapshot: str  # {name}
    worktree: str
    embedded: str  # {percent}
    behind: str  # {commits}, {notes}
    behind_notes: str  # {notes}
    uncommitted: str  # {notes}
    checks: CheckWords
    no_results: str
    below_floor: str  # {count}
    results: str  # {count}
    routes: dict[Route, str]  # of the searches; one that is missing is shown as it is called
    words: str
    meaning: str
    sparse: str
    graph: str
    rerank: str
    dropped: str  # {count}
    stages: dict[Stage, str]
    evidence: str  # {coverage}
    confidence: str  # {confidence}
    similarity: str  # {similarity}
    relations: dict[str, str]
    inferred: str
    mentions: str
    shared_tags: str
    holders: str
    shared_terms: str
    similar: str
    also_asked: str  # {questions}
    from_graph: str


ENGLISH = Labels(
    refusals={
        AnswerStatus.NO_HIT: "Nothing in my notes matches this question.",
        AnswerStatus.LOW_RELEVANCE: "My notes hold nothing close enough to this question.",
        AnswerStatus.NOT_IN_NOTES: "The answer is not in my notes.",
    },
    working="reading the notes …",
    nearest="The nearest passages:",
    extractive="the notes' own sentences, no model",
    written_by="written by {model}",
    snapshot="snapshot {name}",
    worktree="worktree",
    embedded="{percent} % embedded so far",
    behind="behind the vault, commits: {commits}, notes: {notes} (--fresh takes them in)",
    behind_notes="behind the vault, notes: {notes} (--fresh takes them in)",
    uncommitted="notes changed and not committed: {notes}",
    checks=CHECKS_EN,
    no_results="Nothing found.",
    below_floor="Nothing close enough; passages dropped: {count} (--explain shows them).",
    results="results: {count}",
    routes={},
    words="words",
    meaning="meaning",
    sparse="token weights",
    graph="links",
    rerank="reranked",
    dropped="Dropped: {count}",
    stages={
        Stage.CANDIDATES: "in neither list",
        Stage.GONE: "no longer in the vault",
        Stage.PER_NOTE_CAP: "its note already gave its share",
        Stage.NEAR_DUPLICATE: "says what a better one says",
        Stage.RELEVANCE_FLOOR: "too far from the question",
        Stage.TOP_K: "below the last result",
    },
    evidence="evidence: {coverage} % of the words in one passage",
    confidence="confidence that the notes hold the answer {confidence}",
    similarity="similarity {similarity}",
    relations={
        **{"wiki": "link", "markdown": "link", "embed": "embed", "tag": "tag", "property": "property"},
        **{"mention": "mention", "term": "shared term"},
    },
    inferred="inferred",
    mentions="mentions without a link",
    shared_tags="shared tags",
    holders="notes that hold it",
    shared_terms="shared terms",
    similar="similar",
    also_asked="also searched for: {questions}",
    from_graph="read from the relations in the notes, no model",
)

CHINESE = Labels(
    refusals={
        AnswerStatus.NO_HIT: "我笔记里没有相关内容。",
        AnswerStatus.LOW_RELEVANCE: "我笔记里没有与这个问题足够相关的内容。",
        AnswerStatus.NOT_IN_NOTES: "我笔记里没有这个问题的答案。",
    },
    working="正在查阅笔记……",
    nearest="最接近的内容：",
    extractive="笔记原句，未经模型改写",
    written_by="由 {model} 撰写",
    snapshot="快照 {name}",
    worktree="工作区",
    embedded="已嵌入 {percent} %",
    behind="落后 {commits} 次提交、{notes} 篇笔记（--fresh 可先更新）",
    behind_notes="落后 {notes} 篇笔记（--fresh 可先更新）",
    uncommitted="{notes} 篇笔记有未提交的修改",
    checks=CHECKS_ZH,
    no_results="没有找到。",
    below_floor="没有足够相关的内容：{count} 段被舍弃（--explain 可查看）。",
    results="{count} 条结果",
    routes={Route.HYBRID: "综合检索", Route.LOOKUP: "按名称查找", Route.MULTI_HOP: "多步检索"},
    words="词语",
    meaning="语义",
    sparse="词元权重",
    graph="链接",
    rerank="重排",
    dropped="舍弃 {count} 段",
    stages={
        Stage.CANDIDATES: "两个列表里都没有",
        Stage.GONE: "笔记里已经没有",
        Stage.PER_NOTE_CAP: "所在笔记的名额已满",
        Stage.NEAR_DUPLICATE: "与更好的一段重复",
        Stage.RELEVANCE_FLOOR: "与问题相距太远",
        Stage.TOP_K: "排在最后一条结果之后",
    },
    evidence="依据：单段覆盖 {coverage} % 的词语",
    confidence="笔记里有答案的把握 {confidence}",
    similarity="相似度 {similarity}",
    relations={
        **{"wiki": "链接", "markdown": "链接", "embed": "嵌入", "tag": "标签", "property": "属性"},
        **{"mention": "提及", "term": "共有术语"},
    },
    inferred="推出的关系",
    mentions="提及（无链接）",
    shared_tags="共有标签",
    holders="出现在这些笔记里",
    shared_terms="共有术语",
    similar="内容相近",
    also_asked="另外检索：{questions}",
    from_graph="读自笔记里的关系，未经模型",
)


def labels_for(text: str) -> Labels:
    """Return the labels of the language that a text is written in."""
    return CHINESE if _CJK.search(text) else ENGLISH
