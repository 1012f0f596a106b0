"""Work that is divided into chunks is a function of a module with its data as arguments: a runner
ships the data once.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "wideberth"
#: The functions whose first argument runs wherever a runner takes it.
DOORS = {"over_chunks", "reduced_blocks", "reduced_enemy_blocks"}


def called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def assigned(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The values that a function gives to its names; several at a time too."""
    found = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                pairs = (
                    zip(target.elts, node.value.elts, strict=False)
                    if several
                    else [(target, node.value)]
                )
                found |= {name.id: value for name, value in pairs if isinstance(name, ast.Name)}
    return found


def works(tree: ast.Module) -> Iterator[str]:
    """What is given to the doors: names of functions without their data, or the source of anything
    else.
    """
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        values, parameters = assigned(function), {argument.arg for argument in function.args.args}
        for node in [node for node in ast.walk(function) if called(node) in DOORS]:
            work = node.args[0]
            if isinstance(work, ast.Name) and work.id in parameters:
                continue  # whoever calls this function gives it
            work = values.get(work.id, work) if isinstance(work, ast.Name) else work
            yield ast.unparse(work.args[0] if called(work) == "partial" else work)


def test_work_is_a_function_of_a_module():
    found, closures = [], []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(door in text for door in DOORS):
            continue
        tree = ast.parse(text)
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        imported = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        given = list(works(tree))
        found += given
        closures += [
            f"{path.relative_to(PACKAGE)}: {name}" for name in given if name not in own | imported
        ]
    assert found
    assert closures == []
