"""What is said of a setting that cannot be used: where it stands, what it is, what is taken."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from graphrag.errors import ConfigError
from graphrag.settings import Settings, load_settings

NUMBERS = (int, float)
OF_PYDANTIC = ("Input should", "constrained", "literal[", "cannot be used", "valid ", "unable to", "instance")
WRONG = ["true", "false", "-7", "1.5", "1e99", "nan", '""', '"much"', "[]", "[7]", "{ a = 1 }", "2024-06-16"]


def refusal(folder: Path, text: str) -> str:
    (folder / "graphrag.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_settings(folder)
    return str(caught.value).removeprefix(str(folder / "graphrag.toml"))


def every_setting() -> Iterator[tuple[str, str, object]]:
    for section, field in Settings.model_fields.items():
        assert isinstance(field.default, BaseModel)
        for key, setting in type(field.default).model_fields.items():
            yield section, key, setting.default


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "[search]\nmin_confidence = 1.5",
            ", line 2: setting 'search.min_confidence' is 1.5, but takes 1 at most, or \"auto\"",
        ),
        ("[search]\nmin_confidence = true", "'search.min_confidence' is true, but takes a number, or \"auto\""),
        ("[search]\nmin_confidence = 'high'", '\'search.min_confidence\' is "high", but takes a number, or "auto"'),
        ("[search]\nmin_confidence = []", "'search.min_confidence' takes a number, or \"auto\""),
        ("[search]\ntop_k = true", "'search.top_k' is true, but takes a whole number"),
        ("[search]\ntop_k = 2.5", "'search.top_k' is 2.5, but takes a whole number"),
        ("[search]\ntop_k = 0", "'search.top_k' is 0, but takes 1 or more"),
        ("[walk]\ndamping = 1.0", "'walk.damping' is 1.0, but takes less than 1"),
        ("[answer]\ntimeout_seconds = 0", "'answer.timeout_seconds' is 0, but takes more than 0"),
        ("[answer]\nunsupported = 'keep'", '\'answer.unsupported\' is "keep", but takes "mark" or "drop"'),
        ("[index]\nworktree = 'perhaps'", "'index.worktree' is \"perhaps\", but takes true or false"),
        ("[index]\ndir = 7", "'index.dir' is 7, but takes text"),
        ("[vault]\nexclude = 'a'", '\'vault.exclude\' is "a", but takes a list, like ["a", "b"]'),
        ("[vault]\nexclude = ['a', 7]", "setting 'vault.exclude', value 2: takes text"),
        (
            "[chunk]\nmin_size = 700",
            ", line 1: under [chunk], min_size is larger than max_size. Mend one of the values",
        ),
        ("search = 7", ", line 1: 'search' is the name of a section. Write its settings below a line [search]."),
        ("[search]\ntopk = 3", ", line 2: unknown setting 'search.topk'. Known ones: "),
        ("[serach]\ntopk = 3", ", line 1: unknown setting 'serach'. Known ones: "),
    ],
)
def test_a_wrong_setting_says_what_is_taken(tmp_path: Path, text: str, line: str) -> None:
    assert line in refusal(tmp_path, text)


@pytest.mark.parametrize(("section", "key", "default"), [*every_setting()])
def test_no_setting_is_refused_in_the_librarys_words(tmp_path: Path, section: str, key: str, default: object) -> None:
    refused = 0
    for value in WRONG:
        (tmp_path / "graphrag.toml").write_text(f"[{section}]\n{key} = {value}\n", encoding="utf-8")
        try:
            settings = load_settings(tmp_path)
        except ConfigError as error:
            line = str(error)
            assert not any(words in line for words in OF_PYDANTIC), line
            assert f"line 2: setting '{section}.{key}'" in line or f"under [{section}]" in line, line
            assert "take" in line or f"under [{section}]" in line, line
            refused += 1
        else:
            is_truth = value in ("true", "false")
            assert not is_truth or isinstance(getattr(getattr(settings, section), key), bool), (value, "for a number")
    assert refused, "each setting refuses something"
    if isinstance(default, NUMBERS) and not isinstance(default, bool):
        assert "takes a" in refusal(tmp_path, f"[{section}]\n{key} = true")


@pytest.mark.parametrize("value", ["0", "1", "0.5", '"auto"'])
def test_a_setting_of_two_kinds_takes_both(tmp_path: Path, value: str) -> None:
    (tmp_path / "graphrag.toml").write_text(f"[search]\nmin_confidence = {value}\n", encoding="utf-8")
    assert str(load_settings(tmp_path).search.min_confidence) in (value.strip('"'), f"{value}.0")


def test_a_long_value_is_shown_shortened(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, f"[search]\ntop_k = '{'x' * 5000}'")) < 250
