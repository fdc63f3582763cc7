"""HTML source -> the same without tags nested in hundreds of others, since the parser's time grows with the depth."""

import re
from collections import Counter

MAX_OPEN = 400
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9\-]{0,20})(?=[\s/>])[^<>]*>")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr en-media en-todo".split())  # noqa: SIM905
_IN_LINE = frozenset("a abbr b big code del em font i ins kbd mark q s small span strike strong sub sup tt u".split())  # noqa: SIM905


def shallow(html: str) -> tuple[str, bool]:
    """Return the source with a break for each block that is nested too deeply, and whether there was any such tag."""
    open_: list[str] = []
    left_out: Counter[str] = Counter()
    pieces, position = [], 0
    for found in _TAG.finditer(html):
        name = found.group(2).lower()
        if found.group(1):
            is_kept = _close(name, open_, left_out)
        elif name in _VOID:
            continue
        else:
            is_kept = len(open_) < MAX_OPEN
            if is_kept:
                open_.append(name)
            else:
                left_out[name] += 1
        if not is_kept:
            pieces += [html[position : found.start()], "" if name in _IN_LINE or found.group(1) else "<br>"]
            position = found.end()
    return "".join([*pieces, html[position:]]), bool(pieces)


def _close(name: str, open_: list[str], left_out: Counter[str]) -> bool:
    """Close an element; False when its opening tag was left out."""
    if left_out[name]:
        left_out[name] -= 1
        return False
    if name in open_:
        while open_.pop() != name:
            pass
    return True
