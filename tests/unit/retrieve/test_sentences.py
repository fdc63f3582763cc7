import pytest

from graphrag.retrieve.sentences import answer_sentences, coverage
from tests.fakes.notes import make_chunk, make_note
from tests.unit.retrieve.readers import TOKENIZER


def sentences_of(text: str) -> list[str]:
    return list(answer_sentences(make_chunk(make_note("n.md"), 0, text)))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("先焯水再炖。用热水冲！为什么呢？", ["先焯水再炖。", "用热水冲！", "为什么呢？"]),
        ("他说：“先焯水再炖。”然后走了。", ["他说：“先焯水再炖。”然后走了。"]),
        ("It retries. Then it stops.", ["It retries.", "Then it stops."]),
        ("see http://a.b/c?d=1;e=2!f 打开", ["see http://a.b/c?d=1;e=2!f 打开"]),
        (
            "- 列表的一项\n* 另外的一项\n1. 第一个步骤\n2）第二个步骤",
            ["列表的一项", "另外的一项", "第一个步骤", "2）第二个步骤"],
        ),
        ("- [ ] 没做完的事\n- [x] 做完了的事", ["没做完的事", "做完了的事"]),
        ("> 引用的一句话\n> - 引用里的一项", ["引用的一句话", "引用里的一项"]),
        ("3.5 秒后超时\n-5 度以下\n2024.03 上线的", ["3.5 秒后超时", "-5 度以下", "2024.03 上线的"]),
        ("## 标题不是句子\n#标签 后面是句子", ["#标签 后面是句子"]),
        ("```python\nretry_count = 3\n```\n~~~\nother = 4\n~~~", ["retry_count = 3", "other = 4"]),
        ("| 名称 | 次数 |\n|---|:-:|\n| 重试 | 3 次 |", ["名称 · 次数", "重试 · 3 次"]),
        ("**加粗**的，*斜的*，~~划掉~~，__粗__的字", ["加粗的，斜的，划掉，粗的字"]),
        ("`__init__` 与 my__var__x 与 2 ** 3 ** 4", ["`__init__` 与 my__var__x 与 2 ** 3 ** 4"]),
        ("[图片: 架构图]\n[附件: 合同.pdf]\n见 [图片: 架构图] 所示", ["见 [图片: 架构图] 所示"]),
        ("短。\n\n---\n", []),
        ("", []),
    ],
)
def test_passages_fall_into_plain_sentences(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


def test_hostile_marks_take_no_time() -> None:
    for text in (" >" * 20_000, "*" * 20_000, "`" * 20_000, "[ ] " * 10_000, "_" * 20_000 + "x"):
        sentences_of(text)


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    weights = {"重试": 3.0, "三次": 1.0}
    assert coverage("消息会重试", weights, TOKENIZER) == 0.75
    assert coverage("重试三次", weights, TOKENIZER) == 1.0
    assert coverage("别的", weights, TOKENIZER) == 0.0
    assert coverage("重试", {}, TOKENIZER) == 0.0
