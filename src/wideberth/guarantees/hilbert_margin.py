"""What a support vector machine proves about itself on its training objects: by its norm, and by its support vectors."""

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.bounds.hilbert_ball import offset_hilbert_rademacher
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.hilbert_svm.votes import ClassPairs
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.guarantees.evidence import TrainingSample, nothing_proved
from wideberth.guarantees.radius_margin import best_margin
from wideberth.objects import sample
from wideberth.rounding import SOLVER_ERROR

BALL, VECTORS = "Hilbert ball", "support vector compression"

#: How many objects are tried as the base point. The bound holds for any base point, and is smaller for a central one.
BASES = 16
#: Objects within this distance of the margin count as support vectors: LIBSVM's functions may be off by half of it.
SLACK = 0.05
#: LIBSVM's tolerance bounds a gradient, not the error of its functions; in experiments that error was between half the tolerance
#: and twice the tolerance. A tenth of half the slack allows for worse. It is a rule of thumb, so the certificate lists the slack
#: as an assumption.
LOOSEST_TOL = SLACK / 20


@dataclass(frozen=True)
class _Choice:
    """What was fixed before the objects were seen, and what was compared on them.

    Attributes
    ----------
    fixed_kernel : bool
        Whether no kernel and no width was taken from the objects.
    kernels, machines : int
        How many kernels, and how many machines (kernels with a C), were compared by cross-validation.
    """

    fixed_kernel: bool
    kernels: int
    machines: int


def hilbert_certificates(model: HilbertSVC, sampled: TrainingSample, *, delta: float) -> list[Certificate]:
    """Two bounds of the error of a support vector machine, from its training sample.

    For two classes, the bound of Theorem 6 of Hein, Bousquet & Schoelkopf (2005) with strata of the norm; for two or more
    classes, a compression bound by the number of support vectors.

    Parameters
    ----------
    model : HilbertSVC
        The fitted machine.
    sampled : TrainingSample
        Its training objects.
    delta : float
        The probability with which each statement may fail.

    Returns
    -------
    list of Certificate
        Void ones where the kernel was not fixed beforehand, is not promised to be one, or was repaired.
    """
    choice, doubts = _choice(sampled.given), _kernel_doubts(model, sampled)
    found = []
    if len(model.classes_) == 2:
        found.append(_ball_certificate(model, sampled, choice, doubts, delta))
    if len(model.classes_) > 1:
        found.append(_vectors_certificate(model, sampled, choice, doubts, delta))
    return found


def _choice(given: Any) -> _Choice:
    """What a machine, or a search over machines, fixed and compared.

    A kernel is fixed if it has no width, or widths that are numbers. Which kernel "auto" means is decided by the promises of the
    metric; without promises the bound is void anyway.
    """
    searched = not isinstance(given, HilbertSVC)
    widths = given.width if isinstance(given.width, list | tuple) else [given.width]
    names = given.kernel if isinstance(given.kernel, list | tuple) else [given.kernel]
    fixed = all(name == "distance" for name in names) or all(isinstance(width, Real) for width in widths)
    tried = given.cv_results_["params"] if searched else [{"kernel": given.kernel, "width": given.width}]
    kernels = {(params["kernel"], params["width"]) for params in tried}
    return _Choice(fixed, len(kernels), len(tried))


def _kernel_doubts(model: HilbertSVC, sampled: TrainingSample) -> tuple[str, ...]:
    """The reasons why neither bound holds: violated assumptions about sample, metric or kernel."""
    report, doubts = model.kernel_report_, list(sampled.doubts())
    if report.repair is not None:
        doubts.append(f"The kernel was repaired ({report.repair}) on these objects, and has no Hilbert margin.")
    elif not report.promised:
        doubts.append(
            f"{model.metric_.name!r} does not promise that it embeds in a Hilbert space; these objects alone do not prove it."
        )
    learned = sampled.given._learned_from
    if learned is not None and learned.searched:
        doubts.append(
            "The kernel and C were chosen by a search over these objects. Certify the search, or the model on new objects."
        )
    if not _choice(sampled.given).fixed_kernel:
        doubts.append(
            "The kernel or its width was taken from these objects, and the bound needs one that was fixed before they were "
            "drawn. Name the kernel, and a width in the unit of the metric."
        )
    return tuple(doubts)


def _assumed(sampled: TrainingSample, *also: str) -> tuple[str, ...]:
    """The assumptions of both bounds; ``also`` names what else has to be fixed beforehand."""
    chosen = ", ".join(["The metric", "the kernel", *also])
    return (
        *sampled.assumed(),
        f"{chosen} and the width, or what was compared of them, were fixed without a look at these objects.",
    )


