"""Retrieval sets in their plain form as vaults: every passage a note, its title the note's, no link added."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import Any

from figures import say

from graphrag.app import App


@dataclass(frozen=True)
class Query:
    """A question with the notes that hold its answer; with groups, one note of each is enough."""

    id: str
    question: str
    groups: tuple[frozenset[str], ...]


def write_passages(dataset: Path, vault: Path) -> int:
    """Write each line of `corpus.jsonl` as a note named by its id; return how many there are."""
    count = 0
    for passage in read_lines(dataset / "corpus.jsonl"):
        title = json.dumps(passage["title"], ensure_ascii=False)  # a JSON string is YAML, too
        file = vault / note_of(str(passage["id"]))
        file.parent.mkdir(parents=True, exist_ok=True)
        head = f"---\ntitle: {title}\n---\n" if passage["title"] else ""
        file.write_text(f"{head}{passage['text']}\n", encoding="utf-8")
        count += 1
    return count


def read_queries(dataset: Path) -> list[Query]:
    """Return the questions, each gold note a group of its own unless the set gives groups."""
    return [_query(row) for row in read_lines(dataset / "queries.jsonl")]


@dataclass(frozen=True)
class RgbQuestion:
    """A question of RGB with passages that answer it and passages about the same that do not."""

    id: str
    text: str
    answer: Sequence[Sequence[str]]  # for each part of the question the strings of which one will do
    positive: Sequence[str]
    negative: Sequence[str]


def read_rgb(file: Path, limit: int | None) -> list[RgbQuestion]:
    """Return Chinese questions about one fact, each with at most three and six passages, in an order made by chance."""
    rows = [row for row in read_lines(file) if row["set"] in ("zh_refine", "zh_fact")]
    return [
        RgbQuestion(str(row["id"]), str(row["query"]), row["answer"], row["positive"][:3], row["negative"][:6])
        for row in sorted(rows, key=lambda row: md5(str(row["id"]).encode()).hexdigest())[:limit]
    ]


def index_kept(app: App, name: str, embeddings: Path | None) -> None:
    """Index the vault of a set, with the vectors of earlier runs where they are kept; an interruption keeps its own."""
    app.index(False, lambda *_: None, embed_seconds=0.0)
    if embeddings:
        embeddings.mkdir(parents=True, exist_ok=True)
        cache = app._parts.index_dir / "embeddings.sqlite"
        cache.unlink(missing_ok=True)
        cache.symlink_to((embeddings / f"{name}.sqlite").resolve())
    app.index(False, lambda step, done, total: _tell(name, step, done, total))


def _tell(name: str, step: str, done: int, total: int) -> None:
    if step == "vectors" and done % 320 == 0:
        say(f"{name}: vectors {done:,} of {total:,}")


def note_of(passage_id: str) -> str:
    """Return the path of a passage's note; a hundred notes a folder, as a disk likes it."""
    return f"{passage_id[:-2]}/{passage_id}.md"


def read_lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSONL file."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _query(row: dict[str, object]) -> Query:
    groups = row.get("gold_groups") or [[id_] for id_ in _ids(row["gold_ids"])]
    assert isinstance(groups, list)
    return Query(str(row["id"]), str(row["question"]), tuple(frozenset(map(note_of, group)) for group in groups))


def _ids(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(item) for item in value]
