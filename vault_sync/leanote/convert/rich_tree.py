"""TinyMCE's HTML -> a tree that can be converted: residue dropped, lists repaired, nothing nested too deeply.

Elements are renamed and lists of children replaced, never cut out one by one: among thousands of siblings that takes
for ever. So the tree may afterwards only be walked through `contents` and `parent`, not by the order of elements.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from bs4 import BeautifulSoup, Comment, Tag
from bs4.element import NavigableString, PageElement

from vault_sync.leanote.convert.rich_blocks import code_language, code_text

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


MAX_DEPTH = 90  # three calls for each; the interpreter allows 1000
DROPPED = "dropped"
_DROPPED = frozenset(
    (  # noqa: SIM905
        "script style pinit noscript template head title meta link object param applet button select option canvas svg "
        "colgroup col map area base wbr"
    ).split()
)
_SECTIONS = frozenset(
    (  # noqa: SIM905
        "section article main header footer nav aside address figure figcaption center fieldset legend form details "
        "summary body html hgroup dl"
    ).split()
)
BLOCKS = frozenset("div p h1 h2 h3 h4 h5 h6 ul ol li table pre blockquote hr dt dd tr".split())  # noqa: SIM905
_SAME = {"strong": "b", "em": "i", "strike": "del", "s": "del"}
_MERGED = frozenset(("b", "i", "del", "u"))
_SPACES = re.compile("&nbsp;?|&#160;?|&#x0*a0;?|\u00a0", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufdd0-\ufdef\ud800-\udfff]")


def read_tree(html: str) -> tuple[BeautifulSoup, bool]:
    """Return the repaired tree of a fragment, and whether something in it was nested too deeply and is flattened."""
    source, is_flattened = shallow(_CONTROL.sub("", html.replace("\r\n", "\n").replace("\r", "\n")))
    soup = BeautifulSoup(f"<div>{_SPACES.sub(' ', source)}</div>", "html.parser", multi_valued_attributes=None)
    waiting: list[tuple[Tag, int]] = [(soup, 0)]
    while waiting:
        element, depth = waiting.pop()
        if depth >= MAX_DEPTH and any(isinstance(child, Tag) and child.contents for child in element.contents):
            set_children(element, list(_leaves(element)))
            is_flattened = True
        _repair(element)
        waiting += [(child, depth + 1) for child in element.contents if isinstance(child, Tag)]
    return soup, is_flattened


def set_children(parent: Tag, children: list[PageElement]) -> None:
    """Make these the children of an element."""
    parent.contents = children
    for before, child in zip([None, *children], children, strict=False):
        child.parent = parent
        child.previous_sibling = before
        child.next_sibling = None
        if before is not None:
            before.next_sibling = child


def following(element: Tag) -> Iterator[PageElement]:
    """Yield the siblings after an element."""
    sibling = element.next_sibling
    while sibling is not None:
        yield sibling
        sibling = sibling.next_sibling


def text_of(element: PageElement) -> str:
    """Return all text below an element."""
    pieces, waiting = [], [element]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Tag):
            waiting += reversed(item.contents)
        elif isinstance(item, NavigableString) and not isinstance(item, Comment):
            pieces.append(str(item))
    return "".join(pieces)


def _repair(element: Tag) -> None:
    """Put right one element and its list of children."""
    element.name = _SAME.get(element.name, element.name)
    bogus = element.get("data-mce-bogus")
    if element.name in _DROPPED or bogus == "all" or (bogus and element.name in ("br", "img")) or _is_anchor(element):
        element.name = DROPPED
        element.contents = []
    elif element.name in _SECTIONS:
        element.name = "div"
    if element.name == "pre" or (element.name == "code" and _has_lines(element)):
        element["data-language"] = code_language(element)
        set_children(element, [NavigableString(code_text(element))])
        element.name = "pre"
        return
    _unwrap_only_child(element)
    if element.name in ("ul", "ol"):
        set_children(element, list(_items(element)))
    elif any(isinstance(child, Tag) and _SAME.get(child.name, child.name) in _MERGED for child in element.contents):
        set_children(element, list(_merged(element.contents)))


def _is_anchor(element: Tag) -> bool:
    """Whether this is the empty link beside a heading, as GitHub has them."""
    classes = str(element.get("class") or "").split()
    return element.name == "a" and "anchor" in classes and not text_of(element).strip("¶# \n\t")


def _has_lines(code: Tag) -> bool:
    return any(isinstance(child, Tag) and (child.name == "br" or child.name in BLOCKS) for child in code.contents)


def _unwrap_only_child(element: Tag) -> None:
    """Take the place of a plain element that is the only child, however many are nested so."""
    while element.name in ("div", "span", "[document]"):
        children = [child for child in element.contents if isinstance(child, Tag) or str(child).strip()]
        only = children[0] if len(children) == 1 else None
        if not isinstance(only, Tag) or only.name not in ("div", *_SECTIONS, "span") or only.get("style"):
            return
        if only.name == "span" and element.name != "span":
            return
        set_children(element, only.contents)


def _items(list_: Tag) -> Iterator[Tag]:
    """Yield the items of a list, numbered; what stands between them joins the one before."""
    items: list[tuple[Tag, list[PageElement]]] = []
    for child in list_.contents:
        if isinstance(child, Tag) and child.name == "li":
            items.append((child, child.contents))
        elif isinstance(child, Tag) or (not isinstance(child, Comment) and str(child).strip()):
            if not items:
                items.append((Tag(name="li"), []))
            items[-1][1].append(child)
    start = str(list_.get("start") or "1")
    first = int(start) if re.fullmatch(r"\d{1,6}", start) else 1
    for number, (item, contents) in enumerate(items, first):
        set_children(item, contents)
        item["data-number"] = str(number)
        yield item


def _merged(children: Iterable[PageElement]) -> Iterator[PageElement]:
    """Yield children; neighbours with the same emphasis become one."""
    groups: list[tuple[PageElement, str, list[PageElement]]] = []
    for child in children:
        name = _SAME.get(child.name, child.name) if isinstance(child, Tag) else ""
        if isinstance(child, Tag) and name in _MERGED and groups and groups[-1][1] == name:
            groups[-1][2].extend(child.contents)
        else:
            groups.append((child, name, list(child.contents) if isinstance(child, Tag) else []))
    for child, name, contents in groups:
        if isinstance(child, Tag) and name in _MERGED:
            set_children(child, contents)
        yield child


def _leaves(element: Tag) -> Iterator[PageElement]:
    """Yield the text, breaks and pictures below an element, with a break before each block."""
    waiting: list[PageElement] = list(reversed(element.contents))
    while waiting:
        item = waiting.pop()
        if not isinstance(item, Tag):
            yield item
        elif item.name in ("br", "img", "input"):
            item.contents = []
            yield item
        elif item.name not in _DROPPED:
            if item.name in BLOCKS:
                yield Tag(name="br")
            waiting += reversed(item.contents)
