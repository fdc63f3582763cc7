"""A limited part of a vault: whatever is asked of it is what a vault without the other notes would say."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from graphrag.app import App
from graphrag.domain.graph import GraphQuery
from graphrag.domain.query import NO_FILTERS
from graphrag.domain.snapshot import Lag
from graphrag.errors import GraphragError, NoteNotFound
from graphrag.evaluate.cases import Case, Target
from graphrag.evaluate.evaluation import EvaluationPlan
from graphrag.evaluate.made_cases import CaseKind, MakePlan
from graphrag.retrieve.pipeline import SearchMode
from graphrag.shapes import dump, to_jsonable
from tests.e2e.conftest import silent
from tests.e2e.limited_pair import INSIDE, MOVING, Pair, change, finds, holds, make_pair, pair, surroundings
from tests.fakes.git import run_git

__all__ = ["pair", "surroundings"]

Call = Callable[[App], object]

MARK = re.compile("密|zqx", re.IGNORECASE)  # in all that only notes outside the limit say, and in nothing else


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory, surroundings: None) -> Iterator[Pair]:
    """Two vaults that nothing is changed in."""
    made = make_pair(tmp_path_factory.mktemp("still"))
    yield made
    made.close()


_NAMES = """
支付模块 张三 对账流程 支付组件 retry_count 消息队列 没有这篇 #支付 #共享 零散
密谈支付模块 密档/标签.md 密名 密主题 密签 #密签 #支付/密核 密私 密根 密画 密旧 密略
密档/旧.md zqx_term_7 支付密 密档/坏 乱 支 密档
"""
_QUESTIONS = """
支付模块 重试次数
retry_count 默认几次
对账流程怎么做
zqxsecret 密语
密谈支付模块
张三密
张三负责什么
支付模块依赖什么
哪些笔记链接到支付模块
什么依赖对账流程
谁评审支付模块
张三和支付模块有什么关系
标签 密签 的笔记有哪些
支付 分类下有哪些笔记
有多少篇笔记
2024年2月写了哪些笔记
我的笔记主要讲什么
tag:支付 对账
tag:密签 对账
category:密档 支付
path:密档 支付
type:密型 支付
zqx_term_7
movingword
"""
_CITATIONS = """
支付/支付模块.md:9-10 支付模块 零散.md 密谈支付模块 密档/密谈支付模块.md:1-3
密根.md 密私.md:1 密档/旧.md:1@HEAD 密档/旧.md 密根.md:1@密枝 支付模块@密枝
支付模块@2024-01-31 密根.md@2024-02-02 密根.md:99 支付模块:99 支付模块@0000000 密根@0000000
"""
NAMES, QUESTIONS, CITATIONS = _NAMES.split(), _QUESTIONS.strip().splitlines(), _CITATIONS.split()
PLAN = EvaluationPlan((SearchMode("full_text"), SearchMode("fused")), with_answers=True)


def case_of(note: str) -> Case:
    return Case("a", "term", "支付模块 重试次数", (Target(note),), "", (), NO_FILTERS, None)


@dataclass(frozen=True)
class Asked:
    """What came of a text; the text itself may come back in it."""

    text: str
    result: object


def each(method: Callable[[App, str], object], texts: Sequence[str]) -> Callable[[App], object]:
    """Return a call for each text, of which an error is a result like others."""
    return lambda app: [Asked(text, outcome(lambda: method(app, text))) for text in texts]  # noqa: B023 - called at once


def outcome(call: Callable[[], object]) -> object:
    try:
        return call()
    except GraphragError as error:
        return [type(error).__name__, str(error), *getattr(error, "candidates", ())]


def past(app: App, revision: str) -> object:
    """Return how an earlier state answers."""
    try:
        app.go_back(revision, silent)
        return app.tags(), app.search("支付模块", NO_FILTERS), app.status().notes, app.graph()
    finally:
        app.close()


def calls_of(names: Sequence[str], questions: Sequence[str], citations: Sequence[str]) -> dict[str, Call]:
    """Return what to ask of every public method of the facade: a new one has to be added here."""
    return {
        "search": each(lambda app, text: app.search(text, NO_FILTERS, 20), questions),
        "find": each(lambda app, text: app.find(text, NO_FILTERS, app._parts.search_policy(20)), questions),
        "ask": each(lambda app, text: app.ask(text, NO_FILTERS), questions),
        "passing": each(lambda app, text: app.passing(text, NO_FILTERS), questions),
        "why_not": each(lambda app, text: app.why_not("支付模块 重试次数", NO_FILTERS, text), names),
        "near": each(lambda app, text: app.near(text, 2, 50), names),
        "path": each(lambda app, text: app.path("张三", text, 4), names),
        "explain": each(lambda app, text: app.explain(f"{text} 负责人 张三"), names),
        "show": each(lambda app, text: app.show(text), names),
        "page": each(lambda app, text: app.page(text), names),
        "log": each(lambda app, text: [(item.path, item.previous_path, item.kind) for item in app.log(text)], names),
        "open_citation": each(lambda app, text: app.open_citation(text), citations),
        "notes": each(lambda app, text: app.notes(NO_FILTERS, text, 50), ("", "支付", "密")),
        "tags": lambda app: app.tags(),
        "categories": lambda app: app.categories(),
        "graph": lambda app: app.graph(),
        "overview": lambda app: app.overview(50),
        "cypher": each(
            lambda app, statement: app.cypher(GraphQuery(statement)),
            (
                "MATCH (n:Entity) RETURN n.id, n.title, n.tags ORDER BY n.id",
                "MATCH (a:Entity)-[l:Link]->(b:Entity) RETURN a.id, l.kind, b.id ORDER BY a.id, l.kind, b.id",
            ),
        ),
        "check_ontology": lambda app: [app.check_ontology(language) for language in ("zh", "en")],
        "changes": each(
            lambda app, text: (lambda view: (view.commits, view.notes, view.left_out))(app.changes(text)),
            ("2024-01-15", "2023-01-01", "9999d", "9999-01-01"),
        ),
        "sample": lambda app: sorted(app.sample(99, 1), key=lambda sample: sample.path),
        "status": lambda app: app.status(),
        "summary": lambda app: app.summary(),
        "stale": lambda app: app.stale(),
        "is_current": lambda app: app.is_current(),
        "is_indexed": lambda app: app.is_indexed,
        "has_newer": lambda app: app.has_newer,
        "refresh": lambda app: app.refresh(),
        "is_past": lambda app: app.is_past,
        "watcher": lambda app: app.watcher(),
        "report_unchanged": lambda app: app.report_unchanged(0.0),
        "index": lambda app: app.index(False, silent),
        "converse": each(
            lambda app, text: app.converse().ask(text, NO_FILTERS), ("支付模块 重试次数", "那密谈支付模块呢")
        ),
        "evaluate": each(lambda app, text: app.evaluate([case_of(text)], PLAN, silent), ("密档/密谈支付模块.md",)),
        "calibrate": each(lambda app, text: app.calibrate(int(text), 1, silent), ("99",)),
        "make_cases": lambda app: app.make_cases(MakePlan(tuple(CaseKind), 9, 1), silent),
        "go_back": each(past, ("2024-02-01", "2024-01-01", "密枝", ":/密", "HEAD^{/zqx}", "0000000")),
        "note_url": lambda app: app.note_url("a.md"),
        "vault": lambda app: app.vault.name,
    }


CALLS = calls_of(NAMES, QUESTIONS, CITATIONS)
NOT_COMPARED = {
    "open": "opens the whole vault",
    "settings": "of the whole vault, which the program's owner reads",
    "lag": "None in a limited part: commits and files of others count in it",
    "watch": "as `index`",
    "index_in_turn": "as `index`",
    "import_leanote": "refused",
    "save_answer": "refused",
    "limited": "refused",
    "index_dir": "a place on this machine",
    "index_folder": "a place on this machine",
    "doctor": "of the machine",
    "close": "says nothing",
}
_VOLATILE = {"trace", "seconds", "milliseconds", "created", "disk_bytes", "index_dir", "vault", "behind", "date", "ref"}
_ECHOES = {"question", "terms", "weights", "unknown_notes"}


def told(result: object, but: set[str] = _VOLATILE) -> str:
    """Return a result as text, without what differs between two equal vaults."""
    text = re.sub(r"\b[0-9a-f]{40}\b", "COMMIT", dump(strip(result, but)))
    return re.sub(r'"generation": \d+', '"generation": 0', text)


def strip(value: object, but: set[str]) -> object:
    plain = to_jsonable(value)
    if isinstance(plain, np.ndarray):
        return plain.tolist()
    if isinstance(plain, dict):
        return {key: strip(item, but) for key, item in plain.items() if key not in but}
    return [strip(item, but) for item in plain] if isinstance(plain, list) else plain


def shows_marks(result: object) -> bool:
    """Whether a result holds what only notes outside the limit say, but for the words that were asked."""
    if isinstance(result, list) and result and isinstance(result[0], Asked):
        return any(shows_marks_besides(item.text, item.result) for item in result)
    return shows_marks_besides("", result)


def shows_marks_besides(asked: str, result: object) -> bool:
    text = told(result, _VOLATILE | _ECHOES)
    for word in sorted({asked, *re.split(r"[\s:@]+", asked)}, key=len, reverse=True):
        text = text.replace(word, "…") if MARK.search(word) else text
    return bool(MARK.search(text))


def test_every_method_of_the_facade_is_looked_at() -> None:
    public = {name for name in dir(App) if not name.startswith("_")}
    assert public == CALLS.keys() | NOT_COMPARED.keys()


@pytest.mark.parametrize("method", CALLS)
def test_a_limited_part_answers_as_if_the_other_notes_had_never_been(still: Pair, method: str) -> None:
    limited, plain = (CALLS[method](app) for app in (still.limited, still.plain))
    assert told(limited) == told(plain)
    assert not shows_marks(limited)


def test_the_marks_of_the_other_notes_would_show(still: Pair) -> None:
    for method in ("search", "near", "show", "notes", "tags", "categories", "graph", "changes", "sample", "status"):
        assert shows_marks(CALLS[method](still.app)), method


def told_by(app: App) -> dict[str, str]:
    """Return most of what a vault tells now."""
    left_out = (
        "find",
        "passing",
        "why_not",
        "evaluate",
        "calibrate",
        "make_cases",
        "converse",
        "go_back",
        "has_newer",
        "index",
    )
    calls = calls_of(NAMES[::4], QUESTIONS[::5], CITATIONS[::4])
    return {name: told(call(app)) for name, call in calls.items() if name not in left_out}


def test_a_change_of_another_note_leaves_no_trace(pair: Pair) -> None:
    before, generation = told_by(pair.limited), pair.limited.summary().generation
    changes = pair.limited.changes("2024-01-15")
    pair.commit({}, {"密档/新.md": "# 密新\n\n[[支付模块]] #密新签\n", "密档/术语.md": None}, "2024-03-01")
    assert not pair.app.is_current()
    assert pair.limited.is_current()
    assert told_by(pair.limited) == before  # also while the index is behind
    assert (pair.app.lag(), pair.limited.lag()) == (Lag(1, 2, 0), None)
    assert pair.limited.search("支付模块", NO_FILTERS).snapshot.behind is None
    pair.index()
    assert told_by(pair.limited) == before
    assert pair.limited.changes("2024-01-15") == changes
    summary = pair.limited.summary()
    assert (summary.generation, summary.commit) == (generation, run_git(pair.whole, "rev-parse", "HEAD~"))


def test_the_index_of_a_part_follows_its_notes(pair: Pair) -> None:
    text = INSIDE["零散.md"] + "\n新的一句讲熔断。\n"
    new = {"零散.md": text, "支付/新.md": "# 新的\n\n熔断 [[零散]]\n", "随笔/张三.md": None}
    pair.commit(new, {"密档/术语.md": "密"}, "2024-03-01")
    pair.app.index(False, silent)
    report, plain = pair.limited.index(False, silent), pair.plain.index(False, silent)
    assert (report.added, report.changed, report.deleted) == (plain.added, plain.changed, plain.deleted) == (1, 1, 1)
    assert report.embeddings_made == 0  # the main index made them
    assert told_by(pair.limited) == told_by(pair.plain)


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        pytest.param(("来去.md", MOVING + "#共享\n"), ("来去.md", MOVING + "#密共享\n"), id="by_a_tag"),
        pytest.param(
            *(("来去.md", f"---\ncategory: 支付\n---\n{MOVING}"), ("来去.md", f"---\ncategory: 密\n---\n{MOVING}")),
            id="by_its_category",
            marks=pytest.mark.full,
        ),
        pytest.param(("支付/来去.md", MOVING), ("密档/来去.md", MOVING), id="by_its_folder", marks=pytest.mark.full),
        pytest.param(
            *(("支付/来去.md", MOVING), ("密档/来去二.md", MOVING + "密改\n")),
            id="under_another_name",
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_note_moves_into_and_out_of_the_part(pair: Pair, inside: tuple[str, str], outside: tuple[str, str]) -> None:
    pair.commit({}, dict([outside]), "2024-03-01")
    pair.index()
    assert "来去" not in told(pair.limited.graph())
    gone = {} if inside[0] == outside[0] else {outside[0]: None}
    pair.commit(dict([inside]), gone, "2024-03-02")
    pair.index()
    assert pair.limited.show("来去").note.path == inside[0]
    assert finds(pair.limited, "movingword")
    change(pair.whole, dict([outside]) | ({} if inside[0] == outside[0] else {inside[0]: None}), "移密", "2024-03-03")
    change(pair.reduced, {inside[0]: None}, "移", "2024-03-03")
    # The index knows it still, and nobody is told.
    assert not finds(pair.limited, "movingword")
    for refused in (pair.limited.show, pair.limited.page, pair.limited.log, pair.limited.open_citation):
        with pytest.raises(NoteNotFound):
            refused(inside[0])
    assert all("来去" not in neighbor.entity.title for neighbor in pair.limited.near("张三", 1, 50).neighbors)
    pair.index()
    report = pair.limited.status()
    assert (report.skipped, report.failed) == ((), ())
    limited, plain = told_by(pair.limited), told_by(pair.plain)
    assert limited.pop("changes") != plain.pop("changes")  # its coming and going are commits of the reduced vault
    assert pair.limited.changes("2023-01-01").notes == pair.plain.changes("2023-01-01").notes
    assert limited == plain
    assert not holds(pair.limited._parts.index_dir, "movingword")
