r"""What a support vector machine proves about itself on its training objects: by its norm, and by
its support vectors.

**How far the functions of a support vector machine can be from the optimal ones, by the duality
gap.**

For each pair of classes the machine minimises

.. math:: P(w) = \min_b\ \tfrac12 \|w\|^2 + \sum_i p_i \max\{0, 1 - y_i (\langle w, \Phi_{x_i}
    \rangle + b)\} .

P is a convex function plus :math:`\|w\|^2 / 2`, so that :math:`P(w) \ge P(w^*) + \tfrac12 \|w -
w^*\|^2` for the optimal :math:`w^*`. Multipliers :math:`0 \le \alpha_i \le p_i` with :math:`\sum_i
y_i \alpha_i = 0` have :math:`D(\alpha) = \sum_i \alpha_i - \tfrac12 \|\sum_i y_i \alpha_i
\Phi_{x_i}\|^2 \le P(w^*)`. So, for any w and any such multipliers,

.. math:: \|w - w^*\| \le \sqrt{2\, (P(w) - D(\alpha))}, \qquad
    |\langle w - w^*, \Phi_x - c \rangle| \le R\, \|w - w^*\|

for every object x, if all :math:`\Phi_x` are in a ball of radius R around c. Of a set of diameter
:math:`\sup F` it is :math:`\sup F / \sqrt 2` (Jung's theorem in a Hilbert space): 1 for the
Gaussian and the Laplace kernel. The constant :math:`\langle w - w^*, c \rangle` is made up for by
b. Whatever a solver did, this needs no trust in it.
"""

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices, Sample
from wideberth.bounds.balls import best_margin, offset_hilbert_rademacher
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.hilbert_svm.function import ClassPairs
from wideberth.classifiers.hilbert_svm.problem import libsvm_prices
from wideberth.estimators.model_facts import TrainingEvidence
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.objects import sample
from wideberth.rounding import SOLVER_ERROR, SUM_ERROR


class Optimality(NamedTuple):
    """How far a machine is from the optimal one."""

    #: For each pair of classes an upper bound of :math:`P(w) - P(w^*)`, shape (pairs,).
    gaps: Floats
    #: For each pair a bound of how much a value, at any object, differs from that of the optimal
    #: function, but for a constant, shape (pairs,).
    errors: Floats
    #: The ends of the interval of constants that, added to the function, are optimal for its w
    #: (`best_shifts`), shape (pairs, 2).
    shifts: Floats


def optimality(model: Any, objects: Sample, codes: Indices) -> Optimality:
    """Bound how far the functions of a fitted machine are from the optimal ones.

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
        gaps.append(
            _gap(
                float(model._norms[row]),
                losses,
                np.abs(multipliers),
                prices[classes] * counts[classes, used],
            )
        )
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
    r"""The ends of the interval of shifts t that minimise :math:`\sum_i p_i \max\{0, 1 - y_i
    (f(x_i) + t)\}`.

    Its slope, from :math:`-\sum_{y_i = 1} p_i` on the left, rises by :math:`p_i` where an object is
    on the margin. Where the slope is 0 on an interval, the offset of a support vector machine is
    not unique.

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


def _equal_objects(model: Any, objects: Sample, codes: Indices) -> Floats:
    """How many objects of each class are equal to each reference, shape (classes, references):
    their prices add up.
    """
    members = (codes == np.arange(len(model.classes_))[:, None]).astype(np.float64)
    counts = np.zeros((len(members), model.coef_.shape[1]))
    for part, distances in model._function.distance_blocks(objects):
        counts += members[:, part] @ (model._function.terms(distances) == 0)
    return counts


def _gap(norm: float, losses: Floats, multipliers: Floats, limits: Floats) -> float:
    """The duality gap, rounded up. Multipliers above their limits, by rounding, are all scaled down
    until they fit.
    """
    used = multipliers > 0
    scale = min(1.0, float((limits[used] / multipliers[used]).min(initial=1.0)))
    terms = [
        0.5 * norm**2,
        float(losses.sum()),
        -scale * float(multipliers.sum()),
        0.5 * (scale * norm) ** 2,
    ]
    return max(0.0, sum(terms)) + SUM_ERROR * sum(map(abs, terms))


BALL, VECTORS = "Hilbert ball", "support vector compression"

