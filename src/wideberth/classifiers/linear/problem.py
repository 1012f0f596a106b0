"""What linear scores are learned from: the features of the training objects, and the unit in which
errors are priced.
"""

import math
import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Floats, Sample
from wideberth.classifiers.linear.changes import EditChanges
from wideberth.classifiers.linear.features import (
    CountedFeatures,
    checked_blocks,
    different_objects,
    texts_of,
)
from wideberth.classifiers.linear.moves import MOVES
from wideberth.classifiers.linear.robust_hinge import LinearPoint, RobustHinge
from wideberth.errors import InvalidInput
from wideberth.estimators.radius_rules import RadiusUnit
from wideberth.estimators.training import Training
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.edits import Levenshtein
from wideberth.metrics.strings.words_and_grams import NGrams
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.wording import setting

#: The usual unit of prices, as of an SVM: C = 1 is that of a thousand objects.
_OBJECTS = 1000.0
#: More edits than any text has words: all that are possible at once.
ALL = 1 << 40
#: With a box, this share of its square is the price of squared coefficients: of several optima the
#: smallest.
_TINY = 1e-6


@dataclass(frozen=True)
class LearningSettings:
    """How to learn: the price of errors, free of scale; the edits of the hinge, None for all that
    are possible at once, and what one is; the largest coefficient, infinite if the price alone
    keeps them small; the relative gap and the time at which to stop.
    """

    C: float
    edits: int | None
    steps: Metric
    box: float
    tol: float
    deadline: float = math.inf


class LinearProblem:
    """The training objects as linear scores see them: features, codes, and shares of the total
    weight.

    Equal objects of a class are merged, and the others sorted, so that neither order nor copies
    change what is learned.
    """

    def __init__(self, training: Training, min_count: int) -> None:
        self._objects, numbers = different_objects(training.objects)
        self.n_classes = training.n_classes
        self.features = CountedFeatures.of(training.metric, self._objects, min_count=min_count)
        keys, group_of = np.unique(
            numbers * training.n_classes + training.codes, return_inverse=True
        )
        self._rows = keys // training.n_classes
        self.codes = (keys % training.n_classes).astype(np.intp)
        weights = np.bincount(group_of, weights=training.weights)
        self.total = float(weights.sum())
        self.weights = weights / self.total
        self.matrix = self.features.matrix(sample.pick(self._objects, self._rows))
        self._hinges: dict[tuple[bool, type[Metric] | None], Any] = {}

    @property
    def median_words(self) -> float:
        """The median number of words of the different texts; 0 for vectors."""
        if self.features.vocabularies is None:
            return 0.0
        return float(np.median([len(text.split()) for text in texts_of(self._objects)]))

    @cached_property
    def rarities(self) -> Floats:
        r"""How rare each feature is, :math:`1 + \log((1 + m) / (1 + m_g))` for one in :math:`m_g`
        of m texts; 1 for coordinates.

        It is the inverse document frequency of scikit-learn. What is in nearly every text tells
        little of its label.
        """
        if self.features.vocabularies is None:
            return np.ones(len(self.features))
        counts = self.features.matrix(self._objects)
        texts = np.bincount(counts.indices, minlength=counts.shape[1])
        return np.asarray(1.0 + np.log((1.0 + counts.shape[0]) / (1.0 + texts)))

    @cached_property
    def _variances(self) -> Floats:
        """The variance of each feature."""
        mean = self.weights @ self.matrix
        squares = self.matrix**2 if isinstance(self.matrix, np.ndarray) else self.matrix.power(2)
        return np.asarray(self.weights @ squares - mean**2)

    def _units(self, *, boxed: bool) -> Floats:
        """What each feature is divided by while learning, so that their variances add up to 1.

        With prices, rare features are divided by less: their coefficients cost less. A box limits
        all coefficients alike.
        """
        rarities = np.ones(len(self.features)) if boxed else self.rarities
        return np.asarray(math.sqrt(_positive(float(self._variances @ rarities**2))) / rarities)

    def price(self, settings: LearningSettings) -> float:
        """The price of an error that C means, for the weights that the user gave; infinite where
        the box replaces it.
        """
        if math.isfinite(settings.box):
            return math.inf
        variance = _positive(float(self._variances @ self.rarities**2))
        return _OBJECTS * settings.C / (variance * self.total)

    def solve(self, settings: LearningSettings, start: LinearPoint | None = None) -> Solution:
        """Learn scores by the robust hinge, in units in which the variances add up to 1; the value
        of the solution is that of the formula of the classifier, in the weights of the user.
        """
        if self.n_classes == 1:
            nothing = LinearPoint(np.zeros((len(self.features), 1)), np.zeros(1))
            return Solution(nothing, 0.0, 0.0, "one class")
        boxed = math.isfinite(settings.box)
        units = self._units(boxed=boxed)
        box = settings.box * float(units.max()) if boxed else math.inf
        ridge = _TINY / box**2 if boxed else 0.5 / (_OBJECTS * settings.C)
        if start is not None:
            start = LinearPoint(start.coefficients * units[:, None], start.intercepts)
        hinge = self._hinge(units, settings, boxed=boxed)
        limits = {"tol": settings.tol, "deadline": settings.deadline}
        edits = ALL if settings.edits is None else settings.edits
        found = hinge.solve(ridge, box, edits=edits, start=start, **limits)
        point = LinearPoint(found.point.coefficients / units[:, None], found.point.intercepts)
        factor = self.total if boxed else self.price(settings) * self.total
        return Solution(point, found.value * factor, found.lower_bound * factor, found.status)

    def _hinge(self, units: Floats, settings: LearningSettings, *, boxed: bool) -> Any:
        """The hinge of features divided by units; what steps change is listed once it is needed,
        and one that has it serves for no steps too.
        """
        steps = settings.steps if settings.edits != 0 else None
        for (known_boxed, kind), hinge in self._hinges.items():
            if known_boxed == boxed and (steps is None or kind is type(steps)):
                return hinge
        key = boxed, None if steps is None else type(steps)
        self._hinges[key] = self._new_hinge(units, steps)
        return self._hinges[key]

    def _new_hinge(self, units: Floats, steps: Metric | None) -> Any:
        """The hinge of features divided by units, after steps if they are given."""
        changes = changes_in(self.features, sample.pick(self._objects, self._rows), units, steps)
        matrix = divided(self.matrix, units)
        return RobustHinge(matrix, changes, self.codes, self.weights, self.n_classes)


