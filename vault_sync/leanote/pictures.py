"""Bytes of a picture -> the extension they deserve; a `data:` address -> its bytes. Never trusts a name or a claim."""

import base64
import binascii
import re
from urllib.parse import unquote_to_bytes

_DATA = re.compile(r"data:([\w.+/-]{0,100})((?:;[\w.+=/\"-]{0,100}){0,5}),", re.IGNORECASE)
_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"BM", "bmp"),
    (b"\x00\x00\x01\x00", "ico"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)
_BRANDS = {b"avif": "avif", b"avis": "avif"} | dict.fromkeys(
    (b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1"), "heic"
)
_SVG = re.compile(
    rb"\s*(?:<\?xml[^>]{0,500}>\s*|<!--.{0,2000}?-->\s*|<!DOCTYPE\s[^>]{0,500}>\s*){0,5}<svg[\s>/]", re.I | re.S
)
_SMALLEST_BMP = 26  # a text may begin with BM as well


def picture_extension(data: bytes) -> str:
    """Return the extension of a picture without a dot, by its first bytes; empty when they are no known picture."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if data[4:8] == b"ftyp":
        return _by_brand(data)
    for start, extension in _STARTS:
        if data.startswith(start):
            return extension if extension != "bmp" or _is_bmp(data) else ""
    return "svg" if _SVG.match(data[:8192].removeprefix(b"\xef\xbb\xbf")) else ""


def is_data_address(address: str) -> bool:
    """Whether an address holds its content itself."""
    return address[:5].lower() == "data:"


def picture_in(address: str) -> bytes | None:
    """Return the bytes that a `data:` address holds, None when it is damaged or does not even claim to be a picture."""
    found = _DATA.match(address)
    if not found or not found.group(1).lower().startswith("image/"):
        return None
    content = address[found.end() :]
    if not found.group(2).lower().endswith(";base64"):
        return unquote_to_bytes(content.encode("utf-8", "replace")) or None
    plain = re.sub(rb"[\s\\]+", b"", unquote_to_bytes(content.encode("utf-8", "replace")))
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4), validate=True) or None
    except binascii.Error:
        return None


def _by_brand(data: bytes) -> str:
    """Return the extension of an ISO media file: its main brand, or else one of those it says it is fit for."""
    size = min(int.from_bytes(data[:4], "big"), 128)
    brands = [data[8:12], *(data[start : start + 4] for start in range(16, size, 4))]
    found = [_BRANDS[brand] for brand in brands if brand in _BRANDS]
    return "avif" if "avif" in found else next(iter(found), "")


def _is_bmp(data: bytes) -> bool:
    """Whether the length that the header names is near the real one, and its reserved bytes are zero."""
    return len(data) >= _SMALLEST_BMP and data[6:10] == bytes(4)
