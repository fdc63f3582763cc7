"""The core ontology for itself, and over the notes of the example vault."""

from pathlib import Path

import pytest

from graphrag.domain.graph import Relation
from graphrag.domain.ontology import TYPE, AxiomKind, Closure, Fact, FactStatus, Place, Statement, TermKind
from graphrag.ingest.parse import parse_note
from graphrag.ingest.resolve import LinkResolver
from graphrag.reasoning.explanation import explain, places_of
from graphrag.reasoning.infer import infer
from graphrag.reasoning.ontology_files import read_ontology
from graphrag.reasoning.statements import state_classes, state_relations
from graphrag.reasoning.vocabulary import CORE_FILE, core_ontology

VAULT = Path(__file__).parents[3] / "examples" / "vault"
ONTOLOGY = read_ontology({CORE_FILE: core_ontology()})


def named(name: str, kind: TermKind = TermKind.PROPERTY) -> str:
    return ONTOLOGY.find(kind, name)[0]


class Demo:
    """What the notes of the example vault state, and what follows."""

    def __init__(self) -> None:
        notes = [
            parse_note(file.relative_to(VAULT).as_posix(), file.read_bytes()) for file in sorted(VAULT.rglob("*.md"))
        ]
        resolver = LinkResolver({note.path: note.aliases for note in notes})
        links = [resolver.resolve(note.path, link) for note in notes for link in note.links if link.relation]
        self.types = {name for note in notes for name in note.properties.get("type", ())}
        self.relations = [
            Relation(item.source, item.target, item.link.kind, item.link.relation, item.source, item.link.line)
            for item in links
        ]
        classes = [
            statement
            for note in notes
            for statement in state_classes(ONTOLOGY, note.properties.get("type", ()), note.tags, Place(note.path, 2))
        ]
        self.statements: list[Statement] = [*classes, *state_relations(ONTOLOGY, self.relations, classes)]
        self.closure: Closure = infer(ONTOLOGY, self.statements)

    def owners(self, note: str) -> set[str]:
        return {
            Path(fact.object).stem
            for fact in self.closure.origins
            if fact.subject.endswith(f"/{note}.md") and fact.property == named("负责人")
        }


@pytest.fixture(scope="module")
def demo() -> Demo:
    return Demo()


def test_nothing_in_it_is_amiss() -> None:
    assert ONTOLOGY.problems == ()


@pytest.mark.parametrize("kind", [TermKind.CLASS, TermKind.PROPERTY])
def test_every_term_has_a_preferred_label_in_chinese_and_english(kind: TermKind) -> None:
    for term in ONTOLOGY.of_kind(kind):
        assert {"zh", "en"} <= {label.language for label in term.labels if label.is_preferred}, term.iri


def test_every_property_can_be_said_from_both_ends() -> None:
    both = {AxiomKind.INVERSE, AxiomKind.SYMMETRIC}
    turned = {term for axiom in ONTOLOGY.axioms if axiom.kind in both for term in axiom.terms}
    one_way = {"team"}  # said of people and of systems, whose own properties have inverses
    assert {
        term.iri.partition("#")[2] for term in ONTOLOGY.of_kind(TermKind.PROPERTY) if term.iri not in turned
    } == one_way


def test_it_knows_every_relation_and_type_of_the_example_vault(demo: Demo) -> None:
    assert {item.name for item in demo.relations if not ONTOLOGY.find(TermKind.PROPERTY, item.name)} == set()
    assert {name for name in demo.types if not ONTOLOGY.find(TermKind.CLASS, name)} == set()


def test_the_example_vault_breaks_no_axiom(demo: Demo) -> None:
    assert demo.closure.violations == ()


def test_the_owner_of_a_system_owns_its_modules(demo: Demo) -> None:
    fact = Fact("人物/张三.md", named("负责"), "支付系统/支付模块.md")
    explanation = explain(fact, ONTOLOGY, demo.statements, demo.closure)
    assert explanation.status is FactStatus.INFERRED
    assert explanation.proof is not None
    assert places_of(explanation.proof) == (Place("支付系统/支付模块.md", 6), Place("支付系统/交易系统.md", 4))


def test_the_owner_of_a_system_does_not_own_what_else_belongs_to_it(demo: Demo) -> None:
    assert demo.owners("支付模块") == demo.owners("订单模块") == demo.owners("交易系统") == {"张三"}
    assert demo.owners("退款流程") == {"周婷"}
    assert demo.owners("支付网关") == {"王五"}
    assert demo.owners("对账") == set()
    whole = Fact("支付系统/退款流程.md", named("属于"), "支付系统/交易系统.md")
    assert demo.closure.origins[whole] == Place("支付系统/退款流程.md", 3)


@pytest.mark.parametrize(
    ("subject", "name", "object_"),
    [
        ("支付系统/processTransaction.md", "属于", "支付系统/交易系统.md"),
        ("支付系统/交易系统.md", "间接依赖", "消息队列/消息队列.md"),
        ("支付系统/交易系统.md", "间接依赖", "支付系统/支付网关.md"),  # through its module
        ("架构决策/ADR-0003 消息队列选用RabbitMQ.md", "被取代", "架构决策/ADR-0007 消息队列迁移到RocketMQ.md"),
        ("人物/张三.md", "所在团队", "团队/交易组.md"),
        ("团队/交易组.md", "成员", "人物/周婷.md"),
        ("支付系统/交易系统.md", "维护团队", "团队/交易组.md"),
        ("人物/张三.md", "指导", "人物/王五.md"),
        ("支付系统/支付模块.md", "开发", "人物/王五.md"),
    ],
)
def test_what_follows_from_the_notes(demo: Demo, subject: str, name: str, object_: str) -> None:
    assert Fact(subject, named(name), object_) in demo.closure.origins


def test_direct_dependence_stays_what_the_notes_say(demo: Demo) -> None:
    direct = [fact for fact in demo.closure.origins if fact.property == named("依赖")]
    assert all(isinstance(demo.closure.origins[fact], Place) for fact in direct)
    assert Fact("支付系统/对账.md", named("依赖"), "消息队列/消息队列.md") not in direct
    assert Fact("支付系统/对账.md", named("间接依赖"), "消息队列/消息队列.md") in demo.closure.origins


def test_a_person_is_no_system(demo: Demo) -> None:
    fact = Fact("人物/张三.md", TYPE, named("系统", TermKind.CLASS))
    assert explain(fact, ONTOLOGY, demo.statements, demo.closure).status is FactStatus.CONTRADICTED
