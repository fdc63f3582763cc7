"""How long inference takes: `python benchmarks/reasoning.py [--facts 20000]`.

The facts are those of a large team wiki in the words of the core ontology: systems with modules and an owner, parts of
parts, people in teams, dependencies in layers, decisions that supersede each other. The same every time.
"""

import argparse
import random
import time
from collections.abc import Iterator

from figures import Figure, print_figures

from graphrag.domain.ontology import TYPE, Fact, Ontology, Place, Statement, TermKind
from graphrag.reasoning.infer import infer
from graphrag.reasoning.ontology_files import read_ontology
from graphrag.reasoning.vocabulary import CORE_FILE, core_ontology

BUDGET_SECONDS = 2.0  # for 20,000 facts
BUDGET_FACTS = 20_000
FACTS_OF_A_SYSTEM = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=BUDGET_FACTS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    started = time.process_time()
    ontology = read_ontology({CORE_FILE: core_ontology()})
    read = time.process_time() - started
    statements = [
        Statement(fact, Place(f"{fact.subject}.md", 1))
        for fact in list(team_wiki(ontology, options.facts))[: options.facts]
    ]
    started = time.process_time()
    closure = infer(ontology, statements)
    inferred = time.process_time() - started

    stated = len({statement.fact for statement in statements})
    limit = BUDGET_SECONDS if stated <= BUDGET_FACTS else None
    figures = [
        Figure("facts", stated, ""),
        Figure("inferred", len(closure.origins) - stated, ""),
        Figure("violations", len(closure.violations), ""),
        Figure("reading the core ontology, processor time", read, "s"),
        Figure("inference, processor time", inferred, "s", limit),
    ]
    print_figures(f"inference over {stated:,} facts", figures, options.json)


def team_wiki(ontology: Ontology, facts: int) -> Iterator[Fact]:
    """Yield about as many facts; of every system the same kinds."""

    def iri(kind: TermKind, name: str) -> str:
        return ontology.find(kind, name)[0]

    rng = random.Random(1)
    systems = max(1, facts // FACTS_OF_A_SYSTEM)
    part, module_of, owner = (iri(TermKind.PROPERTY, name) for name in ("属于", "所属系统", "负责人"))
    depends, member, participant = (iri(TermKind.PROPERTY, name) for name in ("依赖", "所在团队", "参与人"))
    supersedes, related = (iri(TermKind.PROPERTY, name) for name in ("取代", "相关"))
    system, module, decision = (iri(TermKind.CLASS, name) for name in ("系统", "模块", "决策"))
    for number in range(systems):
        name = f"系统{number}"
        yield Fact(name, TYPE, system)
        yield Fact(name, owner, f"员工{rng.randrange(systems)}")
        if number % 10:
            yield Fact(name, part, f"系统{number - number % 10}")
        if number % 5:
            yield Fact(name, depends, f"系统{number - 1}")
        for index in range(5):
            yield Fact(f"{name}模块{index}", TYPE, module)
            yield Fact(f"{name}模块{index}", module_of, name)
            yield Fact(f"{name}模块{index}", depends, f"{name}模块{index + 1}")
            yield Fact(f"{name}表{index}", part, f"{name}模块{index}")
            yield Fact(f"{name}员工{index}", member, f"团队{rng.randrange(systems)}")
            yield Fact(f"{name}决策{index}", participant, f"{name}员工{index}")
        yield Fact(f"{name}决策0", TYPE, decision)
        for index in range(4):
            yield Fact(f"{name}决策{index + 1}", supersedes, f"{name}决策{index}")
            yield Fact(f"{name}决策{index}", related, f"系统{rng.randrange(systems)}")


if __name__ == "__main__":
    main()
