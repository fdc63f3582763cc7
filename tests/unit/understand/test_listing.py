import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import Route
from graphrag.understand.listing import Listed, Listing, read_listing
from tests.fakes.plans import choose_route

TODAY = date(2024, 3, 14)


@pytest.mark.parametrize(
    ("question", "listing"),
    [
        ("标签是 支付 的笔记有哪些", Listing(tags=("支付",))),
        ("列出标签为「macOS 软件」的笔记", Listing(tags=("macOS 软件",))),
        ("带“数据库”标签的有几篇", Listing(tags=("数据库",), is_count=True)),
        ("打了 复盘 标签的文章", Listing(tags=("复盘",))),
        ("列出 #支付/核心 的笔记", Listing(tags=("支付/核心",))),
        ("list all notes tagged with saga", Listing(tags=("saga",))),
        ('which notes are tagged "on call"?', Listing(tags=("on call",))),
        ("没有标签的笔记有哪些", Listing(is_untagged=True)),
        ("show me untagged notes", Listing(is_untagged=True)),
        ("支付系统文件夹里有几篇笔记", Listing(folders=("支付系统",), is_count=True)),
        ("分类是 架构/决策 的笔记", Listing(folders=("架构/决策",))),
        ("How many notes are in the english folder?", Listing(folders=("english",), is_count=True)),
        ("上周新建了哪些笔记", Listing(since=date(2024, 3, 4), until=date(2024, 3, 10), by_creation=True)),
        ("今天改了几篇", Listing(since=TODAY, until=TODAY, is_count=True)),
        ("2022 年 8 月写了哪些笔记", Listing(since=date(2022, 8, 1), until=date(2022, 8, 31), by_creation=True)),
        ("notes created after 2023-03-01", Listing(since=date(2023, 3, 2), by_creation=True)),
        ("最近修改的五篇笔记", Listing(is_ordered=True, limit=5)),
        ("最早的 3 篇笔记", Listing(is_ordered=True, is_oldest_first=True, limit=3)),
        ("show me the last 5 notes", Listing(is_ordered=True, limit=5)),
        ("按创建时间列出 english 目录的笔记", Listing(folders=("english",), by_creation=True, is_ordered=True)),
        ("我一共有多少篇笔记", Listing(is_count=True)),
        ("一共有多少笔记", Listing(is_count=True)),
        ("笔记里有几篇", Listing(is_count=True)),
        ("笔记一共有多少？", Listing(is_count=True)),
        ("笔记总数是多少", Listing(is_count=True)),
        ("有多少文章", Listing(is_count=True)),
        ("标签是支付的有多少笔记", Listing(tags=("支付",), is_count=True)),
        ("what is the number of my notes", Listing(is_count=True)),
        ("today's notes", Listing(since=TODAY, until=TODAY)),
        ("show me last week's notes", Listing(since=date(2024, 3, 4), until=date(2024, 3, 10))),
        ("标签是支付但不是会议的笔记", Listing(tags=("支付但不是会议",))),
        ("带支付标签但没有会议标签的笔记", Listing(tags=("支付",), without_tags=("会议",))),
        ("有支付标签、没有复盘标签的笔记", Listing(tags=("支付",), without_tags=("复盘",))),
        ("标签不是会议的笔记有哪些", Listing(without_tags=("会议",))),
        ("既有支付又有会议标签的笔记有哪些", Listing(tags=("支付又有会议",))),
        ("有没有支付标签的笔记", Listing(tags=("支付",))),
        ("notes tagged 支付 and not 会议", Listing(tags=("支付 and not 会议",))),
        ('notes tagged "on call" or release', Listing(tags=('"on call" or release',))),
        ("notes with tag 支付 but without tag 会议", Listing(tags=("支付",), without_tags=("会议",))),
        ("which notes are not tagged saga", Listing(without_tags=("saga",))),
        ("notes with both the 支付 and 会议 tags", Listing(tags=("支付 and 会议",))),
        ("有哪些标签", Listing(listed=Listed.TAGS)),
        ("笔记里都有什么标签？", Listing(listed=Listed.TAGS)),
        ("列出所有标签", Listing(listed=Listed.TAGS)),
        ("一共有多少个标签", Listing(listed=Listed.TAGS)),
        ("哪些标签用得最多", Listing(listed=Listed.TAGS)),
        ("what tags are there?", Listing(listed=Listed.TAGS)),
        ("how many tags do I have", Listing(listed=Listed.TAGS)),
        ("list all categories", Listing(listed=Listed.CATEGORIES)),
        ("有哪些分类", Listing(listed=Listed.CATEGORIES)),
        ("列出所有文件夹", Listing(listed=Listed.FOLDERS)),
        ("支付系统文件夹里有哪些标签", Listing(folders=("支付系统",), listed=Listed.TAGS)),
        ("标签是支付的笔记，第 21 到 40 篇", Listing(tags=("支付",), first=21, last=40)),
        ("前 30 篇标签是支付的笔记", Listing(tags=("支付",), first=1, last=30)),
        ("list all notes, 41 to 60", Listing(first=41, last=60)),
        ("标签是支付的笔记里最新的是哪一篇", Listing(tags=("支付",), is_ordered=True, limit=1)),
    ],
)
def test_a_question_for_a_list_is_read_piece_by_piece(question: str, listing: Listing) -> None:
    assert read_listing(question, TODAY) == listing
    assert choose_route(question, frozenset()) is Route.LIST


@pytest.mark.parametrize(
    "question",
    [
        "支付模块有哪些依赖",
        "支付模块有多少笔记提到",
        "日志保留多少记录",
        "李四写了多少文档",
        "Alice's notes",
        "today's plan",
        "张三负责哪些模块",
        "有哪些消息队列",
        "上周的会议说了什么",
        "标签和分类有什么区别",
        "最近的一次故障是什么原因",
        "今天星期几",
        "列出支付模块的接口",
        "数据库文件夹损坏怎么办",
        "how many retries are there by default",
        "which notes link to Saga",
        "锁有哪些分类",
        "HTML 有哪些标签",
        "什么是标签",
        "标签怎么用",
        "标签的好处有哪些",
        "what is a tag",
        "哪些标签页要关掉",
        "which categories of errors does the gateway return",
        "第 3 到 5 步做什么",
        "2024-01 到 2024-03 做了什么",
        "my notes",
        "笔记",
        "",
    ],
)
def test_one_word_more_and_it_is_left_to_the_search(question: str) -> None:
    assert read_listing(question, TODAY) is None


@given(
    st.text(
        alphabet="标签是的笔记有哪些几篇 #文件夹里最近修改按时间列出上周 notes tagged in folder 0123ab“”", max_size=60
    )
)
def test_any_text_is_read(text: str) -> None:
    listing = read_listing(text, TODAY)
    assert listing is None or all(name.strip() for name in (*listing.tags, *listing.folders))


@pytest.mark.parametrize(
    "text",
    [
        "标签是" + "和 " * 58,
        "带" + "但不是 " * 25 + "x",
        "notes tagged " + "a and " * 17,
        "有" * 118,
        "没有" * 58 + "x",
    ],
)
def test_no_question_makes_a_pattern_go_back_and_forth(text: str) -> None:
    started = time.perf_counter()
    read_listing(text, TODAY)
    assert time.perf_counter() - started < 2.0
