import json
from datetime import date
from pathlib import Path

import pytest

from graphrag.domain.query import Filters, Route
from graphrag.errors import QuestionError
from graphrag.evaluate.cases import Case, Target, read_cases, unknown_notes

LINE: dict[str, object] = {"id": "a", "kind": "term", "question": "重试几次？", "relevant": ["队列.md"]}

TEXTS = "'relevant' is neither a text nor a list of texts"
NOTHING = (
    "it says nothing to measure the search by. Add 'relevant', 'evidence' or 'route', "
    "or measure only the answers, with --answers"
)


def write(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "cases.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_a_case_holds_what_its_line_says(tmp_path: Path) -> None:
    filters = {"tag": ["#支付", "go"], "category": "技术/", "path": "队列/", "since": "2024-06-01", "type": "note"}
    line = {**LINE, "answer": " 三次 ", "evidence": ["默认 3 次。"], "filters": filters, "author": "me"}
    assert read_cases(write(tmp_path, line)) == (
        Case(
            id="a",
            kind="term",
            question="重试几次？",
            relevant=(Target("队列.md"),),
            answer="三次",
            evidence=("默认 3 次。",),
            filters=Filters(("支付", "go"), ("技术",), ("队列",), date(2024, 6, 1), None, ("note",)),
            route=None,
        ),
    )


def test_evidence_may_be_one_text_and_the_answer_null(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, {**LINE, "evidence": "默认 3 次。", "answer": None, "filters": None}))
    assert (case.evidence, case.answer, case.filters) == (("默认 3 次。",), "", Filters())


def test_a_question_without_an_answer_has_no_relevant_note(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, {**LINE, "relevant": [], "evidence": ""}))
    assert (case.is_answerable, case.evidence) == (False, ())


def test_a_case_of_a_route_needs_no_relevant_notes(tmp_path: Path) -> None:
    line = {"id": "r", "question": "你好", "route": "direct"}
    bare, both = read_cases(write(tmp_path, line, {**LINE, "route": "lookup"}))
    assert (bare.route, bare.kind, bare.relevant, bare.is_ranked) == (Route.DIRECT, "route", None, False)
    assert (both.route, both.kind, both.is_ranked, both.is_answerable) == (Route.LOOKUP, "term", True, True)
    assert unknown_notes([bare], ()) == ()


def test_a_case_is_measured_by_what_it_says(tmp_path: Path) -> None:
    line = {"id": "a", "question": "重试几次？"}
    (held,) = read_cases(write(tmp_path, {**line, "evidence": "默认 3 次。", "source": "x"}))
    assert (held.kind, held.relevant, held.is_searched, held.is_ranked) == ("question", None, True, False)
    (ranked,) = read_cases(write(tmp_path, {**line, "relevant": "队列.md"}))
    assert (ranked.kind, ranked.is_searched, ranked.is_ranked) == ("question", True, True)
    (silent,) = read_cases(write(tmp_path, {**line, "relevant": []}))
    assert (silent.is_searched, silent.is_unanswerable, silent.is_answerable) == (True, True, False)
    (bare,) = read_cases(write(tmp_path, line), for_answers=True)
    assert (bare.kind, bare.is_searched, bare.is_unanswerable, bare.is_answerable) == ("question", False, False, False)


