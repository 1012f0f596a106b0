"""Coordinate-wise metrics on vectors: Euclidean, Manhattan, Chebyshev, Canberra and Minkowski. All
but Canberra take missing numbers, NaN, by the rule of `wideberth.metrics.vectors.gaps`.
"""

from collections.abc import Mapping
from contextlib import suppress
from numbers import Real
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import LARGEST, as_array, for_kernels
from wideberth.metrics.metric import BY_NONE, Distances, Kind, Metric, Promises, checked_domination
from wideberth.metrics.parameters import positive
from wideberth.metrics.vectors.gaps import as_gaps, learn_gaps, without_gaps
from wideberth.metrics.vectors.kernels import minkowski_block
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import rounded_digests
from wideberth.rounding import RADIUS_ERROR
from wideberth.wording import at, python, setting

# ---- The check of vectors, which all metrics on them share: rows of finite numbers, of one
# dimension

Vectors = NDArray[np.float64]

#: Numbers that BLAS sums at a time, the fastest test for NaN (and no warning of overflow); with
#: more it would start threads.
_TOGETHER = 5_000

#: The names of the metrics on numbers that take missing ones, for messages.
TAKING_GAPS = "'standardized', 'euclidean', 'manhattan', 'chebyshev', 'minkowski' or 'gower'"


