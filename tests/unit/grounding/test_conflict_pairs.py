"""Pairs of sentences from two notes: those that disagree, those that agree, and those that speak of two things."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.grounding.conflict import Dispute, DisputeFinder
from graphrag.retrieve.pipeline import build_context
from tests.fakes.notes import make_chunk, make_note
from tests.fakes.readers import TOKENIZER


def find(question: str, *texts: str, grounds: tuple[tuple[int, int], ...] = ((1, 0),)) -> tuple[Dispute, ...]:
    """Return what is disputed where each text is a note of its own; nobody is known as a person."""
    notes = [make_note(f"n{place}.md", title=f"甲{place}") for place in range(len(texts))]
    context = build_context((make_chunk(note, 0, text) for note, text in zip(notes, texts, strict=True)), 9999)
    return DisputeFinder(question, context, TOKENIZER, dict).find(grounds)


def shown(dispute: Dispute) -> tuple[str, list[str]]:
    return dispute.subject, [side.value for side in dispute.sides]


DISAGREE = [
    ("雪松服务的端口是多少", "雪松服务的端口是 8080。", "雪松服务的端口是 9090。", "雪松服务的端口", "8080|9090"),
    ("三楼打印机的密码", "三楼打印机的密码是 4417。", "三楼打印机的密码是 9920。", "三楼打印机的密码", "4417|9920"),
    ("What is the Polaris budget?", "The Polaris budget is $300.", "The Polaris budget is $500.", None, "$300|$500"),
    ("芦荟组每月预算多少", "芦荟组每月预算 5 万。", "芦荟组每月预算 8 万元。", "芦荟组每月预算", "5 万|8 万元"),
    ("Which version does Deneb run?", "Deneb runs version 1.2.", "Deneb runs version 2.0.", None, "1.2|2.0"),
    ("灯塔服务运行在哪个版本", "灯塔服务运行在 v1.2。", "灯塔服务运行在 v2.0。", None, "v1.2|v2.0"),
    ("数据库地址是什么", "生产数据库地址是 10.0.0.5。", "生产数据库地址是 10.0.0.7。", None, "10.0.0.5|10.0.0.7"),
    ("松鼠药每天吃几次", "松鼠药每天吃 2 次。", "松鼠药每天吃 3 次。", "松鼠药每天吃", "2 次|3 次"),
    ("杨树会议周几开", "杨树会议在周三下午开。", "杨树会议在周五下午开。", None, "周三|周五"),
    ("杨树会议几点开", "杨树会议的时间是 9:30。", "杨树会议的时间是 10:00。", "杨树会议的时间", "9:30|10:00"),
    (
        "When is the Altair release?",
        "The Altair release is on 5 March 2024.",
        "The Altair release is on 8 March 2024.",
        "The Altair release",
        "5 March 2024|8 March 2024",
    ),
    ("保修到哪天", "三楼打印机的保修到 2025-03-01。", "三楼打印机的保修到 2026-03-01。", "三楼打印机的保修", None),
    (
        "槐树合同签于哪天",
        "槐树合同签于 2024-03-05。",
        "槐树合同签于 2024-03-08。",
        "槐树合同签",
        "2024-03-05|2024-03-08",
    ),
    (
        "企鹅项目何时上线",
        "企鹅项目于三月五日上线。",
        "企鹅项目于 3 月 8 日上线。",
        "企鹅项目上线",
        "三月五日|3 月 8 日",
    ),
    ("企鹅项目多少人", "企鹅项目的人数是三百人。", "企鹅项目的人数是 280 人。", "企鹅项目的人数", "三百人|280 人"),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目的负责人是刘洋。", "红杉项目的负责人", "陈静|刘洋"),
    ("红杉项目的负责人是谁", "红杉项目的负责人：陈静。", "红杉项目的负责人: 刘洋", "红杉项目的负责人", "陈静|刘洋"),
    ("三楼打印机谁管理", "三楼打印机由陈静管理。", "三楼打印机由刘洋管理。", "三楼打印机管理", "陈静|刘洋"),
    ("三楼打印机的管理员是谁", "三楼打印机的管理员是陈静。", "三楼打印机的管理员是刘洋。", None, "陈静|刘洋"),
    ("漫游指南的作者是谁", "漫游指南的作者是陈静。", "漫游指南的作者是 Maria Lopez。", None, ""),  # two scripts: open
    (
        "Who owns the Orion database?",
        "The owner of the Orion database is Maria Lopez.",
        "The owner of the Orion database is John Smith.",
        "The owner of the Orion database",
        "Maria Lopez|John Smith",
    ),
    ("Who leads Bluewhale?", "Bluewhale is led by 何伟.", "Bluewhale is led by 陈静.", None, "何伟|陈静"),
    (
        "Does Canopus accept refunds?",
        "Canopus accepts refunds.",
        "Canopus does not accept refunds.",
        "Canopus accepts refunds",
        None,
    ),
    ("梧桐系统允许匿名访问吗", "梧桐系统禁止匿名访问。", "梧桐系统允许匿名访问。", "梧桐系统允许匿名访问", None),
    ("竹子开关默认打开吗", "竹子开关默认打开。", "竹子开关默认关闭。", "竹子开关", "打开|关闭"),
    (
        "Is the Fomalhaut feature enabled?",
        "The Fomalhaut feature is enabled.",
        "The Fomalhaut feature is disabled.",
        None,
        None,
    ),
    ("荷花塔多高", "荷花塔高 30 米。", "荷花塔高 50 米，荷花塔旁的桥长 30 米。", None, "30 米|50 米"),
    ("失败的消息几天后删除", "失败的消息会在 7 天后删除。", "失败的消息在三天后删除。", None, "7 天|三天"),
    ("柜台退款几天到账", "信用卡退款 7 天到账。", "信用卡退款 3 天到账。", None, "7 天|3 天"),
    (
        "银杏服务的超时",
        "银杏服务的超时是 3 秒，重试 2 次。",
        "银杏服务的超时目前是 5 秒，重试 4 次。",
        "银杏服务的超时",
        "3 秒|5 秒",
    ),
]

AGREE = [
    ("咖啡机的价格", "咖啡机的价格是 3,200 元。", "咖啡机的价格是 3200 元。"),
    ("橡树水库多长", "橡树水库长 5 公里。", "橡树水库长 5000 米。"),
    ("海龟房间的温度", "海龟房间的温度是 25 度。", "海龟房间的温度是 25 ℃。"),
    ("枫树账户余额", "枫树账户余额三千二百元。", "枫树账户余额 3,200 元。"),
    (
        "How long are backups kept?",
        "Backups of Nimbus are kept for 14 days.",
        "Backups of Nimbus are kept for two weeks.",
    ),
    ("企鹅项目何时上线", "企鹅项目于三月五日上线。", "企鹅项目于 2024-03-05 上线。"),
    ("灯塔服务的版本", "灯塔服务的版本是 v1.2。", "灯塔服务的版本是 1.2.3。"),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目的负责人是老陈。"),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目由陈静负责。"),
    ("Who owns Orion?", "The owner of the Orion database is Maria.", "The owner of the Orion database is Maria Lopez."),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目的负责人是陈静和刘洋。"),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目的负责人是支付组。"),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目的负责人是谁？"),
    ("红杉项目的负责人是谁", "红杉项目的负责人是陈静。", "红杉项目的负责人是待定。"),
    ("柳树活动多少人", "柳树活动的参加人数是 280 人。", "柳树活动的参加人数约 300 人。"),
    ("柳树活动多少人", "柳树活动的参加人数是 280 人。", "柳树活动的参加人数不到 300 人。"),
]

OF_TWO_THINGS = [
    ("咖啡机的价格", "咖啡机的价格是 3200 元。", "咖啡机的滤网价格是 45 元。"),
    ("桃树项目有几人", "桃树项目 A 组有 5 人。", "桃树项目 B 组有 8 人。"),
    ("桃树项目有几人", "桃树项目第 1 组有 5 人。", "桃树项目第 2 组有 5 人。"),
    ("李树套餐价格", "李树套餐 2023 年价格是 30 元。", "李树套餐 2024 年价格是 35 元。"),
    ("李树套餐价格", "李树套餐 2023 年价格是 30 元。", "李树套餐 2024 年价格是 30 元。"),
    ("樱花路线的票价", "樱花路线的押金是 100 元。", "樱花路线的罚款是 500 元。"),
    ("荷花塔多高", "荷花塔高 30 米。", "荷花塔旁的桥长 50 米。"),
    ("梨树服务器的内存", "梨树服务器的内存是 16 GB。", "梨树服务器的硬盘是 500 GB。"),
    ("漫游指南讲什么", "漫游指南第 3 章讲支付。", "漫游指南第 5 章讲支付。"),
    ("办公楼哪里有打印机", "办公楼三层有彩色打印机。", "办公楼五层有彩色打印机。"),
    ("Redis 支持 ACL 吗", "Redis 6.0 支持 ACL 命令。", "Redis 7.0 支持 ACL 命令。"),
    ("套餐含早餐吗", "30 天套餐包含早餐服务。", "60 天套餐包含早餐服务。"),
    ("券能叠加吗", "商城 50 元的优惠券可以叠加使用。", "商城 80 元的优惠券可以叠加使用。"),
    ("Does the plan include email?", "The 30 GB plan includes email.", "The 50 GB plan includes email."),
    ("Does the trial include email?", "Our 5-day trial includes email.", "Our 7-day trial includes email."),
    ("跑了多少公里", "李四早上跑了 5 公里。", "李四早上跑了 8 公里。"),
    ("我跑步多少公里", "我早上跑步 5 公里。", "我早上跑步 8 公里。"),
    ("评审会讨论了什么", "评审会 3 月 5 日讨论了支付超时。", "评审会 3 月 12 日讨论了支付超时。"),
    ("支付超时什么时候评审", "2024-03-05 支付超时评审通过。", "2024-03-12 支付超时评审通过。"),
    ("端口是多少", "它的服务端口是 8080。", "它的服务端口是 9090。"),
    ("端口是多少", "该服务的监听端口是 8080。", "该服务的监听端口是 9090。"),
    ("项目负责人是谁", "项目负责人是陈静。", "项目负责人是刘洋。"),
    ("谁借给谁", "陈静每月借给刘洋 500 元。", "刘洋每月借给陈静 800 元。"),
    ("商店允许退款吗", "线上商店允许退款。", "线下商店禁止退款。"),
    ("五层打印机", "办公楼三层打印机支持双面。", "办公楼五层打印机不支持双面。"),
    ("开关打开吗", "竹子开关默认打开。", "松树开关默认关闭。"),
    ("重试几次", "订单模块最多重试 3 次。", "订单模块至少重试 1 次。"),
    ("白桦项目由谁负责", "白桦项目的测试由陈静负责。", "白桦项目的上线由刘洋负责。"),
    ("阀门", "检修之后把主管阀门打开。", "检修之后把主管阀门关闭。"),
    ("改完多久生效", "改完 60 秒内生效。", "改完 10 秒内生效。"),
    ("宽多少", "展示柜宽 3 米高 5 米。", "展示柜高 6 米宽 3 米。"),
]


@pytest.mark.parametrize(("question", "one", "other", "subject", "values"), DISAGREE)
def test_sentences_that_differ_in_one_value_disagree_whichever_the_answer_rests_on(
    question: str, one: str, other: str, subject: str | None, values: str | None
) -> None:
    found = [shown(dispute) for dispute in find(question, one, other)]
    backwards = [shown(dispute) for dispute in find(question, other, one)]
    if values == "":
        assert found == backwards == []
        return
    assert len(found) == len(backwards) == 1
    assert subject is None or found[0][0] == backwards[0][0] == subject
    assert found[0][1] == backwards[0][1][::-1]
    assert values is None or found[0][1] == values.split("|")


@pytest.mark.parametrize(("question", "one", "other"), AGREE + OF_TWO_THINGS)
def test_sentences_that_agree_or_speak_of_two_things_do_not(question: str, one: str, other: str) -> None:
    assert find(question, one, other) == find(question, other, one) == ()
    assert find(f"{one}{other}", one, other) == ()


@pytest.mark.parametrize("text", [text for _, *pair, _, _ in DISAGREE for text in pair])
def test_nothing_disagrees_with_the_same_said_again(text: str) -> None:
    assert find(text, text, text) == ()


@pytest.mark.parametrize(("question", "one", "other", "subject", "values"), DISAGREE)
@pytest.mark.parametrize("word", ["北区", "North "])
def test_a_word_of_its_own_on_one_side_makes_it_another_thing(
    question: str, one: str, other: str, subject: str | None, values: str | None, word: str
) -> None:
    assert find(question, f"{word}{one}", other) == ()


SUBJECTS = st.sampled_from(["雪松服务端口", "银杏系统超时", "咖啡机价格", "红杉项目预算", "杨树会议人数", "荷花塔高度"])
AMOUNTS = st.integers(2, 999)
UNITS = st.sampled_from(["秒", "元", "米", "人", "GB", "%"])


@settings(deadline=None, max_examples=80)
@given(SUBJECTS, SUBJECTS, AMOUNTS, AMOUNTS, UNITS, UNITS)
def test_a_dispute_is_the_same_subject_and_unit_with_another_value(
    subject: str, other: str, value: int, second: int, unit: str, other_unit: str
) -> None:
    found = find(f"{subject}是多少", f"{subject}是 {value} {unit}。", f"{other}是 {second} {other_unit}。")
    assert bool(found) == (subject == other and unit == other_unit and value != second)


def test_one_dispute_is_told_once_though_the_answer_has_both_sides() -> None:
    texts = ("咖啡机的价格是 3,200 元。", "咖啡机的价格是 3200 元。", "咖啡机的价格是 4500 元。")
    grounds = ((1, 0), (2, 0), (3, 0))
    (dispute,) = find("咖啡机的价格是多少", *texts, grounds=grounds)
    assert [side.value for side in dispute.sides] == ["3,200 元", "4500 元"]


OLDER = "三楼打印机支持双面打印。三楼打印机的密码是 4417。三楼打印机由陈静管理。"
NEWER = "三楼打印机不支持双面打印。三楼打印机的密码是 9920。三楼打印机由刘洋管理。"


def test_what_is_asked_comes_first_and_what_the_answer_gives_one_side_of_is_left_out() -> None:
    double, password, manager = 0, OLDER.index("三楼", 1), OLDER.rindex("三楼")
    all_of_one = ((1, double), (1, password), (1, manager))
    assert [shown(dispute)[0] for dispute in find("三楼打印机的密码", OLDER, NEWER, grounds=all_of_one)] == [
        "三楼打印机的密码"
    ]
    both_doubles = (*all_of_one, (2, double))
    assert [shown(dispute)[0] for dispute in find("三楼打印机谁管理", OLDER, NEWER, grounds=both_doubles)] == [
        "三楼打印机管理",
        "三楼打印机支持双面打印",
    ]
    assert len(find("三楼打印机", OLDER, NEWER, grounds=all_of_one)) == 3


def test_a_short_sentence_may_leave_its_subject_to_what_it_stands_under() -> None:
    def found(title: str, heading: str, text: str) -> int:
        first = make_chunk(make_note("a.md", title="登记"), 0, "雪松服务的监听端口是 8080。")
        second = replace(make_chunk(make_note("b.md", title=title), 0, text), heading=(title, heading))
        return len(
            DisputeFinder("雪松服务的端口", build_context([first, second], 9999), TOKENIZER, dict).find([(1, 0)])
        )

    assert found("清单", "雪松服务", "监听端口是 9090。") == 1
    assert found("清单", "松树服务", "监听端口是 9090。") == 0
    assert found("清单", "服务", "## 雪松服务\n\n监听端口是 9090。") == 1
    assert found("雪松服务", "备用", "监听端口是 9090。") == 0