def divided(matrix: Any, units: Floats) -> Any:
    """A matrix of features, dense or sparse, divided by units."""
    return matrix / units if isinstance(matrix, np.ndarray) else csr_array(matrix / units[None, :])


def changes_in(
    features: CountedFeatures, objects: Sample, units: Floats, steps: Metric | None
) -> EditChanges:
    """What steps change in the features of prepared objects, divided by units; nothing without
    steps, or where that is not listed.
    """
    moves = None if steps is None else MOVES[type(steps)]
    if steps is None or moves is None or not moves.listed(features.blocks):
        return EditChanges.none(sample.count(objects), len(features))
    found = moves.changes(features, objects, steps)
    return replace(found, deltas=divided(found.deltas, units))


def _positive(number: float) -> float:
    """A positive number, or 1 in place of 0."""
    return number if number > 0 else 1.0


def centred(point: LinearPoint) -> tuple[Floats, Floats]:
    """Coefficients of shape (k, features) and intercepts, with the middle of the classes at 0,
    which changes no lead.

    So the largest coefficient is half of the largest slope.
    """
    middle = 0.5 * (point.coefficients.max(axis=1) + point.coefficients.min(axis=1))
    coefficients = np.ascontiguousarray((point.coefficients - middle[:, None]).T)
    return coefficients, point.intercepts - point.intercepts.mean()


# ---- What the parameters of a classifier mean for a metric

#: For how many edits the hinge is robust by default with counts of words; and for one edit less for
#: as many words less than twice this number: what short texts say is gone after few edits, and
#: nothing would be learned.
USUAL_EDITS, _WORDS_FOR_AN_EDIT = 2, 5


def settings_of(model: Any, median_words: float) -> LearningSettings:
    """How a classifier whose ``metric_`` is known shall learn from texts of so many words, in the
    unit that it learns for.
    """
    measure = model.learned_unit()
    box = (
        math.inf
        if model.margin is None
        else 1.0 / (2.0 * changed_by_a_step(measure) * model.margin)
    )
    steps = learned_steps(measure)
    edits = _known_edits(model, steps, median_words)
    deadline = math.inf if model.max_time is None else time.monotonic() + model.max_time
    return LearningSettings(model.C, edits, steps, box, model.tol, deadline)


def learned_steps(measure: RadiusUnit | None) -> Metric:
    """The steps that scores are learned for: those of a unit, or edits of characters where that has
    no rule of its own.

    Examples
    --------
    >>> from wideberth.estimators.radius_rules import radius_unit
    >>> from wideberth.metrics.named import metric
    >>> learned_steps(radius_unit(metric("words"), "word"))
    WordEdit()
    """
    steps = None if measure is None else measure.known_measure
    return steps if steps is not None and type(steps) in MOVES else Levenshtein()


def changed_by_a_step(measure: RadiusUnit | None) -> float:
    """How far a step of a unit moves an object in the metric of a model at most; 1 where distances
    are not bounded by it.

    Examples
    --------
    >>> from wideberth.estimators.radius_rules import radius_unit
    >>> from wideberth.metrics.named import metric
    >>> (
    ...     changed_by_a_step(radius_unit(metric("words"), "edit")),
    ...     changed_by_a_step(radius_unit(metric("words"), "word")),
    ...     changed_by_a_step(None),
    ... )
    (3.0, 2.0, 1.0)
    """
    return 1.0 if measure is None else measure.in_metric(1.0)


def _known_edits(model: Any, steps: Metric, median_words: float) -> int | None:
    """The number of edits for which the hinge is robust, None for all at once; or an error if
    nothing is known about edits.
    """
    blocks, moves = checked_blocks(model.metric_), MOVES[type(steps)]
    known = moves.listed(blocks)
    if model.edits is None:
        if known and moves.all_at_once:
            return None
        usual = known and not isinstance(blocks[0].metric, NGrams)
        return min(USUAL_EDITS, int(median_words // _WORDS_FOR_AN_EDIT)) if usual else 0
    if model.edits and not known:
        raise InvalidInput(
            f"{setting('edits', shown=model.edits)}: what an edit changes in the counts of "
            f"{model.metric_.name!r} is not listed.",
            advice="Leave edits out, or pass 0, and a margin; or take "
            f"{setting('metric', 'words')} or 'ngrams'.",
            value=model.edits,
        )
    return int(model.edits)
