"""Makes the pictures of the documentation from a copy of the example vault: the page, the graph, a terminal.

Run as `make pictures`. It needs `chromium`, `chromedriver` and a font with Chinese characters; on Debian:
`apt install chromium chromium-driver fonts-noto-cjk`. Every picture shows what the program really says.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from urllib.parse import quote

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples" / "vault"
LANGUAGES = {"en": "", "zh-CN": ".zh-CN"}  # of the page -> what the names of its pictures end with
ASKED = {"en": "What caused the payment outage of 11 August 2024?", "zh-CN": "渠道超时现在是多少秒？"}
OPENED = {"en": "2", "zh-CN": "3"}  # the number of the source that is opened beside the answer
CENTRE_OF_THE_GRAPH = "交易系统"
TERMINAL = (
    ("ask", "张三负责哪些模块"),
    ("ask", "What caused the payment outage of 11 August 2024?"),
    ("near", "retry_count", "--limit", "4"),
)
COLUMNS = 118
WIDTH, HEIGHT = 1280, 800
LARGEST = 200_000  # bytes of one picture
_PATIENCE = 120  # seconds
# Chromium takes the picture, since rich's own SVG gives a Chinese character the width of one column.
_TERMINAL_PAGE = """<meta charset="utf-8"><style>
main {{ width: fit-content; padding: 20px 24px; color: {foreground}; background: {background};
  font: 15px/1.45 "DejaVu Sans Mono", Menlo, Consolas, "Noto Sans CJK SC", "PingFang SC", monospace; }}
pre {{ margin: 0; font: inherit; }}
a {{ color: inherit; text-decoration: none; }}
</style><main><pre>{code}</pre></main>"""
_SETTINGS = '[answer]\nchat = "none"\n'
_GRAPH_IS_STILL = 4.0  # seconds in which the drawing comes to rest


def main() -> int:
    """Make all pictures anew; return the exit code."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        sys.stderr.write("no chromium and chromedriver here; on Debian: apt install chromium chromium-driver\n")
        return 1
    if not subprocess.run(["fc-list", ":lang=zh-cn"], capture_output=True, check=False).stdout:
        sys.stderr.write("no font with Chinese characters here; on Debian: apt install fonts-noto-cjk\n")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "notes"
        shutil.copytree(EXAMPLES, vault)
        (vault / "graphrag.toml").write_text(_SETTINGS, "utf-8")
        _graphrag(vault, "index")
        terminal = Path(folder) / "terminal.html"
        terminal.write_text(_terminal_page(vault), "utf-8")
        with _browsing(chromium, driver, Path(folder) / "terminal", "zh-CN") as browser:
            browser.get(terminal.as_uri())
            browser.find_element("tag name", "main").screenshot(str(HERE / "terminal.png"))
        with _serving(vault) as (address, link):
            for language, ending in LANGUAGES.items():
                with _browsing(chromium, driver, Path(folder) / language, language) as browser:
                    browser.get(link)
                    _until(browser, "document.querySelectorAll('.example').length === 3")
                    _take_answer(browser, address, language, HERE / f"page{ending}.png")
                    _take_graph(browser, address, HERE / f"graph{ending}.png")
    for picture in sorted(HERE.glob("*.png")):
        size = picture.stat().st_size
        sys.stdout.write(f"{picture.name}  {size // 1000} KB\n")
        if size > LARGEST:
            sys.stderr.write(f"{picture.name} is larger than {LARGEST // 1000} KB\n")
            return 1
    return 0


def _graphrag(vault: Path, *arguments: str) -> str:
    """Return what a command prints on a terminal with colours."""
    run = subprocess.run(
        [sys.executable, "-m", "graphrag", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**_environment(vault), "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"},
    )
    return run.stdout


def _environment(vault: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHRAG_")}
    return {**kept, "GRAPHRAG_VAULT": str(vault), "PYTHONUNBUFFERED": "1"}


def _terminal_page(vault: Path) -> str:
    """Return a web page that looks as a terminal does after the commands."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    for number, arguments in enumerate(TERMINAL):
        if number:
            console.print()
        console.print(Text(f"$ graphrag {shlex.join(arguments)}", "bold"))
        console.print(Text.from_ansi(_graphrag(vault, *arguments).rstrip()))
    return console.export_html(theme=SVG_EXPORT_THEME, inline_styles=True, code_format=_TERMINAL_PAGE)


@contextmanager
def _serving(vault: Path) -> Iterator[tuple[str, str]]:
    """Serve the vault; yield the address and the link with its token."""
    command = [sys.executable, "-m", "graphrag", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_environment(vault)) as process:
        try:
            assert process.stdout
            link = process.stdout.readline().strip()
            yield link.partition("/#")[0], link
        finally:
            process.terminate()


@contextmanager
def _browsing(chromium: str, driver: str, profile: Path, language: str) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    for flag in (*flags, f"--lang={language}", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        screen = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        yield browser
    finally:
        browser.quit()


def _take_answer(browser: webdriver.Chrome, address: str, language: str, picture: Path) -> None:
    """Ask, and open a source beside the answer."""
    browser.get(f"{address}/#/ask?q={quote(ASKED[language])}")
    _until(browser, "document.querySelector('.sources')")
    cites = "[...document.querySelectorAll('.answer-text a.cite')]"
    browser.execute_script(f"{cites}.find((cite) => cite.textContent === arguments[0]).click()", OPENED[language])
    _until(browser, "document.querySelector('#note-body .cited')")
    browser.execute_script("document.activeElement.blur()")
    browser.save_screenshot(str(picture))


def _take_graph(browser: webdriver.Chrome, address: str, picture: Path) -> None:
    browser.get(f"{address}/#/graph?name={quote(CENTRE_OF_THE_GRAPH)}")
    _until(browser, "document.querySelector('#graph-legend li')")
    browser.execute_async_script(f"setTimeout(arguments[0], {_GRAPH_IS_STILL * 1000})")
    browser.execute_script("document.querySelector('#graph-zoom-fit').click()")
    browser.execute_async_script("setTimeout(arguments[0], 1000)")
    browser.save_screenshot(str(picture))


def _until(browser: webdriver.Chrome, condition: str) -> None:
    WebDriverWait(browser, _PATIENCE, 0.1).until(lambda _: browser.execute_script(f"return {condition}"))


if __name__ == "__main__":
    sys.exit(main())
