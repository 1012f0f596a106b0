"""`check_classifier`: does a metric classifier keep the contract of its interface on objects of any
kind.
"""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.array_types import Labels, Objects
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample


def check_classifier(classifier: Any, objects: Objects, labels: Labels) -> None:
    """Assert that a metric classifier behaves on the given objects as its interface promises.

    Checked are, in this order:

    - ``fit`` returns the classifier and does not change its parameters; ``classes_`` are the
      distinct labels;
    - ``decision_function`` has the right shape, and ``predict`` follows it;
    - predictions do not change for one object at a time, in another order, or after pickling;
    - nor with the objects in a list or a tuple, in a `wideberth.MetricSpace`, or as a matrix of
      distances; a classifier that needs the objects themselves refuses the last two;
    - weights of 1 change nothing, and a weight of 0 is the same as leaving the object out;
    - bad input, and ``predict`` before ``fit``, raise a ``ValueError``.

    scikit-learn's ``check_estimator`` covers classifiers of vectors; this covers objects of any
    other kind as well.

    Parameters
    ----------
    classifier : MetricClassifier
        Only copies of it are fitted. It must have a parameter ``metric``.
    objects : sequence of objects, or array
        Objects that its metric measures.
    labels : array-like of shape (n,)
        At least two different ones, and two different ones also without the object in the middle.

    Raises
    ------
    AssertionError
        What differs.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> words, labels = ["tea", "tee", "rum", "rom", "ale"], list("aabbb")
    >>> check_classifier(NeighborsClassifier("levenshtein"), words, labels)

    A classifier whose ``fit`` returns nothing is found out:

    >>> class Silent(NeighborsClassifier):
    ...     def fit(self, X, y, sample_weight=None):
    ...         super().fit(X, y, sample_weight)
    >>> check_classifier(Silent("levenshtein"), words, labels)
    Traceback (most recent call last):
    ...
    AssertionError: fit must return the classifier
    """
    held, labels = sample.hold(objects), np.asarray(labels)
    assert len(set(labels.tolist())) >= 2, "the checks need two classes"
    fitted = _fit(classifier, held, labels)
    predicted = fitted.predict(held)
    assert sorted(fitted.classes_) == sorted(set(labels.tolist())), (
        "classes_ must be the distinct labels"
    )
    assert set(predicted.tolist()) <= set(labels.tolist()), "predictions must be labels"
    _check_scores(fitted, held, predicted)
    _check_batches(fitted, held, predicted)
    _check_containers(classifier, held, labels, predicted)
    _check_distances(classifier, held, labels, predicted)
    _check_weights(classifier, held, labels, predicted)
    _check_refusals(classifier, held, labels)


def _fresh(classifier: Any, **parameters: Any) -> Any:
    """An unfitted copy, as scikit-learn's ``clone`` makes it, with some parameters changed."""
    params = {
        name: copy.deepcopy(value) for name, value in classifier.get_params(deep=False).items()
    }
    return type(classifier)(**(params | parameters))


def _fit(classifier: Any, objects: Objects, labels: Labels, **parameters: Any) -> Any:
    """A fitted copy, with some parameters changed; checks what ``fit`` returns and that it leaves
    the parameters alone.
    """
    fresh = _fresh(classifier, **parameters)
    before = fresh.get_params(deep=False)
    assert fresh.fit(objects, labels) is fresh, "fit must return the classifier"
    after = fresh.get_params(deep=False)
    assert all(after[name] is value for name, value in before.items()), (
        "fit must not change parameters"
    )
    return fresh


