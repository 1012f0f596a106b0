"""Figure 3 and Table 1 of Kontorovich & Weiss (2014) as they print them, and what the constants
that are proved make of them.
"""

from collections.abc import Callable
from functools import cache
from math import log, sqrt

import numpy as np
from scipy.optimize import brentq

from benchmarks.folders import PAGES
from benchmarks.papers.figure3_plot import DRAWN, draw
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.bounds.margin import cells_penalty, rademacher_penalty, scale_penalty
from wideberth.classifiers.margin_neighbors.quantisation import quantised_capacity
from wideberth.papers.margin_bounds import closed_rademacher, printed_scale_penalty

#: The figure: 10 classes, confidence 99 %, doubling dimension 5.
CLASSES, LOG_DELTA, DIMENSION = 10, log(0.01), 5.0
LIPSCHITZ_CONSTANTS = (1, 2, 4, 8)
SAMPLE_SIZES = tuple(10.0**exponent for exponent in range(3, 16))

CURVES: dict[str, Callable[[float, float], float]] = {
    "Theorem 5, printed": lambda n, L: printed_scale_penalty(
        n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA
    ),
    "Theorem 5, valid": lambda n, L: scale_penalty(n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA),
    "Theorem 4, closed form": lambda n, L: rademacher_penalty(
        n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA, rademacher=closed_rademacher
    ),
    "Theorem 4, chained": lambda n, L: rademacher_penalty(
        n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA
    ),
    "cells": lambda n, L: cells_penalty(n, L, DIMENSION, CLASSES, log_delta=LOG_DELTA),
}

#: Numbers of classes, and how the bounds that Table 1 of the paper compares grow with them.
CLASS_NUMBERS = (2, 10, 100, 1000, 10_000)
PRINTED: dict[str, Callable[[int], float]] = {
    "k^2 (Crammer & Singer 2002)": lambda k: k**2,
    "k (Cortes et al. 2013)": lambda k: k,
    "sqrt k (Zhang 2004)": sqrt,
    "sqrt(log k) (that paper)": lambda k: sqrt(log(k)),
    "(log k)^(1/(D+1)) (that paper)": lambda k: log(k) ** (1 / (DIMENSION + 1)),
}
#: Objects and Lipschitz constant at which the penalties are compared, and the sample on which one
#: is measured.
MANY, STEEP, MEASURED = 1e15, 2.0, 20_000
PROVED: dict[str, Callable[[int], float]] = {
    "Theorem 5, valid": lambda k: scale_penalty(MANY, STEEP, DIMENSION, k, log_delta=LOG_DELTA),
    "Theorem 4, chained": lambda k: rademacher_penalty(
        MANY, STEEP, DIMENSION, k, log_delta=LOG_DELTA
    ),
    "cells": lambda k: cells_penalty(MANY, STEEP, DIMENSION, k, log_delta=LOG_DELTA),
    "quantised, measured": lambda k: _measured_rademacher(k),
}
ON_CLASSES = f"""\
Bounds with k classes over those with 2. First growths that Table 1 of the paper lists, which leaves out constants and
logarithms of n; then ours, with all constants: penalties at n = 1e15, L = {STEEP:g} and dimension 5, and the capacity measured
on {MEASURED:,} objects of a square with k labels drawn at random, L = {STEEP:g}, which stops growing where no cell has room for
more classes."""
PICTURE = PAGES / "papers_figure3.svg"


def growth(curve: Callable[[int], float]) -> list[float]:
    """By how much a bound grows from two classes to each of the numbers."""
    return [curve(k) / curve(CLASS_NUMBERS[0]) for k in CLASS_NUMBERS]


@cache
def _measured_rademacher(k: int) -> float:
    """The quantised bound of the Rademacher average on objects of a square whose k labels are drawn
    at random.
    """
    random = np.random.default_rng(0)
    return quantised_capacity(
        random.random((MEASURED, 2)), random.integers(0, k, MEASURED), count=1000
    )(STEEP)


def _where_it_is_1(curve: Callable[[float, float], float], L: float) -> float:
    return float(10 ** brentq(lambda exponent: curve(10**exponent, L) - 1, 1, 30))


def measure() -> Facts:
    """Nothing takes long: formulas, and one capacity on objects that are drawn."""
    drawn = np.logspace(3, 15, 121)
    return {
        "entries": {
            name: [_where_it_is_1(curve, L) for L in LIPSCHITZ_CONSTANTS]
            for name, curve in CURVES.items()
        },
        "values": {
            name: [[curve(n, L) for n in SAMPLE_SIZES] for L in LIPSCHITZ_CONSTANTS]
            for name, curve in CURVES.items()
        },
        "drawn": {
            name: [[CURVES[name](n, L) for n in drawn] for L in LIPSCHITZ_CONSTANTS]
            for name in DRAWN
        },
        "sizes": drawn,
        "growths": {name: growth(curve) for name, curve in (PRINTED | PROVED).items()},
    }


def page(facts: Facts) -> str:
    entries = [
        [str(L), *(f"{found[place]:.3g}" for found in facts["entries"].values())]
        for place, L in enumerate(LIPSCHITZ_CONSTANTS)
    ]
    curves = [
        [str(L), f"{n:.0e}", *(f"{found[place][size]:.3g}" for found in facts["values"].values())]
        for place, L in enumerate(LIPSCHITZ_CONSTANTS)
        for size, n in enumerate(SAMPLE_SIZES)
    ]
    growths = [
        [name, *(f"{each:,.3g}" for each in found)] for name, found in facts["growths"].items()
    ]
    return f"""## Penalties (Kontorovich & Weiss, Figure 3 and Table 1)

10 classes, confidence 99 %, doubling dimension 5, diameter 1: the penalty that a bound adds to the error on the sample. 1 or more
says nothing. The figure shows Theorem 5 as printed, whose constant does not follow from Lemma 2, and Theorem 4, whose constant
the paper does not give.

![Penalties against objects and against classes](papers_figure3.svg)

From how many objects on does a bound say anything?

{table(["L", *facts["entries"]], entries)}

The curves:

{table(["L", "n", *facts["values"]], curves)}

{ON_CLASSES}

{table(["bound", *(f"k = {k:,}" for k in CLASS_NUMBERS)], growths)}
"""


def draw_from(facts: Facts) -> None:
    draw(facts, LIPSCHITZ_CONSTANTS, CLASS_NUMBERS, PICTURE)
