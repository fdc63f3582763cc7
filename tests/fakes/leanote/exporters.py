"""The account as the community's Markdown exporters write it, each with its header, its file names and its losses."""

import json
import os
import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import md5
from pathlib import Path

from tests.fakes.leanote.desktop import exported_notes, free_path
from tests.fakes.leanote.records import SITE, ZONE, FakeAccount, FakeNote
from tests.fakes.leanote.served import served_body, time_text

IMAGE = re.compile(
    r"(?:https?://[^\s()\"'<>]*|leanote:/)?/(?:api/)?file/(?:getImage|outputImage)\?[^\s()\"'<>]*?fileId=(\w{24})"
)
LINKED_IMAGE = re.compile(rf"!\[([^\]\n]*)\]\({IMAGE.pattern}\)")
_WIDE = str.maketrans({":": "：", "?": "？", '"': "＂", "<": "＜", ">": "＞", "*": "＊", "/": "-", "\\": "-"})
_FORMATS = {b"\x89PNG": "PNG", b"GIF8": "GIF", b"\xff\xd8\xff\xff": "JPEG", b"\xff\xd8\xff\xfe": "JPEG"}


def levels_of(account: FakeAccount, note: FakeNote) -> tuple[str, ...]:
    """Return the titles of a note's notebooks from the root; a parent that is gone, or met before, ends them."""
    levels: list[str] = []
    seen: set[str] = set()
    book = account.notebooks.get(note.notebook)
    while book and not book.is_deleted and book.id not in seen:
        seen.add(book.id)
        levels.insert(0, book.title)
        book = account.notebooks.get(book.parent or "")
    return tuple(levels)