def prepare_vectors(
    objects: Objects, largest: float = np.finfo(np.float64).max, *, missing: bool = False
) -> Vectors:
    """Check vectors and return them as the rows of a matrix. A float64 matrix is checked and
    returned without a copy. Numbers up to ``largest`` are allowed, by default all finite ones; with
    ``missing``, NaN too.

    Examples
    --------
    >>> prepare_vectors([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    # first the usual case: for small blocks, preparing takes a good part of the time
    if type(objects) is np.ndarray and objects.dtype == np.float64 and objects.ndim == 2:
        return _checked(objects, largest, missing)
    held = sample.hold(objects)
    if isinstance(held, np.ndarray) and held.dtype == object and held.ndim == 1:
        return _checked(_stack(held), largest, missing)
    if not isinstance(held, np.ndarray) or held.dtype.kind not in "fiubO" or held.ndim != 2:
        mixed = "Rows with categories are compared column by column: metric 'gower'. Otherwise pass"
        start = mixed if sample.several_columns(held) else "Pass"
        raise InvalidInput(
            f"Vectors are the rows of a numeric table; this is {_describe(held)}"
            f"{_other_columns(held)}.",
            advice=f"{start} a two-dimensional array; a single feature becomes one by "
            "array.reshape(-1, 1).",
            value=held,
        )
    matrix = _stack(held) if held.dtype == object else held.astype(np.float64)
    return _checked(matrix, largest, missing)


def _describe(held: Sample) -> str:
    """Describe the type and the shape of a sample for an error message."""
    if isinstance(held, np.ndarray):
        return f"an array of {held.dtype} with shape {held.shape}"
    if hasattr(held, "shape"):
        return f"a {type(held).__name__} of shape {held.shape}"
    return f"a {type(held).__name__}"


def _other_columns(held: Sample) -> str:
    """The first column of a frame that holds no numbers, with a value of it, and how many more."""
    found = [
        (name, cell)
        for name in sample.several_columns(held)
        if (cell := next(filter(_is_other, _cells(held[name])), None)) is not None
    ]
    if not found:
        return ""
    (name, cell), more = found[0], len(found) - 1
    others = f", and {more} more column{'s' * (more > 1)} no numbers either" if more else ""
    return f", whose column {name!r} holds {sample.shown(cell)}{others}"


def _cells(column: Any) -> list[Any]:
    """The values of a column; none where several columns have its name."""
    return column.to_list() if hasattr(column, "to_list") else []


def _is_other(cell: Any) -> bool:
    """Whether a cell holds something else than a number or a truth value, and is not missing."""
    missing = cell is None or type(cell).__name__ in ("NAType", "NaTType")
    return not missing and not isinstance(cell, Real)


def _stack(rows: NDArray[Any]) -> Vectors:
    """Copy rows that are separate Python objects into a matrix; an error names the first one that
    does not fit.
    """
    if len(rows) == 0:
        return np.empty((0, 0))
    matrix = np.empty((len(rows), len(_vector(rows[0], 0))))
    for position, row in enumerate(rows):
        numbers = _vector(row, position)
        if len(numbers) != matrix.shape[1]:
            raise InvalidInput(
                f"Vectors need one dimension: {at('object', 0)} has {matrix.shape[1]} numbers, "
                f"{at('object', position)} has {len(numbers)}.",
                advice="For series of unequal lengths choose an elastic distance: 'msm', 'erp' or "
                "'twe'.",
                witness=position,
                value=row,
            )
        matrix[position] = numbers
    return matrix


def _vector(row: Any, position: int) -> NDArray[Any]:
    """Return one row as an array of numbers, or raise an error with its position in the sample."""
    numbers = as_array(row)
    # None, which becomes NaN, or numbers of a strange class
    if numbers is not None and numbers.dtype.kind == "O":
        with suppress(TypeError, ValueError, OverflowError):
            numbers = numbers.astype(np.float64)
    if numbers is None or numbers.ndim != 1 or numbers.dtype.kind not in "fiub":
        raise InvalidInput(
            f"{at('Object', position)} is not a vector of numbers: {sample.shown(row)}.",
            advice="Convert its values to float, wrap a single vector in a list, or choose a "
            "metric for its kind of object: 'levenshtein' for strings, 'gower' for rows with "
            f"categories; {python('wideberth.list_metrics()')} names all.",
            witness=position,
            value=row,
        )
    return numbers


def _checked(matrix: Vectors, largest: float, missing: bool) -> Vectors:
    """Return the matrix if all numbers are finite, or missing where they may be, and not too large;
    otherwise raise an error that names the first other one.
    """
    numbers = matrix.ravel()
    if all(
        scipy.linalg.blas.dasum(numbers[first : first + _TOGETHER]) <= largest
        for first in range(0, numbers.size, _TOGETHER)
    ):
        return matrix  # a sum of absolute values bounds each of them
    unfit = ~(np.abs(matrix) <= largest)
    if missing:
        unfit &= ~np.isnan(matrix)
    if not unfit.any():
        return matrix
    row, column = map(int, np.argwhere(unfit)[0])
    value = float(matrix[row, column])
    if np.isnan(value):
        raise InvalidInput(
            f"{at('Object', row)} has no number at position {column} (missing numbers in all: "
            f"{int(np.isnan(matrix).sum())}).",
            advice=f"Fill them in, or choose a metric that takes them: {TAKING_GAPS}.",
            witness=(row, column),
            value=value,
        )
    finite = np.isfinite(value)
    raise InvalidInput(
        f"Vectors need finite numbers{f' of at most {largest:g}' if finite else ''}: "
        f"{at('object', row)} holds {value} at position {column} ({int(unfit.sum())} such values: "
        f"{'their squares would overflow' if finite else 'infinite'}).",
        advice="Scale the features, and drop numbers that mark missing values; NaN says that one is "
        "missing.",
        witness=(row, column),
        value=value,
    )


#: The points of the unit square with coordinates 0, 1/2 and 1.
_SQUARE = [[x, y] for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0)]
#: The points of a cube with coordinates 0, 1 and 2, on which the maximum norm is not of negative
#: type.
_CUBE = [[x, y, z] for x in (0.0, 1.0, 2.0) for y in (0.0, 1.0, 2.0) for z in (0.0, 1.0, 2.0)]


class VectorMetric(Metric):
    """The base class of metrics on vectors, the rows of numeric tables.

    It checks the vectors and that both samples have the same dimension. Subclasses implement
    ``_between(left, right)`` for two matrices that are not empty.

    Examples
    --------
    >>> Euclidean().prepare([[1, 2]]), Euclidean().accepts
    (array([[1., 2.]]), 'vectors')
    """

    accepts: Kind = "vectors"
    parallel = "threads"
    examples = (
        *([0.1, 1.0], [0.4, 1.3], [1.2, 0.3], [1.5, 1.1]),
        *([0.5, -1.0], [-1.4, 0.7], [1.0, 1.5], [-1.1, -1.2]),
    )

    def __init__(self) -> None:  # no parameters
        pass

    def prepare(self, objects: Objects) -> Vectors:
        """Check vectors, whose numbers must not exceed 1e150; see `prepare_vectors`."""
        return prepare_vectors(objects, LARGEST)

    def alike_digests(self, prepared: Vectors) -> Digests:
        """Those of the rounded rows; see `wideberth.Metric.alike_digests`."""
        return rounded_digests(prepared)

    def moves_alone(self, column: Any, radii: Floats) -> Floats | None:
        """By the distance of vectors that differ in one column alone, where it is a multiple of the
        difference; see `wideberth.Metric.moves_alone`.
        """
        steepness = self._steepness(column)
        return None if steepness is None else radii * (1.0 - RADIUS_ERROR) / steepness

    def _steepness(self, column: int) -> float | None:
        """The constant s such that vectors are at distance s t if they differ by t in one column
        alone; None if there is none.
        """
        return None

    def nanoseconds(self, prepared: Vectors) -> float:
        """Estimate the time of one distance: linear in the dimension."""
        return 2.0 + 0.6 * float(prepared.shape[-1])

    def _measure(self, left: Vectors, right: Vectors) -> Distances:
        if not left.size or not right.size:
            return np.zeros((len(left), len(right)))
        if left.shape[1] != right.shape[1]:
            raise InvalidInput(
                f"Vectors of {left.shape[1]} and of {right.shape[1]} numbers have no distance.",
                advice="Both samples need the same features. For series of unequal lengths choose "
                "an elastic distance: 'msm', 'erp' or 'twe'.",
                value=(left.shape[1], right.shape[1]),
            )
        return self._between(left, right)

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        """Compute the distances between the rows of two matrices of the same width, not empty."""
        raise NotImplementedError


class NormMetric(VectorMetric):
    """The base class of norms of the difference of two vectors, some of whose numbers may be
    missing: they are measured as longer vectors without missing numbers, see
    `wideberth.metrics.vectors.gaps`, which keeps every promise. Subclasses implement
    ``_norms(left, right)`` for two matrices without missing numbers.
    """

    takes_missing = True

    def __init__(self, gaps: Any = None) -> None:
        self.gaps = gaps
        self._gaps = as_gaps(gaps)
        self.knows_missing = gaps is not None

    def fitted(self, objects: Objects) -> Self:
        """Return the metric with what missing numbers mean, learned from a sample that has some;
        this metric if none is missing, or it knows already.

        Examples
        --------
        >>> Euclidean().fitted([[1.0], [3.0], [None]])
        Euclidean(gaps=array([[2.        ],
               [0.74130111]]))
        """
        if self._gaps is not None or scipy.sparse.issparse(objects):
            return self
        rows = prepare_vectors(objects, LARGEST, missing=True)
        learned = learn_gaps(rows)
        return self if learned is None else self._taught(objects, rows, gaps=learned)

    def _taught(self, objects: Objects, rows: Vectors, **learned: Any) -> Self:
        """This metric with parameters that were learned from objects."""
        fitted = type(self)(**(self.get_params(deep=False) | learned))
        fitted._taught_by = self.digests(objects, rows)
        return fitted

    def prepare(self, objects: Objects) -> Vectors:
        """Check vectors, whose numbers must not exceed 1e150; numbers may be missing if the metric
        knows what that means.
        """
        if self._gaps is None:
            return self._complete(objects)
        rows = prepare_vectors(objects, LARGEST, missing=True)
        if len(rows) and rows.shape[1] != self._gaps.shape[1]:
            raise InvalidInput(
                f"{self.name!r} knows what is missing in {self._gaps.shape[1]} columns, and these "
                f"vectors have {rows.shape[1]} numbers.",
                advice=f"Give both the same columns, or leave {setting('gaps', None)} to learn it "
                "from the objects.",
                value=rows.shape[1],
            )
        return rows

    def _complete(self, objects: Objects) -> Vectors:
        """Check vectors none of whose numbers may be missing, as none was before."""
        try:
            return prepare_vectors(objects, LARGEST)
        except InvalidInput as error:
            if not isinstance(error.value, float) or not np.isnan(error.value):
                raise
            row, column = cast("tuple[int, int]", error.witness)
            raise InvalidInput(
                f"{at('Object', row)} has no number at position {column}, and {self.name!r} has "
                "not learned what that means, as no number was missing before.",
                advice="Fill it in, or learn it from a sample with missing numbers: "
                f"{python('wideberth.metric')}({self.name!r}).fitted(objects), as classifiers do.",
                witness=error.witness,
                value=error.value,
            ) from None

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        return self._norms(*without_gaps(left, right, self._gaps))

    def _steepness(self, column: int) -> float | None:
        return 1.0

    def _norms(self, left: Vectors, right: Vectors) -> Distances:
        """Compute the distances between the rows of two matrices without missing numbers."""
        raise NotImplementedError


def is_euclidean(metric: Metric) -> bool:
    """Whether it is the Euclidean distance of vectors without missing numbers, whose coordinates say
    more than distances do.

    >>> is_euclidean(Euclidean()), is_euclidean(Euclidean(gaps=[[0.0], [1.0]]))
    (True, False)
    """
    return type(metric) is Euclidean and metric.gaps is None


class Euclidean(NormMetric):
    r"""Euclidean distance, :math:`d(x, y) = \sqrt{\sum_i (x_i - y_i)^2}`.

    Hilbertian by definition. Of negative type too: :math:`d = (d^2)^{1/2}`, and a power in (0, 1]
    of a function of negative type is of negative type (Schoenberg 1938).

    Parameters
    ----------
    gaps : array-like of shape (2, n_features), optional
        What missing numbers (NaN) mean: for each column the number in their place, and how far they
        are from it. By default it is learned from a sample in which some are missing, the medians
        and the spreads of the columns, and keeps every promise.

    Examples
    --------
    >>> Euclidean()([0, 0], [3, 4])
    5.0
    """

    name = "euclidean"
    source = "the straight line; Hilbertian by definition"
    promises = Promises(
        obeys_triangle=True, hilbertian=True, negative_type=True, bounded=False, separates=True
    )
    dominated: ClassVar = {"manhattan": 1.0}

    def _norms(self, left: Vectors, right: Vectors) -> Distances:
        return scipy.spatial.distance.cdist(left, right, "euclidean")


class Manhattan(NormMetric):
    r"""City-block distance, :math:`d(x, y) = \sum_i |x_i - y_i|`: of negative type, as a sum of
    distances on the line.

    It is not Hilbertian: (0, 0) and (1, 1) have two midpoints, (1, 0) and (0, 1).

    Parameters
    ----------
    dominated : mapping of str to float, optional
        What is proved of the objects behind the vectors: ``{"levenshtein": 8}`` if no edit of a
        text moves its vector by more.
    gaps : array-like of shape (2, n_features), optional
        What missing numbers mean, see `Euclidean`.

    Examples
    --------
    >>> Manhattan()([0, 0], [3, 4])
    7.0
    """

    name = "manhattan"
    underflow = 0.0
    source = "a sum of distances on the line"
    counterexamples: ClassVar = {"hilbertian": _SQUARE}
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=False, separates=True
    )

    def __init__(self, dominated: Mapping[str, float] = BY_NONE, gaps: Any = None) -> None:
        super().__init__(gaps)
        self._dominated = checked_domination(dominated)

    def _norms(self, left: Vectors, right: Vectors) -> Distances:
        return scipy.spatial.distance.cdist(left, right, "cityblock")


class Chebyshev(NormMetric):
    r"""Chebyshev distance: the largest difference of coordinates, :math:`d(x, y) = \max_i |x_i -
    y_i|`.

    Every finite metric space embeds isometrically in it (Frechet, Kuratowski), so it is neither
    Hilbertian nor of negative type.

    Parameters
    ----------
    gaps : array-like of shape (2, n_features), optional
        What missing numbers mean, see `Euclidean`.

    Examples
    --------
    >>> Chebyshev()([0, 0], [3, 4])
    4.0
    """

    name = "chebyshev"
    underflow = 0.0
    source = "the largest difference; every finite metric embeds in it (Frechet, Kuratowski)"
    counterexamples: ClassVar = {"hilbertian": _CUBE, "negative_type": _CUBE}
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=False, bounded=False, separates=True
    )
    dominated: ClassVar = {"euclidean": 1.0, "manhattan": 1.0}

    def _norms(self, left: Vectors, right: Vectors) -> Distances:
        return scipy.spatial.distance.cdist(left, right, "chebyshev")


class Canberra(VectorMetric):
    r"""Canberra distance: the sum of differences relative to the size of the numbers (Lance &
    Williams 1967).

    .. math:: d(x, y) = \sum_i \frac{|x_i - y_i|}{|x_i| + |y_i|}, \qquad 0/0 = 0

    Each feature adds between 0 and 1, whatever its unit: 1 if one of the numbers is zero or the
    signs differ, and :math:`\tanh(|\ln x - \ln y| / 2)` for numbers of the same sign. A metric,
    because tanh is increasing and concave with tanh 0 = 0, and no detour between two signs is
    shorter than 1. Of negative type: :math:`1 - \tanh(|t| / 2)` is even, convex and decreasing to 0
    for t > 0, so it is positive definite (Polya 1949), and so is the kernel that equals it within
    each sign, 1 at (0, 0) and 0 elsewhere; d is a sum of 1 minus such kernels. Not Hilbertian: (1,
    2) and (2, 1) both lie half-way between (1, 1) and (2, 2). Not bounded, as it grows with the
    number of features.

    Examples
    --------
    >>> Canberra()([1, 0, 0], [3, 5, 0])  # 2/4 + 5/5 + 0
    1.5
    """

    name = "canberra"
    source = "relative differences (Lance & Williams 1967); Polya 1949"
    counterexamples: ClassVar = {"hilbertian": [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]}
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=False, separates=True
    )

    def _between(self, left: Vectors, right: Vectors) -> Distances:
        return scipy.spatial.distance.cdist(left, right, "canberra")


#: The exponents p for which scipy has a faster formula, and its name.
_USUAL_POWERS: dict[float, Literal["cityblock", "euclidean", "chebyshev"]] = {
    1: "cityblock",
    2: "euclidean",
    np.inf: "chebyshev",
}


class Minkowski(NormMetric):
    r"""Minkowski distance, :math:`d(x, y) = (\sum_i |x_i - y_i|^p)^{1/p}`, for p > 0.

    A metric for p >= 1 (Minkowski's inequality) and not for p < 1, where a way along the axes is
    shorter than the direct one. Hilbertian only for p = 2. Of negative type for 1 <= p <= 2
    (Schoenberg 1938), and not otherwise: for p > 2 in three dimensions and more (Dor 1976); for p <
    1 in two, because a function of negative type that grows with its argument as d does is a mean
    of absolute values of linear ones (Levy 1937), which is convex, as d is not. ``p=numpy.inf`` is
    `Chebyshev`.

    Parameters
    ----------
    p : float, default=2.0
        The exponent, positive; infinity is allowed.
    gaps : array-like of shape (2, n_features), optional
        What missing numbers mean, see `Euclidean`.

    Examples
    --------
    >>> Minkowski(p=1)([0, 0], [3, 4])
    7.0
    >>> Minkowski(p=0.5).obeys_triangle
    False
    """

    name = "minkowski"
    source = "Minkowski's inequality; Schoenberg 1938, Dor 1976"

    def __init__(self, p: float = 2.0, gaps: Any = None) -> None:
        super().__init__(gaps)
        self.p = positive(
            p,
            "The exponent p of 'minkowski'",
            "p = 1 and p = 2 are usual.",
            allow_infinity=True,
            parameter="p",
        )

    @property
    def underflow(self) -> float:  # type: ignore[override]
        """That of `Euclidean` for p = 2; otherwise 0, since powers are taken of ratios."""
        return Euclidean.underflow if self.p == 2 else 0.0

    @property
    def promises(self) -> Promises:
        """The promises for this exponent; see the class."""
        return Promises(
            obeys_triangle=self.p >= 1,
            hilbertian=self.p == 2,
            negative_type=1 <= self.p <= 2,
            bounded=False,
            separates=True,
        )

    @property
    def dominated(self) -> Mapping[str, float]:
        """By the norms of smaller exponents, which are larger (Jensen's inequality), with the
        constant 1.
        """
        return {
            name: 1.0
            for name, exponent in (("manhattan", 1), ("euclidean", 2))
            if self.p >= exponent
        }

    def nanoseconds(self, prepared: Vectors) -> float:
        """Estimate the time of one distance: powers other than 1, 2 and infinity take far
        longer.
        """
        return (
            super().nanoseconds(prepared) if self.p in _USUAL_POWERS else 20.0 * prepared.shape[-1]
        )

    def _norms(self, left: Vectors, right: Vectors) -> Distances:
        usual = _USUAL_POWERS.get(self.p)
        if usual is not None:
            return scipy.spatial.distance.cdist(left, right, usual)
        out = np.empty((len(left), len(right)))
        minkowski_block(for_kernels(left), for_kernels(right), float(self.p), out)
        return out
