r"""What the certified radii of the training objects prove about the error: a wide margin on a sample of low complexity.

Let r(x) be a radius within which the label of x stays, in a metric space. Then a 1-Lipschitz margin function of
Kontorovich & Weiss (2014, (8)), a map into a star with an arm for each class, lies on the arm of the label, at least as high as

* r(x), if the radius is the lead of 1-Lipschitz scores, as `wideberth.estimators.base.MetricClassifier._radii` defines it: on one
  arm it is a least difference of such scores; and for labels a and b of x and x', :math:`r(x) + r(x') \le
  \frac{h_a(x) - h_b(x)}{L_a + L_b} + \frac{h_b(x') - h_a(x')}{L_a + L_b} \le d(x, x')`;
  The same with a slope of each lead, :math:`h_a - h_b`, in the place of :math:`L_a + L_b`;
* r(x), if the label is certain for every point of a larger space that is less than r(x) away, and every path in it from x to x'
  crosses the boundary between the labels, on some path of length :math:`d(x, x')`: the distances R to the boundary then add up to
  no more, and where the label stays, R is 1-Lipschitz. So it is in Euclidean space; and for votes of neighbours, whose radii hold
  for all numbers that differ by less than r(x) from the distances of x, in the space of such numbers with the largest difference
  as distance;
* r(x) / 2 for any other radius, such as one that was searched near x: the distance R(x) to the nearest object with another label
  is at least r(x) and 1-Lipschitz where the label stays, and where it changes, both radii are at most
  :math:`d(x, x')`, so their halves add up to no more.

The error is at most the mean of :math:`\min\{1, \max\{0, 1 - L h\}\}` on the sample, h being 0 where the label is wrong, plus
what the complexity of all L-Lipschitz margin functions on the sample costs; for all L at once, by strata. So it holds for every
classifier with such radii, however it was chosen, by cross-validation for instance, as long as the metric was not. With
:math:`h - r` (or :math:`h - r / 2`) in place of h it bounds how often an object is misclassified or has another label less than r
away from it.

`best_margin` finds the best L in hindsight, for any ball of functions: how much of the sample has the margin, and what the ball
costs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.bounds.lipschitz_ball import measured_ball_risk
from wideberth.bounds.strata import STRATA_PER_OCTAVE, log_share, open_stratum
from wideberth.certificate import Certificate
from wideberth.classifiers.linear.classifier import LinearLipschitzClassifier
from wideberth.classifiers.margin_neighbors.capacity.quantisation import QuantisedCapacity
from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.errors import NotCertified
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.radius_units import radius_unit
from wideberth.guarantees.evidence import TrainingSample, nothing_proved
from wideberth.guarantees.measured_capacity import MOST_MATCHED, lipschitz_capacity
from wideberth.guarantees.metric_doubts import metric_doubts

KIND, KIND_AT_RADIUS = "margin and complexity of the sample", "margin and complexity of the sample, at a radius"
METRIC_FIXED = "The metric was chosen without a look at these objects."

#: Margins that at most this share of the sample reaches are not tried: the loss there is almost 1.
_FEWEST = 0.02
#: Margins that are 2 to this power times as narrow as the widest are not tried either: their balls are too rich.
_OCTAVES = 30
#: The number of sign vectors times objects for which transport is solved exactly, and the share of delta that pays for the draw.
DRAWN_SIGNS, SHARE_OF_SIGNS = 30_000, 0.05
#: The seed of the signs. They must be independent of the sample, so it is not a number that a user is likely to draw with.
SEED = 8_191_127_524_287


@dataclass(frozen=True)
class BallMargin:
    r"""A margin :math:`1 / L` and the bound of the error that it proves,

    .. math:: \frac1n \sum_i \min\{1, \max\{0, 1 - L m_i\}\} + 2 \hat R_n + 3 \sqrt{\frac{\ln(2/\delta_i)}{2n}}

    where :math:`\delta_i` is the share of delta that belongs to the stratum of L.

    Attributes
    ----------
    n : int
        The number of objects.
    norm : float
        L, one over the margin.
    stratum : int
        The number of the stratum of L (`wideberth.bounds.strata`).
    loss : float
        The mean ramp loss on the sample, the first term.
    complexity : float
        An upper bound of the Rademacher average of the ball of norm L on the sample.
    delta : float
        The probability with which the bound may fail, for all strata together.

    Examples
    --------
    >>> BallMargin(n=10**6, norm=1.0, stratum=1, loss=0.1, complexity=0.05, delta=0.05).risk < 0.21
    True
    """

    n: int
    norm: float
    stratum: int
    loss: float
    complexity: float
    delta: float

    @property
    def risk(self) -> float:
        """The bound of the error, at most 1."""
        share = log(self.delta) + log_share(self.stratum)
        return min(1.0, measured_ball_risk(self.loss, self.complexity, self.n, log_delta=share))

    def evidence(self) -> dict[str, float]:
        """The numbers from which `risk` follows, for a certificate."""
        return {
            "objects": self.n,
            "margin_loss": self.loss,
            "rademacher": self.complexity,
            "norm": self.norm,
            "stratum": self.stratum,
            "delta": self.delta,
        }


def best_margin(margins: Floats, complexity: Callable[[float], float], *, delta: float) -> BallMargin:
    r"""The margin with the smallest bound, for a function of norm 1 with given margins on the sample.

    The function times L has the norm L; strata of L pay for the choice (`wideberth.bounds.lipschitz_ball.stratified_ball_risk`).

    Parameters
    ----------
    margins : ndarray of shape (n,)
        The margins :math:`m_i`; 0 or less counts as an error.
    complexity : callable
        Maps a norm to an upper bound of :math:`\hat R_n` of the ball of this norm.
    delta : float
        The probability with which the bound may fail.

    Returns
    -------
    BallMargin
        Of equal bounds, such as several of 1, the one with the smallest loss and complexity.

    Examples
    --------
    >>> best_margin(np.full(10**6, 0.5), lambda norm: 0.01 * norm, delta=0.05).norm  # margins of 1/2 are 1 at the norm 2
    2.0
    """
    tried = (
        BallMargin(len(margins), norm, stratum, _ramp_loss(margins, norm), complexity(norm), delta)
        for stratum, norm in _tried_strata(margins)
    )
    return min(tried, key=lambda margin: (margin.risk, margin.loss + 2 * margin.complexity))


def _ramp_loss(margins: Floats, norm: float) -> float:
    """The mean of min{1, max{0, 1 - norm x margin}}."""
    return float(np.clip(1.0 - norm * margins, 0.0, 1.0).mean())


def _tried_strata(margins: Floats) -> list[tuple[int, float]]:
    """The strata of L worth trying, as pairs (number, norm).

    They go from half the norm at which few objects have the margin to the norm at which almost all have it, at least to 1.
    """
    usual = np.sort(margins[(margins > 0) & np.isfinite(margins)])
    if not len(usual):
        return [open_stratum(1.0)]
    widest, narrowest = usual[-1 - int(_FEWEST * len(usual))], usual[int(_FEWEST * len(usual))]
    first, last = np.floor(STRATA_PER_OCTAVE * np.log2([0.5 / widest, 1 / narrowest]))
    last = min(max(last, 0), first + _OCTAVES * STRATA_PER_OCTAVE)  # a norm of 1 has the largest share of delta
    return [open_stratum(2.0 ** (stratum / STRATA_PER_OCTAVE)) for stratum in np.arange(first, last + 2)]


def radius_margin_certificates(
    sampled: TrainingSample, *, delta: float, radius: float | None, unit: str | None = None
) -> list[Certificate]:
    """The bound of the error from the certified radii of the training objects, and the one at a radius if one is given.

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
    doubts = (*sampled.doubts(), *metric_doubts(sampled.objects, sampled.metric))
    radii = np.zeros(len(sampled))
    if not doubts:
        try:
            radii = np.where(sampled.wrong, 0.0, radii_of_margins(sampled.model, sampled.X))
        except NotCertified as refusal:
            doubts = (str(refusal),)
    if doubts:
        return [nothing_proved(sampled, kind, *doubts) for kind in kinds]
    share = 1.0 if radii_are_leads(sampled.model) else 0.5
    found = [_certificate(sampled, share * radii, delta, KIND, {"share_of_radii": share})]
    if radius is not None:
        measure = radius_unit(sampled.metric, unit)
        farthest = measure.in_metric(radius)
        if farthest == np.inf:
            doubt = f"No constant bounds {sampled.metric.name!r} by {measure.other!r}."
            return [*found, nothing_proved(sampled, KIND_AT_RADIUS, doubt)]
        margins = np.where(sampled.wrong, 0.0, share * (radii - farthest))
        evidence = {"share_of_radii": share, "radius": farthest}
        found.append(_certificate(sampled, margins, delta, KIND_AT_RADIUS, evidence, measure.in_words(radius)))
    return found


