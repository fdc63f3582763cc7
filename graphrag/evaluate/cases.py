"""A file of questions with known answers -> cases: JSON Lines, one object a line.

Required keys are `id` and `question`. A case is measured by what else it says: `relevant` (empty for a question that
the notes do not answer), `evidence`, `route`; one that says none of these serves only where answers are measured.
`kind`, `answer` and `filters` may be missing. Other keys are ignored, so that one file can serve other tools too.
"""

import hashlib
import json
import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from graphrag.domain.query import Filters, Route
from graphrag.errors import QuestionError
from graphrag.understand.filters import first_day, last_day

_REQUIRED = ("id", "question")
_KNOWN = (*_REQUIRED, "kind", "relevant", "evidence", "answer", "filters", "route")
_KIND, _ROUTE_KIND = "question", "route"  # of a case that names no kind; of one that names a route besides
_LIKE = 0.8  # how like a key an unknown one is that may be meant for it
_FILTERS = ("tag", "category", "path", "since", "until", "type")
_SUFFIXES = (".md", ".canvas")


@dataclass(frozen=True, slots=True)
class Target:
    """A note that answers a question, or one section of it."""

    note: str  # path in the vault
    heading: str = ""  # empty: the whole note


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and what a good search returns for it."""

    id: str
    kind: str
    question: str
    relevant: tuple[Target, ...] | None  # empty when the notes hold no answer; None when the case does not say
    answer: str  # empty when none was written down
    evidence: tuple[str, ...]  # sentences of the notes that carry the answer
    filters: Filters
    route: Route | None  # None when the case does not say

    @property
    def is_answerable(self) -> bool:
        """Whether the case names notes that hold the answer."""
        return bool(self.relevant)

    @property
    def is_unanswerable(self) -> bool:
        """Whether the case says that the notes do not hold the answer."""
        return self.relevant == ()

    @property
    def is_ranked(self) -> bool:
        """Whether the case says what a search should find, so that rankings and refusals can be measured by it."""
        return self.relevant is not None

    @property
    def is_searched(self) -> bool:
        """Whether there is anything to measure a search by."""
        return self.is_ranked or bool(self.evidence)

    @property
    def digest(self) -> str:
        """Eight hex digits that change when the case asks for something else; its id and answer do not count."""
        filters = {name: value for name, value in asdict(self.filters).items() if value}
        targets = None if self.relevant is None else [(target.note, target.heading) for target in self.relevant]
        asked = (self.kind, self.question, targets, self.evidence, filters, self.route and self.route.value)
        return hashlib.sha256(repr(asked).encode()).hexdigest()[:8]


def read_cases(path: Path, for_answers: bool = False) -> tuple[Case, ...]:
    """Return the cases of a file in their order; only `for_answers` a case may say nothing to measure a search by.

    Raises:
        QuestionError: the file cannot be read, holds no case, or a line is wrong; the message names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise QuestionError(f"{path}: the cases cannot be read: {reason}.") from error
    cases: dict[str, Case] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = _case(line, for_answers)
            if case.id in cases:
                raise ValueError(f"the id '{case.id}' is taken by an earlier line")
        except ValueError as error:
            raise QuestionError(f"{path}:{number}: {error}.") from error
        cases[case.id] = case
    if not cases:
        raise QuestionError(f"{path}: holds no case. Write one JSON object a line: {', '.join(_REQUIRED)}.")
    return tuple(cases.values())


def unknown_notes(cases: Iterable[Case], known: Container[str]) -> tuple[str, ...]:
    """Return the relevant notes that are not known, each once: cases of another vault, or notes renamed since."""
    wanted = dict.fromkeys(target.note for case in cases for target in case.relevant or ())
    return tuple(note for note in wanted if note not in known)


def _case(line: str, for_answers: bool) -> Case:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at column {error.colno}") from error
    if not isinstance(data, dict):
        raise ValueError("not a JSON object")
    _check_keys(data, for_answers)
    return Case(
        id=_text(data, "id"),
        kind=_text(data, "kind") if "kind" in data else _ROUTE_KIND if "route" in data else _KIND,
        question=_text(data, "question"),
        relevant=tuple(_target(text) for text in _texts(data, "relevant")) if "relevant" in data else None,
        answer=_text(data, "answer") if data.get("answer") else "",
        evidence=_texts(data, "evidence"),
        filters=_filters(data.get("filters") or {}),
        route=_route(data),
    )


def _check_keys(data: Mapping[str, object], for_answers: bool) -> None:
    others = [key for key in data if key not in _KNOWN]
    for key in (*_REQUIRED, "relevant"):
        near = get_close_matches(key, others, n=1, cutoff=_LIKE) if key not in data else []
        if near or (key in _REQUIRED and key not in data):
            raise ValueError(f"the key '{key}' is missing" + (f"; is '{near[0]}' a misspelling of it" if near else ""))
    if not (for_answers or "relevant" in data or data.get("evidence") or "route" in data):
        raise ValueError(
            "it says nothing to measure the search by. Add 'relevant', 'evidence' or 'route', "
            "or measure only the answers, with --answers"
        )


def _text(data: Mapping[str, object], key: str) -> str:
    value = data[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"'{key}' is not a text")
    return value.strip()


def _texts(data: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Return one text or a list of them as a tuple; a missing value is none."""
    value = data.get(key)
    if value is None or value == "":
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
        raise ValueError(f"'{key}' is neither a text nor a list of texts")
    return tuple(item.strip() for item in items)


def _route(data: Mapping[str, object]) -> Route | None:
    if "route" not in data:
        return None
    name = _text(data, "route")
    if name not in list(Route):
        raise ValueError(f"unknown route '{name}'; known ones are {', '.join(Route)}")
    return Route(name)


def _target(text: str) -> Target:
    """Return the note and heading of `path.md#Heading`; a `#` inside a file name belongs to the name."""
    name = unicodedata.normalize("NFC", text)
    for suffix in _SUFFIXES:
        path, mark, heading = name.partition(f"{suffix}#")
        if mark:
            return Target(path + suffix, heading.rsplit("#", 1)[-1].strip())
    return Target(name)


def _filters(data: object) -> Filters:
    if not isinstance(data, dict):
        raise ValueError("'filters' is not a JSON object")
    for key in data:
        if key not in _FILTERS:
            raise ValueError(f"unknown filter '{key}'; known ones are {', '.join(_FILTERS)}")
    try:
        return Filters.named(
            tags=_texts(data, "tag"),
            categories=_texts(data, "category"),
            paths=_texts(data, "path"),
            since=_day(data, "since", first_day),
            until=_day(data, "until", last_day),
            types=_texts(data, "type"),
        )
    except QuestionError as error:
        raise ValueError(str(error).removesuffix(".")) from error


def _day(data: Mapping[str, object], key: str, read: Callable[[str], date]) -> date | None:
    return read(_text(data, key)) if key in data else None
