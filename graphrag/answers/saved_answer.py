"""An answer -> a new note of the vault: its text with links, the findings of its check, its sources, commit and date.

The note says `rag: false`, so that later answers do not cite what a program wrote. A user who has checked the note may
remove that line. The file name is claimed before anything is written, so no file is overwritten; no symbolic link is
followed.
"""

import errno
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from uuid import uuid4

import yaml

from graphrag.domain.query import NO_FILTERS, Answer, AnswerStatus, Citation, SourceConflict, committed_version
from graphrag.errors import QuestionError, VaultError
from graphrag.grounding.check_words import conflict_line, reason_of
from graphrag.language.interface import Language, LanguageSetting, interface_language
from graphrag.language.markdown import replace_marks, split_code
from graphrag.understand.filters import read_question
from vault_sync.leanote.file_names import folded, free_name, safe_name

_NAME_BYTES = 120  # of a name made from a question; about 40 Chinese characters
_SUFFIX = ".md"
_RAG = "rag: false  # not a source of other answers, which would cite it as if you had written it\n"
_NO_ANCHOR = re.compile(r"[#^|\[\]:\\%\n]+")  # what a heading in an Obsidian link must not hold
_NO_LABEL = re.compile(r"[|\[\]\n]+")
_NO_FOLDER = re.compile(r"[\\:\0]")
_MARKDOWN = re.compile(r"[\\`*_\[\]<>#|~$]")
_NO_PATH = re.compile(r"[#^|\[\]]")  # what no Obsidian link can name


def save_answer(
    vault: Path, folder: str, answer: Answer, name: str, now: datetime, setting: LanguageSetting = "auto"
) -> str | None:
    """Write an answer as a new note into a folder of the vault; return its path, None when there is no answer to write.

    `name` is the note's title, or empty for the question; `setting` is the language of what stands around it. What the
    path lacks of the folder is made.

    Raises:
        VaultError: the folder is none of the vault's own, or the system does not let the note be written.
    """
    if answer.status is not AnswerStatus.ANSWERED:
        return None
    try:
        return _write(vault, folder, answer, name, now, interface_language(setting, answer.question))
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "Free some space" if is_full else "Make it writable, or name another folder as [answer] save_dir"
        raise VaultError(
            f"{vault / folder}: the vault cannot be written ({error.strerror or error}), nothing was saved. {advice}."
        ) from error


def _write(vault: Path, folder: str, answer: Answer, name: str, now: datetime, language: Language) -> str:
    location = _open_folder(vault, folder)
    title = _one_line(name.removesuffix(_SUFFIX)) or _question(answer).rstrip("?？!！.。… ")
    taken = {folded(entry.name) for entry in location.iterdir()}
    data = _note(answer, title, now, language).encode("utf-8", "replace")
    while True:
        file = location / (free_name(safe_name(title, _NAME_BYTES), taken, _SUFFIX) + _SUFFIX)
        if _create(file, data):
            return unicodedata.normalize("NFC", file.relative_to(vault).as_posix())


def _open_folder(vault: Path, folder: str) -> Path:
    """Return the folder, made where it is missing; an empty name is the vault itself."""
    location = vault
    for part in folder.strip().rstrip("/").split("/") if folder.strip(" /") else ():
        if not part or part.startswith(".") or _NO_FOLDER.search(part):
            raise VaultError(
                f"[answer] save_dir '{folder}': name a folder inside the vault, such as 问答, not a hidden one."
            )
        location /= part
        if location.is_symlink():
            raise VaultError(f"{location}: a symbolic link. Nothing is written through it; change [answer] save_dir.")
        if location.exists() and not location.is_dir():
            raise VaultError(f"{location}: a file, not a folder. Change [answer] save_dir, or move the file.")
        location.mkdir(exist_ok=True)
    return location


def _create(file: Path, data: bytes) -> bool:
    """Put a file in its place, whole; return whether the name was free."""
    try:
        file.open("xb").close()  # claims the name, and follows no link
    except FileExistsError:
        return False
    unfinished = file.with_name(f".graphrag-{uuid4().hex}")
    try:
        with unfinished.open("xb") as content:
            content.write(data)
        unfinished.replace(file)
    except BaseException:
        for leftover in (unfinished, file):
            with suppress(OSError):
                leftover.unlink()
        raise
    return True


