"""Prints what an import did: a line of counts, and the lists of what the user may want to look at."""

from rich.console import Console
from rich.text import Text

from graphrag.cli.terminal import plain, print_text
from vault_sync.leanote.write.import_report import ImportReport, Item

_SHOWN = 10
_SHORT = 7  # digits of a commit


def render_import(console: Console, report: ImportReport, show_all: bool) -> None:
    """Print a report; of long lists the first lines, unless all are wanted."""
    lists = (
        ("Conflicts", report.conflicts, "yellow"),
        ("Failed", report.failures, "red"),
        ("Moved", report.moved, "cyan"),
        ("Removed at Leanote", report.removed, "red"),
        ("Files that no note uses any more", report.removed_files, "red"),
        ("Kept from answers from now on", report.made_private, "yellow"),
        ("Skipped", report.skipped, "dim"),
        ("Empty", report.empty, "dim"),
        ("Missing files", report.missing_files, "yellow"),
        ("Links to notes that are not here", report.unresolved_links, "yellow"),
        ("Warnings", report.warnings, "yellow"),
    )
    new = (("New", report.imported, "green"), ("Updated", report.updated, "green"))
    for title, items, style in (*(new if show_all or report.is_trial else ()), *lists):
        if items:
            _render_list(console, title, items, style, show_all)
    print_text(console, Text(summary_line(report)))


def summary_line(report: ImportReport) -> str:
    """Return what an import did, in one line."""
    start = f"{'Would import' if report.is_trial else 'Imported'} from {plain(report.source)}"
    if report.is_unchanged:
        notes = f" ({report.unchanged:,} notes)" if report.unchanged else ""
        words = f"nothing has changed since the last import{notes}"
        return "; ".join([f"{start}: {words}", *_commit(report), f"{report.seconds:.1f} s"])
    counts = (
        (len(report.imported), "new"),
        (len(report.updated), "updated"),
        (len(report.moved), "moved"),
        (len(report.removed), "removed"),
        (len(report.removed_files), "no longer used"),
        (report.unchanged, "unchanged"),
        (len(report.skipped), "skipped"),
        (len(report.conflicts), "in conflict"),
        (len(report.failures), "failed"),
    )
    words = ", ".join(f"{count:,} {word}" for count, word in counts if count) or "no notes"
    return "; ".join([f"{start}: {words}", *_commit(report), f"{report.seconds:.1f} s"])


def _commit(report: ImportReport) -> list[str]:
    commit = [f"commit {report.commit[:_SHORT]}"] if report.commit else []
    return [*commit, f"not committed: {plain(report.not_committed)}"] if report.not_committed else commit


def _render_list(console: Console, title: str, items: tuple[Item, ...], style: str, show_all: bool) -> None:
    console.print(Text(f"{title} ({len(items):,})", f"bold {style}"))
    shown = items if show_all else items[:_SHOWN]
    for item in shown:
        line = Text(f"  {plain(item.name)}".replace("\n", " "))
        if item.detail:
            line.append(f"  {plain(item.detail)}".replace("\n", " "), "dim")
        console.print(line)
    if len(shown) < len(items):
        console.print(Text(f"  {len(items) - len(shown):,} more (--all shows them)", "dim"))
    console.print()
