"""Access tokens of a served vault: creates, lists, disables and checks them; reads their limits and expiry.

Only hashes of tokens are stored. A request shows its token, and is let in or refused.
"""

import hashlib
import hmac
import logging
import re
import secrets
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path

from graphrag.domain.access import NO_LIMIT, AccessToken, Denial, Limit, Scope
from graphrag.domain.graph import Facet
from graphrag.domain.query import Filters, fold_name
from graphrag.errors import ConfigError, QuestionError, StoreError
from graphrag.ingest.note_rule import digest_of
from graphrag.language.dates import NoSuchDay
from graphrag.language.lengths import read_length
from graphrag.language.points import Toward
from graphrag.stores.access_records import KeptToken, TokenTable
from graphrag.stores.limited_index import forget_limited
from graphrag.understand.filters import last_day, read_filters

PREFIX = "grag_"
OWN_NAME = "this run"  # of the token that a server makes for whoever starts it; the audit log knows it by that
_BYTES = 32  # of chance in a token
_USE_EVERY = timedelta(minutes=1)  # the last use is written no more often than that
_NAME = re.compile(r"\w[\w .@-]{0,63}")
_NEEDS_QUOTES = re.compile(r"[\s，。？！；]")  # what ends a name in a filter
_EMPTY_NAME = re.compile(r"[:：](?:\"\s*\"|“\s*”)")
_LOG = logging.getLogger("graphrag")


class AccessTokens:
    """The tokens of one index folder, which `App.index_folder` makes; safe for several processes and threads."""

    def __init__(self, index_dir: Path) -> None:
        self._index_dir = index_dir
        self._table = TokenTable(index_dir)

    def create(
        self,
        name: str,
        scope: Scope,
        limit: Limit = NO_LIMIT,
        expires: datetime | None = None,
        now: datetime | None = None,
    ) -> str:
        """Make a token and return it; it cannot be read again.

        Raises:
            ConfigError: the name is none, or taken, or the server's own; it expires in the past; or it is an admin's,
                with a limit.
            StoreError: it cannot be kept.
        """
        now, name = now or datetime.now(UTC), name.strip()
        if not _NAME.fullmatch(name):
            raise ConfigError(f"'{name}' is no name of a token. Use up to 64 letters, digits, spaces, and . @ _ -")
        if " ".join(name.casefold().split()) == OWN_NAME:
            raise ConfigError(f"'{name}' is what `graphrag serve` calls its own token. Choose another name.")
        if expires is not None and expires <= now:
            raise ConfigError(f"the token would expire in the past ({expires:%Y-%m-%d %H:%M}). Give a later time.")
        if scope is Scope.ADMIN and not limit.is_empty:
            raise ConfigError(
                "a token of scope admin sees the whole vault. Leave the limit out, or choose read or ask."
            )
        secret = PREFIX + secrets.token_urlsafe(_BYTES)
        token = AccessToken(name, scope, limit, True, now, expires, None, "")
        if not self._table.add(KeptToken(token, hash_secret(secret))):
            raise ConfigError(f"there is a token '{name}' already. Choose another name, or delete that one first.")
        return secret

    def all(self) -> list[AccessToken]:
        """Return the tokens by name."""
        return [kept.token for kept in self._table.all()]

    def enable(self, name: str) -> None:
        """Let a token in again.

        Raises:
            ConfigError: there is none of that name.
        """
        self._check(self._table.set_enabled(name, True), name)

    def disable(self, name: str) -> None:
        """Turn a token away from its next request on, until it is enabled.

        Raises:
            ConfigError: there is none of that name.
        """
        self._check(self._table.set_enabled(name, False), name)

    def delete(self, name: str) -> None:
        """Forget a token, and delete the index of its limit if no other token has that one.

        Raises:
            ConfigError: there is none of that name.
        """
        self._check(self._table.delete(name), name)
        forget_limited(self._index_dir, keep=[digest_of(token.limit) for token in self.all()])

    def admit(self, secret: str, needed: Scope, address: str, now: datetime) -> AccessToken | Denial:
        """Return the token that lets a request in, or why none does; its use is written down."""
        found = self._find(hash_secret(secret))
        if found is None:
            return Denial.UNKNOWN
        token = found.token
        if not token.is_enabled:
            return Denial.DISABLED
        if token.expires is not None and token.expires <= now:
            return Denial.EXPIRED
        if not token.scope.allows(needed):
            return Denial.SCOPE
        self._note_use(found, address, now)
        return token

    def _find(self, wanted: bytes) -> KeptToken | None:
        """Return the token of a hash; how long that takes says nothing of any token's hash."""
        found = None
        for kept in self._table.all():
            if hmac.compare_digest(kept.hash, wanted):
                found = kept
        return found

    def _note_use(self, kept: KeptToken, address: str, now: datetime) -> None:
        """Write the use down now and then; that it cannot be, as on a read-only disk, turns no request away."""
        token = kept.token
        is_fresh = token.last_used is not None and now - token.last_used < _USE_EVERY
        if is_fresh and token.last_address == address:
            return
        try:
            self._table.note_use(kept.hash, now, address)
        except StoreError as error:
            _LOG.warning("the use of a token is not written down: %s", error)

    def _check(self, is_there: bool, name: str) -> None:
        if is_there:
            return
        names = [token.name for token in self.all()]
        near = get_close_matches(name, names, n=3, cutoff=0.4)
        advice = f"Did you mean: {', '.join(near)}?" if near else "graphrag token list shows them."
        raise ConfigError(f"there is no token '{name}'. {advice}")