def _certificate(
    sampled: TrainingSample, margins: Floats, delta: float, kind: str, about: dict[str, float], moved: str = ""
) -> Certificate:
    """The certificate for given margins, of objects that are ``moved`` so far; ``about`` are further numbers of its evidence."""
    found, more = _best_measured(sampled, margins, delta)
    what = "the classifier errs on a new object"
    if kind == KIND_AT_RADIUS:
        what = f"a new object is misclassified, or has another label less than {moved} away from it,"
    return Certificate(
        statement=f"The probability that {what} is at most {found.risk:.4g}.",
        value=found.risk,
        kind=kind,
        confidence=1.0 - delta,
        assumptions=(*sampled.assumed(), sampled.no_other_classes(), METRIC_FIXED),
        evidence=found.evidence() | more | about,
        guessing=sampled.guessing,
    )


def radii_of_margins(model: MetricClassifier, X: Any) -> Floats:
    """The radii of objects that margins are taken from: in closed form if those are heights, else the certified ones.

    Radii that were searched near each object (`MetricClassifier._leads_nearby`) are larger than the leads of Lipschitz scores,
    but no heights of a Lipschitz function, so that only half of them would count. Which to take must not depend on the sample.

    Examples
    --------
    >>> from wideberth.classifiers.lp_machine.classifier import LPMachineClassifier
    >>> line = LPMachineClassifier(C=np.inf).fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "up", "up"])
    >>> radii_of_margins(line, [[1.5]]).round(6)
    array([0.5])
    """
    if not radii_are_leads(model):
        return model.certified_radius(X)
    objects = model.admit_queries(X)
    return radius_unit(model.metric_, None).converted(model._radii(objects), objects)