def write_leanote4md(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write flat files; the tags only where there is exactly one; images under their ids, links as they were."""
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        suffix = ".md" if note.is_markdown else ".txt"
        path = folder / f"{_on_disk(note.title) or note.id}{suffix}"
        if path.exists():
            path = folder / f"{_on_disk(note.title)}_{note.id}{suffix}"
        tags = _tags(note)
        path.write_text(
            _header(account, note, tags if len(tags) == 1 else []) + served_body(note), encoding="utf-8", newline=""
        )
        written[note.id] = path
        for file_id, data in _images(account, served_body(note)):
            (folder / f"{file_id}.{_FORMATS[data[:4]]}").write_bytes(data)
    return written


def write_leanote4md_fork(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write a folder per notebook, with the same header but all tags, and no images."""
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        suffix = ".md" if note.is_markdown else ".txt"
        path = _new_path(folder, levels_of(account, note), _on_disk(note.title) or note.id, suffix)
        path.write_text(_header(account, note, _tags(note)) + served_body(note), encoding="utf-8", newline="")
        written[note.id] = path
    return written


def write_leanote2md(account: FakeAccount, folder: Path, prefix: str = "./images", is_fork: bool = False) -> list[str]:
    """Write the notebooks as folders and the Markdown notes alone; equal titles overwrite. Return what is left.

    The fork writes no header, and dates the files instead.
    """
    written: dict[Path, str] = {}
    for note in exported_notes(account):
        if not note.is_markdown or not note.title.strip(" ."):
            continue
        path = folder.joinpath(*map(_safe, levels_of(account, note)), f"{_safe(note.title)[:60]}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        tags = "".join(f"- {tag}\n" for tag in _tags(note))
        header = f"---\ntitle: {note.title}\ndate: {time_text(note.created)}\ntags: \n{tags}---\n"
        body = LINKED_IMAGE.sub(rf"![\1]({prefix}/\2.png)", served_body(note))
        path.write_text(body if is_fork else header + body, encoding="utf-8", newline="")
        if is_fork and note.created and 1970 < note.created.year < 2200:
            os.utime(path, (note.created.timestamp(),) * 2)
        written[path] = note.id
        _write_images(account, served_body(note), folder / "images")
    return list(written.values())


def write_leanote_md(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write the tree of notebooks with its JSON; images and attachments beside each note, no header."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dirtrees.json").write_text(json.dumps(_tree(account, ""), ensure_ascii=False), encoding="utf-8")
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        suffix = ".md" if note.is_markdown else ".txt"
        path = _new_path(folder, levels_of(account, note), _on_disk(note.title) or "无标题", suffix)
        body = re.sub(rf"{re.escape(SITE)}/api/file/getImage\?fileId=(\w{{24}})", r"images/\1.png", served_body(note))
        path.write_text(body, encoding="utf-8", newline="")
        written[note.id] = path
        _write_images(account, served_body(note), path.parent / "images")
        for file in account.files.values():
            if file.kind == "attachment" and file.note == note.id and file.data is not None and _on_disk(file.title):
                target = path.parent / "attach" / _on_disk(file.title)
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(file.data)
    return written


def write_downloader(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write flat files named by notebooks and title; rich text is saved as `.md` too."""
    home = folder / "files"
    home.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        name = "__".join(_on_disk(part) for part in (*levels_of(account, note), note.title or "无标题"))
        path = free_path(home, name[:60], ".md")
        body = IMAGE.sub(r"_images/\1.png", served_body(note))
        path.write_text(body, encoding="utf-8", newline="")
        written[note.id] = path
        _write_images(account, served_body(note), home / "_images")
    return written


def write_leanote2local(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write a notebook of VNote 2 from the database: Markdown alone, the trash too, every alt text `title`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "_vnote.json").write_text('{"files": [], "sub_directories": []}', encoding="utf-8")
    written: dict[str, Path] = {}
    for note in account.notes.values():
        levels = levels_of(account, note)
        if not note.is_markdown or note.body is None or not levels:
            continue
        folders = levels if len(levels) > 1 else (*levels, "_unhandled")
        path = _new_path(folder, folders, _on_disk(note.title) or "无标题", ".md")
        (path.parent / "_vnote.json").write_text('{"files": []}', encoding="utf-8")
        body = LINKED_IMAGE.sub(lambda image: f"![title](_tp_images/{_stored(account, image[2])})", note.body)
        path.write_text(body, encoding="utf-8", newline="")
        written[note.id] = path
        for file_id, data in _images(account, note.body):
            (path.parent / "_tp_images").mkdir(exist_ok=True)
            (path.parent / "_tp_images" / _stored(account, file_id)).write_bytes(data)
    return written


def write_generic(account: FakeAccount, folder: Path, with_json: bool = True) -> dict[str, Path]:
    """Write a folder per notebook; what is known of a note in JSON beside it, or in a header of three lines."""
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        path = _new_path(folder, levels_of(account, note), _on_disk(note.title) or "无标题", ".md")
        body = IMAGE.sub(r"/file/\1", served_body(note))
        created = "" if note.created is None else note.created.astimezone(ZONE).strftime("%Y-%m-%d %H:%M:%S")
        if with_json:
            facts: dict[str, object] = {"NoteId": note.id, "Title": note.title, "Tags": note.tags}
            facts |= {"CreatedTime": time_text(note.created), "UpdatedTime": time_text(note.updated), "Usn": note.usn}
            facts["IsMarkdown"] = note.is_markdown
            path.with_suffix(".json").write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")
        else:
            body = f"Title: {note.title}\nTags: {', '.join(_tags(note))}\nCreated: {created}\n\n{body}"
        path.write_text(body, encoding="utf-8", newline="")
        written[note.id] = path
        _write_images(account, served_body(note), folder / "file")
    return written


def _header(account: FakeAccount, note: FakeNote, tags: list[str]) -> str:
    lines = [f"title: {note.title}", f"date: {_slashes(note.created)}", f"updated: {_slashes(note.updated)}"]
    lines += ["tags:", *(f"- {tag}" for tag in tags)] if tags else []
    levels = levels_of(account, note)
    lines += ["categories:", *(f"- {level}" for level in levels)] if levels else []
    return "\n".join([*lines, "---", ""])


def _slashes(moment: datetime | None) -> str:
    return "0001/01/01 00:00:00" if moment is None else moment.astimezone(ZONE).strftime("%Y/%m/%d %H:%M:%S")


def _tags(note: FakeNote) -> list[str]:
    return [tag for tag in note.tags or () if tag]


def _on_disk(name: str) -> str:
    """Return a name as far as a disk takes it."""
    return name.replace("/", "-")[:60].strip(". ")


def _safe(name: str) -> str:
    return name.translate(_WIDE).strip(" .") or "-"


def _new_path(folder: Path, levels: tuple[str, ...], name: str, suffix: str) -> Path:
    home = folder.joinpath(*(_on_disk(level) or "-" for level in levels))
    home.mkdir(parents=True, exist_ok=True)
    return free_path(home, name, suffix)


def _images(account: FakeAccount, body: str) -> Iterator[tuple[str, bytes]]:
    for file_id in dict.fromkeys(IMAGE.findall(body)):
        file = account.files.get(("image", file_id))
        if file is not None and file.data is not None:
            yield file_id, file.data


def _write_images(account: FakeAccount, body: str, folder: Path) -> None:
    for file_id, data in _images(account, body):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{file_id}.png").write_bytes(data)


def _stored(account: FakeAccount, file_id: str) -> str:
    file = account.files.get(("image", file_id))
    return file.name if file else f"{md5(file_id.encode(), usedforsecurity=False).hexdigest()}.png"


def _tree(account: FakeAccount, parent: str) -> list[dict[str, object]] | None:
    entries: list[dict[str, object]] = [
        {"id": book.id, "title": book.title, "pid": parent, "child": _tree(account, book.id)}
        for book in account.notebooks.values()
        if _tree_parent(account, book.parent or "") == parent
    ]
    return entries or None


def _tree_parent(account: FakeAccount, parent: str) -> str:
    return parent if parent in account.notebooks else ""
