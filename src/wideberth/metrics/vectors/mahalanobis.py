"""Distances between vectors in units that are learned from a sample: Mahalanobis, which removes the
scales and correlations of the features, and Standardized, which divides by the spread of each.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import LARGEST, as_real_numbers, for_kernels
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.vectors.gaps import LEAST_SPREAD, learn_gaps, spreads, without_gaps
from wideberth.metrics.vectors.kernels import whiten
from wideberth.metrics.vectors.minkowski import NormMetric, VectorMetric, Vectors, prepare_vectors
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

    def fitted(self, objects: Objects) -> "Mahalanobis":
        """Return the metric with the covariance of the objects; itself if it already has one. A
        singular covariance is refused, with advice by its cause.

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

    def prepare(self, objects: Objects) -> Vectors:
        """Check vectors, which must have as many features as the covariance."""
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

    def _steepness(self, column: int) -> float | None:
        return None if self._whitening is None else float(np.linalg.norm(self._whitening[column]))

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
    # the variance of a constant may be positive by rounding
    constant = np.flatnonzero(np.ptp(rows, axis=0) == 0)
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


# ---- Standardized: each column in units of its own spread

#: From so many times the median spread of columns on, a column outweighs the others: its unit
#: differs from theirs.
_OUTWEIGHS = 10.0


class Standardized(NormMetric):
    r"""Distance of vectors in units of the spread of each column, robust to outliers.

    .. math:: d(x, y) = \Big( \sum_j \Big| \frac{x_j - y_j}{s_j} \Big|^p \Big)^{1/p}, \qquad p \in
        \{1, 2\}

    where :math:`s_j` is, of the column j of the sample, the distance between its quartiles divided
    by 1.349, which is the standard deviation of a normal distribution. A column half of whose
    values or more are equal may have no such distance: then it is the standard deviation; and 1 for
    a constant column. So columns in grams and in kilograms count alike, and a few wild values do
    not shrink the others as they do with means and standard deviations.

    Numbers may be missing (NaN): the median of the column is in their place, and they are one unit
    of its spread away from it, which keeps every promise (`wideberth.metrics.vectors.gaps`).

    It is the Euclidean (p = 2) or Manhattan (p = 1) distance of :math:`x_j / s_j`: a metric that
    separates, and of negative type; Hilbertian for p = 2, and for p = 1 not, as Manhattan's is not.
    It is at most :math:`1 / \min_j s_j` times the distance of the vectors themselves, so that radii
    can be had in their own units (`dominated`), as long as what is missing stays missing.

    Parameters
    ----------
    scales : array-like of shape (n_features,), optional
        The numbers :math:`s_j`, positive. By default they are learned from the sample to which the
        metric is `fitted`, as classifiers and `wideberth.diagnose` do.
    p : {1, 2}, default=2
        Whether differences are added (1) or their squares (2). With many columns of which some are
        wild, 1 is the safer choice.
    gaps : array-like of shape (2, n_features), optional
        What missing numbers mean: for each column the number in their place, and how far they are
        from it, in units of the column. By default it is learned from a sample in which some are
        missing.

    Examples
    --------
    >>> Standardized([1000.0, 1.0])([0, 0], [3000, 4])
    5.0
    >>> Standardized(p=1).fitted([[0, 1], [1, 1], [2, 1], [3, 5], [400, 1]]).scales
    array([1.48260222, 1.6       ])
    """

    name = "standardized"
    source = "Euclidean or Manhattan in units of the columns' spread"

    def __init__(self, scales: Any = None, p: int = 2, gaps: Any = None) -> None:
        super().__init__(gaps)
        if p not in (1, 2):
            advice = "Take 2 for the Euclidean distance of standardised columns, 1 for Manhattan's."
            raise InvalidInput(
                f"The power p of 'standardized' is 1 or 2, not {p!r}.", advice=advice, value=p
            )
        self.scales = scales
        self.p = p
        self._scales = None if scales is None else _as_scales(scales)

    @property
    def promises(self) -> Promises:
        """Those of the Euclidean distance for p = 2, of Manhattan's for p = 1."""
        return Promises(
            obeys_triangle=True,
            hilbertian=self.p == 2,
            negative_type=True,
            bounded=False,
            separates=True,
        )

    @property
    def dominated(self) -> Mapping[str, float]:
        """Once the scales are known, by the distance of the vectors themselves, with 1 / the
        smallest scale.

        >>> Standardized([10.0, 0.5]).dominated
        {'manhattan': 2.0, 'euclidean': 2.0}
        """
        if self._scales is None:
            return {}
        return dict.fromkeys(("manhattan", "euclidean")[: self.p], 1.0 / float(self._scales.min()))

    def fitted(self, objects: Objects) -> "Standardized":
        """Return the metric with the scales of the columns of the objects; itself if it already has
        some.

        Examples
        --------
        >>> Standardized().fitted([[0.0], [1.0], [2.0], [3.0], [4.0]]).scales  # quartiles 1 and 3
        array([1.48260222])
        """
        if self._scales is not None and self._gaps is not None:
            return self
        rows = prepare_vectors(objects, LARGEST, missing=True)
        if self._scales is None and not rows.size:
            raise InvalidInput(
                "'standardized' learns scales from one vector at least, not from an array of shape "
                f"{rows.shape}.",
                advice=f"Pass more objects, or {setting('scales', shown='[...]')}.",
                value=rows.shape,
            )
        scales = _ones_for_constant(spreads(rows)) if self._scales is None else self._scales
        learned = learn_gaps(rows) if self._gaps is None else None
        if learned is None and scales is self._scales:
            return self
        gaps = self.gaps if learned is None else np.array([learned[0], scales])
        return self._taught(objects, rows, scales=scales, gaps=gaps)

    def prepare(self, objects: Objects) -> Vectors:
        """Check vectors, which must have as many columns as there are scales."""
        rows = super().prepare(objects)
        if self._scales is not None and len(rows) and rows.shape[1] != len(self._scales):
            raise InvalidInput(
                f"Scales of {len(self._scales)} columns do not fit vectors of {rows.shape[1]} "
                "numbers.",
                advice=f"Give both the same columns, or leave {setting('scales', None)} to learn "
                "them from the objects.",
                value=rows.shape[1],
            )
        return rows

    def distance_errors(self, prepared: Vectors) -> DistanceErrors:
        r"""Bound the errors of distances, which are those of vectors that were scaled one by one.

        Each :math:`x_j / s_j` errs by the share u of its size, so that the distance errs by
        :math:`u (a(x) + a(y))` with
        :math:`a(x) = \|x / s\|`, and :math:`a(y) \le a(x) + d(x, y)`.
        """
        if self._scales is None:
            return super().distance_errors(prepared)
        sizes = np.zeros(len(prepared))
        if prepared.size:
            longer, _ = self._longer(prepared, prepared[:0])
            sizes = np.linalg.norm(longer, ord=self.p, axis=1)
        return DistanceErrors(RADIUS_ERROR + UNIT, 3.0 * UNIT * sizes + self.underflow)

    def _steepness(self, column: int) -> float | None:
        return None if self._scales is None else 1.0 / float(self._scales[column])

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        return scipy.spatial.distance.cdist(
            *self._longer(left, right), "euclidean" if self.p == 2 else "cityblock"
        )

    def _longer(self, left: Vectors, right: Vectors) -> tuple[Vectors, Vectors]:
        """Vectors in units of the scales, longer ones where numbers are missing."""
        gaps = None if self._gaps is None else self._scaled(self._gaps)
        return without_gaps(self._scaled(left), self._scaled(right), gaps)

    def _scaled(self, rows: Vectors) -> Vectors:
        """Return vectors in units of the scales."""
        if self._scales is None:
            raise InvalidInput(
                "'standardized' has no scales yet.",
                advice="Learn them from a sample, Standardized().fitted(objects), or pass "
                f"{setting('scales', shown='[...]')}.",
                value=None,
            )
        with np.errstate(over="ignore"):  # refused below
            scaled = rows / self._scales
        unfit = (np.abs(scaled) > LARGEST).any(axis=1)  # missing numbers stay missing
        if unfit.any():
            row = rows[int(unfit.argmax())]
            raise InvalidInput(
                f"In units of its columns a vector exceeds {LARGEST:g}: the squares of its "
                "distances would overflow.",
                advice="Look for numbers that mark missing values, or pass larger scales.",
                witness=row,
                value=row,
            )
        return scaled


