"""Files that survive a power cut: their content reaches the disk, and then their names do."""

import os
from collections.abc import Iterator
from pathlib import Path


def write_durably(file: Path, content: bytes) -> None:
    """Replace a file so that after a power cut it holds either all of the old content or all of the new."""
    temporary = file.with_name(f"{file.name}.tmp")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)
    sync_folder(file.parent)


def remove_durably(file: Path) -> None:
    """Remove a file, if it is there, so that a power cut does not bring it back."""
    file.unlink(missing_ok=True)
    sync_folder(file.parent)


def sync_file(file: Path) -> None:
    """Wait until a file's content is on the disk; the names in its folder are another matter."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can tell."""
    if os.name == "posix":
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


class TreeSync:
    """Brings whole folders to the disk; what was brought there once, and is as it was, is passed over."""

    def __init__(self) -> None:
        self._done: set[tuple[str, int, int]] = set()

    def sync(self, folder: Path) -> None:
        """Wait until all files below a folder, and their names, are on the disk."""
        for root, _, names in os.walk(folder, topdown=False):
            new = [(file, state) for file, state in _states(Path(root), names) if state not in self._done]
            for file, _ in new:
                sync_file(file)
            sync_folder(Path(root))
            self._done.update(state for _, state in new)


def _states(folder: Path, names: list[str]) -> Iterator[tuple[Path, tuple[str, int, int]]]:
    for name in names:
        status = (folder / name).stat()
        yield folder / name, (str(folder / name), status.st_size, status.st_mtime_ns)
