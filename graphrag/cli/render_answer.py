"""Prints an answer: its text with marks, its sources one a line, and who wrote it from which snapshot."""

import re
from dataclasses import dataclass
from types import TracebackType

from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.style import Style
from rich.text import Text

from graphrag.cli.terminal import linked, one_line, plain, print_text, shorten, width_of
from graphrag.domain.query import (
    Answer,
    AnswerStatus,
    Flag,
    Reference,
    Route,
    SnapshotRef,
    SourceConflict,
    Stage,
    committed_version,
)
from graphrag.domain.snapshot import Lag
from graphrag.grounding.check_words import CHECKS_EN, CHECKS_ZH, CheckWords, reason_of


class AnswerDraft:
    """A region of the terminal that holds the draft, dim, and vanishes at the end; first a sign of life."""

    def __init__(self, console: Console, waiting: str) -> None:
        self._text = ""
        self._live = Live(
            Spinner("dots", Text(waiting, "dim")), console=console, transient=True, vertical_overflow="ellipsis"
        )

    def __enter__(self) -> "AnswerDraft":
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, piece: str) -> None:
        """Add the next piece to the draft."""
        self._text += piece
        self._live.update(Text(plain(self._text), "dim"))


_SEPARATOR = " › "
_GAP = "  "
# A label shortened below this says too little; then the path moves to a line of its own.
_MIN_LABEL = 24


def source_lines(
    prefix: str, title: str, heading: tuple[str, ...], location: Text, date: str, width: int
) -> list[Text]:
    """Return one line where it fits, with the label shortened if need be, else two; the path is never cut."""
    tail = Text.assemble(_GAP, location, (_GAP + date if date else "", "dim"))
    label = label_of(title, heading)
    room = width - cell_len(prefix) - tail.cell_len
    if room >= min(cell_len(label), _MIN_LABEL):
        return [Text.assemble((prefix, "bold cyan"), (fit_label(label, room), "bold"), tail)]
    label = fit_label(label, width - cell_len(prefix))
    indent = " " * max(cell_len(prefix) - len(_GAP), 0)
    if len(indent) + tail.cell_len > width:
        tail = Text.assemble(_GAP, location)
    return [Text.assemble((prefix, "bold cyan"), (label, "bold")), Text.assemble(indent, tail)]


def origin_line(indent: int, origin: str) -> Text:
    """Return where a note was taken from, which opens where the terminal can."""
    return Text.assemble(" " * indent, ("↗ ", "dim"), linked(origin, origin, "dim blue"))


def location_of(note: str, lines: tuple[int, int], url: str, version: str = "") -> Text:
    """Return `path:first-last`, which opens the note where the terminal can, with `@version` where there is one."""
    place = linked(str(Reference(note, lines)), url, "blue")
    return Text.assemble(place, (f"@{plain(version)}", "dim")) if version else place


def label_of(title: str, heading: tuple[str, ...]) -> str:
    """Return title and heading path; a first heading that repeats the title is said once."""
    parts = [part for part in (title, *(part for part in heading if part != title)) if part]
    return one_line(_SEPARATOR.join(parts))


def fit_label(label: str, room: int) -> str:
    """Return the label within `room` cells: the middle of the heading path goes first, then the end."""
    parts = label.split(_SEPARATOR)
    if cell_len(label) > room and len(parts) > 2:
        label = _SEPARATOR.join([parts[0], "…", parts[-1]])
    return shorten(label, room)


_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")


@dataclass(frozen=True, slots=True)
class Labels:
    """One language's words."""

    refusals: dict[AnswerStatus, str]
    working: str
    nearest: str
    extractive: str
    written_by: str  # {model}
    snapshot: str  # {name}
    worktree: str
    embedded: str  # {percent}
    behind: str  # {commits}, {notes}
    behind_notes: str  # {notes}
    uncommitted: str  # {notes}
    checks: CheckWords
    no_results: str
    below_floor: str  # {count}
    results: str  # {count}
    routes: dict[Route, str]  # of the searches; one that is missing is shown as it is called
    words: str
    meaning: str
    sparse: str
    graph: str
    rerank: str
    dropped: str  # {count}
    stages: dict[Stage, str]
    evidence: str  # {coverage}
    confidence: str  # {confidence}
    similarity: str  # {similarity}
    relations: dict[str, str]
    inferred: str
    mentions: str
    shared_tags: str
    holders: str
    shared_terms: str
    similar: str
    also_asked: str  # {questions}
    from_graph: str


