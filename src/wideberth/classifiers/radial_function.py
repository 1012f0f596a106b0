"""Scores that are sums of radial functions of the distances to a few references."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.geometry.distances import pairwise_distances
from wideberth.geometry.radial import Radial
from wideberth.geometry.radial_columns_kernels import add_rows
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RadialFunction:
    r"""The functions :math:`f_q(x) = \sum_{r, i} \beta_{q, r, i}\, g_r(d(x, z_i)) / \mathrm{Lip}(g_r) + b_q`.

    ``references`` are the prepared :math:`z_i`, ``coefficients`` of shape (functions, radials, references), ``intercepts`` one
    for each function. Blocks of distances take ``memory`` bytes. The value at an object does not depend on what else is asked.

    >>> from wideberth.metrics.named import metric
    >>> zero = np.array([[0.0]])
    >>> line = RadialFunction(zero, metric("euclidean"), (Radial("distance"),), np.array([[[2.0]]]), np.array([-1.0]), 10**6, 1)
    >>> line.values(np.array([[3.0], [0.5]]))
    array([[5.],
           [0.]])
    """

    references: Any
    metric: Metric
    radials: tuple[Radial, ...]
    coefficients: Floats
    intercepts: Floats
    memory: int
    n_jobs: int | None

    @property
    def slopes(self) -> Floats:
        """How steep each function can be: the sum of its absolute coefficients."""
        steepest: Floats = np.abs(self.coefficients).sum(axis=(1, 2))
        return steepest

    def values(self, objects: Any) -> Floats:
        """The values at prepared objects, of shape (objects, functions)."""
        out = np.tile(self.intercepts[:, None], sample.count(objects))
        numbers = np.arange(self.coefficients.shape[2])
        for part, distances in self._blocks(objects):
            sums = np.ascontiguousarray(out[:, part])
            for place, radial in enumerate(self.radials):
                columns = np.ascontiguousarray(radial.scaled(distances).T)
                add_rows(columns, numbers, np.ascontiguousarray(self.coefficients[:, place].T), 0, sums)
            out[:, part] = sums
        return np.ascontiguousarray(out.T)

    def terms(self, objects: Any, functions: Indices, centres: Floats) -> tuple[Floats, Floats]:
        """For one of the functions at each object: the distances to all references, and what each of them adds to the value.

        What is added is counted from ``centres``, of shape (radials, references): it is 0 where a column has that value.
        """
        shape = sample.count(objects), self.coefficients.shape[2]
        measured, terms = np.empty(shape), np.zeros(shape)
        for part, distances in self._blocks(objects):
            measured[part] = distances
            for place, radial in enumerate(self.radials):
                terms[part] += self.coefficients[functions[part], place] * (radial.scaled(distances) - centres[place])
        return measured, terms

    def _blocks(self, objects: Any) -> Iterator[tuple[slice, Floats]]:
        n, m = sample.count(objects), self.coefficients.shape[2]
        rows = max(1, self.memory // (32 * max(m, 1)))
        for start in range(0, n if m else 0, rows):
            part = slice(start, start + rows)
            yield part, pairwise_distances(sample.pick(objects, part), self.references, self.metric, n_jobs=self.n_jobs)
