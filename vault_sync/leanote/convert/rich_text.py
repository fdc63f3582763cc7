"""A rich note's HTML, as TinyMCE leaves it -> Markdown that Obsidian shows the same way. No I/O.

html -> repaired tree (`rich_tree.py`) -> markdownify with the rules below -> finished lines (`rich_blocks.py`).
What Markdown cannot hold is dropped: colours, sizes, fonts, alignment. Underlining stays as HTML; a coloured background
becomes a highlight. Scripts, forms and trackers are never taken over.
"""

import re

from bs4 import Tag
from bs4.element import NavigableString, PreformattedString
from markdownify import MarkdownConverter

from vault_sync.leanote.account import FileKind, FileRef
from vault_sync.leanote.convert.link_writer import LinkWriter
from vault_sync.leanote.convert.rich_blocks import (
    CODE,
    DONE_BOX,
    OPEN_BOX,
    code_span,
    escaped,
    finished,
    rows_of,
    table_lines,
)
from vault_sync.leanote.convert.rich_marks import has_block, indentation, link_of, marked, marks_of_style, picture_of
from vault_sync.leanote.convert.rich_tree import following, read_tree

_Parents = set[str]


def markdown_of_html(body: str, links: LinkWriter) -> str:
    """Return the body as Markdown; what it links to is told to `links`."""
    tree, is_flattened = read_tree(body)
    if is_flattened:
        links.warn("nested too deeply: the innermost parts are kept as plain text")
    return _Converter(links).convert_tree(tree)


