"""How much a run takes on: a sample by default, and with `--full` each moment, model and generated example."""

import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock

MakeOnce = Callable[[str, Callable[[Path], None]], Path]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full",
        action="store_true",
        help="kill at every moment, index the example vault with the real model, generate more examples",
    )


@pytest.hookimpl(optionalhook=True)  # the environment of `make test-models` has no xdist
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return three workers for two cores: the tests of servers and watchers wait much of their time."""
    return (os.cpu_count() or 1) * 3 // 2


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: runs with --full alone")
    if find_spec("hypothesis"):  # the environment of `make test-models` has none
        from tests.generated import choose_profile

        choose_profile(is_full=config.getoption("--full"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def is_full(pytestconfig: pytest.Config) -> bool:
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture(scope="session")
def make_once(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> MakeOnce:
    """Return a copy of a folder that the first worker who wants it makes for all of them."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if hasattr(pytestconfig, "workerinput") else base

    def make(name: str, write: Callable[[Path], None]) -> Path:
        folder, done = shared / f"once-{name}", shared / f"once-{name}.done"
        with FileLock(shared / f"once-{name}.lock"):
            if not done.exists():
                write(folder)
                done.touch()
        own = tmp_path_factory.mktemp(name) / folder.name
        shutil.copytree(folder, own)
        return own

    return make
