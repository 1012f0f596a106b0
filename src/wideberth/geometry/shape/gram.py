"""Gram matrices computed from distances, and tests of positive semidefiniteness by their
eigenvalues.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import eigh, eigvalsh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from wideberth.array_types import Floats
from wideberth.metrics.metric import Distances
from wideberth.progress import doing
from wideberth.rounding import EIGENVALUE_ERROR

#: Up to this order all eigenvalues of a matrix are computed as fast as the smallest and the
#: largest.
_ALL_AT_ONCE = 300
#: The vectors of Lanczos's method that are kept, and the error of an eigenvalue, relative to it, at
#: which it ends.
_KEPT_VECTORS, _ENOUGH = 60, 1e-4


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The eigenvalues of a symmetric matrix: is it positive semidefinite, and if not, how far is it
    from that?

    For the centred Gram matrix of a metric (`centred`) the answer says whether the metric embeds
    isometrically in a Hilbert space on these objects; for a kernel matrix, whether the kernel is
    positive definite on them.

    Eigenvalues above ``-EIGENVALUE_ERROR * largest`` (`wideberth.rounding`) count as non-negative:
    they may be rounding errors.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The eigenvalues, in any order.
    whole : bool, default True
        Whether these are all eigenvalues; if not, they are the smallest and the largest.

    Examples
    --------
    >>> Spectrum(np.array([3.0, 1.0, 0.0])).violated
    False
    >>> Spectrum(np.array([3.0, -1.0])).negative_part
    0.25
    """

    values: Floats
    whole: bool = True

    @classmethod
    @doing("eigenvalues")
    def of(cls, matrix: Floats) -> Self:
        """Compute the eigenvalues of a symmetric matrix, in O(n^3) time.

        Examples
        --------
        >>> Spectrum.of(np.array([[2.0, 0.0], [0.0, 1.0]])).values
        array([1., 2.])
        """
        return cls(np.asarray(eigvalsh(matrix)))

    @classmethod
    @doing("eigenvalues")
    def ends_of_centred(cls, kernel: Floats) -> Self:
        r"""Compute the smallest and the largest eigenvalue of a kernel matrix after centring it, by
        Lanczos's method.

        It takes some 60 products with the matrix, and no copy of it. An eigenvalue lies within
        :math:`\|G v - \theta v\|` of each value :math:`\theta` found, and the smallest is lowered
        by that, so that adding its size to the diagonal leaves nothing negative, as far as the
        method missed no eigenvalue. Small matrices get all of their eigenvalues.

        Examples
        --------
        >>> # points at -1 and 1
        >>> Spectrum.ends_of_centred(-0.5 * np.array([[0.0, 4.0], [4.0, 0.0]])).values
        array([0., 2.])
        """
        n = len(kernel)
        if n <= _ALL_AT_ONCE:
            return cls.of(_doubly_centred(kernel))

        def product(vector: Floats) -> Floats:
            moved: Floats = kernel @ (vector - vector.mean())
            moved -= moved.mean()
            return moved

        gram = LinearOperator((n, n), matvec=product, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n)
        try:
            values, vectors = eigsh(gram, k=2, which="BE", ncv=_KEPT_VECTORS, tol=_ENOUGH, v0=start)
        except ArpackNoConvergence:
            return cls.of(_doubly_centred(kernel))
        values[0] -= np.linalg.norm(product(vectors[:, 0]) - values[0] * vectors[:, 0])
        return cls(np.asarray(values), whole=False)

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue."""
        return float(self.values.min())

    @property
    def largest(self) -> float:
        """The largest eigenvalue."""
        return float(self.values.max())

    @property
    def negative_part(self) -> float:
        r"""The share of the negative eigenvalues in the sum of all absolute values, between 0 and
        1.

        .. math:: \sum_{\lambda_i < 0} |\lambda_i| \,/\, \sum_i |\lambda_i|

        Eigenvalues that rounding errors explain do not count as negative. A matrix of zeros has the
        value 0. It is nan if only the smallest and the largest eigenvalue are known.
        """
        if not self.whole:
            return float("nan")
        total = float(np.abs(self.values).sum())
        return (
            float(np.abs(self.values[self.values < -EIGENVALUE_ERROR * self.largest]).sum()) / total
            if total
            else 0.0
        )

    @property
    def violated(self) -> bool:
        """Whether an eigenvalue is negative by more than rounding errors explain."""
        return self.smallest < -EIGENVALUE_ERROR * self.largest


def centred(squared: Distances) -> Distances:
    """Compute the Gram matrix of points, centred at their mean, from their squared distances.

    For the matrix D of squared distances between n points, and J = I - 11'/n, this is -J D J / 2.
    It has no negative eigenvalue if and only if points with these distances exist in a Hilbert
    space (Schoenberg 1935; Hein, Bousquet & Schoelkopf 2005, Theorem 3).

    A new matrix, exactly symmetric, whose rows sum to 0 up to rounding.

    Examples
    --------
    >>> centred(np.array([[0.0, 4.0], [4.0, 0.0]]))  # points at -1 and 1
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    half = -0.5 * squared
    column_means, row_means, mean = half.mean(axis=0), half.mean(axis=1), half.mean()
    half -= column_means
    half -= row_means[:, None]
    half += mean
    gram: Distances = half + half.T
    gram /= 2.0
    return gram


def centre(kernel: Floats) -> None:
    """Centre a symmetric matrix in place: K becomes J K J, with J = I - 11'/n, symmetric up to
    rounding.

    It is overwritten.

    Examples
    --------
    >>> line = -0.5 * np.array([[0.0, 4.0], [4.0, 0.0]])  # points at -1 and 1
    >>> centre(line)
    >>> line
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    means = kernel.mean(axis=1)
    kernel -= means - means.mean()
    kernel -= means[:, None]


def _doubly_centred(kernel: Floats) -> Floats:
    copy = kernel.copy()
    centre(copy)
    return copy


@doing("eigenvalues")
def clip_negative(gram: Distances) -> Distances:
    """Replace the negative eigenvalues of a symmetric matrix by 0.

    The result is the positive semidefinite matrix that is nearest in the Frobenius norm (Higham
    1988).

    Examples
    --------
    >>> clip_negative(np.array([[2.0, 0.0], [0.0, -1.0]]))
    array([[2., 0.],
           [0., 0.]])
    """
    values, vectors = eigh(gram)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
