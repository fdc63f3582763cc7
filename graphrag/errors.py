"""Every exception the project raises on purpose.

    GraphragError
    ├── ConfigError           the settings file or an environment variable is wrong
    ├── VaultError            the vault, or a note named in it, cannot be used
    │   └── NoteNotFound      no note, or more than one, answers to a name
    ├── QuestionError         the question or a filter cannot be used
    ├── InferenceLimit        more follows from the notes than can be kept
    ├── StoreError            the index on disk cannot be used
    │   ├── SnapshotMissing   nothing has been indexed yet
    │   ├── SnapshotConflict  another process is writing
    │   └── SchemaMismatch    the index was made by another version
    ├── SyncError             what is to be imported cannot be read
    │   ├── SourceRefused     not such a source, a wrong password, a damaged archive: trying again changes nothing
    │   ├── SourceUnavailable it does not answer: try again later, the import goes on where it was
    │   └── NoteUnreadable    one note or file of it cannot be read; the rest can
    └── ProviderError         a model cannot be used
        ├── MissingExtra      its Python package is not installed
        ├── ProviderUnavailable   its server does not answer, or refuses to
        │   └── ModelMissing  it answers, and lacks the model
        └── BadProviderReply      its reply does not have the agreed form

A message is one line: what failed, on what, and the next step. The command line prints it and exits with 1.
"""

import logging
import re
from pathlib import Path


class GraphragError(Exception):
    """Base of all expected failures; its text is fit to show to a user."""


class ConfigError(GraphragError):
    """A setting is unknown, has a wrong value, or its file cannot be read."""


class VaultError(GraphragError):
    """The vault, or a note in it, cannot be used."""


class NoteNotFound(VaultError):
    """No note, or more than one, answers to a name; `candidates` are the paths to choose from."""

    def __init__(self, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class QuestionError(GraphragError):
    """A question or a filter cannot be used as given."""


class InferenceLimit(GraphragError):
    """The rules of the ontology lead to more facts than can be waited for; `property` has most of them."""

    def __init__(self, message: str, property_: str) -> None:
        super().__init__(message)
        self.property = property_


class StoreError(GraphragError):
    """The index on disk cannot be read or written."""


class SnapshotMissing(StoreError):
    """The vault has no published snapshot."""


class SnapshotConflict(StoreError):
    """Another process holds the write lock."""


class SchemaMismatch(StoreError):
    """The index has a format that this version does not read."""


class SyncError(GraphragError):
    """A source of notes cannot be read."""


class SourceRefused(SyncError):
    """The source is not what it should be, or does not let us in; trying again changes nothing."""


class SourceUnavailable(SyncError):
    """The source does not answer now; trying again later may help."""


class NoteUnreadable(SyncError):
    """One note, or one file of it, cannot be read; the rest of the source can."""


class ProviderError(GraphragError):
    """A model cannot be used."""


class MissingExtra(ProviderError):
    """The Python package of a provider is not installed."""


class ProviderUnavailable(ProviderError):
    """A provider does not answer, refuses to, or does not have the model."""


class ModelMissing(ProviderUnavailable):
    """A provider answers and does not have the model."""


class BadProviderReply(ProviderError):
    """A provider's reply does not have the agreed form."""


_INSIDE = (StoreError, ConfigError)  # their messages name files of this machine
_PLACE = re.compile(r"^(?:/|[A-Za-z]:\\)[^:]*: ")  # the folder of the vault, in front of what is wrong with it


def public_message(error: Exception, log: logging.Logger, vault: Path | None = None) -> str:
    """Return the text of a failure without folders of this machine, or that there is one; such a one is logged."""
    if isinstance(error, SnapshotMissing):
        return "Nothing is indexed yet. On the machine that holds the vault, run: graphrag index"
    if isinstance(error, GraphragError) and not isinstance(error, _INSIDE):
        text = _PLACE.sub("", str(error))
        return text.replace(str(vault), vault.name) if vault else text
    if isinstance(error, GraphragError):
        log.error("%s: %s", type(error).__name__, error)
        return "The index cannot be used now. The server's log says why; `graphrag doctor` looks further."
    log.error("unexpected failure", exc_info=error)
    return "Something went wrong inside. The server's log says what."
