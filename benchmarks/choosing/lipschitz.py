"""The Lipschitz classifier that chooses its parameters, beside a grid search."""

from collections.abc import Iterator

from benchmarks.choosing.samples import INSTALLED
from benchmarks.choosing.speed import (
    ON_THE_GRID,
    measure_beside_grid,
    rows_beside_grid,
    table_beside_grid,
)
from benchmarks.results import Facts
from benchmarks.rows import Row

OURS = ["lipschitz"]


def measure() -> Facts:
    return measure_beside_grid(OURS)


def quick() -> Facts:
    """Two cuts of what installs with packages."""
    return measure_beside_grid(OURS, list(INSTALLED), 2)


def rows(facts: Facts) -> Iterator[Row]:
    return rows_beside_grid(OURS, facts)


def page(facts: Facts) -> str:
    return f"## The Lipschitz classifier\n\n{ON_THE_GRID}\n\n{table_beside_grid(OURS, facts)}"
