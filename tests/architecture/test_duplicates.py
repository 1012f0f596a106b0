"""No logic is written twice: no two places in the sources share six or more lines of it.

Lines are compared as Python understands them: comments, docstrings, blank lines and line breaks do not count, and neither do names
of local variables, which are numbered in the order in which they appear. Signatures and the ``self.name = name`` of
constructors are declarations, which scikit-learn wants to be written out.
"""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "wideberth"
SAME_LINES = 6


class Locals(ast.NodeVisitor):
    """The names that a function binds."""

    def __init__(self, function):
        self.names = set()
        self.visit(function)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self.names.add(node.id)

    def visit_arg(self, node):
        self.names.add(node.arg)


def flat(statements):
    """The statements with what is inside of them, one line each, with the node that each line comes from."""
    for statement in statements:
        if is_docstring(statement) or is_declaration(statement):
            continue
        inner = [block for block in ("body", "orelse", "finalbody", "handlers") if getattr(statement, block, None)]
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue  # on its own
        if not inner:
            yield statement
            continue
        yield statement
        for block in inner:
            yield from flat(getattr(statement, block))


def is_docstring(statement):
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def is_declaration(statement):
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name("self"))], value=ast.Name()):
            return True
    return isinstance(statement, ast.Import | ast.ImportFrom)


def text(statement):
    """The line of a statement, of a compound one its head."""
    if isinstance(statement, ast.excepthandler):
        return ast.unparse(statement.type) if statement.type else "except"
    return ast.unparse(statement).splitlines()[0]


class Numbered(ast.NodeTransformer):
    def __init__(self, local):
        self.local, self.numbers = local, {}

    def visit_Name(self, node):
        if node.id in self.local:
            return ast.Name(f"v{self.numbers.setdefault(node.id, len(self.numbers))}", node.ctx)
        return node


def runs(path):
    """All runs of six lines in the functions of a file: their text, and the number of their first line."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            local, statements = Locals(function).names, list(flat(function.body))
            for start in range(len(statements) - SAME_LINES + 1):
                window = statements[start : start + SAME_LINES]
                numbered = Numbered(local)
                lines = [text(numbered.visit(ast.parse(text_only(each)).body[0])) for each in window]
                yield "\n".join(lines), window[0].lineno


def text_only(statement):
    """The source of a statement alone, without what a compound one holds."""
    head = text(statement)
    if isinstance(statement, ast.excepthandler):
        return head
    if not head.endswith(":"):
        return ast.unparse(statement)
    return "try:\n pass\nfinally: pass" if head == "try:" else f"{head}\n pass" if not head.startswith("match") else f"{head}\n case _: pass"


def test_no_logic_is_written_twice():
    places = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        for lines, number in runs(path):
            places[lines].add(f"{path.relative_to(PACKAGE)}:{number}")
    twice = {lines: sorted(found) for lines, found in places.items() if len(found) > 1}
    assert twice == {}, "make it one function"
