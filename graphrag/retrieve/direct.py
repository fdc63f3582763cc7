"""Questions that need no notes: greetings, thanks, and arithmetic, which is computed exactly."""

import ast
import operator
import re
from collections.abc import Callable
from fractions import Fraction

_GREETING = re.compile(
    r"(?:你好|您好|嗨|哈喽|早上好|下午好|晚上好|早安|晚安|hi|hello|hey|good (?:morning|afternoon|evening))"
    r"(?:[呀啊哦吗]| there)?",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:谢谢|多谢|感谢|辛苦了|thanks|thank you|thx)(?:你|您|啦|了| a lot| very much| so much)?", re.IGNORECASE
)
_FAREWELL = re.compile(r"(?:再见|拜拜|回头见|bye|goodbye|see you)", re.IGNORECASE)
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

_REPLIES = (
    (_GREETING, "你好！问我你笔记里写过的东西吧。", "Hello! Ask me about anything you wrote down."),
    (_THANKS, "不客气。", "You are welcome."),
    (_FAREWELL, "再见。", "Goodbye."),
)


def direct_reply(question: str, is_chinese: bool) -> str | None:
    """Return the reply to a question that needs no retrieval; None for every other question."""
    text = question.strip(_PUNCTUATION)
    for pattern, chinese, english in _REPLIES:
        if pattern.fullmatch(text):
            return chinese if is_chinese else english
    return calculate(question)


def calculate(text: str) -> str | None:
    """Return the exact value of an arithmetic expression as text; None when the text is not one."""
    asked = text.strip(_PUNCTUATION)
    bare = _EQUALS.sub("", _EQUALS.sub("", asked).strip(_PUNCTUATION))
    is_asked_for = bare != asked
    bare = bare.replace("×", "*").replace("÷", "/").replace("（", "(").replace("）", ")").strip(_PUNCTUATION)
    if len(bare) > _MAX_LENGTH or not _ARITHMETIC.fullmatch(bare) or not re.search(r"[\d)]\s*[+\-*/%^]", bare):
        return None
    if _looks_like_date(bare) and not is_asked_for:
        return None
    try:
        value = _evaluate(ast.parse(bare.replace("^", "**"), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
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
