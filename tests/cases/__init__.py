"""Cases as data: input and output side by side (`read_cases`), and tables of phrases, one a line (`each_line`)."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic import TypeAdapter


@dataclass(frozen=True)
class Case:
    title: str
    given: str
    expected: str

    def __str__(self) -> str:
        return self.title


def read_cases(name: str) -> list[Case]:
    """Return the cases of a file: a title line, `.`, the input, `.`, the output, `.`.

    A character that cannot be seen is written as its code point, like <U+200B>.
    """
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").split("\n")
    cases: list[Case] = []
    parts: list[list[str]] = [[]]
    for line in lines:
        if line != ".":
            parts[-1].append(line)
        elif len(parts) < 3:
            parts.append([])
        else:
            title = next(text for text in reversed(parts[0]) if text.strip())
            cases.append(Case(title, *(_visible("\n".join(part)) for part in parts[1:])))
            parts = [[]]
    return cases


def _visible(text: str) -> str:
    pieces = text.split("<U+")
    return pieces[0] + "".join(chr(int(piece[:4], 16)) + piece[5:] for piece in pieces[1:])


def read_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a table with one JSON object a line."""
    return [json.loads(line) for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()]


def each_line(test: Callable[..., None]) -> Callable[[], None]:
    """Run a test for each line of its table, and name every line that fails.

    The table of `test_x` in `tests/unit/understand/test_direct.py` is `tests/cases/understand/direct/x.jsonl`. The keys
    of a line are the arguments of the test; their values take the types that the test gives them.
    """
    *rooms, module = test.__module__.split(".")[2:]
    folder = Path(__file__).parent.joinpath(*rooms, module.removeprefix("test_"))
    table = folder / f"{test.__name__.removeprefix('test_')}.jsonl"

    @wraps(test)
    def run() -> None:
        types = {name: TypeAdapter(hint) for name, hint in get_type_hints(test).items() if name != "return"}
        lines = table.read_text(encoding="utf-8").splitlines()
        assert lines
        failures: list[str] = []
        for number, line in enumerate(lines, 1):
            given = json.loads(line)
            try:
                test(**{name: types[name].validate_python(value) for name, value in given.items()})
            except (Exception, pytest.fail.Exception) as error:
                failures.append(f"{table.name}:{number}: {line}\n{type(error).__name__}: {error}")
        if failures:
            pytest.fail(f"{len(failures)} of {len(lines)} lines fail\n\n" + "\n\n".join(failures), pytrace=False)

    del run.__wrapped__  # type: ignore[attr-defined]  # pytest would take the arguments for fixtures
    return run
