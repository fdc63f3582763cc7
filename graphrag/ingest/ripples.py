"""What a change of some notes does to the others: links that point elsewhere now, and terms that a new name makes."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from graphrag.domain.note import ResolvedLink
from graphrag.domain.ports import Tokenizer
from graphrag.domain.snapshot import Manifest, NoteEntry
from graphrag.domain.walk import ChunkText
from graphrag.ingest.resolve import LinkResolver

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
