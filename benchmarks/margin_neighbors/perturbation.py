"""Theorem 7 of Kontorovich & Weiss, with the perturbation that its linear program finds, beside the
quantisation bound.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.datasets import make_moons

from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.classifiers.margin_neighbors.quantisation import (
    QuantisedCapacity,
    quantised_capacity,
)
from wideberth.optimize.solution import Solution
from wideberth.papers.margin_bounds import empirical_penalty
from wideberth.papers.perturbation import (
    Perturbation,
    perturb,
    perturbed_capacity,
)

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]

SIZES = (200, 500, 1000)
#: Sizes at which only the quantisation bound is computed, and the most centres it may have there.
BEYOND, MOST_CENTRES = (10_000, 100_000), 1_000
#: The dimensions asked for: 0 puts all in one place, log2(1000) / 5 = 2 would move nothing.
DIMENSIONS = (0.0, 0.5, 1.0)
#: Lipschitz constants times the diameter of the largest sample with a program: separations of 2, 1
#: and 1/5 diameters.
SLOPES = (1.0, 2.0, 10.0)
LOG_DELTA = log(0.05)


def moons(n: int) -> Sample:
    """Two half circles in the plane, almost apart."""
    return make_moons(n, noise=0.15, random_state=n)


def surface(n: int) -> Sample:
    """A bent square in 20 dimensions, with two classes on it."""
    generator = np.random.default_rng(n)
    flat, turn = generator.random((n, 2)), np.random.default_rng(0).normal(size=(2, 14))
    return np.c_[np.sin(3 * flat), np.cos(5 * flat), flat, flat @ turn], (
        flat[:, 0] > flat[:, 1]
    ).astype(np.int64)


DATA: dict[str, Callable[[int], Sample]] = {"two moons": moons, "surface in R^20": surface}


@dataclass(frozen=True)
class Measured:
    """What was found in one sample: perturbations and the quantisation, with the seconds they
    took.
    """

    name: str
    n: int
    unit: float
    quantised: QuantisedCapacity
    quantised_seconds: float
    perturbed: dict[float, tuple[float, Solution]]

    def theorem_7(self, slope: float) -> float:
        """The smallest of its bounds over the perturbations; 1 if there are none."""
        points: list[Perturbation] = [found.point for _, found in self.perturbed.values()]
        return min([1.0, *(perturbed_capacity(point, slope / self.unit, 2) for point in points)])

    def quantisation(self, slope: float) -> float:
        return self.quantised(slope / self.unit)


def measured(name: str, n: int) -> Measured:
    points, labels = DATA[name](n)
    program = n <= SIZES[-1]
    spent, quantised = seconds(
        lambda: quantised_capacity(points, labels, count=None if program else MOST_CENTRES)
    )
    found = {
        dimension: seconds(lambda dimension=dimension: perturb(points, "euclidean", dimension))
        for dimension in (DIMENSIONS if program else ())
    }
    print(
        name,
        n,
        spent,
        [(took, each.value, each.ratio) for took, each in found.values()],
        file=sys.stderr,
        flush=True,
    )
    return Measured(name, n, float(pdist(DATA[name](SIZES[-1])[0]).max()), quantised, spent, found)


def program_rows(sample: Measured) -> list[list[str]]:
    rows = []
    for dimension, (took, found) in sample.perturbed.items():
        point, unit = found.point, sample.n * sample.unit
        rows.append(
            [
                sample.name,
                f"{sample.n:,}",
                f"{dimension:g}",
                f"{point.capacity}",
                f"{len(point.members)}",
                f"{found.lower_bound / unit:.4f}",
                f"{found.value / unit:.4f}",
                f"{found.ratio:.1f}",
                f"{point.doubling_dimension:.1f}",
                f"{point.covering_dimension:.1f}",
                f"{took:.1f}",
            ]
        )
    return rows


def bound_rows(sample: Measured) -> list[list[str]]:
    rows = []
    took = sum(spent for spent, _ in sample.perturbed.values())
    for slope in SLOPES:
        old, new = (
            [
                f"{complexity(slope):.3f}",
                _shown(empirical_penalty(sample.n, slope, complexity, log_delta=LOG_DELTA)),
            ]
            for complexity in (sample.theorem_7, sample.quantisation)
        )
        if not sample.perturbed:
            old = ["", ""]
        centres = f"{sample.quantised.centres(slope / sample.unit)}"
        times = [f"{took:.0f}" if took else "", f"{sample.quantised_seconds:.2f}"]
        rows.append([sample.name, f"{sample.n:,}", f"{slope:g}", *old, *new, centres, *times])
    return rows


def _shown(penalty: float) -> str:
    return f"{penalty:.2f}" if penalty < 1 else "vacuous"


def measure() -> Facts:
    points, labels = moons(100)
    (
        perturb(points, "euclidean", 0.5),
        quantised_capacity(points, labels),
    )  # compiled code is loaded before it is timed
    pairs = [(name, n) for name in DATA for n in (*SIZES, *BEYOND)]
    found = [
        kept("perturbation", f"{name}, {n}", partial(rows_of_sample, name, n)) for name, n in pairs
    ]
    return {
        part: [row for each in found if each is not None for row in each[part]]
        for part in ("program", "bounds")
    }


def rows_of_sample(name: str, n: int) -> Facts:
    """The lines of both tables for one sample."""
    found = measured(name, n)
    return {"program": program_rows(found), "bounds": bound_rows(found)}


def page(facts: Facts) -> str:
    program = table(
        [
            "data",
            "n",
            "b",
            "capacity",
            "places",
            "bound",
            "found",
            "found / bound",
            "doubling",
            "covering",
            "s",
        ],
        facts["program"],
    )
    bounds = table(
        [
            "data",
            "n",
            "L",
            "Theorem 7",
            "penalty",
            "quantisation",
            "penalty",
            "centres",
            "programs, s",
            "quantisation, s",
        ],
        facts["bounds"],
    )
    return "\n".join(
        [
            "# Perturbation and quantisation",
            "",
            "From `make bench` (`python -m benchmarks perturbation`). The unit of length is the "
            "diameter of 1,000 objects.",
            "",
            "## The program",
            "",
            "Objects are moved to places among them so that nets of the places have at most "
            "'capacity' points in balls of 8",
            "times their radius, as sets of doubling dimension b have. The mean displacement to no "
            "such set is below 'bound',",
            "'found' is ours; 'doubling' is proved for its dimension, 'covering' for the exponent "
            "of its covering numbers.",
            "",
            program,
            "",
            "## The bounds",
            "",
            "Bounds on the empirical Rademacher complexity, at most 1: Theorem 7 with the best "
            "perturbation and the better of",
            "the two dimensions, constants by chaining; and the quantisation bound, the smallest "
            "over the number of centres.",
            "Penalties are what they add to the error on the sample, at a confidence of 95 %; from "
            "1 on they are vacuous. The",
            "seconds are those of all programs and of the quantisation. Beyond the programs' reach "
            f"there are {MOST_CENTRES:,}",
            "centres at most.",
            "",
            bounds,
            "",
        ]
    )
