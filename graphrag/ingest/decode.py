"""Bytes of a vault file -> text with one newline per line ending, so that line numbers stay those of the file.

Never guesses silently: an encoding other than UTF-8 is returned by name, so that the caller can report it.
"""

import codecs
import unicodedata

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ODD = frozenset({"Cc", "Cn", "Co", "Cs"})
_SAMPLE = 65536  # enough to tell an encoding by
_ZEROS = 0.01  # share of zero bytes from which a file is UTF-16, or binary
_TOLERATED_DAMAGE = 0.05  # share of undecodable characters among the non-ASCII ones of a file that is still UTF-8


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of its encoding.

    Raises:
        UnicodeError: the bytes are not text in any encoding that can be told.
    """
    text, encoding = _decode_marked(data) or _decode_unmarked(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text, encoding


def _decode_marked(data: bytes) -> tuple[str, str] | None:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, errors="replace"), encoding
    return None


def _decode_unmarked(data: bytes) -> tuple[str, str]:
    if data.count(0) > _ZEROS * len(data):
        return _decode_wide(data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    damaged = data.decode("utf-8", errors="replace")
    non_ascii = sum(1 for character in damaged if character > "\x7f")
    if damaged.count("\ufffd") <= _TOLERATED_DAMAGE * non_ascii:
        return damaged, "utf-8 with damage"
    try:
        return data.decode("gb18030"), "gb18030"
    except UnicodeDecodeError:
        return _decode_guessed(data)


def _decode_guessed(data: bytes) -> tuple[str, str]:
    sample = data if len(data) <= _SAMPLE else data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE]
    best = from_bytes(sample).best()
    if best is None or b"\0" in data:
        raise UnicodeError("not text in a known encoding")
    return data.decode(best.encoding, errors="replace"), best.encoding


def _decode_wide(data: bytes) -> tuple[str, str]:
    """Decode UTF-16 without a mark: the zero bytes of its ASCII characters lie on one side.

    Chinese has some on the other one (those of `\u4e00`), but makes no sense when read the wrong way round.
    """
    sample = data[:4096]
    is_little = sample[1::2].count(0) >= sample[0::2].count(0)
    for encoding in ("utf-16-le", "utf-16-be") if is_little else ("utf-16-be", "utf-16-le"):
        if len(data) % 2 == 0 and _is_plausible(sample.decode(encoding, errors="replace")):
            return data.decode(encoding, errors="replace"), encoding
    raise UnicodeError("looks like a binary file")


def _is_plausible(text: str) -> bool:
    """Whether nearly all characters are such as people write."""
    odd = sum(1 for character in text if unicodedata.category(character) in _ODD and character not in "\t\r\n")
    return odd <= len(text) * 0.02
