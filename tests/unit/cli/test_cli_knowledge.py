import json

import pytest

from tests.fakes.app import TO_MEND, FakeApp
from tests.unit.cli.conftest import RunCommand


def test_a_proof_goes_down_to_the_lines_of_notes(run_command: RunCommand, fake: FakeApp) -> None:
    assert run_command("explain", "张三 负责 支付模块").stdout.splitlines() == [
        "支付模块 负责人 张三  由笔记推出",
        "├── 因为“所属系统”、“负责人”，合起来是“负责人”  core.ttl:122",
        '│   ├── 支付模块 所属系统 交易系统  架构/支付模块.md:6  属于: "[[交易系统]]"',
        "│   └── 交易系统 负责人 张三  交易系统.md:4  负责人: [31m[[张三]]",
        "└── ✗ 因为“属于”不能是相互的  ontology/team.ttl:9",
        '    └── 支付模块 所属系统 交易系统  架构/支付模块.md:6  属于: "[[交易系统]]"',
    ]
    assert fake.calls == [("explain", ("张三 负责 支付模块",))]


def test_an_english_fact_is_explained_in_english(run_command: RunCommand) -> None:
    lines = run_command("explain", "billing owned by Alice").stdout.splitlines()
    assert lines[0].endswith("  inferred")
    assert 'since "所属系统", "负责人" make "负责人"' in lines[1]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["Alice Chen", "团队", "SRE组"], '"Alice Chen" 团队 SRE组'),
        (["支付模块 --负责人--> 张三"], "支付模块 --负责人--> 张三"),
        (["张三", "负责", "支付模块"], "张三 负责 支付模块"),
    ],
)
def test_words_are_joined_into_one_fact(run_command: RunCommand, fake: FakeApp, words: list[str], text: str) -> None:
    run_command("explain", *words)
    assert fake.calls == [("explain", (text,))]


def test_a_proof_as_json_is_a_tree(run_command: RunCommand) -> None:
    reply = json.loads(run_command("explain", "x y z", "--json").stdout)
    assert reply["status"] == "inferred"
    assert reply["fact"]["names"] == ["支付模块", "负责人", "张三"]
    assert reply["proof"]["rule"]["place"] == {"path": "core.ttl", "line": 122}
    leaf = reply["proof"]["premises"][0]
    assert (leaf["place"], leaf["line"]) == ({"path": "架构/支付模块.md", "line": 6}, '属于: "[[交易系统]]"')


def test_the_check_lists_what_is_to_be_mended_and_fails(run_command: RunCommand, fake: FakeApp) -> None:
    fake.ontology = TO_MEND
    result = run_command("ontology", "check")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "Problems in ontology files (1)",
        "  ontology/team.ttl:3  'owl:unionOf' is not supported",
        "",
        "Contradictions (1)",
        '✗ since "属于" cannot be mutual  ontology/team.ttl:9',
        '└── 支付模块 所属系统 交易系统  架构/支付模块.md:6  属于: "[[交易系统]]"',
        "",
        "Relation names that the ontology does not know (1)",
        "  负则人  2 ×, first at 架构/支付模块.md:4  did you mean: 负责人?",
        "",
        "Types that the ontology does not know (1)",
        "  菜谱  1 ×, first at 架构/消息队列.md:2",
        "",
        "Properties of the vault's ontology that no note uses (1)",
        "  审核  ontology/team.ttl:7",
    ]
    reply = json.loads(run_command("ontology", "check", "--json").stdout)
    assert reply["unknown_relations"][0]["suggestions"] == ["负责人"]
    assert reply["problems"] == [{"file": "ontology/team.ttl", "line": 3, "message": "'owl:unionOf' is not supported"}]


def test_nothing_to_mend_is_one_line(run_command: RunCommand) -> None:
    result = run_command("ontology", "check")
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


def test_ontology_help_shows_its_commands(run_command: RunCommand) -> None:
    result = run_command("ontology", "check", "--help")
    assert result.stdout.count("    graphrag ontology check") == 2
