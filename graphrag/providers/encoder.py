"""What embedders share: texts made fit, batches by length, texts that are too long, and replies that are checked.

An embedder gives a function that turns a few texts into rows of numbers; everything around it happens here.
"""

import logging
import math
import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphrag.domain.ports import Vectors
from graphrag.errors import BadProviderReply, MissingExtra, ProviderUnavailable
from graphrag.providers.remote import reason_of
from graphrag.settings import KNOWN_PREFIX

_LOG = logging.getLogger("graphrag")
_UNUSED = ["onnx/*", "*.onnx*", "*.msgpack", "*.ot", "*.h5", "imgs/*"]  # the same weights for other libraries


def weights_folder(model: str, section: str, may_fetch: bool) -> str:
    """Return the folder of a model: a path as it is, a name of Hugging Face's from its cache.

    Raises:
        ProviderUnavailable: it is not there and may not or cannot be fetched.
    """
    if Path(model).expanduser().is_dir():
        return str(Path(model).expanduser())
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return str(snapshot_download(model, local_files_only=True))
    except LocalEntryNotFoundError as error:
        if not may_fetch:
            raise ProviderUnavailable(
                f"the weights of '{model}' are not on this machine. Get them with: hf download {model} "
                f"(or set allow_remote = true under [{section}] in graphrag.toml to have them fetched once)."
            ) from error
    except Exception as error:
        raise ProviderUnavailable(_no_model(model, section, error)) from error
    _LOG.info("[%s] fetches the weights of %s from Hugging Face", section, model)
    try:
        return str(snapshot_download(model, ignore_patterns=_UNUSED))
    except Exception as error:
        raise ProviderUnavailable(
            f"the weights of '{model}' cannot be fetched: {reason_of(error)}. "
            f"Check the network and the model under [{section}], then try again."
        ) from error


def cannot_load(model: str, section: str, error: Exception) -> ProviderUnavailable:
    """Return the exception for weights that are there and cannot be used."""
    return ProviderUnavailable(
        f"the model '{model}' cannot be loaded: {reason_of(error)}. Check model, device and precision "
        f"under [{section}] in graphrag.toml, or get it anew with: hf download --force-download {model}"
    )


def _no_model(model: str, section: str, error: Exception) -> str:
    return f"'{model}' is neither a folder nor a model's name: {reason_of(error)}. Change model under [{section}]."


def require(package: str, extra: str) -> None:
    """Make sure that a package is installed.

    Raises:
        MissingExtra: it is not; the message names the command that installs it.
    """
    if find_spec(package) is None:
        raise MissingExtra(f"the package '{package}' is not installed. Run: {_command(extra)}")


def broken(package: str, extra: str, error: ImportError) -> MissingExtra:
    """Return the exception for a package that is there and cannot be imported."""
    return MissingExtra(f"the package '{package}' cannot be imported: {reason_of(error)}. Run: {_command(extra)}")


def _command(extra: str) -> str:
    return f"pip install 'vault-graphrag[{extra}]'" if extra else "pip install vault-graphrag"


def checked_scores(scores: Sequence[float], count: int, source: str) -> tuple[float, ...]:
    """Return the scores, one for each passage.

    Raises:
        BadProviderReply: they are not as many, or one is no number.
    """
    if len(scores) != count:
        found = f"{len(scores)} scores for {count} passages"
        raise BadProviderReply(f"{source} gave {found}. Choose another under [rerank].")
    if not all(map(math.isfinite, scores)):
        raise BadProviderReply(f"{source} gave a score that is no number. Choose another under [rerank].")
    return tuple(map(float, scores))


_ABOUT_LENGTH = re.compile(
    r"context (?:length|size|window)|context_length|context_size|too large to process|context the overflows"
    r"|max(?:imum)? (?:sequence |input |model )?(?:length|tokens)"
    r"|(?:input|prompt|text|sequence)s? (?:is |are )?too long"
    r"|must have less than \d+ tokens|max_tokens must be at least 1",
    re.IGNORECASE,
)


def is_about_length(message: str) -> bool:
    """Whether the message is about the length of what was sent."""
    return bool(_ABOUT_LENGTH.search(message))


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


_BLANK = "."  # in the place of a text without a character, which some servers refuse
_SHORTEST = 16  # characters; a text that is too long at this length is not what the server minds
_PROBE = "你好"
Encode = Callable[[list[str]], object]


