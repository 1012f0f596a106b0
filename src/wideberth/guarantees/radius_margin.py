r"""What the certified radii of the training objects prove about the error: a wide margin on a
sample of low complexity.

Let r(x) be a radius within which the label of x stays, in a metric space. Then a 1-Lipschitz margin
function of Kontorovich & Weiss (2014, (8)), a map into a star with an arm for each class, lies on
the arm of the label, at least as high as

* r(x), if the radius is the lead of 1-Lipschitz scores, as
  `wideberth.estimators.radius_rules.LipschitzScores` defines it: on one arm it is a least
  difference of such scores; and for labels a and b of x and x', :math:`r(x) + r(x') \le
  \frac{h_a(x) - h_b(x)}{L_a + L_b} + \frac{h_b(x') - h_a(x')}{L_a + L_b} \le d(x, x')`; The same
  with a slope of each lead, :math:`h_a - h_b`, in the place of :math:`L_a + L_b`;
* r(x), if the label is certain for every point of a larger space that is less than r(x) away, and
  every path in it from x to x' crosses the boundary between the labels, on some path of length
  :math:`d(x, x')`: the distances R to the boundary then add up to no more, and where the label
  stays, R is 1-Lipschitz. So it is in Euclidean space; and for votes of neighbours, whose radii
  hold for all numbers that differ by less than r(x) from the distances of x, in the space of such
  numbers with the largest difference as distance;
* r(x) / 2 for any other radius, such as one that was searched near x: the distance R(x) to the
  nearest object with another label is at least r(x) and 1-Lipschitz where the label stays, and
  where it changes, both radii are at most
  :math:`d(x, x')`, so their halves add up to no more.

The error is at most the mean of :math:`\min\{1, \max\{0, 1 - L h\}\}` on the sample, h being 0
where the label is wrong, plus what the complexity of all L-Lipschitz margin functions on the sample
costs; for all L at once, by strata. So it holds for every classifier with such radii, however it
was chosen, by cross-validation for instance, as long as the metric was not. With :math:`h - r` (or
:math:`h - r / 2`) in place of h it bounds how often an object is misclassified or has another label
less than r away from it.

`wideberth.bounds.ball_margin.best_margin` finds the best L in hindsight.
"""

import numpy as np

from wideberth.array_types import Floats
from wideberth.bounds.ball_margin import BallMargin, best_margin
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.capacity.quantisation import QuantisedCapacity
from wideberth.errors import NotCertified
from wideberth.estimators.radius_rules import radius_unit
from wideberth.guarantees.evidence import TrainingSample
from wideberth.guarantees.measured_capacity import MOST_MATCHED, lipschitz_capacity

KIND, KIND_AT_RADIUS = (
    "margin and complexity of the sample",
    "margin and complexity of the sample, at a radius",
)
METRIC_FIXED = "The metric was chosen without a look at these objects."

#: The number of sign vectors times objects for which transport is solved exactly, and the share of
#: delta that pays for the draw.
DRAWN_SIGNS, SHARE_OF_SIGNS = 30_000, 0.05
#: The seed of the signs. They must be independent of the sample, so it is not a number that a user
#: is likely to draw with.
SEED = 8_191_127_524_287


