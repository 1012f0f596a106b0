r"""The three ways in which a classifier proves how far an object may move before its label changes.

A family names one of them in `MetricClassifier.radius_rule`:

* `LipschitzScores`: each score changes by at most a constant times the distance. The radius is the
  least lead over the sum of two constants.
* `ScoresBoundedNearby`: the scores are bounded near each object, from distances that are measured
  once. The radius is searched: the largest at which the lead stays positive.
* `ClosedForm`: the radius has a formula of its own.

Each rule answers the same four questions, so that nobody has to know which one a model has.

Scores that are sums of functions of distances to references are bounded near an object by where
these distances can be after a move: within r of them, by the triangle inequality, or closer for
moves in another unit (`wideberth.Metric.distances_after`). That is a local bound: it knows how
steep each function is at its distance, where a Lipschitz constant knows the steepest place alone.

A radius is measured by the metric of the model, or in another unit: in edits, in edits of words, or
by another metric that bounds it. An edit is Levenshtein's everywhere: one character put in, taken
out or replaced; a word edit does the same to a word. A unit may also be moves of a kind that only
some objects are reached by, such as words replaced by synonyms, if each of them is a step of a
metric that bounds the model's. Other metrics that count have words of their own
(`wideberth.Metric.unit`): an indel, a replacement, a step of Damerau's. A name means a metric with
its parameters, those that are not written being the defaults (`wideberth.Metric.full_name`). A
radius r by the metric of a model is proved as r / K in a unit whose distance, times K, is at least
that metric (`wideberth.Metric.dominated`): what moves by less than r / K there moves by less than r
here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self

import numpy as np

from wideberth import rounding
from wideberth.array_types import Floats, Indices, Sample
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.model_facts import in_units
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS, by_full_name
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.strings.word_edits import SynonymSteps
from wideberth.metrics.transforms import TRANSFORMS
from wideberth.objects import sample
from wideberth.wording import python, setting


@dataclass(frozen=True)
class RadiusUnit:
    """What certified radii of models on a metric are measured in.

    Examples
    --------
    >>> words = as_metric("words")
    >>> unit = radius_unit(words, "edit")
    >>> # an edit changes 3 words at most
    >>> (unit.other, unit.converted(np.array([4.0]), words.prepare(["a cup of tea"])).round(3))
    ('levenshtein', array([1.333]))
    """

    #: The metric of the model.
    metric: Metric
    #: The full name of the metric that radii are measured in, or that bounds what they are measured
    #: in; None for that of the model.
    other: str | None = None
    #: What radii are measured in, if it is no metric that has a full name: no step of it is more
    #: than one of ``other``.
    moves: Metric | None = None

    @property
    def step(self) -> float | None:
        """The number of which all distances in this unit are whole multiples, if there is one."""
        return None if self.known_measure is None else self.known_measure.step

    @property
    def measure(self) -> Metric:
        """The metric that measures in this unit; an `InvalidInput` if it is known by its name
        alone.
        """
        if self.known_measure is not None:
            return self.known_measure
        raise InvalidInput(
            f"{self.metric.name!r} is bounded by {self.other!r}, but wideberth has no metric of "
            "that name to measure with.",
            advice=f"Leave {setting('unit')} out.",
            value=self.other,
        )

    @property
    def known_measure(self) -> Metric | None:
        """What measures in this unit: the metric of the model, one of the table, or one that the
        metric of the model is made of; None if it is known by its name alone.
        """
        if self.other is None or self.moves is not None:
            return self.moves or self.metric
        inside = (value for value in self.metric.get_params().values() if isinstance(value, Metric))
        found = next((metric for metric in inside if metric.full_name == self.other), None)
        return found or by_full_name(self.other)

    @property
    def label(self) -> str:
        """What a distance of 1 is called in this unit, or the metric that measures it.

        Examples
        --------
        >>> (
        ...     radius_unit(as_metric("words"), "edit").label,
        ...     radius_unit(as_metric("minkowski", p=3), None).label,
        ... )
        ('edit', 'minkowski(p=3)')
        """
        return self.measure.unit or self.measure.full_name or self.measure.name

    @property
    def means(self) -> str:
        """What a distance of 1 is, in a sentence, where its name does not say it; else nothing.

        Examples
        --------
        >>> radius_unit(as_metric("words"), "word").means[:58]
        'A word edit puts one word in, takes one out or replaces on'
        """
        return "" if self.known_measure is None else self.known_measure.unit_means

    def in_words(self, radius: float) -> str:
        """A radius in this unit with the name of the unit, if it has one.

        Examples
        --------
        >>> (
        ...     radius_unit(as_metric("words"), "edit").in_words(2),
        ...     radius_unit(as_metric("words"), "damerau").in_words(1),
        ... )
        ('2 edits', '1 damerau step')
        """
        return (
            f"{radius:g} ({self.other})"
            if self.known_measure is None
            else in_units(radius, self.known_measure)
        )

    def in_metric(self, radius: float) -> float:
        """How far objects that move by this radius move at most in the metric of the model;
        infinite if no constant is known.

        Examples
        --------
        >>> radius_unit(as_metric("words"), "edit").in_metric(2)
        6.0
        """
        return (
            radius if self.other is None else radius * self.metric.dominated.get(self.other, np.inf)
        )

    def reach(self, radii: Floats | float) -> Floats:
        """How far objects within radii can be: where distances are multiples of a step, the last of
        these.

        Examples
        --------
        >>> (
        ...     radius_unit(as_metric("levenshtein"), "edit").reach(1.5),
        ...     radius_unit(as_metric("euclidean"), None).reach(1.5),
        ... )
        (array(1.), array(1.5))
        """
        asked = np.asarray(radii, dtype=np.float64)
        return (
            np.asarray(self.step * np.floor(asked / self.step * (1 + rounding.SUM_ERROR)))
            if self.step
            else asked
        )

    def converted(self, radii: Floats, prepared: Sample) -> Floats:
        """Radii of prepared objects in this unit, as people would write them, from radii in the
        metric of the model.
        """
        if self.other is None:
            return rounding.to_steps(radii, self.step)
        bounds = self.metric.radii_in(self.other, radii, prepared)
        return rounding.to_steps(
            rounding.shortened(np.asarray(bounds), 0.0, rounding.SUM_ERROR), self.step
        )


def radius_unit(metric: Metric, unit: str | None) -> RadiusUnit:
    """Find what radii of models on a metric are measured in.

    Examples
    --------
    >>> (
    ...     radius_unit(as_metric("indel"), "edit").other,
    ...     radius_unit(as_metric("indel"), "indel").other is None,
    ... )
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
            f"{setting('unit', unit)} is not the name of a unit.",
            advice="Pass 'edit', 'word', or a metric's name.",
            value=unit,
        )
    unit = _SHORT.get(unit, unit)
    name = _named_by(metric, unit)
    own_word = unit == metric.unit and (metric.built_in or not _is_ours(unit))
    if name == metric.full_name or own_word:
        return RadiusUnit(metric)
    if metric.radii_in(name, np.empty(0), metric.prepare([])) is not None:
        return RadiusUnit(metric, name)
    bounds = (
        f"{', '.join(map(repr, metric.dominated))} alone" if metric.dominated else "no other metric"
    )
    own = f"{metric.unit}s" if metric.unit else f"{metric.name!r} itself"
    others = ", choose one of these" if metric.dominated else ""
    asked = by_full_name(name)
    why = f" {asked.if_not_bounding}" if asked is not None and asked.if_not_bounding else ""
    if unit == SynonymSteps.unit:
        taught = python("LinearLipschitzClassifier('words', synonyms={'good': ['fine']})")
        why = f" A table of synonyms belongs to a model: {taught}."
    raise NotCertified(
        f"No radius is proved in the unit {unit!r}: {metric.name!r} is bounded by {bounds}.{why}",
        advice=f"Leave {setting('unit')} out for radii in {own}{others}, or declare what you can "
        f"prove: {python('Metric')}(..., dominated={{'levenshtein': 3}}).",
        missing="dominated",
    )


