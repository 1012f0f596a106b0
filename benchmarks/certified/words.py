"""Certified answers on the set "words" (`benchmarks/certified/texts.py`)."""

from benchmarks.certified.texts import measured, written
from benchmarks.results import Facts


def measure() -> Facts:
    return measured("words")


def page(facts: Facts) -> str:
    return written(facts)
