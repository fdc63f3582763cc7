"""The page for everybody: axe-core's rules in light and dark, a narrow screen, in both languages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import SMALL
from tests.e2e.page_driver import Page, Served, browsing, needs_chromium, serving
from tests.fakes.ollama_server import running_server

pytestmark = needs_chromium
AXE = (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")
VIEWS = {
    "#/ask": ".example",
    "#/ask?q=交易系统的负责人是什么": ".sources",
    "#/ask?q=交易系统的负责人是什么&note=支付/支付模块.md": "#note-links a",
    "#/search?q=重试次数&tag=支付/核心": ".result",
    "#/notes": "#notes-list li",
    "#/graph?name=支付模块": "#graph-chosen",
    "#/changes": "#changes-list > *",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    long = "# 很长的一行\n\n" + "retry_count" * 40 + "\n\n| 甲 | 乙 |\n|---|---|\n| " + "宽" * 80 + " | 列 |\n"
    folder = tmp_path_factory.mktemp("page") / "vault"
    with running_server() as model, serving(folder, {**SMALL, "长.md": long}, model.host) as served:
        yield served


def _show(page: Page, view: str) -> None:
    page.driver.get(f"{page.served.address}/{view}")
    page.wait(f"document.querySelector({VIEWS[view]!r})?.checkVisibility()")


def _severe(page: Page) -> list[tuple[Any, ...]]:
    if not page.js("return 'axe' in window"):
        page.js(AXE)
    found = page.driver.execute_async_script("axe.run(document).then(arguments[0])")
    return [
        (rule["id"], [node["target"] for node in rule["nodes"]])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("dark", 360),
        pytest.param("light", 1280, marks=pytest.mark.full),
        pytest.param("light", 360, marks=pytest.mark.full),
        pytest.param("dark", 1280, marks=pytest.mark.full),
    ],
)
def test_axe_finds_nothing_serious(served: Served, tmp_path: Path, scheme: str, width: int) -> None:
    with browsing(served, tmp_path, width=width) as page:
        feature = {"name": "prefers-color-scheme", "value": scheme}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        page.open()
        assert page.js("return matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
        for view in VIEWS:
            _show(page, view)
            assert _severe(page) == [], (view, scheme, width)
        _show(page, "#/ask")
        page.click("#filters-button")
        assert _severe(page) == []


def test_axe_would_find_a_fault(served: Served, tmp_path: Path) -> None:
    with browsing(served, tmp_path) as page:
        page.open().js("document.querySelector('#send').removeAttribute('aria-label')")
        assert [rule for rule, _ in _severe(page)] == ["button-name"]


@pytest.mark.parametrize("language", [pytest.param("zh-CN", marks=pytest.mark.full), "en-US"])
def test_at_360_pixels_nothing_is_cut_off(served: Served, tmp_path: Path, language: str) -> None:
    with browsing(served, tmp_path, language, width=360) as page:
        page.open()
        for view in [*VIEWS, "#/ask"]:
            _show(page, view)
            assert page.js("return document.documentElement.scrollWidth") == 360, view
        page.click("#filters-button")
        assert page.js(
            "const at = document.querySelector('#filters-panel').getBoundingClientRect();"
            "return at.left >= 0 && at.right <= 360"
        )
        page.click("#filters-done")

        _show(page, "#/search?q=重试次数&tag=支付/核心")
        page.click(".result-open")
        page.wait("document.querySelector('#note-body .cited')")
        assert page.js("return document.querySelector('#note').getBoundingClientRect().width") == 360
        assert page.js("return document.querySelector('#note').scrollWidth") == 360
        assert page.js("return document.querySelector('#main').inert"), "what lies below is out of reach"
        page.click("#note-close")
        page.wait("!document.querySelector('#main').inert")
        page.driver.get(f"{served.address}/#/note/长.md")
        page.wait("document.querySelector('#note-title')")
        assert page.js("return document.querySelector('#note').scrollWidth") == 360


def test_the_theme_is_chosen_and_kept(served: Served, tmp_path: Path) -> None:
    with browsing(served, tmp_path) as page:
        page.open()
        ground = "return getComputedStyle(document.documentElement).backgroundColor"
        light = page.js(ground)
        page.click("#theme")
        dark = page.js(ground)
        assert dark != light
        page.driver.refresh()
        assert page.js(ground) == dark
