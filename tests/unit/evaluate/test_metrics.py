import json
import math
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.evaluate.metrics import (
    evidence_recall,
    hit_at,
    interval,
    mean,
    ndcg_at,
    paired_interval,
    percentile,
    recall_at,
    reciprocal_rank,
    refusal_scores,
)

# Random rankings, measured with ir-measures 0.4.3 (R@k, Success@k, RR, nDCG@10); it brings scipy along, which is too
# much for a test dependency, so its figures are kept instead.
REFERENCE = Path(__file__).with_name("reference_rankings.jsonl").read_text(encoding="utf-8").splitlines()

RANKING, RELEVANT = ("x", "a", "y", "b", "z", "c"), frozenset("abcd")


def test_metrics_equal_values_computed_by_hand() -> None:
    assert [recall_at(RANKING, RELEVANT, k) for k in (1, 2, 5, 10)] == [0.0, 0.25, 0.5, 0.75]
    assert [hit_at(RANKING, RELEVANT, k) for k in (1, 2, 5)] == [0.0, 1.0, 1.0]
    assert reciprocal_rank(RANKING, RELEVANT) == 0.5
    gain = 1 / math.log2(3) + 1 / math.log2(5) + 1 / math.log2(7)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert ndcg_at(RANKING, RELEVANT, 10) == pytest.approx(gain / best)


def test_nothing_found_is_zero_everywhere() -> None:
    for ranking in ((), ("x", "y")):
        assert recall_at(ranking, RELEVANT, 5) == hit_at(ranking, RELEVANT, 5) == 0.0
        assert reciprocal_rank(ranking, RELEVANT) == ndcg_at(ranking, RELEVANT, 10) == 0.0


def test_a_perfect_ranking_with_more_relevant_notes_than_places_has_full_gain() -> None:
    assert ndcg_at(("a", "b"), RELEVANT, 2) == 1.0


@pytest.mark.parametrize("line", REFERENCE)
def test_metrics_equal_those_of_a_reference_library(line: str) -> None:
    case = json.loads(line)
    ranking, relevant = case["ranking"], frozenset(case["relevant"])
    found = {
        "recall@5": recall_at(ranking, relevant, 5),
        "recall@10": recall_at(ranking, relevant, 10),
        "recall@20": recall_at(ranking, relevant, 20),
        "hit@1": hit_at(ranking, relevant, 1),
        "hit@5": hit_at(ranking, relevant, 5),
        "mrr": reciprocal_rank(ranking, relevant),
        "ndcg@10": ndcg_at(ranking, relevant, 10),
    }
    assert found == pytest.approx(case["values"], abs=1e-5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("先调渠道，\n  后发消息。", "先调渠道，后发消息"),
        ("捞出用热水冲。", "捞出用**热水**冲，"),
        ("见支付模块的说明", "见[[架构/支付模块|支付模块]]的说明"),
        ("见支付模块的说明", "见[支付模块](a/b.md)的说明"),
        ("默认 3 次", "<span>默认</span> 3 次"),
        ("ＲＥＴＲＹ_count", "retry_count"),
    ],
)
def test_evidence_is_found_whatever_its_markup(text: str, sentence: str) -> None:
    assert evidence_recall(["别的", text], [sentence]) == 1.0


def test_evidence_counts_sentences_and_needs_the_words() -> None:
    assert evidence_recall(["默认 3 次。"], ["默认 3 次", "默认 4 次"]) == 0.5
    assert evidence_recall([], ["默认 3 次"]) == 0.0
    assert evidence_recall(["a ++ b"], ["++"]) == 0.0


@given(
    ranking=st.lists(st.sampled_from("abcdefghij"), unique=True),
    relevant=st.frozensets(st.sampled_from("abcdefghijkl"), min_size=1),
    k=st.integers(1, 12),
)
def test_metrics_equal_those_of_their_definitions(ranking: list[str], relevant: frozenset[str], k: int) -> None:
    gains = [float(key in relevant) for key in ranking[:k]]
    ranks = [place for place in range(1, len(ranking) + 1) if ranking[place - 1] in relevant]
    assert recall_at(ranking, relevant, k) == pytest.approx(sum(gains) / len(relevant))
    assert hit_at(ranking, relevant, k) == max(gains, default=0.0)
    assert reciprocal_rank(ranking, relevant) == (1 / min(ranks) if ranks else 0.0)
    # The best order of all that could stand there is found by trying, not by a formula.
    best = max(
        _discounted([float(key in relevant) for key in order])
        for order in ([*sorted(relevant), *"xyz"][:k], ranking[:k])
    )
    assert ndcg_at(ranking, relevant, k) == pytest.approx(_discounted(gains) / best)


def _discounted(gains: list[float]) -> float:
    """Discounted cumulated gain as trec_eval computes it."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def test_refusals_count_where_they_can_be_right_or_wrong() -> None:
    assert refusal_scores(is_answerable=True, is_refused=False) == {}
    assert refusal_scores(is_answerable=True, is_refused=True) == {"refusal_precision": 0.0}
    assert refusal_scores(is_answerable=False, is_refused=False) == {"refusal_recall": 0.0}
    assert refusal_scores(is_answerable=False, is_refused=True) == {"refusal_precision": 1.0, "refusal_recall": 1.0}


def test_paired_intervals_see_what_separate_ones_cannot() -> None:
    before = [0.0, 1.0] * 30
    now = [max(value - 0.1, 0.0) for value in before]
    low, high = paired_interval(before, now)
    assert low <= -0.05 <= high < 0  # each pair differs little, though the cases differ much
    assert paired_interval(before, before) == (0.0, 0.0)
    assert paired_interval(now, before) == (-high, -low)


def test_a_case_that_one_side_does_not_measure_counts_on_the_other_side_only() -> None:
    assert paired_interval([1.0, None], [1.0, 1.0]) == (0.0, 0.0)
    low, high = paired_interval([None, 1.0, 1.0], [0.0, None, 1.0])
    assert (low, high) == (-1.0, 0.0)


def test_the_paired_interval_covers_the_true_difference_about_as_often_as_it_says() -> None:
    chance = random.Random(7)
    covered = 0
    for _ in range(100):
        pairs = [(chance.gauss(0.5, 0.3), chance.gauss(0.1, 0.1)) for _ in range(60)]
        low, high = paired_interval([value for value, _ in pairs], [value + gain for value, gain in pairs])
        covered += low <= 0.1 <= high
    assert 88 <= covered <= 99


def test_a_mean_of_nothing_is_none() -> None:
    assert mean([]) is None
    assert mean([0.0, 1.0, 1.0, 0.0]) == 0.5


def test_the_interval_is_repeatable_and_narrows_with_more_cases() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    assert interval(few) == interval(few)
    first, second = interval(few), interval(many)
    assert first[0] < second[0] < 0.5 < second[1] < first[1]
    # The normal approximation of a share's interval: p ± 1.96 sqrt(p (1 - p) / n).
    assert second[1] - second[0] == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 1000), rel=0.1)
    assert interval([1.0, 1.0]) == (1.0, 1.0)


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.5
