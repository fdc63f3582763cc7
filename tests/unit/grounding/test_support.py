from collections.abc import Mapping, Sequence

import pytest

from graphrag.domain.query import Context, FlagReason
from graphrag.grounding.evidence import read_claim
from graphrag.grounding.support import Meaning, Measures, Support, SupportCheck
from graphrag.retrieve.pipeline import build_context
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import TOKENIZER

BLOCKS = (
    "失败的消息最多重试三次，间隔 5 分钟。积压时先扩消费者。",
    "支付模块选择 Saga 方案，因为银行通道做不到 TCC 的三个接口。",
    "李四维护消息队列。他在基础架构组。",
    "The gateway closes idle connections after 30 seconds and logs the reason.",
    "番茄炖牛腩先焯水。再用热水冲洗。冷水会让肉收紧。",
    "读书要做笔记。笔记要常常翻看。",
)


PERSONS = {"李四": ("李四",)}


class FixedMeaning(Meaning):
    """Tells the nearness that a test wrote down, and keeps what it was asked."""

    def __init__(self, nearness: float | None) -> None:
        super().__init__(lambda: None, lambda: None)
        self._nearness = nearness
        self.asked: list[tuple[str, Sequence[str], Sequence[str]]] = []

    def nearness(self, sentence: str, sources: Sequence[str], others: Sequence[str]) -> float | None:
        self.asked.append((sentence, sources, others))
        return self._nearness


def context_of(*texts: str) -> Context:
    return build_context((make_chunk(make_note(f"n{i}.md"), i, text) for i, text in enumerate(texts)), 9999)


def support(
    sentence: str, cited: Sequence[int] = (), near: Sequence[int] = (), meaning: Meaning | None = None
) -> Support:
    measures = Measures(TOKENIZER, persons=lambda: PERSONS, meaning=meaning)
    claim = read_claim(sentence, TOKENIZER, PERSONS)
    return SupportCheck(context_of(*BLOCKS), measures).support(claim, cited, near)


def test_the_cited_block_holds_the_words() -> None:
    found = support("失败的消息最多重试 3 次", [1])
    assert found.keys == (1,) and found.findings == ()
    assert found.grounds == ((1, 0),)


def test_a_clear_block_takes_the_place_of_a_wrong_citation_or_of_none() -> None:
    assert support("失败的消息最多重试三次", [5]).keys == (1,)
    assert support("失败的消息最多重试三次").keys == (1,)


def test_one_that_is_cited_in_the_same_line_need_not_be_as_clear() -> None:
    sentence = "遇到积压，消费者要先加机器"
    assert support(sentence).keys == ()
    assert support(sentence, near=[1]).keys == (1,)


def test_a_block_that_holds_the_other_part_of_a_sentence_is_named_too() -> None:
    sentence = "失败的消息最多重试三次，李四维护消息队列"
    assert support(sentence, [1]).keys == (1, 3)
    assert support(sentence, [3]).keys == (3, 1)


def test_what_the_cited_block_contradicts_is_not_looked_for_elsewhere() -> None:
    blocks = context_of("读超时不重试。", "读超时重试。")
    check = SupportCheck(blocks, Measures(TOKENIZER))
    found = check.support(read_claim("读超时会重试。", TOKENIZER, {}), [1], ())
    assert found.keys == () and [finding.reason for finding in found.findings] == [FlagReason.NEGATION]
    assert check.support(read_claim("读超时会重试。", TOKENIZER, {}), [2], ()).keys == (2,)


def test_nothing_like_it_is_no_support() -> None:
    found = support("火星上的天气十分寒冷", [1])
    assert found.keys == () and [finding.reason for finding in found.findings] == [FlagReason.NO_SUPPORT]


def test_rare_words_weigh_more() -> None:
    def weigh(terms: Sequence[str] | frozenset[str]) -> Mapping[str, float]:
        return {term: 0.1 if term in ("消息", "失败", "重试") else 3.0 for term in terms}

    check = SupportCheck(context_of(*BLOCKS), Measures(TOKENIZER, weigh))
    claim = read_claim("失败消息重试由令牌桶限速", TOKENIZER, {})
    assert check.support(claim, [1], ()).keys == ()
    assert SupportCheck(context_of(*BLOCKS), Measures(TOKENIZER)).support(claim, [1], ()).keys == (1,)


@pytest.mark.parametrize(("nearness", "is_held"), [(0.9, True), (0.1, False), (None, False)])
def test_where_words_differ_meaning_decides(nearness: float | None, is_held: bool) -> None:
    meaning = FixedMeaning(nearness)
    found = support("肉焯过以后得拿烫水过一遍", [5], meaning=meaning)
    assert bool(found.keys) is is_held
    ((sentence, sources, others),) = meaning.asked
    assert sentence == "肉焯过以后得拿烫水过一遍" and "再用热水冲洗。" in sources and "读书要做笔记。" in others


def test_where_words_tell_no_model_is_asked() -> None:
    meaning = FixedMeaning(0.0)
    assert support("失败的消息最多重试三次", [1], meaning=meaning).keys == (1,)
    assert meaning.asked == []


def test_meaning_makes_up_for_no_number() -> None:
    meaning = FixedMeaning(1.0)
    found = support("肉焯过以后得拿烫水过 7 遍", [5], meaning=meaning)
    assert found.keys == () and [finding.detail for finding in found.findings] == ["7 遍"]


def test_a_block_in_another_language_is_held_to_its_details() -> None:
    assert support("网关在空闲 30 秒后关闭连接", [4]).keys == (4,)
    assert support("网关在空闲 60 秒后关闭连接", [4]).keys == ()
    assert support("The payment module uses Saga, since banks cannot do TCC").keys == (2,)


@pytest.mark.parametrize(
    ("sentence", "nearness", "is_held"),
    [
        ("Idle connections are closed", 0.5, True),
        ("Idle connections are closed", 0.3, False),
        ("Idle connections are closed", None, False),
        ("Idle connections are closed after 30 s", 0.3, True),  # the number points at the block
        ("Idle connections are closed after 30 s", 0.0, False),
        ("Idle connections are closed after 30 s", None, True),
    ],
)
def test_in_another_language_what_can_be_compared_makes_up_for_nearness(
    sentence: str, nearness: float | None, is_held: bool
) -> None:
    measures = Measures(TOKENIZER, meaning=FixedMeaning(nearness))
    check = SupportCheck(context_of("网关空闲 30 秒后关闭连接。", *BLOCKS[4:], *BLOCKS[:3]), measures)
    assert bool(check.support(read_claim(sentence, TOKENIZER, {}), [1], ()).keys) is is_held


def test_code_is_held_by_a_block_that_has_most_of_its_words() -> None:
    check = SupportCheck(context_of("运行 `graphrag index --full` 重建索引。"), Measures(TOKENIZER))
    assert check.holds_code("```\ngraphrag index --full\n```") and not check.holds_code("```\nrm -rf /var\n```")