def _named_by(metric: Metric, unit: str) -> str:
    """The full name of the metric that a unit means for another metric: of several with the same
    word for a distance of 1, the one that bounds it.
    """
    name = _UNITS.get(unit, unit)
    if unit not in _UNITS or name in metric.dominated:
        return name
    return next((each for each in metric.dominated if each.partition("(")[0] == name), name)


def _is_ours(unit: str) -> bool:
    """Whether a word means a metric of this library, so that a user's metric cannot have it as a
    name of its own unit.
    """
    return unit in _UNITS or unit.partition("(")[0] in METRICS | TRANSFORMS


#: The words for a distance of 1, and the metrics of the table, with default parameters, that they
#: belong to.
_UNITS = {
    unit: name
    for name in METRICS
    if name != Precomputed.name and (unit := as_metric(name).unit) is not None
}


#: Words that people use for them.
_SHORT = {"word": "word edit"}


#: Radii of metrics without a step are searched on a geometric grid: the number of its radii from
#: one to its double, and how many of them the first step of the search passes.
_PER_OCTAVE, _FIRST_STRIDE = 2048, 128
#: A search without a known radius begins at a guess, and looks no lower than the guess halved this
#: many times.
_OCTAVES_BELOW = 24
#: The most bounds that a search asks for; each holds by itself, so that a search that ends early
#: has proved what it found.
_MOST_QUESTIONS = 120

