"""Repairs of an indefinite kernel matrix that new objects go through as well."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array

from wideberth.arrays import Floats
from wideberth.classifiers.hilbert_svm.function import Expansions
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.rounding import EIGENVALUE_ERROR


@dataclass(frozen=True, eq=False)
class SpectralMap:
    r"""Coordinates from the kernel :math:`k = -e^2 / 2` of an object with m others, by the eigenvectors of their centred matrix.

    With :math:`G = V \Lambda V^T` the centred kernel matrix and :math:`\bar k_i` the mean of row i of k, an object x has the
    coordinates

    .. math:: \phi(x) = \bigl(k(x, z_i) - \bar k_i\bigr)_i \, A, \qquad A = V |\Lambda|^{-1/2} \sigma(\Lambda),

    which on the m objects give :math:`\phi \phi^T = V |\Lambda| \sigma^2(\Lambda) V^T`. Of positive eigenvalues
    :math:`\sigma` is 1; of negative ones 0, which *clips* them, or 1, which *flips* them to their absolute values; of those that
    rounding explains 0. If none is negative, :math:`\phi \phi^T = G`: the coordinates are those of classical scaling, with new
    objects by the Nystrom formula. ``axes`` is A, ``means`` are the :math:`\bar k_i`.

    >>> line = -0.5 * np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]])  # points at 0, 1 and 3
    >>> where = SpectralMap.of(line).coordinates(line)
    >>> abs(where - where[0]).round(6).ravel()
    array([0., 1., 3.])
    """

    axes: Floats
    means: Floats
    spectrum: Spectrum

    @classmethod
    def of(cls, kernel: Floats, *, flip: bool = False) -> "SpectralMap":
        """From the kernel matrix of the m objects, centred or not."""
        values, vectors = eigh(centred(-2.0 * kernel))
        kept = values > EIGENVALUE_ERROR * values[-1]
        if flip:
            kept |= values < -EIGENVALUE_ERROR * values[-1]
        axes = vectors[:, kept] / np.sqrt(np.abs(values[kept]))
        axes -= axes.mean(axis=0)  # they are orthogonal to the constant; so exactly, that a constant in the kernel is none here
        return cls(axes, kernel.mean(axis=1), Spectrum(values))

    def coordinates(self, kernel: Floats) -> Floats:
        """The coordinates of objects, from their kernel values with the m objects, shape (objects, m)."""
        coordinates: Floats = (kernel - self.means) @ self.axes
        return coordinates

    def expanded(self, weights: Floats) -> tuple[Floats, Floats]:
        r"""Linear functions of the coordinates, one in each row, as kernel expansions: their coefficients and constants.

        :math:`\langle w, \phi(x) \rangle = \sum_i \gamma_i k(x, z_i) + c` with :math:`\gamma = A w`.
        """
        coefficients = weights @ self.axes.T
        return coefficients, -coefficients @ self.means


@dataclass(frozen=True, eq=False)
class RepairedPoints:
    """Objects whose kernel matrix was repaired, as points; ``through`` is the way by which new objects follow."""

    points: Floats
    through: SpectralMap

    @property
    def kernel(self) -> Floats:
        """The repaired kernel matrix."""
        gram: Floats = self.points @ self.points.T
        return gram

    def expanded(self, found: Expansions) -> Expansions:
        """Functions in the repaired kernel as expansions in the kernel before, which all objects take part in."""
        coefficients, constants = self.through.expanded(found.coefficients @ self.points[found.rows])
        rows = np.arange(len(self.points))
        return replace(found, rows=rows, coefficients=csr_array(coefficients), intercepts=found.intercepts + constants)


def squared_distances(gram: Floats) -> Floats:
    """The squared distances between the objects of a Gram matrix.

    >>> squared_distances(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    array([[0., 4.],
           [4., 0.]])
    """
    diagonal = np.diagonal(gram)
    squared: Floats = np.maximum(diagonal[:, None] + diagonal - 2.0 * gram, 0.0)
    return squared
