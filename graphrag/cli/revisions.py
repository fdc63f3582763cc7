"""`log`, `changes`, `open`: how a note and the vault came to be, and the exact lines behind a citation."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from graphrag.cli import options
from graphrag.cli.options import check_one_format
from graphrag.cli.render_answer import fit_label, label_of, location_of, source_lines
from graphrag.cli.session import UsageError, opened
from graphrag.cli.terminal import linked, one_line, padded, plain, print_text, shorten, width_of
from graphrag.cli.words import comma, say, spoken
from graphrag.domain.history import (
    ChangeKind,
    LinkChange,
    NoteChange,
    NoteRevision,
    Passage,
    SectionChange,
    VaultChanges,
)
from graphrag.domain.query import Reference
from graphrag.errors import VaultError

if TYPE_CHECKING:
    from graphrag.app import App


# How editors are told a line; vi, nano, emacs and their kin understand +LINE.
_GOTO = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf"})
_COLON = frozenset({"subl", "hx", "helix", "zed", "zeditor"})
_NO_LINE = frozenset({"notepad", "open", "xdg-open", "textedit"})


def open_in_obsidian(passage: Passage) -> None:
    """Open the note in Obsidian, which shows what is on disk.

    Raises:
        VaultError: that is not what the citation names, or nothing opens such an address here.
    """
    if not passage.url:
        name = Reference(passage.note, passage.lines, passage.commit[:7])
        raise VaultError(
            f"Obsidian shows the file on disk, which does not say this: graphrag open '{name}' prints it, "
            "--in editor shows that version."
        )
    if typer.launch(passage.url):
        raise VaultError(f"nothing on this machine opens {passage.url}")


def open_in_editor(app: "App", passage: Passage) -> None:
    """Open the note at the line: the file itself, or a read-only copy of a version that is not the one on disk.

    Raises:
        UsageError: no editor is set, or there is none of that name.
    """
    if passage.is_current:
        file = app.vault / passage.note_now
    else:
        whole = app.open_citation(str(Reference(passage.note, None, passage.commit)))
        file = _write_copy(whole)
        typer.echo(say("This version is not the one on disk: a read-only copy is in {file}", file=file), err=True)
    command = editor_command(os.environ, file, passage.lines[0])
    try:
        code = subprocess.call(command)
    except OSError as error:
        raise UsageError(f"the editor '{command[0]}' cannot be started: {error.strerror}. Set $VISUAL.") from error
    if code:
        raise typer.Exit(code)


def editor_command(environment: Mapping[str, str], file: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line in the user's editor."""
    words = shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "")
    if not words:
        raise UsageError("no editor is set. Set $VISUAL or $EDITOR, as in: VISUAL='code --wait'")
    name = PurePosixPath(words[0].replace("\\", "/")).name.removesuffix(".exe")
    if name in _GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    if name in _COLON:
        return [*words, f"{file}:{line}"]
    return [*words, str(file)] if name in _NO_LINE else [*words, f"+{line}", str(file)]


def _write_copy(passage: Passage) -> Path:
    """Return a file that only its owner may read; it stays, since many editors return before they have read it."""
    note = PurePosixPath(passage.note)
    file = Path(tempfile.mkdtemp(prefix="graphrag-")) / f"{note.stem}@{passage.commit[:7]}{note.suffix}"
    file.touch(mode=0o600)
    file.write_text(passage.text + "\n", encoding="utf-8")
    file.chmod(0o400)
    return file


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
        kind = padded(say(str(revision.kind)), 7)
        head = f"{revision.date.date()}  {revision.commit[:_SHORT]}  {count:>{widest}}  {kind}  "
        tail = one_line(f"{revision.author}  {revision.subject}").rstrip()
        _, style = _MARKS[revision.kind]
        line = Text(head, "dim").append(shorten(tail, width_of(console) - cell_len(head)), "not dim")
        line.stylize(f"not dim {style}", len(head) - 2 - len(kind), len(head) - 2)
        console.print(line)
        if revision.previous_path:
            console.print(
                Text(say("            from {previous_path}", previous_path=one_line(revision.previous_path)), "dim")
            )


def render_changes(console: Console, view: VaultChanges, note_url: NoteUrl, show_all: bool) -> None:
    """Print the notes by what became of them, under each its sections and links, and a summary."""
    for kind in ChangeKind:
        notes = [note for note in view.notes if note.kind is kind]
        if notes:
            console.print(Text(f"{say(kind.capitalize())} ({len(notes)})", "bold"))
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
        return say("the note is no longer on disk")
    where = "" if passage.note_now == passage.note else say(", now {note_now},", note_now=one_line(passage.note_now))
    if passage.is_current:
        return say("the file on disk{where} says the same here", where=where)
    return say("the file on disk{where} no longer says this here", where=where)


