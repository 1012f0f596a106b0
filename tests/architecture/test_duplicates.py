"""No logic is written twice: no two places in the sources share six or more statements in a row.

Statements are compared as Python reads them: comments, docstrings and line breaks do not count, and
neither do the names of local variables, which are numbered in the order in which they appear.
Signatures, imports and the ``self.name = name`` of constructors are declarations, which
scikit-learn wants to be written out.
"""

import ast
import copy
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "wideberth"
SAME_STATEMENTS = 6
#: A local name between its marks.
NAME = re.compile(r"\|(\w+)\|")


def is_declaration(statement: ast.stmt) -> bool:
    match statement:
        case (
            ast.Expr(value=ast.Constant())
            | ast.Import()
            | ast.ImportFrom()
            | ast.FunctionDef()
            | ast.ClassDef()
        ):
            return True  # a docstring; functions inside of functions are looked at on their own
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"))], value=ast.Name()):
            return True
    return False


def in_order(statements: list) -> Iterator[ast.AST]:
    """The statements and those inside of them."""
    for statement in statements:
        if isinstance(statement, ast.excepthandler | ast.match_case) or not is_declaration(
            statement
        ):
            if isinstance(statement, ast.stmt):
                yield statement
            for block in ("body", "orelse", "handlers", "cases", "finalbody"):
                yield from in_order(getattr(statement, block, None) or [])


def head(statement: ast.AST) -> ast.AST:
    """A statement without the statements inside of it."""
    alone = copy.copy(statement)
    for block in ("body", "orelse", "handlers", "cases", "finalbody"):
        if getattr(alone, block, None):
            setattr(alone, block, [])
    return alone


def local_names(function: ast.FunctionDef) -> set[str]:
    bound = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return bound | {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}


def marked(function: ast.FunctionDef) -> list[tuple[str, int]]:
    """The statements of a function with its local names between marks, and their lines; the tree
    keeps the marks.
    """
    local, statements = local_names(function), list(in_order(function.body))
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and node.id in local:
            node.id = f"|{node.id}|"
    return [(ast.unparse(head(each)), each.lineno) for each in statements]


def numbered(lines: str) -> str:
    """Lines whose marked names are numbers, in the order in which they appear.

    >>> numbered("|b| = |a| + |b|")
    'v0 = v1 + v0'
    """
    numbers: dict[str, int] = {}
    return NAME.sub(lambda name: f"v{numbers.setdefault(name[1], len(numbers))}", lines)


def runs(source: str) -> Iterator[tuple[str, int]]:
    """All runs of six statements in the functions of a file: their text, and the number of their
    first line.
    """
    for function in reversed(list(ast.walk(ast.parse(source)))):  # what is inside comes first
        if isinstance(function, ast.FunctionDef):
            statements = marked(function)
            for start in range(len(statements) - SAME_STATEMENTS + 1):
                window = statements[start : start + SAME_STATEMENTS]
                yield numbered("\n".join(line for line, _ in window)), window[0][1]


def repeated(sources: dict[str, str]) -> dict[str, list[str]]:
    """The runs that stand in several places, and where they begin."""
    places = defaultdict(set)
    for name, source in sources.items():
        for lines, number in runs(source):
            places[lines].add(f"{name}:{number}")
    return {lines: sorted(found) for lines, found in places.items() if len(found) > 1}


def test_renamed_copies_are_found_and_declarations_are_not():
    body = (
        "    total = 0\n    for row in rows:\n        if row:\n            total += f(row)\n    "
        "print(total)\n    return total\n"
    )
    one, other = (
        f"def one(rows):\n{body}",
        f"def other(lines):\n{body.replace('row', 'line').replace('total', 'found')}",
    )
    assert len(repeated({"one": one, "other": other})) == 1
    assert repeated({"one": one, "other": other.replace("f(", "g(")}) == {}
    fields = "".join(f"        self.{name} = {name}\n" for name in "abcdefg")
    constructor = f"    def __init__(self, a, b, c, d, e, f, g):\n{fields}"
    assert repeated({"twice": f"class One:\n{constructor}\nclass Other:\n{constructor}"}) == {}


@pytest.mark.slow
def test_no_logic_is_written_twice():
    sources = {
        str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    assert repeated(sources) == {}, "make it one function"
