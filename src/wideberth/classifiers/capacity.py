r"""How rich the margin functions are on a given sample: their empirical Rademacher complexity, bounded by what was measured.

`wideberth.bounds.margin.empirical_penalty` turns such a bound into one of the error, without an assumption about the dimension
of the source. A Lipschitz constant L is one per unit of the metric here, so that :math:`2 / L` is a distance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.bounds.rademacher import Rademacher, chained_rademacher, perturbed_rademacher, quantised_rademacher
from wideberth.geometry.quantisation import quantise
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample
from wideberth.solvers.perturbation import Perturbation

#: How many numbers of centres are tried between one and its double.
SIZES_PER_OCTAVE = 8


@dataclass(frozen=True, eq=False)
class QuantisedCapacity:
    r"""The bound of `quantised_rademacher` for some numbers of centres m, ``sizes``, and any L.

    .. math:: \hat R_n(\mathcal H_L; S) \le \min_m \bigl(L\, \delta_m + \nu_m\bigr)

    ``displacements`` :math:`\delta_m` are mean distances to the centres; ``noises`` :math:`\nu_m` are what signs reach in cells
    whose objects are all at their centre. The former fall and the latter rise with m.
    """

    sizes: NDArray[np.intp]
    displacements: Distances
    noises: NDArray[np.float64]

    def __call__(self, lipschitz_constant: float) -> float:
        """The smallest bound over the numbers of centres, at most 1."""
        return min(1.0, float((lipschitz_constant * self.displacements + self.noises).min()))

    def centres(self, lipschitz_constant: float) -> int:
        """The number of centres that gives it."""
        return int(self.sizes[(lipschitz_constant * self.displacements + self.noises).argmin()])


def quantised_capacity(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    n_jobs: int | None = None,
) -> QuantisedCapacity:
    """Measure the bound with up to ``count`` centres taken farthest first, 9 % more at each step.

    n objects give at most n * ``count`` distances, once for all L. By default up to half of the objects are centres: from there
    on the bound is above 1/2, and says nothing about an error.

    >>> points, labels = np.repeat([[0.0], [8.0]], 50, axis=0), np.tile([0, 1], 50)
    >>> capacity = quantised_capacity(points, labels)
    >>> capacity.centres(0.001), round(capacity(0.001), 4)  # one cell: 0.001 * 4 + 2 * sqrt(50) / 100
    (1, 0.1454)
    >>> capacity.centres(1.0), capacity(1.0)  # two cells: 4 * sqrt(25) / 100
    (2, 0.2)
    """
    half = max(1, sample.count(objects) // 2)
    found = quantise(objects, labels, metric, count=half if count is None else count, n_jobs=n_jobs)
    steps = np.arange(1 + np.ceil(SIZES_PER_OCTAVE * np.log2(len(found))))
    sizes = np.unique(np.minimum(2 ** (steps / SIZES_PER_OCTAVE), len(found)).astype(np.intp))
    noises = [quantised_rademacher(0.0, counts, 0.0) for counts in found.counts(sizes.tolist())]
    return QuantisedCapacity(sizes, found.displacements[sizes - 1], np.array(noises))


def perturbed_capacity(
    found: Perturbation, lipschitz_constant: float, n_classes: int, *, rademacher: Rademacher = chained_rademacher
) -> float:
    r"""The bound of Theorem 7 of Kontorovich & Weiss (2014) from a perturbation of the sample.

    It is `perturbed_rademacher` with the smaller one of the dimensions proved for the places that are left; at most 1.

    >>> from wideberth.solvers.perturbation import perturb
    >>> perturbed_capacity(perturb([[0.0]] * 300).point, 1.0, 2) < 0.8  # one place, whatever L
    True
    """
    unit = found.diameter or 1.0
    dimension = min(found.doubling_dimension, found.covering_dimension)
    moved, n = float(found.distances.mean()) / unit, len(found.distances)
    return perturbed_rademacher(moved, n, lipschitz_constant * unit, dimension, n_classes, rademacher=rademacher)
