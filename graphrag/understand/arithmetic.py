"""Text -> the exact value of the arithmetic in it, in signs, words or Chinese numerals (三百加五十).

A text counts as arithmetic only when it holds nothing but numbers and the five operations. A `%` before another number
is the remainder of a division, else a percentage. No code is evaluated.
"""

import ast
import math
import operator
import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

from graphrag.language.numbers import CHINESE_NUMERAL, chinese_value, number_of
from graphrag.language.script import half_width

_PUNCTUATION = "!！.。~～?？,， 　"
_SIGNS = str.maketrans("×÷−", "*/-")
_ARITHMETIC = re.compile(r"[\d\s.()+\-*/%^]+")
_OPERATION = re.compile(r"[\d)%]\s*[+\-*/%^]+\s*[\d.(]")
_EQUALS = re.compile(
    r"(?:等于|是|得)?\s*(?:多少|几)(?:钱|元|块)?\s*\Z|(?:等于|equals\s+what|equals|=)\s*\Z"
    r"|\A(?:请?(?:计算|帮我算|算)(?:一?下)?|what\s+is|what['’]s|how\s+much\s+is|calculate)\s*",
    re.IGNORECASE,
)
_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_MAX_DIGITS = 1000  # of a value, and of its numerator and denominator on the way
_MAX_DECIMALS = 30  # of a value that is written out; a longer one is rounded
_MAX_LENGTH = 200  # characters of an expression
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?:\D|\Z))")
_NUMBER = r"\d+(?:\.\d+)?"
_NUMERAL = re.compile(CHINESE_NUMERAL)
_SCALED = re.compile(rf"{_NUMBER}\s?(?:[百千]?[万萬亿億]|[百千])")
_SHARE = re.compile(rf"({CHINESE_NUMERAL}|\d+)分之({CHINESE_NUMERAL}|{_NUMBER})")
_OFF = re.compile(  # 八折 leaves eight tenths, 八五折 85 hundredths
    rf"(?P<price>{_NUMBER}|{CHINESE_NUMERAL})\s*(?P<unit>元|块钱?|美元)?\s*的?\s*打\s*(?P<rate>[一二三四五六七八九](?:点?[一二三四五六七八九])?|\d(?:\.?\d)?)\s*折"
    r"(?:(?:之?后|以后|下来)?的?(?:价格?|价钱)?)\s*"
)
_UNITS = "百千万萬亿億"
_OF_SHARES = {"百": "100", "千": "1000", "万": "10000"}
_IN_WORDS = (
    (re.compile(r"(\d(?:[\d.]*\d)?)\s*%\s*(?:of|的)\s*(?=\d)", re.IGNORECASE), r"\1/100*"),
    (re.compile(rf"({_NUMBER})\s*的\s*(\d{{1,3}}(?:\.\d+)?)\s*%"), r"\1*\2/100"),
    (re.compile(r"(?<=[\d)%])\s*(?:加上?|plus)\s*(?=[\d(])", re.IGNORECASE), "+"),
    (re.compile(r"(?<=[\d)%])\s*(?:减去?|minus)\s*(?=[\d(])", re.IGNORECASE), "-"),
    (re.compile(r"(?<=[\d)%])\s*(?:乘以?|times|multiplied\s+by)\s*(?=[\d(])", re.IGNORECASE), "*"),
    (re.compile(r"(?<=[\d)%])\s*(?:除以|divided\s+by|over)\s*(?=[\d(])", re.IGNORECASE), "/"),
    (re.compile(r"(?<=[\d)%])\s*mod\s*(?=[\d(])", re.IGNORECASE), "%"),
    (re.compile(r"(?<=[\d)%])\s*的\s*(?=\()"), "*"),
    (re.compile(rf"({_NUMBER})\s*的\s*(\d+)\s*次(?:方|幂)"), r"\1^\2"),
    (re.compile(rf"({_NUMBER})\s*的平方"), r"\1^2"),
    (re.compile(rf"({_NUMBER})\s*的立方"), r"\1^3"),
)
_PERCENT = re.compile(rf"({_NUMBER})\s*%(?!\s*[\d.(])")
_ONLY_PERCENTS = re.compile(rf"\s*-?\s*{_NUMBER}\s*%(?:\s*[+\-]\s*{_NUMBER}\s*%)+\s*")
_BY_ZERO = ("除以零没有意义。", "Nothing can be divided by zero.")
_TOO_LARGE = (
    f"结果太大了：超过 {_MAX_DIGITS} 位的数不算。",
    f"The result is too large: numbers of more than {_MAX_DIGITS} digits are not computed.",
)


class _TooLarge(ArithmeticError):
    """A value has more digits than are computed."""


