"""A real browser without a window, driven by selenium: what a page shows, reports, asks for, and
how it fares with axe-core.
"""

import base64
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

#: Seconds that a condition may take on a busy machine; they pass only if it is never met.
PATIENCE = 90
#: No service of the browser's own may ask a network, and no window, sandbox or graphics card is
#: needed.
ARGUMENTS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--force-color-profile=srgb",
    "--window-size=1280,900",
)
DESKTOP, PHONE = (1280, 900), (390, 844)


def chromium_and_driver() -> tuple[str, str] | None:
    """Where the browser and its driver are, or None if one of them is not installed."""
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    """One browser for all tests, with a profile of its own."""

    def __init__(self, profile: Path) -> None:
        found = chromium_and_driver()
        assert found is not None
        options = webdriver.ChromeOptions()
        options.binary_location = found[0]
        for argument in (
            *ARGUMENTS,
            f"--user-data-dir={profile}",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        # with the path of the driver, selenium looks for nothing in any network
        self.driver = webdriver.Chrome(options=options, service=Service(executable_path=found[1]))
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        self._axe = (
            files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
        )

    def close(self) -> None:
        self.driver.quit()

    def open(self, page: Path) -> None:
        """Load a page; what earlier pages logged is forgotten."""
        self.driver.get("about:blank")
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(page.as_uri())

    # ---- what the page says and asks for

    def complaints(self) -> list[str]:
        """Errors and warnings in the console since the last call."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")
        ]

    def requests(self) -> list[str]:
        """The addresses that the page has asked for since the last call."""
        messages = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        return [
            each["params"]["request"]["url"]
            for each in messages
            if each["method"] == "Network.requestWillBeSent"
        ]

    def violations(self, root: str = "html") -> list[str]:
        """What axe-core finds serious or critical in the page, or in a part of it."""
        if not self.run("return typeof axe !== 'undefined'"):
            self.driver.execute_script(self._axe)
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];axe.run(arguments[0], {resultTypes: "
            "['violations'], elementRef: false}).then(  (result) => done(result.violations), "
            "(problem) => done([{impact: 'critical', id: String(problem), nodes: []}]));",
            root,
        )
        return [
            f"{each['id']}: {node['target']} {node['html'][:160]} "
            f"{node.get('failureSummary', '')[:300]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"] or [{"target": "", "html": ""}]
        ]

    # ---- what a person does

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        """The first element, as soon as there is one."""
        return self.wait(lambda: next(iter(self.all(selector)), None), f"there is no {selector}")

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, condition: Callable[[], Any], otherwise: str) -> Any:
        """The first true value of a condition."""
        waiting = WebDriverWait(
            self.driver, PATIENCE, 0.05, ignored_exceptions=(StaleElementReferenceException,)
        )
        return waiting.until(lambda _: condition(), otherwise)

    def point_at(self, element: WebElement) -> None:
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        ActionChains(self.driver, duration=0).move_to_element(element).perform()

    def point_away(self) -> None:
        ActionChains(self.driver, duration=0).move_by_offset(0, 0).move_to_element(
            self.find("h1")
        ).perform()

    def click(self, element: WebElement) -> None:
        self.point_at(element)
        ActionChains(self.driver, duration=0).click().perform()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    # ---- where the page is shown

    def call(self, command: str, **parameters: Any) -> Any:
        """A command of the browser's own protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    @contextmanager
    def dark(self) -> Iterator[None]:
        """The reader's system prefers dark pages."""
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark"}],
        )
        try:
            yield
        finally:
            self.call("Emulation.setEmulatedMedia", features=[])

    @contextmanager
    def on_paper(self) -> Iterator[None]:
        self.call("Emulation.setEmulatedMedia", media="print")
        try:
            yield
        finally:
            self.call("Emulation.setEmulatedMedia", media="")

    @contextmanager
    def phone(self) -> Iterator[None]:
        width, height = PHONE
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2,
            mobile=True,
        )
        try:
            yield
        finally:
            self.call("Emulation.clearDeviceMetricsOverride")

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Keep what is seen, or the whole page, as PNG."""
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            content = self.call(
                "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
            )["data"]
        else:
            content = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(content))
