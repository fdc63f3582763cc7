"""The page's files, without a browser: strings in both languages, nothing inline or from elsewhere."""

import hashlib
import re
from pathlib import Path
from typing import get_args

import pytest

from graphrag.domain.query import AnswerStatus, FlagReason, Route
from graphrag.server.asgi import FOLDER
from graphrag.server.note_html import CALLOUT_CLASSES
from graphrag.shapes import WhyShape

SCRIPTS = sorted(FOLDER.glob("*.js"))
HTML = (FOLDER / "index.html").read_text(encoding="utf-8")
STRING = re.compile(r'^  "([\w.]+)": \[(.+)\],$', re.MULTILINE)
STRINGS = dict(STRING.findall((FOLDER / "strings.js").read_text(encoding="utf-8")))


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_every_string_that_is_used_is_there() -> None:
    used = set(re.findall(r'\bt\("([\w.]+)"', "".join(map(_read, SCRIPTS))))
    used |= set(re.findall(r'data-t(?:-\w+)?="([\w.]+)"', HTML))
    assert len(used) > 100
    assert used - STRINGS.keys() == set()


def test_both_languages_fill_the_same_places() -> None:
    for key, value in STRINGS.items():
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
        assert len(texts) in (2, 3) and all(texts), key
        assert len({frozenset(re.findall(r"\{\w+\}", text)) for text in texts}) == 1, key


@pytest.mark.parametrize(("prefix", "values"), [("status", AnswerStatus), ("route", Route), ("flag", FlagReason)])
def test_whatever_an_answer_may_say_has_words(prefix: str, values: type[AnswerStatus | Route | FlagReason]) -> None:
    assert {f"{prefix}.{value}" for value in values} - STRINGS.keys() == set()


def test_every_reason_for_a_passage_is_shown_with_its_rank_and_value() -> None:
    why = _read(FOLDER / "why.js")
    for name, field in WhyShape.model_fields.items():
        assert name in why, name
        for shape in get_args(field.annotation):
            parts = set(getattr(shape, "model_fields", ())) - ({"score"} if name == "full_text" else set())
            variable = re.search(rf"\b{name}: (\w+)", why)  # as the script calls it
            for part in parts:
                assert re.search(rf"\b{variable.group(1) if variable else name}\??\.{part}\b", why), f"{name}.{part}"


def test_what_a_note_may_look_like_is_styled_and_is_nothing_of_the_page() -> None:
    style = _read(FOLDER / "note.css")
    own = HTML + "".join(map(_read, SCRIPTS)) + "".join(_read(file) for file in FOLDER.glob("*.css"))
    for name in CALLOUT_CLASSES - {"framed-note"}:
        assert f".prose .{name} " in style
    assert len(re.findall(r"framed-", own)) == len(re.findall(r"framed-", style))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_says_what_it_is_for_and_reads_no_markup(script: Path) -> None:
    text = _read(script)
    assert text.startswith("// ")
    assert ("innerHTML" in text) == (script.name == "note_html.js")
    assert not re.search(r"\beval\(|new Function|insertAdjacentHTML|document\.write|outerHTML", text)
    for module in re.findall(r'(?:from|import\() ?"\./([\w/.]+)"', text):
        assert (FOLDER / module).is_file()


def test_nothing_is_inline_and_nothing_comes_from_elsewhere() -> None:
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", HTML)
    for file in [*SCRIPTS, *FOLDER.glob("*.css"), FOLDER / "index.html"]:
        addresses = set(
            re.findall(r"(?:https?:)?//[\w.-]+\.\w+[\w./]*", re.sub(r"^\s*//.*", "", _read(file), flags=re.M))
        )
        assert addresses <= {"http://www.w3.org/2000/svg"}, file.name
    for asset in re.findall(r'(?:src|href)="/page/([\w./-]+)"', HTML):
        assert (FOLDER / asset).is_file()


def test_the_vendored_library_is_the_one_that_its_note_names() -> None:
    digest = hashlib.sha256((FOLDER / "vendor" / "cytoscape.esm.min.js").read_bytes()).hexdigest()
    assert digest in _read(FOLDER / "vendor" / "README.md")
    assert "Permission is hereby granted" in _read(FOLDER / "vendor" / "cytoscape.LICENSE")
