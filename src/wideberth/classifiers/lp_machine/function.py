"""The function that an LP machine learns, a sum of radial functions: its values, and why it gave a label."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.lp_machine.kernels import add_rows
from wideberth.estimators.explanation import Explanation, Push
from wideberth.estimators.radial import Radial
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


@dataclass(frozen=True, eq=False)
class RadialFunction:
    r"""The functions :math:`f_q(x) = \sum_{r, i} \beta_{q, r, i}\, g_r(d(x, z_i)) / \mathrm{Lip}(g_r) + b_q`.

    ``references`` are the prepared :math:`z_i`, ``coefficients`` of shape (functions, radials, references), ``intercepts`` one
    for each function. Blocks of distances take ``max_memory`` bytes. The value at an object does not depend on what else is
    asked.

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
    max_memory: int
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
        rows = max(1, self.max_memory // (32 * max(m, 1)))
        for start in range(0, n if m else 0, rows):
            part = slice(start, start + rows)
            yield part, pairwise_distances(sample.pick(objects, part), self.references, self.metric, n_jobs=self.n_jobs)


def explanations(
    function: RadialFunction, objects: Any, winners: Indices, labels: NDArray[Any], centres: Floats, positions: Indices
) -> list[Explanation]:
    """Why each prepared object got its label: how the references push its score, the strongest first.

    The baseline is the mean score of the label over the training objects, and a push is what a reference adds beyond what it adds
    there. ``positions`` say where the references of the function stood. With one function for two classes, the score
    of the first is its negative.
    """
    if len(labels) == 1:
        return [Explanation(labels.item(), 1.0, 1.0, ()) for _ in winners]
    binary = len(labels) == 2
    functions = np.zeros_like(winners) if binary else winners
    signs = np.where(winners == 1, 1.0, -1.0) if binary else np.ones(len(winners))
    baselines = signs * (function.intercepts + (function.coefficients * centres).sum(axis=(1, 2)))[functions]
    distances, terms = function.terms(objects, functions, centres)
    terms *= signs[:, None]
    found = []
    for row, winner in enumerate(winners):
        used = np.flatnonzero(function.coefficients[functions[row]].any(axis=0))
        strongest = used[np.argsort(-np.abs(terms[row, used]), kind="stable")]
        pushes = tuple(Push(int(positions[i]), float(distances[row, i]), float(terms[row, i])) for i in strongest)
        score = float(baselines[row] + terms[row].sum())
        found.append(Explanation(labels[winner : winner + 1].tolist()[0], score, float(baselines[row]), pushes))
    return found
