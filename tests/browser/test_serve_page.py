"""The page of ``wideberth serve`` in a real browser: people type objects, and see what the model
says.
"""

import re
import sys

import pytest
from http_servers import PATIENCE, running
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import wideberth
from wideberth.cards.values import probability

pytestmark = pytest.mark.browser

SECRET = "0123456789abcdef0123456789abcdef"
WORDS = ["tea", "tee", "ten", "teen", "rum", "rom", "ram", "rums"]
KINDS = ["soft"] * 4 + ["hard"] * 4


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "drinks.wb"
    wideberth.save(
        wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(WORDS, KINDS), path
    )
    return path


@pytest.fixture(scope="module")
def address(model_file, tmp_path_factory):
    command = [
        sys.executable,
        "-m",
        "wideberth",
        "serve",
        str(model_file),
        "--port",
        "0",
        "--timeout",
        str(PATIENCE),
    ]
    with running(
        tmp_path_factory.mktemp("server"), *command, "--witnesses", WIDEBERTH_TOKEN=""
    ) as server:
        yield server.address


@pytest.fixture(scope="module")
def guarded(model_file, tmp_path_factory):
    """A server that shows no objects and wants a token."""
    command = [
        sys.executable,
        "-m",
        "wideberth",
        "serve",
        str(model_file),
        "--port",
        "0",
        "--timeout",
        str(PATIENCE),
    ]
    with running(tmp_path_factory.mktemp("guarded"), *command, WIDEBERTH_TOKEN=SECRET) as server:
        yield server.address


def open_page(browser, address):
    """Load the page; what earlier pages logged is forgotten."""
    browser.driver.get("about:blank")
    browser.complaints()
    browser.requests()
    browser.driver.get(f"{address}/")


def ask(browser, text):
    """Type objects and ask; returns the cards of the answers, once they are there."""
    field = browser.find("#objects")
    field.clear()
    browser.run("arguments[0].value = arguments[1]", field, text) if len(
        text
    ) > 1000 else field.send_keys(text)
    browser.click(browser.find("#send"))
    browser.wait(
        lambda: (
            browser.find("#send").is_enabled()
            and not browser.run("return document.getElementById('send').disabled")
        ),
        "no end",
    )
    return [each.text for each in browser.all("#answers > li")]


def test_objects_are_answered_with_what_would_change_it_and_the_nearest(browser, address, tmp_path):
    open_page(browser, address)
    browser.wait(lambda: "8 objects of 2 classes" in browser.find("#summary").text, "no summary")
    tea, rum = ask(browser, "teem\nrumm")
    assert tea.startswith("teem\nsoft")
    assert rum.startswith("rumm\nhard")
    assert "What would change it" in tea
    assert "Nearest with this label" in tea
    assert "tee" in tea.partition("Nearest with this label")[2]
    assert "rum" in tea.partition("Nearest others")[2]
    assert browser.find("#state").text == "2 answers."
    browser.screenshot(tmp_path / "page.png")


def test_the_probability_is_that_of_all_other_faces(browser, address, model_file):
    """`tests/cli/test_faces.py` has the others."""
    open_page(browser, address)
    browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
    asked = ["teem", "rumm", "tram"]
    shown = [
        float(re.search(r"probability ([\d.]+)", card).group(1))
        for card in ask(browser, "\n".join(asked))
    ]
    likely = wideberth.load(model_file).predict_proba(asked).max(axis=1)
    assert shown == [probability(each) for each in likely]


def test_the_page_asks_nobody_else_and_complains_of_nothing(browser, address):
    open_page(browser, address)
    browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
    assert ask(browser, "tea")
    assert browser.complaints() == []
    asked = [url for url in browser.requests() if not url.startswith(("data:", "about:", "chrome"))]
    assert asked
    assert all(url.startswith(address) for url in asked)


def test_what_is_typed_never_becomes_markup(browser, address):
    open_page(browser, address)
    browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
    typed = "<img src=x onerror=document.title=1><script>document.title=2</script>"
    (card,) = ask(browser, typed)
    assert typed in card
    assert browser.all("#answers img, #answers script") == []
    assert browser.driver.title.startswith("wideberth")


def test_problems_are_told_in_sentences(browser, address):
    open_page(browser, address)
    browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
    assert ask(browser, "") == []
    assert "There is no object" in browser.find("#problem").text
    assert ask(browser, "x" * 10_001) == []
    assert "10,001 characters" in browser.find("#problem").text
    assert ask(browser, "tea")
    assert not browser.find("#problem").is_displayed()


def test_the_keyboard_is_enough(browser, address):
    open_page(browser, address)
    browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
    browser.run("document.getElementById('objects').focus()")
    browser.press("tea")
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(
        Keys.CONTROL
    ).perform()
    browser.wait(lambda: browser.all("#answers > li"), "no answer")


def test_a_token_is_asked_for_and_training_objects_stay_inside(browser, guarded):
    open_page(browser, guarded)
    browser.wait(lambda: browser.find("#token").is_displayed(), "no field for the token")
    assert "token" in browser.find("#problem").text
    browser.find("#token").send_keys(SECRET, "\t")
    browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
    (card,) = ask(browser, "teem")
    assert card.startswith("teem\nsoft")
    assert "Nearest" not in card


@pytest.mark.few(1)
@pytest.mark.parametrize("where", ["phone", "light", "dark"])
def test_everybody_can_read_it(browser, address, where):
    def look():
        open_page(browser, address)
        browser.wait(lambda: "classes" in browser.find("#summary").text, "no summary")
        assert ask(browser, "teem\nrumm")
        assert browser.violations() == []
        assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth + 1")

    if where == "dark":
        with browser.dark():
            look()
    elif where == "phone":
        with browser.phone():
            look()
    else:
        look()
