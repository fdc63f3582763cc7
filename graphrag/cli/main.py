"""The `graphrag` command: every subcommand with its examples, and the entry point."""

import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Annotated

import typer

from graphrag.cli.ask import ask, search
from graphrag.cli.chat import chat
from graphrag.cli.cypher import cypher
from graphrag.cli.evaluate import calibrate, eval_
from graphrag.cli.explain import explain, ontology
from graphrag.cli.export import export
from graphrag.cli.history import changes, log, open_
from graphrag.cli.import_ import import_
from graphrag.cli.index import index
from graphrag.cli.init import init
from graphrag.cli.look import categories, near, path, sample, show, tags
from graphrag.cli.options import examples
from graphrag.cli.serve import mcp_, serve
from graphrag.cli.session import INTERRUPTED, CommandGroup, abandon_stdout, report_interrupt
from graphrag.cli.status import doctor, status
from graphrag.cli.token import token
from graphrag.cli.watch import watch

# Plain help: drawing it with rich would double the time of `--help`.
app = typer.Typer(
    name="graphrag",
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: list[tuple[Callable[..., None], tuple[str, ...]]] = [
    (ask, ("graphrag ask 为什么选择 Saga 而不是 TCC", 'graphrag ask "who owns billing?" --tag team --json')),
    (
        search,
        (
            "graphrag search 分布式事务 补偿 -k 5 --explain",
            "graphrag search retry_count --since 2024-01-01 --json",
        ),
    ),
    (chat, ("graphrag chat", "graphrag chat --vault ~/notes --tag 支付")),
    (index, ("graphrag index", "graphrag index --full --vault ~/notes")),
    (watch, ("graphrag watch --vault ~/notes", "graphrag watch --print-unit systemd")),
    (near, ("graphrag near 支付模块 --hops 2", "graphrag near 支付模块 --mermaid")),
    (explain, ('graphrag explain "张三 负责 支付模块"', 'graphrag explain "支付模块 --负责人--> 张三" --json')),
    (path, ("graphrag path 支付模块 张三", "graphrag path 支付模块 张三 --hops 6 --dot")),
    (
        cypher,
        (
            "graphrag cypher \"MATCH (t:Entity {kind: 'tag'}) RETURN t.title\"",
            'graphrag cypher "MATCH (n:Entity)-[r:Link]->(o:Entity {title: $name}) RETURN n.id, r.line" '
            "--param name=张三 --csv",
        ),
    ),
    (show, ("graphrag show 支付模块", "graphrag show 架构/支付模块.md --full")),
    (open_, ("graphrag open 架构/支付模块.md:12-20@3f2a91c", "graphrag open 支付模块 --in editor")),
    (log, ("graphrag log 支付模块", "graphrag log 架构/旧方案.md -n 5 --json")),
    (changes, ("graphrag changes", "graphrag changes --since 2024-06-01 --all")),
    (tags, ("graphrag tags", "graphrag tags --json")),
    (categories, ("graphrag categories", "graphrag categories --vault ~/notes")),
    (sample, ("graphrag sample", "graphrag sample 20 --seed 7")),
    (
        eval_,
        ("graphrag eval questions.jsonl --mode all", "graphrag eval questions.jsonl --json --out run.json"),
    ),
    (calibrate, ("graphrag calibrate", "graphrag calibrate --count 300 --vault ~/notes")),
    (export, ("graphrag export --out vault.graphml", "graphrag export --format json --out vault.json --force")),
    (status, ("graphrag status", "graphrag status --all")),
    (doctor, ("graphrag doctor", "graphrag doctor --json")),
    (serve, ("graphrag serve", "graphrag serve --watch --port 9000")),
    (mcp_, ("graphrag mcp --vault ~/notes", "graphrag mcp --vault ~/notes --allow-write")),
    (init, ("graphrag init", "graphrag init ~/notes --hook")),
]

for _command, _examples in _COMMANDS:
    app.command(_command.__name__.rstrip("_"), epilog=examples(*_examples))(_command)

app.add_typer(ontology)
app.add_typer(import_)
app.add_typer(token)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"vault-graphrag {version('vault-graphrag')}")
        raise typer.Exit


@app.callback()
def graphrag(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Ask your own Markdown vault: search, answers with sources, and the links between notes."""


def run() -> None:
    """Run the command line; the entry point of the `graphrag` script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except KeyboardInterrupt:
        report_interrupt()
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        abandon_stdout()
        sys.exit(1)
