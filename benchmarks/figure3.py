"""Figure 3 of Kontorovich & Weiss (2014) from the formula they print, and what the constants that are proved make of it."""

from collections.abc import Callable
from math import log

from scipy.optimize import brentq

from benchmarks.timing import table
from wideberth.bounds.cells import cells_penalty
from wideberth.bounds.margin import printed_scale_penalty, rademacher_penalty, scale_penalty
from wideberth.bounds.rademacher import closed_rademacher

#: The figure: 10 classes, confidence 99 %, doubling dimension 5.
CLASSES, LOG_DELTA, DIMENSION = 10, log(0.01), 5.0
LIPSCHITZ_CONSTANTS = (1, 2, 4, 8)
SAMPLE_SIZES = tuple(10.0**exponent for exponent in range(3, 16))

CURVES: dict[str, Callable[[float, float], float]] = {
    "Theorem 5, printed": lambda n, L: printed_scale_penalty(n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA),
    "Theorem 5, valid": lambda n, L: scale_penalty(n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA),
    "Theorem 4, closed form": lambda n, L: rademacher_penalty(
        n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA, rademacher=closed_rademacher
    ),
    "Theorem 4, chained": lambda n, L: rademacher_penalty(n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA),
    "cells": lambda n, L: cells_penalty(n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA),
}


def figure_3() -> list[list[str]]:
    """A row for each L and n: the value of every curve."""
    return [
        [str(L), f"{n:.0e}", *(f"{curve(n, L):.3g}" for curve in CURVES.values())]
        for L in LIPSCHITZ_CONSTANTS
        for n in SAMPLE_SIZES
    ]


def entries() -> list[list[str]]:
    """A row for each L: the sample size from which on a curve is below 1."""
    return [[str(L), *(f"{_where_it_is_1(curve, L):.3g}" for curve in CURVES.values())] for L in LIPSCHITZ_CONSTANTS]


def _where_it_is_1(curve: Callable[[float, float], float], L: float) -> float:
    return float(10 ** brentq(lambda exponent: curve(10**exponent, L) - 1, 1, 30))


def page() -> str:
    return "\n".join(
        [
            "# Figure 3 of Kontorovich & Weiss (2014)",
            "",
            "From `make bench` (`python -m benchmarks figure3`). 10 classes, confidence 99 %, doubling dimension 5, diameter 1:",
            "the penalty that a bound adds to the error on the sample. 1 or more says nothing. The figure shows Theorem 5 as",
            "printed, whose constant does not follow from Lemma 2, and Theorem 4, whose constant the paper does not give.",
            "",
            "From how many objects on does a bound say anything?",
            "",
            table(["L", *CURVES], entries()),
            "",
            "The curves:",
            "",
            table(["L", "n", *CURVES], figure_3()),
            "",
        ]
    )
