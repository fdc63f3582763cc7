"""Prints the revisions of a note, what changed in the vault, and a passage of some version."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from graphrag.cli.source_line import fit_label, label_of, location_of, source_lines
from graphrag.cli.terminal import linked, one_line, plain, print_text, width_of
from graphrag.cli.wrap import shorten
from graphrag.domain.history import (
    ChangeKind,
    LinkChange,
    NoteChange,
    NoteRevision,
    Passage,
    SectionChange,
    VaultChanges,
)

NoteUrl = Callable[[str, int | None], str]

_DETAILS = 8  # sections and links shown of a note
_MARKS = {
    ChangeKind.ADDED: ("+", "green"),
    ChangeKind.CHANGED: ("~", "yellow"),
    ChangeKind.REMOVED: ("-", "red"),
    ChangeKind.RENAMED: ("→", "cyan"),
}
_START = "before the first heading"
_SHORT = 7  # digits of a commit


def render_log(console: Console, revisions: Sequence[NoteRevision]) -> None:
    """Print the revisions, one a line; where the note moved, the old path stands below."""
    counts = [f"+{revision.lines_added} -{revision.lines_removed}" for revision in revisions]
    widest = max(map(len, counts), default=0)
    for revision, count in zip(revisions, counts, strict=True):
        head = f"{revision.date.date()}  {revision.commit[:_SHORT]}  {count:>{widest}}  {revision.kind:<7}  "
        tail = one_line(f"{revision.author}  {revision.subject}").rstrip()
        _, style = _MARKS[revision.kind]
        line = Text(head, "dim").append(shorten(tail, width_of(console) - cell_len(head)), "not dim")
        line.stylize(f"not dim {style}", len(head) - 9, len(head) - 2)
        console.print(line)
        if revision.previous_path:
            console.print(Text(f"            from {one_line(revision.previous_path)}", "dim"))


def render_changes(console: Console, view: VaultChanges, note_url: NoteUrl, show_all: bool) -> None:
    """Print the notes by what became of them, under each its sections and links, and a summary."""
    for kind in ChangeKind:
        notes = [note for note in view.notes if note.kind is kind]
        if notes:
            console.print(Text(f"{kind.capitalize()} ({len(notes)})", "bold"))
        for note in notes:
            _render_note(console, note, note_url, show_all)
        if notes:
            console.print()
    print_text(console, Text(_summary(view), "dim"))


def render_passage(console: Console, header: Console, passage: Passage, note_url: NoteUrl) -> None:
    """Print the lines of a passage alone, and to `header` what they are."""
    url = note_url(passage.note_now, None) if passage.note_now else ""
    location = location_of(passage.note, passage.lines, url, passage.commit[:_SHORT])
    day = passage.changed.date().isoformat() if passage.changed else ""
    for line in source_lines("", passage.title, passage.heading, location, day, width_of(header)):
        header.print(line)
    header.print(Text(_state(passage), "dim" if passage.is_current else "yellow"))
    header.print()
    # A pipe gets the text as it is: rich would change its tabs, and click drop what looks like a colour.
    sys.stdout.write((plain(passage.text) if console.is_terminal else passage.text) + "\n")


def _state(passage: Passage) -> str:
    if not passage.note_now:
        return "the note is no longer on disk"
    where = "" if passage.note_now == passage.note else f", now {one_line(passage.note_now)},"
    return f"the file on disk{where} {'says the same' if passage.is_current else 'no longer says this'} here"


def _render_note(console: Console, note: NoteChange, note_url: NoteUrl, show_all: bool) -> None:
    is_there = note.kind is not ChangeKind.REMOVED
    line = Text.assemble("  ", linked(note.path, note_url(note.path, None) if is_there else "", "blue"))
    if note.previous_path:
        line.append(f" ← {one_line(note.previous_path)}", "dim")
    is_brief = not show_all and note.kind in (ChangeKind.ADDED, ChangeKind.REMOVED)
    if is_brief:
        line.append(f"  {_count(len(note.sections), 'section')}, {_count(len(note.links), 'link')}", "dim")
    console.print(line)
    rows = [] if is_brief else list(_rows(note))
    shown = rows if show_all else rows[:_DETAILS]
    for kind, label, line_number in shown:
        _render_row(console, kind, label, line_number)
    if len(shown) < len(rows):
        console.print(Text(f"    {len(rows) - len(shown)} more (--all shows them)", "dim"))


def _rows(note: NoteChange) -> Iterator[tuple[ChangeKind, str, int]]:
    """Yield what changed inside a note; a line of 0 is not shown."""
    if note.front_matter:
        yield ChangeKind.CHANGED, "front matter", 0
    for section in note.sections:
        yield section.kind, _section_label(section, note.title), section.line
    for link in note.links:
        yield link.kind, _link_label(link), link.line


def _render_row(console: Console, kind: ChangeKind, label: str, line_number: int) -> None:
    mark, style = _MARKS[kind]
    was = "was " if kind is ChangeKind.REMOVED else ""
    tail = f"  {was}line {line_number}" if line_number else ""
    label = fit_label(label, width_of(console) - 6 - len(tail))
    console.print(Text.assemble(("    " + mark + " ", style), label, (tail, "dim")))


def _section_label(section: SectionChange, title: str) -> str:
    label = label_of("", _within(section.heading, title)) or _START
    if section.kind is not ChangeKind.RENAMED:
        return label
    return f"{label} ← {label_of('', _within(section.previous_heading, title)) or _START}"


def _within(heading: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return a heading path without a first heading that only repeats the note's title."""
    return heading[1:] if len(heading) > 1 and heading[0] == title else heading


def _link_label(link: LinkChange) -> str:
    relation = f" ({link.relation})" if link.relation else ""
    return one_line(f"[[{link.target}]]{relation}")


def _summary(view: VaultChanges) -> str:
    start = view.since[:_SHORT] or "the beginning"
    kinds = Counter(note.kind for note in view.notes)
    counts = ", ".join(f"{kinds[kind]:,} {kind}" for kind in ChangeKind if kinds[kind])
    summary = (
        f"{_count(view.commits, 'commit')} since {start}; notes: {counts}"
        if counts
        else f"No note changed since {start}"
    )
    left_out = f"; {view.left_out:,} left out, private or ignored" if view.left_out else ""
    return f"{summary}{left_out}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
