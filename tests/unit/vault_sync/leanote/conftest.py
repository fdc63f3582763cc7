from collections.abc import Iterator
from pathlib import Path

import pytest
from bson import ObjectId

from tests.fakes.leanote.account import USER_ID, seeded_account
from tests.fakes.leanote.mongodump import write_collection
from tests.fakes.leanote.server import LeanoteServer, running_leanote
from tests.unit.vault_sync.leanote.sources import IMAGE_ID, NOTE_ID, open_source
from vault_sync.leanote.sources.api import ApiSource


@pytest.fixture
def server() -> Iterator[LeanoteServer]:
    with running_leanote(seeded_account()) as server:
        yield server


@pytest.fixture
def waits() -> list[float]:
    """The seconds that `api_source` waited between its tries."""
    return []


@pytest.fixture
def api_source(server: LeanoteServer, waits: list[float]) -> Iterator[ApiSource]:
    source = open_source(server, wait=waits.append)
    yield source
    source.close()


@pytest.fixture
def small_dump(tmp_path: Path) -> Path:
    """The database's folder of a dump of one note and one image, without files."""
    database = tmp_path / "server" / "db"
    database.mkdir(parents=True)
    note, image = ObjectId(NOTE_ID), ObjectId(IMAGE_ID)
    write_collection(database, "notes", [{"_id": note, "UserId": ObjectId(USER_ID), "Title": "一"}])
    write_collection(database, "note_contents", [{"_id": note, "Content": "正文"}])
    write_collection(database, "files", [{"_id": image, "Path": "files/a/images/x.png"}])
    return database
