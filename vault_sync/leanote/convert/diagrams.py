"""The diagrams of Leanote's `flow` and `sequence` fences -> Mermaid, which Obsidian draws; only where nothing is lost.

A diagram with a single line that is not surely understood is none, and stays as code.
"""

import re
from collections.abc import Iterator, Sequence

_NAME = r"\w[\w ]{0,60}"
_MESSAGE = re.compile(rf"({_NAME})(--?>>?)({_NAME}):\s*([^;#]+)")
_NOTE = re.compile(rf"note\s+(left of|right of|over)\s+({_NAME}(?:,\s*{_NAME})?):\s*([^;#]+)", re.IGNORECASE)
_TITLE = re.compile(r"title:\s*([^;#]+)", re.IGNORECASE)
_PARTICIPANT = re.compile(rf"participant\s+({_NAME})", re.IGNORECASE)
_ARROWS = {"->": "->>", "-->": "-->>", "->>": "-)", "-->>": "--)"}
_SHAPE = re.compile(r"([A-Za-z]\w{0,40})=>(start|end|operation|subroutine|condition|inputoutput):\s*([^|\"<>]+)")
_STEP = re.compile(r"([A-Za-z]\w{0,40})(?:\(([\w, ]{0,40})\))?")
_SHAPES = {
    "start": '(["{}"])',
    "end": '(["{}"])',
    "operation": '["{}"]',
    "subroutine": '[["{}"]]',
    "condition": '{{"{}"}}',
    "inputoutput": '[/"{}"/]',
}
_ANSWERS = ("yes", "no", "true", "false")
_SIDES = frozenset(("left", "right", "top", "bottom"))


def mermaid(language: str, lines: Sequence[str]) -> list[str] | None:
    """Return a diagram's lines as Mermaid has them, None when it is not a diagram that is surely understood."""
    convert = {"sequence": _sequence, "flow": _flow}.get(language)
    stripped = [line.strip() for line in lines if line.strip()]
    if convert is None or not stripped:
        return None
    try:
        return list(convert(stripped))
    except _NotUnderstoodError:
        return None


class _NotUnderstoodError(Exception):
    """A line has no sure meaning."""


def _sequence(lines: list[str]) -> Iterator[str]:
    yield "sequenceDiagram"
    for line in lines:
        if found := _TITLE.fullmatch(line):
            yield f"    title {found.group(1)}"
        elif found := _PARTICIPANT.fullmatch(line):
            yield f"    participant {_participant(found.group(1))}"
        elif found := _NOTE.fullmatch(line):
            names = ",".join(_participant(name) for name in found.group(2).split(","))
            yield f"    Note {found.group(1).lower()} {names}: {_broken(found.group(3))}"
        elif found := _MESSAGE.fullmatch(line):
            sender, arrow, receiver, text = found.groups()
            yield f"    {_participant(sender)}{_ARROWS[arrow]}{_participant(receiver)}: {_broken(text)}"
        else:
            raise _NotUnderstoodError


def _participant(name: str) -> str:
    name = name.strip()
    if name.lower().split()[0] in ("end", "as", "note", "title", "participant", "loop", "alt", "opt", "par"):
        raise _NotUnderstoodError
    return name


def _broken(text: str) -> str:
    return text.replace("\\n", "<br/>").strip()


def _flow(lines: list[str]) -> Iterator[str]:
    yield "flowchart TD"
    known: set[str] = set()
    for line in lines:
        if "=>" not in line:
            yield from _steps(line, known)
            continue
        found = _SHAPE.fullmatch(line)
        if not found or ":>" in line:
            raise _NotUnderstoodError
        known.add(found.group(1))
        yield f"    {found.group(1)}_{_SHAPES[found.group(2)].format(found.group(3).strip())}"


def _steps(line: str, known: set[str]) -> Iterator[str]:
    """Yield an arrow for each step of `a->b(yes)->c`; an underscore keeps names apart from Mermaid's own words."""
    steps = [_STEP.fullmatch(step.strip()) for step in line.split("->")]
    before = ""
    for step in steps:
        if not step or step.group(1) not in known:
            raise _NotUnderstoodError
        if before:
            yield f"    {before} {step.group(1)}_"
        words = [word.strip() for word in (step.group(2) or "").split(",") if word.strip()]
        answers = [word for word in words if word in _ANSWERS]
        if len(answers) > 1 or not _SIDES.issuperset(set(words) - set(answers)):
            raise _NotUnderstoodError
        before = f"{step.group(1)}_ -->|{answers[0]}|" if answers else f"{step.group(1)}_ -->"
    if len(steps) < 2:
        raise _NotUnderstoodError