ENGLISH = Labels(
    refusals={
        AnswerStatus.NO_HIT: "Nothing in my notes matches this question.",
        AnswerStatus.LOW_RELEVANCE: "My notes hold nothing close enough to this question.",
        AnswerStatus.NOT_IN_NOTES: "The answer is not in my notes.",
    },
    working="reading the notes …",
    nearest="The nearest passages:",
    extractive="the notes' own sentences, no model",
    written_by="written by {model}",
    snapshot="snapshot {name}",
    worktree="worktree",
    embedded="{percent} % embedded so far",
    behind="behind the vault, commits: {commits}, notes: {notes} (--fresh takes them in)",
    behind_notes="behind the vault, notes: {notes} (--fresh takes them in)",
    uncommitted="notes changed and not committed: {notes}",
    checks=CHECKS_EN,
    no_results="Nothing found.",
    below_floor="Nothing close enough; passages dropped: {count} (--explain shows them).",
    results="results: {count}",
    routes={},
    words="words",
    meaning="meaning",
    sparse="token weights",
    graph="links",
    rerank="reranked",
    dropped="Dropped: {count}",
    stages={
        Stage.CANDIDATES: "in neither list",
        Stage.GONE: "no longer in the vault",
        Stage.PER_NOTE_CAP: "its note already gave its share",
        Stage.NEAR_DUPLICATE: "says what a better one says",
        Stage.RELEVANCE_FLOOR: "too far from the question",
        Stage.TOP_K: "below the last result",
    },
    evidence="evidence: {coverage} % of the words in one passage",
    confidence="confidence that the notes hold the answer {confidence}",
    similarity="similarity {similarity}",
    relations={
        **{"wiki": "link", "markdown": "link", "embed": "embed", "tag": "tag", "property": "property"},
        **{"mention": "mention", "term": "shared term"},
    },
    inferred="inferred",
    mentions="mentions without a link",
    shared_tags="shared tags",
    holders="notes that hold it",
    shared_terms="shared terms",
    similar="similar",
    also_asked="also searched for: {questions}",
    from_graph="read from the relations in the notes, no model",
)

CHINESE = Labels(
    refusals={
        AnswerStatus.NO_HIT: "我笔记里没有相关内容。",
        AnswerStatus.LOW_RELEVANCE: "我笔记里没有与这个问题足够相关的内容。",
        AnswerStatus.NOT_IN_NOTES: "我笔记里没有这个问题的答案。",
    },
    working="正在查阅笔记……",
    nearest="最接近的内容：",
    extractive="笔记原句，未经模型改写",
    written_by="由 {model} 撰写",
    snapshot="快照 {name}",
    worktree="工作区",
    embedded="已嵌入 {percent} %",
    behind="落后 {commits} 次提交、{notes} 篇笔记（--fresh 可先更新）",
    behind_notes="落后 {notes} 篇笔记（--fresh 可先更新）",
    uncommitted="{notes} 篇笔记有未提交的修改",
    checks=CHECKS_ZH,
    no_results="没有找到。",
    below_floor="没有足够相关的内容：{count} 段被舍弃（--explain 可查看）。",
    results="{count} 条结果",
    routes={Route.HYBRID: "综合检索", Route.LOOKUP: "按名称查找", Route.MULTI_HOP: "多步检索"},
    words="词语",
    meaning="语义",
    sparse="词元权重",
    graph="链接",
    rerank="重排",
    dropped="舍弃 {count} 段",
    stages={
        Stage.CANDIDATES: "两个列表里都没有",
        Stage.GONE: "笔记里已经没有",
        Stage.PER_NOTE_CAP: "所在笔记的名额已满",
        Stage.NEAR_DUPLICATE: "与更好的一段重复",
        Stage.RELEVANCE_FLOOR: "与问题相距太远",
        Stage.TOP_K: "排在最后一条结果之后",
    },
    evidence="依据：单段覆盖 {coverage} % 的词语",
    confidence="笔记里有答案的把握 {confidence}",
    similarity="相似度 {similarity}",
    relations={
        **{"wiki": "链接", "markdown": "链接", "embed": "嵌入", "tag": "标签", "property": "属性"},
        **{"mention": "提及", "term": "共有术语"},
    },
    inferred="推出的关系",
    mentions="提及（无链接）",
    shared_tags="共有标签",
    holders="出现在这些笔记里",
    shared_terms="共有术语",
    similar="内容相近",
    also_asked="另外检索：{questions}",
    from_graph="读自笔记里的关系，未经模型",
)


def labels_for(text: str) -> Labels:
    """Return the labels of the language that a text is written in."""
    return CHINESE if _CJK.search(text) else ENGLISH


