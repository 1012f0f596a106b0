"""The online classifier with the interface of River: a query is a dict of features, and features
may appear later.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.online.classifier import OnlinePartitionClassifier
from wideberth.errors import InvalidInput
from wideberth.extras import import_extra

import_extra("river", "river")
from river import base  # noqa: E402 - the line before explains how to install it


class RiverPartitionClassifier(base.Classifier):
    """`wideberth.OnlinePartitionClassifier` with River's interface, for its pipelines, metrics and
    evaluations.

    Features that a query does not have are 0. Features that no learned query had are ignored in
    predictions; when the first query with a new feature is learned, the classifier is widened
    (``OnlinePartitionClassifier.widen``). Distances need features of similar scale: put a scaler
    before it.

    Parameters
    ----------
    similarity, p, alpha, radius, engine, update, noise, inconsistent
        As for `wideberth.OnlinePartitionClassifier`.
    seed : int, optional
        Its ``random_state``.

    Attributes
    ----------
    learner : OnlinePartitionClassifier
        The classifier that does the work; its attributes and bounds can be read at any time.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | to_river(OnlinePartitionClassifier(random_state=0))
    >>> evaluate.progressive_val_score(
    ...     datasets.Phishing().take(300), model, metrics.Accuracy()
    ... ).get() > 0.75
    True
    """

    def __init__(
        self,
        similarity: str = "euclidean",
        *,
        p: float = 2,
        alpha: float | None = None,
        radius: float | str = "auto",
        engine: str = "auto",
        update: str = "informative",
        noise: float = 0.0,
        inconsistent: str = "soften",
        seed: int | None = None,
    ) -> None:
        self.similarity = similarity
        self.p = p
        self.alpha = alpha
        self.radius = radius
        self.engine = engine
        self.update = update
        self.noise = noise
        self.inconsistent = inconsistent
        self.seed = seed
        parameters = self._get_params()
        self.learner = OnlinePartitionClassifier(random_state=parameters.pop("seed"), **parameters)
        # the column of each feature in the vectors of the learner
        self._columns: dict[Hashable, int] = {}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn the label of a query.

        Parameters
        ----------
        x : dict
            Names and values of features; values are numbers.
        y : object
            The label.
        """
        new = sorted(
            (name for name in x if name not in self._columns),
            key=lambda name: (str(type(name)), str(name)),
        )
        begun = bool(self._columns)
        self._columns |= {name: len(self._columns) + offset for offset, name in enumerate(new)}
        if begun and new:
            self.learner.widen(len(self._columns))
        self.learner.learn_one(self._vector(x), y)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:
        """Predict the label of a query; None before the first label."""
        return self.learner.predict_one(self._vector(x)) if self._columns else None

    def predict_proba_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Return the probability with which each label is guessed, by label; these are not
        probabilities of being right.
        """
        return self.learner.predict_proba_one(self._vector(x)) if self._columns else {}

    def _vector(self, x: Mapping[Any, Any]) -> Floats:
        """The query as an array, one column for each feature that was ever learned."""
        vector = np.zeros(len(self._columns))
        for name, value in x.items():
            if name in self._columns:
                try:
                    vector[self._columns[name]] = value
                except (TypeError, ValueError):
                    raise InvalidInput(
                        f"The feature {name!r} is {value!r}, not a number.",
                        advice="Encode it before, for example by "
                        "river.preprocessing.OneHotEncoder.",
                        value=value,
                    ) from None
        return vector


def to_river(learner: OnlinePartitionClassifier) -> RiverPartitionClassifier:
    """Return a classifier for River with the same parameters, which has learned nothing yet.

    Examples
    --------
    >>> to_river(OnlinePartitionClassifier("inner", random_state=3)).seed
    3
    """
    parameters = learner.get_params(deep=False)
    return RiverPartitionClassifier(seed=parameters.pop("random_state"), **parameters)
