"""Online learners of linear boundaries in scikit-learn and River, none with an intercept, since
boundaries go through 0.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from river import linear_model, multiclass, optim
from scipy.special import expit
from sklearn.linear_model import SGDClassifier

from benchmarks.online.peers import (
    Arow,
    ChebyshevCentre,
    Floats,
    Learner,
    Linear,
    Mira,
    PassiveAggressive,
    Perceptron,
)

#: The gradients of scikit-learn's losses, at a score and a sign.
GRADIENTS: dict[str, Callable[[Any, Any], Any]] = {
    "hinge": lambda score, sign: np.where(score * sign <= 1, -sign, 0.0),
    "log_loss": lambda score, sign: -sign * expit(-sign * score),
}


class Sgd(Linear):
    """The steps of scikit-learn's SGDClassifier with its own settings; more than two labels are one
    against the rest.

    Done here without what surrounds a step there, which takes a hundred times as long;
    `timed_in_scikit_learn` compares.
    """

    ALPHA = 1e-4

    def __init__(self, k: int, d: int, loss: str) -> None:
        super().__init__(k, d)
        self.gradient = GRADIENTS[loss]
        typical = self.ALPHA**-0.25
        first = typical / max(1.0, abs(float(self.gradient(-typical, 1.0))))
        self.clock = 1 / (first * self.ALPHA)

    def learn(self, query: Floats, label: int) -> None:
        signs = np.where(np.arange(self.k) == label, 1.0, -1.0)[: len(self.weights)]
        rate = 1 / (self.ALPHA * self.clock)
        slopes = self.gradient(self.weights @ query, signs)
        self.weights *= max(0.0, 1 - rate * self.ALPHA)
        self.weights -= np.multiply.outer(rate * slopes, query)
        self.clock += 1


def timed_in_scikit_learn(k: int, d: int, loss: str, rounds: int = 200) -> float:
    """Seconds of a round of SGDClassifier itself; its weights are compared with those of `Sgd`."""
    generator = np.random.default_rng(0)
    queries, centres = generator.standard_normal((rounds, d)), generator.standard_normal((k, d))
    labels = (queries @ centres.T).argmax(axis=1)
    theirs, ours = SGDClassifier(loss=loss, fit_intercept=False, random_state=0), Sgd(k, d, loss)
    theirs.partial_fit(queries[:1], labels[:1], classes=range(k))
    started = time.process_time()
    for position in range(1, rounds):
        theirs.predict(queries[[position]])
        theirs.partial_fit(queries[[position]], labels[[position]])
    took = time.process_time() - started
    for query, label in zip(queries, labels.tolist(), strict=True):
        ours.learn(query, label)
    expected = (
        -theirs.coef_ if k == 2 else theirs.coef_
    )  # there, the weights of two labels speak for label 1
    if not np.allclose(ours.weights, expected, rtol=1e-6, atol=1e-6):
        raise AssertionError(
            f"SGDClassifier(loss={loss!r}) takes other steps than ours: {theirs.coef_} != "
            f"{ours.weights}."
        )
    return took / (rounds - 1)


class River:
    """A classifier of River with linear weights; ``weights_of`` gives those that speak for a label,
    by feature.
    """

    rows: int | None = None

    def __init__(
        self, model: Any, k: int, d: int, weights_of: Callable[[Any, int], dict[int, float]]
    ) -> None:
        self.model, self.k, self.d, self.weights_of = model, k, d, weights_of

    def given(self, query: Floats) -> dict[int, float]:
        return dict(enumerate(query.tolist()))

    def predict(self, query: dict[int, float]) -> int:
        return int(self.model.predict_one(query) or 0)

    def learn(self, query: dict[int, float], label: int) -> None:
        self.model.learn_one(query, bool(label) if self.k == 2 else label)

    def normals(self, i: int, j: int) -> Floats:
        return (self._vector(i) - self._vector(j))[None]

    def _vector(self, label: int) -> Floats:
        weights = self.weights_of(self.model, label)
        return np.array([weights.get(place, 0.0) for place in range(self.d)])


def _of_two(attribute: str) -> Callable[[Any, int], dict[int, float]]:
    """The weights of a binary classifier speak for label 1."""
    return lambda model, label: getattr(model, attribute) if label else {}


def _of_rest(model: Any, label: int) -> dict[int, float]:
    return model.classifiers[label].weights if label in model.classifiers else {}


def _of_softmax(model: Any, label: int) -> dict[int, float]:
    return model.weights.get(label, {})


def _river_pa() -> Any:
    return linear_model.PAClassifier(learn_intercept=False)


#: Made from the number of labels and of dimensions.
Make = Callable[[int, int], Learner]
PEERS_OF_ANY: dict[str, Make] = {
    "AROW": Arow,
    "Chebyshev centre": ChebyshevCentre,
    "SGD hinge": lambda k, d: Sgd(k, d, "hinge"),
    "SGD log": lambda k, d: Sgd(k, d, "log_loss"),
}
PEERS_OF_TWO: dict[str, Make] = {
    "Perceptron": Perceptron,
    "PA, MIRA": PassiveAggressive,
    **PEERS_OF_ANY,
    "River PA": lambda k, d: River(_river_pa(), k, d, _of_two("weights")),
    "River ALMA": lambda k, d: River(linear_model.ALMAClassifier(), k, d, _of_two("w")),
    "River logistic": lambda k, d: River(
        linear_model.LogisticRegression(optimizer=optim.SGD(0.5), intercept_lr=0),
        k,
        d,
        _of_two("weights"),
    ),
}
PEERS_OF_MANY: dict[str, Make] = {
    "Perceptron": Perceptron,
    "PA": PassiveAggressive,
    "MIRA": Mira,
    **PEERS_OF_ANY,
    "River PA": lambda k, d: River(multiclass.OneVsRestClassifier(_river_pa()), k, d, _of_rest),
    "River softmax": lambda k, d: River(
        linear_model.SoftmaxRegression(optimizer=optim.SGD(0.5)), k, d, _of_softmax
    ),
}
