"""The `graphrag` command: every subcommand with its examples.

Of a command line only the module of its own command is imported; `--help` imports them all.
"""

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from graphrag.cli.options import examples
from graphrag.cli.session import INTERRUPTED, CommandGroup, abandon_stdout, report_interrupt

_COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {  # the module of each, and its examples
    "ask": ("ask", ("graphrag ask 为什么选择 Saga 而不是 TCC", 'graphrag ask "who owns billing?" --tag team --json')),
    "search": (
        "ask",
        ("graphrag search 分布式事务 补偿 -k 5 --explain", "graphrag search retry_count --since 2024-01-01 --json"),
    ),
    "chat": ("chat", ("graphrag chat", "graphrag chat --vault ~/notes --tag 支付")),
    "index": ("index", ("graphrag index", "graphrag index --full --vault ~/notes")),
    "watch": ("watch", ("graphrag watch --vault ~/notes", "graphrag watch --print-unit systemd")),
    "near": ("look", ("graphrag near 支付模块 --hops 2", "graphrag near 支付模块 --mermaid")),
    "explain": (
        "explain",
        ('graphrag explain "张三 负责 支付模块"', 'graphrag explain "支付模块 --负责人--> 张三" --json'),
    ),
    "path": ("look", ("graphrag path 支付模块 张三", "graphrag path 支付模块 张三 --hops 6 --dot")),
    "cypher": (
        "cypher",
        (
            "graphrag cypher \"MATCH (t:Entity {kind: 'tag'}) RETURN t.title\"",
            'graphrag cypher "MATCH (n:Entity)-[r:Link]->(o:Entity {title: $name}) RETURN n.id, r.line" '
            "--param name=张三 --csv",
        ),
    ),
    "show": ("look", ("graphrag show 支付模块", "graphrag show 架构/支付模块.md --full")),
    "open": ("revisions", ("graphrag open 架构/支付模块.md:12-20@3f2a91c", "graphrag open 支付模块 --in editor")),
    "log": ("revisions", ("graphrag log 支付模块", "graphrag log 架构/旧方案.md -n 5 --json")),
    "changes": ("revisions", ("graphrag changes", "graphrag changes --since 2024-06-01 --all")),
    "tags": ("look", ("graphrag tags", "graphrag tags --json")),
    "categories": ("look", ("graphrag categories", "graphrag categories --vault ~/notes")),
    "sample": ("look", ("graphrag sample", "graphrag sample 20 --seed 7")),
    "eval": (
        "evaluate",
        ("graphrag eval questions.jsonl --mode all", "graphrag eval questions.jsonl --json --out run.json"),
    ),
    "calibrate": ("evaluate", ("graphrag calibrate", "graphrag calibrate --count 300 --vault ~/notes")),
    "export": (
        "export",
        ("graphrag export --out vault.graphml", "graphrag export --format json --out vault.json --force"),
    ),
    "status": ("status", ("graphrag status", "graphrag status --all")),
    "doctor": ("status", ("graphrag doctor", "graphrag doctor --json")),
    "serve": ("serve", ("graphrag serve", "graphrag serve --watch --port 9000")),
    "mcp": ("serve", ("graphrag mcp --vault ~/notes", "graphrag mcp --vault ~/notes --allow-write")),
    "init": ("init", ("graphrag init", "graphrag init ~/notes --hook")),
}
_GROUPS = {"ontology": "explain", "import": "import_", "token": "token"}  # the module of each


@cache
def command_line(only: str | None = None) -> typer.Typer:
    """Return the command line, with all commands or with a single one."""
    # Plain help: drawing it with rich would double the time of `--help`.
    line = typer.Typer(
        name="graphrag",
        cls=CommandGroup,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    line.callback()(_graphrag)
    for name, (module, shown) in _COMMANDS.items():
        if only in (None, name):
            line.command(name, epilog=examples(*shown))(_load(module, name))
    for name, module in _GROUPS.items():
        if only in (None, name):
            line.add_typer(_load(module, name))
    return line


def _load(module: str, name: str) -> Any:
    """Return the function of a command, or a group; a name that means something else already ends in `_`."""
    found = import_module(f"graphrag.cli.{module}")
    return getattr(found, f"{name}_" if hasattr(found, f"{name}_") else name)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"vault-graphrag {version('vault-graphrag')}")
        raise typer.Exit


def _graphrag(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Ask your own Markdown vault: search, answers with sources, and the links between notes."""


def run_line(arguments: Sequence[str], program: str | None = None) -> int:
    """Run a command line and return its exit code; `program` is what its usage calls the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    asked = next(iter(arguments), "")
    line = command_line(asked if asked in _COMMANDS or asked in _GROUPS else None)
    try:
        line(args=list(arguments), prog_name=program)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        report_interrupt()
        return INTERRUPTED
    except BrokenPipeError:
        abandon_stdout()
        return 1
    return 0
