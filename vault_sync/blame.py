"""Lines of a note at a commit -> when their author last changed them."""

from datetime import datetime

from vault_sync.repository import Repository


def line_date(repository: Repository, commit: str, path: str, blob: str, first: int, last: int) -> datetime | None:
    """Return the author date of the last change of some lines (1-based, inclusive).

    None when the note at the commit is not the blob that the lines were counted in: then they are in no commit yet.
    """
    name = find_name(repository, commit, path)
    if name is None or repository.ask("rev-parse", "--verify", "-q", f"{commit}:./{name}") != blob:
        return None
    # Only a line end splits what Git prints: the note's own lines, each after a tab, may hold other separators.
    told = repository.ask("blame", "--porcelain", "-L", f"{first},{last}", commit, "--", name)
    if told is None:  # Git counts other line ends than ours
        return None
    lines = told.split("\n")
    times = [line.removeprefix("author-time ") for line in lines if line.startswith("author-time ")]
    zones = [line.removeprefix("author-tz ") for line in lines if line.startswith("author-tz ")]
    moments = [_moment(int(seconds), zone) for seconds, zone in zip(times, zones, strict=True)]
    return max(moments, default=None)


def find_name(repository: Repository, commit: str, path: str) -> str | None:
    """Return the name under which a commit holds a note, which may be in another Unicode form, or None."""
    if repository.ask("rev-parse", "--verify", "-q", f"{commit}:./{path}"):
        return path
    return next((file.name for file in repository.tree(commit) if file.path == path), None)


def _moment(seconds: int, zone: str) -> datetime:
    offset = datetime.strptime(zone, "%z").tzinfo
    return datetime.fromtimestamp(seconds, offset)
