r"""What the certified radii of the training objects prove about the error: a wide margin on a
sample of low complexity.

Let r(x) be a radius within which the label of x stays, in a metric space. Then a 1-Lipschitz margin
function of Kontorovich & Weiss (2014, (8)), a map into a star with an arm for each class, lies on
the arm of the label, at least as high as

* r(x), if the radius is the lead of 1-Lipschitz scores, as
  `wideberth.estimators.radius_rules.LipschitzScores` defines it: on one arm it is a least
  difference of such scores; and for labels a and b of x and x', :math:`r(x) + r(x') \le
  \frac{h_a(x) - h_b(x)}{L_a + L_b} + \frac{h_b(x') - h_a(x')}{L_a + L_b} \le d(x, x')`; the same
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
from functools import cached_property, partial
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from wideberth.array_types import Flags, Floats, Indices, Objects, Sample
from wideberth.bounds.balls import BallMargin, best_margin
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.quantisation import (
    QuantisedCapacity,
    quantised_capacity,
)
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.training import learned_metric_doubt
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.measure.sampled_axioms import broken_axioms
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed

# ---- Which assumptions of a bound a metric violates on some objects

#: How many objects the axioms of a metric are tried on, in all their triangles.
TRIED = 60


def metric_doubts(
    objects: Sample, metric: Metric, numbers: Indices | None = None
) -> tuple[str, ...]:
    """The reasons why a bound that needs a metric does not hold on prepared objects: a broken axiom
    with its witness, called by its ``numbers`` if they are given, or a missing promise.

    Promises are tried too: a metric that often breaks its promise is detected.

    Examples
    --------
    >>> import numpy as np
    >>> metric_doubts(
    ...     np.array([[0.0], [1.0], [2.0]]),
    ...     Metric(lambda a, b: (a - b.T) ** 2, name="squared", obeys_triangle=True),
    ... )
    ("'squared' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).",)
    """
    broken = violations_on_sample(objects, metric)
    if broken:
        named = broken if numbers is None else [violation.at(numbers) for violation in broken]
        return tuple(violation.describe(metric.name) for violation in named)
    if metric.obeys_triangle:
        return ()
    status = "does not obey" if metric.obeys_triangle is False else "does not promise to obey"
    return (f"{metric.name!r} {status} the triangle inequality, which this needs.",)


def violations_on_sample(objects: Sample, metric: Metric) -> list[Violation]:
    """The axioms that prepared objects break, promised or not, tried on 60 of them that are drawn
    with a fixed seed.

    Examples
    --------
    >>> import numpy as np
    >>> squared = Metric(
    ...     lambda left, right: (left - right.T) ** 2, name="squared", obeys_triangle=True
    ... )
    >>> [
    ...     violation.axiom
    ...     for violation in violations_on_sample(np.array([[0.0], [1.0], [2.0]]), squared)
    ... ]
    ['triangle']
    """
    return broken_axioms(objects, metric, most=TRIED, random_state=0)


# ---- The training sample of a model, and what is assumed of it

DRAWN = "The objects are independent and drawn like the new ones."

#: How many centres the complexity of a sample is measured with, at most; it takes as many times n
#: distances.
CENTRES = 512


def repeats_allowed(
    count: int, m: int, what: str = "also occur in the training data"
) -> tuple[str, ...]:
    """The assumption of a certificate about objects that repeat others; none if there are no such
    objects.

    Examples
    --------
    >>> repeats_allowed(34, 1000)
    ('34 of these 1,000 objects also occur in the training data; that is allowed if all were drawn independently.',)
    """
    return (
        (
            f"{count:,} of these {m:,} objects {what}; that is allowed if all were drawn "
            "independently.",
        )
        if count
        else ()
    )


@dataclass(frozen=True)
class TrainingSample:
    """The training objects with their labels, for bounds that a model proves on its own training
    sample; ``reasons`` make all of them void.

    Of a classifier that chooses by cross-validation, ``given``, the chosen one is the ``model``;
    otherwise they are the same.
    """

    given: MetricClassifier
    model: MetricClassifier
    X: Objects
    labels: NDArray[Any]
    guessing: float
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def wrong(self) -> Flags:
        """Which of the objects the model gets wrong, shape (n,)."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @cached_property
    def _objects_and_metric(self) -> tuple[Sample, Metric]:
        """Prepared objects that have distances between each other, and their metric.

        Rows of a symmetric matrix of distances become row numbers, with the matrix as metric.
        """
        prepared, metric = self.model.admit_queries(self.X), self.model.metric_
        if (
            isinstance(metric, Precomputed | DistanceRows)
            and np.ndim(prepared) == 2
            and np.array_equal(prepared, prepared.T)
        ):
            promises = {
                name: getattr(metric, name)
                for name in ("obeys_triangle", "hilbertian", "negative_type")
            }
            return np.arange(len(prepared)), Precomputed(prepared, **promises)
        return prepared, metric

    @property
    def objects(self) -> Sample:
        """The objects, prepared by the metric."""
        return self._objects_and_metric[0]

    @property
    def metric(self) -> Metric:
        """The metric between the objects."""
        return self._objects_and_metric[1]

    @cached_property
    def capacity(self) -> QuantisedCapacity:
        """A bound of the Rademacher average of margin functions on the sample, by cells round some
        of its objects.
        """
        count, cores = min(CENTRES, len(self)), getattr(self.model, "n_jobs", None)
        return quantised_capacity(self.objects, self.labels, self.metric, count=count, n_jobs=cores)

    def doubts(self) -> tuple[str, ...]:
        """The reasons why a bound that compares the sample with other draws does not hold; empty if
        there is none.

        Such bounds need objects of equal weight, a metric that was fixed before the sample was
        drawn, and known distances between the objects.
        """
        learned = self.given.learned_from_
        doubts = list(self.reasons)
        if learned is not None and not learned.count_alike:
            doubts.append(
                "The bounds need objects of equal weight, and the model was fitted with different "
                "weights."
            )
        if learned is not None and learned.metric_learned:
            doubts.append(learned_metric_doubt(self.model.metric_.name))
        if self.metric.accepts == "indices" and np.ndim(self.objects) == 2:
            doubts.append(
                "The distances between these objects are not known: pass the matrix in the order "
                "of fit."
            )
        return tuple(doubts)

    def assumed(self) -> tuple[str, ...]:
        """The assumptions of all bounds on the training sample."""
        learned = self.given.learned_from_
        repeats = 0 if learned is None else learned.repeats()
        return (DRAWN, *repeats_allowed(repeats, len(self), "equal others of them"))

    def no_other_classes(self) -> str:
        """The assumption of bounds that measure margin functions: their classes are fixed before
        the sample is drawn.
        """
        return f"There are no more than {len(self.model.classes_)} classes."

    def metric_doubts(self) -> tuple[str, ...]:
        """The reasons why a bound that needs a metric does not hold; empty if it does
        (`metric_doubts`).
        """
        return metric_doubts(self.objects, self.metric)

    def violations(self) -> list[Violation]:
        """The axioms that the objects break (`violations_on_sample`)."""
        return violations_on_sample(self.objects, self.metric)

    def nothing_proved(self, kind: str, *reasons: str) -> Certificate:
        """A certificate of this kind that is void for the given reasons."""
        return Certificate(
            statement="The training objects do not prove in this way how often the classifier errs "
            "on new ones.",
            value=1.0,
            kind=kind,
            evidence={"objects": len(self)},
            guessing=self.guessing,
            void=tuple(dict.fromkeys(reasons)),
        )


