"""The users of a dump, and whose notes are meant. Of a user only the id and the names are kept."""

from collections import Counter
from dataclasses import dataclass

from graphrag.errors import SourceRefused
from vault_sync.leanote.sources.bson_stream import Collection
from vault_sync.leanote.sources.rows import read_id, read_text

_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class _User:
    id: str
    names: frozenset[str]  # that it answers to, in lower case
    shown: str


def choose_user(users: Collection, notes: Collection, wanted: str | None) -> str:
    """Return the id of the user that is wanted, or else of the only one with notes; empty when nobody has any.

    Raises:
        SourceRefused: nobody answers to the name, or several have notes and none is named.
    """
    counts = Counter(read_id(document.fields.get("UserId")) for document in notes.documents())
    counts.pop("", None)
    known = {user.id: user for document in users.documents() if (user := _read_user(document.fields)).id}
    known |= {user_id: _User(user_id, frozenset(), user_id) for user_id in counts if user_id not in known}
    if wanted:
        name = wanted.strip().lower()
        found = [user.id for user in known.values() if name in (user.id, *user.names)]
        if len(found) != 1:
            raise SourceRefused(f"{users.path.parent}: no user {wanted!r} in this dump. {_listed(known, counts)}")
        return found[0]
    if len(counts) > 1:
        raise SourceRefused(f"{users.path.parent}: holds the notes of several users. {_listed(known, counts)}")
    return next(iter(counts), "")


def _read_user(fields: dict[str, object]) -> _User:
    user_id = read_id(fields.get("_id"))
    names = [read_text(fields.get(name)) for name in ("UsernameRaw", "Username", "Email")]
    shown = next((name for name in names if name), user_id)
    return _User(user_id, frozenset(name.lower() for name in names if name), shown)


def _listed(known: dict[str, _User], counts: Counter[str]) -> str:
    """Return the users who have notes, in one line."""
    users = [f"{known[user_id].shown} ({count:,})" for user_id, count in counts.most_common(_MOST_NAMES)]
    more = f" and {len(counts) - _MOST_NAMES:,} more" if len(counts) > _MOST_NAMES else ""
    return f"Name one of: {', '.join(users)}{more}." if users else "It has no notes at all."
