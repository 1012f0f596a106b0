"""Functions of installed Python packages: what their first sentences say, and their syntax as
trees; labels are the packages.

Sources are read, not imported. Other versions of the packages are other data; a result names the
versions.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.outside_data import carried_by

#: Packages that every environment of the benchmarks has, and how many of their files are read.
PACKAGES, FILES = ("numpy", "pandas", "scipy", "sklearn"), 80
#: Functions of a package, letters of a text at least, and nodes of a tree.
MOST, SHORTEST, NODES = 200, 40, (8, 40)
#: Folders of other things than the package itself.
ASIDE = {"tests", "testing", "_build_utils", "externals", "_vendor"}

Tree = list[Any]


def first_sentences() -> tuple[list[str], list[str]]:
    """The first paragraphs of docstrings, each once, with the packages."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        said = [_said(each) for each in _functions(package)]
        found |= dict.fromkeys(_some([text for text in said if len(text) >= SHORTEST]), package)
    return list(found), list(found.values())


def syntax_trees() -> tuple[list[Tree], list[str]]:
    """Small functions as trees of kinds of nodes, without names, numbers and docstrings, with the
    packages.
    """
    trees, labels = [], []
    for package in PACKAGES:
        small = [
            tree
            for each in _functions(package)
            if NODES[0] <= _count(tree := _tree(each)) <= NODES[1]
        ]
        chosen = _some(small)
        trees += chosen
        labels += [package] * len(chosen)
    return trees, labels


def _some(found: list[Any]) -> list[Any]:
    chosen = np.random.default_rng(0).permutation(len(found))[:MOST]
    return [found[place] for place in np.sort(chosen)]


@cache
def _functions(package: str) -> list[ast.FunctionDef]:
    """The functions and methods of some files, in their order."""
    folder = carried_by(package)
    assert folder is not None
    paths = sorted(
        path for path in folder.rglob("*.py") if not ASIDE & set(path.relative_to(folder).parts)
    )
    chosen = np.sort(np.random.default_rng(0).permutation(len(paths))[:FILES])
    return [each for place in chosen for each in _of_file(paths[place])]


def _of_file(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield node


def _said(function: ast.FunctionDef) -> str:
    """The first paragraph of its docstring, on one line; nothing if it has none."""
    return " ".join((ast.get_docstring(function) or "").partition("\n\n")[0].split())


def _tree(function: ast.FunctionDef) -> Tree:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return ["FunctionDef", [_as_tree(each) for each in (function.args, *body)]]


def _as_tree(node: ast.AST) -> Tree:
    children = [
        each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.expr_context)
    ]
    return [type(node).__name__, [_as_tree(each) for each in children]]


def _count(tree: Tree) -> int:
    return 1 + sum(map(_count, tree[1]))
