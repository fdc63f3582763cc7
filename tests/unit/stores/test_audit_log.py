import json
import stat
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphrag.errors import StoreError
from graphrag.stores.access_records import AUDIT_FILE, SET_ASIDE, AuditEntry, AuditLog

ENTRY = AuditEntry(datetime(2026, 5, 4, 12, tzinfo=UTC), "手机", "127.0.0.1", "GET", "/search?q=密", 200, 12.345)


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_line_a_request_without_its_query(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    log.write(ENTRY)
    log.write(replace(ENTRY, token="", path="/notes/a\n\u2028{}", status=401))
    first, second = lines(tmp_path / AUDIT_FILE)
    assert first == {
        "time": "2026-05-04T12:00:00.000+00:00",
        "token": "手机",
        "address": "127.0.0.1",
        "method": "GET",
        "path": "/search",
        "status": 200,
        "milliseconds": 12.3,
    }
    assert (second["token"], second["path"], second["status"]) == ("-", "/notes/a\n\u2028{}", 401)
    assert stat.S_IMODE((tmp_path / AUDIT_FILE).stat().st_mode) == 0o600


def test_a_full_log_is_set_aside_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphrag.stores.access_records._LARGEST", 1000)
    log = AuditLog(tmp_path)
    for number in range(30):
        log.write(replace(ENTRY, status=number))
    assert {file.name for file in tmp_path.iterdir()} <= {AUDIT_FILE, SET_ASIDE}
    kept = [line["status"] for name in (SET_ASIDE, AUDIT_FILE) for line in lines_if_there(tmp_path / name)]
    assert kept == list(range(30 - len(kept), 30))
    assert all(file.stat().st_size < 1400 for file in tmp_path.iterdir())


def lines_if_there(file: Path) -> list[dict[str, object]]:
    return lines(file) if file.exists() else []


def test_lines_of_threads_do_not_mix(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)

    def write() -> None:
        for _ in range(50):
            log.write(replace(ENTRY, path="/notes/" + "长" * 300))

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(tmp_path / AUDIT_FILE)) == 300


def test_a_log_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / AUDIT_FILE).mkdir()
    with pytest.raises(StoreError, match="cannot be written down"):
        AuditLog(tmp_path).write(ENTRY)
