"""Solvers for the soft-margin SVM of every pair of classes, exact on the kernel matrix (LIBSVM) or
on landmarks (LIBLINEAR), and the repairs that an indefinite kernel needs before.

**Repairs of an indefinite kernel matrix by its spectrum, and how new objects follow them.**
Predictions are consistent only if new objects are mapped as the training objects were. A repair is
therefore a linear map of kernel values to coordinates, which applies to both, and not a change of
the matrix alone.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.function import ClassPairs, Expansions
from wideberth.errors import GapWarning, warn_user
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.progress import doing
from wideberth.rounding import EIGENVALUE_ERROR, UNIT
from wideberth.wording import setting

#: Distances that are worked on together: few enough for the cache of one core.
_AT_ONCE = 2**15


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

    Examples
    --------
    >>> # points at 0, 1 and 3
    >>> line = -0.5 * np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]])
    >>> where = SpectralMap.of(line).coordinates(line)
    >>> abs(where - where[0]).round(6).ravel()
    array([0., 1., 3.])
    """

    #: A: one column for each eigenvalue that is kept, each with mean 0, shape (m, p).
    axes: Floats
    #: The :math:`\bar k_i`, shape (m,).
    means: Floats
    #: All eigenvalues of G, before the repair.
    spectrum: Spectrum

    @classmethod
    @doing("eigenvalues")
    def of(cls, kernel: Floats, *, flip: bool = False) -> "SpectralMap":
        """Compute the map from the kernel matrix of the m objects, centred or not, in O(m^3); negative
        eigenvalues are dropped, or ``flip`` keeps their absolute values.
        """
        values, vectors = eigh(centred(-2.0 * kernel))
        kept = values > EIGENVALUE_ERROR * values[-1]
        if flip:
            kept |= values < -EIGENVALUE_ERROR * values[-1]
        axes = vectors[:, kept] / np.sqrt(np.abs(values[kept]))
        # they are orthogonal to the constant; so exactly, that a constant in the kernel is none
        # here
        axes -= axes.mean(axis=0)
        return cls(axes, kernel.mean(axis=1), Spectrum(values))

    def coordinates(self, kernel: Floats) -> Floats:
        """Compute the coordinates of objects from their kernel values with the m objects. A constant
        added to a row changes nothing, because the columns of ``axes`` have mean 0.
        """
        coordinates: Floats = (kernel - self.means) @ self.axes
        return coordinates

    def expanded(self, weights: Floats) -> tuple[Floats, Floats]:
        r"""Write linear functions of the coordinates as kernel expansions.

        :math:`\langle w, \phi(x) \rangle = \sum_i \gamma_i k(x, z_i) + c` with :math:`\gamma = A w`
        and :math:`c = -\sum_i \gamma_i \bar k_i`.
        """
        coefficients = weights @ self.axes.T
        return coefficients, -coefficients @ self.means