#: How many objects are tried as the base point. The bound holds for any base point, and is smaller
#: for a central one.
BASES = 16
#: Values that may be this far from the optimal ones, with their constants, prove nothing any more:
#: errors are not within the margin of the optimal machine. The theorem needs less than 1.
LARGEST_ERROR = 0.5


@dataclass(frozen=True)
class _Choice:
    """What was fixed before the objects were seen, and what was compared on them."""

    #: Whether no kernel and no width was taken from the objects.
    fixed_kernel: bool
    #: ``kernels``, ``machines``: how many kernels, and how many machines (kernels with a C), were
    #: compared by cross-validation.
    kernels: int
    machines: int


def svm_certificates(model: Any, evidence: TrainingEvidence, *, delta: float) -> list[Certificate]:
    """Two bounds of the error of a support vector machine, from its training sample.

    For two classes, the bound of Theorem 6 of Hein, Bousquet & Schoelkopf (2005) with strata of the
    norm; for two or more classes, a compression bound by the number of support vectors.
    """
    choice, doubts = _choice(evidence.given), _kernel_doubts(model, evidence)
    found = []
    if len(model.classes_) == 2:
        found.append(_ball_certificate(model, evidence, choice, doubts, delta))
    if len(model.classes_) > 1:
        found.append(_vectors_certificate(model, evidence, choice, doubts, delta))
    return found


def _choice(given: Sample) -> _Choice:
    """What a machine, or a search over machines, fixed and compared.

    A kernel is fixed if it has no width, or widths that are numbers. Which kernel "auto" means is
    decided by the promises of the metric; without promises the bound is void anyway.
    """
    searched = hasattr(given, "cv_results_")
    widths = given.width if isinstance(given.width, list | tuple) else [given.width]
    names = given.kernel if isinstance(given.kernel, list | tuple) else [given.kernel]
    fixed = all(name == "distance" for name in names) or all(
        isinstance(width, Real) for width in widths
    )
    tried = (
        given.cv_results_["params"]
        if searched
        else [{"kernel": given.kernel, "width": given.width}]
    )
    kernels = {(params["kernel"], params["width"]) for params in tried}
    return _Choice(fixed, len(kernels), len(tried))


def _kernel_doubts(model: Any, evidence: TrainingEvidence) -> tuple[str, ...]:
    """The reasons why neither bound holds: violated assumptions about sample, metric or kernel."""
    report, doubts = model.kernel_report_, list(evidence.doubts())
    if report.repair is not None:
        doubts.append(
            f"The kernel was repaired ({report.repair}) on these objects, and has no Hilbert "
            "margin."
        )
    elif not report.promised:
        doubts.append(
            f"{model.metric_.name!r} does not promise that it embeds in a Hilbert space; these "
            "objects alone do not prove it."
        )
    learned = evidence.given.learned_from_
    if learned is not None and learned.searched:
        doubts.append(
            "The kernel and C were chosen by a search over these objects. Certify the search, or "
            "the model on new objects."
        )
    if not _choice(evidence.given).fixed_kernel:
        doubts.append(
            "The kernel or its width was taken from these objects, and the bound needs one that "
            "was fixed before they were drawn. Name the kernel, and a width in the unit of the "
            "metric."
        )
    return tuple(doubts)


def _assumed(evidence: TrainingEvidence, *also: str) -> tuple[str, ...]:
    """The assumptions of both bounds; ``also`` names what else has to be fixed beforehand."""
    chosen = ", ".join(["The metric", "the kernel", *also])
    return (
        *evidence.assumed(),
        f"{chosen} and the width, or what was compared of them, were fixed without a look at these "
        "objects.",
    )


def _ball_certificate(
    model: Any, evidence: TrainingEvidence, choice: _Choice, doubts: tuple[str, ...], delta: float
) -> Certificate:
    r"""The bound by the norm: the function :math:`f / \|w\|` is in the unit ball, but for its
    offset.
    """
    if doubts:
        return evidence.nothing_proved(BALL, *doubts)
    signs = np.where(evidence.labels == model.classes_[1], 1.0, -1.0)
    norm = float(model._norms[0])
    margins = signs * model._function.values(evidence.objects)[:, 0] / (norm or 1.0)
    base = _base_distances(model, evidence)
    found = best_margin(
        margins, lambda B: offset_hilbert_rademacher(base, B), delta=delta / choice.kernels
    )
    return Certificate(
        statement="The probability that the classifier errs on a new object is at most "
        f"{found.risk:.4g}.",
        value=found.risk,
        kind=BALL,
        confidence=1.0 - delta,
        assumptions=(*_assumed(evidence), evidence.no_other_classes()),
        evidence=found.evidence()
        | {
            "kernels": choice.kernels,
            "base_square_sum": float(base @ base),
            "base_farthest": float(base.max()),
        },
        guessing=evidence.guessing,
    )


