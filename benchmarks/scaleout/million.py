"""Fits on a million objects."""

from collections.abc import Iterator
from functools import partial

from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.scaleout.cluster import WORKERS, loaded
from benchmarks.scaleout.fits import HEAD, MODELS, fitted, table_rows
from benchmarks.scaleout.shared_work import row_of_workers
from benchmarks.timing import table

N = 1_000_000


def measure() -> Facts:
    found = {name: kept("scaleout.million", name, partial(fitted, name, N)) for name in MODELS}
    return {name: each for name, each in found.items() if each is not None} | {"load": loaded()}


def rows(facts: Facts) -> Iterator[Row]:
    """Fits on collections beside the same fits in one process."""
    for name in (each for each in MODELS if each in facts):
        cluster, alone = facts[name]["cluster"], facts[name]["alone"]
        yield row_of_workers(
            "million", f"fit of {facts[name]['n']:,} {name}", cluster["cpu"], WORKERS, alone["cpu"]
        )


def page(facts: Facts) -> str:
    words = (
        f"The same with {N:,} objects; {facts['load']:.1f} processes wanted one of the cores when "
        "it was measured."
    )
    return f"## A million objects\n\n{words}\n\n{table(HEAD, table_rows(facts))}"
