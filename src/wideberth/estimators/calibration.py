"""Probabilities from scores: a softmax with a temperature and an offset for each class, fitted on
objects that were left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import sklearn  # its parts are loaded when they are asked for
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.metric_estimator import reported
from wideberth.estimators.training import Training
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting

# ---- The log loss of calibrated scores, and its smallest value by Newton's method

#: The inverse temperatures that are allowed, for scores whose leads are 1 on average.
_FLATTEST, _STEEPEST = 1e-3, 1e6
#: When Newton's method ends at the latest, and when halving its steps does.
_STEPS, _SHORTEST = 100, 2.0**-40
#: The last step is as small, relative to the point that it reaches.
_SMALL = 1e-8


#: The fewest classes for which there is a bend: with fewer, one temperature is enough.
BENT_FROM = 4


@dataclass(frozen=True, eq=False)
class SoftmaxLoss:
    r"""The log loss of a softmax as a convex function of its inverse temperature, its bend and its
    offsets.

    .. math:: \ell(\beta, \delta, b) = -\sum_i w_i \sum_y t_{iy} \log p_{iy} + \tfrac12 \delta^2 +
        \tfrac12 \sum_y b_y^2, \quad p_{iy} \propto \exp\Bigl(-\beta a_{iy} - \delta \log\Bigl(1 +
        \frac{a_{iy}}{u}\Bigr) + b_y\Bigr)

    for the leads a of the largest score over each other, which over the second largest are u on
    average. The bend is not negative, so that probabilities fall with the leads; it is 0 for few
    classes.

    The targets t give one object in n + 1, for n the sum of the weights, a label drawn at random,
    so that the smallest loss is not at infinity if all objects are right.

    Examples
    --------
    >>> loss = SoftmaxLoss.of(np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), np.ones(2))
    >>> best = loss.smallest()
    >>> [bool(loss.value(best) < loss.value(best + step)) for step in (-0.1, 0.1)]
    [True, True]
    """

    #: Scores, less the largest of the object, divided by ``scale``; of many classes beside it
    #: :math:`-\log(1 + a / u)`; shape (1 or 2, n, k).
    slopes: Floats
    #: -inf for classes that are impossible, otherwise 0, shape (n, k).
    barred: Floats
    #: t, shape (n, k).
    targets: Floats
    #: w, shape (n,).
    counts: Floats
    #: What leads are on average, so that their unit does not matter.
    scale: float
    #: u, in the unit of the scores.
    unit: float

    @classmethod
    def of(
        cls, scores: Floats, codes: Indices, counts: Floats, *, bent: bool = True
    ) -> "SoftmaxLoss":
        """The loss on scores, -inf for impossible classes, of objects with these classes, each
        counted so many times.
        """
        leads = scores - scores.max(axis=1, keepdims=True)
        possible = np.isfinite(leads)
        second = -np.sort(leads, axis=1)[:, -2]
        leads = np.where(possible, leads, 0.0)
        scale = float(-(counts @ leads.mean(axis=1)) / counts.sum()) or 1.0
        told = np.isfinite(second)
        unit = float(counts[told] @ second[told] / (counts[told].sum() or 1.0)) or 1.0
        random = 1.0 / (counts.sum() + 1)
        targets = random * possible / possible.sum(axis=1, keepdims=True)
        targets[np.arange(len(codes)), codes] += 1.0 - random
        slopes = [leads / scale]
        if bent and scores.shape[1] >= BENT_FROM:
            slopes.append(-np.log1p(-leads / unit))
        barred = np.where(possible, 0.0, -np.inf)
        return cls(np.array(slopes), barred, targets, counts, scale, unit)

    def value(self, point: Floats) -> float:
        """The loss for an inverse temperature, a bend and offsets, in one array."""
        logs = log_softmax(self._sums(point), axis=1)
        told = np.multiply(self.targets, logs, out=np.zeros_like(logs), where=self.targets > 0)
        return float(-(self.counts @ told.sum(axis=1)) + 0.5 * (point[1:] @ point[1:]))

    def step(self, point: Floats) -> Floats:
        """The step of Newton's method, with the inverse temperature and the bend held where they
        would leave what is allowed.
        """
        gradient, curvature = self._derivatives(point)
        low = np.array([_FLATTEST, 0.0])[: len(self.slopes)]
        high = np.array([_STEEPEST, _STEEPEST])[: len(self.slopes)]
        step, free = np.zeros(len(point)), np.ones(len(point), dtype=bool)
        while True:
            known = curvature[np.ix_(free, ~free)] @ step[~free]
            step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], gradient[free] + known)
            places = np.arange(len(low))
            reached = point[places] + step[places]
            out = np.flatnonzero(((reached < low) | (reached > high)) & free[places])
            if not len(out):
                return step
            step[out] = np.clip(reached[out], low[out], high[out]) - point[out]
            free[out] = False

    def _derivatives(self, point: Floats) -> tuple[Floats, Floats]:
        """The gradient of the loss and its second derivatives."""
        chances = softmax(self._sums(point), axis=1)
        excess = self.counts[:, None] * (chances - self.targets)
        weighted = self.counts[:, None] * chances
        gradient, curvature = point.copy(), np.eye(len(point))
        gradient[0] = 0.0
        gradient[2:] += excess.sum(axis=0)
        curvature[0, 0] = SUM_ERROR * len(self.counts)  # equal scores have none
        curvature[2:, 2:] += np.diag(weighted.sum(axis=0)) - weighted.T @ chances
        centred = [each - (chances * each).sum(axis=1)[:, None] for each in self.slopes]
        for place, each in enumerate(self.slopes):
            gradient[place] += (excess * each).sum()
            curvature[place, 2:] = curvature[2:, place] = (weighted * centred[place]).sum(axis=0)
            for other in range(len(self.slopes)):
                curvature[place, other] += (weighted * centred[place] * centred[other]).sum()
        return gradient, curvature

    def smallest(self) -> Floats:
        """Where it is smallest: Newton's method, with steps halved until they lower the loss."""
        point = np.concatenate([[1.0, 0.0], np.zeros(self.barred.shape[1])])
        value = self.value(point)
        for _ in range(_STEPS):
            step, length = self.step(point), 1.0
            while (found := self.value(point + length * step)) > value and length > _SHORTEST:
                length /= 2
            if found > value:
                break
            point, value = point + length * step, found
            # the next step would have the square of its size
            if np.abs(step).max() <= _SMALL * np.abs(point).max():
                break
        return point

    def _sums(self, point: Floats) -> Floats:
        sums = point[2:] + self.barred
        for factor, each in zip(point[:2], self.slopes, strict=False):
            sums = sums + factor * each
        return np.asarray(sums)


