import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.providers.jieba_dictionary import jieba_dictionary
from graphrag.providers.jieba_tokenizer import JiebaTokenizer, simplify

TOKENIZER = JiebaTokenizer()

PASSAGE = (
    "分布式事务用补偿来保证最终一致，研究生命起源的人不关心。结婚的和尚未结婚的都要登记。接口幂等于客户端重试时尤其重要，"
    "消息队列削峰填谷，熔断和限流保护下游。从容错机制说起，发展中国家的数据库中间件也要扩容。"
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("sg_pay_2024", {"sg_pay_2024", "sg", "pay", "2024"}),
        ("processTransaction", {"processtransaction", "process", "transaction"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("retry_count", {"retry_count", "retry", "count"}),
        ("__init__", {"init"}),
        ("C++", {"c++"}),
        ("C++11", {"c++11"}),
        ("C#", {"c#"}),
        ("B+树", {"b+树"}),
        ("B+树索引", {"b+树", "索引"}),
        ("node.js", {"node.js", "node", "js"}),
        (".NET", {".net", "net"}),
        ("v1.2.3", {"v1.2.3"}),
        ("GMP调度", {"gmp", "调度"}),
        ("ＧＭＰ调度，Ｃ＋＋", {"gmp", "调度", "c++"}),
        ("用C++写的", {"c++"}),
        ("TCC/Saga", {"tcc/saga", "tcc", "saga"}),
        ("K8s", {"k8s"}),
        ("https://example.org/a", {"example.org/a", "example", "org"}),
    ],
)
def test_identifiers(text: str, terms: set[str]) -> None:
    assert terms <= set(TOKENIZER.tokenize(text))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("λ表达式", {"λ", "表达式"}),
        ("爱の味道", {"爱", "味道"}),
        ("한국어문서", {"한국어문서"}),
        ("β测试", {"β", "测试"}),
        ("naïve café", {"naïve", "café"}),
        ("ÉCOLE", {"école"}),
        ("二〇二四年", {"二〇"}),
        ("Москва", {"москва"}),
    ],
)
def test_other_scripts_swallow_nothing(text: str, terms: set[str]) -> None:
    assert terms <= set(TOKENIZER.tokenize(text))


def test_every_two_character_word_of_the_dictionary_is_found() -> None:
    held = set(TOKENIZER.tokenize(PASSAGE))
    pairs = [PASSAGE[start : start + 2] for start in range(len(PASSAGE) - 1)]
    words = [pair for pair in pairs if jieba_dictionary().count(pair)]
    assert {"事务", "补偿", "一致", "生命", "容错", "从容", "和尚"} <= set(words)  # the last two across words
    assert [word for word in words if not held & set(TOKENIZER.tokenize_query(word))] == []


@pytest.mark.parametrize("word", ["幂等", "熔断", "限流", "扩容", "削峰"])
def test_words_that_the_dictionary_may_lack_are_found(word: str) -> None:
    assert set(TOKENIZER.tokenize(PASSAGE)) & set(TOKENIZER.tokenize_query(word))


@pytest.mark.parametrize("text", [PASSAGE, "GMP调度 processTransaction v1.2.3 λ表达式 C++11", "张三的B+树", "锁"])
def test_a_passage_holds_every_term_that_its_own_words_ask_for(text: str) -> None:
    assert set(TOKENIZER.tokenize_query(text)) <= set(TOKENIZER.tokenize(text))


@pytest.mark.parametrize("question", ["分布式事务怎么补偿", "processTransaction 的 retry_count 是多少？"])
def test_questions_lose_their_stop_words(question: str) -> None:
    assert not {"怎么", "的", "是", "多少"} & set(TOKENIZER.tokenize_query(question))


def test_single_characters_only_when_nothing_else_remains() -> None:
    assert TOKENIZER.tokenize_query("锁") == ["锁"]
    assert TOKENIZER.tokenize_query("锁 事务") == ["事务"]


def test_stop_words_alone_are_still_a_question() -> None:
    assert TOKENIZER.tokenize_query("是什么")
    assert TOKENIZER.tokenize_query("？！") == []


def test_terms_of_a_question_are_distinct() -> None:
    terms = TOKENIZER.tokenize_query("事务 事务 transaction Transaction")
    assert len(terms) == len(set(terms))


def test_words_of_the_lexicon_are_found_whole_and_by_their_parts() -> None:
    tokenizer = JiebaTokenizer(["收银台中台", "Payment"])
    assert "收银台中台" in tokenizer.tokenize("重构收银台中台的方案")
    assert set(TOKENIZER.tokenize("收银台中台")) & set(tokenizer.tokenize_query("收银台中台"))
    assert tokenizer.fingerprint == TOKENIZER.fingerprint


def test_endless_words_are_cut_alike_in_text_and_question() -> None:
    word = "x" * 500
    assert TOKENIZER.tokenize(word) == TOKENIZER.tokenize_query(word) == ["x" * 64]


@pytest.mark.parametrize("text", ["", " \n", "，。！", "\ufffd", "😀", "İ"])
def test_odd_text(text: str) -> None:
    assert all(term and " " not in term and "\n" not in term for term in TOKENIZER.tokenize(text))


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("資料的事務隔離級別", "资料的事务隔离级别"),
        ("支付模組", "支付模组"),
        ("乾隆年間", "乾隆年间"),
        ("後臺與前臺：MySQL 8.0 的備份", "后台与前台：MySQL 8.0 的备份"),
    ],
)
def test_traditional_and_simplified_characters_give_the_same_terms(traditional: str, simplified: str) -> None:
    assert TOKENIZER.tokenize(traditional) == TOKENIZER.tokenize(simplified)
    assert TOKENIZER.tokenize_query(traditional) == TOKENIZER.tokenize_query(simplified)


def test_a_word_of_the_lexicon_is_found_in_either_script() -> None:
    tokenizer = JiebaTokenizer(["灰鷺模組"])
    assert "灰鹭模组" in tokenizer.tokenize("灰鹭模组上线") and "灰鹭模组" in tokenizer.tokenize("灰鷺模組上線")
    assert tokenizer.find_words(["灰鹭"], ["灰鷺模組", "別的"]) == [True, False]


@given(st.text())
def test_simplifying_keeps_every_character_in_its_place(text: str) -> None:
    assert len(simplify(text)) == len(text)