class _Converter(MarkdownConverter):
    """The rules for TinyMCE; markdownify calls `convert_<element>` with the Markdown of what is inside."""

    def __init__(self, links: LinkWriter) -> None:
        super().__init__(heading_style="atx", bullets="-", wrap=True, wrap_width=None, strip_pre=None)
        self._links = links
        self._blocks: list[tuple[str, str]] = []

    def convert_tree(self, tree: Tag) -> str:
        return finished(self.process_tag(tree, parent_tags=set()), self._blocks)

    def process_tag(self, node: Tag, parent_tags: _Parents | None = None) -> str:
        if node.name == "br":  # the most frequent element; it has nothing inside
            return self.convert_br(node, "", parent_tags or set())
        if node.name == "table":
            return self._table(node, parent_tags or set())
        return str(super().process_tag(node, parent_tags))  # type: ignore[misc] # missing in its stubs

    def process_text(self, el: NavigableString, parent_tags: _Parents | None = None) -> str:
        return "" if isinstance(el, PreformattedString) else str(super().process_text(el, parent_tags))  # type: ignore[misc]

    def escape(self, text: str, parent_tags: _Parents) -> str:
        return escaped(text)

    def convert_dropped(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return ""

    def convert_br(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return " " if "_inline" in parent_tags and not _in_cell(parent_tags) else "\n"

    def convert_p(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        text = text.strip()
        if "_inline" in parent_tags:
            return f"\n{text}\n" if _in_cell(parent_tags) else f" {text} "
        indent = "" if has_block(el) else indentation(el)
        return "\n\n{}\n\n".format("\n".join(indent + line for line in text.split("\n"))) if text else ""

    convert_div = convert_p
    convert_dd = convert_p

    def convert_dt(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return self.convert_p(el, marked(el, text.strip(), "b", parent_tags), parent_tags)

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: _Parents) -> str:  # noqa: N802 - markdownify's name
        if "_inline" in parent_tags or "li" in parent_tags:
            return f"\n{marked(el, text.strip(), 'b', parent_tags)}\n"
        text = " ".join(text.split())
        return f"\n\n{'#' * max(1, min(6, n))} {text}\n\n" if text else ""

    def convert_b(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        is_bold_anyway = not parent_tags.isdisjoint(("b", "h1", "h2", "h3", "h4", "h5", "h6", "th", "dt"))
        return text if is_bold_anyway else marked(el, text, "b", parent_tags)

    def convert_i(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text if "i" in parent_tags else marked(el, text, "i", parent_tags)

    def convert_del(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text if "del" in parent_tags else marked(el, text, "del", parent_tags)

    def convert_mark(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text if "mark" in parent_tags else marked(el, text, "mark", parent_tags)

    def convert_u(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text if parent_tags & {"u", "a"} else marked(el, text, "u", parent_tags)

    convert_ins = convert_u

    def convert_sub(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return marked(el, text, "sub", parent_tags)

    def convert_sup(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return marked(el, text, "sup", parent_tags)

    def convert_span(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        for mark in marks_of_style(str(el.get("style") or "")):
            text = getattr(self, f"convert_{mark}")(el, text, parent_tags)
        return text

    convert_font = convert_span

    def convert_q(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return f"“{text}”"

    def convert_a(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text if "_noformat" in parent_tags else link_of(el, text, self._links)

    def convert_img(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return picture_of(el, self._links) + text

    def convert_video(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        source = el.get("src") or next((child.get("src") for child in el.contents if isinstance(child, Tag)), None)
        frame = Tag(name="a", attrs={"href": str(source or "")})
        return link_of(frame, escaped(str(el.get("title") or source or "")), self._links) if source else text

    convert_audio = convert_iframe = convert_embed = convert_video

    def convert_en_media(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        is_picture = str(el.get("type") or "").startswith("image/")
        ref = FileRef(str(el.get("hash") or "").lower(), FileKind.IMAGE if is_picture else FileKind.ATTACHMENT)
        return self._links.resource(ref, "", re.sub(r"\D.*", "", str(el.get("width") or ""))) + text

    def convert_en_todo(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return (DONE_BOX if el.get("checked") == "true" else OPEN_BOX) + text

    def convert_input(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        is_box = str(el.get("type") or "").lower() == "checkbox"
        return (DONE_BOX if el.get("checked") is not None else OPEN_BOX) if is_box else ""

    def convert_textarea(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return "" if "ace_" in str(el.get("class") or "") else text

    def convert_li(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        text = text.strip()
        is_numbered = el.parent is not None and el.parent.name == "ol"
        bullet = f"{el.get('data-number') or 1}. " if is_numbered else "- "
        lines = text.split("\n")
        return "\n".join([bullet + lines[0], *(" " * len(bullet) + line if line else "" for line in lines[1:])]) + "\n"

    def convert_list(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        if "li" not in parent_tags:
            return f"\n\n{text}\n\n"
        after = next((child for child in following(el) if isinstance(child, Tag) or str(child).strip()), None)
        is_followed_by_text = after is not None and not (isinstance(after, Tag) and after.name in ("ul", "ol"))
        return f"\n{text.rstrip()}" + ("\n\n" if is_followed_by_text else "\n")

    convert_ul = convert_ol = convert_list

    def convert_blockquote(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        text = text.strip()
        if "_inline" in parent_tags or not text:
            return f"\n{text}\n"
        return "\n\n{}\n\n".format("\n".join(f"> {line}".rstrip() for line in text.split("\n")))

    def convert_code(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text if "_noformat" in parent_tags else code_span(text)

    convert_kbd = convert_samp = convert_tt = convert_code

    def convert_pre(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        code = "".join(str(child) for child in el.contents)
        if not code.strip():
            return ""
        if parent_tags & {"_inline", "a", "td", "th"}:
            return "\n".join(code_span(line) for line in code.split("\n"))
        self._blocks.append((str(el.get("data-language") or ""), code))
        return f"\n\n{CODE}{len(self._blocks) - 1}{CODE}\n\n"

    def convert_td(self, el: Tag, text: str, parent_tags: _Parents) -> str:
        return text

    convert_th = convert_tr = convert_td

    def _table(self, table: Tag, parent_tags: _Parents) -> str:
        rows = list(rows_of(table))
        caption = [child for child in table.contents if isinstance(child, Tag) and child.name == "caption"]
        above = "".join(self.process_tag(child, parent_tags) for child in caption).strip()
        inside = parent_tags | {"table"}
        if sum(map(len, rows)) == 1 and "_inline" not in parent_tags:
            rows[0][0].name = "div"  # a table of one cell is a frame
            return f"\n\n{above}\n\n{self.process_tag(rows[0][0], parent_tags)}\n\n"
        if not rows:
            return f"\n\n{above}\n\n"
        if "_inline" in parent_tags:
            return "\n" + "\n".join(" ".join(self.process_tag(cell, inside) for cell in row) for row in rows) + "\n"
        lines = table_lines(rows, lambda cell: self.process_tag(cell, inside))
        return "\n\n" + "\n".join([*([above, ""] if above else []), *lines]) + "\n\n"


def _in_cell(parent_tags: _Parents) -> bool:
    return bool(parent_tags & {"td", "th"}) and not any(re.fullmatch("h[1-6]", name) for name in parent_tags)
