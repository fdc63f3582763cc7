import pytest

from graphrag.language.interface import Language, LanguageSetting, interface_language

ZH, EN = Language.ZH, Language.EN


@pytest.mark.parametrize(
    ("setting", "question", "locale", "language"),
    [
        ("auto", "为什么选 Saga", "en_US.UTF-8", ZH),
        ("auto", "why Saga?", "zh_CN.UTF-8", EN),
        ("auto", "What depends on processTransaction", "zh_CN.UTF-8", EN),
        ("auto", "processTransaction", "zh_CN.UTF-8", ZH),
        ("auto", "processTransaction", "en_US.UTF-8", EN),
        ("auto", "sg_pay_2024 retry_count", "zh_TW.UTF-8", ZH),
        ("auto", "300+50", "zh_CN", ZH),
        ("auto", "tag:payment processTransaction", "zh_CN", ZH),
        ("auto", "", "", EN),
        ("auto", "", "C.UTF-8", EN),
        ("zh", "why Saga?", "en_US.UTF-8", ZH),
        ("en", "为什么选 Saga", "zh_CN.UTF-8", EN),
    ],
)
def test_the_setting_decides_then_the_question_then_the_locale(
    setting: LanguageSetting, question: str, locale: str, language: Language
) -> None:
    assert interface_language(setting, question, {"LANG": locale}) is language


def test_the_first_variable_that_is_set_counts() -> None:
    assert interface_language("auto", "", {"LC_ALL": "", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}) is ZH
    assert interface_language("auto", "", {"LC_ALL": "C", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"}) is EN


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "Ollama does not answer at http://h:1. Start it with: ollama serve",
            "http://h:1 上的 Ollama 没有应答。启动命令：ollama serve",
        ),
        (  # a message within a message
            "Ollama does not answer at http://h:1. Start it with: ollama serve Until then, results are not reranked.",
            "http://h:1 上的 Ollama 没有应答。启动命令：ollama serve 在此之前结果不重排。",
        ),
        (  # a place, and a reason that is known by itself
            "a/b.md: left out by its tag #x ([vault] exclude_tags)",
            "a/b.md：被标签 #x 排除（[vault] exclude_tags）",
        ),
        ("does not work: answers are extractive", "不能用：回答取自笔记原句"),
        ("the tokenizer changed", "分词规则变了"),
        ("no note is called 'not found'. Did you mean: none?", "没有叫“not found”的笔记。是不是：无？"),
        ("something that nobody knows", "something that nobody knows"),
        ("已经是中文。", "已经是中文。"),
    ],
)
def test_a_message_is_recognised_by_its_fixed_parts(english: str, chinese: str) -> None:
    assert ZH.tell(english) == chinese
    assert EN.tell(english) == english


def test_a_template_is_filled_in_the_form_that_fits_the_number() -> None:
    template = "{n} note in no group|{n} notes in no group"
    assert [EN.say(template, n=n) for n in (1, 2)] == ["1 note in no group", "2 notes in no group"]
    assert [ZH.say(template, n=n) for n in (1, 2)] == ["1 篇不属于任何一组", "2 篇不属于任何一组"]
