"""Sources over the seeded account, and what their tests look at."""

from typing import Any

from tests.fakes.leanote.account import FakeAccount
from tests.fakes.leanote.server import LeanoteServer
from vault_sync.leanote.account import FileKind, FileRef, LeanoteSource, NoteListing
from vault_sync.leanote.sources.api import ApiSource
from vault_sync.leanote.sources.api_client import Credentials

IMAGE_ID = "65f0a1b2c3d4e5f6000a0001"
NOTE_ID = "65f0a1b2c3d4e5f6000a0002"
ANY_NOTE = NoteListing(NOTE_ID, "", "", (), None, None, True, "")


def open_source(server: LeanoteServer, password: str = "", token: str = "", **options: Any) -> ApiSource:
    credentials = Credentials("" if token else "lin", "" if token else password or server.account.password, token)
    return ApiSource(server.host, credentials, **{"wait": lambda seconds: None, **options})


def listed(source: LeanoteSource) -> dict[str, NoteListing]:
    return {note.id: note for note in source.notes()}


def image_of(account: FakeAccount, key: str) -> FileRef:
    return FileRef(account.notes[account.keys[key]].images[0], FileKind.IMAGE)
