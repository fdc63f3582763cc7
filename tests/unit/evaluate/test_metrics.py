import json
import math
from pathlib import Path

import pytest

from graphrag.evaluate.metrics import (
    evidence_recall,
    hit_at,
    interval,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
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


def test_a_mean_of_nothing_is_none() -> None:
    assert (mean([]), interval([])) == (None, None)
    assert mean([0.0, 1.0, 1.0, 0.0]) == 0.5


def test_the_interval_is_repeatable_and_narrows_with_more_cases() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 500
    assert interval(few) == interval(few)
    first, second = interval(few), interval(many)
    assert first is not None
    assert second is not None
    assert first[0] < second[0] < 0.5 < second[1] < first[1]
    # The normal approximation of a share's interval: p ± 1.96 sqrt(p (1 - p) / n).
    assert second[1] - second[0] == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 1000), rel=0.1)
    assert interval([1.0, 1.0]) == (1.0, 1.0)


def test_percentiles_lie_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50) == 2.5