#: The least lead within radii of some rows, by the number of each row.
Lowest = Callable[[Floats, Indices], Floats]


class LeadsNearby(Protocol):
    """What bounds the leads of the labels of n objects wherever they move, from distances that are
    measured once.
    """

    @property
    def scores(self) -> Floats:
        """The scores."""

    @property
    def radii(self) -> Floats:
        """The radii that are known in closed form, in the metric of the model; 0 where none is."""

    @property
    def guesses(self) -> Floats:
        """Where a search without a known radius begins: positive numbers of a sensible size."""

    def lowest(self, radii: Floats, rows: Indices, unit: str | None = None) -> Floats:
        """A lower bound of the lead of each label at all objects within a radius, that one
        included, less what rounding can do. Only a positive one proves something: NaN and negative
        numbers do not.
        """


@dataclass(frozen=True, eq=False)
class NearbyDistances:
    r"""Distances from n objects to m references, and where computed distances can be after these
    objects have moved.

    If computed distances err by at most :math:`\varepsilon d + u`, and an object moves by at most
    r, computed or exact, then the computed distance to a reference at the computed distance d is
    between :math:`d - r - 2 \varepsilon d - 3 u` and :math:`d + r + 3 \varepsilon (d + r) + 4 u`: d
    errs by :math:`\varepsilon d + u`, the move by :math:`\varepsilon r + u`, and the new distance
    by as much again. Here :math:`8 \varepsilon` and 8 u are allowed for, as the intervals of other
    units may make errors larger.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> edits = metric("levenshtein")
    >>> tea, rum = edits.prepare(["tea"]), edits.prepare(["tea", "rum"])
    >>> near = NearbyDistances(
    ...     edits, tea, rum, edits.block(tea, rum), rounding.DistanceErrors.of(1, 0.0)
    ... )
    >>> low, high = near.after(np.array([1.0]), np.array([0]))
    >>> low.round(6), high.round(6)
    (array([[0., 2.]]), array([[1., 4.]]))
    """

    #: The metric of the model.
    metric: Metric
    #: ``objects``, ``references``: the n objects, and the m references.
    objects: Sample
    references: Sample
    #: The computed distances between them, shape (n, m).
    distances: Floats
    #: Those of the distances, for each of the n objects.
    errors: rounding.DistanceErrors

    def after(self, radii: Floats, rows: Indices, unit: str | None = None) -> tuple[Floats, Floats]:
        """The least and the greatest distances of some rows after a move; see `LeadsNearby.lowest`.
        The greatest is finite.
        """
        whole = len(rows) == len(self.distances)
        distances = self.distances if whole else self.distances[rows]
        moved = radii[:, None]
        if unit is None:
            low, high = distances - moved, distances + moved
        else:
            objects = self.objects if whole else sample.pick(self.objects, rows)
            found = self.metric.distances_after(unit, moved, objects, self.references, distances)
            low, high = (
                (np.zeros_like(distances), np.full_like(distances, np.inf))
                if found is None
                else found
            )
        slack = 8.0 * self.errors.relative * high
        slack += 8.0 * self.errors.absolute[rows, None]
        low -= slack
        high += slack
        return np.maximum(low, 0.0, out=low), np.minimum(high, np.finfo(np.float64).max, out=high)