def hash_secret(secret: str) -> bytes:
    """Return what is kept of a token; with that much chance in it, one round suffices."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def read_limit(texts: Iterable[str]) -> Limit:
    """Return the limit that texts like `category:工作 tag:"a b"` name together; of none, the empty one.

    Raises:
        QuestionError: one holds something else, or nothing, or an empty name.
    """
    categories: list[str] = []
    tags: list[str] = []
    for text in texts:
        filters = _read_filters(unicodedata.normalize("NFC", text))
        categories += filters.categories
        tags += filters.tags
    return Limit(tuple(dict.fromkeys(categories)), tuple(dict.fromkeys(tags)))


def limit_text(limit: Limit) -> str:
    """Return a limit in the form that `read_limit` reads, empty for the whole vault."""
    names = [
        *(f"category:{_quoted(name)}" for name in limit.categories),
        *(f"tag:{_quoted(name)}" for name in limit.tags),
    ]
    return " ".join(names)


def unknown_names(limit: Limit, categories: Iterable[Facet], tags: Iterable[Facet]) -> list[tuple[str, str]]:
    """Return the names of a limit, each with its kind, that no note has, given what notes have."""
    kinds = ("category", limit.categories, categories), ("tag", limit.tags, tags)
    known = {kind: {fold_name(facet.name) for facet in facets} for kind, _, facets in kinds}
    return [(kind, name) for kind, names, _ in kinds for name in names if fold_name(name) not in known[kind]]


def read_expiry(text: str, now: datetime) -> datetime:
    """Return when a token expires that does so after `12h`, `30d` or `两周`, or with the end of a day like `下个月底`.

    Raises:
        QuestionError: the text is neither.
    """
    try:
        if (length := read_length(text)) is not None:
            return now + length
        day = last_day(text, now.astimezone().date(), Toward.FUTURE)
        return (datetime(day.year, day.month, day.day) + timedelta(days=1)).astimezone()
    except (QuestionError, OverflowError, ValueError) as error:  # the calendar ends, too
        if isinstance(error.__cause__, NoSuchDay):
            raise
        raise QuestionError(f"'{text}' is no time to expire at. Write 30d, 12h, 2026-12-31 or 下个月底.") from error


def _quoted(name: str) -> str:
    return f'"{name}"' if _NEEDS_QUOTES.search(name) else name


def _read_filters(text: str) -> Filters:
    try:
        filters = read_filters(text)
    except QuestionError as error:
        raise QuestionError(f"'{text}' is no limit. Write it like category:工作 tag:支付.") from error
    if _EMPTY_NAME.search(text) or not all(map(_is_name, (*filters.categories, *filters.tags))):
        raise QuestionError(f"'{text}' is no limit, since a name in it is empty. Write it like category:工作 tag:支付.")
    is_other = bool(filters.paths or filters.types or filters.since or filters.until)
    if is_other or not (filters.categories or filters.tags):
        raise QuestionError(f"'{text}' is no limit. Only category: and tag: limit a token.")
    return filters


def _is_name(name: str) -> bool:
    """Whether anything is left of a name without its sign and slashes."""
    return bool(fold_name(name).strip("#/"))
