"""The SVM on a metric that chooses its parameters, beside a grid search."""

from benchmarks.choosing.speed import ON_THE_GRID, measure_beside_grid, table_beside_grid
from benchmarks.results import Facts

OURS = ["svm", "svm-repaired", "svm-clipped"]


def measure() -> Facts:
    return measure_beside_grid(OURS)


def page(facts: Facts) -> str:
    return f"## The SVM on a metric\n\n{ON_THE_GRID}\n\n{table_beside_grid(OURS, facts)}"
