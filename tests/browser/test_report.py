"""Reports of every kind of object in a real browser: what readers do with them, and what the pages
must not do.

Each page is loaded once, and every test leaves it as it found it.
"""

import pytest
from browser.chromium import PHONE
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.browser

#: How wide a longer text is in the table of all objects, which is as it was afterwards.
TEXT_IN_TABLE = """
const cell = document.querySelector('.whole .drawing'), text = cell.textContent;
cell.textContent = 'several words '.repeat(20);
const { width } = cell.getBoundingClientRect();
cell.textContent = text;
return width;
"""
SHAPES = "#map .map svg circle, #map .map svg path"
#: What shows the objects of each kind.
DRAWN_BY = {
    "strings": "",
    "vectors": "table",
    "series": "svg",
    "sets": "",
    "distributions": "img",
    "molecules": "img",
    "trees": "img",
    "graphs": "img",
    "points": "img",
    "rows": "table",
    "indices": "",
    "objects": "table, svg, img",
    "hostile": "",
    "many": "table",
}


def shown_text(browser, selector):
    return browser.wait(lambda: browser.find(selector).text, f"{selector} stays empty")


def shape(browser, report):
    """Something on the map: a shape, or, where a canvas draws them, the middle of it."""
    if report == "many":
        return browser.find("#map .map canvas, #map .map svg")
    shapes = browser.all(SHAPES)
    return shapes[len(shapes) // 2]


def test_the_page_says_what_it_is_and_whose_data_it_holds(browser, report):
    assert shown_text(browser, "h1")
    lead = shown_text(browser, ".lead")
    assert "learned from" in lead
    assert "wrong" in lead
    assert "asks nothing of any network" in shown_text(browser, "footer")
    assert len(browser.all("#check-first > li")) <= 3
    assert [each for each in browser.all("main img") if not each.get_attribute("alt")] == []


def test_pointing_at_the_map_shows_the_object_itself(browser, report):
    browser.point_at(shape(browser, report))
    bubble = browser.find("#map .bubble")
    assert bubble.text
    if DRAWN_BY[report]:
        assert browser.find(
            ", ".join(f"#map .bubble .drawing {tag.strip()}" for tag in DRAWN_BY[report].split(","))
        ).is_displayed()
    box, map_box = bubble.rect, browser.find("#map .map").rect
    assert box["x"] >= map_box["x"] - 1
    assert box["x"] + box["width"] <= map_box["x"] + map_box["width"] + 1
    browser.point_away()
    browser.wait(lambda: not browser.all("#map .bubble"), "what was pointed at stays")


def test_clicking_an_object_shows_its_neighbours_and_they_can_be_chosen(browser, report):
    browser.click(shape(browser, report))
    browser.wait(lambda: browser.all("aside.panel .near button"), "no neighbours are shown")
    heading = browser.find("aside.panel h3").text
    assert "Label in the data" in browser.find("aside.panel").text
    browser.click(browser.all("aside.panel .near button")[0])
    browser.wait(
        lambda: browser.find("aside.panel h3").text != heading, "the neighbour was not chosen"
    )


def test_clicking_a_cell_of_the_confusions_lists_its_objects(browser, report):
    cells = browser.all("#mistakes table.confusion button")
    assert cells
    count = int(cells[0].text.split()[0].replace(",", ""))
    browser.click(cells[0])
    browser.wait(lambda: browser.all("#mistakes .listed button.open"), "no objects are listed")
    assert cells[0].get_attribute("aria-pressed") == "true"
    assert 1 <= len(browser.all("#mistakes .listed > *")) <= count


def test_objects_can_be_filtered_and_sorted(browser, report):
    status = browser.find("#objects .pages").text
    browser.run(
        "document.getElementById('wrong-only').scrollIntoView({block: 'center', behavior: "
        "'instant'})"
    )
    wrong = browser.find("#wrong-only")
    browser.click(wrong)
    browser.wait(lambda: wrong.is_selected(), "the box cannot be ticked")
    rows = "[...document.querySelectorAll('#objects table.full > tbody > tr')]"
    heads = "[...document.querySelectorAll('#objects thead th')].map((head) => head.textContent)"
    named = f"((head) => {rows}.map((row) => row.cells[{heads}.indexOf(head)].textContent.trim()))"
    labels, answers = browser.run(f"return ['label', 'answer'].map({named})")
    assert all(answer == f"{answer[:-2]} ✗" for answer in answers)
    assert all(label != answer[:-2] for label, answer in zip(labels, answers, strict=True))
    browser.click(wrong)
    browser.wait(
        lambda: browser.find("#objects .pages").text == status, "all objects do not come back"
    )
    search = browser.find("#search")
    browser.click(search)
    browser.press("no such object anywhere")
    browser.wait(
        lambda: "No object" in browser.find("#objects .pages").text, "the search finds too much"
    )
    search.clear()
    browser.run("arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", search)
    browser.wait(
        lambda: browser.find("#objects .pages").text == status, "all objects do not come back"
    )


def test_a_class_can_be_hidden_on_the_map(browser, report):
    if report == "many":
        pytest.skip("a canvas has no shapes to count")
    before = len(browser.all(SHAPES))
    box = browser.find("#map .legend input")
    browser.click(browser.find("#map .legend label"))
    browser.wait(lambda: len(browser.all(SHAPES)) < before, "its objects stay")
    assert not box.is_selected()
    browser.click(browser.find("#map .legend label"))
    browser.wait(lambda: len(browser.all(SHAPES)) == before, "its objects do not come back")


def test_the_keyboard_reaches_the_map_and_the_lists(browser, report):
    place = browser.find("#map .map")
    browser.run("arguments[0].focus()", place)
    browser.press(Keys.ARROW_RIGHT)
    first = shown_text(browser, "#map .bubble")
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.find("aside.panel h3").text in first, "Enter does not choose")
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.all("#map .bubble"), "Escape does not close")
    browser.run("document.querySelector('#rows [role=tab]').focus()")
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(
        lambda: (
            browser.find("#rows [role=tab]:nth-child(2)").get_attribute("aria-selected") == "true"
        ),
        "tabs stay",
    )
    browser.press(Keys.ARROW_LEFT)