#: By which share the label leads where another class was as probable.
_AHEAD = 1e-12


class _Scores(Protocol):
    """A model with scores of prepared objects, shape (n, k)."""

    def scores(self, objects: Sample) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Calibrator:
    r"""Probabilities :math:`p_y(x) \propto \exp(-\beta\, a_y(x) - \delta \log(1 + a_y(x) / u) + b_y)`,
    for the leads :math:`a_y` of the largest score over each, in which the class of the largest score
    stays the first.

    One temperature :math:`1 / \beta` for all classes (Guo, Pleiss, Sun & Weinberger, ICML 2017) and
    an offset :math:`b_y` of each (Alexandari, Kundaje & Shrikumar, ICML 2020). Where there are many
    classes, most of them are far behind, and one temperature that suits them makes too little of the
    first steps of a lead: the bend :math:`\delta \ge 0` counts these more. Offsets may make
    another class more probable than the label, which is that of the largest score. Then the
    probabilities are replaced by the nearest ones in which it is not: the label and the classes
    above it get their mean, the label :math:`10^{-12}` more. So the most probable class is what
    ``predict`` returns, and what a certified radius is about.

    Examples
    --------
    >>> Calibrator(2.0, np.zeros(2)).probabilities(np.array([[0.0, 0.0], [0.0, 5.0]])).round(2)
    array([[0.5, 0.5],
           [0. , 1. ]])
    >>> Calibrator(1.0, np.array([0.0, 2.0])).probabilities(
    ...     np.array([[1.0, 0.0], [1.0, -4.0]])
    ... ).round(2)
    array([[0.5 , 0.5 ],
           [0.95, 0.05]])
    """

    #: :math:`\beta`, one over the temperature.
    inverse: float
    #: :math:`b_y` of each class, shape (k,).
    offsets: Floats
    #: :math:`\delta`, and u, which is positive.
    bend: float = 0.0
    unit: float = 1.0

    def fall(self, leads: Floats) -> Floats:
        """By how much leads lower the logarithms of probabilities."""
        fallen: Floats = self.inverse * leads
        return fallen + self.bend * np.log1p(leads / self.unit) if self.bend else fallen

    def probabilities(self, scores: Floats) -> Floats:
        """The probabilities of the classes: shape (n, k), rows of sum 1, the largest at the largest
        score.
        """
        probabilities = self.free_probabilities(scores)
        rows, labels = np.arange(len(scores)), scores.argmax(axis=1)
        own = probabilities[rows, labels]
        others = probabilities.copy()
        others[rows, labels] = -1.0
        behind = np.flatnonzero(others.max(axis=1, initial=-1.0) >= own)
        for row in behind.tolist():  # few: those between two classes
            probabilities[row] = _with_the_label_first(probabilities[row], int(labels[row]))
        return probabilities

    def free_probabilities(self, scores: Floats) -> Floats:
        """The softmax itself, whose largest entry may be at another class than the largest
        score.
        """
        leads = scores.max(axis=1, keepdims=True) - scores  # of large scores before they are scaled
        return np.asarray(softmax(self.offsets - self.fall(leads), axis=1))