def _ball_certificate(
    model: HilbertSVC, sampled: TrainingSample, choice: _Choice, doubts: tuple[str, ...], delta: float
) -> Certificate:
    r"""The bound by the norm: the function :math:`f / \|w\|` is in the unit ball, but for its offset."""
    if doubts:
        return nothing_proved(sampled, BALL, *doubts)
    signs = np.where(sampled.labels == model.classes_[1], 1.0, -1.0)
    norm = float(model._norms[0])
    margins = signs * model._function.values(sampled.objects)[:, 0] / (norm or 1.0)
    base = _base_distances(model, sampled)
    found = best_margin(margins, lambda B: offset_hilbert_rademacher(base, B), delta=delta / choice.kernels)
    return Certificate(
        statement=f"The probability that the classifier errs on a new object is at most {found.risk:.4g}.",
        value=found.risk,
        kind=BALL,
        confidence=1.0 - delta,
        assumptions=(*_assumed(sampled), sampled.no_other_classes()),
        evidence=found.evidence()
        | {"kernels": choice.kernels, "base_square_sum": float(base @ base), "base_farthest": float(base.max())},
        guessing=sampled.guessing,
    )


def _base_distances(model: HilbertSVC, sampled: TrainingSample) -> Floats:
    """The distances, in the induced metric, of all objects from a central one.

    Of a few objects, evenly spaced in the sample, it is the one with the least sum of squared distances.
    """
    n = len(sampled)
    chosen = np.unique(np.linspace(0, n - 1, min(n, BASES)).astype(np.intp))
    distances = pairwise_distances(sample.pick(sampled.objects, chosen), sampled.objects, sampled.metric, n_jobs=model.n_jobs)
    induced: Floats = model.kernel_.metric(distances)
    best: Floats = induced[(induced**2).sum(axis=1).argmin()]
    return best


def _vectors_certificate(
    model: HilbertSVC, sampled: TrainingSample, choice: _Choice, doubts: tuple[str, ...], delta: float
) -> Certificate:
    """The bound by the support vectors: they alone determine the machine, if nothing else depends on the objects."""
    reasons = list(doubts)
    if model.landmarks is not None:
        reasons.append(
            "The landmarks were chosen among these objects, so that the machine depends on more than its support vectors."
        )
    if not isfinite(model.C):
        reasons.append("The margin is hard (C is infinite), for which this bound is not proved.")
    if model.tol > LOOSEST_TOL:
        reasons.append(f"The solver stopped at tol={model.tol:g}, which may leave its functions too far from the optimal ones.")
    if model.class_weight == "balanced":
        reasons.append("The weights of the classes were taken from these objects: class_weight='balanced'.")
    if model.kernel_.name == "distance":
        reasons.append(
            "The unit of C is the mean squared distance of these objects, so that the price of errors depends on all of them."
        )
    if reasons:
        return nothing_proved(sampled, VECTORS, *reasons)
    kept, n = _within_margin(model, sampled), len(sampled)
    return Certificate.proved_by(
        VECTORS,
        f"The probability that a new object is misclassified, or within the margin, is at most {VALUE}.",
        delta=delta,
        assumptions=(
            *_assumed(sampled, "C"),
            f"The solver's functions are nowhere farther than {SLACK / 2:g} from the optimal ones.",
        ),
        evidence={"objects": n, "kept": kept, "machines": choice.machines, "slack": SLACK},
        guessing=sampled.guessing,
    )


def _within_margin(model: HilbertSVC, sampled: TrainingSample) -> int:
    """How many objects are not clearly beyond the margin in some pair of classes with their own, for every optimal offset.

    Objects within `SLACK` of the margin are counted, because the solver's functions are not exact.
    """
    codes = np.searchsorted(model.classes_, sampled.labels)
    weights = model.class_weight or {}
    prices = np.array([weights.get(label, 1.0) for label in model.classes_.tolist()])
    values, pairs = model._function.values(sampled.objects), ClassPairs.of(len(model.classes_))
    within = np.zeros(len(codes), dtype=bool)
    for column, (first, second) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        members = np.flatnonzero((codes == first) | (codes == second))
        signs, own = np.where(codes[members] == second, 1.0, -1.0), values[members, column]
        low, high = best_shifts(own, signs, prices[codes[members]])
        leads = signs * own + np.where(signs > 0, min(low, 0.0), -max(high, 0.0))
        within[members] |= leads <= 1.0 + SLACK
    return int(within.sum())


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
