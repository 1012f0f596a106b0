"""Certified answers on the set "sms" (`benchmarks/certified/texts.py`)."""

from benchmarks.certified.texts import measured, written
from benchmarks.results import Facts


def measure() -> Facts:
    return measured("sms")


def page(facts: Facts) -> str:
    return written(facts)
