"""Fits on a million objects."""

from benchmarks.results import Facts
from benchmarks.scaleout.cluster import loaded
from benchmarks.scaleout.fits import HEAD, MODELS, fitted, table_rows
from benchmarks.timing import table

N = 1_000_000


def measure() -> Facts:
    return {name: fitted(name, N) for name in MODELS} | {"load": loaded()}


def page(facts: Facts) -> str:
    words = f"The same with {N:,} objects; {facts['load']:.1f} processes wanted one of the cores when it was measured."
    return f"## A million objects\n\n{words}\n\n{table(HEAD, table_rows(facts))}"