def _question(answer: Answer) -> str:
    """Return the question without the filters in it, which may be all that there is."""
    try:
        return read_question(answer.question, NO_FILTERS).text
    except QuestionError:
        return _one_line(answer.question)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _note(answer: Answer, title: str, now: datetime, language: Language) -> str:
    head: dict[str, str] = {
        "title": title,
        "created": now.isoformat(timespec="seconds"),
        "type": "answer",
        "question": _one_line(answer.question),  # YAML reads other breaks of lines as spaces, too
        "model": answer.model,
    }
    if answer.snapshot is not None and answer.snapshot.commit:
        head["commit"] = answer.snapshot.commit
    front = yaml.safe_dump(head, allow_unicode=True, sort_keys=False, width=10_000)
    sources = "\n".join(_source(citation, language) for citation in answer.citations)
    heading = language.say("## Sources")
    listed = f"{heading}\n\n{sources}" if sources else ""  # a list of tags has none
    text = [_linked(answer, language), _doubts(answer, language)]
    parts = [f"---\n{front}{_RAG}---", *text, listed, _origin(answer, now, language)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _linked(answer: Answer, language: Language) -> str:
    """Return the answer's text with a link to its source in the place of each mark."""
    cited = {citation.key: citation for citation in answer.citations}

    def write(keys: list[int]) -> str:
        return "".join(f" {_link_by_key(cited[key], language)}" for key in keys)

    def link(prose: str) -> str:
        return "\n".join(map(_in_table, re.sub(r" {2,}(?=\[\[)", " ", replace_marks(prose, cited, write)).split("\n")))

    return "".join(part if is_code else link(part) for part, is_code in split_code(answer.answer.strip()))


def _in_table(line: str) -> str:
    """Return a row of a table with the bars inside its links escaped."""
    if not line.lstrip().startswith("|"):
        return line
    return re.sub(r"\[\[([^\]|]+)\|", r"[[\1\\|", line)


def _doubts(answer: Answer, language: Language) -> str:
    """Return what the sources disagree on and why sentences are marked or were left out, empty where nothing is."""
    cited = {citation.key: citation for citation in answer.citations}
    conflicts = (line for conflict in answer.conflicts for line in _conflict(conflict, cited, language))
    reasons = ((reason_of(flag, answer.answer, language), flag.sentence) for flag in answer.flags)
    lines = [*conflicts, *(f"- {_quoted(reason)} — {_quoted(sentence)}" for reason, sentence in reasons)]
    return "\n".join([language.say("## To check"), "", *lines]) if lines else ""


def _conflict(conflict: SourceConflict, cited: Mapping[int, Citation], language: Language) -> Iterator[str]:
    """Yield what is disputed, and a line for each side with a link to its source and its day."""
    yield f"- {_quoted(conflict_line(conflict.subject, language))}"
    for side in conflict.sides:
        source = _link_by_key(cited[side.key], language) if side.key in cited else ""
        yield "    - " + " · ".join(part for part in (_quoted(side.value), source, side.date) if part)


def _quoted(text: str) -> str:
    """Return a note's or a model's words as one line in which no mark of Markdown counts."""
    return _MARKDOWN.sub(r"\\\g<0>", _one_line(text))


def _link_by_key(citation: Citation, language: Language) -> str:
    return _link(citation, language.say("source {key}", key=citation.key))


def _source(citation: Citation, language: Language) -> str:
    first, last = citation.lines
    span = str(first) if first == last else f"{first}–{last}"
    headings = [heading for heading in citation.heading if heading != citation.title]
    words = [
        _link(citation, " › ".join([citation.title, *headings])),
        language.say("line {span}" if first == last else "lines {span}", span=span),
        citation.changed[:10],
        f"`{citation.ref}`" if citation.ref and "`" not in citation.ref else "",
    ]
    return f"{citation.key}. " + " · ".join(word for word in words if word)


def _link(citation: Citation, label: str) -> str:
    """Return a link to the heading of a source; what Obsidian cannot link is named in words."""
    label = _NO_LABEL.sub(" ", label).strip()
    path = citation.note.removesuffix(_SUFFIX)
    if not citation.ref or _NO_PATH.search(path) or "\n" in path:
        return f"{label} ({' '.join(citation.note.split())})"
    heading = _NO_ANCHOR.sub(" ", citation.heading[-1]).strip() if citation.heading else ""
    return f"[[{path}{'#' + heading if heading else ''}|{label}]]"


def _origin(answer: Answer, now: datetime, language: Language) -> str:
    """Return when, from which version of the notes, and by which model, if by any, the answer was made."""
    version = committed_version(answer.snapshot) if answer.snapshot else ""
    model = answer.model if ":" in answer.model else ""  # else it is named after the way in which it was made
    words = [
        language.say("Made by graphrag on {date}", date=now.date()),
        language.say("from commit {version}", version=version) if version else "",
        language.say("written by {model}", model=model) if model else "",
    ]
    comma, stop = ("，", "。") if language.is_chinese else (", ", ".")
    return comma.join(filter(None, words)) + stop