def test_the_digest_tells_whether_two_cases_ask_the_same(tmp_path: Path) -> None:
    same = [{**LINE, "id": "b"}, {**LINE, "answer": "三次"}, {**LINE, "note": "later"}]
    other = [
        {**LINE, "question": "重试几秒？"},
        {**LINE, "kind": "filter"},
        {**LINE, "relevant": []},
        {**LINE, "evidence": ["默认 3 次"]},
        {**LINE, "filters": {"tag": "go"}},
        {**LINE, "route": "lookup"},
    ]
    digest, *digests = [read_cases(write(tmp_path, line))[0].digest for line in (LINE, *same, *other)]
    assert digests[: len(same)] == [digest] * len(same)
    assert len({digest, *digests[len(same) :]}) == 1 + len(other)
    assert digest == "81672eac"  # kept runs hold it: another way to compute it would part them from later ones


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("a/b.md", Target("a/b.md")),
        ("a/b.md#重试", Target("a/b.md", "重试")),
        ("a/b.md#队列#重试", Target("a/b.md", "重试")),
        ("图.canvas#卡片", Target("图.canvas", "卡片")),
        ("C#.md", Target("C#.md")),
        ("C#.md#委托", Target("C#.md", "委托")),
        ("cafe\u0301.md", Target("caf\u00e9.md")),
    ],
)
def test_a_target_is_a_note_or_one_of_its_sections(tmp_path: Path, text: str, target: Target) -> None:
    (case,) = read_cases(write(tmp_path, {**LINE, "relevant": text}))
    assert case.relevant == (target,)


def test_blank_lines_and_a_byte_order_mark_are_no_cases(tmp_path: Path) -> None:
    path = write(tmp_path, "\ufeff" + json.dumps(LINE), "", "  ", {**LINE, "id": "b"})
    assert [case.id for case in read_cases(path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{'id': 1}", "not valid JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[1]", "not a JSON object"),
        ({key: LINE[key] for key in ("id", "kind")}, "the key 'question' is missing"),
        ({"id": "b", "question": "几次？"}, NOTHING),
        ({"id": "b", "question": "几次？", "evidence": [], "answer": "三次", "kind": "x"}, NOTHING),
        (
            {"id": "b", "question": "几次？", "evidence": "三次", "relevents": []},
            "the key 'relevant' is missing; is 'relevents' a misspelling of it",
        ),
        (
            {**{key: LINE[key] for key in ("id", "kind", "question")}, "relevent": []},
            "the key 'relevant' is missing; is 'relevent' a misspelling of it",
        ),
        ({**LINE, "question": "  "}, "'question' is not a text"),
        ({**LINE, "id": 7}, "'id' is not a text"),
        ({**LINE, "relevant": [7]}, TEXTS),
        ({**LINE, "evidence": {"doc": 1}}, "'evidence' is neither a text nor a list of texts"),
        ({**LINE, "filters": ["x"]}, "'filters' is not a JSON object"),
        (
            {**LINE, "filters": {"tags": "x"}},
            "unknown filter 'tags'; known ones are tag, category, path, since, until, type",
        ),
        (
            {**LINE, "filters": {"since": "soon"}},
            "'soon' is not a day. Write it as 2024-03-01, 7d, 上周 or last Friday",
        ),
        ({**LINE, "filters": {"until": "2024-02-30"}}, "'2024-02-30' is not a day: the calendar has no 2024-02-30"),
        ({**LINE, "id": "first"}, "the id 'first' is taken by an earlier line"),
        ({"id": "b", "route": "list"}, "the key 'question' is missing"),
        (
            {**LINE, "id": "b", "route": "graph"},
            "unknown route 'graph'; known ones are direct, lookup, hybrid, relation, list, overview, multi_hop",
        ),
    ],
)
def test_a_wrong_line_is_named_with_its_reason(tmp_path: Path, line: object, reason: str) -> None:
    path = write(tmp_path, {**LINE, "id": "first"}, line)
    with pytest.raises(QuestionError) as raised:
        read_cases(path)
    assert str(raised.value) == f"{path}:2: {reason}."


def test_a_file_that_is_missing_binary_or_empty_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match="cannot be read: No such file"):
        read_cases(tmp_path / "missing.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(QuestionError, match="it is not UTF-8"):
        read_cases(tmp_path / "binary.jsonl")
    with pytest.raises(QuestionError, match="holds no case"):
        read_cases(write(tmp_path, "", " "))


def test_notes_that_the_index_lacks_are_named_once(tmp_path: Path) -> None:
    lines = [{**LINE, "id": str(number), "relevant": ["队列.md", "没有.md#节"]} for number in range(2)]
    assert unknown_notes(read_cases(write(tmp_path, *lines)), {"队列.md"}) == ("没有.md",)
