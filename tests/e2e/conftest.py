"""Vaults for the end-to-end tests: the example vault, indexed once for the run, and small ones made on the spot."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import graphrag.providers
from graphrag.app import App
from graphrag.domain.ports import Embedder
from graphrag.providers import load_embedder
from graphrag.settings import EmbeddingSettings
from tests.conftest import MakeOnce
from tests.fakes.embedder import HashingEmbedder

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "支付/支付模块.md": '---\n属于: "[[交易系统]]"\ntags: [支付/核心]\n---\n'
    "# 支付模块\n\n重试次数由 retry_count 控制，默认三次。\n",
    "支付/交易系统.md": '---\n负责人: "[[张三]]"\n---\n# 交易系统\n\n交易系统包含支付模块，见 [[支付模块]]。\n',
    "人物/张三.md": "# 张三\n\n张三是架构师，写过 [[熔断设计]]。\n",
    "消息队列.md": "# 消息队列\n\n消息积压时先扩消费者。依赖:: [[支付模块]]\n",
}


def silent(step: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def write_vault(folder: Path, notes: Mapping[str, str]) -> Path:
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def embed_fast(patch: pytest.MonkeyPatch) -> HashingEmbedder:
    """Put a fast embedder in the place of the default one, until the patch ends."""
    fake = HashingEmbedder()
    patch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: fake)
    return fake


def index_vault(vault: Path) -> None:
    app = App.open(vault, vault, {"answer": {"chat": "none"}})
    app.index(False, silent)
    app.close()


def write_demo_of_words(vault: Path) -> None:
    """Write the example vault with an index of words and links alone."""
    shutil.copytree(EXAMPLES / "vault", vault)
    write_vault(vault, {"graphrag.toml": '[index]\nembedder = "none"\n[answer]\nchat = "none"\n'})
    index_vault(vault)


@pytest.fixture(scope="session")
def demo_embedder(is_full: bool) -> Embedder:
    """The embedder of the example vault: the default one in a full run, loaded once, else the fast one."""
    return load_embedder("onnxruntime", EmbeddingSettings()) if is_full else HashingEmbedder()


@pytest.fixture(scope="session")
def indexed_demo(make_once: MakeOnce, demo_embedder: Embedder) -> Path:
    """The example vault with its index."""

    def write(vault: Path) -> None:
        shutil.copytree(EXAMPLES / "vault", vault)
        write_vault(vault, {"graphrag.toml": '[answer]\nchat = "none"\n'})
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: demo_embedder)
            index_vault(vault)

    return make_once("demo", write)


@pytest.fixture
def demo_vault(indexed_demo: Path, demo_embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example vault with its index, and the embedder that made it in the place of the default one."""
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "onnxruntime", lambda _: demo_embedder)
    return indexed_demo


@pytest.fixture
def demo(demo_vault: Path) -> Iterator[App]:
    app = App.open(demo_vault, demo_vault)
    yield app
    app.close()


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashingEmbedder:
    """A fast embedder in the place of the default one; it counts what it embeds."""
    return embed_fast(monkeypatch)


@pytest.fixture
def open_vault(tmp_path: Path, embedder: HashingEmbedder) -> Iterator[Callable[..., App]]:
    """Write notes into a fresh vault and open it; without notes, the small vault's."""
    opened: list[App] = []

    def open_(notes: Mapping[str, str] = SMALL, folder: str = "vault") -> App:
        vault = write_vault(tmp_path / folder, notes)
        app = App.open(vault, vault, {"answer": {"chat": "none"}})
        opened.append(app)
        return app

    yield open_
    for app in opened:
        app.close()
