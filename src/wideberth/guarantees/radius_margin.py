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

`wideberth.bounds.balls.best_margin` finds the best L in hindsight.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import log, sqrt

import numpy as np
from scipy.optimize import linear_sum_assignment

from wideberth.array_types import Floats
from wideberth.bounds.balls import BallMargin, best_margin
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.quantisation import QuantisedCapacity
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.radius_rules import radius_unit
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.guarantees.evidence import TrainingSample
from wideberth.metrics.metric import Distances

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
    radius if one is given; void where the model certifies no radii or an assumption is violated.
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
    height = 1 / found.norm
    distances = pairwise_distances(
        sampled.objects, None, sampled.metric, n_jobs=getattr(model, "n_jobs", None)
    )
    matched = average_over_signs(
        partial(matched_suprema, distances, height),
        np.full(n, height),
        draws=min(100, 1 + DRAWN_SIGNS // n),
        confidence=1 - 2 * SHARE_OF_SIGNS * delta,
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


# ---- How well Lipschitz functions follow random signs on a sample: exactly by matching, on average
# over all sign vectors of a few objects, or over some drawn at random, with proved limits


def matching_cost(costs: Distances) -> float:
    """The cost of the cheapest matching of rows with columns that matches every object of the
    smaller side.

    Examples
    --------
    >>> matching_cost(np.array([[1.0, 2.0, 9.0], [1.0, 9.0, 9.0]]))
    3.0
    """
    return float(costs[linear_sum_assignment(costs)].sum())


def matched_suprema(distances: Distances, height: float, signs: Floats) -> Floats:
    r"""The supremum for each row of signs, exactly: the smaller side is matched, and each unmatched
    object costs h.

    Examples
    --------
    >>> matched_suprema(
    ...     np.array([[0.0, 4.0], [4.0, 0.0]]), 3.0, np.array([[1.0, -1.0], [1.0, 1.0]])
    ... )
    array([4., 6.])
    """
    near = np.minimum(distances, 2 * height)
    matched = np.array([matching_cost(near[np.ix_(row > 0, row < 0)]) for row in signs])
    surplus: Floats = np.abs(signs.sum(axis=1))
    return matched + height * surplus


#: Maps sign vectors, the rows, to :math:`\sup_f |\sum_i \sigma_i f(x_i)|` for each of them.
Suprema = Callable[[Floats], Floats]


#: Up to this number of objects all sign vectors are tried: at most 2,048, as opposite vectors have
#: the same supremum.
MOST_ENUMERATED = 12


#: The limits need signs that are independent of the sample: a stream of random numbers of their
#: own, whatever the seed.
STREAM = 0x51675


@dataclass(frozen=True)
class Measured:
    """An average over random signs: it lies between ``low`` and ``high``; ``value`` is only the
    best estimate.

    Both limits hold with probability at least ``confidence`` over the draw of the signs, whatever
    the sample, None if all sign vectors were tried; ``high`` alone fails with at most half the
    remaining probability. It may enter a bound that pays for that; ``value`` may not.
    ``displacement`` is how far the objects were moved on average to make the measurement cheap; the
    limits include it.

    Examples
    --------
    >>> Measured(0.2, 0.1, 0.3, confidence=0.99, draws=50).times(2.0).high
    0.6
    """

    value: float
    low: float
    high: float
    confidence: float | None
    draws: int
    displacement: float = 0.0

    def times(self, factor: float) -> "Measured":
        """The average for functions that are ``factor`` times as large."""
        return replace(
            self,
            value=factor * self.value,
            low=factor * self.low,
            high=factor * self.high,
            displacement=factor * self.displacement,
        )

    def widened(self, displacement: float) -> "Measured":
        """The limits for objects at this mean distance from those measured, and functions with
        Lipschitz constant 1.
        """
        low, high = max(0.0, self.low - displacement), self.high + displacement
        return replace(self, low=low, high=high, displacement=displacement)

    def within(self, low: float, high: float) -> "Measured":
        """The same measurement, if it is certain that the average lies between ``low`` and
        ``high``.
        """
        value = min(max(self.value, low), high)
        return replace(self, value=value, low=max(self.low, low), high=min(self.high, high))


def average_over_signs(
    suprema: Suprema, heights: Floats, *, draws: int, confidence: float, random_state: int | None
) -> Measured:
    r"""The empirical Rademacher average of a class of functions that is symmetric, :math:`f \in F
    \iff -f \in F`,

    .. math:: \hat R_n(F) = E_\sigma \sup_{f \in F} \frac1n \sum_i \sigma_i f(x_i), \qquad |f(x_i)|
        \le b_i,

    exactly for at most 12 objects, otherwise by the mean of m draws, which is off by

    .. math:: \frac1n \sqrt{\frac{2 \sum_i b_i^2 \ln(2/\delta)}{m}}

    or more with probability at most :math:`\delta = 1 -` ``confidence``. Proof: one of the n m
    independent signs changes the mean by at most :math:`2 b_i / nm`; McDiarmid's inequality (1989),
    once for each side.

    Examples
    --------
    >>> average_over_signs(
    ...     lambda signs: np.abs(signs.sum(axis=1)),
    ...     np.ones(2),
    ...     draws=1,
    ...     confidence=0.9,
    ...     random_state=0,
    ... )
    Measured(value=0.5, low=0.5, high=0.5, confidence=None, draws=2, displacement=0.0)
    """
    _check_parameters(draws, confidence)
    n = len(heights)
    if n <= MOST_ENUMERATED:
        signs = all_signs(n)
        exact = float(suprema(signs).mean()) / n
        return Measured(exact, exact, exact, None, len(signs))
    signs = draw_signs(draws, n, random_state)
    mean = float(suprema(signs).mean()) / n
    slack = sqrt(2 * float((heights**2).sum()) * log(2 / (1 - confidence)) / draws) / n
    return Measured(
        mean, max(0.0, mean - slack), min(mean + slack, float(heights.mean())), confidence, draws
    )


def all_signs(n: int) -> Floats:
    """All vectors of n signs whose first sign is positive, one a row: of two opposite vectors, one.

    Examples
    --------
    >>> all_signs(2)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    bits = np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1) & 1
    return np.column_stack([np.ones(len(bits)), 1.0 - 2.0 * bits])


def draw_signs(draws: int, n: int, random_state: int | None) -> Floats:
    """Rows of independent random signs, independent also of a sample that was drawn with the same
    seed.

    Examples
    --------
    >>> draw_signs(2, 3, random_state=0).shape
    (2, 3)
    """
    source = np.random.SeedSequence(random_state, spawn_key=(STREAM,))
    return np.random.default_rng(source).choice([-1.0, 1.0], size=(draws, n))


def _check_parameters(draws: int, confidence: float) -> None:
    if not draws >= 1:
        raise InvalidInput(
            f"The average needs sign vectors; draws is {draws!r}.",
            advice="Draw at least 1.",
            value=draws,
        )
    if not 0 < confidence < 1:
        raise InvalidInput(
            f"A confidence lies between 0 and 1, not at {confidence!r}.",
            advice="0.99 is a usual choice.",
            value=confidence,
        )


#: A matching of more objects takes seconds for each sign vector.
MOST_MATCHED = 3000