def _with_the_label_first(probabilities: Floats, label: int) -> Floats:
    """The nearest probabilities, in the Euclidean norm, with none above that of the label: those
    above share a mean with it.
    """
    rivals = np.sort(np.delete(probabilities, label))[::-1]
    total, count = probabilities[label], 1
    for rival in rivals.tolist():
        if rival <= total / count:
            break
        total, count = total + rival, count + 1
    mean = total / count
    found: Floats = np.minimum(probabilities, mean)
    found[label] = mean * (1.0 + _AHEAD)
    return found


class Calibrated:
    """What every classifier on a metric has: ``predict_proba``, if it was calibrated.

    A subclass has the parameter ``calibrate``, and sets ``calibration_`` when it learns
    (`calibrated`, `calibrated_on`).
    """

    calibration_: Calibrator
    #: What an error advises those who ask for probabilities.
    _usual_calibration: ClassVar[int | str] = 5

    @property
    def calibrator(self) -> Calibrator:
        """What turns its scores into probabilities, if it was calibrated."""
        return self.calibration_

    @available_if(lambda self: is_calibrated(self))
    @reported
    def predict_proba(self, X: Objects) -> Floats:
        """Probabilities of the classes, calibrated on objects that were left out; the most probable
        class is the label.

        It exists only if ``calibrate`` is not None.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n, k)
            The columns are in the order of ``classes_``; each row adds up to 1.
        """
        model: Any = self
        # raises NotFittedError before calibration_ is used
        scores = model.scores(model.admit_queries(X))
        return self.calibrator.probabilities(scores)


def calibrated(model: Any, training: Training) -> Calibrator:
    """Calibrate a classifier with the parameters ``calibrate`` (a number of folds) and
    ``random_state``.

    Examples
    --------
    >>> from wideberth import LipschitzClassifier
    >>> X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    >>> # fit calls this function
    >>> model = LipschitzClassifier(calibrate=2, random_state=0).fit(X, y)
    >>> bool(model.predict_proba([[0.0]])[0, 0] > 0.8)
    True
    """

    def refit(here: Training, chosen: Indices) -> _Scores:
        copy: Any = clone(model).set_params(calibrate=None)
        copy.inherit(model)
        copy.metric_ = here.metric
        copy.learn(here.part(chosen))
        return copy  # type: ignore[no-any-return]

    return calibrated_on_folds(
        training, int(model.calibrate), refit, random_state=model.random_state
    )


def is_calibrated(model: Any) -> bool:
    """Whether a classifier has ``predict_proba``, for `available_if`.

    Otherwise it raises the AttributeError that users see, which says how to get probabilities.

    Examples
    --------
    >>> from wideberth import LipschitzClassifier
    >>> (
    ...     hasattr(LipschitzClassifier(), "predict_proba"),
    ...     hasattr(LipschitzClassifier(calibrate=5), "predict_proba"),
    ... )
    (False, True)
    """
    name, chosen = type(model).__name__, getattr(model, "calibrate", None)
    if chosen is None:
        raise AttributeError(
            f"{name} has predict_proba only if it is calibrated. Fit with "
            f"calibrate={model._usual_calibration!r}."
        )
    fitted = getattr(model, "best_estimator_", model)
    if hasattr(fitted, "classes_") and not hasattr(fitted, "calibration_"):
        raise AttributeError(
            f"This {name} was fitted without probabilities. Fit it again with calibrate={chosen!r}."
        )
    return True


