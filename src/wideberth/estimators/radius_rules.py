r"""The three ways in which a classifier proves how far an object may move before its label changes.

A family names one of them in `MetricClassifier.radius_rule`:

* `LipschitzScores`: each score changes by at most a constant times the distance. The radius is the least lead over the sum of
  two constants.
* `ScoresBoundedNearby`: the scores are bounded near each object, from distances that are measured once. The radius is searched:
  the largest at which the lead stays positive.
* `ClosedForm`: the radius has a formula of its own.

Each rule answers the same four questions, so that nobody has to know which one a model has.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from wideberth.array_types import Floats
from wideberth.estimators.lowest_leads import LeadsNearby, lowest_leads, searched_radii
from wideberth.estimators.radius_units import RadiusUnit
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import DistanceErrors, leads_within, radii_of_leads


class RadiusRule(Protocol):
    """How a fitted classifier proves radii of prepared objects."""

    def radii(self, objects: Any, measure: RadiusUnit) -> Floats:
        """The certified radii in a unit, shape (n,): nothing strictly closer has another label."""

    def scores_and_radii(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """The scores, shape (n, k), and the radii, from one pass over the distances where that is possible."""

    def lowest_leads(self, objects: Any, radii: Floats, measure: RadiusUnit) -> Floats:
        """A lower bound of the lead of each label within a radius of each object; what is positive proves that it stays."""

    def heights(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, float]:
        """Radii, and the share of them that is the height of a 1-Lipschitz margin function, proved in `radius_margin`."""


@dataclass(frozen=True, eq=False)
class LipschitzScores:
    r"""Scores with Lipschitz constants: :math:`r(x) = \min_{y' \neq y} (h(x, y) - h(x, y')) / (L_y + L_{y'})`.

    Attributes
    ----------
    slopes : ndarray of shape (k,)
        The Lipschitz constant of the score of each class.
    scores_and_sizes : callable
        Maps prepared objects to their scores, and for each score the sum of its absolute terms, distances times their slopes
        among them; both of shape (n, k). Rounding errs in proportion to these sums.
    errors : callable
        Maps prepared objects to how far their distances to the references may be from the exact ones.
    """

    slopes: Floats
    scores_and_sizes: Callable[[Any], tuple[Floats, Floats]]
    errors: Callable[[Any], DistanceErrors]

    @classmethod
    def of(cls, model: Any, slopes: Floats, references: Any, scores_and_sizes: Any = None) -> Self:
        """The rule of a classifier whose scores measure distances to references; `NotCertified` without the triangle inequality.

        The sizes of scores that are not differences of large terms are their absolute values.
        """
        model.require_triangle()
        return cls(slopes, scores_and_sizes or model.scores_and_absolutes, distance_errors(model.metric_, references))

    def radii(self, objects: Any, measure: RadiusUnit) -> Floats:
        """By the leads of the scores."""
        return self.scores_and_radii(objects, measure)[1]

    def scores_and_radii(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """From one computation of the scores."""
        bounded = self._bounded(objects)
        return bounded[0], measure.converted(radii_of_leads(*bounded), objects)

    def lowest_leads(self, objects: Any, radii: Floats, measure: RadiusUnit) -> Floats:
        """Differences of scores in the metric of the model; in another unit what is left of the radius."""
        if measure.other is not None:
            return self.radii(objects, measure) - radii
        return leads_within(*self._bounded(objects), radii)

    def heights(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, float]:
        """The whole radii: on one arm they are least differences of Lipschitz scores."""
        return self.radii(objects, measure), 1.0

    def _bounded(self, objects: Any) -> tuple[Floats, Floats, Floats, DistanceErrors]:
        """The first four arguments of `radii_of_leads`; constant scores depend on no distance."""
        errors = self.errors(objects) if np.any(self.slopes) else DistanceErrors.of(sample.count(objects), 0.0)
        return *self.scores_and_sizes(objects), np.asarray(self.slopes), errors


@dataclass(frozen=True, eq=False)
class ScoresBoundedNearby:
    """Scores that are bounded near each object, from distances that are measured once (`lowest_leads`).

    Attributes
    ----------
    blocks : callable
        Maps prepared objects to blocks of them, each with what bounds the leads of their labels wherever they move.
    lipschitz : LipschitzScores or None
        The rule by Lipschitz constants, if these are known too: their radii are smaller, but heights of a Lipschitz function.
    """

    blocks: Callable[[Any], Iterator[tuple[slice, LeadsNearby]]]
    lipschitz: LipschitzScores | None = None

    def radii(self, objects: Any, measure: RadiusUnit) -> Floats:
        """By a search."""
        return self.scores_and_radii(objects, measure)[1]

    def scores_and_radii(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """From the same distances."""
        return searched_radii(self.blocks(objects), objects, measure)

    def lowest_leads(self, objects: Any, radii: Floats, measure: RadiusUnit) -> Floats:
        """The bounds that a search tries."""
        return lowest_leads(self.blocks(objects), radii, measure.other)

    def heights(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, float]:
        """The radii of Lipschitz scores, or half of what was searched. Which must not depend on the sample."""
        return (self.radii(objects, measure), 0.5) if self.lipschitz is None else self.lipschitz.heights(objects, measure)


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """Radii with a formula of their own.

    Attributes
    ----------
    scores : callable
        Maps prepared objects to their scores, shape (n, k).
    radii_in : callable
        Maps prepared objects, a unit and the largest radius that matters to radii in the unit; those beyond it may be smaller
        than they could be.
    are_heights : bool
        Whether the radii are heights of a 1-Lipschitz margin function, as distances to a border that every path crosses are.
    """

    scores: Callable[[Any], Floats]
    radii_in: Callable[[Any, RadiusUnit, float], Floats]
    are_heights: bool = False

    def radii(self, objects: Any, measure: RadiusUnit) -> Floats:
        """By the formula."""
        return self.radii_in(objects, measure, np.inf)

    def scores_and_radii(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """One after the other."""
        return self.scores(objects), self.radii(objects, measure)

    def lowest_leads(self, objects: Any, radii: Floats, measure: RadiusUnit) -> Floats:
        """What is left of the radii."""
        return self.radii_in(objects, measure, float(radii.max(initial=0.0))) - radii

    def heights(self, objects: Any, measure: RadiusUnit) -> tuple[Floats, float]:
        """All of the radii, or half of them, which always are heights."""
        return self.radii(objects, measure), 1.0 if self.are_heights else 0.5


def in_units_of(radii: Callable[[Any], Floats]) -> Callable[[Any, RadiusUnit, float], Floats]:
    """Radii of a `ClosedForm` that are known in the metric of the model, converted to any unit."""
    return lambda objects, measure, _: measure.converted(radii(objects), objects)


def distance_errors(metric: Metric, references: Any) -> Callable[[Any], DistanceErrors]:
    """How far the distances from prepared objects to some references may be from the exact ones."""
    return lambda objects: metric.distance_errors(objects).towards(metric.distance_errors(references))
