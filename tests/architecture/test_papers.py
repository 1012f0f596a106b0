"""docs/papers.md: every line of it is true, and every function, test and page that it names
exists.
"""

import ast
import re
from functools import cache
from pathlib import Path
from pydoc import locate

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
SETUP = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]

#: How many statements the papers have, by the head of their table.
STATEMENTS = {"Von Luxburg": 38, "Kontorovich": 15, "Hein": 30, "Guruganesh": 18}


def rows():
    for section in PAGE.split("\n## ")[1:]:
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if line.startswith("| ") and not line.startswith(("| statement", "| ---")):
                yield pytest.param(cells, id=f"{section.split(' ')[0]} {cells[0]}")


ROWS = list(rows())
each_row = pytest.mark.parametrize("cells", ROWS)


@cache
def namespace():
    found = {}
    exec(SETUP, found)  # noqa: S102 - the page's own preparation
    return found


@cache
def names_in(path):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


@each_row
@pytest.mark.filterwarnings("ignore")
def test_the_line_is_true(cells):
    (line,) = quoted(cells[4])
    assert np.all(eval(line, namespace()))  # noqa: S307 - a line of our own page


@each_row
def test_functions_and_tests_exist(cells):
    functions, tests = quoted(cells[2]), quoted(cells[3])
    assert functions
    assert tests
    for name in functions:
        assert locate(name) is not None, name
    for test in tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).is_file(), path
        assert name in names_in(path), f"{test}: name the test that is about the statement"


@each_row
def test_pages_exist(cells):
    for link in re.findall(r"\]\(([^)]+)\)", cells[5]):
        assert (ROOT / "docs" / link).exists(), link


def test_pictures_of_the_linked_pages_exist():
    pages = set(re.findall(r"\]\((benchmarks/[^)]+\.md)\)", PAGE))
    assert pages
    for page in pages:
        for picture in re.findall(
            r"!\[[^\]]*\]\(([^)]+)\)", (ROOT / "docs" / page).read_text(encoding="utf-8")
        ):
            assert (ROOT / "docs" / "benchmarks" / picture).is_file(), f"{page}: {picture}"


def test_no_statement_is_missing():
    for paper, count in STATEMENTS.items():
        section = next(part for part in PAGE.split("\n## ") if part.startswith(paper))
        assert section.count("\n| ") - 2 == count, paper