def largest_radii(
    lowest: Lowest, known: Floats, step: float | None, guesses: Floats | None = None
) -> Floats:
    """The largest radii found at which the lowest lead is positive: nothing strictly closer has
    another label.

    Where all distances are multiples of a step, radii of 0, 1, 2, ... steps are tried, and what is
    closer than the next step after one that holds is within that one. Otherwise radii are tried on
    a geometric grid, which finds the largest up to a thirtieth of a percent, rounded down. Radii
    that are ``known`` are proved already; where they are 0 and there is no step, the search begins
    at ``guesses``, without which they stay 0.

    Examples
    --------
    >>> def falling(radii, rows):
    ...     return 2.5 - radii
    >>> (
    ...     largest_radii(falling, np.zeros(1), step=1.0),
    ...     largest_radii(falling, np.array([0.5]), step=None).round(2),
    ... )
    (array([3.]), array([2.5]))
    """
    radii = known.copy()
    rows = np.flatnonzero(known < np.inf)
    everywhere = lowest(np.full(len(rows), np.inf), rows) > 0
    radii[rows[everywhere]] = np.inf
    rows = rows[~everywhere]
    if step:
        first = np.ceil(known[rows] / step) - 1.0
        steps = _most_steps(
            lambda tried, at: lowest(step * tried, rows[at]), first, np.full(len(rows), 1.0)
        )
        radii[rows] = np.maximum(known[rows], np.where(steps > first, step * (steps + 1.0), 0.0))
        return radii
    starts = known if guesses is None else np.where(known > 0, known, guesses)
    rows = rows[(starts[rows] > 0) & np.isfinite(starts[rows])]
    below = -float(_OCTAVES_BELOW * _PER_OCTAVE)
    first = np.where(known[rows] > 0, 0.0, below)
    strides = np.where(known[rows] > 0, _FIRST_STRIDE, -below)  # from below straight to the guess
    places = _most_steps(
        lambda tried, at: lowest(_on_grid(starts[rows[at]], tried), rows[at]), first, strides
    )
    radii[rows] = np.maximum(
        known[rows], np.where(places > first, _on_grid(starts[rows], places), 0.0)
    )
    return radii


def _on_grid(starts: Floats, places: Floats) -> Floats:
    """The radii at places of the geometric grids that begin with ``starts``."""
    return starts * np.exp2(places / _PER_OCTAVE)


def _most_steps(lowest: Lowest, first: Floats, strides: Floats) -> Floats:
    """The largest whole numbers found at which a bound is positive, or ``first``, of which that is
    known or assumed.

    Strides double until the bound is not positive; then the interval between is halved.
    """
    low, high, strides = first.copy(), np.full(len(first), np.inf), strides.copy()
    for _ in range(_MOST_QUESTIONS):
        asked = np.flatnonzero(high - low > 1.0)
        if not len(asked):
            break
        is_open = np.isinf(high[asked])
        middle = np.floor(
            low[asked] + (np.where(is_open, low[asked], high[asked]) - low[asked]) / 2.0
        )
        tried = np.where(is_open, low[asked] + strides[asked], middle)
        holds = lowest(tried, asked) > 0
        low[asked[holds]] = tried[holds]
        high[asked[~holds]] = tried[~holds]
        strides[asked[is_open & holds]] *= 2.0
    return low


