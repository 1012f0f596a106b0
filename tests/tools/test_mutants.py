"""Changes of sources are what they are said to be."""

import ast
import runpy
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "mutants.py"))

SOURCE = '''"""A toy: 1 < 2."""
from typing import Literal

def play(board: Literal[3], size=4) -> Literal[5]:
    """At least 6."""
    if board is None:
        raise ValueError(f"no board of {size + 7}")
    return min(board, size) + 8
'''


def mutants(source):
    return [TOOL["mutant_at"](node, Path("toy.py"), source) for node in TOOL["places"](source)]


def test_what_runs_is_changed_and_nothing_else():
    assert [mutant.shown() for mutant in mutants(SOURCE)] == [
        "toy.py:4: `4` -> `5`",
        "toy.py:6: `board is None` -> `board is not None`",
        'toy.py:7: `raise ValueError(f"no board of {size + 7}")` -> `pass`',
        "toy.py:8: `min(board, size) + 8` -> `min(board, size) - 8`",
        "toy.py:8: `min(board, size)` -> `max(board, size)`",
        "toy.py:8: `8` -> `9`",
    ]


def test_a_changed_source_differs_at_one_place_and_can_be_parsed():
    for mutant in mutants(SOURCE):
        before, after = SOURCE.splitlines(), mutant.source.splitlines()
        assert [b != a for b, a in zip(before, after, strict=True)].index(True) == mutant.line - 1
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(SOURCE))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a and b", "a or b"),
        ("not a", "a"),
        ("a if b else c", "c if b else a"),
        ("0.0", "1.0"),
        ("a // b", "a * b"),
        ("x.any(axis)", "x.all(axis)"),
    ],
)
def test_changes(before, after):
    assert ast.unparse(TOOL["changed"](ast.parse(before, mode="eval").body)) == after


def test_the_seed_decides():
    bounds = TOOL["PACKAGE"] / "bounds"
    first, again, other = (TOOL["chosen"](seed, 5, bounds) for seed in (7, 7, 8))
    assert first == again != other