def _base_distances(model: Any, evidence: TrainingEvidence) -> Floats:
    """The distances, in the induced metric, of all objects from a central one.

    Of a few objects, evenly spaced in the sample, it is the one with the least sum of squared
    distances.
    """
    n = len(evidence)
    chosen = np.unique(np.linspace(0, n - 1, min(n, BASES)).astype(np.intp))
    distances = pairwise_distances(
        sample.pick(evidence.objects, chosen),
        evidence.objects,
        evidence.metric,
        n_jobs=model.n_jobs,
    )
    induced: Floats = model.kernel_.metric(distances)
    best: Floats = induced[(induced**2).sum(axis=1).argmin()]
    return best


def _vectors_certificate(
    model: Any, evidence: TrainingEvidence, choice: _Choice, doubts: tuple[str, ...], delta: float
) -> Certificate:
    """The bound by the support vectors: they alone determine the machine, if nothing else depends
    on the objects.

    How far its values can be from the optimal ones is proved by the duality gap (`optimality`), and
    objects that near to the margin count as support vectors: the smaller ``tol``, the fewer of
    them.
    """
    reasons = list(doubts)
    if model.landmarks is not None:
        reasons.append(
            "The landmarks were chosen among these objects, so that the machine depends on more "
            "than its support vectors."
        )
    if not isfinite(model.C):
        reasons.append("The margin is hard (C is infinite), for which this bound is not proved.")
    if model.class_weight == "balanced":
        reasons.append(
            "The weights of the classes were taken from these objects: class_weight='balanced'."
        )
    if model.kernel_.name == "distance":
        reasons.append(
            "The unit of C is the mean squared distance of these objects, so that the price of "
            "errors depends on all of them."
        )
    if reasons:
        return evidence.nothing_proved(VECTORS, *reasons)
    found = optimality(model, evidence.objects, np.searchsorted(model.classes_, evidence.labels))
    error = float(
        (
            2 * found.errors + np.maximum(0.0, np.maximum(found.shifts[:, 0], -found.shifts[:, 1]))
        ).max()
    )
    if error > LARGEST_ERROR:
        return evidence.nothing_proved(VECTORS, _not_optimal(model, found, error))
    return Certificate.proved_by(
        VECTORS,
        "The probability that a new object is misclassified, or within the margin of the optimal "
        f"machine, is at most {VALUE}.",
        delta=delta,
        assumptions=_assumed(evidence, "C"),
        evidence={
            "objects": len(evidence),
            "kept": _within_margin(model, evidence, found),
            "machines": choice.machines,
            "slack": 2 * float(found.errors.max()),
            "gap": float(found.gaps.max()),
        },
        guessing=evidence.guessing,
    )


def _not_optimal(model: Any, found: Optimality, error: float) -> str:
    """Why a machine that is far from the optimal one proves nothing by its support vectors."""
    return (
        f"The solver left a duality gap of {found.gaps.max():.3g}, so that values may be "
        f"{error:.3g} away from the optimal ones; {LARGEST_ERROR:g} is the most that is allowed. "
        f"Fit with a smaller tol (it was {model.tol:g}) or a smaller C."
    )


def _within_margin(model: Any, evidence: TrainingEvidence, found: Optimality) -> int:
    """How many objects are not clearly beyond the margin in some pair of classes with their own,
    for every optimal offset.

    Objects within twice the errors of the values are counted too
    (`wideberth.bounds.compression.support_vector_bound`).
    """
    codes = np.searchsorted(model.classes_, evidence.labels)
    values, pairs = model._function.values(evidence.objects), ClassPairs.of(len(model.classes_))
    within = np.zeros(len(codes), dtype=bool)
    for column, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        members = np.flatnonzero((codes == first) | (codes == second))
        signs, (low, high) = np.where(codes[members] == second, 1.0, -1.0), found.shifts[column]
        leads = signs * values[members, column] + np.where(
            signs > 0, min(low, 0.0), -max(high, 0.0)
        )
        within[members] |= leads <= 1.0 + 2 * found.errors[column]
    return int(within.sum())
