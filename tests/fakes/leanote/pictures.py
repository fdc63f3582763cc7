"""Tiny pictures of three formats, each different from the others."""

import struct
import zlib
from base64 import b64decode

_JPEG = b64decode(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP////////////////////////////////////////////////////////////////////////////"
    "//////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA="
)


def png(number: int) -> bytes:
    """Return a picture of one pixel whose colour is the number."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = b"\0" + (number & 0xFFFFFF).to_bytes(3, "big")
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(pixel)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def gif(number: int) -> bytes:
    """Return a picture of one pixel whose palette holds the number."""
    palette = (number & 0xFFFFFF).to_bytes(3, "big") + b"\0\0\0"
    return b"GIF89a\1\0\1\0\x80\0\0" + palette + b",\0\0\0\0\1\0\1\0\0\2\2D\1\0;"


def jpeg(number: int) -> bytes:
    """Return a picture of one pixel with the number in a comment."""
    return _JPEG[:2] + b"\xff\xfe\0\6" + struct.pack(">I", number) + _JPEG[2:]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
