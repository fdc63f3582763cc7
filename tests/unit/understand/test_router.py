import hashlib
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from graphrag.domain.ports import Vectors
from graphrag.domain.query import NO_FILTERS, Question, Route
from graphrag.understand import plan as planning
from graphrag.understand.plan import Direct, GroupOverview, Overview, QueryPlan, Relation, Search, understand
from graphrag.understand.question_grams import LONGEST, grams
from graphrag.understand.router import ASKED, ROUTES, Judgement, judge, router
from tests.fakes.plans import NamedNotesOf

DATA = Path(__file__).parents[3] / "benchmarks" / "data" / "router"
NOW = datetime(2024, 6, 20, 10, 0)
VECTOR = np.full(384, 384**-0.5, dtype=np.float32)
HOSTILE = ["", " ", "?", "支" * 10_000, "a b " * 2_500, "\ud800", "谁\udfff负责", "\x00", "🙂" * 50, "《" * 500]


def planned(text: str, vector: Vectors | None = None, names: dict[str, str] | None = None) -> QueryPlan:
    question = Question(text, text, NO_FILTERS)
    return understand(question, NamedNotesOf(names or {}), NOW, vector_of=lambda: vector)


def judged(monkeypatch: pytest.MonkeyPatch, route: Route, sure: float) -> None:
    told = Judgement(route, sure, ASKED[0], 1.0, 0.0)
    monkeypatch.setattr(planning, "judge", lambda *_: told)


@pytest.mark.parametrize(
    ("text", "route"),
    [("1+1", Route.DIRECT), ("我的笔记主要讲什么", Route.OVERVIEW), ("标签是 支付 的笔记有哪些", Route.LIST)],
)
def test_a_sure_rule_goes_before_the_router(monkeypatch: pytest.MonkeyPatch, text: str, route: Route) -> None:
    judged(monkeypatch, Route.MULTI_HOP, 1.0)
    plan = planned(text)
    assert plan.route is route and plan.sure is None


def test_a_question_that_a_rule_takes_is_not_embedded() -> None:
    def fail() -> Vectors:
        raise AssertionError

    text = "谢谢"
    assert understand(Question(text, text, NO_FILTERS), NamedNotesOf({}), NOW, vector_of=fail).vector is None


def test_a_vector_is_made_once_and_kept_in_the_plan() -> None:
    made: list[Vectors] = []

    def make() -> Vectors:
        made.append(VECTOR)
        return VECTOR

    text = "对账延迟最后怎么解决的"
    plan = understand(Question(text, text, NO_FILTERS), NamedNotesOf({}), NOW, vector_of=make)
    assert plan.vector is VECTOR and len(made) == 1 and plan.sure is not None


@pytest.mark.parametrize("route", ROUTES)
def test_what_the_router_is_not_sure_of_is_searched_for(monkeypatch: pytest.MonkeyPatch, route: Route) -> None:
    judged(monkeypatch, route, 0.3)
    plan = planned("对账延迟最后怎么解决的")
    assert plan.route is Route.HYBRID and isinstance(plan.readings[-1], Search)


@pytest.mark.parametrize("route", ROUTES)
def test_whatever_the_router_says_passages_come_last(monkeypatch: pytest.MonkeyPatch, route: Route) -> None:
    judged(monkeypatch, route, 1.0)
    plan = planned("对账延迟最后怎么解决的", VECTOR)
    assert plan.route is route
    assert plan.passages.route in (Route.HYBRID, Route.LOOKUP, Route.MULTI_HOP)
    assert not any(isinstance(reading, Direct | Overview) and reading.is_sure for reading in plan.readings)


def test_a_question_that_names_a_note_or_mentions_notes_is_never_direct(monkeypatch: pytest.MonkeyPatch) -> None:
    judged(monkeypatch, Route.DIRECT, 1.0)
    assert planned("你好呀朋友", VECTOR).route is Route.DIRECT
    assert planned("支付模块是什么", VECTOR, {"支付模块": "a.md"}).route is Route.HYBRID
    assert planned("把这篇笔记翻译成英文", VECTOR).route is Route.HYBRID


def test_an_overview_of_one_note_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    judged(monkeypatch, Route.OVERVIEW, 1.0)
    kinds = [type(reading) for reading in planned("总结一下支付模块").readings]
    assert kinds == [GroupOverview, Overview, Relation, Search]
    kinds = [type(reading) for reading in planned("总结一下支付模块", names={"支付模块": "a.md"}).readings]
    assert kinds == [GroupOverview, Relation, Search]


def test_without_a_vector_no_question_is_direct_but_by_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    judged(monkeypatch, Route.DIRECT, 1.0)
    assert planned("你好呀朋友").route is Route.HYBRID


@pytest.mark.parametrize("vector", [None, VECTOR])
@pytest.mark.parametrize("text", [*HOSTILE, "谁负责对账", "where is the runbook"])
def test_the_router_judges_every_text_and_the_same_way_again(text: str, vector: Vectors | None) -> None:
    first = judge(text, vector)
    assert first == judge(text, vector)
    assert 1 / len(ROUTES) <= first.sure <= 1 and 1 / len(ASKED) <= first.asked_sure <= 1 and 0 <= first.leans <= 1
    assert planned(text, vector).readings


def test_a_vector_of_another_length_has_no_part_in_it() -> None:
    assert judge("谁负责对账", np.ones(64, dtype=np.float32)) == judge("谁负责对账")


def test_the_same_words_are_judged_alike_in_either_script_and_width() -> None:
    assert judge("誰負責對賬") == judge("谁负责对账")
    assert judge("ＷＨＯ owns it？") == judge("who owns it?")


@pytest.mark.parametrize("text", HOSTILE)
def test_work_is_bounded_by_the_length_that_is_read(text: str) -> None:
    found = grams(text, frozenset())
    assert sum(map(len, found)) <= 9 * (LONGEST + 2)
    assert found == grams(text[:LONGEST], frozenset())


def test_the_weights_are_those_of_the_data() -> None:
    data = b"".join(path.read_bytes() for path in sorted(DATA.glob("*.jsonl")))
    assert router().fingerprint == hashlib.sha256(data).hexdigest()


def test_the_weights_take_little_room() -> None:
    held = router()
    sizes = [held.kept.nbytes, held.known.nbytes, held.known.nbytes // 2]
    sizes += [weights.grams.nbytes + weights.vector.nbytes for weights in (held.alone, held.with_vector)]
    assert sum(sizes) < 1_000_000
