"""A Cypher statement as written -> the same statement, if all that it does is to read the graph.

What is allowed is listed: how a statement may begin, which procedures it may call, which functions it may use. The
statement that goes on to the engine is made of the words found here, without comments, so that both read the same one.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from typing import NamedTuple

from graphrag.errors import QuestionError

_LONGEST = 10_000
_SCHEMA = "docs/graph.md shows the schema and examples."
_TOKEN = re.compile(
    r"""
    (?P<space>(?:\s+|//[^\r\n]*|/\*.*?\*/)+)
    |(?P<text>'(?:[^'\\]|\\[\\'"bfnrtBFNRT])*'|"(?:[^"\\]|\\[\\'"bfnrtBFNRT])*")
    |(?P<quoted>`[^`]+`)
    |(?P<parameter>\$\w+)
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))
    |(?P<word>\w+)
    |(?P<mark>[-+*%^=<>(){}\[\],.:;|!~]|/(?![/*]))
    """,
    re.VERBOSE | re.DOTALL,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STARTS = _words("MATCH OPTIONAL UNWIND WITH RETURN CALL")
_PROCEDURES = _words("SHOW_TABLES TABLE_INFO")
_REFUSED = _words(
    """
    CREATE MERGE SET DELETE DETACH REMOVE DROP ALTER RENAME INSERT UPDATE TRUNCATE FOREACH COMMENT MACRO
    COPY LOAD EXPORT IMPORT INSTALL UNINSTALL EXTENSION ATTACH USE PROJECT
    BEGIN START COMMIT ROLLBACK CHECKPOINT EXPLAIN PROFILE
    """
)
# Words of the language that may stand before a bracket.
_BEFORE_BRACKET = _words(
    """
    MATCH WHERE AND OR XOR NOT IN RETURN WITH BY WHEN THEN ELSE CASE DISTINCT UNWIND SKIP LIMIT AS IS CONTAINS
    ALL ANY NONE SINGLE EXISTS SHORTEST TRAIL ACYCLIC WSHORTEST DECIMAL
    """
)
# Left out of what the engines have: what writes or reads files, sequences, and what only raises an error.
_FUNCTIONS = _words(
    """
    COUNT SUM AVG MIN MAX COLLECT COUNT_IF HISTOGRAM PERCENTILECONT PERCENTILEDISC
    ID LABEL LABELS KEYS LENGTH COST START_NODE END_NODE NODES RELS RELATIONSHIPS PROPERTIES OFFSET IS_TRAIL IS_ACYCLIC
    ABS ACOS ASIN ATAN ATAN2 CBRT CEIL CEILING COS COT DEGREES EVEN FACTORIAL FLOOR LN LOG LOG10 LOG2 NEGATE PI POW
    RADIANS RANDOM ROUND SIGN SIN SQRT TAN GREATEST LEAST BITWISE_AND BITWISE_OR BITWISE_XOR
    CAST COALESCE IFNULL NULLIF TYPEOF STRING TO_STRING TO_BOOL TO_DATE TO_DOUBLE TO_FLOAT TO_INT8 TO_INT16 TO_INT32
    TO_INT64 TO_INT128 TO_TIMESTAMP
    CONCAT CONCAT_WS CONTAINS ENDS_WITH STARTS_WITH PREFIX SUFFIX INITCAP LCASE LOWER TOLOWER UCASE UPPER TOUPPER LEFT
    RIGHT LEVENSHTEIN LPAD RPAD LTRIM RTRIM TRIM REPEAT REPLACE REVERSE SIZE SPLIT_PART STRING_SPLIT STR_SPLIT
    STRING_TO_ARRAY LIST_TO_STRING SUBSTR SUBSTRING HASH MD5 SHA256 REGEXP_EXTRACT REGEXP_EXTRACT_ALL REGEXP_FULL_MATCH
    REGEXP_MATCHES REGEXP_REPLACE REGEXP_SPLIT_TO_ARRAY
    DATE TIMESTAMP INTERVAL DURATION CENTURY CURRENT_DATE CURRENT_TIMESTAMP DATEPART DATE_PART DATETRUNC DATE_TRUNC
    DAYNAME MONTHNAME LAST_DAY MAKE_DATE EPOCH_MS TO_EPOCH_MS TO_DAYS TO_HOURS TO_MINUTES TO_MONTHS TO_SECONDS TO_YEARS
    RANGE ELEMENT_AT CARDINALITY LIST_ANY_VALUE LIST_APPEND LIST_CAT LIST_CONCAT LIST_CONTAINS LIST_CREATION
    LIST_DISTINCT LIST_ELEMENT LIST_EXTRACT LIST_FILTER LIST_HAS LIST_HAS_ALL LIST_HAS_ANY LIST_INDEXOF LIST_MAX
    LIST_MIN LIST_POSITION LIST_PREPEND LIST_PRODUCT LIST_REDUCE LIST_REVERSE LIST_REVERSE_SORT LIST_SLICE LIST_SORT
    LIST_SUM LIST_TRANSFORM LIST_UNIQUE MAP MAP_EXTRACT MAP_KEYS MAP_VALUES STRUCT_EXTRACT STRUCT_PACK
    """
)


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def name(self) -> str:
        """Return a word as the engine compares it; look-alikes of other scripts count as the letters they look like."""
        return unicodedata.normalize("NFKC", self.text.strip("`")).casefold().upper()


def check_reading(statement: str, parameters: Collection[str] = ()) -> str:
    """Return a statement without its comments and its last semicolon; `parameters` are the names of those given.

    Raises:
        QuestionError: it may do something else than reading the graph, or a parameter is missing.
    """
    if len(statement) > _LONGEST:
        raise QuestionError(f"the query has {len(statement):,} characters; at most {_LONGEST:,} are read.")
    tokens = _tokens(statement)
    words = [token for token in tokens if token.kind != "space"]
    while words and words[-1].text == ";":
        words.pop()
    if not words:
        raise QuestionError(f"the query is empty. Write one like: MATCH (n:Entity) RETURN n.title LIMIT 5. {_SCHEMA}")
    if any(token.text == ";" for token in words):
        raise QuestionError("only one statement at a time is run. Leave out what follows the first ';'.")
    if words[0].kind != "word" or words[0].name not in _STARTS:
        raise _refusal(words[0].text, "a query begins with MATCH, OPTIONAL MATCH, UNWIND, WITH, RETURN or CALL")
    _check_words(words)
    missing = [token.text for token in words if token.kind == "parameter" and token.text[1:] not in parameters]
    if missing:
        raise QuestionError(f"the parameter {missing[0]} has no value. Give one with --param {missing[0][1:]}=VALUE.")
    return "".join(" " if token.kind == "space" else token.text for token in tokens).strip().rstrip("; ")


def _tokens(statement: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(statement):
        found = _TOKEN.match(statement, position)
        if found is None or not _is_safe(found.group()):
            character = statement[position]
            raise QuestionError(
                f"character {position + 1} of the query, {character!r}, is no Cypher that is understood here: an open "
                f"quotation mark, an unknown escape, or a full-width sign? {_SCHEMA}"
            )
        tokens.append(_Token(found.lastgroup or "", found.group()))
        position = found.end()
    return tokens


def _is_safe(text: str) -> bool:
    """Whether no engine can take a text to end earlier: NUL ends one in C, a lone surrogate has no UTF-8."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _check_words(words: Sequence[_Token]) -> None:
    for before, token, after in zip([None, *words], words, [*words[1:], None], strict=False):
        is_called = after is not None and after.text == "("
        if before is not None and before.kind == "word" and before.name == "CALL":
            if not is_called or token.name not in _PROCEDURES:
                raise _refusal(f"CALL {token.text}", "CALL is for show_tables() and table_info('Entity')")
        elif token.kind == "word" and token.name in _REFUSED:
            raise _refusal(
                token.text, "the graph is only read, and so is no file; a name that is called so goes in `…`"
            )
        elif is_called and token.kind in ("word", "quoted") and not _may_precede_bracket(token):
            raise _refusal(f"{token.text}()", "it is not among the functions on values that are allowed")
    if words[-1].kind == "word" and words[-1].name == "CALL":
        raise _refusal("CALL", "CALL is for show_tables() and table_info('Entity')")


def _may_precede_bracket(token: _Token) -> bool:
    return token.name in _FUNCTIONS or (token.kind == "word" and token.name in _BEFORE_BRACKET)


def _refusal(what: str, why: str) -> QuestionError:
    return QuestionError(f"'{what[:60]}' is refused: {why}. {_SCHEMA}")
