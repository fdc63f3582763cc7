"""Measures the import of a made-up mongodump: the first run, a run without changes, and one with a few changes.

python benchmarks/leanote.py
python benchmarks/leanote.py --notes 20000 --json
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import bson
from bson import ObjectId
from figures import Figure, print_figures, say

_START = datetime(2019, 3, 1, tzinfo=UTC)
_USER = ObjectId("65f0a1b2c3d4e5f600000001")
_BOOKS = 40
_CHANGED = 10
_WORDS = (
    *("服务", "网关", "缓存", "事务", "补偿", "消息", "队列", "索引", "快照", "日志"),
    *("容器", "编排", "灰度", "发布", "限流", "熔断", "监控", "告警", "备份", "恢复"),
)
_PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20_000
_MEGABYTE = 1024  # ru_maxrss counts in KiB


def main() -> None:
    options = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        dump, vault = Path(scratch) / "backup", Path(scratch) / "vault"
        vault.mkdir()
        say(f"writing a dump of {options.notes:,} notes")
        write_dump(dump, options.notes, 0)
        figures = _measure("first import", dump, vault, options.notes)
        figures += _measure("nothing changed", dump, vault)
        write_dump(dump, options.notes, _CHANGED)
        figures += _measure(f"{_CHANGED} notes changed", dump, vault)
        written = sum(1 for _ in vault.rglob("*.md"))
    if written != options.notes:
        raise SystemExit(f"{written:,} of {options.notes:,} notes are in the vault")
    print_figures(f"a mongodump of {options.notes:,} notes", figures, options.json)


def write_dump(folder: Path, notes: int, changed: int) -> None:
    """Write a dump, half of it rich text, with a picture for every fifth note; the first notes may be changed."""
    database, pictures = folder / "leanote", folder / "files" / "pictures"
    database.mkdir(parents=True, exist_ok=True)
    pictures.mkdir(parents=True, exist_ok=True)
    for number in range(0, notes, 5):
        (pictures / f"{number}.png").write_bytes(_PNG + str(number).encode())
    rows = {
        "users": [{"_id": _USER, "Username": "lin", "Email": "lin@example.org"}],
        "notebooks": _notebooks(),
        "notes": _notes(notes, changed),
        "note_contents": _contents(notes, changed),
        "files": _files(notes),
    }
    for name, documents in rows.items():
        with (database / f"{name}.bson").open("wb") as file:
            file.writelines(bson.encode(document) for document in documents)


def _notebooks() -> Iterator[dict[str, Any]]:
    for number in range(_BOOKS):
        parent = _id(1, number // 4) if number >= 8 else ""
        yield {"_id": _id(1, number), "UserId": _USER, "Title": f"笔记本 {number}", "ParentNotebookId": parent}


def _notes(notes: int, changed: int) -> Iterator[dict[str, Any]]:
    for number in range(notes):
        moment = _START + timedelta(hours=number + (100_000 if number < changed else 0))
        yield {
            **{"_id": _id(2, number), "UserId": _USER, "NotebookId": _id(1, number % _BOOKS)},
            **{"Title": f"{_WORDS[number % len(_WORDS)]}笔记 {number}", "Tags": [_WORDS[number % 7]]},
            **{"IsMarkdown": number % 2 == 0, "CreatedTime": _START, "UpdatedTime": moment},
            **{"Usn": number + 1 + (notes if number < changed else 0)},
        }


def _contents(notes: int, changed: int) -> Iterator[dict[str, Any]]:
    chance = random.Random(7)
    for number in range(notes):
        text = [" ".join(chance.choices(_WORDS, k=60)) for _ in range(15)]
        text += ["改过的一段"] if number < changed else []
        link = f"/api/file/getImage?fileId={_id(3, number)}" if number % 5 == 0 else ""
        yield {"_id": _id(2, number), "UserId": _USER, "Content": _body(text, link, number % 2 == 0)}


def _body(text: list[str], link: str, is_markdown: bool) -> str:
    if is_markdown:
        picture = f"![图]({link})\n\n" if link else ""
        return "#标题\n\n" + picture + "\n\n".join(text) + "\n\n- [ ] 待办\n"
    picture = f'<p><img src="{link}" width="300"></p>' if link else ""
    return f"<h1>标题</h1>{picture}" + "".join(f'<p><span style="color: red">{part}</span></p>' for part in text)


def _files(notes: int) -> Iterator[dict[str, Any]]:
    for number in range(0, notes, 5):
        path = f"files/pictures/{number}.png"
        yield {"_id": _id(3, number), "UserId": _USER, "Name": f"{number}.png", "Title": "图.png", "Path": path}


def _id(kind: int, number: int) -> ObjectId:
    return ObjectId(f"65f0a1b2c3d4{kind:04x}{number:08x}")


def _measure(name: str, dump: Path, vault: Path, notes: int = 0) -> list[Figure]:
    """Import in a process of its own, so that its memory counts alone; `notes` asks for the time of one note."""
    say(name)
    words = [sys.executable, "-m", "graphrag", "import", "leanote", str(dump), "--vault", str(vault)]
    begun = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)  # the peak of this process, and not of an earlier one
    seconds = time.perf_counter() - begun
    if status:
        raise SystemExit(f"{name}: the import ended with {status}")
    figures = [Figure(name, seconds, "s"), Figure(f"{name}: peak memory", used.ru_maxrss / _MEGABYTE, "MB")]
    return [*figures, Figure(f"{name}: each note", 1000 * seconds / notes, "ms")] if notes else figures


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=5000)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