# ---- Bounds of the error by the certified radii of the training objects

KIND = "margin and complexity of the sample"
KIND_AT_RADIUS = "margin and complexity of the sample, at a radius"
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
                model.admit_queries(sampled.X), model.radius_unit(None)
            )
            radii = np.where(sampled.wrong, 0.0, heights)
        except NotCertified as refusal:
            doubts = (str(refusal),)
    if doubts:
        return [sampled.nothing_proved(kind, *doubts) for kind in kinds]
    found = [_certificate(sampled, share * radii, delta, KIND, {"share_of_radii": share})]
    if radius is not None:
        measure = sampled.model.radius_unit(unit)
        farthest = measure.in_metric(radius)
        if farthest == np.inf:
            doubt = f"No constant bounds {sampled.metric.name!r} by {measure.other!r}."
            return [*found, sampled.nothing_proved(KIND_AT_RADIUS, doubt)]
        margins = np.where(sampled.wrong, 0.0, share * (radii - farthest))
        evidence = {"share_of_radii": share, "radius": farthest}
        proved = _certificate(
            sampled, margins, delta, KIND_AT_RADIUS, evidence, measure.in_words(radius)
        )
        meant = filter(None, [measure.means])
        found.append(replace(proved, assumptions=(*proved.assumptions, *meant)))
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
