"""A vault with a part that a limit opens, and beside it the same vault as if the other notes had never been."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.domain.access import Limit
from graphrag.domain.query import NO_FILTERS
from tests.e2e.conftest import silent, write_vault
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.git import isolate_git, run_git

LIMIT = Limit(categories=("支付",), tags=("共享",))
SETTINGS = '[answer]\nchat = "none"\n[index]\nkeep_past = 3\n'
ONTOLOGY = """@prefix : <https://example.org/own#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:reviews a owl:ObjectProperty ; skos:prefLabel "评审"@zh .
"""
INSIDE = {
    "支付/支付模块.md": '---\ntags: [支付/核心]\naliases: [支付组件]\n负责人: "[[张三]]"\n---\n# 支付模块\n\n'
    "重试次数由 retry_count 控制，默认三次。依赖:: [[消息队列]]\n\n## 对账\n\n每天凌晨对账，见 [[对账流程]]。\n",
    "支付/子类/对账流程.md": "---\ntype: 流程\n---\n# 对账流程\n\n对账流程分三步：账单、比对、告警。#支付/对账\n",
    "随笔/张三.md": "---\ntags: [共享/人物]\n---\n# 张三\n\n架构师张三写过 [[支付模块]] 的熔断，评审:: [[对账流程]]\n",
    "零散.md": "---\ncategory: 支付/其他\n---\n# 零散\n\n消息队列积压时先扩消费者，重试三次。[[没有这篇]]\n",
    "公开/说明.md": "# 说明\n\n#共享 这里说明怎样对账和支付，张三负责。\n",
}
OUTSIDE = {
    # One note for each way in which it could show: by its title, words, tags, aliases, category and path, by links
    # to and from it, by topics and terms that it alone names, by facts that it states, and by how it is kept.
    "密档/密谈支付模块.md": "# 密谈支付模块\n\n支付模块的 zqxsecret 重试次数由 retry_count 控制，默认九次密语。\n" * 3,
    "密档/标签.md": "---\ntags: [密签, 支付/密核]\naliases: [密名, 支付密]\n---\n# 密标\n\n对账流程有密。\n",
    "密档/链接.md": "# 密链\n\n[[支付模块]] 和 [[张三]] 依赖:: [[密主题]]，属于:: [[支付模块]]，[[没有这篇]]\n",
    "密档/事实.md": '---\n负责人: "[[张三]]"\ntype: 密型\n---\n# 密事\n\n评审:: [[支付模块]] 依赖:: [[对账流程]]\n',
    "密档/术语.md": "# 密术\n\nzqx_term_7 与 zqx_term_8 同在，密密麻麻，支付模块 支付模块。\n",
    "密档/术语二.md": "# 密术二\n\nzqx_term_7 与 zqx_term_8 又同在，消息队列密。\n",
    "密档/坏.md": "---\na: b: c\ntags: [密坏\n---\n# 密坏\n",
    "密档/画.canvas": '{"nodes": [{"id": "1", "type": "text", "text": "密画 #密画签"}], "edges": []}',
    "密档/乱.canvas": "{",
    "密私.md": "---\nprivate: true\ncategory: 支付\n---\n# 密私\n\n支付模块密。\n",
    ".ragignore": "密档/略.md\n",
    "密档/略.md": "# 密略\n",
    "密根.md": "# 密根\n\n张三密，对账流程密。\n",
}
MOVING = "# 来去\n\n来去之间的支付 movingword。[[张三]]\n"


@dataclass(frozen=True)
class Pair:
    """A vault with its limited part, and the same vault as if the other notes had never been."""

    whole: Path
    reduced: Path
    app: App  # of the whole
    limited: App
    plain: App  # of the reduced

    def commit(self, notes: Mapping[str, str | None], also_outside: Mapping[str, str | None], moment: str) -> None:
        """Write, or delete, notes in one commit of both vaults; the others in the whole one alone."""
        change(self.whole, {**notes, **also_outside}, "改密 zqx", moment)
        change(self.reduced, notes, "改", moment)

    def index(self) -> None:
        for app in (self.app, self.limited, self.plain):
            app.index(False, silent)

    def close(self) -> None:
        for app in (self.app, self.limited, self.plain):
            app.close()


def change(vault: Path, notes: Mapping[str, str | None], message: str, day: str) -> None:
    for path, text in notes.items():
        if text is None:
            (vault / path).unlink()
        else:
            write_vault(vault, {path: text})
    run_git(vault, "add", "-A")
    run_git(vault, "commit", "-q", "--allow-empty", "-m", message, moment=f"{day}T08:00:00+08:00")


def make_pair(folder: Path) -> Pair:
    whole, reduced = folder / "a" / "vault", folder / "b" / "vault"
    for vault in (whole, reduced):
        write_vault(vault, {"graphrag.toml": SETTINGS, "ontology/own.ttl": ONTOLOGY, ".gitignore": ".graphrag\n"})
        run_git(vault, "init", "-q")
    app, plain = App.open(whole, whole), App.open(reduced, reduced)
    made = Pair(whole, reduced, app, app.limited(LIMIT), plain)
    made.commit(
        {"支付/支付模块.md": "# 支付模块\n\n旧文，默认两次。\n"}, {"密档/旧.md": "# 密旧\n\n密。\n"}, "2024-01-01"
    )
    made.commit(INSIDE, {**OUTSIDE, "密档/旧.md": None}, "2024-02-01")
    run_git(whole, "branch", "密枝")
    made.index()
    return made


def finds(app: App, word: str) -> bool:
    return any(word in candidate.chunk.text for candidate in app.search(word, NO_FILTERS).candidates)


def holds(folder: Path, word: str) -> bool:
    """Whether a file in a folder holds a word."""
    return any(file.is_file() and word.encode() in file.read_bytes() for file in folder.rglob("*"))


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Git without this machine's settings, and a fast embedder in the place of the default one."""
    with pytest.MonkeyPatch.context() as patch:
        isolate_git(patch, tmp_path_factory.mktemp("home"))
        patch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: HashingEmbedder())
        yield


@pytest.fixture
def pair(tmp_path: Path, surroundings: None) -> Iterator[Pair]:
    made = make_pair(tmp_path)
    yield made
    made.close()
