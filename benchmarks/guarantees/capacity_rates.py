"""Capacities measured on samples of growing size, and the powers and logarithms fitted to them;
tests assert some of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from sklearn.datasets import load_digits

import wideberth as wb
from wideberth.bounds.balls import hilbert_rademacher
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.guarantees.training_sample import matched_suprema
from wideberth.metrics.metric import Metric
from wideberth.objects.sample import hold
from wideberth.papers.capacities import cube_rademacher, dudley_rademacher, theorem_17_entropies
from wideberth.papers.measured_capacities import (
    hilbert_capacity,
    kuratowski_capacity,
    lipschitz_capacity,
    maximum_discrepancy,
)

Floats = NDArray[np.float64]

SIZES = tuple(2**power for power in range(5, 12))
DIMENSIONS = (1, 2, 3, 4, 5)
#: Samples of each size: as many as give about the same number of objects, within limits.
OBJECTS, FEWEST, MOST = 40_000, 20, 300
#: Sizes for bounds, which cost nothing.
BOUND_SIZES = tuple(10**power for power in range(2, 13))
DATA_SIZES = (64, 128, 256, 512, 1024)


@dataclass(frozen=True, eq=False)
class Curve:
    """Means over samples of each size, with their standard errors."""

    sizes: Floats
    means: Floats
    errors: Floats


@dataclass(frozen=True)
class Fit:
    """A coefficient with its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ± {self.error:.3f}"


