r"""Choosing by certified accuracy: the share of objects left out that are right, and stay so under every change within a radius.

As a bare number it chooses constants, whose label nothing changes. So the choice is among the candidates whose accuracy is within
a ``floor`` of the best accuracy, and the share of the largest class, which a constant has, is shown beside the result.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats
from wideberth.errors import InvalidInput
from wideberth.estimators.radius_rules import radius_unit
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_number
from wideberth.wording import setting

#: The names of the scores: shares of all objects, and means of the shares of each class.
CERTIFIED, CERTIFIED_BALANCED = "certified", "certified_balanced"
#: How far behind the best accuracy a candidate may be.
FLOOR = 0.03


@dataclass(frozen=True)
class CertifiedScore:
    r"""The certified accuracy at a radius.

    .. math:: A_r = \sum_i w_i\, [\hat y(x_i) = y_i]\, [\hat y(x) = y_i \text{ is proved for all } x: d(x, x_i) \le r]

    for weights that add up to 1; the balanced one weighs every class alike.

    Attributes
    ----------
    radius : float
        r: with ``unit="edit"`` the number of edits.
    unit : str or None
        What it is measured in, as in `certified_radius`.
    floor : float
        How far the accuracy may be behind that of the best candidate.
    balanced : bool
        Whether classes weigh alike, in both accuracies.

    Examples
    --------
    >>> score = CertifiedScore(1.0, "edit", 0.03, balanced=True)
    >>> score.weights(np.array(["hard", "soft", "soft"]), np.ones(3))
    array([0.5 , 0.25, 0.25])
    """

    radius: float
    unit: str | None
    floor: float
    balanced: bool

    @classmethod
    def of(cls, classifier: Any) -> Self | None:
        """The score that the parameters of a classifier ask for; None if they ask for another one.

        Raises
        ------
        InvalidInput
            If the radius is missing or no radius, or if it is given for another score.
        """
        scoring, radius, unit, floor = (getattr(classifier, name) for name in ("scoring", "radius", "unit", "floor"))
        if not isinstance(scoring, str) or scoring not in (CERTIFIED, CERTIFIED_BALANCED):
            _refuse_without_certified(scoring, radius=(radius, None), unit=(unit, None), floor=(floor, FLOOR))
            return None
        if not is_number(radius) or not 0 <= radius < np.inf:
            raise InvalidInput(
                f"{setting('scoring', scoring)} needs a radius, a number from 0 on, not {setting('radius', radius)}.",
                advice=f"Pass how far objects may move: {setting('radius', 1)}, {setting('unit', 'edit')} for one edit of a "
                "text.",
                value=radius,
            )
        if not is_number(floor) or not 0 <= floor <= 1:
            raise InvalidInput(
                f"{setting('floor', floor)} is not a share of objects.",
                advice=f"Pass a number from 0 to 1: {FLOOR:g} allows accuracies up to three points behind the best.",
                value=floor,
            )
        return cls(float(radius), unit, float(floor), scoring == CERTIFIED_BALANCED)

    def weights(self, labels: NDArray[Any], weights: Floats) -> Floats:
        """The weights of objects, adding up to 1, by their labels and given weights."""
        if self.balanced:
            _, codes = np.unique(labels, return_inverse=True)
            weights = weights / np.bincount(codes, weights=weights)[codes]
        shares: Floats = weights / weights.sum()
        return shares

    def stable(self, model: Any, objects: Any) -> Flags:
        """For which prepared objects a fitted model proves that its label stays within the radius."""
        flags: Flags = model.lowest_leads(objects, self.reach(model.metric_), self.unit) > 0
        return flags

    def reach(self, metric: Metric) -> float:
        """How far objects within the radius can be; see `RadiusUnit.reach`."""
        return float(radius_unit(metric, self.unit).reach(self.radius))

    def largest_class(self, labels: NDArray[Any], weights: Floats) -> float:
        """What a constant would have: the share of the largest class.

        Examples
        --------
        >>> CertifiedScore(1.0, None, 0.03, balanced=False).largest_class(np.array([0, 1, 1]), np.array([2.0, 1.0, 3.0]))
        0.6666666666666666
        """
        _, codes = np.unique(labels, return_inverse=True)
        return float(np.bincount(codes, weights=self.weights(labels, weights)).max())


def _refuse_without_certified(scoring: Any, **given_and_usual: tuple[Any, Any]) -> None:
    """Raise an error for a parameter that only certified scores have."""
    for name, (given, usual) in given_and_usual.items():
        if given is not usual and given != usual:
            raise InvalidInput(
                f"{setting(name, given)} has no meaning with {setting('scoring', scoring)}.",
                advice=f"Pass {setting('scoring', CERTIFIED)} to choose by certified accuracy, or leave {setting(name)} out.",
                value=given,
            )
