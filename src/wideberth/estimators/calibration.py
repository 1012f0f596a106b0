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


@dataclass(frozen=True, eq=False)
class SoftmaxLoss:
    r"""The log loss of a softmax as a convex function of its inverse temperature and its offsets.

    .. math:: \ell(\beta, b) = -\sum_i w_i \sum_y t_{iy} \log p_{iy} + \tfrac12 \sum_y b_y^2,
        \quad p_{iy} = \frac{\exp(\beta s_{iy} + b_y)}{\sum_{y'} \exp(\beta s_{iy'} + b_{y'})}

    The targets t give one object in n + 1, for n the sum of the weights, a label drawn at random,
    so that the smallest loss is not at infinity if all objects are right.

    Examples
    --------
    >>> loss = SoftmaxLoss.of(np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), np.ones(2))
    >>> best = loss.smallest()
    >>> (
    ...     bool(loss.value(best) < loss.value(best + 0.1)),
    ...     bool(loss.value(best) < loss.value(best - 0.1)),
    ... )
    (True, True)
    """

    #: Scores, less the largest of the object, divided by ``scale``, shape (n, k).
    leads: Floats
    #: -inf for classes that are impossible, otherwise 0, shape (n, k).
    barred: Floats
    #: t, shape (n, k).
    targets: Floats
    #: w, shape (n,).
    counts: Floats
    #: What leads are on average, so that their unit does not matter.
    scale: float

    @classmethod
    def of(cls, scores: Floats, codes: Indices, counts: Floats) -> "SoftmaxLoss":
        """The loss on scores, -inf for impossible classes, of objects with these classes, each
        counted so many times.
        """
        leads = scores - scores.max(axis=1, keepdims=True)
        possible = np.isfinite(leads)
        leads = np.where(possible, leads, 0.0)
        scale = float(-(counts @ leads.mean(axis=1)) / counts.sum()) or 1.0
        random = 1.0 / (counts.sum() + 1)
        targets = random * possible / possible.sum(axis=1, keepdims=True)
        targets[np.arange(len(codes)), codes] += 1.0 - random
        return cls(leads / scale, np.where(possible, 0.0, -np.inf), targets, counts, scale)

    def value(self, point: Floats) -> float:
        """The loss for an inverse temperature and offsets, in one array."""
        logs = log_softmax(self._sums(point), axis=1)
        told = np.multiply(self.targets, logs, out=np.zeros_like(logs), where=self.targets > 0)
        return float(-(self.counts @ told.sum(axis=1)) + 0.5 * (point[1:] @ point[1:]))

    def step(self, point: Floats) -> Floats:
        """The step of Newton's method, with the inverse temperature held where it would leave what
        is allowed.
        """
        chances = softmax(self._sums(point), axis=1)
        mean = (chances * self.leads).sum(axis=1)
        excess = self.counts[:, None] * (chances - self.targets)
        gradient = np.concatenate([[(excess * self.leads).sum()], excess.sum(axis=0) + point[1:]])
        weighted = self.counts[:, None] * chances
        curvature = np.empty((len(point), len(point)))
        curvature[0, 0] = (weighted * (self.leads - mean[:, None]) ** 2).sum()
        curvature[0, 1:] = curvature[1:, 0] = (weighted * (self.leads - mean[:, None])).sum(axis=0)
        curvature[1:, 1:] = np.diag(weighted.sum(axis=0) + 1.0) - weighted.T @ chances
        curvature[0, 0] += SUM_ERROR * len(self.counts)  # equal scores have none
        step = -np.linalg.solve(curvature, gradient)
        if not _FLATTEST < point[0] + step[0] < _STEEPEST:
            step[0] = np.clip(point[0] + step[0], _FLATTEST, _STEEPEST) - point[0]
            step[1:] = -np.linalg.solve(
                curvature[1:, 1:], gradient[1:] + curvature[1:, 0] * step[0]
            )
        return step

    def smallest(self) -> Floats:
        """Where it is smallest: Newton's method, with steps halved until they lower the loss."""
        point = np.concatenate([[1.0], np.zeros(self.leads.shape[1])])
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
        return np.asarray(point[0] * self.leads + point[1:] + self.barred)


#: By which share the label leads where another class was as probable.
_AHEAD = 1e-12


class _Scores(Protocol):
    """A model with scores of prepared objects, shape (n, k)."""

    def scores(self, objects: Sample) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Calibrator:
    r"""Probabilities :math:`p_y(x) \propto \exp(\beta\, s_y(x) + b_y)` in which the class of the
    largest score stays the first.

    One temperature :math:`1 / \beta` for all classes (Guo, Pleiss, Sun & Weinberger, ICML 2017) and
    an offset :math:`b_y` of each (Alexandari, Kundaje & Shrikumar, ICML 2020). Offsets may make
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
        leads = scores - scores.max(axis=1, keepdims=True)  # of large scores before they are scaled
        return np.asarray(softmax(self.inverse * leads + self.offsets, axis=1))


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


def calibrated_on(scores: Floats, codes: Indices, weights: Floats | None = None) -> Calibrator:
    r"""Calibrate on scores of objects that the models which gave them have not seen.

    Temperature and offsets minimise the log loss plus :math:`\frac12 \sum_y b_y^2`, a convex
    problem. One object in n + 1 counts as if its label were drawn at random: a model without errors
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
    loss = SoftmaxLoss.of(scores[known], codes[known], counts)
    best = loss.smallest()
    return Calibrator(float(best[0] / loss.scale), best[1:])


def calibration_to_plain(model: Any) -> dict[str, Any]:
    """The calibration of a fitted classifier as plain values for a model file: part of its state.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> calibration_to_plain(SimpleNamespace(calibration_=Calibrator(2.0, np.zeros(2))))
    {'temperature': 2.0, 'offsets': array([0., 0.])}
    """
    found: Calibrator | None = getattr(model, "calibration_", None)
    return (
        {"temperature": None, "offsets": None}
        if found is None
        else {"temperature": found.inverse, "offsets": found.offsets}
    )


def restore_calibration(model: Any, state: dict[str, Any]) -> None:
    """Set the calibration of a classifier, whose ``classes_`` are set, from the state in a file,
    which is checked.

    A classifier without probabilities has neither temperature nor offsets.
    """
    if state["temperature"] is None and state["offsets"] is None:
        return
    inverse = restored_values.finite_number(state, "temperature")
    model.calibration_ = Calibrator(
        inverse, restored_values.finite(state, "offsets", len(model.classes_))
    )
