"""Everything that a person reads has its Chinese: the source is read, and each message looked up in the catalogue."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphrag import errors
from graphrag.language.messages import said

ROOT = Path(__file__).parents[3]
FILES = sorted(path for room in ("graphrag", "vault_sync") for path in (ROOT / room).rglob("*.py"))
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
TOLD = {*ERRORS, "UsageError", "Problem", "Diagnostic", "Check", "Item", "on_note", "note_trouble"}
SAYS = {"say", "_say"}
PRINTS = {"Text", "print", "echo", "append", "assemble", "add", "add_column", "table_of"}
STYLE = re.compile(r"(?:(?:bold|dim|not|italic|red|green|yellow|cyan|blue|right|\{\})\s?)+")
PLACEHOLDER = re.compile(r"\{[a-z_0-9]*\}")
WORD = re.compile(r"[A-Za-z]{2,}")

DRAWINGS = ("export.py",)  # it writes DOT, Mermaid and GraphML
COMMANDS = [file for file in FILES if file.parent.name == "cli" and file.name not in DRAWINGS]

# What stays as it is in every language, with the reason.
KEPT = {
    "{}.": "a reason that the catalogue knows by itself",
    "{}:{}: {}.": "a place and a reason that the catalogue knows by itself",
    "{}: {}": "a place and a reason that the catalogue knows by itself",
    "git": "the name of a program",
    "python": "the name of a program",
    "onnxruntime": "the name of a package",
    "vault-graphrag {}": "the name of this program",
    "kind": "a column of figures, named as in --json",
    "metric": "a column of figures, named as in --json",
    "route": "a column of figures, named as in --json",
    "mode": "a column of figures, named as in --json",
    "answers": "a table of figures, named as in --json",
    "refused": "a column of figures, named as in --json",
    "ms p50/p95": "a unit and the names of figures",
    "{}/#token={}": "an address",
    "{} {} ms": "a stage's name, as in --json, and a unit",
}


def template_of(node: ast.expr) -> str | None:
    """Return a text with `{}` in the place of what is filled in, None for what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def bare(template: str) -> str:
    return PLACEHOLDER.sub("{}", template)


def texts_in(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the texts that become part of what is printed; those handed to other functions are theirs."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        yield node
    elif isinstance(node, ast.Tuple | ast.IfExp | ast.BinOp | ast.List | ast.Starred | ast.BoolOp | ast.GeneratorExp):
        for child in ast.iter_child_nodes(node):
            yield from texts_in(child)


KNOWN = {bare(template) for template in said()}


def is_known(template: str) -> bool:
    text = bare(template)
    parts = re.split(r"(?<=[.!?]) +", text)
    return not WORD.search(PLACEHOLDER.sub("", text)) or any(
        all(part in KNOWN or part.removesuffix(".") in KNOWN or part in KEPT for part in whole)
        for whole in ([text], parts)
    )


def calls(file: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_errors_and_notices_have_their_chinese(file: Path) -> None:
    told = (argument for call in calls(file) if called(call) in TOLD for argument in call.args)
    assert [text for node in told for text in [template_of(node)] if text and not is_known(text)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_is_said_by_its_template_stands_in_the_catalogue(file: Path) -> None:
    firsts = (call.args[0] for call in calls(file) if called(call) in SAYS and call.args)
    told = [text for node in firsts if isinstance(node, ast.Constant) for text in [template_of(node)] if text]
    assert [text for text in told if text not in said()] == []


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_a_command_prints_goes_through_the_catalogue(file: Path) -> None:
    printed = (text for call in calls(file) if called(call) in PRINTS for node in call.args for text in texts_in(node))
    shown = [text for node in printed for text in [template_of(node)] if text and not STYLE.fullmatch(text.strip())]
    assert [text for text in shown if WORD.search(PLACEHOLDER.sub("", text)) and bare(text) not in KEPT] == []


def test_a_translation_fills_in_the_same_values() -> None:
    for english, chinese in said().items():
        assert {*PLACEHOLDER.findall(chinese)} <= {*PLACEHOLDER.findall(english)}, english
