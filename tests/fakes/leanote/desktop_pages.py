"""The account as the desktop app exports it as HTML and for Evernote, with the `$` that it eats."""

import base64
import re
from hashlib import md5
from pathlib import Path

from tests.fakes.leanote.desktop import desktop_body, exported_notes, free_path, local_id, safe_name
from tests.fakes.leanote.records import FakeAccount, FakeFile, FakeNote

_IMAGE = re.compile(r"leanote://file/getImage\?fileId=(\w{24})")
_IMAGE_TAG = re.compile(rf"<img\b[^>]*src=[\"']?{_IMAGE.pattern}[^>]*>")
_ATTACHMENT = re.compile(r"<a\b[^>]*leanote://file/getAttach\?fileId=(\w{24})[^>]*>.*?</a>")
_MIMES = {b"\x89PNG": "image/png", b"GIF8": "image/gif", b"\xff\xd8\xff\xfe": "image/jpeg"}

PAGE = """<html>
<head><title>{title}</title><style>.content-html {{ }}</style></head>
<body><div id="leanote-page"><h1 id="leanote-title">{title}</h1>
{content}
</div><script>var a = "</div>";</script></body></html>
"""
EVERNOTE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export3.dtd">
<en-export export-date="20240313T100000Z" application="leanote.desktop.app.win32" version="Evernote">
<note><title>{title}</title><content><![CDATA[<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note>{content}</en-note>]]></content>
<created>20240313T100000Z</created><updated>20240313T100000Z</updated>{tags}
<note-attributes><author>lin</author><source>leanote.desktop</source>
<leaIsMarkdown>{is_markdown}</leaIsMarkdown></note-attributes>{resources}</note></en-export>
"""


def eaten(text: str) -> str:
    """Return a text after the app's replacement, in which a `$` has a meaning."""
    return re.sub(r"\$([$&])", lambda pair: "$" if pair[1] == "$" else "@content@", text)


def write_html(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write a page a note, and its pictures beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        path = free_path(folder, safe_name(note.title), ".html")
        body = html_body(account, note, path.stem)
        path.write_text(page(note.title, body, note.is_markdown), encoding="utf-8", newline="")
        written[note.id] = path
        for file in _images(account, desktop_body(account, note)):
            target = folder / f"{path.stem}_files" / f"{local_id('image', file.id)}.png"
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(file.data or b"")
    return written


def html_body(account: FakeAccount, note: FakeNote, stem: str) -> str:
    """Return what the page holds of a note's text."""
    return eaten(_IMAGE.sub(rf"{stem}_files/\1.png", desktop_body(account, note)))


def page(title: str, body: str, is_markdown: bool) -> str:
    """Return the page of a note; Markdown stands in it twice, as it is."""
    markdown = f'<textarea id="leanote-content-markdown">{body}</textarea><pre class="content-markdown">{body}</pre>'
    rich = f'<div class="content-html" id="leanote-content">{body}</div>'
    return PAGE.format(title=title, content=markdown if is_markdown else rich)


def write_evernote(account: FakeAccount, folder: Path) -> dict[str, Path]:
    """Write a file a note."""
    folder.mkdir(parents=True, exist_ok=True)
    written: dict[str, Path] = {}
    for note in exported_notes(account):
        path = free_path(folder, safe_name(note.title), ".enex")
        path.write_text(evernote(account, note), encoding="utf-8", newline="")
        written[note.id] = path
    return written


def evernote(account: FakeAccount, note: FakeNote) -> str:
    """Return the file of a note: titles and tags unescaped, files of rich text embedded and named by their sum."""
    body = desktop_body(account, note)
    files = [] if note.is_markdown else _images(account, body) + _attachments(account, body)
    if note.is_markdown:
        content = f"<pre>{body}</pre>"
    else:
        sums = {local_id(file.kind, file.id): _media(file) for file in files}
        content = _ATTACHMENT.sub(lambda tag: sums[tag[1]], _IMAGE_TAG.sub(lambda tag: sums[tag[1]], body))
    tags = "".join(f"<tag>{tag}</tag>" for tag in note.tags or ())
    return EVERNOTE.format(
        title=note.title,
        content=eaten(content).replace("]]>", ""),
        tags=tags,
        is_markdown=str(note.is_markdown).lower(),
        resources="".join(_resource(file) for file in files),
    )


def _images(account: FakeAccount, body: str) -> list[FakeFile]:
    named = set(_IMAGE.findall(body))
    return [file for file in account.files.values() if file.kind == "image" and local_id("image", file.id) in named]


def _attachments(account: FakeAccount, body: str) -> list[FakeFile]:
    named = set(_ATTACHMENT.findall(body))
    return [
        file
        for file in account.files.values()
        if file.kind == "attachment" and local_id("attachment", file.id) in named
    ]


def _media(file: FakeFile) -> str:
    made_of = md5(file.data or b"", usedforsecurity=False).hexdigest()
    return f'<en-media type="{_mime(file)}" hash="{made_of}"></en-media>'


def _mime(file: FakeFile) -> str:
    return _MIMES.get((file.data or b"")[:4], "application/octet-stream")


def _resource(file: FakeFile) -> str:
    data = base64.encodebytes(file.data or b"").decode()
    attributes = f"<resource-attributes><file-name>{file.title}</file-name></resource-attributes>"
    return f'<resource><data encoding="base64">\n{data}</data><mime>{_mime(file)}</mime>{attributes}</resource>'
