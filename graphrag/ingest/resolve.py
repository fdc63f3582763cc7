"""Links as written -> links with their targets, by Obsidian's rules.

A target is tried as a path (from the note's folder for a Markdown link, from the vault's root, and as the end of a
path), then as a file name, then as an alias, which Obsidian does not; a folder stands for its index note. Case
matters only between several candidates. Of several, one in the linking note's own folder or below it wins, else the
one with the shortest path, as measured on Obsidian 1.13.7 (pvliesdonk/markdown-vault-mcp, pull request 1380). What
nothing answers to is a topic, unless it is plainly a file of another kind or a folder.
"""

import posixpath
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from graphrag.domain.note import ODD_SPACES, Link, LinkKind, ResolvedLink, TargetKind
from graphrag.domain.passage_graph import ChunkText
from graphrag.domain.ports import Tokenizer
from graphrag.domain.snapshot import Manifest, NoteEntry

_MEDIA = frozenset(
    (  # noqa: SIM905
        "png jpg jpeg gif svg webp bmp ico avif heic tif tiff pdf mp3 mp4 m4a m4v mov mkv webm wav ogg flac 3gp "
        "zip gz tar 7z rar doc docx xls xlsx ppt pptx csv tsv xml html htm base excalidraw drawio epub mobi"
    ).split()
)
# in a wikilink these are the names of things more often than files: [[Node.js]], [[requirements.txt]]
_SOURCES = frozenset("json yaml yml toml css js ts py java go rs c cpp h sh sql txt log".split())  # noqa: SIM905
_FOLDER_NOTES = ("readme", "index")


class LinkResolver:
    """Finds notes by the names that links use; `names` maps each note path to its aliases."""

    def __init__(self, names: Mapping[str, Iterable[str]]) -> None:
        self._paths: dict[str, list[str]] = {}
        self._stems: dict[str, list[str]] = {}
        self._aliases: dict[str, list[str]] = {}
        for path in sorted(names):
            bare = ODD_SPACES.sub(" ", _bare(path))
            self._paths.setdefault(bare.casefold(), []).append(path)
            self._stems.setdefault(PurePosixPath(bare).name.casefold(), []).append(path)
            for alias in names[path]:
                self._aliases.setdefault(unicodedata.normalize("NFC", alias).casefold(), []).append(path)

    def resolve(self, source: str, link: Link) -> ResolvedLink:
        """Return the link with its target, seen from the note at `source`."""
        if not link.target:
            return ResolvedLink(link, source, source, TargetKind.NOTE)
        target = unicodedata.normalize("NFC", link.target).strip()
        if path := self.find(source, target, is_relative=link.kind is LinkKind.MARKDOWN):
            return ResolvedLink(link, source, path, TargetKind.NOTE)
        if target.endswith("/") or _is_attachment(target, link.kind):
            return ResolvedLink(link, source, target, TargetKind.ATTACHMENT)
        name = _bare(target)
        topic = PurePosixPath(name).name if link.kind is LinkKind.MARKDOWN else name
        return ResolvedLink(link, source, topic or name, TargetKind.TOPIC)

    def find(self, source: str, target: str, is_relative: bool = False) -> str | None:
        """Return the note that a target names when it stands in the note at `source`."""
        folder = posixpath.dirname(source)
        bare = _bare(target)
        joined = posixpath.normpath(posixpath.join(folder, bare))
        rooted = posixpath.normpath(bare.lstrip("/"))
        if bare.endswith("/") or PurePosixPath(bare).name in ("", ".", ".."):
            return self._folder_note(target, folder)
        tried = [joined, rooted] if is_relative or bare.startswith(".") else [rooted, joined]
        for name in tried:
            if found := self._paths.get(name.casefold()):
                return _nearest(found, folder, name)
        stem = PurePosixPath(rooted).name
        candidates = self._stems.get(stem.casefold(), [])
        if "/" in rooted:
            tail = "/" + rooted.lstrip("./").casefold()
            candidates = [path for path in candidates if ("/" + _bare(path).casefold()).endswith(tail)]
        candidates = candidates or self._aliases.get(target.casefold(), [])
        return _nearest(candidates, folder, stem) if candidates else None

    def _folder_note(self, target: str, folder: str) -> str | None:
        """Return the note that stands for a folder, as web sites made of notes have it."""
        for base in (posixpath.join(folder, target), target.lstrip("/")):
            place = posixpath.normpath(base)
            for name in (*_FOLDER_NOTES, PurePosixPath(place).name):
                if found := self._paths.get(f"{place}/{name}".removeprefix("./").casefold()):
                    return _nearest(found, folder, name)
        return None


def _is_attachment(target: str, kind: LinkKind) -> bool:
    suffix = PurePosixPath(target).suffix.lstrip(".").lower()
    is_file = kind in (LinkKind.EMBED, LinkKind.MARKDOWN) or "/" in target
    return suffix in _MEDIA or (is_file and suffix in _SOURCES)


def _bare(target: str) -> str:
    return target[:-3] if target.lower().endswith(".md") else target


def _nearest(candidates: list[str], folder: str, name: str) -> str:
    own = f"{folder}/" if folder else ""

    def distance(path: str) -> tuple[bool, bool, int, str]:
        return not _bare(path).endswith(name), not path.startswith(own), len(path), path

    return min(candidates, key=distance)


_MANY_WORDS = 200  # beyond, tokenising every note again is quicker than looking for each word


def names_differ(base: Manifest, entries: Mapping[str, NoteEntry]) -> bool:
    """Whether links elsewhere may point at other notes now: some path or alias came or went."""
    return base.notes.keys() != entries.keys() or any(
        base.notes[path].aliases != entry.aliases for path, entry in entries.items()
    )


def moved_links(stored: Iterable[ResolvedLink], resolver: LinkResolver, rewritten: set[str]) -> list[ResolvedLink]:
    """Return all links of the untouched notes of which at least one points elsewhere now."""
    by_note: dict[str, list[ResolvedLink]] = {}
    moved: set[str] = set()
    for old in stored:
        if old.source in rewritten:
            continue
        new = resolver.resolve(old.source, old.link)
        by_note.setdefault(old.source, []).append(new)
        if (new.target, new.target_kind) != (old.target, old.target_kind):
            moved.add(old.source)
    return [link for source in sorted(moved) for link in by_note[source]]


def notes_with_words(
    base: Manifest, texts: Callable[[], Sequence[ChunkText]], tokenizer: Tokenizer, words: Collection[str]
) -> set[str]:
    """Return the notes of a snapshot whose terms may depend on words that came into the lexicon or left it."""
    if len(words) > _MANY_WORDS:
        return {*base.notes}
    named = [(chunk.note, "\n".join((*chunk.heading, chunk.text))) for chunk in texts()]
    named += [(path, "\n".join(sorted(entry.words))) for path, entry in base.notes.items()]
    holds = tokenizer.find_words(words, [text for _, text in named])
    return {path for (path, _), is_held in zip(named, holds, strict=True) if is_held}
