"""What a model wants before a question and before a passage: as its makers say, unless the settings say otherwise."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from graphrag.settings import KNOWN_PREFIX

_SEARCH_EN = "Represent this sentence for searching relevant passages: "
_SEARCH_ZH = "为这个句子生成表示以用于检索相关文章："
_QWEN = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Texts that stand before what is embedded; empty for a model that wants none."""

    query: str = ""
    passage: str = ""

    @property
    def tag(self) -> str:
        """What they add to a model's id, since other prefixes make other vectors; empty when there are none."""
        if not self.query and not self.passage:
            return ""
        return ":" + blake2b(f"{self.query}\0{self.passage}".encode(), digest_size=4).hexdigest()


# By the model cards; the first pattern that a name holds decides. Models that are not here want nothing (bge-m3), or
# are not known.
_KNOWN = (
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"mxbai-embed", Prefixes(_SEARCH_EN)),
    (r"e5-(?:small|base|large)(?!-instruct)", Prefixes("query: ", "passage: ")),
    (r"arctic-embed-?(?:[a-z]-)?v?2", Prefixes("query: ")),
    (r"arctic-embed", Prefixes(_SEARCH_EN)),
    (r"bge-(?:small|base|large)-zh", Prefixes(_SEARCH_ZH)),
    (r"bge-(?:small|base|large)(?:-en|:|$)", Prefixes(_SEARCH_EN)),
    (r"qwen3-embedding", Prefixes(_QWEN)),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
)


def prefixes_of(model: str, query: str, passage: str) -> Prefixes:
    """Return the prefixes of a model by its name, each one that is not `auto` as the settings give it."""
    name = model.lower()
    known = next((prefixes for pattern, prefixes in _KNOWN if re.search(pattern, name)), Prefixes())
    return Prefixes(
        known.query if query == KNOWN_PREFIX else query, known.passage if passage == KNOWN_PREFIX else passage
    )
