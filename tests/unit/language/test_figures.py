import pytest

from graphrag.language.numbers import holds, read_figures, stated_figures


def stated(text: str) -> list[tuple[float, str]]:
    return [(float(figure.value), figure.unit) for figure in stated_figures(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("三百行", "300 行"),
        ("3.5万", "35,000"),
        ("1,000 元", "1000元"),
        ("50%", "百分之五十"),
        ("50％", "50 percent"),
        ("40%", "四成"),
        ("5 秒", "5000 ms"),
        ("5 秒", "5 seconds"),
        ("5000 毫秒", "5s"),
        ("30 分钟", "half an hour is 30 minutes"),
        ("1.5 小时", "90 min"),
        ("1 周", "7 天"),
        ("256 KB", "262144 字节"),
        ("1 GB", "1024MB"),
        ("三到七个工作日", "3–7 working days"),
        ("1.7 万条", "17,000 条"),
        ("两百", "two hundred"),
        ("¥500", "500 元"),
        ("12 个 pod", "12 pods"),
        ("forty-seven minutes", "47 minutes"),
        ("forty\u2011seven minutes", "47 分钟"),
        ("Forty seven minutes", "0:47 是 47 min"),
        ("a hundred users", "100 users"),
        ("retry_count 为 2", "| retry_count | 2 |"),
    ],
)
def test_one_number_in_two_forms_is_the_same(one: str, other: str) -> None:
    text = one.replace("％", "%")
    assert stated(text) and all(holds(read_figures(other), figure) for figure in stated_figures(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3 秒", "3 分钟"),
        ("3 秒", "3 次"),
        ("256 KB", "256 MB"),
        ("50%", "50 元"),
        ("3 天", "3 个工作日"),
        ("3 个月", "3 个"),
        ("5 秒", "15 秒"),
        ("三百", "三千"),
        ("1.5 秒", "15 秒"),
        ("5 美元", "5 元"),
        ("8 秒", "varchar(8)"),
        ("14 天", "decimal(14,2)"),
        ("2 天", "decimal(14,2)"),
        ("4 次", "C4"),
        ("8 seconds", "delivered up to 8 times over 24 hours"),
        ("9 minutes", "9 people"),
    ],
)
def test_another_number_or_unit_is_another(one: str, other: str) -> None:
    assert stated(one) and not any(holds(read_figures(other), figure) for figure in stated_figures(one))


def test_half_is_no_number() -> None:
    assert stated("一半的人，半个小时") == []


def test_a_range_gives_its_unit_to_both_ends() -> None:
    assert stated("1 到 3 天") == [(86_400.0, "second"), (259_200.0, "second")]
    assert stated("1、5、30 秒") == [(1.0, "second"), (5.0, "second"), (30.0, "second")]
    assert stated("3-7 天")[0] == (259_200.0, "second")


@pytest.mark.parametrize(
    "text",
    [
        "C4002 和 ADR-0011，v1.2.3，RSA2",
        "张三一个人统一处理，千万别用，十分重要",
        "sg_pay_2024 的一些字段",
        "第一，第二天",
        "王五、李四",
        "one of them",
    ],
)
def test_what_only_looks_like_a_number_is_not_stated(text: str) -> None:
    assert stated(text) == []


def test_a_source_may_hold_what_stands_inside_an_identifier() -> None:
    assert holds(read_figures("返回 C4002"), stated_figures("错误 4002")[0])


def test_numbers_know_their_place() -> None:
    text = "最多重试三次，间隔 5 分钟。"
    assert [text[figure.start : figure.end].strip() for figure in stated_figures(text)] == ["三次", "5 分钟"]


def test_hostile_digits_take_no_time() -> None:
    for text in ("1," * 20_000, "1." * 20_000, "一" * 20_000, "9" * 5_000, "百分之" * 10_000, "one hundred " * 5_000):
        stated_figures(text)
        read_figures(text)
