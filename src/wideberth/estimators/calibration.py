"""Probabilities from scores: one temperature, fitted on objects that the model had not seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from wideberth.arrays import Floats, Indices
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.objects import sample


class _Scores(Protocol):
    def _scores(self, objects: Any) -> Floats: ...


@dataclass(frozen=True)
class Temperature:
    r"""Probabilities :math:`p_y(x) = \exp(\beta\, s_y(x)) / \sum_{y'} \exp(\beta\, s_{y'}(x))` (Guo et al., ICML 2017)."""

    inverse: float

    def probabilities(self, scores: Floats) -> Floats:
        """The softmax of the scaled scores."""
        return np.asarray(softmax(self.inverse * scores, axis=1))


def calibrated(model: Any, training: Training) -> Temperature:
    """The temperature of a classifier with the parameters ``calibrate`` (folds) and ``random_state``."""

    def refit(chosen: Indices) -> _Scores:
        twin: Any = clone(model).set_params(calibrate=None)
        twin._inherit(model)
        twin._learn(training.part(chosen))
        return twin  # type: ignore[no-any-return]

    return fit_temperature(training, int(model.calibrate), refit, random_state=model.random_state)


def is_calibrated(model: Any) -> bool:
    """Whether a classifier is to have ``predict_proba``; an AttributeError that says what to do if not."""
    if model.calibrate is None:
        raise AttributeError(f"{type(model).__name__} has predict_proba only with calibrate=folds, such as calibrate=5.")
    return True


def fit_temperature(
    training: Training, folds: int, refit: Callable[[Indices], _Scores], *, random_state: int | None
) -> Temperature:
    """The temperature with the smallest log loss on scores of objects left out, fold by fold."""
    smallest = int(np.bincount(training.codes).min())
    if smallest < folds:
        raise InvalidInput(
            f"calibrate={folds} needs {folds} objects of every class; one class has {smallest}.",
            advice="Calibrate with fewer folds, or drop the class.",
            value=smallest,
        )
    scores = np.empty((len(training), training.n_classes))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    for known, asked in splitter.split(np.zeros(len(training)), training.codes):
        scores[asked] = refit(known)._scores(sample.pick(training.objects, asked))
    rows, weights = np.arange(len(training)), training.weights

    def loss(log_inverse: float) -> float:
        return float(-weights @ log_softmax(np.exp(log_inverse) * scores, axis=1)[rows, training.codes])

    return Temperature(float(np.exp(minimize_scalar(loss, bounds=(-5.0, 7.0), method="bounded").x)))