def measured(
    measure: Callable[[np.random.Generator, int], float],
    sizes: tuple[int, ...],
    seed: int,
    *,
    repeats: int | None = None,
) -> Curve:
    """The mean of a measurement on fresh samples of each size."""
    found = []
    for n in sizes:
        generator = np.random.default_rng([seed, n])
        times = int(np.clip(OBJECTS // n, FEWEST, MOST)) if repeats is None else repeats
        values = np.array([measure(generator, n) for _ in range(times)])
        found.append((n, values.mean(), values.std(ddof=1) / sqrt(len(values))))
    return Curve(*np.array(found, dtype=float).T)


def least_squares(columns: list[Floats], heights: Floats, errors: Floats) -> list[Fit]:
    """Coefficients of the columns, weighted by the errors of the heights, which are scaled up where
    the fit is worse.
    """
    design = np.column_stack(columns) / errors[:, None]
    target = heights / errors
    coefficients = np.linalg.lstsq(design, target)[0]
    rest = float(((design @ coefficients - target) ** 2).sum()) / max(1, len(target) - len(columns))
    spread = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * max(1.0, rest))
    return [
        Fit(float(each), float(error)) for each, error in zip(coefficients, spread, strict=True)
    ]


def exponent(curve: Curve) -> Fit:
    """The power of n with which a curve falls."""
    columns = [np.log(curve.sizes), np.ones(len(curve.sizes))]
    return least_squares(columns, np.log(curve.means), curve.errors / curve.means)[0]


def logarithm(curve: Curve) -> Fit:
    """The b of n R^2 = a + b ln n: 0 if R falls like n^(-1/2), and positive if like sqrt(ln n /
    n).
    """
    squares = curve.sizes * curve.means**2
    return least_squares(
        [np.log(curve.sizes), np.ones(len(squares))],
        squares,
        2 * curve.sizes * curve.means * curve.errors,
    )[0]


def discrepancies(
    d: int, metric: str | Metric = "euclidean", sizes: tuple[int, ...] = SIZES
) -> Curve:
    """The maximum discrepancy of two samples of n objects from the cube."""

    def measure(random: np.random.Generator, n: int) -> float:
        return maximum_discrepancy(random.random((n, d)), random.random((n, d)), metric, n_jobs=1)

    return measured(measure, sizes, d)


def _round_the_torus(left: Floats, right: Floats) -> Floats:
    squares = np.zeros((len(left), len(right)))
    for one, other in zip(left.T, right.T, strict=True):
        gaps = np.abs(np.subtract.outer(one, other))
        squares += np.minimum(gaps, 1 - gaps) ** 2
    return np.asarray(np.sqrt(squares))


#: The cube without its border: opposite sides are the same.
TORUS = Metric(_round_the_torus, name="torus", accepts="vectors", obeys_triangle=True)


def lipschitz_averages(d: int, sizes: tuple[int, ...] = SIZES) -> Curve:
    """The Rademacher average of the Lipschitz ball on a sample from the cube, less what constants
    reach: the matched part.
    """

    def measure(random: np.random.Generator, n: int) -> float:
        signs = random.choice([-1.0, 1.0], size=(4, n))
        followed = matched_suprema(
            pairwise_distances(random.random((n, d)), n_jobs=1), sqrt(d), signs
        )
        return float((followed - sqrt(d) * np.abs(signs.sum(axis=1))).mean()) / n

    return measured(measure, sizes, 100 + d)


def with_constants(curve: Curve, d: int) -> Curve:
    """The average of the whole ball from that of the matched part: constants reach the height times
    the surplus of a sign.
    """
    surplus = [
        float(binom.expect(lambda k, n=n: abs(2 * k - n), args=(int(n), 0.5))) / n
        for n in curve.sizes
    ]
    return replace(curve, means=curve.means + sqrt(d) * np.array(surplus))


def embedded_averages(measure: Callable[..., Any], d: int, sizes: tuple[int, ...] = SIZES) -> Curve:
    """The Rademacher average of the Kuratowski or the Hilbert ball on a sample from the cube, its
    middle for a base.
    """

    def run(random: np.random.Generator, n: int) -> float:
        points = np.concatenate([np.full((1, d), 0.5), random.random((n - 1, d))])
        return float(
            measure(points, draws=4, n_jobs=1, random_state=int(random.integers(2**31))).value
        )

    return measured(run, sizes, 200 + d)


def bounds_in_the_plane() -> dict[str, Floats]:
    """What covering numbers of the square prove: Theorem 18, connected and centred, and the sum
    over a tree of squares.
    """
    scales = 0.5 ** np.arange(0, 24) / sqrt(2)  # squares with sides 1, 1/2, 1/4...
    numbers = 4.0 ** np.arange(0, 24)
    entropies = theorem_17_entropies(scales, numbers, sqrt(2), connected=True)
    return {
        "Theorem 18": np.array([dudley_rademacher(*entropies, n) for n in BOUND_SIZES]),
        "tree": np.array([cube_rademacher(n, 2) for n in BOUND_SIZES]),
    }


def growth_of_bounds(bounds: Floats) -> tuple[float, float]:
    """How far from a line in ln n the bound times sqrt n is at most, relatively; and the power of n
    with which it falls.
    """
    heights, logs = bounds * np.sqrt(BOUND_SIZES), np.log(BOUND_SIZES)
    line = np.polyval(np.polyfit(logs, heights, 1), logs)
    return float(np.abs(line / heights - 1).max()), float(np.polyfit(logs, np.log(bounds), 1)[0])


def theorem_7_ratios() -> list[tuple[str, int, float]]:
    """The bound of Theorem 6 over the Kuratowski average: two objects beside the base, and
    samples.
    """
    found = []
    for n in (3, 12):
        pair = np.zeros((n, 1))
        pair[1:3] = 1.0  # all others are where the base is
        found.append(("two objects away from the base", n, _ratio(pair)))
    for name, draw in {
        "uniform on [0, 1]^2": lambda random, n: random.random((n, 2)),
        "uniform on [0, 1]^5": lambda random, n: random.random((n, 5)),
        "normal in 50 dimensions": lambda random, n: random.normal(size=(n, 50)),
        "a sphere round the base": lambda random, n: _on_a_sphere(random, n),
    }.items():
        found += [(name, n, _ratio(draw(np.random.default_rng(n), n))) for n in (12, 100, 1000)]
    return found


def _ratio(points: Floats) -> float:
    base_distances = np.sqrt(((points - points[0]) ** 2).sum(axis=1))
    return (
        hilbert_rademacher(base_distances, B=1.0)
        / kuratowski_capacity(points, draws=2000, n_jobs=1).value
    )


def _on_a_sphere(random: np.random.Generator, n: int) -> Floats:
    directions = random.normal(size=(n, 20))
    points: Floats = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    points[0] = 0.0
    return points


#: Objects and their metric by the words of the page.
DATA: dict[str, tuple[Callable[[], Any], str]] = {
    "first names, levenshtein": (lambda: wb.datasets.load_first_names()[0], "levenshtein"),
    "digits, euclidean": (lambda: load_digits().data, "euclidean"),
}


def on_data(name: str) -> dict[str, Curve]:
    """The averages of the balls on some of the first names or of the digits; heights are the
    diameter of all.
    """
    load, metric = DATA[name]
    held = hold(load())
    diameter = float(pairwise_distances(held[:: max(1, len(held) // 1500)], None, metric).max())
    balls: dict[str, Callable[..., Any]] = {
        "Lipschitz": partial(lipschitz_capacity, height=diameter),
        "Kuratowski": kuratowski_capacity,
        "Hilbert": hilbert_capacity,
    }
    return {
        ball: measured(partial(_of_some, held, metric, measure), DATA_SIZES, 300, repeats=6)
        for ball, measure in balls.items()
        if ball != "Hilbert" or metric == "euclidean"
    }


def _of_some(
    held: Any, metric: str, measure: Callable[..., Any], random: np.random.Generator, n: int
) -> float:
    chosen = random.choice(len(held), n, replace=False)
    return float(
        measure(
            held[chosen], metric, draws=10, n_jobs=1, random_state=int(random.integers(2**31))
        ).value
    )


@dataclass(frozen=True, eq=False)
class Rates:
    """All curves of the page."""

    cube: dict[int, Curve]
    torus: dict[int, Curve]
    averages: dict[int, Curve]
    kuratowski: dict[int, Curve]
    hilbert: dict[int, Curve]
    bounds: dict[str, Floats]
    data: dict[str, dict[str, Curve]]


#: What is measured of each part of the page, curve by curve, so that a run may be stopped between
#: them.
PARTS: dict[str, dict[Any, Callable[[], Any]]] = {
    "cube": {d: partial(discrepancies, d) for d in DIMENSIONS},
    "torus": {d: partial(discrepancies, d, TORUS) for d in DIMENSIONS if d > 2},
    "averages": {d: partial(lipschitz_averages, d) for d in DIMENSIONS},
    "kuratowski": {d: partial(embedded_averages, kuratowski_capacity, d) for d in (2, 5)},
    "hilbert": {d: partial(embedded_averages, hilbert_capacity, d) for d in (2, 5)},
    "data": {name: partial(on_data, name) for name in DATA},
}
