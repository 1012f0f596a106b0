r"""What a support vector machine proves about itself on its training objects: by its norm, and by its support vectors."""

from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from wideberth.arrays import Floats
from wideberth.bounds.hilbert_ball import offset_hilbert_rademacher
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.hilbert_svm.classifier import HilbertSVC
from wideberth.classifiers.hilbert_svm.votes import ClassPairs
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.guarantees.evidence import TrainingSample, nothing_proved
from wideberth.guarantees.margin import best_margin
from wideberth.objects import sample
from wideberth.rounding import SOLVER_ERROR

BALL, VECTORS = "Hilbert ball", "support vector compression"

#: Objects tried as the base point: the distances from it count, and any point will do.
BASES = 16
#: Objects within it of the margin count as support vectors: LIBSVM's functions may be off by half of it.
SLACK = 0.05
#: LIBSVM's tolerance bounds a gradient, not its functions; where it was tried, these were off by half of it to twice as much. A
#: tenth of half the slack leaves room for worse. It is a rule of thumb, so the certificate lists the slack as an assumption.
LOOSEST_TOL = SLACK / 20


@dataclass(frozen=True)
class _Choice:
    """What was fixed before the objects were seen: ``kernels`` and ``machines`` are how many were compared on them since."""

    fixed_kernel: bool
    kernels: int
    machines: int


def hilbert_certificates(model: HilbertSVC, sampled: TrainingSample, *, delta: float) -> list[Certificate]:
    """The bounds of Theorem 6 of Hein, Bousquet & Schoelkopf (2005) with strata, for two classes, and of support vectors."""
    choice, doubts = _choice(sampled.asked), _kernel_doubts(model, sampled)
    found = []
    if len(model.classes_) == 2:
        found.append(_ball_certificate(model, sampled, choice, doubts, delta))
    if len(model.classes_) > 1:
        found.append(_vectors_certificate(model, sampled, choice, doubts, delta))
    return found


def _choice(asked: Any) -> _Choice:
    """A kernel is fixed if it has no width, or widths that are numbers; a search compared as many as it has scores for.

    Which kernel "auto" stands for is decided by the promises of the metric, or the bound is void for want of them.
    """
    searched = not isinstance(asked, HilbertSVC)
    widths = asked.width if isinstance(asked.width, list | tuple) else [asked.width]
    names = asked.kernel if isinstance(asked.kernel, list | tuple) else [asked.kernel]
    fixed = all(each == "distance" for each in names) or all(isinstance(each, Real) for each in widths)
    tried = asked.cv_results_["params"] if searched else [{"kernel": asked.kernel, "width": asked.width}]
    kernels = {(each["kernel"], each["width"]) for each in tried}
    return _Choice(fixed, len(kernels), len(tried))


def _kernel_doubts(model: HilbertSVC, sampled: TrainingSample) -> tuple[str, ...]:
    report, doubts = model.kernel_report_, list(sampled.doubts())
    if report.repair is not None:
        doubts.append(f"The kernel was repaired ({report.repair}) on these objects, and has no Hilbert margin.")
    elif not report.promised:
        doubts.append(
            f"{model.metric_.name!r} does not promise that it embeds in a Hilbert space; these objects alone do not prove it."
        )
    learned = sampled.asked._learned_from
    if learned is not None and learned.searched:
        doubts.append(
            "The kernel and C were chosen by a search over these objects. Certify the search, or the model on new objects."
        )
    if not _choice(sampled.asked).fixed_kernel:
        doubts.append(
            "The kernel or its width was taken from these objects, and the bound needs one that was fixed before they were "
            "drawn. Name the kernel, and a width in the unit of the metric."
        )
    return tuple(doubts)


def _assumed(sampled: TrainingSample, *also: str) -> tuple[str, ...]:
    chosen = ", ".join(["The metric", "the kernel", *also])
    return (
        *sampled.assumed(),
        f"{chosen} and the width, or what was compared of them, were fixed without a look at these objects.",
    )


def _ball_certificate(
    model: HilbertSVC, sampled: TrainingSample, choice: _Choice, doubts: tuple[str, ...], delta: float
) -> Certificate:
    r"""The function :math:`f / \|w\|` is in the unit ball, but for its offset."""
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
    """The distances of all objects, in the induced metric, from the one of a few that is nearest to all of them."""
    n = len(sampled)
    chosen = np.unique(np.linspace(0, n - 1, min(n, BASES)).astype(np.intp))
    distances = pairwise_distances(sample.pick(sampled.objects, chosen), sampled.objects, sampled.metric, n_jobs=model.n_jobs)
    induced: Floats = model.kernel_.metric(distances)
    best: Floats = induced[(induced**2).sum(axis=1).argmin()]
    return best


def _vectors_certificate(
    model: HilbertSVC, sampled: TrainingSample, choice: _Choice, doubts: tuple[str, ...], delta: float
) -> Certificate:
    reasons = list(doubts)
    if model.landmarks is not None:
        reasons.append(
            "The landmarks were chosen among these objects, so that the machine depends on more than its support vectors."
        )
    if not isfinite(model.C):
        reasons.append("A hard margin was asked for, of which this bound is not proved.")
    if model.tol > LOOSEST_TOL:
        reasons.append(f"The solver stopped at tol={model.tol:g}, which may leave its functions too far from the optimal ones.")
    if model.class_weight == "balanced":
        reasons.append("The weights of the classes were taken from these objects: class_weight='balanced'.")
    if model.kernel_.name == "distance":
        reasons.append("The unit of C is the mean squared distance of these objects, so that the price of errors depends on all.")
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
    """How many objects are not beyond the margin, with the slack and for all best constants, of some pair of their class."""
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

    Its slope, from :math:`-\sum_{y_i = 1} p_i` on the left, rises by :math:`p_i` where an object is on the margin: where it comes
    to 0 and stays there, the constant of a support vector machine is not unique.

    >>> best_shifts(np.array([-3.0, 3.0]), np.array([-1.0, 1.0]), np.ones(2))
    (-2.0, 2.0)
    """
    places = signs - values
    order = np.argsort(places, kind="stable")
    slopes = np.cumsum(prices[order]) - prices[signs > 0].sum()
    rounding = SOLVER_ERROR * prices.sum()
    first, last = int(np.argmax(slopes >= -rounding)), int(np.argmax(slopes > rounding))
    return float(places[order[first]]), float(places[order[last]])
