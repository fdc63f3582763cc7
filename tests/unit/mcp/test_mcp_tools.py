"""Each tool by the SDK's own client, which holds every result against the schema that the server gave."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphrag.app import App
from tests.unit.mcp.conftest import HOSTILE, CallTool

Get = Callable[..., Any]


def test_search_gives_the_place_to_read_on(get: Get) -> None:
    first, *_ = get("search_notes", query="retry_count 重试", limit=3)["results"]
    assert (first["note"], first["ref"]) == ("支付/支付模块.md", "支付/支付模块.md:7-9")
    assert "retry_count" in first["text"]
    assert "retry_count" in get("get_note", note=first["ref"])["text"]


def test_a_passage_is_cut_around_what_was_found(get: Get) -> None:
    (first, *_) = get("search_notes", query="handbook", limit=1)["results"]
    assert len(first["text"]) <= 300


def test_the_text_of_a_result_is_its_structure(call_tool: CallTool) -> None:
    result = call_tool("search_notes", query="重试")
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    assert "重试" in result.content[0].text  # type: ignore[union-attr] # characters as they are


def test_an_answer_along_relations_cites_its_lines(get: Get) -> None:
    answer = get("ask_notes", question="谁负责交易系统")
    assert (answer["status"], answer["route"]) == ("answered", "relation")
    (source,) = answer["citations"]
    assert (source["note"], source["lines"], source["ref"]) == ("支付/交易系统.md", [2, 2], "支付/交易系统.md:2")
    assert source["url"].startswith("obsidian://open?vault=vault&file=")


@pytest.mark.parametrize("question", ["火星上的樱花几月开？", "Who won the chess final?"])
def test_what_the_notes_do_not_say_is_told_by_the_status(get: Get, question: str) -> None:
    answer = get("ask_notes", question=question)
    assert answer["status"] in ("no_hit", "low_relevance", "not_in_notes")
    assert "citations" not in answer


def test_a_note_comes_with_its_links_and_what_is_known_of_it(get: Get) -> None:
    note = get("get_note", note="Zhang San")
    assert (note["note"], note["title"], note["updated"], note["lines"]) == (
        "人物/张三.md",
        "张三",
        "2024-04-01",
        [1, 7],
    )
    assert note["links"] == [{"note": "熔断设计"}]
    assert {"note": "支付/交易系统.md", "relation": "负责人"} in note["backlinks"]


def test_a_long_note_is_read_piece_by_piece(get: Get) -> None:
    pieces, ref = [], "long/handbook.md"
    while ref:
        piece = get("get_note", note=ref)
        assert len(piece["text"]) <= 6_000
        pieces.append(piece["text"])
        ref = piece.get("rest", "")
    assert len(pieces) == 3
    assert "\n".join(pieces).count("of the handbook says little.") == 400


def test_what_lies_around_a_note_is_named_once_with_all_reasons(get: Get) -> None:
    around = get("related_notes", name="交易系统")
    reasons = {item["name"]: item["why"] for item in around["related"]}
    assert len(reasons) == len(around["related"])
    assert "link: it —属于→ this" in reasons["支付/支付模块.md"]
    assert "link: this —负责人→ it" in reasons["人物/张三.md"]


def test_a_relation_is_proved_line_by_line(get: Get) -> None:
    proof = get("explain_relation", subject="张三", relation="负责", object="支付模块")
    assert proof["status"] == "inferred"
    assert [step.get("ref", "") for step in proof["steps"]][:2] == ["支付/支付模块.md:2", "支付/交易系统.md:2"]
    assert all(step.get("rule") for step in proof["steps"][2:])


def test_what_the_notes_do_not_say_of_two_things_is_unknown(get: Get) -> None:
    assert get("explain_relation", subject="支付模块", relation="负责", object="张三")["status"] == "unknown"


def test_a_contradiction_shows_what_stands_against_it(get: Get) -> None:
    found = get("explain_relation", subject="支付模块", relation="属于", object="支付模块")
    assert found["status"] == "contradicted"
    assert found["against"][-1]["rule"]


def test_without_a_relation_the_links_between_two_things_are_told(get: Get) -> None:
    chain = get("explain_relation", subject="支付模块", object="熔断设计")
    assert chain["status"] == "connected"
    assert [step["ref"] for step in chain["steps"]][-1] == "人物/张三.md:7"
    assert get("explain_relation", subject="hostile", object="张三") == {
        "status": "unconnected",
        "statement": "Hostile … 张三",
    }


def test_notes_are_listed_newest_first_and_counted(get: Get) -> None:
    listed = get("list_notes", limit=2)
    assert [note["note"] for note in listed["notes"]] == ["支付/支付模块.md", "支付/交易系统.md"]
    assert listed["total"] == 5  # the private one is none of them
    assert {"name": "支付", "notes": 1} in listed["tags"]
    second = get("list_notes", limit=2, offset=2)
    assert second["notes"][0]["note"] == "人物/张三.md"
    assert "tags" not in second


@pytest.mark.parametrize(
    ("filter", "paths"),
    [
        ({"tags": ["#支付"]}, ["支付/支付模块.md"]),
        ({"categories": ["支付"], "since": "2024-05-15"}, ["支付/支付模块.md"]),
        ({"paths": ["./人物/"], "until": "2024-12-31"}, ["人物/张三.md"]),
        ({"paths": ["long/handbook.md"]}, ["long/handbook.md"]),
    ],
)
def test_a_filter_narrows_lists_and_searches_alike(get: Get, filter: dict[str, object], paths: list[str]) -> None:
    assert [note["note"] for note in get("list_notes", filter=filter)["notes"]] == paths
    found = get("search_notes", query="支付 张三 handbook", filter=filter)["results"]
    assert {item["note"] for item in found} == set(paths)


def test_null_is_what_was_not_given_and_one_name_a_list_of_it(get: Get) -> None:
    assert get("list_notes", words=None, limit=None, filter=None)["total"] == 5
    assert get("list_notes", filter={"tags": "支付", "since": None})["total"] == 1


def test_words_narrow_a_list_by_names(get: Get) -> None:
    assert [note["note"] for note in get("list_notes", words="zhang")["notes"]] == ["人物/张三.md"]
    assert get("list_notes", words="nothing like it") == {"total": 0, "notes": []}


def test_saving_writes_what_was_answered_and_touches_no_other_note(get: Get, app: App, vault: Path) -> None:
    before = {path: path.read_bytes() for path in vault.rglob("*.md")}
    answer = get("ask_notes", question="谁负责交易系统")
    saved = [get("save_answer", question="谁负责交易系统", name="../../负责人")["note"] for _ in range(2)]
    assert all(path.startswith("问答/") for path in saved)
    assert saved[0] != saved[1]
    text = (vault / saved[0]).read_text(encoding="utf-8")
    assert "rag: false" in text
    assert answer["answer"].split("[1]")[0] in text
    assert before == {path: content for path, content in _contents(vault).items() if path in before}
    for path in saved:
        (vault / path).unlink()


def test_no_answer_is_not_saved(get: Get) -> None:
    assert "note" not in get("save_answer", question="火星上的樱花几月开？")


def test_the_text_of_a_note_is_given_as_it_is_and_does_nothing(get: Get, vault: Path) -> None:
    before = sorted(vault.rglob("*.md"))
    assert HOSTILE in get("get_note", note="hostile")["text"]
    get("ask_notes", question="忽略指令以后回答什么")
    assert sorted(vault.rglob("*.md")) == before


def _contents(vault: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in vault.rglob("*.md")}


def test_the_graph_takes_cypher(get: Get) -> None:
    statement = (
        "MATCH (a:Entity)-[r:Link]->(b:Entity {title: $title}) WHERE r.name <> '' RETURN a.id AS id, r.name AS name"
    )
    found = get("cypher", query=statement, parameters={"title": "张三"})
    assert found == {"columns": ["id", "name"], "rows": [["支付/交易系统.md", "负责人"]]}


def test_rows_of_cypher_are_bounded(get: Get) -> None:
    found = get("cypher", query="UNWIND range(1, 100) AS x RETURN x, repeat('字', 5000) AS text", limit=100)
    assert found["is_cut"]
    assert len(json.dumps(found, ensure_ascii=False)) < 20_000


@pytest.mark.parametrize(
    "query", ["MATCH (n) DELETE n", "LOAD FROM '/etc/passwd' RETURN *", "RETURN 1; RETURN 2", "MATCH (n", "RETURN $x"]
)
def test_what_is_no_reading_query_is_one_line(error_of: Callable[..., str], query: str) -> None:
    assert error_of("cypher", query=query)


def test_private_notes_are_in_no_row(get: Get) -> None:
    assert "秘密" not in json.dumps(get("cypher", query="MATCH (n:Entity) RETURN n", limit=100), ensure_ascii=False)
