"""Where the links of a note lead, in memory."""

from vault_sync.leanote.account import FileRef

IMAGE = "65f0a1b2c3d4e5f600000200"
ATTACHMENT = "65f0a1b2c3d4e5f600000201"
NOTE = "65f0a1b2c3d4e5f600000100"
GONE = "75f0a1b2c3d4e5f6000000ff"


class FakeTargets:
    """Knows one image, one attachment and one note; remembers what it was asked for."""

    def __init__(self, files: dict[str, str] | None = None, notes: dict[str, str] | None = None) -> None:
        self._files = {IMAGE: "assets/渡口.png", ATTACHMENT: "assets/书单 (1).pdf"} if files is None else files
        self._notes = {NOTE: "读书/边城"} if notes is None else notes
        self.asked: list[FileRef] = []
        self.pictures: list[bytes] = []

    def file(self, ref: FileRef) -> str | None:
        self.asked.append(ref)
        return self._files.get(ref.id)

    def inline(self, data: bytes) -> str | None:
        self.pictures.append(data)
        return f"assets/inline-{len(self.pictures)}.png"

    def note(self, note_id: str) -> str | None:
        return self._notes.get(note_id)