def background(browser):
    return browser.run(
        "return getComputedStyle(document.body).backgroundColor + "
        "getComputedStyle(document.documentElement).backgroundColor"
    )


@pytest.mark.few(1)
def test_dark_mode_follows_the_system_and_the_button(browser, report):
    light = background(browser)
    with browser.dark():
        browser.wait(lambda: background(browser) != light, "it does not follow the system")
        assert browser.violations() == []
    browser.wait(lambda: background(browser) == light, "it stays dark")
    browser.click(browser.find("#theme"))
    browser.wait(lambda: background(browser) != light, "the button does nothing")
    browser.click(browser.find("#theme"))
    browser.wait(lambda: background(browser) == light, "the button does not lead back")


def test_a_phone_shows_it_without_scrolling_sideways(browser, report):
    with browser.phone():
        browser.wait(
            lambda: browser.run("return innerWidth") == PHONE[0], "the width does not change"
        )
        browser.wait(
            lambda: browser.run("return document.documentElement.scrollWidth") <= PHONE[0],
            "the page is wider than the screen",
        )
        right_ends = (
            "return [...document.querySelectorAll('figure, .map svg')].map((each) => "
            "each.getBoundingClientRect().right)"
        )
        browser.wait(
            lambda: max(browser.run(right_ends)) <= PHONE[0] + 1,
            "a figure is wider than the screen",
        )
        if browser.run("return document.querySelector('.whole .drawing')?.children.length === 0"):
            # a text in the table of objects has lines of several words, not of several letters
            assert browser.run(TEXT_IN_TABLE) > PHONE[0] / 2
    browser.wait(
        lambda: browser.run("return innerWidth") > PHONE[0], "the width does not come back"
    )


def test_it_can_be_printed(browser, report):
    with browser.on_paper():
        assert browser.find("h1").is_displayed()
    assert browser.printed().startswith(b"%PDF")


def test_axe_finds_nothing_serious(browser, report):
    assert browser.violations() == []


def test_nothing_ran_that_should_not_and_nothing_was_asked_for(browser, report):
    """Last, after everything was opened: no complaints in the console, no address but the file and
    what it contains.
    """
    assert browser.complaints() == []
    assert [
        address for address in browser.requests() if not address.startswith(("file:", "data:"))
    ] == []
    assert browser.run("return document.title") != "broken"
    assert browser.run("return document.querySelectorAll('script').length") == 3
