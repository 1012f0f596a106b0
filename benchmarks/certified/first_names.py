"""Certified answers on first names of the census, which come with wideberth
(`benchmarks/certified/texts.py`).
"""

from collections.abc import Iterator

from benchmarks.certified.texts import measured, rows_of, written
from benchmarks.results import Facts
from benchmarks.rows import Row


def measure() -> Facts:
    return measured("first names")


def quick() -> Facts:
    """The set as it is: it takes a minute or two."""
    return measure()


def rows(facts: Facts) -> Iterator[Row]:
    return rows_of(facts)


def page(facts: Facts) -> str:
    return written(facts)