def radius_margin_certificates(
    sampled: TrainingSample, *, delta: float, radius: float | None, unit: str | None = None
) -> list[Certificate]:
    """The bound of the error from the certified radii of the training objects, and the one at a
    radius if one is given.

    Parameters
    ----------
    sampled : TrainingSample
        The training objects, and the model.
    delta : float
        The probability with which each statement may fail.
    radius : float or None
        How far new objects may move.
    unit : str or None
        What the radius is measured in, as in ``certified_radius``.

    Returns
    -------
    list of Certificate
        One or two, void where the model certifies no radii or an assumption is violated.
    """
    kinds = [KIND] if radius is None else [KIND, KIND_AT_RADIUS]
    doubts = (*sampled.doubts(), *sampled.metric_doubts())
    radii, share = np.zeros(len(sampled)), 1.0
    if not doubts:
        model = sampled.model
        try:
            heights, share = model.radius_rule().heights(
                model.admit_queries(sampled.X), radius_unit(model.metric_, None)
            )
            radii = np.where(sampled.wrong, 0.0, heights)
        except NotCertified as refusal:
            doubts = (str(refusal),)
    if doubts:
        return [sampled.nothing_proved(kind, *doubts) for kind in kinds]
    found = [_certificate(sampled, share * radii, delta, KIND, {"share_of_radii": share})]
    if radius is not None:
        measure = radius_unit(sampled.metric, unit)
        farthest = measure.in_metric(radius)
        if farthest == np.inf:
            doubt = f"No constant bounds {sampled.metric.name!r} by {measure.other!r}."
            return [*found, sampled.nothing_proved(KIND_AT_RADIUS, doubt)]
        margins = np.where(sampled.wrong, 0.0, share * (radii - farthest))
        evidence = {"share_of_radii": share, "radius": farthest}
        found.append(
            _certificate(
                sampled, margins, delta, KIND_AT_RADIUS, evidence, measure.in_words(radius)
            )
        )
    return found


def _certificate(
    sampled: TrainingSample,
    margins: Floats,
    delta: float,
    kind: str,
    about: dict[str, float],
    moved: str = "",
) -> Certificate:
    """The certificate for given margins, of objects that are ``moved`` so far; ``about`` are
    further numbers of its evidence.
    """
    found, more = _best_measured(sampled, margins, delta)
    what = "the classifier errs on a new object"
    if kind == KIND_AT_RADIUS:
        what = (
            f"a new object is misclassified, or has another label less than {moved} away from it,"
        )
    return Certificate(
        statement=f"The probability that {what} is at most {found.risk:.4g}.",
        value=found.risk,
        kind=kind,
        confidence=1.0 - delta,
        assumptions=(*sampled.assumed(), sampled.no_other_classes(), METRIC_FIXED),
        evidence=found.evidence() | more | about,
        guessing=sampled.guessing,
    )


def _best_measured(
    sampled: TrainingSample, margins: Floats, delta: float
) -> tuple[BallMargin, dict[str, float]]:
    """The best margin, and the evidence of how its complexity was found.

    Nothing is measured where the bound would be vacuous even with a complexity of 0. For two
    classes, and few enough objects for a matching, the exact transport at some random signs
    replaces the bound by cells if it is smaller.
    """
    n = len(margins)
    optimistic = best_margin(margins, lambda norm: 0.0, delta=delta)
    if optimistic.risk >= sampled.guessing:
        return BallMargin(n, optimistic.norm, optimistic.stratum, optimistic.loss, 1.0, delta), {}
    model, capacity = sampled.model, sampled.capacity
    if len(model.classes_) > 2 or n > MOST_MATCHED:
        found = best_margin(margins, capacity, delta=delta)
        return found, _cell_evidence(capacity, found.norm)
    found = best_margin(margins, capacity, delta=(1 - SHARE_OF_SIGNS) * delta)
    matched = lipschitz_capacity(
        sampled.objects,
        sampled.metric,
        height=1 / found.norm,
        draws=min(100, 1 + DRAWN_SIGNS // n),
        confidence=1 - 2 * SHARE_OF_SIGNS * delta,
        n_jobs=getattr(model, "n_jobs", None),
        random_state=SEED,
    ).times(found.norm)
    if matched.high >= found.complexity:
        return found, _cell_evidence(capacity, found.norm) | {
            "delta_of_signs": SHARE_OF_SIGNS * delta
        }
    better = BallMargin(n, found.norm, found.stratum, found.loss, matched.high, found.delta)
    return better, {"delta_of_signs": SHARE_OF_SIGNS * delta, "draws": matched.draws}


def _cell_evidence(capacity: QuantisedCapacity, norm: float) -> dict[str, float]:
    """The numbers from which the `QuantisedCapacity` at a norm was computed: its centres,
    displacement and noise.
    """
    centres = capacity.centres(norm)
    place = int(np.flatnonzero(capacity.sizes == centres)[0])
    return {
        "centres": centres,
        "displacement": capacity.displacements[place],
        "noise": capacity.noises[place],
    }
