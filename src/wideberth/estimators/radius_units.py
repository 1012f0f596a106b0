"""The units of certified radii: from the metric of a model to an edit, or to another metric that bounds it.

An edit is Levenshtein's everywhere: one character put in, taken out or replaced. Other metrics that count have words of their own
(`wideberth.Metric.unit`): an indel, a replacement, a step of Damerau's. A name means a metric with its parameters, those that are
not written being the defaults (`wideberth.Metric.full_name`). A radius r by the metric of a model is proved as r / K in a unit
whose distance, times K, is at least that metric (`wideberth.Metric.dominated`): what moves by less than r / K there moves by less
than r here.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.summary_phrases import in_units
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.transforms import TRANSFORMS
from wideberth.rounding import SUM_ERROR, shortened, to_steps
from wideberth.wording import python, setting


@dataclass(frozen=True)
class RadiusUnit:
    """What certified radii of models on a metric are measured in.

    Attributes
    ----------
    metric : Metric
        The metric of the model.
    other : str or None
        The full name of the metric that radii are measured in; None for that of the model.

    Examples
    --------
    >>> words = as_metric("words")
    >>> unit = radius_unit(words, "edit")
    >>> unit.other, unit.converted(np.array([4.0]), words.prepare(["a cup of tea"])).round(3)  # an edit changes 3 words at most
    ('levenshtein', array([1.333]))
    """

    metric: Metric
    other: str | None = None

    @property
    def step(self) -> float | None:
        """The number of which all distances in this unit are whole multiples, if there is one."""
        return None if self._measure is None else self._measure.step

    @property
    def measure(self) -> Metric:
        """The metric that measures in this unit; an `InvalidInput` if it is known by its name alone."""
        if self._measure is not None:
            return self._measure
        raise InvalidInput(
            f"{self.metric.name!r} is bounded by {self.other!r}, but wideberth has no metric of that name to measure with.",
            advice=f"Leave {setting('unit')} out.",
            value=self.other,
        )

    @property
    def _measure(self) -> Metric | None:
        """The metric of the model, one of the table, or one that the metric of the model is made of."""
        if self.other is None:
            return self.metric
        if _has_defaults(self.other):
            return as_metric(self.other)
        inside = (value for value in self.metric.get_params().values() if isinstance(value, Metric))
        return next((metric for metric in inside if metric.full_name == self.other), None)

    @property
    def label(self) -> str:
        """What a distance of 1 is called in this unit, or the metric that measures it.

        Examples
        --------
        >>> radius_unit(as_metric("words"), "edit").label, radius_unit(as_metric("minkowski", p=3), None).label
        ('edit', 'minkowski(p=3)')
        """
        return self.measure.unit or self.measure.full_name or self.measure.name

    def in_words(self, radius: float) -> str:
        """A radius in this unit with the name of the unit, if it has one.

        Examples
        --------
        >>> radius_unit(as_metric("words"), "edit").in_words(2), radius_unit(as_metric("words"), "damerau").in_words(1)
        ('2 edits', '1 damerau step')
        """
        return f"{radius:g} ({self.other})" if self._measure is None else in_units(radius, self._measure)

    def in_metric(self, radius: float) -> float:
        """How far objects that move by this radius move at most in the metric of the model; infinite if no constant is known.

        Examples
        --------
        >>> radius_unit(as_metric("words"), "edit").in_metric(2)
        6.0
        """
        return radius if self.other is None else radius * self.metric.dominated.get(self.other, np.inf)

    def reach(self, radii: Floats | float) -> Floats:
        """How far objects within radii can be: where distances are multiples of a step, the last of these.

        Examples
        --------
        >>> radius_unit(as_metric("levenshtein"), "edit").reach(1.5), radius_unit(as_metric("euclidean"), None).reach(1.5)
        (array(1.), array(1.5))
        """
        asked = np.asarray(radii, dtype=np.float64)
        return np.asarray(self.step * np.floor(asked / self.step * (1 + SUM_ERROR))) if self.step else asked

    def converted(self, radii: Floats, prepared: Any) -> Floats:
        """Radii of prepared objects in this unit, as people would write them, from radii in the metric of the model."""
        if self.other is None:
            return to_steps(radii, self.step)
        bounds = self.metric.radii_in(self.other, radii, prepared)
        return to_steps(shortened(np.asarray(bounds), 0.0, SUM_ERROR), self.step)


def radius_unit(metric: Metric, unit: str | None) -> RadiusUnit:
    """Find what radii of models on a metric are measured in.

    Parameters
    ----------
    metric : Metric
        The metric of the model.
    unit : str or None
        None for the metric itself; the full name of it, or of a metric that bounds it; or what a distance of 1 is called by a
        metric of the table, or by the metric itself (`wideberth.Metric.unit`). An "edit" is one of Levenshtein's.

    Returns
    -------
    RadiusUnit

    Raises
    ------
    NotCertified
        If nothing is proved in that unit.

    Examples
    --------
    >>> radius_unit(as_metric("indel"), "edit").other, radius_unit(as_metric("indel"), "indel").other is None
    ('levenshtein', True)
    >>> radius_unit(as_metric("euclidean"), "edit")
    Traceback (most recent call last):
    ...
    wideberth.errors.NotCertified: No radius is proved in the unit 'edit': 'euclidean' is bounded by 'manhattan' alone. ...
    """
    if unit is None:
        return RadiusUnit(metric)
    if not isinstance(unit, str):
        raise InvalidInput(
            f"{setting('unit', unit)} is not the name of a unit.", advice="Pass 'edit', or a metric's name.", value=unit
        )
    name = _UNITS.get(unit, unit)
    own_word = unit == metric.unit and (metric.built_in or not _is_ours(unit))
    if name == metric.full_name or own_word:
        return RadiusUnit(metric)
    if metric.radii_in(name, np.empty(0), metric.prepare([])) is not None:
        return RadiusUnit(metric, name)
    bounds = f"{', '.join(map(repr, metric.dominated))} alone" if metric.dominated else "no other metric"
    own = f"{metric.unit}s" if metric.unit else f"{metric.name!r} itself"
    others = ", choose one of these" if metric.dominated else ""
    raise NotCertified(
        f"No radius is proved in the unit {unit!r}: {metric.name!r} is bounded by {bounds}.",
        advice=f"Leave {setting('unit')} out for radii in {own}{others}, or declare what you can prove: "
        f"{python('Metric')}(..., dominated={{'levenshtein': 3}}).",
        missing="dominated",
    )


def _is_ours(unit: str) -> bool:
    """Whether a word means a metric of this library, so that a user's metric cannot have it as a name of its own unit."""
    return unit in _UNITS or unit.partition("(")[0] in METRICS | TRANSFORMS


#: The words for a distance of 1, and the metrics of the table, with default parameters, that they belong to.
_UNITS = {unit: name for name in METRICS if name != Precomputed.name and (unit := as_metric(name).unit) is not None}


def _has_defaults(name: str) -> bool:
    """Whether a metric is in the table and needs no parameters."""
    return name in METRICS and name != Precomputed.name
