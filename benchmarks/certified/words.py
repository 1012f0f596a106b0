"""Certified answers on the set "words" (`benchmarks/certified/texts.py`)."""

from benchmarks.certified.texts import measured
from benchmarks.certified.texts import written as page
from benchmarks.results import Facts

__all__ = ["measure", "page"]


def measure() -> Facts:
    return measured("words")
