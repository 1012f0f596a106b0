"""Certified answers on the set "names" (`benchmarks/certified/texts.py`)."""

from benchmarks.certified.texts import measured, written
from benchmarks.results import Facts


def measure() -> Facts:
    return measured("names")


def page(facts: Facts) -> str:
    return written(facts)