def calibrated_on_folds(
    training: Training,
    folds: int,
    refit: Callable[[Training, Indices], _Scores],
    *,
    random_state: int | None,
) -> Calibrator:
    """Calibrate on scores of objects left out, fold by fold; ``refit`` maps the objects, under a
    metric that the fold may teach, and the positions to learn from to a model with scores.
    """
    smallest = int(np.bincount(training.codes).min())
    if smallest < folds:
        raise InvalidInput(
            f"{setting('calibrate', shown=folds)} needs {folds} objects of every class; one class "
            f"has {smallest}.",
            advice="Calibrate with fewer folds, or drop the class.",
            value=smallest,
        )
    scores = np.empty((len(training), training.n_classes))
    splitter = sklearn.model_selection.StratifiedKFold(
        folds, shuffle=True, random_state=random_state
    )
    with task("calibration", folds) as calibrating:
        for known, left_out in splitter.split(np.zeros(len(training)), training.codes):
            here = training.taught_by(known)
            scores[left_out] = refit(here, known).scores(sample.pick(here.objects, left_out))
            calibrating.advance()
    return calibrated_on(scores, training.codes, training.weights)


def calibrated_on(
    scores: Floats, codes: Indices, weights: Floats | None = None, *, bent: bool = True
) -> Calibrator:
    r"""Calibrate on scores of objects that the models which gave them have not seen.

    Temperature, bend and offsets minimise the log loss plus :math:`\frac12 \delta^2 + \frac12
    \sum_y b_y^2`, a convex problem. One object in n + 1 counts as if its label were drawn at random: a model without errors
    on n objects may still err on the next one. A score of -inf is that of a class that a model did
    not know: objects of such a class are left out.

    Examples
    --------
    >>> scores = np.array(
    ...     [
    ...         [2.0, 0.0],
    ...         [2.0, 0.0],
    ...         [2.0, 0.0],
    ...         [2.0, 0.0],
    ...         [0.0, 2.0],
    ...         [0.0, 2.0],
    ...         [0.0, 2.0],
    ...         [0.0, 2.0],
    ...     ]
    ... )
    >>> sides = np.array([0, 0, 0, 1, 1, 1, 1, 0])  # three of four are right
    >>> calibrated_on(scores, sides).probabilities(scores)[0].round(2)
    array([0.72, 0.28])
    """
    known = np.isfinite(scores[np.arange(len(codes)), codes])
    n_classes = scores.shape[1]
    if n_classes == 1 or not known.any():
        return Calibrator(1.0, np.zeros(n_classes))
    counts = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    counts = counts[known] / min(1.0, counts[known].mean())
    loss = SoftmaxLoss.of(scores[known], codes[known], counts, bent=bent)
    best = loss.smallest()
    return Calibrator(float(best[0] / loss.scale), best[2:], float(best[1]), loss.unit)


def calibration_to_plain(model: Any) -> dict[str, Any]:
    """The calibration of a fitted classifier as plain values for a model file: part of its state.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> calibration_to_plain(SimpleNamespace(calibration_=Calibrator(2.0, np.zeros(2))))
    {'temperature': 2.0, 'offsets': array([0., 0.])}
    """
    found: Calibrator | None = getattr(model, "calibration_", None)
    return {"temperature": None, "offsets": None} if found is None else to_plain(found)


def to_plain(found: Calibrator) -> dict[str, Any]:
    """Plain values for a model file: ``temperature`` is its inverse alone, or with the bend and its
    unit if there is one.

    Examples
    --------
    >>> to_plain(Calibrator(2.0, np.zeros(4), 0.5, 3.0))["temperature"]
    array([2. , 0.5, 3. ])
    """
    bent = np.array([found.inverse, found.bend, found.unit])
    return {"temperature": bent if found.bend else found.inverse, "offsets": found.offsets}


def from_plain(state: dict[str, Any], n_classes: int) -> Calibrator:
    """What `to_plain` described; nothing in it is trusted."""
    offsets = restored_values.finite(state, "offsets", n_classes)
    if not isinstance(state["temperature"], np.ndarray):
        return Calibrator(restored_values.finite_number(state, "temperature"), offsets)
    inverse, bend, unit = restored_values.finite(state, "temperature", 3, least=0.0).tolist()
    if not unit:
        raise InvalidInput("The unit of a bend is not positive.", value=unit)
    return Calibrator(inverse, offsets, bend, unit)


def restore_calibration(model: Any, state: dict[str, Any]) -> None:
    """Set the calibration of a classifier, whose ``classes_`` are set, from the state in a file,
    which is checked.

    A classifier without probabilities has neither temperature nor offsets.
    """
    if state["temperature"] is None and state["offsets"] is None:
        return
    model.calibration_ = from_plain(state, len(model.classes_))