def units_differ(rows: Any) -> bool:
    """Whether one column of a table has ten times the spread that columns have at the median, or
    more.

    Distances of the rows themselves are then those of a few columns, the ones with the smallest
    unit: `Standardized` is the better first choice. Pixels, or lengths in one unit, stay below.
    Constant columns do not count.

    Examples
    --------
    >>> # metres, euros, kilograms
    >>> units_differ([[1.62, 58_000, 61], [1.80, 21_000, 80], [1.75, 52_000, 77]])
    True
    >>> units_differ([[5.1, 3.5, 1.4], [7.0, 3.2, 4.7], [6.3, 3.3, 6.0]])  # centimetres
    False
    """
    table = prepare_vectors(rows, LARGEST, missing=True)
    largest, least = np.fmax.reduce(table, axis=0), np.fmin.reduce(table, axis=0)
    table = table[:, largest / 2.0 - least / 2.0 > 0]  # halved, so that no difference overflows
    if not table.size:
        return False
    found = _ones_for_constant(spreads(table))
    return bool(found.max() >= _OUTWEIGHS * np.median(found))


def _ones_for_constant(found: Floats) -> Floats:
    return np.where(found > 0, found, 1.0)


def _as_scales(scales: Any) -> Floats:
    """Return the user's scales as an array, or raise an error if they are not positive numbers."""
    numbers = as_real_numbers(scales)
    if (
        numbers is None
        or numbers.ndim != 1
        or not len(numbers)
        or not np.all((numbers >= LEAST_SPREAD) & (numbers <= LARGEST))
    ):
        raise InvalidInput(
            f"Scales are positive numbers from {LEAST_SPREAD:g} to {LARGEST:g}, one for each column, not "
            f"{scales!r}.",
            advice="Standardized().fitted(rows).scales are the spreads of columns; 1.0 leaves a "
            "column as it is.",
            value=scales,
        )
    return numbers