class TextTooLong(BadProviderReply):
    """A text, or a batch of them, is longer than the model's window."""


def fit(text: str) -> str:
    """Return a text without what C strings and UTF-8 cannot carry: NUL ends a text there, lone surrogates fail."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _prefixed(prefix: str, text: str) -> str:
    return prefix + (text if text.strip() else _BLANK)


@dataclass
class Encoder:
    """Turns texts into unit vectors by `encode`, which gets a few texts at a time and returns a row for each.

    `encode` may raise TextTooLong; then fewer texts are tried, and in the end halves of one, their vectors averaged.
    `source` names the model in messages; `encode_query` is for a model that reads questions in another way.
    """

    source: str
    encode: Encode
    prefixes: Prefixes
    batch_size: int
    encode_query: Encode | None = None
    _dimension: int = field(default=0, init=False)

    @property
    def dimension(self) -> int:
        """Length of every vector; asks for one when none was made yet."""
        if not self._dimension:
            self.query(_PROBE)
        return self._dimension

    def passages(self, texts: Sequence[str], encode: Encode | None = None) -> Vectors:
        """Return unit vectors in the order of the texts, shape (len(texts), dimension); no texts ask for nothing.

        `encode` takes the place of the encoder's own, for who wants to see what is read.

        Raises:
            BadProviderReply: the rows are not as many, not of one length, or no numbers that a cosine can use.
        """
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
        batches = [order[start : start + self.batch_size] for start in range(0, len(order), self.batch_size)]
        prefix = self.prefixes.passage
        read = encode or self.encode
        rows = [self._rows(read, prefix, [fit(texts[position]) for position in batch]) for batch in batches]
        vectors = np.empty((len(texts), self._dimension), dtype=np.float32)
        vectors[order] = np.concatenate(rows)
        return vectors

    def query(self, text: str, encode: Encode | None = None) -> Vectors:
        """Return the unit vector of a question, shape (dimension,); `encode` as for passages."""
        read = encode or self.encode_query or self.encode
        vector: Vectors = self._rows(read, self.prefixes.query, [fit(text)])[0]
        return vector

    def parts(self, prefix: str, text: str, read: Container[str]) -> Iterator[str]:
        """Yield what was read of a text, in its order: all of it, or the parts that it was cut into."""
        whole = _prefixed(prefix, fit(text))
        if whole in read:
            yield whole
        elif len(text) > 1:
            middle = len(text) // 2
            yield from self.parts(prefix, text[:middle], read)
            yield from self.parts(prefix, text[middle:], read)

    def _rows(self, encode: Encode, prefix: str, texts: list[str]) -> Vectors:
        try:
            return self._checked(encode([_prefixed(prefix, text) for text in texts]), len(texts))
        except TextTooLong:
            if len(texts) == 1 and len(texts[0]) <= _SHORTEST:
                raise
        if len(texts) == 1:
            middle = len(texts[0]) // 2
            halves = self._rows(encode, prefix, [texts[0][:middle], texts[0][middle:]])
            return self._unit(halves.mean(axis=0, keepdims=True, dtype=np.float64))
        middle = len(texts) // 2
        return np.concatenate([self._rows(encode, prefix, part) for part in (texts[:middle], texts[middle:])])

    def _checked(self, reply: object, count: int) -> Vectors:
        try:
            rows = np.asarray(reply, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._bad("its vectors are not lists of numbers of one length") from error
        if rows.ndim != 2 or not rows.shape[1]:
            raise self._bad("its vectors are not lists of numbers of one length")
        if len(rows) != count:
            raise self._bad(f"it gave {len(rows)} vectors for {count} texts")
        if self._dimension and rows.shape[1] != self._dimension:
            raise self._bad(f"it gave vectors of {rows.shape[1]} numbers after such of {self._dimension}")
        vectors = self._unit(rows)
        self._dimension = rows.shape[1]
        return vectors

    def _unit(self, rows: NDArray[np.float64]) -> Vectors:
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise self._bad("a vector holds what is no number (NaN or infinite)")
        if not lengths.all():
            raise self._bad("a vector holds only zeros")
        vectors: Vectors = (rows / lengths).astype(np.float32)
        return vectors

    def _bad(self, reason: str) -> BadProviderReply:
        return BadProviderReply(f"{self.source} cannot be used: {reason}. Choose another model under [embedding].")
