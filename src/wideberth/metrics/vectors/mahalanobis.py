"""Mahalanobis distance: the Euclidean distance after the scales and correlations of the features
are removed.
"""

from typing import Any

import numpy as np
import scipy

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import LARGEST, as_real_numbers, for_kernels
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.vectors.kernels import whiten
from wideberth.metrics.vectors.minkowski import VectorMetric, Vectors, prepare_vectors
from wideberth.rounding import DISTANCE_ERROR, RADIUS_ERROR, UNIT, DistanceErrors
from wideberth.wording import python, setting


class Mahalanobis(VectorMetric):
    r"""Mahalanobis distance under the covariance matrix S, :math:`d(x, y) = \sqrt{(x - y)^T S^{-1}
    (x - y)}`.

    It does not depend on the units of the features, and correlated features do not count twice
    (Mahalanobis 1936). With :math:`S = L L^T` (Cholesky) it is the Euclidean distance of
    :math:`L^{-1} x` and :math:`L^{-1} y`, so it is Hilbertian and of negative type, as that is; and
    it separates, because L is invertible.

    Parameters
    ----------
    covariance : array-like of shape (n_features, n_features), optional
        The matrix S, symmetric and positive definite. By default it is the covariance of the sample
        to which the metric is `fitted`, as classifiers and `wideberth.diagnose` do.

    Examples
    --------
    >>> Mahalanobis([[4.0, 0.0], [0.0, 1.0]])([0, 0], [4, 0])  # two standard deviations
    2.0
    """

    name = "mahalanobis"
    source = "Euclidean in units of the covariance (Mahalanobis 1936)"
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=False, separates=True
    )

    def __init__(self, covariance: Any = None) -> None:
        self.covariance = covariance
        self._whitening = None if covariance is None else _whitening(_as_matrix(covariance))

    def fitted(self, objects: Any) -> "Mahalanobis":
        """Return the metric with the covariance of the objects; itself if it already has one.

        Parameters
        ----------
        objects : array-like of shape (n, n_features)
            The sample, of at least two vectors.

        Returns
        -------
        Mahalanobis

        Raises
        ------
        InvalidInput
            If the covariance of the sample is singular; the advice depends on the cause.

        Examples
        --------
        >>> Mahalanobis().fitted([[0, 0], [2, 0], [0, 2], [2, 2]]).covariance
        array([[1.33333333, 0.        ],
               [0.        , 1.33333333]])
        """
        if self._whitening is not None:
            return self
        rows = prepare_vectors(objects, LARGEST)
        fitted = Mahalanobis(_covariance_of(rows))
        fitted._taught_by = self.digests(objects, rows)
        return fitted

    def prepare(self, objects: Any) -> Vectors:
        """Check vectors, which must have as many features as the covariance.

        Raises
        ------
        InvalidInput
            If the number of features differs, or an object is not a vector of finite numbers.
        """
        rows = super().prepare(objects)
        if self._whitening is not None and len(rows) and rows.shape[1] != len(self._whitening):
            raise InvalidInput(
                f"A covariance of {len(self._whitening)} features does not fit vectors of "
                f"{rows.shape[1]} numbers.",
                advice=f"Give both the same features, or leave {setting('covariance', None)} to "
                "learn it from the objects.",
                value=rows.shape[1],
            )
        return rows

    def distance_errors(self, prepared: Vectors) -> DistanceErrors:
        r"""Bound the errors of distances, which are those of vectors that were transformed one by
        one.

        A row times W, in n features, errs by at most :math:`\gamma = (n + 2) u` of :math:`a(x) = \|
        |x|\, |W| \|`, which exceeds the distance by far where the vectors lie far from the origin.
        With :math:`\kappa = \| |W^{-1}|\, |W| \|` every y has
        :math:`a(y) \le a(x) + \kappa\, d(x, y)`.
        """
        if self._whitening is None:
            return super().distance_errors(prepared)
        sizes, share = np.abs(self._whitening), (len(self._whitening) + 2) * UNIT
        inverse = np.abs(scipy.linalg.solve_triangular(self._whitening, np.eye(len(sizes))))
        absolute = 2.0 * share * np.linalg.norm(np.abs(prepared) @ sizes, axis=1) + self.underflow
        return DistanceErrors(
            RADIUS_ERROR + share * float(np.linalg.norm(inverse @ sizes)), absolute
        )

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        return scipy.spatial.distance.cdist(
            self._whitened(left), self._whitened(right), "euclidean"
        )

    def _whitened(self, rows: Vectors) -> Vectors:
        """Transform vectors such that the Euclidean distance of the results is the Mahalanobis
        distance.
        """
        if self._whitening is None:
            raise InvalidInput(
                "'mahalanobis' has no covariance yet.",
                advice="Learn it from a sample, Mahalanobis().fitted(objects), or pass "
                f"{setting('covariance', shown='matrix')}.",
                value=None,
            )
        out = np.empty(rows.shape)
        whiten(for_kernels(rows), self._whitening, out)
        if not np.all(np.abs(out) <= LARGEST):
            unfit = ~(np.abs(out) <= LARGEST).all(axis=1)
            raise InvalidInput(
                f"In units of the covariance a vector exceeds {LARGEST:g}: the squares of its "
                "distances would overflow.",
                advice="Look for numbers that mark missing values, or scale the covariance.",
                witness=rows[int(unfit.argmax())],
                value=rows[int(unfit.argmax())],
            )
        return out


