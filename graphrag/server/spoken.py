"""The language that a caller reads: the first one of the header Accept-Language, which the page sends; else English."""

from contextvars import ContextVar
from dataclasses import replace
from typing import TypeVar

from starlette.datastructures import Headers
from starlette.types import Scope

from graphrag.domain.query import Answer, SearchResult
from graphrag.language.interface import Language

_LANGUAGE: ContextVar[Language] = ContextVar("language", default=Language.EN)

Noticed = TypeVar("Noticed", Answer, SearchResult)


def speak_as_asked(scope: Scope) -> None:
    """Speak the caller's language in all that is done for this request."""
    wanted = Headers(scope=scope).get("accept-language", "").strip().lower()
    _LANGUAGE.set(Language.ZH if wanted.startswith("zh") else Language.EN)


def spoken() -> Language:
    """Return the language of the request under way."""
    return _LANGUAGE.get()


def with_notice_in(language: Language, found: Noticed) -> Noticed:
    """Return an answer or results with their notice in a language."""
    return replace(found, notice=language.tell(found.notice)) if found.notice else found
