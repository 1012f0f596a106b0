"""Probabilities from scores: a softmax whose temperature is fitted on objects that the model has not seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import sklearn  # its parts are loaded when they are asked for
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.objects import sample
from wideberth.progress import task


class _Scores(Protocol):
    """A model with scores of prepared objects, shape (n, k)."""

    def _scores(self, objects: Any) -> Floats: ...


@dataclass(frozen=True)
class Temperature:
    r"""Probabilities :math:`p_y(x) = \exp(\beta\, s_y(x)) / \sum_{y'} \exp(\beta\, s_{y'}(x))` (Guo et al., ICML 2017).

    Attributes
    ----------
    inverse : float
        :math:`\beta`, one over the temperature.

    Examples
    --------
    >>> Temperature(2.0).probabilities(np.array([[0.0, 0.0], [0.0, 5.0]])).round(2)
    array([[0.5, 0.5],
           [0. , 1. ]])
    """

    inverse: float

    def probabilities(self, scores: Floats) -> Floats:
        """The softmax of the scaled scores: shape (n, k), rows of sum 1."""
        return np.asarray(softmax(self.inverse * scores, axis=1))


def calibrated(model: Any, training: Training) -> Temperature:
    """Fit the temperature of a classifier with the parameters ``calibrate`` (a number of folds) and ``random_state``.

    Parameters
    ----------
    model : MetricClassifier
        A fitted classifier. Copies of it, with the same parameters, learn from all folds but one.
    training : Training
        What it learned from.

    Returns
    -------
    Temperature
        The temperature for the scores of the model.

    Examples
    --------
    >>> from wideberth import LipschitzClassifier
    >>> X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    >>> model = LipschitzClassifier(calibrate=2, random_state=0).fit(X, y)  # fit calls this function
    >>> bool(model.predict_proba([[0.0]])[0, 0] > 0.9)
    True
    """

    def refit(chosen: Indices) -> _Scores:
        copy: Any = clone(model).set_params(calibrate=None)
        copy._inherit(model)
        copy._learn(training.part(chosen))
        return copy  # type: ignore[no-any-return]

    return fit_temperature(training, int(model.calibrate), refit, random_state=model.random_state)


def is_calibrated(model: Any) -> bool:
    """Whether a classifier has ``predict_proba``, for `available_if`.

    Without ``calibrate`` it raises the AttributeError that users see, which says how to get probabilities.

    Examples
    --------
    >>> from wideberth import LipschitzClassifier
    >>> hasattr(LipschitzClassifier(), "predict_proba"), hasattr(LipschitzClassifier(calibrate=5), "predict_proba")
    (False, True)
    """
    if model.calibrate is None:
        raise AttributeError(f"{type(model).__name__} has predict_proba only with calibrate=folds, such as calibrate=5.")
    return True


def fit_temperature(
    training: Training, folds: int, refit: Callable[[Indices], _Scores], *, random_state: int | None
) -> Temperature:
    """The temperature with the smallest log loss on scores of objects left out, fold by fold.

    Parameters
    ----------
    training : Training
        The objects, with weights that count in the loss.
    folds : int
        How many stratified folds are left out in turn.
    refit : callable
        Maps the positions to learn from to a model with scores.
    random_state : int or None
        Shuffles the folds.

    Returns
    -------
    Temperature
        Its inverse lies between exp(-5) and exp(7).

    Raises
    ------
    InvalidInput
        If a class has fewer objects than there are folds.
    """
    smallest = int(np.bincount(training.codes).min())
    if smallest < folds:
        raise InvalidInput(
            f"calibrate={folds} needs {folds} objects of every class; one class has {smallest}.",
            advice="Calibrate with fewer folds, or drop the class.",
            value=smallest,
        )
    scores = np.empty((len(training), training.n_classes))
    splitter = sklearn.model_selection.StratifiedKFold(folds, shuffle=True, random_state=random_state)
    with task("calibration", folds) as calibrating:
        for known, left_out in splitter.split(np.zeros(len(training)), training.codes):
            scores[left_out] = refit(known)._scores(sample.pick(training.objects, left_out))
            calibrating.advance()
    return best_temperature(scores, training.codes, training.weights)


def best_temperature(scores: Floats, codes: Indices, weights: Floats) -> Temperature:
    """The temperature with the smallest log loss on scores of objects that the models which gave them have not seen.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
        A score for each object and class; -inf for a class that a model did not know, but not for the object's own.
    codes : ndarray of int, shape (n,)
        The code of the class of each object.
    weights : ndarray of shape (n,)
        How much each object counts.

    Returns
    -------
    Temperature
        Its inverse lies between exp(-5) and exp(7).

    Examples
    --------
    >>> scores = np.array([[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [2.0, 0.0]])
    >>> best_temperature(scores, np.array([0, 0, 0, 1]), np.ones(4)).probabilities(scores)[0].round(3)  # three of four are right
    array([0.75, 0.25])
    """
    rows = np.arange(len(codes))

    def loss(log_inverse: float) -> float:
        return float(-weights @ log_softmax(np.exp(log_inverse) * scores, axis=1)[rows, codes])

    return Temperature(float(np.exp(minimize_scalar(loss, bounds=(-5.0, 7.0), method="bounded").x)))