def _render_note(console: Console, note: NoteChange, note_url: NoteUrl, show_all: bool) -> None:
    is_there = note.kind is not ChangeKind.REMOVED
    line = Text.assemble("  ", linked(note.path, note_url(note.path, None) if is_there else "", "blue"))
    if note.previous_path:
        line.append(f" ← {one_line(note.previous_path)}", "dim")
    is_brief = not show_all and note.kind in (ChangeKind.ADDED, ChangeKind.REMOVED)
    if is_brief:
        line.append(f"  {_counts(note)}", "dim")
    console.print(line)
    rows = [] if is_brief else list(_rows(note))
    shown = rows if show_all else rows[:_DETAILS]
    for kind, label, line_number in shown:
        _render_row(console, kind, label, line_number)
    if len(shown) < len(rows):
        console.print(Text(say("    {rows} more (--all shows them)", rows=len(rows) - len(shown)), "dim"))


def _rows(note: NoteChange) -> Iterator[tuple[ChangeKind, str, int]]:
    """Yield what changed inside a note; a line of 0 is not shown."""
    if note.front_matter:
        yield ChangeKind.CHANGED, say("front matter"), 0
    for section in note.sections:
        yield section.kind, _section_label(section, note.title), section.line
    for link in note.links:
        yield link.kind, _link_label(link), link.line


def _render_row(console: Console, kind: ChangeKind, label: str, line_number: int) -> None:
    mark, style = _MARKS[kind]
    tail = ""
    if line_number:
        place = "  was line {line_number}" if kind is ChangeKind.REMOVED else "  line {line_number}"
        tail = say(place, line_number=line_number)
    label = fit_label(label, width_of(console) - 6 - cell_len(tail))
    console.print(Text.assemble(("    " + mark + " ", style), label, (tail, "dim")))


def _section_label(section: SectionChange, title: str) -> str:
    label = label_of("", _within(section.heading, title)) or say(_START)
    if section.kind is not ChangeKind.RENAMED:
        return label
    return f"{label} ← {label_of('', _within(section.previous_heading, title)) or say(_START)}"


def _within(heading: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return a heading path without a first heading that only repeats the note's title."""
    return heading[1:] if len(heading) > 1 and heading[0] == title else heading


def _link_label(link: LinkChange) -> str:
    relation = f" ({link.relation})" if link.relation else ""
    return one_line(f"[[{link.target}]]{relation}")


def _summary(view: VaultChanges) -> str:
    start = view.since[:_SHORT] or say("the beginning")
    kinds = Counter(note.kind for note in view.notes)
    counts = comma().join(say(f"{{count}} {kind}", count=f"{kinds[kind]:,}") for kind in ChangeKind if kinds[kind])
    summary = (
        say(
            "{n} commit since {start}; notes: {counts}|{n} commits since {start}; notes: {counts}",
            n=view.commits,
            start=start,
            counts=counts,
        )
        if counts
        else say("No note changed since {start}", start=start)
    )
    left_out = say("; {left_out} left out, private or ignored", left_out=f"{view.left_out:,}") if view.left_out else ""
    return f"{summary}{left_out}{'。' if spoken().is_chinese else '.'}"


def _counts(note: NoteChange) -> str:
    sections = say("{n} section|{n} sections", n=len(note.sections))
    return f"{sections}{comma()}{say('{n} link|{n} links', n=len(note.links))}"


class Viewer(StrEnum):
    """Where `open` shows a passage, other than on the terminal."""

    OBSIDIAN = "obsidian"
    EDITOR = "editor"


def log(
    note: Annotated[str, typer.Argument(metavar="NOTE", help="By path, title or alias; a note that is gone by path.")],
    count: Annotated[
        int | None, typer.Option("-n", "--number", min=1, metavar="N", help="Only the last N revisions.")
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List the commits that changed a note.

    Newest first, through the names that the note had before.
    """
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        revisions = app.log(note)[:count]
    print_json(revisions) if as_json else render_log(output(), revisions)


def changes(
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="DATE|REV",
            help="From the start of a day, month or other time (2024-06-16, 7d, 上周, last Friday), or after a commit, "
            "tag or branch; by default 7d.",
        ),
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Print every section and link.")] = False,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List what changed in the vault.

    Notes, and in them sections and links. What is committed counts, not what is only saved.
    """
    from graphrag.cli.terminal import output, print_json

    with opened(vault, index_dir) as app:
        view = app.changes(since)
        print_json(view) if as_json else render_changes(output(), view, app.note_url, show_all)


def open_(
    citation: Annotated[
        list[str],
        typer.Argument(
            metavar="CITATION",
            help="note.md:12-20@3f2a91c; lines and commit may be left out, a title or alias may name the note.",
        ),
    ],
    viewer: Annotated[Viewer | None, typer.Option("--in", help="Open it there instead of printing it.")] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Print the lines behind a citation.

    In exactly the version that it names. What is known about them goes to stderr, so that a pipe gets the lines alone.
    """
    from graphrag.cli.terminal import diagnostics, output, print_json

    check_one_format(**{"json": as_json, "in": viewer is not None})
    with opened(vault, index_dir) as app:
        passage = app.open_citation(" ".join(citation))
        if viewer is Viewer.OBSIDIAN:
            open_in_obsidian(passage)
        elif viewer is Viewer.EDITOR:
            open_in_editor(app, passage)
        elif as_json:
            print_json(passage)
        else:
            render_passage(output(), diagnostics(), passage, app.note_url)
