"""Functions of an SVM on a metric: kernel expansions on few references, one for each pair of classes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wideberth.classifiers.hilbert_kernel import HilbertKernel
from wideberth.geometry.distances import pairwise_distances
from wideberth.geometry.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: More than rounding can do to a sum of terms whose sizes add up to 1.
_ROUNDING = 1e-12
#: Bytes of distances that are looked up at once, where no more work at once is faster, and bytes that stay in a core's own cache.
_LOOKED_UP, _IN_CACHE = 2**22, 2**18


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""The functions :math:`f_q(x) = \sum_i \gamma_{qi} k(x, z_i) + b_q` that were solved for, :math:`\sum_i \gamma_{qi} = 0`.

    ``rows`` say which objects the :math:`z_i` are, ``coefficients`` have the shape (functions, rows), ``norms`` are those of the
    functions' normal vectors, so that :math:`|f_q(x) - f_q(y)| \le \mathrm{norms}_q\, e(x, y)` in the induced metric e.
    ``support`` and ``multipliers`` are the rows of the support vectors and what LIBSVM found for them, where it was used.
    """

    rows: Indices
    coefficients: csr_array
    intercepts: Floats
    norms: Floats
    support: Indices | None = None
    multipliers: Floats | None = None


@dataclass(frozen=True, eq=False)
class HilbertFunction:
    """Kernel expansions, ready to be asked: ``references`` are prepared, blocks of distances take ``memory`` bytes.

    The values at an object do not depend on what else is asked.

    >>> from wideberth.metrics.named import metric
    >>> ends = np.array([[0.0], [4.0]])
    >>> line = HilbertFunction(ends, metric("euclidean"), HilbertKernel("distance"), csr_array([[-0.25, 0.25]]),
    ...                        np.array([0.0]), 10**6, 1)
    >>> line.values(np.array([[2.0], [3.0]])).ravel()  # 0 in the middle
    array([0., 1.])
    """

    references: Any
    metric: Metric
    kernel: HilbertKernel
    coefficients: csr_array
    intercepts: Floats
    memory: int
    n_jobs: int | None

    def values(self, objects: Any) -> Floats:
        """The values at prepared objects, of shape (objects, functions)."""
        return self.values_and_slack(objects)[0]

    def values_and_slack(self, objects: Any, *, slack: bool = False) -> tuple[Floats, Floats]:
        """The values, and by how much rounding may have changed them, if asked for; both of shape (objects, functions)."""
        out = np.tile(self.intercepts, (sample.count(objects), 1))
        sizes = np.tile(np.abs(self.intercepts), (len(out) if slack else 0, 1))
        for part, kernel in self.blocks(objects):
            out[part] += (self.coefficients @ kernel.T).T
            if slack:
                sizes[part] += (abs(self.coefficients) @ np.abs(kernel).T).T
        return out, _ROUNDING * sizes

    def blocks(self, objects: Any) -> Iterator[tuple[slice, Floats]]:
        """Some of the objects at a time, with the kernel between them and the references."""
        n, m = sample.count(objects), self.coefficients.shape[1]
        room = self.memory // 4
        if self.metric.eats == "indices":
            room = min(room, _LOOKED_UP)
        rows, few = (max(1, each // (8 * max(m, 1))) for each in (room, _IN_CACHE))
        for start in range(0, n if m else 0, rows):
            part = sample.pick(objects, slice(start, start + rows))
            distances = distances_between(part, self.references, self.metric, self.n_jobs)
            for first in range(0, len(distances), few):
                some = distances[first : first + few]
                yield slice(start + first, start + first + len(some)), self.kernel.values(some)


def distances_between(left: Any, right: Any, metric: Metric, n_jobs: int | None) -> Floats:
    """The distances between prepared objects; a space or a matrix looks them up at once."""
    if metric.eats != "indices":
        return pairwise_distances(left, right, metric, n_jobs=n_jobs)
    if isinstance(metric, SpaceMetric):  # a space finds them faster in its own order
        objects, back = np.unique(right, return_inverse=True)
        return metric.block(left, objects).take(back, axis=1)
    return metric.block(left, right)
