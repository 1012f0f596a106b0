"""The page of a report: one file that needs nothing else, in which hostile objects stay text."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import wideberth as wb
from wideberth.report import Report, write_report

DRINKS, KINDS = (
    ["tea", "tee", "ten", "teas", "team", "rum", "rom", "ram", "rums", "rump"],
    ["soft"] * 5 + ["hard"] * 5,
)
SECRET = "s3cr3t"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- <script>",
    "=cmd('/bin/sh')",
    "abc\u202egnp.exe",
    "a\x00b",
    "\ud800",
    "line\u2028break",
    "&lt;b&gt;{{ 7 * 7 }}",
    "y" * 1_000_000,
]


class Elements(HTMLParser):
    """All elements of a page with their attributes, and the text of scripts."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.found, self.scripts, self._in_script = [], [], False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
            self._in_script = True

    def handle_endtag(self, tag):
        if tag == "script":
            self._in_script = False

    def handle_data(self, data):
        if self._in_script:
            self.scripts[-1] += data


def facts_in(page):
    [block] = re.findall(
        r'<script type="application/json" id="facts">(.*?)</script>', page, flags=re.DOTALL
    )
    return json.loads(block)


@pytest.fixture(scope="module")
def model():
    return wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(DRINKS, KINDS)


@pytest.fixture(scope="module")
def page(model):
    return Report(model, DRINKS, KINDS).html()


def test_a_page_holds_its_facts_and_asks_for_nothing(page):
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 3
    assert not {"iframe", "object", "embed", "form", "base"} & set(tags)
    addresses = [
        attributes[name]
        for _, attributes in elements.found
        for name in ("src", "href")
        if name in attributes
    ]
    assert all(address.startswith(("data:", "#")) for address in addresses)
    assert "url(" not in page.split("<script", 1)[0]
    assert facts_in(page)["learned"]["n_given"] == len(DRINKS)
    for line in (
        "What the model learned",
        "Check these rows first",
        "What to do next",
        "give it only to those who may see them",
    ):
        assert line in page


def test_only_our_scripts_may_run(page):
    elements = Elements(page)
    [policy] = [
        attributes["content"] for tag, attributes in elements.found if attributes.get("http-equiv")
    ]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-inline" not in policy.split("style-src")[0]
    hashes = re.findall(r"'sha256-([^']+)'", policy)
    assert hashes == [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in elements.scripts[1:]
    ]
    ours = elements.scripts[2]
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttpRequest",
        ours,
    )


def test_the_same_input_gives_the_same_bytes(model, page):
    assert Report(model, DRINKS, KINDS).html() == page


def test_nothing_hostile_leaves_its_place(tmp_path):
    objects = [*DRINKS, *HOSTILE]
    labels = [
        *KINDS,
        *("<b>bold</b>" if place % 2 else "\u202e</script>" for place in range(len(HOSTILE))),
    ]
    names = [f"{place}<i>\u2066\x00" for place in range(len(objects))]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(objects, labels)
    write_report(
        model, tmp_path / "report.html", objects, labels, names=names, title="<h1>\u202e</title>"
    )
    written = (tmp_path / "report.html").read_bytes()
    page = written.decode("utf-8")
    assert len(written) < 600_000
    elements = Elements(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 3
    assert not {"img", "i"} & set(tags)
    assert not set(page) & set("\x00\u202e\u2028\u2066")
    facts = facts_in(page)
    assert "\\u202e</script>" in [each["name"] for each in facts["learned"]["classes"]]
    assert facts["title"] == "<h1>\\u202e</title>"


def test_hostile_names_of_columns_stay_text():
    rows = [{"<img src=x>": float(place), "\u202eb": "</script>"} for place in range(6)]
    model = wb.NeighborsClassifier("gower", n_neighbors=1).fit(rows, ["a", "b"] * 3)
    page = Report(model, rows, ["a", "b"] * 3).html()
    tags = [tag for tag, _ in Elements(page).found]
    assert (tags.count("script"), tags.count("img")) == (3, 0)
    assert "\u202e" not in page


def test_a_report_without_objects_holds_none():
    objects = [f"{SECRET}{word}" for word in DRINKS]
    names = [f"{SECRET}-name-{place}" for place in range(len(objects))]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(objects, KINDS)
    for given, labels in (
        (objects, KINDS),
        ([*objects[:3], "new"], ["soft"] * 4),
        ([f"{SECRET}x", "milk"] * 5, ["soft"] * 10),
    ):
        page = Report(model, given, labels, names=names[: len(given)], show_objects=False).html()
        assert SECRET not in page
        assert "holds no objects" in page
        assert SECRET in Report(model, given, labels, names=names[: len(given)]).html()


def test_a_distance_that_is_no_metric_shows_no_objects_either():
    objects = [f"{SECRET}{word}" for word in DRINKS]
    model = wb.NeighborsClassifier(
        lambda one, other: float(abs(len(one) - len(other)) ** 2 + (one != other)), n_neighbors=1
    )
    page = Report(model.fit(objects, KINDS), objects, KINDS, show_objects=False).html()
    assert SECRET not in page


def test_notebooks_get_the_page_in_a_frame(model, page):
    framed = Report(model, DRINKS, KINDS)._repr_html_()
    [(tag, attributes)] = Elements(framed).found
    assert (tag, attributes["sandbox"]) == ("iframe", "allow-scripts")
    assert attributes["srcdoc"] == page == html.unescape(html.escape(page))


def test_without_the_template_engine_an_error_says_what_to_install(model, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    with pytest.raises(wb.errors.MissingExtra, match=r'pip install "wideberth\[report\]"'):
        Report(model, DRINKS, KINDS)


@pytest.mark.slow
def test_many_objects_stay_small(tmp_path):
    draw = np.random.default_rng(0)
    letters = np.array(list("abcdefgh"))
    words = ["".join(draw.choice(letters, 12)) for _ in range(2000)]
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=3).fit(
        words, draw.choice(["x", "y"], 2000)
    )
    assert len(Report(model, words, model.predict(words)).html().encode()) <= 3e6
    X = draw.normal(size=(100_000, 3))
    many = wb.NeighborsClassifier(n_neighbors=3).fit(X[:5000], X[:5000, 0] > 0)
    write_report(many, tmp_path / "r.html", X[5000:], X[5000:, 0] > 0)
    assert (tmp_path / "r.html").stat().st_size <= 6e6