def _as_matrix(covariance: Any) -> Floats:
    """Return the user's covariance as an exactly symmetric matrix, or raise an error if it is not
    one of finite numbers.
    """
    matrix = as_real_numbers(covariance)
    if (
        matrix is None
        or matrix.ndim != 2
        or matrix.shape[0] != matrix.shape[1]
        or not matrix.size
        or not np.isfinite(matrix).all()
    ):
        raise InvalidInput(
            f"A covariance is a square matrix of finite numbers, not {covariance!r}.",
            advice=f"{python('numpy.cov(rows, rowvar=False)')} makes one; a single variance v is "
            "[[v]].",
            value=covariance,
        )
    asymmetry = np.abs(matrix - matrix.T)
    if np.any(asymmetry > DISTANCE_ERROR * np.abs(matrix).max()):
        i, j = map(int, np.unravel_index(asymmetry.argmax(), matrix.shape))
        raise InvalidInput(
            f"A covariance is symmetric: here entry ({i}, {j}) is {matrix[i, j]:.6g} and entry "
            f"({j}, {i}) is {matrix[j, i]:.6g}.",
            advice="Pass (matrix + matrix.T) / 2 if the two should be one.",
            witness=(i, j),
            value=(float(matrix[i, j]), float(matrix[j, i])),
        )
    return matrix / 2 + matrix.T / 2


def _whitening(covariance: Floats) -> Floats:
    """Compute the upper triangular matrix W with W W^T = S^-1, so that d(x, y) = |(x - y) W|.

    It is computed from the correlations, which have no units: very different units, such as
    kilometres and milligrams, do not make a covariance singular.
    """
    variances = np.diagonal(covariance)
    if not np.all(variances > 0):
        column = int(variances.argmin())
        raise InvalidInput(
            f"A covariance has positive variances: feature {column} has {variances[column]:.6g}.",
            advice="Drop a feature that is constant: it does not distinguish any objects.",
            witness=column,
            value=float(variances[column]),
        )
    deviations = np.sqrt(variances)
    correlations = covariance / np.outer(deviations, deviations)
    smallest = float(np.linalg.eigvalsh(correlations)[0])
    if smallest <= len(covariance) * 2 * UNIT:
        raise InvalidInput(
            "A covariance is positive definite: the correlations of this one have the eigenvalue "
            f"{smallest:.3g}.",
            advice="Shrink it (sklearn.covariance.LedoitWolf().fit(rows).covariance_), or drop "
            "features that follow from others.",
            witness=smallest,
            value=covariance,
        )
    lower = np.linalg.cholesky(correlations)
    inverse = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True) / deviations
    return np.ascontiguousarray(inverse.T)


def _covariance_of(rows: Vectors) -> Floats:
    """Compute the covariance of a sample, or raise an error that explains why it is singular."""
    if len(rows) < 2 or not rows.shape[1]:
        raise InvalidInput(
            "'mahalanobis' learns a covariance from two vectors at least, not from an array of "
            f"shape {rows.shape}.",
            advice=f"Pass more objects, or {setting('covariance', shown='matrix')}.",
            value=rows.shape,
        )
    constant = np.flatnonzero(
        np.ptp(rows, axis=0) == 0
    )  # the variance of a constant may be positive by rounding
    if len(constant):
        column = int(constant[0])
        raise InvalidInput(
            f"The covariance of these objects is singular: feature {column} is "
            f"{rows[0, column]:.6g} in all of them.",
            advice=f"Drop it: {python('numpy.delete(rows, column, axis=1)')}. "
            "sklearn.feature_selection.VarianceThreshold finds all such.",
            witness=column,
            value=float(rows[0, column]),
        )
    covariance = np.atleast_2d(np.cov(rows, rowvar=False))
    try:
        _whitening(covariance)
    except InvalidInput as singular:
        raise InvalidInput(
            f"The covariance of these {len(rows)} objects of {rows.shape[1]} features is singular: "
            f"its correlations have the eigenvalue {singular.witness:.3g}.",
            advice="Shrink it, "
            f"{setting('covariance', shown='sklearn.covariance.LedoitWolf().fit(rows).covariance_')}, "
            "or drop features that follow from others.",
            witness=singular.witness,
            value=covariance,
        ) from None
    return covariance
