"""A served vault and a browser that looks at its page, as a person would."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.e2e.conftest import write_vault

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_MISSING = "no chromium and chromedriver here; on Debian: apt install chromium-driver"
needs_chromium = pytest.mark.skipif(not (CHROMIUM and CHROMEDRIVER), reason=_MISSING)
if os.environ.get("PAGE_TESTS") == "required" and not (CHROMIUM and CHROMEDRIVER):
    raise RuntimeError(_MISSING)
SOON = 60.0
_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Runs before anything of the page does, and tells what the page was kept from.
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


@dataclass(frozen=True)
class Served:
    """A running service and the token of its link."""

    vault: Path
    address: str
    token: str

    @property
    def link(self) -> str:
        return f"{self.address}/#token={self.token}"


@contextmanager
def serving(vault: Path, notes: Mapping[str, str], chat_host: str) -> Iterator[Served]:
    """Write a vault, index what notes it has, and serve it with a chat model at a host until the end."""
    settings = f'[index]\nembedder = "none"\n[answer]\nchat = "ollama"\nhost = "{chat_host}"\n'
    write_vault(vault, {**notes, "graphrag.toml": settings})
    command = [sys.executable, "-m", "graphrag"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GRAPHRAG_")}
    if notes:
        index = [*command, "index", "--vault", str(vault)]
        subprocess.run(index, check=True, capture_output=True, env=environment, timeout=2 * SOON)
    with subprocess.Popen(
        [*command, "serve", "--vault", str(vault), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"(http://\S+)/#token=(\S+)", process.stdout.readline())
            assert found, "serve printed no link"
            yield Served(vault, found.group(1), found.group(2))
        finally:
            process.terminate()


class Page:
    """The page in a browser window of its own."""

    def __init__(self, driver: webdriver.Chrome, served: Served) -> None:
        self.driver = driver
        self.served = served

    def open(self, view: str = "") -> "Page":
        """Come by the link that `serve` prints, then to a view such as `#/notes`."""
        self.driver.get("about:blank")
        self.driver.get(self.served.link)
        self.wait("document.querySelectorAll('.example').length === 3")
        if view:
            self.driver.get(f"{self.served.address}/{view}")
        return self

    def wait(self, condition: str) -> Any:
        """Wait until a JavaScript expression is true; return its value."""
        return WebDriverWait(self.driver, SOON, poll_frequency=0.05).until(lambda _: self.js(f"return {condition}"))

    def js(self, script: str, *arguments: object) -> Any:
        return cast(Any, self.driver.execute_script(script, *arguments))

    def find(self, selector: str) -> WebElement:
        self.wait(f"document.querySelector({selector!r})")
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        """Press something, which may be made anew at this moment."""
        waiting = WebDriverWait(self.driver, SOON, 0.05, [StaleElementReferenceException])
        waiting.until(lambda _: [self.find(selector).click()])

    def text(self, selector: str) -> str:
        return self.find(selector).text

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def focused(self) -> str:
        """Return the text, or else the id, of what has the focus."""
        return str(self.js("const at = document.activeElement; return at.innerText || at.id"))

    def ask(self, question: str) -> None:
        box = self.find("#question")
        box.clear()
        box.send_keys(question + Keys.ENTER)

    def faults(self) -> list[str]:
        """Return what the policy kept the page from, and errors of its scripts, since the last call."""
        errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        return [*self.js("return window.violations.splice(0)"), *errors]


@contextmanager
def browsing(served: Served, profile: Path, language: str = "zh-CN", width: int = 1280) -> Iterator[Page]:
    """A page in a new browser."""
    options = webdriver.ChromeOptions()
    options.binary_location = cast(str, CHROMIUM)
    for flag in (*_FLAGS, f"--user-data-dir={profile}", f"--lang={language}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"intl.accept_languages": language})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(cast(str, CHROMEDRIVER)))
    try:
        screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _WATCH})
        driver.set_script_timeout(SOON)
        yield Page(driver, served)
    finally:
        driver.quit()
