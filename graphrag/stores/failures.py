"""Engine and file errors as one-line StoreErrors that name the broken thing and the way out."""

import errno
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from graphrag.errors import StoreError

_ENGINE_ERRORS = (OSError, ValueError, RuntimeError, LookupError, TypeError, EOFError, zlib.error, BadZipFile)
_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


_REBUILD = "Run `graphrag index --full` to rebuild it."


@contextmanager
def reading(path: Path, cure: str = _REBUILD) -> Iterator[None]:
    """Turn whatever an engine raises while it reads `path` into a StoreError; `cure` says what to do about damage."""
    try:
        yield
    except PermissionError as error:
        raise StoreError(f"{path}: reading is not allowed there. Check its permissions.") from error
    except _ENGINE_ERRORS as error:
        raise _damaged(path, error, cure) from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn whatever is raised while `path` is written into a StoreError; a full disk is told apart."""
    try:
        yield
    except _ENGINE_ERRORS as error:
        # Engines pass the operating system's text on, but not always its number.
        text = str(error)
        number = error.errno if isinstance(error, OSError) else None
        if number in _FULL or "No space left" in text:
            advice = (
                "no space is left. Free some, or put the index on another disk with --index-dir or `dir` under [index]"
            )
        elif number in _FORBIDDEN or "Permission denied" in text or "Read-only file system" in text:
            advice = "writing is not allowed there. Name a writable folder with --index-dir or GRAPHRAG_INDEX_DIR"
        else:
            raise _damaged(path, error) from error
        raise StoreError(f"{path}: {advice}.") from error


def _damaged(path: Path, error: Exception, cure: str = _REBUILD) -> StoreError:
    cause = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")
    return StoreError(f"{path}: the index is damaged or incomplete: {cause}. {cure}")
