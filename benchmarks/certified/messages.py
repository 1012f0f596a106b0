"""Certified answers on the set "sms" (`benchmarks/certified/texts.py`)."""

from collections.abc import Iterator

from benchmarks.certified.texts import measured, rows_of, written
from benchmarks.results import Facts
from benchmarks.rows import Row


def measure() -> Facts:
    return measured("sms")


def rows(facts: Facts) -> Iterator[Row]:
    return rows_of(facts)


def page(facts: Facts) -> str:
    return written(facts)
