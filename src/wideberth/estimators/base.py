"""The base classes of all estimators on a metric: they check what comes in, code the labels, and call the child."""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from wideberth.arrays import Floats, Indices
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.recognition import Learned
from wideberth.estimators.training import Training
from wideberth.estimators.words import counted
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.labels import code_labels
from wideberth.rounding import RADIUS_ERROR


class Admitted(NamedTuple):
    """Prepared objects, their metric, whether it took something from them (`wideberth.Metric.fitted`), and X as checked."""

    objects: Any
    metric: Metric
    metric_learned: bool
    given: Any


class MetricEstimator(BaseEstimator):
    """Base of all estimators on a metric.

    X may be any sequence of objects the metric measures, a matrix of distances with ``metric="precomputed"`` (square at fit,
    queries x training objects later), or ``space.index`` with ``metric=space.metric`` for a `wideberth.MetricSpace`.
    """

    metric: Any
    metric_: Metric

    def _admit_objects(self, X: Any) -> Admitted:
        """Check the objects to learn from, one at least. Whoever goes on to learn from them sets ``metric_``."""
        if self._accepts_vectors():
            X = validate_data(self, X, dtype=np.float64)
        given = self.metric if self._is_precomputed() else as_metric(self.metric)
        objects, metric = bind(X, given)
        objects = metric.prepare(objects)
        if not sample.count(objects):
            raise InvalidInput("There are no objects to learn from.", advice="Pass one at least.", value=0)
        return Admitted(objects, metric, metric is not given and not self._is_precomputed(), X)

    def _admit_queries(self, X: Any) -> Any:
        """Check objects that come after fit, and prepare them."""
        return self._admit_more(X)[0]

    def _admit_more(self, X: Any) -> tuple[Any, Any]:
        """Check objects that come after fit: prepared, and as they were checked."""
        check_is_fitted(self)
        if self._accepts_vectors():
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.metric_.prepare(X), X

    def _accepts_vectors(self) -> bool:
        return not self._is_precomputed() and as_metric(self.metric).accepts == "vectors"

    def _is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == Precomputed.name

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.two_d_array = self._is_precomputed() or self._accepts_vectors()
        tags.input_tags.string = not tags.input_tags.two_d_array and as_metric(self.metric).accepts == "strings"
        return tags


