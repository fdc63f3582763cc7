"""What is asked of a subject, where the question says it in so many words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.retrieve.confidence import asked_attribute


@pytest.mark.parametrize(
    ("question", "attribute"),
    [
        ("根据判决书，被告人费某的学历是什么？", "学历"),
        ("他的出生日期是哪一天", "出生日期"),
        ("李四的手机号是多少？", "手机号"),
        ("订单和库存两组的负责人分别是谁？", "负责人"),
        ("網關的超時時間是多少", "超時時間"),
        ("被告人的最喜欢的颜色是什么？", "颜色"),
        ("其营业时间为几点到几点", "营业时间"),
        ("支付网关的 API key 在哪里", "API key"),
        ("AWS 的经验又是什么？", "经验"),
    ],
)
def test_what_is_asked_of_a_subject(question: str, attribute: str) -> None:
    assert asked_attribute(question) == attribute


@pytest.mark.parametrize(
    "question",
    [
        "怎么避免重复扣款？",
        "支付超时应该怎么处理",
        "他是做什么工作的？",
        "谁负责网关",
        "用的是哪个版本",
        "其中有几个已经上线",
        "他们是谁",
        "按余数分配的老办法为什么会找错地方",
        "What is the salary range for a senior engineer?",
        "How do I rotate the certificates?",
        "Kafka consumer rebalance",
        "",
    ],
)
def test_a_question_that_names_no_attribute(question: str) -> None:
    assert asked_attribute(question) == ""


@given(st.text(alphabet="的是什么多少谁 ，？abc的's what is of 学历", max_size=60))
def test_an_attribute_stands_in_its_question(question: str) -> None:
    assert asked_attribute(question) in question