@dataclass(frozen=True, eq=False)
class RepairedPoints:
    """Training objects whose kernel matrix was repaired, as points."""

    #: Shape (n, p): the coordinates of the training objects; their inner products are the repaired
    #: kernel.
    points: Floats
    #: The map that gave these coordinates, which new objects follow too.
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

    Examples
    --------
    >>> squared_distances(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    array([[0., 4.],
           [4., 0.]])
    """
    diagonal = np.diagonal(gram)
    squared: Floats = np.maximum(diagonal[:, None] + diagonal - 2.0 * gram, 0.0)
    return squared


# ---- Solvers for the soft-margin SVM of every pair of classes: exact on the kernel matrix (LIBSVM), or
# on landmarks (LIBLINEAR)

#: The finite price of errors for a hard margin, in the unit of the kernel. LIBSVM keeps the kernel
#: in single precision, which is not exact enough for a larger one.
_HARD_PRICE = 1e6
#: The most steps of LIBSVM for a hard margin, in total or for each object, whichever is more. If no
#: hard margin exists, it would never end.
_HARD_STEPS, _HARD_STEPS_EACH = 100_000, 100
#: An upper estimate of the roundings in a value of the kernel.
_ROUNDINGS = 10
#: The work of LIBLINEAR is limited by the number of products of coordinates, but a thousand passes
#: over the objects are allowed.
_LINEAR_WORK, _LINEAR_ROUNDS = 1e10, 1000


#: Values of a kernel to bounds of their errors.
KernelErrors = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class ExactSVM:
    r"""The soft-margin SVM of each pair of classes, on the kernel matrix of the objects that it
    learns from:

    .. math:: \min_\alpha \tfrac12 \sum_{ij} y_i y_j \alpha_i \alpha_j k(x_i, x_j) - \sum_i \alpha_i
        \quad\text{subject to}\quad \sum_i y_i \alpha_i = 0,\ 0 \le \alpha_i \le p_i .

    By :math:`\sum_i y_i \alpha_i = 0` any function of one object could be added to the kernel
    without changing the solution (Hein, Bousquet & Schoelkopf 2005, Theorem 5). Prices p are for
    the kernel divided by its unit; the functions found are for the kernel itself.

    Examples
    --------
    >>> # points at 0, 1 and 4
    >>> line = -0.5 * np.array([[0.0, 1.0, 16.0], [1.0, 0.0, 9.0], [16.0, 9.0, 0.0]])
    >>> found = ExactSVM(line).solve(np.array([0, 0, 1]), np.full(3, 100.0), tol=1e-6)
    >>> # the border is in the middle between 1 and 4
    >>> (found.rows, round(float(1 / found.norms[0]), 9))
    (array([1, 2]), 1.5)
    """

    #: Shape (n, n): :math:`-e^2 / 2` for a Hilbertian metric e, divided by ``unit``; finite.
    kernel: Floats
    #: The unit of the kernel.
    unit: float = 1.0
    #: The points of the training objects if the kernel was repaired, so that functions can be
    #: written in the original kernel.
    repaired: RepairedPoints | None = None
    #: Bounds the errors of values of the kernel itself, by which norms are raised; without it, only
    #: those of sums are.
    errors: KernelErrors | None = None

    @doing("support vectors")
    def solve(self, codes: Indices, prices: Floats, tol: float) -> Expansions:
        """Solve for the functions of all pairs of classes, 0 to k - 1 with k at least 2, for a price
        of errors on each object.
        """
        return self._in_original_kernel(self._solve_dual(codes, prices, tol, steps=-1))

    @doing("hard margin")
    def hard_margin(self, codes: Indices, tol: float) -> tuple[Expansions, Floats]:
        """Solve for the functions that separate each pair of classes with the widest margin, and
        bound every margin.

        The problem is solved with a very large price and a limit on steps; the function is then
        scaled so that its smallest value on either class is 1 in size. The proof does not rely on
        LIBSVM: its multipliers are the shares of two mixtures of objects, one of each class, and
        half of the distance between these bounds the margin of every function (Hein, Bousquet &
        Schoelkopf 2005, Theorem 2). A function that does not separate its pair has an infinite norm.
        """
        # the bound shows how far it got
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            found = self._solve_dual(
                codes,
                np.full(len(codes), _HARD_PRICE),
                tol,
                steps=max(_HARD_STEPS, _HARD_STEPS_EACH * len(codes)),
            )
        norms = found.norms.copy()
        intercepts = found.intercepts.copy()
        bounds = np.empty(len(found.norms))
        scales = np.ones(len(norms))
        for row, (first, second) in enumerate(
            zip(*ClassPairs.of(int(codes.max()) + 1), strict=True)
        ):
            part = slice(*found.coefficients.indptr[row : row + 2])
            used = found.rows[found.coefficients.indices[part]]
            values = found.coefficients.data[part]
            below, above = (
                self.unit * self.kernel[np.ix_(codes == code, used)] @ values
                for code in (first, second)
            )
            bounds[row] = norms[row] / np.abs(values).sum()
            width = (above.min() - below.max()) / 2.0
            scales[row] = width if width > 0 else np.nan
            norms[row] = norms[row] / width if width > 0 else math.inf
            intercepts[row] = (
                -(above.min() + below.max()) / (2.0 * width) if width > 0 else intercepts[row]
            )
        divisors = np.repeat(np.nan_to_num(scales, nan=1.0), np.diff(found.coefficients.indptr))
        shape = found.coefficients.shape
        pattern = (found.coefficients.indices, found.coefficients.indptr)
        widened = csr_array((found.coefficients.data / divisors, *pattern), shape=shape)
        return self._in_original_kernel(
            replace(found, coefficients=widened, intercepts=intercepts, norms=norms)
        ), bounds

    def _solve_dual(self, codes: Indices, prices: Floats, tol: float, *, steps: int) -> Expansions:
        """The functions in the kernel of the matrix; LIBSVM stops with a warning after ``steps``,
        never if that is -1.
        """
        solver = SVC(kernel="precomputed", tol=tol, max_iter=steps)
        with config_context(assume_finite=True):  # distances were checked before
            solver.fit(self.kernel, codes, sample_weight=prices)
        support = np.asarray(solver.support_, dtype=np.intp)
        coefficients = _pair_coefficients(solver)
        norms = np.array(
            [self._norm(support, coefficients, row) for row in range(coefficients.shape[0])]
        )
        return Expansions(
            rows=support,
            coefficients=csr_array(coefficients / self.unit),
            intercepts=np.array(solver.intercept_)
            * (1.0 if len(norms) == 1 else -1.0),  # LIBSVM's are for the first of a pair
            norms=norms / math.sqrt(self.unit),
            support=support,
            multipliers=solver.dual_coef_ / self.unit,
        )

    def _norm(self, support: Indices, coefficients: csr_array, row: int) -> float:
        """The norm of the normal vector of one function, rounded up.

        The sum of squares is raised by the largest error that it can have, from sums and from
        values of the kernel, because a norm that is too small would make certified radii too large.
        """
        part = slice(coefficients.indptr[row], coefficients.indptr[row + 1])
        used, values = support[coefficients.indices[part]], coefficients.data[part]
        terms = np.zeros((2, len(self.kernel)))
        terms[:, used] = values, np.abs(values)
        square = error = 0.0
        for band in bands(len(self.kernel), len(used)):
            rows = self.kernel[used[band]]
            square += float(values[band] @ (rows @ terms[0]))
            # all of one sign, if nothing was repaired
            size = np.abs(values[band]) @ (rows @ terms[1])
            error += (len(used) + _ROUNDINGS) * 2 * UNIT * abs(float(size))
            if self.errors is not None:
                error += (
                    float(np.abs(values[band]) @ (self.errors(self.unit * rows) @ terms[1]))
                    / self.unit
                )
        return math.sqrt(max(0.0, square) + error)

    def _in_original_kernel(self, found: Expansions) -> Expansions:
        """The functions as expansions in the kernel before a repair, which is what new objects are
        compared by.
        """
        return found if self.repaired is None else self.repaired.expanded(found)


def _pair_coefficients(solver: SVC) -> csr_array:
    """Unpack the coefficients of the function of each pair, positive for the second class.

    LIBSVM keeps for each support vector one coefficient per rival class, in k - 1 rows; the row of
    a rival depends on whether its class comes before or after.
    """
    packed, n_classes = np.asarray(solver.dual_coef_), len(solver.classes_)
    ends = np.concatenate([[0], np.cumsum(solver.n_support_)])
    columns, values = [], []
    for first, second in zip(*ClassPairs.of(n_classes), strict=True):
        own = np.arange(ends[first], ends[first + 1])
        other = np.arange(ends[second], ends[second + 1])
        # of more than two classes LIBSVM's functions are positive for the first of a pair
        sign = 1.0 if n_classes == 2 else -1.0
        row = sign * np.concatenate([packed[second - 1, own], packed[first, other]])
        places = np.concatenate([own, other])
        row[np.abs(row).argmax()] -= row.sum()  # so that their sum is exactly 0
        columns.append(places[row != 0])
        values.append(row[row != 0])
    rows = np.concatenate([[0], np.cumsum([len(row) for row in values])])
    return csr_array(
        (np.concatenate(values), np.concatenate(columns), rows),
        shape=(len(values), packed.shape[1]),
    )


@dataclass(frozen=True, eq=False)
class LandmarkSVM:
    r"""The soft-margin SVM of each pair of classes on coordinates :math:`\phi` that represent the
    kernel:

    .. math:: \min_{w, b} \tfrac12 (\|w\|^2 + b^2) + \sum_i p_i \max\{0, 1 - y_i (\langle w,
        \phi(x_i) \rangle + b)\} .

    For a Hilbertian metric the coordinates are the projections on the span of the landmarks, and
    :math:`\langle w, \phi(x) \rangle` is a function of norm :math:`\|w\|` on the whole space: radii
    stay proved. LIBLINEAR also penalises b, which matters little beside the prices of errors.

    Examples
    --------
    >>> line = -0.5 * np.array([[0.0, 16.0], [16.0, 0.0]])  # points at 0 and 4
    >>> through = SpectralMap.of(line)
    >>> found = LandmarkSVM(through.coordinates(line), through, np.arange(2)).solve(
    ...     np.array([0, 1]), np.full(2, 100.0), tol=1e-6
    ... )
    >>> round(float(1 / found.norms[0]), 3)  # the border is in the middle
    2.0
    """

    #: The coordinates of the objects, divided by the root of ``unit``, shape (n, p).
    points: Floats
    #: The map from kernel values with the landmarks to coordinates.
    through: SpectralMap
    #: Which objects are the landmarks, shape (m,).
    rows: Indices
    #: The unit of the kernel.
    unit: float = 1.0
    #: Bounds of the errors of the kernel between landmarks, by which norms are raised, shape (m,
    #: m).
    errors: Floats | None = None

    @doing("support vectors")
    def solve(self, codes: Indices, prices: Floats, tol: float) -> Expansions:
        """As `ExactSVM.solve`, on the landmarks: there are no support vectors."""
        weights, intercepts, n_axes = [], [], self.points.shape[1]
        # LIBLINEAR refuses objects that nothing distinguishes
        points = self.points if n_axes else np.zeros((len(codes), 1))
        rounds = int(max(_LINEAR_ROUNDS, min(_LINEAR_WORK / max(1, self.points.size), 1e6)))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            for first, second in zip(*ClassPairs.of(int(codes.max()) + 1), strict=True):
                chosen: Any = np.flatnonzero((codes == first) | (codes == second))
                # a slice makes no copy
                chosen = slice(None) if len(chosen) == len(codes) else chosen
                solver = LinearSVC(loss="hinge", tol=tol, max_iter=rounds, random_state=0)
                solver.fit(points[chosen], codes[chosen] == second, sample_weight=prices[chosen])
                weights.append(solver.coef_[0, :n_axes])
                intercepts.append(float(solver.intercept_[0]))
        if any(issubclass(warning.category, ConvergenceWarning) for warning in caught):
            warn_user(
                f"LIBLINEAR stopped after {rounds} rounds, before "
                f"{setting('tol', shown=f'{tol:g}')} was reached: labels can be predicted, and "
                "radii hold, but the margin may not be the widest. A smaller C or a larger tol "
                "needs fewer.",
                GapWarning,
            )
        normals = np.array(weights) / math.sqrt(self.unit)
        coefficients, constants = self.through.expanded(normals)
        norms: Floats = np.linalg.norm(normals, axis=1)
        if self.errors is not None:
            sizes = np.abs(coefficients)
            norms = np.sqrt(
                norms**2 + np.einsum("qi,ij,qj->q", sizes, self.errors, sizes, optimize=True)
            )
        return Expansions(
            self.rows, csr_array(coefficients), np.array(intercepts) + constants, norms
        )


def project(
    blocks: Iterable[tuple[slice, Floats]], through: SpectralMap, n_objects: int
) -> tuple[Floats, Floats]:
    r"""Compute the coordinates of all objects, and what the span of the landmarks leaves out of
    each.

    Counted from the centre of the landmarks, an object has the squared norm :math:`\bar k - 2\,
    \overline{k(x, \cdot)}` with :math:`\bar k` the mean of the kernel matrix of the landmarks; the
    coordinates account for a part of it.

    Examples
    --------
    >>> # points at 0, 1 and 3
    >>> line = -0.5 * np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]])
    >>> points, left_out = project([(slice(0, 3), line[:, :2])], SpectralMap.of(line[:2, :2]), 3)
    >>> abs(points[2] - points[0]).round(6), left_out.round(6) + 0.0  # two landmarks span the line
    (array([3.]), array([0., 0., 0.]))
    """
    points, left_out = np.empty((n_objects, through.axes.shape[1])), np.empty(n_objects)
    centre = float(through.means.mean())
    for part, kernel in blocks:
        points[part] = through.coordinates(kernel)
        left_out[part] = centre - 2.0 * kernel.mean(axis=1) - (points[part] ** 2).sum(axis=1)
    return points, left_out


def bands(width: int, count: int) -> Iterator[slice]:
    """Cut the rows of a matrix into bands that fit into the cache of one core.

    Examples
    --------
    >>> list(bands(width=300, count=250))
    [slice(0, 109, None), slice(109, 218, None), slice(218, 327, None)]
    """
    height = max(1, _AT_ONCE // max(1, width))
    return (slice(start, start + height) for start in range(0, count, height))
