"""A disk that fills up in the middle of a run: one clear line, the last snapshot answers, and room makes all good."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import SMALL, write_vault

_SETTINGS = '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs the superuser")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(shutil.which("mount") is None, reason="needs mount")
def test_a_full_disk_costs_one_line_and_loses_nothing(tmp_path: Path, small_disk: Path) -> None:
    vault = write_vault(tmp_path / "vault", SMALL)
    (vault / "graphrag.toml").write_text(_SETTINGS, encoding="utf-8")
    index = small_disk / "index"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "graphrag", *words, "--index-dir", str(index)]
        return subprocess.run(command, cwd=vault, check=False, capture_output=True, text=True, timeout=120)

    assert run("index").returncode == 0
    filler = small_disk / "filler"
    write_vault(vault, {f"多/{number}.md": f"# 多 {number}\n\n" + f"第 {number} 段。" * 200 for number in range(8)})
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"x" * 4096)
    failed = run("index")
    assert failed.returncode == 1
    assert failed.stderr.count("error:") == 1 and "space" in failed.stderr
    assert "Traceback" not in failed.stderr
    assert "三次" in run("ask", "retry_count 默认几次").stdout
    filler.unlink()
    subprocess.run(["mount", "-o", "remount,size=100m", str(small_disk)], check=True)
    assert run("index").returncode == 0
    assert "多/7.md" in run("search", "第 7 段", "--path", "多").stdout
