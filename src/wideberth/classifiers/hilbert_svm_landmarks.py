"""The SVM on a kernel matrix of low rank: Nystrom's on few landmarks, by LIBLINEAR."""

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from wideberth.classifiers.hilbert_function import Expansions
from wideberth.classifiers.one_vs_one import Pairs
from wideberth.classifiers.spectrum_repair import SpectralMap
from wideberth.errors import GapWarning

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: What LIBLINEAR may do, at most: so many products of coordinates, but a thousand rounds through all objects in any case.
_WORK, _ROUNDS = 1e10, 1000


@dataclass(frozen=True, eq=False)
class LowRank:
    r"""The soft-margin SVM of each pair of classes on coordinates :math:`\phi` that stand for the kernel:

    .. math:: \min_{w, b} \tfrac12 (\|w\|^2 + b^2) + \sum_i p_i \max\{0, 1 - y_i (\langle w, \phi(x_i) \rangle + b)\} .

    ``points`` are the coordinates ``through`` the landmarks ``rows``, divided by the root of ``unit``. For a Hilbertian metric
    they are the projections on the span of the landmarks, and :math:`\langle w, \phi(x) \rangle` is a function of norm
    :math:`\|w\|` on the whole space. LIBLINEAR also keeps b small, which the prices outweigh.
    """

    points: Floats
    through: SpectralMap
    rows: Indices
    unit: float = 1.0

    def solve(self, codes: Indices, prices: Floats, tol: float) -> Expansions:
        """The functions of all pairs of classes, two at least."""
        weights, intercepts = [], []
        rounds = int(max(_ROUNDS, min(_WORK / max(1, self.points.size), 1e6)))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", ConvergenceWarning)
            for first, second in zip(*Pairs.of(int(codes.max()) + 1), strict=True):
                chosen: Any = np.flatnonzero((codes == first) | (codes == second))
                chosen = slice(None) if len(chosen) == len(codes) else chosen  # which makes no copy
                solver = LinearSVC(loss="hinge", tol=tol, max_iter=rounds, random_state=0)
                solver.fit(self.points[chosen], codes[chosen] == second, sample_weight=prices[chosen])
                weights.append(solver.coef_[0])
                intercepts.append(float(solver.intercept_[0]))
        if any(issubclass(each.category, ConvergenceWarning) for each in said):
            warnings.warn(
                f"LIBLINEAR stopped after {rounds} rounds, before tol={tol:g} was reached: labels can be predicted, and radii "
                "hold, but the margin may not be the widest. A smaller C or a larger tol needs fewer.",
                GapWarning,
                stacklevel=6,
            )
        normals = np.array(weights) / math.sqrt(self.unit)
        coefficients, constants = self.through.expanded(normals)
        norms: Floats = np.linalg.norm(normals, axis=1)
        return Expansions(self.rows, csr_array(coefficients), np.array(intercepts) + constants, norms)


def project(blocks: Iterable[tuple[slice, Floats]], through: SpectralMap, n_objects: int) -> tuple[Floats, Floats]:
    r"""The coordinates of all objects, and what is left out of each: its squared distance from the span of the landmarks.

    ``blocks`` are some of the objects at a time with their kernel to the landmarks. Counted from the centre of the landmarks, an
    object has the squared norm :math:`\bar k - 2\, \overline{k(x, \cdot)}`, of which the coordinates have a part.
    """
    points, left_out = np.empty((n_objects, through.axes.shape[1])), np.empty(n_objects)
    centre = float(through.means.mean())
    for part, kernel in blocks:
        points[part] = through.coordinates(kernel)
        left_out[part] = centre - 2.0 * kernel.mean(axis=1) - (points[part] ** 2).sum(axis=1)
    return points, left_out
