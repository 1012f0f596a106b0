"""Which engine for the Lipschitz program: simplex on generated pairs, or optimal matching at a
fixed slope.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import highspy
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import make_moons

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.classifiers.lipschitz.program import PairProgram

#: How the final pairs are solved again: without a basis, as fast as starts could become if they
#: knew all pairs beforehand.
AT_ONCE: dict[str, dict[str, Any]] = {
    "simplex": {"solver": "simplex", "presolve": "off"},
    "interior point": {"solver": "ipm", "run_crossover": "off"},
}


def row(n: int, c: float) -> list[str]:
    points, labels = make_moons(n, noise=0.35, random_state=1)
    with last_program() as programs:
        ours, model = seconds(lambda: wb.LipschitzClassifier(C=c, n_jobs=1).fit(points, labels))
    matching, loss = seconds(lambda: fixed_slope(points, labels, model.lipschitz_constant_))
    value = model.lipschitz_constant_ + model.C_ * loss
    difference = abs(value - model.solution_.value) / value
    again = [f"{solved_at_once(programs[-1], options):.2f}" for options in AT_ONCE.values()]
    return [f"{n:,}", f"{c:g}", f"{ours:.2f}", *again, f"{matching:.2f}", f"{difference:.0e}"]


@contextmanager
def last_program() -> Iterator[list[PairProgram]]:
    """Collect the programs that are made meanwhile."""
    programs: list[PairProgram] = []
    make = PairProgram.__init__

    def collected(program: PairProgram, costs: np.ndarray) -> None:
        make(program, costs)
        programs.append(program)

    PairProgram.__init__ = collected
    try:
        yield programs
    finally:
        PairProgram.__init__ = make


def solved_at_once(program: PairProgram, options: dict[str, Any]) -> float:
    """Seconds of CPU in which HiGHS solves the program with all its pairs, without a basis."""
    highs = highspy.Highs()
    for option, value in {"output_flag": False, "threads": 1, **options}.items():
        highs.setOptionValue(option, value)
    highs.passModel(program._highs.getLp())
    return seconds(highs.run)[0]


def fixed_slope(points: np.ndarray, labels: np.ndarray, slope: float) -> float:
    """The least loss at one slope: the value of a heaviest matching with weights (2 - slope *
    distance)_+ (two classes).
    """
    weights = np.maximum(
        2.0 - slope * wb.pairwise_distances(points[labels == 0], points[labels == 1]), 0.0
    )
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return float(weights[rows, columns].sum())


def measure() -> Facts:
    row(1_000, 2.0)  # compiled code is loaded before it is timed: few points do not need all of it
    return {"rows": [row(n, c) for n in (1_000, 2_000, 4_000, 8_000) for c in (2.0, 5.0)]}


def page(facts: Facts) -> str:
    return "\n".join(
        [
            "# Engines for the Lipschitz program",
            "",
            "From `make bench` (`python -m benchmarks engines`). Two moons, noise 0.35, seconds of "
            "CPU. Whole fit: to a gap of",
            "1e-3. At once: HiGHS solves the program with the final pairs of that fit, without a "
            "basis. Matching: one evaluation",
            "at the slope found, by scipy's `linear_sum_assignment`; a search needs several.",
            "",
            table(
                [
                    "n",
                    "C",
                    "whole fit",
                    *(f"at once, {name}" for name in AT_ONCE),
                    "one matching",
                    "difference of the values",
                ],
                facts["rows"],
            ),
            "",
        ]
    )
