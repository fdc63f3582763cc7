import pytest

from graphrag.language.sentences import answer_sentences, coverage, find_sentences
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import TOKENIZER


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
        ("**加粗**的，*斜的*，~~划掉~~，__粗__的字", ["加粗的，斜的，，粗的字"]),
        ("`__init__` 与 my__var__x 与 2 ** 3 ** 4", ["`__init__` 与 my__var__x 与 2 ** 3 ** 4"]),
        ("钥匙在 ~~前台小李那里~~ 保安室。", ["钥匙在 保安室。"]),
        ("~~旧的一条。还是旧的~~现在的一条", ["现在的一条"]),
        ("- [x] ~~已经取消的事~~\n- [ ] ~~周三~~周五开会", ["周五开会"]),
        ("~~旧的一行\n还是旧的~~\n新的一行", ["新的一行"]),
        ("~~old~~new value，**~~旧~~新的** 值", ["new value，新的 值"]),
        ("| 名称 | ~~两次~~ 三次 |\n|---|---|\n| ~~旧名~~ 新名 | 5 次 |", ["名称 · 三次", "新名 · 5 次"]),
        ("`~~代码~~` 与 3~~5 个 与 ~~没有结尾", ["`~~代码~~` 与 3~~5 个 与 ~~没有结尾"]),
        ("~~一段没有结尾\n\n另外一段~~的话", ["~~一段没有结尾", "另外一段~~的话"]),
        ("**能不能换个渠道再付？** 能。带渠道的。", ["能不能换个渠道再付？ 能。", "带渠道的。"]),
        ("**先焯水。再炖汤。**最后放盐", ["先焯水。", "再炖汤。", "最后放盐"]),
        ("==重点是这个。==其余不重要", ["重点是这个。", "其余不重要"]),
        ("***又粗又斜***的，**外面 *里面* 外面**", ["又粗又斜的，外面 里面 外面"]),
        (
            "前半句没有开头** 后半句\n**只有开头的一句\n中文**中间的一处",
            ["前半句没有开头 后半句", "只有开头的一句", "中文中间的一处"],
        ),
        ("2**8 等于 f(**options)，路径 **/*.md", ["2**8 等于 f(**options)，路径 **/*.md"]),
        ("延迟 2 秒以内。[^es]\n\n[^es]: 由订阅写入的。", ["延迟 2 秒以内。", "由订阅写入的。"]),
        ("最坏发 36 次[^1]，见下 [^a-b]。It stops.[^2] Then more", ["最坏发 36 次，见下。", "It stops.", "Then more"]),
        ("状态机：`UPDATE ... WHERE a = '?'; GO`，没改到", ["状态机：`UPDATE ... WHERE a = '?'; GO`，没改到"]),
        ("用 ``a ` b；c`` 这样写。另外一句", ["用 ``a ` b；c`` 这样写。", "另外一句"]),
        (
            "见 [[为什么？怎么办]] 和 [谁？](谁.md) 的 $a; b$ 处",
            ["见 [[为什么？怎么办]] 和 [谁？](谁.md) 的 $a; b$ 处"],
        ),
        ("价格是 $300；另一个 $500；都很贵的", ["价格是 $300；", "另一个 $500；", "都很贵的"]),
        ("语句 `UPDATE t\nSET a = 1` 两行", ["语句 UPDATE t", "SET a = 1 两行"]),
        ("[图片: 架构图]\n[附件: 合同.pdf]\n见 [图片: 架构图] 所示", ["见 [图片: 架构图] 所示"]),
        ("短。\n\n---\n", []),
        ("要不要先焯水？要。用热水冲！好。真的？", ["要不要先焯水？要。", "用热水冲！好。真的？"]),
        ("", []),
    ],
)
def test_passages_fall_into_plain_sentences(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


def test_hostile_marks_take_no_time() -> None:
    hostile = (" >" * 20_000, "*" * 20_000, "`" * 20_000, "[ ] " * 10_000, "_" * 20_000 + "x", "~" * 20_000)
    for text in (*hostile, "[^a] " * 5_000, "~~a " * 1_000, "**a " * 1_000, "`a ``" * 1_000, "$a " * 1_000):
        sentences_of(text)


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    weights = {"重试": 3.0, "三次": 1.0}
    assert coverage("消息会重试", weights, TOKENIZER) == 0.75
    assert coverage("重试三次", weights, TOKENIZER) == 1.0
    assert coverage("别的", weights, TOKENIZER) == 0.0
    assert coverage("重试", {}, TOKENIZER) == 0.0


def test_a_stretch_is_where_the_sentence_stands() -> None:
    text = "**先焯水？** 要的，~~用冷水~~用热水。\n- `a; b` 是代码"
    stretches = [text[sentence.start : sentence.end] for sentence in find_sentences(text)]
    assert stretches == ["先焯水？", "要的，~~用冷水~~用热水。", "- `a; b` 是代码"]


def test_what_is_struck_out_leads_nothing() -> None:
    text = "# ~~旧题~~ 新题\n~~旧的~~条件：\n- 第一项是这样\n\n| ~~旧列~~ 列 |\n|---|\n| 值 |"
    assert [sentence.lead for sentence in find_sentences(text)][1:] == ["新题 条件：", "新题", "新题 | 列 |"]
