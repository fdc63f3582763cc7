"""What a question for a list wants of a note -> tests on notes, and the words for those that are easily misread."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from graphrag.domain.graph import NoteSummary
from graphrag.domain.nesting import fold_name, folded_with_parents
from graphrag.language.marks import disarm
from graphrag.understand.listing import Listing
from graphrag.understand.tag_words import TagTest, read_tags

NoteTest = Callable[[NoteSummary], bool]


@dataclass(frozen=True, slots=True)
class ListTests:
    """The tests that a note must pass, and what stands in their way: names that nothing in the vault bears."""

    notes: tuple[NoteTest, ...]
    tags: tuple[TagTest, ...]
    unknown_tags: tuple[str, ...]
    is_unknown_folder: bool

    def told(self, in_chinese: bool) -> str:
        """Return how several tags were read together, empty for a single one."""
        if len(self.tags) < 2 and not any(len(test.names) > 1 or test.is_without for test in self.tags):
            return ""
        return ("，" if in_chinese else ", ").join(_told(test, in_chinese) for test in self.tags)


def list_tests(asked: Listing, notes: Sequence[NoteSummary]) -> ListTests:
    """Return what a question wants of a note, its tags read as those that the notes bear."""
    known = {name for note in notes for name in folded_with_parents(note.tags)}

    def is_tag(name: str) -> bool:
        return fold_name(name) in known

    tags = tuple(
        test
        for texts, is_without in ((asked.tags, False), (asked.without_tags, True))
        for text in texts
        for test in read_tags(text, is_tag, is_without)
    )
    unknown = tuple(name for test in tags for name in test.names if not is_tag(name))
    folders = [_lies_in(folder.strip("/").casefold()) for folder in asked.folders]
    is_unknown_folder = any(not any(map(lies, notes)) for lies in folders)
    return ListTests((*_plain(asked), *map(_bears, tags), *folders), tags, unknown, is_unknown_folder)


def day_of(note: NoteSummary, asked: Listing) -> date | None:
    """Return the day that counts for a question: that of a note's creation, or of its last change."""
    moment = note.created if asked.by_creation else note.updated or note.created
    return moment.date() if moment else None


def _plain(asked: Listing) -> Iterator[NoteTest]:
    if asked.is_untagged:
        yield lambda note: not note.tags
    if asked.since or asked.until:
        yield lambda note: _is_between(day_of(note, asked), asked.since, asked.until)


def _bears(test: TagTest) -> NoteTest:
    names = set(map(fold_name, test.names))
    return lambda note: names.isdisjoint(folded_with_parents(note.tags)) is test.is_without


def _lies_in(folder: str) -> NoteTest:
    """Return whether a note is in a category or folder, given by its whole path or by the end of it."""
    return lambda note: any(
        f"/{place.casefold()}/".find(f"/{folder}/") >= 0 for place in (note.category, note.path.rpartition("/")[0])
    )


def _is_between(day: date | None, since: date | None, until: date | None) -> bool:
    return day is not None and (since or date.min) <= day <= (until or date.max)


def _told(test: TagTest, in_chinese: bool) -> str:
    names = [f"#{disarm(name)}" for name in test.names]
    if in_chinese:
        return f"{'不带' if test.is_without else '带'} {' 或 '.join(names)}"
    return f"{'without' if test.is_without else 'with'} {' or '.join(names)}"
