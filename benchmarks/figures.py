"""What a benchmark prints: one figure a line, beside the budget that it is held to."""

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Figure:
    """One measured number; `limit` is its budget, None where there is none or this run does not test it."""

    name: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return f"{'ok' if self.value <= self.limit else 'OVER'}, at most {self.limit:g}"


def print_figures(title: str, figures: Sequence[Figure], as_json: bool) -> None:
    if as_json:
        report = {"run": title, "machine": _machine(), "figures": [asdict(figure) for figure in figures]}
        print(json.dumps(report, ensure_ascii=False, indent=2))
        return
    print(f"{title}\n{_machine()}\n")
    for figure in figures:
        print(f"{figure.name:<52} {figure.value:>12,.2f} {figure.unit:<8} {figure.verdict}".rstrip())


def say(line: str) -> None:
    """Tell how far the run is; stdout holds figures only."""
    print(line, file=sys.stderr, flush=True)


def _machine() -> str:
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}, Python {platform.python_version()}"


def print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], as_json: bool) -> None:
    if as_json:
        print(json.dumps([dict(zip(titles, row, strict=True)) for row in rows], ensure_ascii=False, indent=2))
        return
    widths = [max(len(row[column]) for row in (titles, *rows)) for column in range(len(titles))]
    print(f"{_machine()}\n")
    for row in (titles, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