def calculate(text: str, in_chinese: bool = False) -> str | None:
    """Return the exact value of an arithmetic expression, or why it has none; None when the text is not one."""
    if len(text) > 2 * _MAX_LENGTH:
        return None
    asked = half_width(text).translate(_SIGNS).strip(_PUNCTUATION)
    bare = _EQUALS.sub("", _EQUALS.sub("", asked).strip(_PUNCTUATION)).strip(_PUNCTUATION)
    is_asked_for = bare != asked
    bare = _THOUSANDS.sub("", bare)
    if discount := _OFF.fullmatch(bare):
        return _discounted(discount)
    bare = _in_signs(bare)
    if len(bare) > _MAX_LENGTH or not _ARITHMETIC.fullmatch(bare) or not _OPERATION.search(bare):
        return None
    if _looks_like_date(bare) and not is_asked_for:
        return None
    return _value_of(bare, in_chinese)


def _in_signs(text: str) -> str:
    """Return a text with figures and signs in the place of numerals and words, as far as they are such."""
    text = _SHARE.sub(lambda found: f"({_figures(found[2])}/{_OF_SHARES.get(found[1]) or _figures(found[1])})", text)
    text = text.replace("一半", "(1/2)")
    text = _SCALED.sub(lambda found: _scaled(found[0]), text)
    text = _NUMERAL.sub(lambda found: _figures(found[0]), text)
    for words, signs in _IN_WORDS:
        text = words.sub(signs, text)
    return text.strip(_PUNCTUATION)


def _scaled(written: str) -> str:
    """Return figures with a Chinese unit, 5百万, in figures alone; what is no such number stays."""
    value = number_of(written)
    return written if value is None else f"{value:f}"


def _figures(numeral: str) -> str:
    """Return a Chinese numeral in figures; what is none stays, and so does 万一, which is a word."""
    value = chinese_value(numeral) if _NUMERAL.fullmatch(numeral) and numeral[0] not in _UNITS else None
    return numeral if value is None else f"{value:f}"


def _discounted(found: re.Match[str]) -> str | None:
    """Return what is left of a price."""
    digits = "".join(_figures(sign) for sign in found["rate"] if sign not in "点.")
    price = _figures(found["price"])
    if not re.fullmatch(_NUMBER, price):
        return None
    left = Fraction(price) * Fraction(int(digits), 10 ** len(digits))
    return f"{_written(left)} {found['unit']}。" if found["unit"] else _written(left)


def _value_of(expression: str, in_chinese: bool) -> str | None:
    in_percents = bool(_ONLY_PERCENTS.fullmatch(expression))
    signs = _PERCENT.sub(r"(\1/100)", expression).replace("^", "**")
    try:
        value = _evaluate(ast.parse(signs, mode="eval").body, signs)
    except ZeroDivisionError:
        return _BY_ZERO[not in_chinese]
    except _TooLarge:
        return _TOO_LARGE[not in_chinese]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return f"{_written(value * 100)}%" if in_percents else _written(value)


def _written(value: Fraction) -> str:
    """Return a value in decimals, all of them where they end soon, else ten digits."""
    if value.denominator == 1:
        return str(value.numerator)
    decimals = next((places for places in range(1, _MAX_DECIMALS + 1) if 10**places % value.denominator == 0), 0)
    if decimals:
        digits = str(abs(value.numerator) * 10**decimals // value.denominator).rjust(decimals + 1, "0")
        return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"
    with localcontext() as context:
        context.prec = 10
        return f"{Decimal(value.numerator) / Decimal(value.denominator):.10g}"


def _looks_like_date(text: str) -> bool:
    """Whether the text is rather a date, 2024-03, or a number in groups, 138-1234-5678."""
    return bool(re.fullmatch(r"(?:19|20)\d\d[-/.]\d{1,2}|\d+(?:([-/.])\d+)(?:\1\d+)+", text))


def _evaluate(node: ast.expr, source: str) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return _bounded(Fraction(source[node.col_offset : node.end_col_offset]))  # a float would be rounded
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _evaluate(node.operand, source)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = _evaluate(node.left, source), _evaluate(node.right, source)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if type(node.op) in _OPERATORS:
            return _bounded(_OPERATORS[type(node.op)](left, right))
    raise ValueError("not arithmetic")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise ValueError("a root is no arithmetic")
    if abs(base) == 1:
        return base if exponent % 2 else Fraction(1)
    if base and abs(exponent) > _MAX_DIGITS / math.log10(max(abs(base.numerator), base.denominator)):
        raise _TooLarge
    return _bounded(Fraction(base ** int(exponent)))


def _bounded(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator) >= 10**_MAX_DIGITS:
        raise _TooLarge
    return value
