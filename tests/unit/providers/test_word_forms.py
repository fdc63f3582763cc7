"""Spellings of one word share a term, and a word's neighbours tell where it alone does not."""

import time

import pytest

from graphrag.domain.query import WordKind
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.providers.word_forms import canonical

TOKENIZER = JiebaTokenizer()


def finds(question: str, passage: str) -> bool:
    """Whether a passage holds every term of a question."""
    return set(TOKENIZER.tokenize_query(question)) <= set(TOKENIZER.tokenize(passage))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12,800", "12800"),
        ("$1,234,567.89", "1234567.89"),
        ("租金12，800元", "租金12800元"),
        ("v1.10.2", "1.10.2"),
        ("e-mail", "email"),
        ("Wi-Fi", "wifi"),
        ("sign-off", "signoff"),
        ("GPT-4o", "gpt4o"),
        ("utf-8", "UTF8"),
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("Müller", "muller"),
        ("Việt", "viet"),
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("København", "kobenhavn"),
        ("İstanbul", "istanbul"),
        ("ΕΛΛΆΔΑ", "ελλαδα"),
        ("λόγος", "ΛΟΓΟΣ"),
        ("on-call", "oncall"),
        ("on–call", "on-call"),
        ("on\u2011call", "oncall"),
        ("R & D", "R&D"),
    ],
)
def test_spellings_share_a_term(one: str, other: str) -> None:
    telling = set(TOKENIZER.tokenize_query(other))
    assert telling & set(TOKENIZER.tokenize(one))
    assert set(TOKENIZER.tokenize_query(one)) & set(TOKENIZER.tokenize(other))
    assert finds(one, one) and finds(other, other)


@pytest.mark.parametrize(
    "text", ["1,2,3", "12,80", "2024-01-05", "10.0.0.1", "virus", "vue3", "й", "が", "c++", "c#", "a,b"]
)
def test_other_words_stay_as_they_are(text: str) -> None:
    assert canonical(text) == text


def test_a_pinned_version_is_found_by_its_number() -> None:
    assert finds("1.10.2", "pin pkg@v1.10.2 now")


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("8号楼的门禁卡", "8号楼的门禁卡是红色的", "3号楼的门禁卡是蓝色的，第8天"),
        ("8 号楼", "8号楼", "3号楼 8"),
        ("第7章讲什么", "第 7 章讲回溯", "第3章讲什么，7 天"),
        ("C组的组长", "C组的组长是李四", "A组的组长，见 c"),
        ("How often does line 6 run?", "How often: Line 6 does run.", "Line 4 runs often, run 6"),
        ("who is in Team B", "Team B is in", "team c, plan b"),
    ],
)
def test_a_lone_digit_or_letter_counts_with_its_neighbour(question: str, right: str, wrong: str) -> None:
    assert finds(question, right)
    assert not finds(question, wrong)


def test_what_is_joined_is_no_name_that_a_passage_may_lack() -> None:
    senses = {sense.term: sense.kind for sense in TOKENIZER.look_up(["line", "line6"], "How often does line 6 run?")}
    assert senses["line6"] is WordKind.UNKNOWN and senses["line"] is not WordKind.UNKNOWN


@pytest.mark.parametrize("text", ["have a look", "it is a", "3个人", "version 1.2.3", "2024"])
def test_articles_classifiers_of_anything_and_long_numbers_join_nothing(text: str) -> None:
    joined = [term for term in TOKENIZER.tokenize(text) if term.replace(" ", "") not in text.split()]
    assert not [term for term in joined if any(c.isdigit() for c in term) and any(c.isalpha() for c in term)]


@pytest.mark.parametrize("name", ["R&D", "AT&T", "P&L", "Q&A"])
def test_names_with_an_ampersand_are_one_term(name: str) -> None:
    assert name.lower() in TOKENIZER.tokenize(f"The {name} team, {name}.")
    assert name.lower() in TOKENIZER.tokenize_query(f"{name} 部门的预算")
    assert not finds(f"{name} 部门", "T 部门 D R at L p q a")


@pytest.mark.parametrize("name", ["IT", "US", "WHO", "IF"])
def test_stop_words_in_capitals_are_names(name: str) -> None:
    assert name in TOKENIZER.tokenize_query(f"{name} 部门的预算")
    assert name in TOKENIZER.tokenize_query(f"budget of {name}")
    assert finds(f"{name} 的预算", f"The {name} 预算")
    assert not finds(f"{name} 的预算", f"预算 {name.lower()}")
    assert name.lower() in TOKENIZER.tokenize(f"about {name}")


def test_capitals_of_a_shouted_text_and_of_connectives_tell_nothing() -> None:
    assert TOKENIZER.tokenize_query("WHAT IS THE PLAN") == ["plan"]
    assert TOKENIZER.tokenize_query("redis AND kafka") == ["redis", "kafka"]


@pytest.mark.parametrize("passage", ["微服务的链路追\n踪要做", "> 微服务的链路追\n> 踪", "- 做链路追\n  踪要"])
def test_a_word_is_found_across_a_line_end(passage: str) -> None:
    assert finds("链路追踪", passage)


@pytest.mark.parametrize(
    "passage", ["链路追\n\n踪", "链路追\n- 踪", "# 链路追\n踪", "| 链路追\n踪 |", "链路追。\n踪", "|链路追\n踪"]
)
def test_blank_lines_items_headings_and_rows_end_a_word(passage: str) -> None:
    assert "追踪" not in TOKENIZER.tokenize(passage)


@pytest.mark.parametrize("unit", ["甲\n", "8 ", "12,800,", "a & ", "e-", "v1.", "a8号 ", "|甲\n乙"])
def test_time_is_linear_in_the_text(unit: str) -> None:
    TOKENIZER.tokenize("预热")
    start = time.process_time()
    TOKENIZER.tokenize(unit * 20_000)
    assert time.process_time() - start < 10
