"""Repairs of an indefinite kernel matrix by its spectrum, and how new objects follow them.

Predictions are consistent only if new objects are mapped as the training objects were. A repair is
therefore a linear map of kernel values to coordinates, which applies to both, and not a change of
the matrix alone.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array

from wideberth.array_types import Floats
from wideberth.classifiers.hilbert_svm.function import Expansions
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.progress import doing
from wideberth.rounding import EIGENVALUE_ERROR


@dataclass(frozen=True, eq=False)
class SpectralMap:
    r"""Coordinates of an object from its kernel values with m others, by the eigenvectors of their
    centred kernel matrix.

    With :math:`G = V \Lambda V^T` the centred kernel matrix and :math:`\bar k_i` the mean of row i
    of k, an object x has the coordinates

    .. math:: \phi(x) = \bigl(k(x, z_i) - \bar k_i\bigr)_i \, A, \qquad A = V |\Lambda|^{-1/2}
        \sigma(\Lambda),

    which on the m objects give :math:`\phi \phi^T = V |\Lambda| \sigma^2(\Lambda) V^T`. For
    positive eigenvalues :math:`\sigma` is 1; for negative ones 0, which *clips* them, or 1, which
    *flips* them to their absolute values; for those that rounding explains 0. If none is negative,
    :math:`\phi \phi^T = G`: the coordinates are those of classical scaling, and new objects follow
    the Nystrom formula.

    Attributes
    ----------
    axes : ndarray of shape (m, p)
        A: one column for each eigenvalue that is kept, each with mean 0.
    means : ndarray of shape (m,)
        The :math:`\bar k_i`.
    spectrum : Spectrum
        All eigenvalues of G, before the repair.

    Examples
    --------
    >>> line = -0.5 * np.array(
    ...     [[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]
    ... )  # points at 0, 1 and 3
    >>> where = SpectralMap.of(line).coordinates(line)
    >>> abs(where - where[0]).round(6).ravel()
    array([0., 1., 3.])
    """

    axes: Floats
    means: Floats
    spectrum: Spectrum

    @classmethod
    @doing("eigenvalues")
    def of(cls, kernel: Floats, *, flip: bool = False) -> "SpectralMap":
        """Compute the map from the kernel matrix of the m objects.

        Parameters
        ----------
        kernel : ndarray of shape (m, m)
            A symmetric kernel matrix, centred or not. It is not changed.
        flip : bool, default False
            Keep negative eigenvalues with their absolute values instead of dropping them.

        Returns
        -------
        SpectralMap
            The map. It takes :math:`O(m^3)` operations.
        """
        values, vectors = eigh(centred(-2.0 * kernel))
        kept = values > EIGENVALUE_ERROR * values[-1]
        if flip:
            kept |= values < -EIGENVALUE_ERROR * values[-1]
        axes = vectors[:, kept] / np.sqrt(np.abs(values[kept]))
        axes -= axes.mean(
            axis=0
        )  # they are orthogonal to the constant; so exactly, that a constant in the kernel is none here
        return cls(axes, kernel.mean(axis=1), Spectrum(values))

    def coordinates(self, kernel: Floats) -> Floats:
        """Compute the coordinates of objects from their kernel values with the m objects.

        Parameters
        ----------
        kernel : ndarray of shape (n, m)
            The kernel between n objects and the m objects of the map. A constant added to a row
            changes nothing, because the columns of ``axes`` have mean 0.

        Returns
        -------
        ndarray of shape (n, p)
            The coordinates.
        """
        coordinates: Floats = (kernel - self.means) @ self.axes
        return coordinates

    def expanded(self, weights: Floats) -> tuple[Floats, Floats]:
        r"""Write linear functions of the coordinates as kernel expansions.

        :math:`\langle w, \phi(x) \rangle = \sum_i \gamma_i k(x, z_i) + c` with :math:`\gamma = A w`
        and :math:`c = -\sum_i \gamma_i \bar k_i`.

        Parameters
        ----------
        weights : ndarray of shape (q, p)
            One function w in each row.

        Returns
        -------
        coefficients : ndarray of shape (q, m)
            The :math:`\gamma` of each function.
        constants : ndarray of shape (q,)
            The c of each function.
        """
        coefficients = weights @ self.axes.T
        return coefficients, -coefficients @ self.means


@dataclass(frozen=True, eq=False)
class RepairedPoints:
    """Training objects whose kernel matrix was repaired, as points.

    Attributes
    ----------
    points : ndarray of shape (n, p)
        The coordinates of the training objects; their inner products are the repaired kernel.
    through : SpectralMap
        The map that gave these coordinates, which new objects follow too.
    """

    points: Floats
    through: SpectralMap

    @property
    def kernel(self) -> Floats:
        """The repaired kernel matrix of the training objects, shape (n, n)."""
        gram: Floats = self.points @ self.points.T
        return gram

    def expanded(self, found: Expansions) -> Expansions:
        """Write functions in the repaired kernel as expansions in the original one.

        Afterwards a prediction needs the distances to all training objects, not only to the support
        vectors.

        Parameters
        ----------
        found : Expansions
            Functions in the repaired kernel.

        Returns
        -------
        Expansions
            The same functions, with a coefficient for every training object.
        """
        coefficients, constants = self.through.expanded(
            found.coefficients @ self.points[found.rows]
        )
        rows = np.arange(len(self.points))
        return replace(
            found,
            rows=rows,
            coefficients=csr_array(coefficients),
            intercepts=found.intercepts + constants,
        )


def squared_distances(gram: Floats) -> Floats:
    """Compute the squared distances between the objects of a Gram matrix.

    :math:`d^2_{ij} = g_{ii} + g_{jj} - 2 g_{ij}`; values below 0, which an indefinite matrix may
    give, become 0.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        A symmetric matrix.

    Returns
    -------
    ndarray of shape (n, n)
        The squared distances.

    Examples
    --------
    >>> squared_distances(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    array([[0., 4.],
           [4., 0.]])
    """
    diagonal = np.diagonal(gram)
    squared: Floats = np.maximum(diagonal[:, None] + diagonal - 2.0 * gram, 0.0)
    return squared