_MARK = re.compile(r"\[(\d+)\]")
_QUOTED = 40  # characters of a sentence beside the reason why it is marked
EXTRACTIVE = "extractive"
RULES = "rules"
GRAPH = "graph"


def render_answer(console: Console, answer: Answer) -> None:
    """Print the answer, its sources, and where it comes from."""
    labels = labels_for(answer.question)
    print_text(console, _marked(answer, labels))
    for conflict in answer.conflicts:
        _render_conflict(console, conflict, labels)
    for flag in answer.flags:
        print_text(console, Text(_flag_line(flag, answer, labels), "dim"))
    if answer.citations:
        console.print()
        if answer.status in labels.refusals:
            console.print(Text(labels.nearest, "dim"))
        _render_sources(console, answer)
    console.print()
    if answer.notice:
        print_text(console, Text(plain(answer.notice), "yellow"))
    if answer.sub_questions:
        questions = " → ".join(one_line(text) for text in answer.sub_questions)
        print_text(console, Text(labels.also_asked.format(questions=questions), "dim"))
    print_text(console, Text(_footer(answer, labels), "dim"))


def snapshot_words(snapshot: SnapshotRef, labels: Labels) -> list[str]:
    """Return which snapshot a result comes from, and how much of it is embedded while that is not all."""
    is_worktree = snapshot.worktree or not snapshot.commit
    words = [labels.snapshot.format(name=labels.worktree if is_worktree else snapshot.commit[:7])]
    if snapshot.embedded < 1:
        words.append(labels.embedded.format(percent=int(snapshot.embedded * 100)))
    return words + (_lag_words(snapshot.behind, labels) if snapshot.behind else [])


def _lag_words(lag: Lag, labels: Labels) -> list[str]:
    words = []
    if not lag.is_zero:
        text = labels.behind if lag.commits else labels.behind_notes
        words.append(text.format(commits=lag.commits, notes=lag.notes))
    if lag.uncommitted:
        words.append(labels.uncommitted.format(notes=lag.uncommitted))
    return words


def _render_conflict(console: Console, conflict: SourceConflict, labels: Labels) -> None:
    """Print what is disputed, and a line for each side."""
    print_text(console, Text(f"! {labels.checks.conflict.format(subject=one_line(conflict.subject))}", "yellow"))
    for side in conflict.sides:
        print_text(console, Text(f"  {one_line(side.value)} [{side.key}]  {side.date}".rstrip(), "yellow"))


def _flag_line(flag: Flag, answer: Answer, labels: Labels) -> str:
    """Return why a sentence is marked, or was left out, with its beginning."""
    sentence = one_line(flag.sentence)
    quoted = sentence if len(sentence) <= _QUOTED else f"{sentence[:_QUOTED]}…"
    return f"? {plain(reason_of(flag, answer.answer, labels.checks))} — {quoted}"


def _render_sources(console: Console, answer: Answer) -> None:
    prefixes = [f"[{citation.key}] " for citation in answer.citations]
    version = committed_version(answer.snapshot) if answer.snapshot else ""
    widest = max(map(len, prefixes))
    for prefix, citation in zip(prefixes, answer.citations, strict=True):
        location = location_of(citation.note, citation.lines, citation.url, version)
        lines = source_lines(
            prefix.ljust(widest),
            citation.title,
            citation.heading,
            location,
            citation.changed[:10],
            width_of(console),
        )
        for line in (*lines, *([origin_line(widest, citation.origin)] if citation.origin else [])):
            console.print(line)


def _marked(answer: Answer, labels: Labels) -> Text:
    text = Text(plain(answer.answer or labels.refusals.get(answer.status, "")).strip())
    urls = {citation.key: citation.url for citation in answer.citations}
    for mark in _MARK.finditer(text.plain):
        if (key := int(mark.group(1))) in urls:
            style = Style.parse("bold cyan") + Style(link=plain(urls[key]) or None)
            text.stylize(style, mark.start(), mark.end())
    return text


def _footer(answer: Answer, labels: Labels) -> str:
    words = []
    if answer.status is AnswerStatus.ANSWERED and answer.model == EXTRACTIVE:
        words.append(labels.extractive)
    elif answer.model == GRAPH:
        words.append(labels.from_graph)
    elif answer.model not in (EXTRACTIVE, RULES):
        words.append(labels.written_by.format(model=answer.model))
    if answer.snapshot is not None:
        words += snapshot_words(answer.snapshot, labels)
    return " · ".join(words)
