import pytest

from graphrag.domain.note import Link, LinkKind, TargetKind
from graphrag.ingest.resolve import LinkResolver

NOTES = {
    "消息队列.md": ("MQ", "Message Queue"),
    "设计/事务.md": (),
    "设计/README.md": (),
    "设计/图/index.md": (),
    "归档/事务.md": (),
    "归档/2023/周会.md": (),
    "会议/周会.md": (),
    "Node.js.md": (),
    "板.canvas": (),
    "caf\u00e9.md": ("re\u0301sume\u0301",),
    "Async.md": (),
    "async.md": (),
    "a/sub/x.md": (),
    "b/sub/x.md": (),
}
RESOLVER = LinkResolver(NOTES)


def resolve(target: str, source: str = "首页.md", kind: LinkKind = LinkKind.WIKI) -> tuple[str, str]:
    resolved = RESOLVER.resolve(source, Link(target, kind, 1, target))
    return resolved.target_kind.value, resolved.target


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("消息队列", "首页.md", "消息队列.md"),
        ("消息队列.md", "首页.md", "消息队列.md"),
        ("/消息队列", "a/b.md", "消息队列.md"),
        ("设计/事务", "首页.md", "设计/事务.md"),
        ("事务", "设计/其他.md", "设计/事务.md"),
        ("事务", "归档/其他.md", "归档/事务.md"),
        ("2023/周会", "首页.md", "归档/2023/周会.md"),
        ("周会", "归档/其他.md", "归档/2023/周会.md"),
        ("mq", "首页.md", "消息队列.md"),
        ("message queue", "首页.md", "消息队列.md"),
        ("node.JS", "首页.md", "Node.js.md"),
        ("板.canvas", "首页.md", "板.canvas"),
        ("cafe\u0301", "首页.md", "caf\u00e9.md"),
        ("r\u00e9sum\u00e9", "首页.md", "caf\u00e9.md"),
        ("Async", "首页.md", "Async.md"),
        ("async", "首页.md", "async.md"),
        ("sub/x", "b/y.md", "b/sub/x.md"),
        (" 消息队列 ", "首页.md", "消息队列.md"),
    ],
)
def test_wikilinks(target: str, source: str, expected: str) -> None:
    assert resolve(target, source) == ("note", expected)


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("事务.md", "设计/其他.md", "设计/事务.md"),
        ("../消息队列.md", "设计/事务.md", "消息队列.md"),
        ("./事务.md", "归档/其他.md", "归档/事务.md"),
        ("/设计/事务.md", "归档/其他.md", "设计/事务.md"),
        ("./设计/", "首页.md", "设计/README.md"),
        ("图/", "设计/事务.md", "设计/图/index.md"),
        ("../", "设计/图/index.md", "设计/README.md"),
        ("..", "设计/图/index.md", "设计/README.md"),
        ("/设计/", "归档/事务.md", "设计/README.md"),
    ],
)
def test_markdown_links(target: str, source: str, expected: str) -> None:
    assert resolve(target, source, LinkKind.MARKDOWN) == ("note", expected)


@pytest.mark.parametrize(
    ("target", "kind", "expected"),
    [
        ("没有此页", LinkKind.WIKI, ("topic", "没有此页")),
        ("Vue.js", LinkKind.WIKI, ("topic", "Vue.js")),
        ("v1.2", LinkKind.WIKI, ("topic", "v1.2")),
        ("图.PNG", LinkKind.WIKI, ("attachment", "图.PNG")),
        ("src/main.py", LinkKind.WIKI, ("attachment", "src/main.py")),
        ("main.py", LinkKind.MARKDOWN, ("attachment", "main.py")),
        ("缺/", LinkKind.MARKDOWN, ("attachment", "缺/")),
        ("../x/缺.md", LinkKind.MARKDOWN, ("topic", "缺")),
        ("图.png", LinkKind.EMBED, ("attachment", "图.png")),
    ],
)
def test_what_no_note_answers_to(target: str, kind: LinkKind, expected: tuple[str, str]) -> None:
    assert resolve(target, kind=kind) == expected


def test_a_heading_alone_is_in_the_same_note() -> None:
    resolved = RESOLVER.resolve("设计/事务.md", Link("", LinkKind.WIKI, 1, "补偿", "补偿"))
    assert (resolved.target_kind, resolved.target) == (TargetKind.NOTE, "设计/事务.md")


def test_the_order_of_the_notes_does_not_matter() -> None:
    backwards = LinkResolver(dict(reversed(NOTES.items())))
    for target in ("事务", "周会", "x", "ASYNC", "sub/x"):
        assert backwards.find("首页.md", target) == RESOLVER.find("首页.md", target)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x.md", "b/Note.md"),
        ("zzzz/x.md", "zzzz/Note.md"),
        ("zzzz/deep/x.md", "b/Note.md"),  # a folder above counts for nothing
        ("a/x.md", "a/b/Note.md"),
        ("c/x.md", "b/Note.md"),
    ],
)
def test_of_several_the_own_folder_wins_and_then_the_shortest_path(source: str, expected: str) -> None:
    resolver = LinkResolver(dict.fromkeys(("a/b/Note.md", "b/Note.md", "zzzz/Note.md"), ()))
    assert resolver.find(source, "Note") == expected
    assert LinkResolver(dict.fromkeys(("Note.md", "zzzz/Note.md"), ())).find(source, "Note") == "Note.md"
