"""Input and expected output side by side, as readable files: a title line, `.`, the input, `.`, the output, `.`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Case:
    title: str
    given: str
    expected: str

    def __str__(self) -> str:
        return self.title


def read_cases(name: str) -> list[Case]:
    """Return the cases of a file; a character that cannot be seen is written as its code point, like <U+200B>."""
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
