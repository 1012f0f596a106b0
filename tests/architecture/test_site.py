"""The site: its reference has every public name, its menus every page, its gallery the licences of
all data.
"""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import wideberth

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
CASES = sorted((ROOT / "examples" / "gallery").glob("*.py"))
#: The pages that list others.
MENUS = ("index.md", "learn.md", "trust.md", "develop.md", "reference.rst")
#: Modules whose names have a page of their own in the reference, besides those that ``import
#: wideberth`` has.
IMPORTED = ("report", "river", "serve")


def listed(path):
    """The names in the tables of a page of the reference."""
    tables = re.findall(
        r"\.\. autosummary::\n   :toctree: [^\n]*\n\n((?:   \S+\n)+)",
        path.read_text(encoding="utf-8"),
    )
    return [name.strip() for table in tables for name in table.splitlines()]


def public_names(module):
    """What a module offers: its ``__all__``, or the classes and functions that it defines."""
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and (inspect.isclass(value) or inspect.isfunction(value))
    ]
    return sorted(getattr(module, "__all__", defined))


def test_the_reference_lists_every_public_name():
    assert sorted(listed(DOCS / "reference.rst")) == sorted(wideberth._HOME)


@pytest.mark.parametrize("name", sorted([*wideberth._MODULES, *IMPORTED]))
def test_the_reference_of_a_module_lists_its_names(name):
    module = importlib.import_module(f"wideberth.{name}")
    page = DOCS / "reference" / f"{name}.rst"
    assert sorted(listed(page)) == public_names(module)
    assert f"currentmodule:: wideberth.{name}\n" in page.read_text(encoding="utf-8")
    assert f"reference/{name}\n" in (DOCS / "reference.rst").read_text(encoding="utf-8")


def test_the_front_page_has_the_example_of_the_readme():
    first = [
        re.search(
            r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        for page in (DOCS / "index.md", ROOT / "README.md")
    ]
    assert None not in first
    assert first[0][1] == first[1][1]


def test_the_overview_for_language_models_links_to_pages():
    linked = re.findall(r"\]\(([^)]+)\.html\)", (DOCS / "llms.txt").read_text(encoding="utf-8"))
    assert len(linked) > 15
    assert [
        page
        for page in linked
        if not any((DOCS / f"{page}.{ending}").exists() for ending in ("md", "rst"))
    ] == []


def test_what_the_paper_cites_is_in_its_list_and_nothing_else():
    paper = DOCS / "paper"
    cited = re.findall(r"@([a-z]+\d{4})", (paper / "paper.md").read_text(encoding="utf-8"))
    listed_ = re.findall(r"^@\w+\{(\w+),", (paper / "paper.bib").read_text("utf-8"), re.MULTILINE)
    assert sorted(set(cited)) == sorted(listed_)


def test_every_page_is_in_a_menu():
    menus = "\n".join((DOCS / name).read_text(encoding="utf-8") for name in MENUS)
    pages = [page.stem for page in DOCS.glob("*.md")]
    assert [
        page
        for page in pages
        if page != "index" and not re.search(rf"^{page}$", menus, flags=re.MULTILINE)
    ] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_case_says_where_its_data_come_from_and_under_which_licence(case):
    words = inspect.cleandoc(
        re.match(r'"""(.*?)"""', case.read_text(encoding="utf-8"), flags=re.DOTALL)[1]
    )
    title, line = words.splitlines()[:2]
    assert set(line) == {"="}
    assert len(line) == len(title)
    data = words[words.index("*Data:*") :]
    assert re.search(r"licence|public domain|CC", data)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_case_ends_in_a_report(case):
    assert re.search(r"\nReport\(\w[^\n]*\)\n\Z", case.read_text(encoding="utf-8"))