class MetricClassifier(ClassifierMixin, MetricEstimator):
    """Base of all classifiers on a metric. A child writes `_learn` and `_scores` and says in ``needs`` what it needs promised.

    `MetricEstimator` says what X may be.
    """

    #: The promises of a metric without which the method is wrong; the doctor reads them.
    needs: ClassVar[frozenset[str]] = frozenset()

    classes_: NDArray[Any]
    #: By what the training objects are recognised; None if they cannot be, or in a model of before.
    _learned_from: Learned | None = None
    #: Whether to remember that; models of a fold, which nobody asks, need not.
    _remembers: bool = True

    @classmethod
    def _for_data(cls, metric: Any, n_objects: int, **parameters: Any) -> Self:
        """A classifier for this metric and this many objects; a child that has to adapt to them overrides it."""
        return cls(metric, **parameters)

    def _learn(self, training: Training) -> None:
        """Learn from objects that were checked; set what the child documents."""
        raise NotImplementedError

    def _scores(self, objects: Any) -> Floats:
        """One score for each prepared object and each class, shape (n, k); the largest wins."""
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        """What was learned, beside parameters, metric and labels, for a model file.

        Plain values only: numbers, texts, arrays, and lists, tuples and dicts of them; under ``"objects"`` the training objects
        that are still needed, prepared.
        """
        raise NotImplementedError

    def _restore(self, state: dict[str, Any]) -> None:
        """Take back what `_state` gave. Parameters, ``metric_`` and ``classes_`` are there already; the rest comes from a file,
        so that what compiled code will trust is checked here (``estimators/saving.py``)."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from objects X with labels y; objects of weight 0 are left out."""
        self._learn(self._admit(X, y, sample_weight))
        return self

    def decision_function(self, X: Any) -> Floats:
        """The scores of the classes, shape (n, k); for two classes their difference, shape (n,), positive for ``classes_[1]``."""
        scores = self._scores(self._admit_queries(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each object; the first class wins a tie."""
        winners = self._winners(self._admit_queries(X))  # first of all says so if nothing was learned yet
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def summary(self) -> str:
        """What was learned, in words.

        Returns
        -------
        str
            A few lines: what learned from how much, by which metric, and what came of it.

        Examples
        --------
        >>> import wideberth
        >>> model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
        >>> print(model.summary())
        NeighborsClassifier by levenshtein distance, learned from 2 objects of 2 classes.
        The nearest object gives its label.
        """
        check_is_fitted(self)
        classes = counted(len(self.classes_), "class", "classes")
        known = self._n_learned
        learned = classes if known is None else f"{counted(known, 'object', 'objects')} of {classes}"
        return "\n".join([f"{type(self).__name__} by {self.metric_.name} distance, learned from {learned}.", *self._in_words()])

    def _in_words(self) -> list[str]:
        """What is special to the method in the `summary`, a sentence or two a line."""
        return []

    @property
    def _n_learned(self) -> int | None:
        """How many objects were learned from; None if that is not remembered."""
        return None if self._learned_from is None else len(self._learned_from)

    def _winners(self, objects: Any) -> Indices:
        """The number of the class of each prepared object. A child that finds it without all scores says so here."""
        winners: Indices = self._scores(objects).argmax(axis=1)
        return winners

    def _lipschitz(self) -> Floats | None:
        """How steep the score of each class can be; None if the method bounds none."""
        return None

    def certified_radius(self, X: Any) -> Floats:
        r"""How far each object may move, in the metric's unit, before its label can change.

        .. math:: r(x) = \min_{y' \neq y} \frac{h(x, y) - h(x, y')}{L_y + L_{y'}}

        for the winning class y and scores with Lipschitz constants L: no object strictly closer than r(x) gets another label. It
        holds for every metric that obeys the triangle inequality; without that promise it raises `NotCertified`.
        """
        scores = self._scores(self._admit_queries(X))
        slopes = self._lipschitz()
        self._refuse_uncertified(slopes)
        return _radii(scores, np.asarray(slopes))

    def _refuse_uncertified(self, slopes: Floats | None) -> None:
        if slopes is None:
            raise NotCertified(
                f"{type(self).__name__} bounds no Lipschitz constant of its scores.",
                advice="LipschitzClassifier certifies a radius.",
                missing="lipschitz",
            )
        self._refuse_without_triangle()

    def _refuse_without_triangle(self) -> None:
        if not self.metric_.obeys_triangle:
            said = "does not obey" if self.metric_.obeys_triangle is False else "does not promise"
            raise NotCertified(
                f"A radius needs the triangle inequality, which {self.metric_.name!r} {said}.",
                advice="Choose a metric that does, or repair it (wideberth.diagnose); declare obeys_triangle=True if proved.",
                missing="obeys_triangle",
            )

    def _admit(self, X: Any, y: Any, sample_weight: Any) -> Training:
        if y is None:
            raise InvalidInput(f"{type(self).__name__} requires y to be passed, but the target y is None.", value=None)
        objects, metric, metric_learned, given = self._admit_objects(X)
        n_objects = sample.count(objects)
        y = column_or_1d(y, warn=True) if hasattr(y, "__array__") else y
        labels = code_labels(y, n_objects)
        check_classification_targets(labels.classes[labels.codes])
        weights = _checked_weights(sample_weight, n_objects)
        kept = np.flatnonzero(weights)
        self.metric_ = metric
        self.classes_, codes = np.unique(labels.classes[labels.codes[kept]], return_inverse=True)
        digests = metric.digests(given, objects) if self._remembers else None
        self._learned_from = None
        if digests is not None:
            seen = np.arange(n_objects) if metric_learned else kept  # a metric learns from objects of weight 0 too
            named = labels.classes[labels.codes[seen]]
            self._learned_from = Learned.of(digests[seen], named, weights[seen], metric_learned=metric_learned)
        if len(kept) < n_objects:
            objects = sample.pick(objects, kept)
        return Training(
            objects, metric, codes.astype(np.intp), weights[kept], len(self.classes_), kept, n_objects, metric_learned
        )

    def _digests(self, X: Any) -> Digests | None:
        """By what the objects of X would be recognised among the training objects."""
        prepared, given = self._admit_more(X)
        return self.metric_.digests(given, prepared)

    def _inherit(self, other: Self) -> None:
        """Take from a twin what `_admit` set: for models that learn from the same objects."""
        for name in ("metric_", "classes_", "n_features_in_", "feature_names_in_", "_learned_from"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))


def _radii(scores: Floats, slopes: Floats) -> Floats:
    rows, winners = np.arange(len(scores)), scores.argmax(axis=1)
    leads = scores[rows, winners][:, None] - scores
    both = slopes[winners][:, None] + slopes[None, :]
    leads -= RADIUS_ERROR  # a radius that rounding made larger would not be proved
    radii = np.divide(leads, both, out=np.full_like(leads, np.inf), where=both > 0)
    radii[rows, winners] = np.inf
    smallest: Floats = np.maximum(radii.min(axis=1), 0.0)
    return smallest


def _checked_weights(sample_weight: Any, n_objects: int) -> Floats:
    if sample_weight is None:
        return np.ones(n_objects)
    weights = np.asarray(sample_weight, dtype=np.float64)
    weights = np.full(n_objects, float(weights)) if weights.ndim == 0 else weights
    if weights.shape != (n_objects,):
        raise InvalidInput(
            f"There are {n_objects} objects, but sample_weight.shape == {weights.shape}.",
            advice=f"Pass one weight for each object, shape {(n_objects,)}.",
            value=weights.shape,
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise InvalidInput(
            f"Object {wrong[0]} has the weight {weights[wrong[0]]}.",
            advice="Weights are finite and not negative; 0 leaves an object out.",
            witness=int(wrong[0]),
            value=float(weights[wrong[0]]),
        )
    if not weights.any():
        raise InvalidInput("All weights are zero: there are no objects to learn from.", advice="Give one a weight.", value=0.0)
    return weights
