"""One browser for all tests here, and each report written and loaded once."""

import pytest
from browser.chromium import Browser, chromium_and_driver
from browser.reports import REPORTS, write


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if chromium_and_driver() is None:
        pytest.skip("no Chromium with its driver is installed")
    opened = Browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


#: What is shown most, and what is hard; the other kinds differ from them in the drawing of an object.
SHORT = ("strings", "rows", "hostile")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.slow] * (name not in SHORT)) for name in REPORTS],
)
def report(request, browser, tmp_path_factory):
    """The name of a report, which the browser shows."""
    browser.open(write(request.param, tmp_path_factory.mktemp("reports")))
    return request.param
