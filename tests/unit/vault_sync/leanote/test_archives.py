import gzip
import io
import os
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag.errors import SourceRefused
from vault_sync.leanote.sources.archives import MAX_NAME_BYTES, Limits, UnsafeName, opened_folder, safe_parts

CLIMBING = ["../外.md", "/绝对.md", "a/../../外.md", "C:\\外.md", "C:/外.md", "a\\b.md", "..\\外.md", "a/\x07.md"]


def made_zip(path: Path, entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 3, 9, 18, 20, 0)), data, method)
    return path


def made_tar(path: Path, entries: Mapping[str, bytes | tarfile.TarInfo], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in entries.items():
            entry = data if isinstance(data, tarfile.TarInfo) else tarfile.TarInfo(name)
            content = b"" if isinstance(data, tarfile.TarInfo) else data
            entry.size = len(content)
            entry.mtime = 1_700_000_000
            archive.addfile(entry, io.BytesIO(content))
    return path


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


def read(path: Path, limits: Limits | None = None) -> tuple[dict[str, bytes], dict[str, str]]:
    with opened_folder(path, limits) as opened:
        files = [file for file in opened.folder.rglob("*") if file.is_file() or file.is_symlink()]
        contents = {file.relative_to(opened.folder).as_posix(): file.read_bytes() for file in files}
        return contents, {problem.where: problem.message for problem in opened.problems}


def test_a_folder_is_itself(tmp_path: Path) -> None:
    with opened_folder(tmp_path) as opened:
        assert (opened.folder, opened.problems) == (tmp_path, ())
    assert tmp_path.exists()


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_is_unpacked_and_removed_again(tmp_path: Path, mode: str) -> None:
    path = made_tar(tmp_path / "a.bin", {"读书/边城.md": "翠翠".encode(), "空.md": b""}, mode)
    with opened_folder(path) as opened:
        assert (opened.folder / "读书/边城.md").read_text(encoding="utf-8") == "翠翠"
        assert (opened.folder / "读书/边城.md").stat().st_mtime == 1_700_000_000
        folder = opened.folder
    assert not folder.exists()
    assert read(path) == ({"读书/边城.md": "翠翠".encode(), "空.md": b""}, {})


def test_a_zip_is_unpacked_and_not_the_zip_in_it(tmp_path: Path) -> None:
    inner = made_zip(tmp_path / "里.zip", {"a.md": b"a"}).read_bytes()
    path = made_zip(tmp_path / "b.bin", {"读书/": b"", "读书/边城.md": b"x" * 200_000, "里.zip": inner})
    assert read(path) == ({"读书/边城.md": b"x" * 200_000, "里.zip": inner}, {})


def test_the_temporary_folder_goes_when_reading_fails(tmp_path: Path) -> None:
    path = made_zip(tmp_path / "a.zip", {"a.md": b"a"})
    with pytest.raises(ZeroDivisionError), opened_folder(path) as opened:
        folder = opened.folder
        raise ZeroDivisionError
    assert not folder.exists()


@pytest.mark.parametrize("name", CLIMBING)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_entry_that_leaves_the_target_is_left_out(tmp_path: Path, name: str, kind: str) -> None:
    entries = {name: b"secret", "好.md": b"good"}
    path = made_zip(tmp_path / "a", entries) if kind == "zip" else made_tar(tmp_path / "a", entries)
    contents, problems = read(path)
    assert contents == {"好.md": b"good"}
    assert list(problems) == [name.replace("\x07", "?")]
    assert [file.name for file in tmp_path.rglob("*")] == ["a"]


def test_links_and_devices_of_a_tar_are_left_out(tmp_path: Path) -> None:
    entries: dict[str, bytes | tarfile.TarInfo] = {
        "a.md": b"a",
        "软": special("软", tarfile.SYMTYPE, "/etc"),
        "软/passwd": b"through the link",
        "硬": special("硬", tarfile.LNKTYPE, "a.md"),
        "管": special("管", tarfile.FIFOTYPE),
        "设备": special("设备", tarfile.CHRTYPE),
    }
    contents, problems = read(made_tar(tmp_path / "a.tar.gz", entries))
    assert contents == {"a.md": b"a", "软/passwd": b"through the link"}
    assert problems.keys() == {"软", "硬", "管", "设备"}
    assert problems["软"].startswith("a link")


@pytest.mark.parametrize(("mode", "reason"), [(stat.S_IFLNK, "a symbolic link"), (stat.S_IFIFO, "not a regular")])
def test_links_and_pipes_of_a_zip_are_left_out(tmp_path: Path, mode: int, reason: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        entry = zipfile.ZipInfo("链")
        entry.external_attr = (mode | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
        archive.writestr("a.md", "a")
    contents, problems = read(tmp_path / "a.zip")
    assert (contents, problems["链"].startswith(reason)) == ({"a.md": b"a"}, True)


def test_names_of_chinese_windows_are_decoded(tmp_path: Path) -> None:
    path = made_zip(tmp_path / "a.zip", {"AAAAAAAA/B.md": b"a", "CCCCCC.md": b"c"})
    data = path.read_bytes().replace(b"AAAAAAAA", "读书笔记".encode("gbk")).replace(b"CCCCCC", "小说".encode())
    path.write_bytes(data)
    assert read(path) == ({"读书笔记/B.md": b"a", "小说.md": b"c"}, {})


def test_a_second_entry_of_one_name_is_left_out(tmp_path: Path) -> None:
    with pytest.warns(UserWarning), zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("a.md", "a.md", "a.md/b.md"):
            archive.writestr(name, name)
    contents, problems = read(tmp_path / "a.zip")
    assert (contents, set(problems)) == ({"a.md": b"a.md"}, {"a.md", "a.md/b.md"})


def test_a_name_too_long_for_the_disk_is_cut(tmp_path: Path) -> None:
    contents, problems = read(made_zip(tmp_path / "a.zip", {f"读书/{'长' * 150}.md": b"a"}))
    assert problems == {}
    (name,) = contents
    assert name.endswith("长.md") and len(Path(name).name.encode()) <= MAX_NAME_BYTES


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        (Limits(entries=2), "more than 2 entries"),
        (Limits(entry_bytes=99_999), "larger than 99,999 bytes"),
        (Limits(total_bytes=250_000), "unpacks to more than 250,000 bytes"),
    ],
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_more_than_the_limits_is_refused(tmp_path: Path, limits: Limits, line: str, kind: str) -> None:
    entries = dict.fromkeys("abc", b"0" * 100_000)
    path = made_zip(tmp_path / "x", entries) if kind == "zip" else made_tar(tmp_path / "x", entries)
    with pytest.raises(SourceRefused, match=line):
        read(path, limits)


def test_a_bomb_is_refused_in_little_memory(tmp_path: Path) -> None:
    made_zip(tmp_path / "bomb.zip", {"零.md": bytes(100 * 2**20)})
    tracemalloc.start()
    with pytest.raises(SourceRefused, match="200 times its size"):
        read(tmp_path / "bomb.zip")
    assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    tracemalloc.stop()


def tar_header(name: bytes, size: int, kind: bytes) -> bytes:
    block = bytearray(512)
    block[: len(name)], block[124:136], block[156:157] = name, b"%011o\0" % size, kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_tar_with_a_huge_header_is_refused_in_little_memory(tmp_path: Path, kind: bytes) -> None:
    with gzip.open(tmp_path / "a.tgz", "wb", compresslevel=1) as file:
        file.write(tar_header(b"a", 80 * 2**20, kind))
        for _ in range(80):
            file.write(bytes(2**20))
    tracemalloc.start()
    with pytest.raises(SourceRefused, match="damaged tar"):
        read(tmp_path / "a.tgz")
    assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    tracemalloc.stop()


def test_an_entry_that_is_left_out_is_counted_too(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.tgz", "wb", compresslevel=9) as file:
        file.write(tar_header(b"../a", 100 * 2**20, tarfile.REGTYPE))
        for _ in range(100):
            file.write(bytes(2**20))
    with pytest.raises(SourceRefused, match="200 times its size"):
        read(tmp_path / "a.tgz")


def test_a_size_that_lies_is_not_believed(tmp_path: Path) -> None:
    path = made_zip(tmp_path / "a.zip", {"a.md": b"0123456789" * 10, "b.md": b"b"}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(struct.pack("<II", 100, 100), struct.pack("<II", 100, 3)))
    contents, problems = read(path)
    assert (contents, set(problems)) == ({"b.md": b"b"}, {"a.md"})


def test_one_damaged_entry_of_a_zip_leaves_the_rest(tmp_path: Path) -> None:
    path = made_zip(tmp_path / "a.zip", {"a.md": b"0123456789", "b.md": b"b"}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"0123456789", b"012345678!"))
    contents, problems = read(path)
    assert (contents, "damaged" in problems["a.md"]) == ({"b.md": b"b"}, True)


def test_an_unsupported_method_leaves_the_rest(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.md", b"a", zipfile.ZIP_LZMA)
        archive.writestr("b.md", b"b")
    contents, problems = read(tmp_path / "a.zip")
    assert (contents, "not supported" in problems["a.md"]) == ({"b.md": b"b"}, True)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = made_zip(tmp_path / "a.zip", {"a.md": b"a"})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(SourceRefused, match=r"a\.zip: encrypted"):
        read(path)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.97])
@pytest.mark.parametrize("kind", ["zip", "tar", "tgz"])
def test_an_archive_cut_short_is_refused(tmp_path: Path, share: float, kind: str) -> None:
    entries = {f"{n}.md": bytes(range(256)) * 40 for n in range(20)}
    path = tmp_path / "a"
    if kind == "zip":
        made_zip(path, entries)
    else:
        made_tar(path, entries, "w" if kind == "tar" else "w:gz")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    if kind == "tar" and share > 0.9:
        return  # only the zeros at its end are cut
    with pytest.raises(SourceRefused, match="damaged"):
        read(path)


def test_a_tar_damaged_in_the_middle_does_not_end_quietly(tmp_path: Path) -> None:
    path = made_tar(tmp_path / "a.tar", {"a.md": b"a", "b.md": b"b", "c.md": b"c"}, "w")
    data = bytearray(path.read_bytes())
    data[1024:1100] = b"\xff" * 76
    path.write_bytes(data)
    with pytest.raises(SourceRefused, match="damaged tar"):
        read(path)


def test_something_gzipped_that_is_no_tar_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"text" * 500))
    with pytest.raises(SourceRefused, match="damaged tar"):
        read(tmp_path / "a.gz")


def test_what_is_no_archive_or_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(SourceRefused, match="neither a folder nor a zip"):
        read(tmp_path / "a.txt")
    with pytest.raises(SourceRefused, match="No such file"):
        read(tmp_path / "没有.zip")


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "管")
    with pytest.raises(SourceRefused, match="neither a folder nor a zip"):
        read(tmp_path / "管")


def test_an_archive_of_nothing_usable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="nothing in it can be used"):
        read(made_zip(tmp_path / "a.zip", {"../a": b"a"}))


@given(st.text(st.sampled_from("a.字/\\:C \x00"), max_size=12))
def test_a_safe_path_stays_below_its_target(name: str) -> None:
    try:
        parts = safe_parts(name)
    except UnsafeName:
        return
    assert all(part not in ("", ".", "..") and "/" not in part and "\\" not in part for part in parts)
    assert not Path(*parts).is_absolute()
