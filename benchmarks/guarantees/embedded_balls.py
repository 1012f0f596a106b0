r"""The embeddings of a metric space as classifiers see them: functions of their dual, and how rich
its unit ball is on a sample.

The norm of a function is its Lipschitz constant (Arens-Eells), the sum of the absolute coefficients
of distances (Kuratowski), or the norm of a vector of a Hilbert space.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wideberth as wb
from benchmarks.guarantees.halves import Halves
from wideberth.guarantees.training_sample import Measured, average_over_signs, matching_cost
from wideberth.papers.measured_capacities import hilbert_capacity, kuratowski_capacity
from wideberth.transforms import power

Floats = NDArray[np.float64]

#: What a proof may fail with, and the part of it that pays for drawing so many sign vectors and no
#: more.
DELTA, SHARE_OF_SIGNS, DRAWS = 0.05, 0.05, 100
#: How averages are measured: ``high`` fails with half of what is left of the confidence. The seed
#: is not that of the sample.
SIGNS: dict[str, Any] = {
    "draws": DRAWS,
    "confidence": 1 - 2 * SHARE_OF_SIGNS * DELTA,
    "random_state": 20_040_501,
}
#: The prices of errors that are tried, in the unit of each classifier: from almost constant
#: functions to few training errors.
LIPSCHITZ_PRICES, LP_PRICES, SVM_PRICES = (
    np.geomspace(1.2, 100, 10),
    np.geomspace(1.5, 3000, 11),
    np.geomspace(0.01, 300, 10),
)


@dataclass(frozen=True, eq=False)
class Embedding:
    """Classifiers with growing prices of errors, the norm of the function of each, and the average
    of the unit ball.
    """

    name: str
    models: list[Any]
    norms: list[float]
    capacity: Measured
    reach: float

    def functions(self, X: Any) -> list[Floats]:
        """What each model says about objects, over its norm: functions of the unit ball, but for an
        offset.
        """
        found = [model.decision_function(X) for model in self.models]
        return [each / norm for each, norm in zip(found, self.norms, strict=True)]


def arens_eells(data: Halves) -> Embedding:
    X = data.space.index[data.known]
    models = wb.LipschitzClassifier(data.space.metric, random_state=0).path(
        X, data.labels[data.known], LIPSCHITZ_PRICES
    )
    models = [each for each in models if each.lipschitz_constant_ > 0]
    norms = [
        2 * each.lipschitz_constant_ for each in models
    ]  # the function is half the difference of the scores
    return Embedding(
        "Arens-Eells",
        models,
        norms,
        lipschitz_ball(data),
        _from_base(data.space.metric, X)[1].max(),
    )


@functools.cache
def lipschitz_ball(data: Halves) -> Measured:
    """The average of the functions with Lipschitz constant 1 that are 0 at the base, the ball of
    the Arens-Eells embedding.
    """
    X, metric = data.space.index[data.known], data.space.metric
    distances = metric.block(X, X)
    base, heights = _from_base(metric, X)

    def suprema(signs: Floats) -> Floats:
        return np.array([molecule_norm(distances, base, each) for each in signs])

    return average_over_signs(suprema, heights, **SIGNS)


def molecule_norm(distances: Floats, base: int, signs: Floats) -> float:
    r"""The largest :math:`\sum_i \sigma_i f(x_i)` of functions with Lipschitz constant 1 that are 0
    at the base.

    It is the cost of the cheapest matching of the objects with different signs, where as many
    copies of the base as are missing join the smaller side.

    >>> molecule_norm(np.array([[0.0, 4.0], [4.0, 0.0]]), 0, np.array([1.0, 1.0]))
    4.0
    """
    left, right = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
    missing = abs(len(left) - len(right))
    smaller, larger = sorted((left, right), key=len)
    return matching_cost(
        distances[np.ix_(np.concatenate([smaller, np.full(missing, base)]), larger)]
    )


def kuratowski(data: Halves) -> Embedding:
    """The combinations of distances to objects set aside, which were there before the sample."""
    X, metric = data.space.index[data.known], data.space.metric
    base, heights = _from_base(metric, X)
    references = data.space.index[data.aside]
    capacity = kuratowski_capacity(X, metric, base=base, references=references, **SIGNS)
    return Embedding("Kuratowski", *_machines(data, references), capacity, heights.max())


def kuratowski_on_the_sample(data: Halves) -> Embedding:
    """The combinations of distances to the training objects.

    The average measured with these references is too small for those of another sample; ``high`` is
    that of a larger ball.
    """
    X, metric = data.space.index[data.known], data.space.metric
    base, heights = _from_base(metric, X)
    capacity = kuratowski_capacity(X, metric, base=base, **SIGNS)
    above = replace(capacity, high=lipschitz_ball(data).high)
    return Embedding("Kuratowski on the sample", *_machines(data, None), above, heights.max())


def _machines(data: Halves, references: Any) -> tuple[list[Any], list[float]]:
    """LP machines on distances, and their norms."""
    machine = wb.LPMachineClassifier(data.space.metric, references=references, random_state=0)
    models = machine.path(data.space.index[data.known], data.labels[data.known], LP_PRICES)
    models = [each for each in models if each.lipschitz_bound_[0] > 0]
    return models, [float(each.lipschitz_bound_[0]) for each in models]


def hilbert(data: Halves) -> Embedding | None:
    """In the metric, or in its root, whichever promises a Hilbert space; None if neither does."""
    X, given = data.space.index[data.known], data.space.metric
    if not given.negative_type:
        return None
    name, metric = (
        ("Hilbert", given) if given.hilbertian else ("Hilbert, of the root", power(given, 0.5))
    )
    models = wb.HilbertSVC(metric, kernel="distance", random_state=0).path(
        X, data.labels[data.known], SVM_PRICES
    )
    base, heights = _from_base(metric, X)
    capacity = hilbert_capacity(X, metric, base=base, **SIGNS)
    return Embedding(
        name, models, [1 / each.margin_[0] for each in models], capacity, heights.max()
    )


def _from_base(metric: Any, X: Any) -> tuple[int, Floats]:
    """The object in the middle, and the distances from it. With an offset the functions are the
    same whatever the base.
    """
    distances = metric.block(X, X)
    base = int((distances**2).sum(axis=1).argmin())
    return base, distances[base]


EMBEDDINGS: list[Callable[[Halves], Embedding | None]] = [
    arens_eells,
    kuratowski,
    kuratowski_on_the_sample,
    hilbert,
]
