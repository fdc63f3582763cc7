import base64

import pytest

from vault_sync.leanote.pictures import is_data_address, picture_extension, picture_in


@pytest.mark.parametrize(
    ("data", "extension"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "png"),
        (b"\xff\xd8\xff\xe0JFIF", "jpg"),
        (b"GIF89a" + bytes(9), "gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "webp"),
        (b"BM\x46\x00\x00\x00" + bytes(30), "bmp"),
        (b"\x00\x00\x01\x00\x01\x00", "ico"),
        (b"II*\x00\x08\x00\x00\x00", "tiff"),
        (b"MM\x00*\x00\x00\x00\x08", "tiff"),
        (b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1avif", "avif"),
        (b"\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avif", "avif"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "heic"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x -->\n<svg xmlns="http://www.w3.org/2000/svg"/>', "svg"),
        (b"<svg>", "svg"),
    ],
)
def test_the_bytes_tell_what_a_picture_is(data: bytes, extension: str) -> None:
    assert picture_extension(data) == extension


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"No Such File",
        b"<html><svg></svg></html>",
        b"BMW is a car, and this is text",
        b"RIFF\x10\x00\x00\x00WAVEfmt ",
        b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isom",
        b"\x89PN",
        b"%PDF-1.7",
        b"<!--" * 5000,
    ],
)
def test_what_is_no_picture_has_no_extension(data: bytes) -> None:
    assert picture_extension(data) == ""


@pytest.mark.parametrize(
    ("address", "data"),
    [
        ("data:image/png;base64,aGVsbG8=", b"hello"),
        ("data:image/png;base64,aGVs\n bG8", b"hello"),
        ("DATA:image/svg+xml;charset=utf-8;base64,aGVsbG8%3D", b"hello"),
        ("data:image/svg+xml,%3Csvg/%3E", b"<svg/>"),
        ("data:text/html;base64,aGVsbG8=", None),
        ("data:image/png;base64,!!!!", None),
        ("data:image/png;base64,a", None),
        ("data:image/png;base64,", None),
        ("data:", None),
        ("data:image/png", None),
        ("https://example.org/a.png", None),
    ],
)
def test_a_data_address_holds_its_picture(address: str, data: bytes | None) -> None:
    assert picture_in(address) == data


def test_a_picture_of_megabytes_is_read() -> None:
    data = bytes(range(256)) * 20_000
    assert picture_in("data:image/png;base64," + base64.b64encode(data).decode()) == data
    assert is_data_address("Data:x") and not is_data_address("date:x")
