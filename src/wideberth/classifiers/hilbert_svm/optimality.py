r"""How far the functions of a support vector machine can be from the optimal ones, by the duality gap.

For each pair of classes the machine minimises

.. math:: P(w) = \min_b\ \tfrac12 \|w\|^2 + \sum_i p_i \max\{0, 1 - y_i (\langle w, \Phi_{x_i} \rangle + b)\} .

P is a convex function plus :math:`\|w\|^2 / 2`, so that :math:`P(w) \ge P(w^*) + \tfrac12 \|w - w^*\|^2` for the optimal
:math:`w^*`. Multipliers :math:`0 \le \alpha_i \le p_i` with :math:`\sum_i y_i \alpha_i = 0` have
:math:`D(\alpha) = \sum_i \alpha_i - \tfrac12 \|\sum_i y_i \alpha_i \Phi_{x_i}\|^2 \le P(w^*)`. So, for any w and any such
multipliers,

.. math:: \|w - w^*\| \le \sqrt{2\, (P(w) - D(\alpha))}, \qquad
    |\langle w - w^*, \Phi_x - c \rangle| \le R\, \|w - w^*\|

for every object x, if all :math:`\Phi_x` are in a ball of radius R around c. Of a set of diameter :math:`\sup F` it is
:math:`\sup F / \sqrt 2` (Jung's theorem in a Hilbert space): 1 for the Gaussian and the Laplace kernel. The constant
:math:`\langle w - w^*, c \rangle` is made up for by b. Whatever a solver did, this needs no trust in it.
"""

from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.parameters import libsvm_prices
from wideberth.classifiers.hilbert_svm.votes import ClassPairs
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR


class Optimality(NamedTuple):
    """How far a machine is from the optimal one.

    Attributes
    ----------
    gaps : ndarray of shape (pairs,)
        For each pair of classes an upper bound of :math:`P(w) - P(w^*)`.
    errors : ndarray of shape (pairs,)
        For each pair a bound of how much a value, at any object, differs from that of the optimal function, but for a constant.
    shifts : ndarray of shape (pairs, 2)
        The ends of the interval of constants that, added to the function, are optimal for its w (`best_shifts`).
    """

    gaps: Floats
    errors: Floats
    shifts: Floats


def optimality(model: Any, objects: Any, codes: Indices) -> Optimality:
    """Bound how far the functions of a fitted machine are from the optimal ones.

    Parameters
    ----------
    model : HilbertSVC
        A machine with a finite C that was fitted on these objects, of equal weights, without repair and without landmarks.
    objects : prepared sample
        Its training objects.
    codes : ndarray of shape (n,)
        The code of the class of each.

    Returns
    -------
    Optimality
        With infinite errors for the kernel "distance", which has no supremum.

    Examples
    --------
    >>> points, labels = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    >>> from wideberth import HilbertSVC
    >>> model = HilbertSVC(kernel="gaussian", width=2.0, tol=1e-6).fit(points, labels)
    >>> bool(optimality(model, points, labels).errors[0] < 0.01)
    True
    """
    prices = libsvm_prices(model.C, class_weights(model), len(codes))
    values, pairs = model._function.values(objects), ClassPairs.of(len(model.classes_))
    counts = _equal_objects(model, objects, codes)
    gaps, shifts = [], []
    for row, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        members = np.flatnonzero((codes == first) | (codes == second))
        signs, own = np.where(codes[members] == second, 1.0, -1.0), prices[codes[members]]
        shifts.append(best_shifts(values[members, row], signs, own))
        losses = own * np.maximum(0.0, 1.0 - signs * (values[members, row] + shifts[-1][0]))
        part = slice(*model.coef_.indptr[row : row + 2])
        multipliers, used = model.coef_.data[part], model.coef_.indices[part]
        classes = np.where(multipliers > 0, second, first)
        gaps.append(_gap(float(model._norms[row]), losses, np.abs(multipliers), prices[classes] * counts[classes, used]))
    errors = model.kernel_.supremum * np.sqrt(np.array(gaps))  # sup F / sqrt(2) times sqrt(2 gap)
    return Optimality(np.array(gaps), errors, np.array(shifts))


def class_weights(model: Any) -> Floats:
    """The weights of the classes, given as a dict or not at all, in the order of their codes.

    Examples
    --------
    >>> from wideberth import HilbertSVC
    >>> model = HilbertSVC(class_weight={"up": 3.0}).fit([[0.0], [4.0]], ["low", "up"])
    >>> class_weights(model)
    array([1., 3.])
    """
    given = model.class_weight or {}
    return np.array([float(given.get(label, 1.0)) for label in model.classes_.tolist()])


def best_shifts(values: Floats, signs: Floats, prices: Floats) -> tuple[float, float]:
    r"""The ends of the interval of shifts t that minimise :math:`\sum_i p_i \max\{0, 1 - y_i (f(x_i) + t)\}`.

    Its slope, from :math:`-\sum_{y_i = 1} p_i` on the left, rises by :math:`p_i` where an object is on the margin. Where the
    slope is 0 on an interval, the offset of a support vector machine is not unique.

    Parameters
    ----------
    values : ndarray of shape (n,)
        f(x_i).
    signs : ndarray of shape (n,)
        y_i, 1.0 or -1.0; both occur.
    prices : ndarray of shape (n,)
        p_i, positive.

    Returns
    -------
    low, high : float
        The ends, equal if the minimum is unique.

    Examples
    --------
    >>> best_shifts(np.array([-3.0, 3.0]), np.array([-1.0, 1.0]), np.ones(2))
    (-2.0, 2.0)
    """
    places = signs - values
    order = np.argsort(places, kind="stable")
    slopes = np.cumsum(prices[order]) - prices[signs > 0].sum()
    rounding = SOLVER_ERROR * prices.sum()
    first, last = int(np.argmax(slopes >= -rounding)), int(np.argmax(slopes > rounding))
    return float(places[order[first]]), float(places[order[last]])


def _equal_objects(model: Any, objects: Any, codes: Indices) -> Floats:
    """How many objects of each class are equal to each reference, shape (classes, references): their prices add up."""
    members = (codes == np.arange(len(model.classes_))[:, None]).astype(np.float64)
    counts = np.zeros((len(members), model.coef_.shape[1]))
    for part, kernel in model._function.blocks(objects):
        counts += members[:, part] @ (kernel == 0)
    return counts


def _gap(norm: float, losses: Floats, multipliers: Floats, limits: Floats) -> float:
    """The duality gap, rounded up. Multipliers above their limits, by rounding, are all scaled down until they fit."""
    used = multipliers > 0
    scale = min(1.0, float((limits[used] / multipliers[used]).min(initial=1.0)))
    terms = [0.5 * norm**2, float(losses.sum()), -scale * float(multipliers.sum()), 0.5 * (scale * norm) ** 2]
    return max(0.0, sum(terms)) + SUM_ERROR * sum(map(abs, terms))