class RadiusRule(Protocol):
    """How a fitted classifier proves radii of prepared objects."""

    def radii(self, objects: Sample, measure: RadiusUnit) -> Floats:
        """The certified radii in a unit, shape (n,): nothing strictly closer has another label."""

    def scores_and_radii(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """The scores, shape (n, k), and the radii, from one pass over the distances where that is
        possible.
        """

    def lowest_leads(self, objects: Sample, radii: Floats, measure: RadiusUnit) -> Floats:
        """A lower bound of the lead of each label within a radius of each object; what is positive
        proves that it stays.
        """

    def leads_around(self, objects: Sample, measure: RadiusUnit) -> Lowest | None:
        """What `lowest_leads` says of these objects at any radii, from work that is done once, as a
        bound of the difference of scores; None where only radii are known, and no scores there.
        """

    def heights(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, float]:
        """Radii, and the share of them that is the height of a 1-Lipschitz margin function.

        Such a function maps objects into a star, which has an arm for each label: an object with
        that label is on this arm, at its height above the centre. `wideberth.guarantees` proves the
        shares, and bounds the error by the heights.
        """


@dataclass(frozen=True, eq=False)
class LipschitzScores:
    r"""Scores with Lipschitz constants: :math:`r(x) = \min_{y' \neq y} (h(x, y) - h(x, y')) / (L_y
    + L_{y'})`.
    """

    #: The Lipschitz constant of the score of each class, shape (k,).
    slopes: Floats
    #: Maps prepared objects to their scores, and for each score the sum of its absolute terms,
    #: distances times their slopes among them; both of shape (n, k). Rounding errs in proportion to
    #: these sums.
    scores_and_sizes: Callable[[Any], tuple[Floats, Floats]]
    #: Maps prepared objects to how far their distances to the references may be from the exact
    #: ones.
    errors: Callable[[Any], rounding.DistanceErrors]

    @classmethod
    def of(
        cls, model: Any, slopes: Floats, references: Sample | None, scores_and_sizes: Any = None
    ) -> Self:
        """The rule of a classifier whose scores measure distances to references, or none if they
        are constant; `NotCertified` without the triangle inequality.

        The sizes of scores that are not differences of large terms are their absolute values.
        """
        model.require_triangle()
        return cls(
            slopes,
            scores_and_sizes or model.scores_and_absolutes,
            distance_errors(model.metric_, references),
        )

    def radii(self, objects: Sample, measure: RadiusUnit) -> Floats:
        """By the leads of the scores."""
        return self.scores_and_radii(objects, measure)[1]

    def scores_and_radii(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """From one computation of the scores."""
        bounded = self._bounded(objects)
        return bounded[0], measure.converted(rounding.radii_of_leads(*bounded), objects)

    def lowest_leads(self, objects: Sample, radii: Floats, measure: RadiusUnit) -> Floats:
        """Differences of scores in the metric of the model; in another unit what is left of the
        radius.
        """
        if measure.other is not None:
            return self.radii(objects, measure) - radii
        return rounding.leads_within(*self._bounded(objects), radii)

    def leads_around(self, objects: Sample, measure: RadiusUnit) -> Lowest:
        """Differences of scores after a move as long as one in the unit can be by the metric."""
        scores, sizes, slopes, errors = self._bounded(objects)

        def lowest(radii: Floats, rows: Indices) -> Floats:
            moved = np.array([measure.in_metric(radius) for radius in radii.tolist()])
            own = rounding.DistanceErrors(errors.relative, errors.absolute[rows])
            return rounding.leads_within(
                scores[rows], sizes[rows], slopes, own, np.nan_to_num(moved, nan=np.inf)
            )

        return lowest

    def heights(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, float]:
        """The whole radii: among objects with the same label they are least differences of
        Lipschitz scores, and so Lipschitz themselves.
        """
        return self.radii(objects, measure), 1.0

    def _bounded(self, objects: Sample) -> tuple[Floats, Floats, Floats, rounding.DistanceErrors]:
        """The first four arguments of `radii_of_leads`; constant scores depend on no distance."""
        errors = (
            self.errors(objects)
            if np.any(self.slopes)
            else rounding.DistanceErrors.of(sample.count(objects), 0.0)
        )
        return *self.scores_and_sizes(objects), np.asarray(self.slopes), errors


@dataclass(frozen=True, eq=False)
class ScoresBoundedNearby:
    """Scores that are bounded near each object, from distances that are measured once."""

    #: Maps prepared objects to blocks of them, each with what bounds the leads of their labels
    #: wherever they move.
    blocks: Callable[[Any], Iterator[tuple[slice, LeadsNearby]]]
    #: The rule by Lipschitz constants, if these are known too: their radii are smaller, but heights
    #: of a Lipschitz function.
    lipschitz: LipschitzScores | None = None

    def radii(self, objects: Sample, measure: RadiusUnit) -> Floats:
        """By a search."""
        return self.scores_and_radii(objects, measure)[1]

    def scores_and_radii(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """By the largest radii at which leads stay positive, from distances that are measured once.

        In another unit the radius by the metric is converted, and then searched further by
        intervals of that unit.
        """
        scores, radii = [], []
        for part, leads in self.blocks(objects):
            found = largest_radii(leads.lowest, leads.radii, measure.metric.step, leads.guesses)
            found = measure.converted(found, sample.pick(objects, part))
            if measure.other is not None:
                in_unit = partial(leads.lowest, unit=measure.other)
                found = largest_radii(in_unit, found, measure.step)
            scores.append(leads.scores)
            radii.append(found)
        return np.concatenate(scores), np.concatenate(radii)

    def lowest_leads(self, objects: Sample, radii: Floats, measure: RadiusUnit) -> Floats:
        """The bounds that a search tries; -inf where nothing is known."""
        found = np.empty(len(radii))
        for part, leads in self.blocks(objects):
            own = radii[part]
            found[part] = leads.lowest(own, np.arange(len(own)), measure.other)
        return np.where(np.isnan(found), -np.inf, found)

    def leads_around(self, objects: Sample, measure: RadiusUnit) -> Lowest:
        """The bounds that a search tries, of all objects at a time."""
        blocks = list(self.blocks(objects))

        def lowest(radii: Floats, rows: Indices) -> Floats:
            found = np.full(len(rows), -np.inf)
            for part, leads in blocks:
                here = np.flatnonzero((rows >= part.start) & (rows < part.stop))
                if len(here):
                    found[here] = leads.lowest(radii[here], rows[here] - part.start, measure.other)
            return np.where(np.isnan(found), -np.inf, found)

        return lowest

    def heights(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, float]:
        """The radii by the Lipschitz constants of the scores, if these are known; else half of the
        radii that a search finds.

        The larger of the two is not taken: what is taken must not depend on the sample.
        """
        return (
            (self.radii(objects, measure), 0.5)
            if self.lipschitz is None
            else self.lipschitz.heights(objects, measure)
        )


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """Radii with a formula of their own."""

    #: Maps prepared objects to their scores, shape (n, k).
    scores: Callable[[Any], Floats]
    #: Maps prepared objects, a unit and the largest radius that matters to radii in the unit; those
    #: beyond it may be smaller than they could be.
    radii_in: Callable[[Any, RadiusUnit, float], Floats]
    #: Whether the radii are heights of a 1-Lipschitz margin function, as distances to a border that
    #: every path crosses are.
    are_heights: bool = False

    def radii(self, objects: Sample, measure: RadiusUnit) -> Floats:
        """By the formula."""
        return self.radii_in(objects, measure, np.inf)

    def scores_and_radii(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, Floats]:
        """One after the other."""
        return self.scores(objects), self.radii(objects, measure)

    def lowest_leads(self, objects: Sample, radii: Floats, measure: RadiusUnit) -> Floats:
        """What is left of the radii."""
        return self.radii_in(objects, measure, float(radii.max(initial=0.0))) - radii

    def leads_around(self, objects: Sample, measure: RadiusUnit) -> None:
        """None: a formula for radii says nothing of the scores within them."""

    def heights(self, objects: Sample, measure: RadiusUnit) -> tuple[Floats, float]:
        """The whole radii if they are heights; their halves always are."""
        return self.radii(objects, measure), 1.0 if self.are_heights else 0.5


def in_units_of(radii: Callable[[Any], Floats]) -> Callable[[Any, RadiusUnit, float], Floats]:
    """Radii of a `ClosedForm` that are known in the metric of the model, converted to any unit."""
    return lambda objects, measure, _: measure.converted(radii(objects), objects)


def distance_errors(metric: Metric, references: Sample) -> Callable[[Any], rounding.DistanceErrors]:
    """How far the distances from prepared objects to some references may be from the exact ones."""
    return lambda objects: metric.distance_errors(objects).towards(
        metric.distance_errors(references)
    )