def _check_scores(fitted: Any, objects: Objects, predicted: Any) -> None:
    """One score for each object with two classes, one for each class with more; the label with the
    highest one is predicted.
    """
    scores = fitted.decision_function(objects)
    n_classes = len(fitted.classes_)
    expected = (len(predicted),) if n_classes == 2 else (len(predicted), n_classes)
    assert scores.shape == expected, f"decision_function has shape {scores.shape}, not {expected}"
    winners = (scores > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    _same(fitted.classes_[winners], predicted, "predict must follow decision_function")


def _check_batches(fitted: Any, objects: Objects, predicted: Any) -> None:
    """The prediction for an object does not depend on the others, on their order, or on
    pickling.
    """
    alone = [
        fitted.predict(sample.pick(objects, [index]))[0] for index in range(min(5, len(predicted)))
    ]
    assert alone == predicted[: len(alone)].tolist(), "one object at a time changes the predictions"
    backwards = np.arange(len(predicted))[::-1]
    _same(
        fitted.predict(sample.pick(objects, backwards)),
        predicted[backwards],
        "order changes the predictions",
    )
    unpickled = pickle.loads(pickle.dumps(fitted))  # bytes made in this line  # noqa: S301
    _same(unpickled.predict(objects), predicted, "a pickled copy predicts differently")


def _check_containers(classifier: Any, objects: Objects, labels: Labels, predicted: Any) -> None:
    """Lists and tuples of objects, with a list of labels, are as good as arrays."""
    for container in (list(objects), tuple(objects)):
        fitted = _fit(classifier, container, labels.tolist())
        _same(
            fitted.predict(container),
            predicted,
            f"a {type(container).__name__} of objects changes the predictions",
        )


def _check_distances(classifier: Any, objects: Objects, labels: Labels, predicted: Any) -> None:
    """A `MetricSpace` and a matrix of distances can be passed instead of the objects."""
    metric = as_metric(classifier.metric)
    space = MetricSpace(objects, metric)
    if not classifier.suits(space.metric):
        _check_refusal(
            "objects in a MetricSpace",
            lambda: _fresh(classifier, metric=space.metric).fit(space.index, labels),
        )
        return
    fitted = _fit(classifier, space.index, labels, metric=space.metric)
    _same(fitted.predict(space.index), predicted, "a MetricSpace changes the predictions")
    distances = pairwise_distances(objects, None, metric)
    fitted = _fit(classifier, distances, labels, metric="precomputed")
    _same(fitted.predict(distances), predicted, "a matrix of distances changes the predictions")


def _check_weights(classifier: Any, objects: Objects, labels: Labels, predicted: Any) -> None:
    """Weights of 1 change nothing, and an object of weight 0 counts as absent."""
    weighted = _fresh(classifier).fit(objects, labels, sample_weight=np.ones(len(labels)))
    _same(weighted.predict(objects), predicted, "weights of 1 change the predictions")
    kept = np.ones(len(labels), dtype=bool)
    kept[len(labels) // 2] = False
    without = _fresh(classifier).fit(sample.pick(objects, np.flatnonzero(kept)), labels[kept])
    zero = _fresh(classifier).fit(objects, labels, sample_weight=kept.astype(float))
    _same(zero.predict(objects), without.predict(objects), "a weight of 0 must leave an object out")


def _check_refusals(classifier: Any, objects: Objects, labels: Labels) -> None:
    """Input that cannot be used raises a ``ValueError`` instead of giving a result."""
    few = sample.pick(objects, np.arange(2))
    attempts: dict[str, Callable[[], Any]] = {
        "fewer labels than objects": lambda: _fresh(classifier).fit(objects, labels[:-1]),
        "no objects": lambda: _fresh(classifier).fit(sample.pick(objects, slice(0, 0)), labels[:0]),
        "a negative weight": lambda: _fresh(classifier).fit(few, labels[:2], sample_weight=[1, -1]),
        "predicting before fit": lambda: _fresh(classifier).predict(few),
    }
    for problem, attempt in attempts.items():
        _check_refusal(problem, attempt)


def _check_refusal(problem: str, attempt: Callable[[], Any]) -> None:
    try:
        attempt()
    except ValueError:  # scikit-learn's NotFittedError is one too
        return
    raise AssertionError(f"{problem} must be a ValueError")


def _same(predicted: Any, expected: Any, problem: str) -> None:
    """Assert that labels agree; ``problem`` starts the message."""
    np.testing.assert_array_equal(predicted, expected, problem)
