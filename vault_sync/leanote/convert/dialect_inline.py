"""The running text of one block of Leanote's Markdown -> what Obsidian shows the same way. Code is never touched.

Links of Leanote lead into the vault; formulas get Obsidian's marks; `#词`, `[[x]]`, `==x==`, `%%` and ` ^x`, which mean
nothing in Leanote, are escaped, for Obsidian would see a tag, a link, a highlight, a comment and a name in them.
The time is linear in the length of the text, whatever it holds.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import partial

from vault_sync.leanote.convert.emphasis import is_seen, without_punctuation
from vault_sync.leanote.convert.link_writer import LinkWriter
from vault_sync.leanote.links import parse_leanote_address

_WORDS = re.compile(r"\\(?:text|mbox|mathrm|textbf|textit|hbox|tag|label)\s{0,5}\{[^{}]{0,500}\}")
_CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff65]")
_MATHS = re.compile(r"[\\^_=+<>]|(?<![A-Za-z])[A-Za-z]\s{0,3}[-*/]\s{0,3}[A-Za-z0-9](?![A-Za-z])")
_SMALL = re.compile(
    r"-?(?:[A-Za-z]{1,3}'{0,3}|[A-Za-z]{1,2}\([A-Za-z0-9, ]{1,20}\)|\d[\d.]{0,20}"
    r"|[A-Za-z0-9](?:\s?,\s?[A-Za-z0-9]){1,20})"
)
_VARIABLE = re.compile(r"\{?(?:[A-Z]{4,}|[A-Za-z]{2,}_[A-Za-z_]{2,})")  # of a shell
_AMOUNT = re.compile(r"\d[\d,.]*(?:\s|[,;.!?)]|\Z)")
_MAX_INLINE = 1000


def is_formula(content: str, is_certain: bool = False) -> bool:
    """Whether what stands between two marks is a formula; `is_certain` when the marks have no other use."""
    is_even = content[:1].isspace() == content[-1:].isspace()
    content = content.strip()
    if not content or len(content) > _MAX_INLINE or "\n" in content:
        return False
    if is_certain:
        return True
    if not is_even or _VARIABLE.match(content) or _CHINESE.search(_WORDS.sub("", content)):
        return False
    return bool(_SMALL.fullmatch(content) or (_MATHS.search(content) and not _is_prose(content)))


def is_seen_as_formula(content: str, following: str) -> bool:
    """Whether Obsidian would take the content of a pair of dollars, and the character after it, for a formula."""
    return bool(content) and not content[0].isspace() and not content[-1].isspace() and not following.isdigit()


def inline_formula(content: str) -> str:
    """Return a formula within a line; Obsidian allows no space next to the dollars."""
    return f"${content.strip()}$"


def display_formula(content: str) -> str:
    """Return a formula on its own."""
    return f"$${content}$$"


def _is_prose(content: str) -> bool:
    """Whether this reads like `5 to me and a_b `: an amount first, then words."""
    return bool(_AMOUNT.match(content)) and len(re.findall(r"(?<![\\\w])[A-Za-z]{2,}", content)) >= 2


_MARK = re.compile(
    r"(?P<escape>\\)|(?P<code>`+)|(?P<dollar>\$\$?)|(?P<comment><!--)|(?P<element></?[A-Za-z][^<>]*>)|(?P<bracket>!?\[)"
    r"|(?P<url>https?://[^\s<>\"'`|()\[\]（）【】，。；、！？]{1,2000})|(?P<tag>#)|(?P<highlight>(?<!=)==(?!=))"
    r"|(?P<bold>(?<!\*)\*\*(?!\*))|(?P<percent>%%)|(?P<name>(?<=[ \t])\^(?=[A-Za-z0-9\-]{1,80}[ \t]*$))",
    re.MULTILINE,
)
_TAG = re.compile(
    r"(?:^|(?<=[\s(（\[，,、。；;：「『“]))#(?=[\w/\-]{0,100}?[^\W\d]|[\U0001F300-\U0001FAFF☀-➿])", re.MULTILINE
)
_DESTINATION = re.compile(
    r"\([ \t]{0,20}(?:<([^<>\n]{0,2000})>|(data:[^\s<>\"()]*|(?:[^()\s\\]|\\.|\((?:[^()\s\\]|\\.){0,500}+\)){0,2000}+))"
    r"(?:\s{1,20}(?:\"[^\n]{0,500}?\"|'[^\n]{0,500}?'))?[ \t]{0,20}\)"
)
_SECOND = re.compile(r" ?\[([^\[\]\n]{0,200})\]")
_ATTRIBUTE = re.compile(r"(?<![\w\-])([\w\-]{1,40})\s{0,5}=\s{0,5}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")
_ENVIRONMENT = re.compile(r"\\begin\{([A-Za-z]{1,30}\*?)\}")
_BRACKETS = re.compile(r"\\.|[\[\]]", re.DOTALL)
_WIDTH = re.compile(r"\s*(\d{1,4})\s*(?:px)?\s*", re.IGNORECASE)
_MAX_NESTED = 4  # a picture in a link, and then some

Step = tuple[str, int]  # what is written, and where reading goes on


class InlineText:
    """Reads one block once; `definitions` are the addresses of Leanote that `[text][label]` may name."""

    def __init__(
        self, text: str, links: LinkWriter, definitions: Mapping[str, str], in_table: bool = False, depth: int = 0
    ) -> None:
        self._text = text
        self._links = links
        self._definitions = definitions
        self._in_table = in_table
        self._depth = depth
        self._places: dict[str, list[int]] = {}
        self._bold_ends: set[int] = set()
        self._partners = _partners(text)
        self._steps: dict[str, Callable[[re.Match[str]], Step]] = {
            "escape": self._escape,
            "code": self._code,
            "dollar": self._dollar,
            "comment": self._comment,
            "element": self._element,
            "bracket": self._bracket,
            "url": self._url,
            "tag": self._tag,
            "highlight": self._highlight,
            "bold": self._bold,
            "percent": partial(_written, text="%\\%"),
            "name": partial(_written, text="\\^"),
        }

    def converted(self) -> str:
        """Return the block as Obsidian shows it the same way."""
        pieces, position = [], 0
        while mark := _MARK.search(self._text, position):
            pieces.append(self._text[position : mark.start()])
            piece, position = self._steps[mark.lastgroup or ""](mark)
            pieces.append(piece)
        return "".join(pieces) + self._text[position:]

    def _find(self, what: str, start: int) -> int:
        """Return the next place of a string, -1 without one; each string is looked for once in the whole block."""
        if what not in self._places:
            self._places[what] = [found.start() for found in re.finditer(re.escape(what), self._text)]
        places = self._places[what]
        place = bisect_left(places, start)
        return places[place] if place < len(places) else -1

    def _escape(self, mark: re.Match[str]) -> Step:
        text, start = self._text, mark.start()
        if environment := _ENVIRONMENT.match(text, start):
            closing = f"\\end{{{environment.group(1)}}}"
            if (end := self._find(closing, environment.end())) >= 0:
                end += len(closing)
                return display_formula(f"\n{text[start:end]}\n" if "\n" in text[start:end] else text[start:end]), end
        for slashes in ("\\\\", "\\"):
            for opening, closing in (("(", ")"), ("[", "]")):
                if text.startswith(slashes + opening, start):
                    first = start + len(slashes) + 1
                    end = self._find(slashes + closing, first)
                    content = text[first:end] if end >= 0 else ""
                    if formula := _formula(content, opening, len(slashes) == 2):
                        return formula, end + len(slashes) + 1
        return text[start : start + 2], min(start + 2, len(text))

    def _code(self, mark: re.Match[str]) -> Step:
        run = mark.group()
        if "`" not in self._places:
            self._places["`"] = []
            for found in re.finditer("`+", self._text):
                self._places.setdefault(found.group(), []).append(found.start())
        end = self._find(run, mark.end())
        stop = end + len(run) if end >= 0 else mark.end()
        return self._text[mark.start() : stop], stop

    def _dollar(self, mark: re.Match[str]) -> Step:
        text, start, end = self._text, mark.start(), mark.end()
        closing = self._find(mark.group(), end)
        content = text[end:closing] if closing >= 0 else ""
        if len(mark.group()) == 2:
            return (text[start : closing + 2], closing + 2) if content.strip() else ("$$", end)
        following = text[closing + 1 : closing + 2]
        if content.endswith("\\") or "\n" in content or following == "$":
            return "$", end
        if is_formula(content) and not following.isdigit():
            return inline_formula(content), closing + 1
        return ("\\$" if is_seen_as_formula(content, following) else "$"), end

    def _comment(self, mark: re.Match[str]) -> Step:
        """A comment with a third dash is a label that the original shows: a highlight here."""
        end = self._find("-->", mark.end())
        if end < 0:
            return mark.group(), mark.end()
        comment = self._text[mark.start() : end + 3]
        label = " ".join(comment[5:-3].split()).replace("==", "")
        return (f"=={label}==" if comment.startswith("<!---") and label else comment), end + 3

    def _element(self, mark: re.Match[str]) -> Step:
        element = mark.group()
        name = re.match(r"</?([A-Za-z][A-Za-z0-9]{0,20})", element)
        attributes = _attributes(element) if name and name.group(1).lower() in ("a", "img") else {}
        if "src" in attributes:
            width = _WIDTH.fullmatch(attributes.get("width", ""))
            alt = re.sub(r"([\[\]|\\])", r"\\\1", attributes.get("alt", ""))
            shown = self._links.picture(attributes["src"], alt, width.group(1) if width else "", self._in_table)
            return shown or element, mark.end()
        if parse_leanote_address(attributes.get("href", "")) and (end := self._find("</a>", mark.end())) >= 0:
            text = self._nested(self._text[mark.end() : end])
            return self._linked(attributes["href"], text) or f"{element}{text}</a>", end + len("</a>")
        if element.startswith(("<http://", "<https://")) and (link := self._linked(element[1:-1], "")):
            return link, mark.end()
        return element, mark.end()

    def _bracket(self, mark: re.Match[str]) -> Step:
        opening = mark.end() - 1
        closing = self._partners.get(opening, -1)
        if closing >= 0 and self._depth < _MAX_NESTED:
            inner = self._text[opening + 1 : closing]
            if found := _DESTINATION.match(self._text, closing + 1):
                address = found.group(1) if found.group(1) is not None else found.group(2)
                return self._written_link(
                    mark, inner, re.sub(r"\\(?=[^\w\s])", "", address), found.group()
                ), found.end()
            second = _SECOND.match(self._text, closing + 1)
            label = second.group(1) if second and second.group(1) else inner
            if address := self._definitions.get(label_of(label), ""):
                end = second.end() if second else closing + 1
                return self._written_link(mark, inner, address, f"(<{address}>)"), end
        if self._text.startswith("[[", opening) and self._partners.get(opening + 1, -2) + 1 == closing:
            return mark.group().replace("[", "\\[\\["), mark.end() + 1
        return mark.group(), mark.end()

    def _written_link(self, mark: re.Match[str], inner: str, address: str, destination: str) -> str:
        if mark.group() == "![":
            shown = self._links.picture(address, inner, in_table=self._in_table)
            return shown or f"![{inner}]{destination}"
        text = self._nested(inner)
        text = re.sub(r"\A\[|\](?<!\\\])\Z", r"\\\g<0>", text) if inner[:1] == "[" and "](" not in inner else text
        return self._linked(address, text) or f"[{text}]{destination}"

    def _linked(self, address: str, text: str) -> str | None:
        if "![" in text:  # a wikilink cannot hold a picture
            link = self._links.link(address, "", self._in_table)
            return f"{text} {link}" if link and link.startswith("[[") else link and self._links.link(address, text)
        return self._links.link(address, text, self._in_table)

    def _nested(self, text: str) -> str:
        if self._depth + 1 >= _MAX_NESTED:
            return text
        return InlineText(text, self._links, self._definitions, self._in_table, self._depth + 1).converted()

    def _url(self, mark: re.Match[str]) -> Step:
        url = mark.group().rstrip(".,;:!?")
        return self._linked(url, "") or url, mark.start() + len(url)

    def _tag(self, mark: re.Match[str]) -> Step:
        return ("\\#" if _TAG.match(self._text, mark.start()) else "#"), mark.end()

    def _highlight(self, mark: re.Match[str]) -> Step:
        text, end = self._text, mark.end()
        is_alone = text[end : end + 1].isspace() and (mark.start() == 0 or text[mark.start() - 1].isspace())
        return ("==" if is_alone else "\\=\\="), end

    def _bold(self, mark: re.Match[str]) -> Step:
        """Bold text that Obsidian would not see, for a punctuation mark beside a word, gets the mark outside."""
        text, start, end = self._text, mark.start(), mark.end()
        closing = -1 if start in self._bold_ends else self._find("**", end)
        inner = text[end:closing] if closing >= 0 else ""
        if not self._is_whole(inner, end) or text[closing + 2 : closing + 3] == "*":
            return "**", end
        before, after = text[:start][-1:], text[closing + 2 : closing + 3]
        self._bold_ends.add(closing)
        if is_seen(before, inner, after):
            return "**", end
        first, plain, last = without_punctuation(inner)
        if not plain.strip():
            return "**", end
        is_bare = is_seen(first[-1:] or before, plain, last[:1] or after)
        opening, ending = ("**", "**") if is_bare else ("<b>", "</b>")
        return f"{first}{opening}{self._nested(plain)}{ending}{last}", closing + 2

    def _is_whole(self, inner: str, start: int) -> bool:
        """Whether a text may stand alone: on one line, with both ends of every code, formula, element and bracket."""
        if not inner.strip() or inner != inner.strip() or "\n" in inner or inner.endswith(("\\", "*")):
            return False
        inside = range(start, start + len(inner))
        brackets = (start + place for place, char in enumerate(inner) if char == "[")
        is_balanced = inner.count("[") == inner.count("]") and all(
            self._partners.get(place, -1) in inside for place in brackets
        )
        return (
            is_balanced and not (inner.count("`") % 2 or inner.count("$") % 2) and inner.count("<") == inner.count(">")
        )


def label_of(text: str) -> str:
    """Return what is equal for the labels of one reference."""
    return " ".join(text.split()).casefold()


def _written(mark: re.Match[str], text: str) -> Step:
    return text, mark.end()


def _formula(content: str, opening: str, is_certain: bool) -> str:
    """Return the formula that stands between brackets with backslashes, empty when it is none."""
    if opening == "(":
        return inline_formula(content) if is_formula(content, is_certain) else ""
    is_display = content.strip() and (is_certain or is_formula(content.replace("\n", " ")))
    return display_formula(content) if is_display else ""


def _attributes(element: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for attribute in _ATTRIBUTE.finditer(element):
        name, *values = attribute.groups(default="")
        found.setdefault(name.lower(), "".join(values))
    return found


def _partners(text: str) -> dict[int, int]:
    """Return the place of each opening bracket's closing one."""
    partners: dict[int, int] = {}
    open_: list[int] = []
    for found in _BRACKETS.finditer(text):
        if found.group() == "[":
            open_.append(found.start())
        elif found.group() == "]" and open_:
            partners[open_.pop()] = found.start()
    return partners