def radii_are_leads(model: MetricClassifier) -> bool:
    """Whether the margins of a model are its whole radii in closed form; the radii of other models count half.

    They are if those are leads of Lipschitz scores, or distances to a boundary that every path crosses: the first lines of this
    file have the proof.

    Examples
    --------
    >>> from wideberth.classifiers.margin_neighbors.classifier import MarginNeighborsClassifier
    >>> radii_are_leads(NeighborsClassifier()), radii_are_leads(MarginNeighborsClassifier(eta=0.5))
    (True, False)
    """
    if isinstance(model, MarginNeighborsClassifier):
        return model.eta == 0
    if isinstance(model, NeighborsClassifier | LinearLipschitzClassifier):
        return True
    return type(model)._radii is MetricClassifier._radii and type(model)._lipschitz is not MetricClassifier._lipschitz


def _best_measured(sampled: TrainingSample, margins: Floats, delta: float) -> tuple[BallMargin, dict[str, float]]:
    """The best margin, and the evidence of how its complexity was found.

    Nothing is measured where the bound would be vacuous even with a complexity of 0. For two classes, and few enough objects for
    a matching, the exact transport at some random signs replaces the bound by cells if it is smaller.
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
        return found, _cell_evidence(capacity, found.norm) | {"delta_of_signs": SHARE_OF_SIGNS * delta}
    better = BallMargin(n, found.norm, found.stratum, found.loss, matched.high, found.delta)
    return better, {"delta_of_signs": SHARE_OF_SIGNS * delta, "draws": matched.draws}


def _cell_evidence(capacity: QuantisedCapacity, norm: float) -> dict[str, float]:
    """The numbers from which the `QuantisedCapacity` at a norm was computed: its centres, displacement and noise."""
    centres = capacity.centres(norm)
    place = int(np.flatnonzero(capacity.sizes == centres)[0])
    return {"centres": centres, "displacement": capacity.displacements[place], "noise": capacity.noises[place]}
