"""Where the indexes of limited parts lie in the folder of the vault's own, by the digests of their limits."""

from collections.abc import Iterable
from pathlib import Path

from graphrag.stores.outside_notes import OutsideFile
from graphrag.stores.removal import remove_index

_FOLDER = "limited"
_OUTSIDE = ".outside.json.gz"


def limited_folder(index_dir: Path, digest: str) -> Path:
    """Return the folder of the index of a limited part."""
    return index_dir / _FOLDER / digest


def outside_file(index_dir: Path, digest: str) -> OutsideFile:
    """Return where the files outside a limit are remembered."""
    return OutsideFile(index_dir / _FOLDER / f"{digest}{_OUTSIDE}")


def forget_limited(index_dir: Path, keep: Iterable[str] = ()) -> None:
    """Delete the indexes of limited parts but those to keep; one that is being written stays.

    Raises:
        OSError: the system refuses.
    """
    kept, folder = set(keep), index_dir / _FOLDER
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name.removesuffix(_OUTSIDE) in kept:
            continue
        remove_index(place) if place.is_dir() else place.unlink(missing_ok=True)
