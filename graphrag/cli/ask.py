"""`ask` and `search`: an answer, or only its candidates. A vault without an index is indexed first."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graphrag.cli import options
from graphrag.cli.options import read_question
from graphrag.cli.session import opened
from graphrag.cli.words import say, tell
from graphrag.errors import SnapshotConflict, SnapshotMissing, VaultError

if TYPE_CHECKING:
    from graphrag.app import App
    from graphrag.domain.query import Answer, Filters
    from graphrag.domain.snapshot import IndexReport

Result = TypeVar("Result")

NOTHING_PASSES = (
    "no note passes the filters. `graphrag tags` and `graphrag categories` list what there is; "
    "--since and --until leave out notes without a date."
)
_EMBED_SECONDS = 15.0  # that a question waits for vectors
_PATIENCE = 30.0  # seconds that a question waits for another process that is indexing


@options.with_narrowing
def ask(
    question: options.QuestionWords = None,
    narrowing: options.Narrowing = options.ALL_NOTES,
    explain: Annotated[bool, typer.Option("--explain", help="Show how the question was understood.")] = False,
    save: Annotated[bool, typer.Option("--save", help="Write the answer as a new note into the vault.")] = False,
    save_as: Annotated[
        str | None, typer.Option("--save-as", metavar="NAME", help="Likewise, called so and not like the question.")
    ] = None,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """Answer a question from the notes, with sources."""
    from graphrag.cli.render_answer import render_answer, render_plan
    from graphrag.cli.terminal import diagnostics, output, print_json
    from graphrag.domain.query import AnswerStatus

    text = read_question(question)
    filters = narrowing.filters()
    with opened(vault, index_dir) as app:
        choose_snapshot(app, narrowing.at, narrowing.fresh)
        is_watched = diagnostics().is_terminal and not as_json
        ask_app = _ask_watched if is_watched else _ask_quietly
        answer = with_index(app, lambda: ask_app(app, text, filters))
        is_empty = answer.status is AnswerStatus.NO_HIT and app.passing(text, filters) == 0
    if not as_json and not is_empty:
        render_answer(output(), answer)
        if explain:
            render_plan(output(), answer)
    is_to_save = save or save_as is not None
    saved = app.save_answer(answer, save_as or "") if is_to_save else None
    if as_json:
        from graphrag.shapes import answer_json

        print_json(answer_json(answer) | ({"saved": saved} if is_to_save else {}))
    if is_empty:
        raise VaultError(NOTHING_PASSES)
    if is_to_save:
        typer.echo(saved_line(saved), err=True)


def saved_line(saved: str | None) -> str:
    """Return what became of an answer that was to be saved, as one line."""
    return (
        say("Saved: {saved}", saved=saved)
        if saved
        else say("Nothing was saved: the notes gave no answer to this question.")
    )


def _ask_quietly(app: "App", text: str, filters: "Filters") -> "Answer":
    return app.ask(text, filters)


def _ask_watched(app: "App", text: str, filters: "Filters") -> "Answer":
    """Ask and show the draft on stderr as it is written: its citations are checked only at the end."""
    from graphrag.cli.render_answer import draft_of_answer
    from graphrag.cli.terminal import diagnostics

    with draft_of_answer(diagnostics(), text) as draft:
        return app.ask(text, filters, draft)


@options.with_narrowing
def search(
    question: options.QuestionWords = None,
    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", min=1, max=200, metavar="N", help="How many results.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show why, and what was dropped.")] = False,
    why_not: Annotated[
        str | None, typer.Option("--why-not", metavar="NOTE", help="Say at which stage this note was lost.")
    ] = None,
    narrowing: options.Narrowing = options.ALL_NOTES,
    vault: options.Vault = None,
    index_dir: options.IndexDir = None,
    as_json: options.Json = False,
) -> None:
    """List the passages that fit a question, best first."""
    from graphrag.cli.render_results import no_results_line, render_results, render_why_not
    from graphrag.cli.terminal import output, print_json

    text = read_question(question)
    filters = narrowing.filters()
    with opened(vault, index_dir) as app:
        choose_snapshot(app, narrowing.at, narrowing.fresh)
        if why_not is not None:
            lost = with_index(app, lambda: app.why_not(text, filters, why_not))
            print_json(lost) if as_json else render_why_not(output(), lost, text)
            return
        result = with_index(app, lambda: app.search(text, filters, top_k, with_dropped=True))
        is_empty = not result.candidates and not filters.is_empty and app.passing(text, filters) == 0
        if as_json:
            from graphrag.shapes import search_json

            print_json(search_json(result, with_dropped=explain))
        if is_empty:
            raise VaultError(NOTHING_PASSES)
        if as_json:
            return
        render_results(output(), result, app.note_url, explain)
        if not result.candidates:
            typer.echo(no_results_line(result), err=True)


def choose_snapshot(app: "App", at: str | None, fresh: bool) -> None:
    """Bring the index up to date, or open the past, when the command says so."""
    from graphrag.cli.session import UsageError

    if at is not None and fresh:
        raise UsageError("--at asks for the past and --fresh for the present: give one of them.")
    if fresh and not app.is_current():
        _bring_up_to_date(app)
    if at is not None:
        from graphrag.cli.index import shown_progress
        from graphrag.cli.terminal import diagnostics

        with shown_progress(diagnostics()) as progress:
            report = app.go_back(at, progress)
        if report and not report.is_unchanged:
            made = say(
                "{notes} notes, {embeddings_made} of {chunks} chunks embedded anew",
                notes=f"{report.notes:,}",
                embeddings_made=f"{report.embeddings_made:,}",
                chunks=f"{report.chunks:,}",
            )
            typer.echo(
                say(
                    "Made the snapshot of {report}: {made}; {seconds} s",
                    report=report.commit[:7],
                    made=made,
                    seconds=f"{report.seconds:.1f}",
                ),
                err=True,
            )


def _bring_up_to_date(app: "App") -> None:
    try:
        _index(app)
    except SnapshotConflict as conflict:
        reason = f"{conflict} Without --fresh, the last snapshot answers."
        raise SnapshotConflict(f"not up to date after {_PATIENCE:.0f} s: {reason}") from None


def _index(app: "App") -> "IndexReport | None":
    """Index, after another process that is at it; None when that one brought the index up to date."""
    from graphrag.cli.index import run_index, run_when_free

    return run_when_free(lambda: run_index(app, False, _EMBED_SECONDS), app.is_current, _PATIENCE)


def with_index(app: "App", read: Callable[[], Result]) -> Result:
    """Return what `read` returns, after indexing a vault that was never indexed."""
    try:
        result = read()
    except SnapshotMissing:
        _make_index(app)
        return read()
    if not app.is_past and (stale := app.stale()):
        typer.echo(
            say("The {stale} changed since the index was made. Run: graphrag index", stale=tell(", ".join(stale))),
            err=True,
        )
    return result


def _make_index(app: "App") -> None:
    from rich.text import Text

    from graphrag.cli.index import summary_line
    from graphrag.cli.terminal import diagnostics, print_text

    typer.echo(say("No index of {vault} yet: making it now.", vault=app.vault), err=True)
    if (report := _index(app)) is None:
        return
    print_text(diagnostics(), Text(summary_line(report)))
    if report.embedded < report.chunks and app.settings.index.embedder != "none":
        typer.echo(say("Words and links answer now; for the meaning of the rest, run: graphrag index"), err=True)
