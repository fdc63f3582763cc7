"""Why a passage is not among the results, in the language of the question."""

from dataclasses import dataclass, field
from typing import Final

from graphrag.domain.query import GoneReason


@dataclass(frozen=True, slots=True)
class LossWords:
    """One language's sentences."""

    per_note: str  # {count}
    top_k: str  # {count}
    twin: str  # {note}
    floor: str  # {similarity}, {floor}
    result: str  # {rank}
    no_text: str
    filtered: str
    terms: str  # {terms}
    no_terms: str
    nearest: str  # {similarity}
    not_embedded: str
    joint: str
    gone: dict[str, str] = field(default_factory=dict)  # by what the vault says of a passage; else that stays

    def why_gone(self, reason: str) -> str:
        """Return why the vault no longer holds a passage."""
        return self.gone.get(reason, reason)


_ENGLISH: Final = LossWords(
    per_note="{count} better chunks of its note",
    top_k="{count} results are better",
    twin="says what {note} says",
    floor="no term of the question, and similarity {similarity} is below {floor}",
    result="it is result {rank}",
    no_text="it has no text that is indexed",
    filtered="the filters leave it out",
    terms="of the question's terms its best chunk holds {terms}, which others hold more of",
    no_terms="none",
    nearest="its similarity is {similarity}",
    not_embedded="it is not embedded yet",
    joint="; ",
)
_CHINESE: Final = LossWords(
    per_note="所在笔记已有 {count} 段更好的",
    top_k="有 {count} 条结果更好",
    twin="与 {note} 说的相同",
    floor="不含问题的词语，相似度 {similarity} 低于 {floor}",
    result="是第 {rank} 条结果",
    no_text="没有编入索引的文字",
    filtered="被筛选条件排除",
    terms="它最好的一段含有问题的词语：{terms}，别的段落含得更多",
    no_terms="无",
    nearest="相似度 {similarity}",
    not_embedded="尚未嵌入",
    joint="；",
    gone={
        GoneReason.NOTE: "所在笔记已不在库中，或现在被排除",
        GoneReason.PRIVATE: "所在笔记现在是私密的",
        GoneReason.CHANGED: "所在笔记已不再这样写",
    },
)


def loss_words(in_chinese: bool) -> LossWords:
    """Return the words of a language."""
    return _CHINESE if in_chinese else _ENGLISH
