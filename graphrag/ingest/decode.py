"""Bytes of a vault file -> text with one newline per line ending, so that line numbers stay those of the file.

Never guesses silently: an encoding other than UTF-8 is returned by name, so that the caller can report it.
"""

import codecs

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
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
    if wide := _wide_encoding(data):
        return data.decode(wide, errors="replace"), wide
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
        best = from_bytes(data).best()
    if best is None or b"\0" in data:
        raise UnicodeError("not text in a known encoding")
    return str(best), best.encoding


def _wide_encoding(data: bytes) -> str | None:
    """Tell UTF-16 without a mark by the zero bytes that its ASCII characters leave on one side."""
    sample = data[:4096]
    if len(sample) < 4 or len(data) % 2:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    few, many = len(sample) * 0.01, len(sample) * 0.1
    if odd > many and even <= few:
        return "utf-16-le"
    if even > many and odd <= few:
        return "utf-16-be"
    return None
