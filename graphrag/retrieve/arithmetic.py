"""Arithmetic in signs or in words -> its exact value. Nothing is evaluated but numbers and the five operations."""

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction

_PUNCTUATION = "!！.。~～?？,， 　"
_ARITHMETIC = re.compile(r"[\d\s.()+\-*/%^]+")
_EQUALS = re.compile(
    r"(?:等于多少|等于几|是多少|得多少|得几|equals what|equals|=)\s*\Z|\A(?:计算|算一下|what is|what's|calculate)\s*",
    re.IGNORECASE,
)
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_MAX_EXPONENT = 64
_MAX_DIGITS = 200
_MAX_LENGTH = 200  # characters of an expression
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|\Z))")
_IN_WORDS = (
    (re.compile(r"(\d(?:[\d.]*\d)?)\s*%\s*(?:of|的)\s*(?=\d)", re.IGNORECASE), r"\1/100*"),
    (re.compile(r"(\d+(?:\.\d+)?)\s*的\s*(\d{1,3}(?:\.\d+)?)\s*%"), r"\1*\2/100"),
    (re.compile(r"(?<=\d)\s*(?:加上?|plus)\s*(?=\d)", re.IGNORECASE), "+"),
    (re.compile(r"(?<=\d)\s*(?:减去?|minus)\s*(?=\d)", re.IGNORECASE), "-"),
    (re.compile(r"(?<=\d)\s*(?:乘以?|times|multiplied\s+by)\s*(?=\d)", re.IGNORECASE), "*"),
    (re.compile(r"(?<=\d)\s*(?:除以|divided\s+by|over)\s*(?=\d)", re.IGNORECASE), "/"),
    (re.compile(r"(\d+(?:\.\d+)?)\s*的平方"), r"\1^2"),
)


def calculate(text: str, in_chinese: bool = False) -> str | None:
    """Return the exact value of an arithmetic expression, or that it divides by zero; None when the text is not one."""
    if len(text) > 2 * _MAX_LENGTH:
        return None
    asked = text.strip(_PUNCTUATION)
    bare = _EQUALS.sub("", _EQUALS.sub("", asked).strip(_PUNCTUATION))
    is_asked_for = bare != asked
    bare = _THOUSANDS.sub("", bare)
    for words, signs in _IN_WORDS:
        bare = words.sub(signs, bare)
    bare = bare.replace("×", "*").replace("÷", "/").replace("（", "(").replace("）", ")").strip(_PUNCTUATION)
    if len(bare) > _MAX_LENGTH or not _ARITHMETIC.fullmatch(bare) or not re.search(r"[\d)]\s*[+\-*/%^]", bare):
        return None
    if _looks_like_date(bare) and not is_asked_for:
        return None
    try:
        value = _evaluate(ast.parse(bare.replace("^", "**"), mode="eval").body)
    except ZeroDivisionError:
        return "除以零没有意义。" if in_chinese else "Nothing can be divided by zero."
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.10g}"


def _looks_like_date(text: str) -> bool:
    """Whether the text is rather a date, 2024-03, or a number in groups, 138-1234-5678."""
    return bool(re.fullmatch(r"(?:19|20)\d\d[-/.]\d{1,2}|\d+(?:([-/.])\d+)(?:\1\d+)+", text))


def _evaluate(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return _bounded(Fraction(str(node.value)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _evaluate(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left), _evaluate(node.right)
        if isinstance(node.op, ast.Pow):
            if right.denominator != 1 or abs(right) > _MAX_EXPONENT:
                raise ValueError("exponent out of range")
            return _bounded(Fraction(left ** int(right)))
        if type(node.op) in _OPERATORS:
            return _bounded(_OPERATORS[type(node.op)](left, right))
    raise ValueError("not arithmetic")


def _bounded(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator) >= 10**_MAX_DIGITS:
        raise ValueError("too large")
    return value
