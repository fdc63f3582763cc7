"""The tools: name, what each is for, what it takes and returns, and who may call it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp_types import Tool as ToolDescription
from mcp_types import ToolAnnotations

from graphrag.domain.access import Scope
from graphrag.mcp import arguments as takes
from graphrag.mcp import results as returns
from graphrag.mcp.caller import Caller
from graphrag.mcp.graph_tools import explain_relation, related_notes
from graphrag.mcp.note_tools import get_note, list_notes, recent_changes
from graphrag.mcp.schemas import input_schema, output_schema
from graphrag.mcp.search_tools import RememberedAnswers, search_notes

if TYPE_CHECKING:
    from graphrag.app import App


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool; `run` is called with arguments of the type `takes`, in a thread."""

    name: str
    title: str
    description: str
    takes: type[takes.Arguments]
    returns: type
    run: "Callable[[App, Any], object]"
    scope: Scope = Scope.READ
    writes: bool = False

    def allows(self, caller: Caller) -> bool:
        """Whether a caller may use it."""
        return caller.scope.allows(self.scope) and (caller.may_write or not self.writes)

    def describe(self) -> ToolDescription:
        """Return what a client lists."""
        return ToolDescription(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.takes),
            output_schema=output_schema(self.returns),
            annotations=ToolAnnotations(
                read_only_hint=not self.writes,
                destructive_hint=False,
                idempotent_hint=not self.writes,
                open_world_hint=False,
            ),
        )


_READING = (
    Tool(
        "search_notes",
        "Search the notes",
        "Find the passages of the vault that fit words or a question, best first. Each has the beginning of its "
        "text and a `ref`: get_note with that ref reads the whole lines. Use it to look something up yourself.",
        takes.SearchArguments,
        returns.Passages,
        search_notes,
    ),
    Tool(
        "get_note",
        "Read a note",
        "Read a note as Markdown by path, title or alias, or only the lines of a ref; with links and backlinks. "
        "A long note ends early: `rest` is the ref of what follows.",
        takes.NoteArguments,
        returns.NoteText,
        get_note,
    ),
    Tool(
        "related_notes",
        "What lies around a note",
        "List what a note, topic, #tag or term is linked with, and which notes share its rare terms and tags or "
        "mean something similar; each with the reason (`this` is what was asked about, `it` the entry).",
        takes.RelatedArguments,
        returns.Surrounding,
        related_notes,
    ),
    Tool(
        "explain_relation",
        "How two things hang together",
        "With a relation: whether the notes state it, let it be inferred, contradict it or say nothing, with the "
        "proof line by line. Without: a shortest chain of links between the two.",
        takes.RelationArguments,
        returns.Connection,
        explain_relation,
    ),
    Tool(
        "list_notes",
        "List notes",
        "List notes newest first, by filter and by words of their titles, with the number of all and of each tag "
        "and category among them. Use it to see what there is before filtering.",
        takes.ListArguments,
        returns.Listing,
        list_notes,
    ),
    Tool(
        "recent_changes",
        "What changed lately",
        "List the notes that were added, changed, removed or renamed since a day or for some days, by the vault's "
        "Git history, with the headings of the sections that differ. Without Git: list_notes with a filter since.",
        takes.ChangesArguments,
        returns.Changes,
        recent_changes,
    ),
)


def make_tools() -> dict[str, Tool]:
    """Return the tools by name; those of one server share the answers that it remembers."""
    answers = RememberedAnswers()
    ask = Tool(
        "ask_notes",
        "Answer from the notes",
        "Answer one question from the notes alone, with sources marked [1]. Exact for relations (who owns X, what "
        "depends on Y), lists (notes with tag x since May) and counts. `status` answered: rely on the citations; "
        "no_hit, low_relevance or not_in_notes: the notes do not say, so do not fill the gap.",
        takes.AskArguments,
        returns.Told,
        answers.ask_notes,
        scope=Scope.ASK,
    )
    save = Tool(
        "save_answer",
        "Save an answer as a note",
        "Write the answer that ask_notes gave to a question as a new note of the vault, with its sources as links. "
        "Never changes an existing note. Only when the user asks for it.",
        takes.SaveArguments,
        returns.Saved,
        answers.save_answer,
        scope=Scope.ASK,
        writes=True,
    )
    search, *others = _READING
    return {tool.name: tool for tool in (search, ask, *others, save)}
