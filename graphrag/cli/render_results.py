"""Prints search results with snippets, on demand with reasons, and where a missing note was lost."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import PurePosixPath

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from graphrag.cli.render_answer import STAGES, location_of, relation_name, snapshot_words, source_lines
from graphrag.cli.terminal import ellipsize, one_line, plain, print_text, shorten, width_of, wrap_text
from graphrag.cli.words import answering, say, tell
from graphrag.domain.query import Candidate, GraphHop, SearchResult, Stage, Why
from graphrag.domain.report import WhyNot
from graphrag.language.shown import shown_text

_LINES = 2
_LEAD = 12  # characters shown before the first term
_SENTENCE_END = re.compile(r"[。！？；.!?;]\s*")


def snippet_lines(text: str, terms: tuple[str, ...], width: int) -> list[Text]:
    """Return at most two lines around the densest group of terms, the terms bold."""
    flat = " ".join(plain(shown_text(text)).split())
    pattern = _pattern(terms)
    fits = cell_len(flat) <= width * _LINES
    start = 0 if fits else _best_start(flat, pattern, width * _LINES // 2)
    shown = ("…" if start else "") + flat[start : start + width * _LINES]
    styled = Text(shown)
    if pattern is not None:
        styled.highlight_regex(pattern, "bold yellow")
    lines = wrap_text(styled, width)
    if len(lines) > _LINES or start + width * _LINES < len(flat):
        lines = [*lines[: _LINES - 1], ellipsize(lines[_LINES - 1], width)]
    return lines


def _pattern(terms: tuple[str, ...]) -> re.Pattern[str] | None:
    if not terms:
        return None
    return re.compile("|".join(_term_pattern(term) for term in sorted(terms, key=len, reverse=True)), re.IGNORECASE)


def _term_pattern(term: str) -> str:
    escaped = re.escape(term)
    # Inside longer words a short term is chance: `go` in `algorithm`.
    return rf"(?<![A-Za-z0-9]){escaped}(?![A-Za-z0-9])" if term.isascii() and len(term) < 4 else escaped


def _best_start(flat: str, pattern: re.Pattern[str] | None, length: int) -> int:
    matches = [(match.start(), match.group().casefold()) for match in pattern.finditer(flat)] if pattern else []
    best, best_count = 0, 0
    for index, (position, _) in enumerate(matches):
        group = {term for start, term in matches[index : index + 50] if start < position + length}
        if len(group) > best_count:
            best, best_count = position, len(group)
    return _sentence_start(flat, best) if best > _LEAD else 0


def _sentence_start(flat: str, position: int) -> int:
    """Return where the sentence around `position` starts; in a long one, a few characters before it."""
    window = flat[max(position - 3 * _LEAD, 0) : position]
    ends = list(_SENTENCE_END.finditer(window))
    if ends:
        return position - len(window) + ends[-1].end()
    lead = position - _LEAD
    return max(flat.find(" ", lead, position) + 1, lead)  # not inside a word


_SNIPPET_WIDTH = 100
_DROPPED_SHOWN = 5

NoteUrl = Callable[[str, int | None], str]


def render_results(console: Console, result: SearchResult, note_url: NoteUrl, explain: bool) -> None:
    """Print the candidates, best first."""
    with answering(result.question.asked):
        _render_results(console, result, note_url, explain)


def _render_results(console: Console, result: SearchResult, note_url: NoteUrl, explain: bool) -> None:
    indent = len(str(len(result.candidates))) + 2
    for rank, candidate in enumerate(result.candidates, 1):
        _render_candidate(console, str(rank).ljust(indent), candidate, note_url)
        if explain:
            _render_reasons(console, candidate, indent)
    if explain:
        _render_dropped(console, result)
    if result.notice:
        console.print()
        print_text(console, Text(plain(tell(result.notice)), "yellow"))
    if result.candidates:
        console.print()
        print_text(console, Text(_footer(result), "dim"))


def no_results_line(result: SearchResult) -> str:
    """Return why there is nothing to print."""
    with answering(result.question.asked):
        return f"{_nothing_found(result)} · {' · '.join(snapshot_words(result.snapshot))}"


def _nothing_found(result: SearchResult) -> str:
    below = sum(item.stage is Stage.RELEVANCE_FLOOR for item in result.dropped)
    if below:
        return say("Nothing close enough; passages dropped: {count} (--explain shows them).", count=below)
    return say("Nothing found.")


def render_why_not(console: Console, why_not: WhyNot, question: str) -> None:
    """Print at which stage a note was lost."""
    with answering(question):
        state = f"#{why_not.rank}" if why_not.stage is None else say(STAGES[why_not.stage])
        console.print(Text.assemble((one_line(why_not.note), "bold"), "  ", (state, "yellow")))
        print_text(console, Text(plain(why_not.detail)))
        if why_not.best is not None:
            _render_reasons(console, why_not.best, 2)


def _render_candidate(console: Console, prefix: str, candidate: Candidate, note_url: NoteUrl) -> None:
    chunk = candidate.chunk
    lines = (chunk.span.first_line, chunk.span.last_line)
    location = location_of(chunk.note, lines, note_url(chunk.note, lines[0]))
    width = width_of(console)
    for line in source_lines(prefix, chunk.title, chunk.heading, location, "", width):
        console.print(line)
    numbers = [str(best.line) for best in candidate.best_lines]
    room = max(map(len, numbers), default=0) + 2
    for number, best in zip(numbers, candidate.best_lines, strict=True):
        margin = Text(number.rjust(room - 2) + "  ", Style(dim=True, link=note_url(chunk.note, best.line) or None))
        shown = snippet_lines(best.text, candidate.why.terms, min(width, _SNIPPET_WIDTH) - len(prefix) - room)
        for line in shown:
            console.print(Text.assemble(" " * len(prefix), margin, line))
            margin = Text(" " * room)


def _render_reasons(console: Console, candidate: Candidate, indent: int) -> None:
    for reason in reason_lines(candidate.why):
        for line in wrap_text(Text(reason, "dim"), width_of(console) - indent):
            console.print(Text.assemble(" " * indent, line))


def reason_lines(why: Why) -> list[str]:
    """Return the reasons for a result, one a line."""
    reasons = []
    if why.full_text_rank is not None:
        score = f" ({why.full_text_score:.2f})" if why.full_text_score is not None else ""
        reasons.append(f"{say('words')} #{why.full_text_rank}{score}: {', '.join(why.terms)}")
    if why.vector_rank is not None:
        similarity = f" ({why.similarity:.3f})" if why.similarity is not None else ""
        reasons.append(f"{say('meaning')} #{why.vector_rank}{similarity}")
    if why.sparse_rank is not None:
        score = f" ({why.sparse_score:.3f})" if why.sparse_score is not None else ""
        reasons.append(f"{say('token weights')} #{why.sparse_rank}{score}")
    if why.walk_rank or why.graph_path:
        rank = f"#{why.walk_rank}" if why.walk_rank else ""
        way = draw_path(why.graph_path) if why.graph_path else ""
        reasons.append(" ".join(filter(None, (say("links"), rank, way))))
    if why.rerank is not None:
        reasons.append(f"{say('reranked')} {why.rerank:.3f}")
    return [plain(reason) for reason in reasons]


def draw_path(hops: tuple[GraphHop, ...]) -> str:
    """Return `支付模块 ─依赖→ 消息队列`; an arrow to the left is a backlink."""
    drawn = [_stem(hops[0].source)]
    for hop in hops:
        name = hop.name or relation_name(hop.kind)
        drawn += [f"←{name}─" if hop.is_backlink else f"─{name}→", _stem(hop.target)]
    return " ".join(drawn)


def _stem(entity_id: str) -> str:
    return PurePosixPath(entity_id).stem if entity_id.endswith(".md") else entity_id


def _render_dropped(console: Console, result: SearchResult) -> None:
    counts = Counter(item.stage for item in result.dropped)
    console.print()
    console.print(Text(say("Dropped: {count}", count=len(result.dropped)), "bold"))
    for stage in Stage:
        if not counts[stage]:
            continue
        console.print(f"  {counts[stage]}  {say(STAGES[stage])} ({stage})")
        for item in [item for item in result.dropped if item.stage is stage][:_DROPPED_SHOWN]:
            chunk = item.candidate.chunk
            line = f"     {one_line(chunk.note)}:{chunk.span.first_line}  {plain(item.detail)}".rstrip()
            console.print(Text(shorten(line, width_of(console)), "dim"))
    share = round(result.evidence.coverage * 100)
    evidence = say("evidence: {coverage} % of the words in one passage", coverage=share)
    if result.evidence.similarity is not None:
        evidence += " · " + say("similarity {similarity}", similarity=f"{result.evidence.similarity:.3f}")
    confidence = f"{result.evidence.confidence:.2f}"
    evidence += " · " + say("confidence that the notes hold the answer {confidence}", confidence=confidence)
    print_text(console, Text(evidence, "dim"))


def _footer(result: SearchResult) -> str:
    words = [say("results: {count}", count=len(result.candidates)), say(str(result.route))]
    words += snapshot_words(result.snapshot)
    words.append(say("{sum} ms", sum=f"{sum(result.trace.milliseconds.values()):.0f}"))
    return " · ".join(words)
