"""Whether the notes hold an answer: the signs of a question, and what they are taken for."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.query import WordKind, WordSense
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.retrieve.confidence import (
    PassageText,
    Signs,
    asked_attribute,
    confidence_of,
    measure_standing,
    read_signs,
)

TOKENIZER = JiebaTokenizer()
MOST = 8.0


def _signs(question: str, *passages: str, standing: float | None = 0.0) -> Signs:
    terms = TOKENIZER.tokenize_query(question)
    held = [PassageText(frozenset(TOKENIZER.tokenize(text)), text.lower()) for text in passages]
    weights = {term: 2.0 if any(held_in.terms & {term} for held_in in held) else MOST for term in terms}
    attribute = TOKENIZER.tokenize_query(asked_attribute(question))
    return read_signs(TOKENIZER.look_up(terms, question), weights, MOST, held, attribute, standing)


def test_a_name_that_no_passage_holds_is_the_strongest_sign() -> None:
    passage = "Redis 的持久化有 RDB 和 AOF 两种，AOF 按命令追加。"
    held = _signs("Redis 的 AOF 怎么持久化？", passage)
    missing = _signs("Redis 的 VADD 怎么持久化？", passage)
    assert held.missing_identifier == 0.0 and held.held_share == 1.0
    assert missing.missing_identifier > 0.5 and confidence_of(missing) < confidence_of(held)


def test_a_missing_noun_counts_and_an_idle_word_does_not() -> None:
    passage = "被告人费某，1980 年出生，因盗窃被判处有期徒刑。"
    assert _signs("被告人的学历是什么？", passage).missing_noun > 0.4
    assert _signs("被告人大概为什么被判处有期徒刑？", passage).missing_noun == 0.0


def test_what_is_asked_of_a_subject_has_to_stand_in_a_passage() -> None:
    about, other = "被告人费某，因盗窃被判处有期徒刑三年。", "喻某学历为大学本科。"
    asked = _signs("被告人费某的学历是什么？", about)
    assert asked.missing_attribute > 0.4
    assert confidence_of(asked) < confidence_of(replace(asked, missing_attribute=0.0)) / 2
    assert _signs("喻某的学历是什么？", about, other).missing_attribute == 0.0
    assert _signs("被告人费某为什么被判处有期徒刑？", about).missing_attribute == 0.0


def test_one_word_of_what_is_asked_is_enough() -> None:
    assert _signs("费某的刑期长度是多少？", "费某被判处有期徒刑，刑期三年。").missing_attribute == 0.0


def test_a_word_is_held_in_another_form() -> None:
    passage = PassageText(frozenset({"the", "sidecar", "proxies"}), "the sidecar proxies")
    senses = TOKENIZER.look_up(["sidecars", "proxy", "proxies", "pro"], "代理 sidecars")
    assert [passage.holds(sense) for sense in senses] == [True, False, True, False]


def test_a_question_without_a_known_word_lacks_nothing() -> None:
    signs = read_signs([], {}, MOST, [], [], None)
    assert signs == Signs(0.0, 0.0, 1.0, 0.0, 0.0, None)
    assert 0.0 < confidence_of(signs) < 1.0


def test_standing_is_measured_against_chance() -> None:
    generator = np.random.default_rng(3)
    sample = generator.normal(size=(400, 64)).astype(np.float32)
    question = np.ones(64, dtype=np.float32) / 8
    similarities = sample @ question
    best = float(similarities.max())
    by_chance = measure_standing(best, question, sample, 400)
    assert by_chance is not None and abs(by_chance) < 0.8  # the best of 400 is where the best of 400 is expected
    far = measure_standing(best + 3 * float(similarities.std()), question, sample, 400)
    assert far is not None and far == pytest.approx(by_chance + 3, abs=1e-3)
    more = measure_standing(best, question, sample, 40_000)
    assert more is not None and more < by_chance  # the more there are, the less a high one says


@pytest.mark.parametrize(("rows", "passages"), [(0, 10), (1, 10), (5, 1)])
def test_a_vault_of_a_note_or_two_has_no_chance_to_compare_with(rows: int, passages: int) -> None:
    assert measure_standing(0.9, np.ones(4, dtype=np.float32), np.ones((rows, 4), dtype=np.float32), passages) is None


def test_equal_vectors_have_no_deviation() -> None:
    assert measure_standing(1.0, np.ones(4, dtype=np.float32), np.ones((9, 4), dtype=np.float32), 9) is None


@given(*[st.floats(0, 1)] * 4, st.floats(0, 5), st.one_of(st.none(), st.floats(-30, 30)))
def test_a_confidence_is_a_probability_and_never_falls_with_better_signs(
    noun: float, identifier: float, share: float, attribute: float, words: float, standing: float | None
) -> None:
    signs = Signs(noun, identifier, share, words, attribute, standing)
    confidence = confidence_of(signs)
    assert 0.0 <= confidence <= 1.0 and not math.isnan(confidence)
    assert confidence_of(replace(signs, missing_noun=0.0)) >= confidence
    assert confidence_of(replace(signs, missing_identifier=0.0)) >= confidence
    assert confidence_of(replace(signs, held_share=1.0)) >= confidence
    assert confidence_of(replace(signs, missing_attribute=0.0)) >= confidence
    if standing is not None:
        assert confidence_of(replace(signs, standing=standing + 1)) >= confidence


def test_the_passages_of_all_kinds_of_words() -> None:
    senses = {
        sense.term: sense for sense in TOKENIZER.look_up(["redis", "学历", "判处", "已经", "又酸", "2024"], "学历")
    }
    kinds = {term: sense.kind for term, sense in senses.items()}
    assert kinds == {
        "redis": WordKind.IDENTIFIER,
        "学历": WordKind.NOUN,
        "判处": WordKind.VERB,
        "已经": WordKind.OTHER,
        "又酸": WordKind.UNKNOWN,
        "2024": WordKind.IDENTIFIER,
    }
    assert senses["又酸"].rarity == 0.0
    assert 0.0 < senses["已经"].rarity < senses["学历"].rarity < 1.0


def test_a_word_of_the_vault_is_a_noun() -> None:
    assert JiebaTokenizer(["灰鹭模块"]).look_up(["灰鹭模块"], "灰鹭模块") == [WordSense("灰鹭模块", WordKind.NOUN, 0.9)]


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("How do I enable ambient mode in Istio?", {"istio"}),
        ("Why does the garbage collector stop?", set()),
        ("What is MySQL 8.0? Does it use redo_log?", {"mysql", "8.0", "redo_log"}),
        ("Istio 的 ambient mode 怎么开", {"istio", "ambient", "mode"}),
    ],
)
def test_in_an_english_sentence_only_what_looks_like_a_name_is_an_identifier(text: str, identifiers: set[str]) -> None:
    senses = TOKENIZER.look_up(TOKENIZER.tokenize_query(text), text)
    found = {sense.term for sense in senses if sense.kind is WordKind.IDENTIFIER}
    assert identifiers <= found and found - identifiers <= {"my", "sql", "redo", "log", "8", "0"}
