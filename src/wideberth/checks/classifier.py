"""Does a metric classifier keep its contract on objects of any kind."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample


def check_classifier(classifier: Any, objects: Any, labels: Any) -> None:
    """Assert that a metric classifier behaves on the objects given as the interface of this library promises.

    ``classifier`` is not fitted here, only copies of it are. Fitting returns the classifier and leaves parameters alone;
    labels come back as given; asking one by one, in another order, after pickling or with the objects in another container
    gives the same answers; a `MetricSpace` and a matrix of distances stand in for the objects; weights of 1 change nothing
    and a weight of 0 leaves an object out; bad input is refused with a ValueError. scikit-learn's own ``check_estimator``
    covers vectors.

    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> check_classifier(NeighborsClassifier("levenshtein"), ["tea", "tee", "rum", "rom", "ale"], list("aabbb"))
    """
    held, labels = sample.hold(objects), np.asarray(labels)
    assert len(set(labels.tolist())) >= 2, "the checks need two classes"
    fitted = _fit(classifier, held, labels)
    answers = fitted.predict(held)
    assert sorted(fitted.classes_) == sorted(set(labels.tolist())), "classes_ must be the distinct labels"
    assert set(answers.tolist()) <= set(labels.tolist()), "predictions must be labels"
    _check_scores(fitted, held, answers)
    _check_asking(fitted, held, answers)
    _check_containers(classifier, held, labels, answers)
    _check_stand_ins(classifier, held, labels, answers)
    _check_weights(classifier, held, labels, answers)
    _check_refusals(classifier, held, labels)


def _fresh(classifier: Any, **parameters: Any) -> Any:
    """A copy that was not fitted, as scikit-learn's clone makes it."""
    params = {name: copy.deepcopy(value) for name, value in classifier.get_params(deep=False).items()}
    return type(classifier)(**(params | parameters))


def _fit(classifier: Any, objects: Any, labels: Any, **parameters: Any) -> Any:
    fresh = _fresh(classifier, **parameters)
    before = fresh.get_params(deep=False)
    assert fresh.fit(objects, labels) is fresh, "fit must return the classifier"
    after = fresh.get_params(deep=False)
    assert all(after[name] is value for name, value in before.items()), "fit must not change parameters"
    return fresh


def _check_scores(fitted: Any, objects: Any, answers: Any) -> None:
    scores = fitted.decision_function(objects)
    n_classes = len(fitted.classes_)
    expected = (len(answers),) if n_classes == 2 else (len(answers), n_classes)
    assert scores.shape == expected, f"decision_function has shape {scores.shape}, not {expected}"
    winners = (scores > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
    np.testing.assert_array_equal(fitted.classes_[winners], answers, "predict must follow decision_function")


def _check_asking(fitted: Any, objects: Any, answers: Any) -> None:
    alone = [fitted.predict(sample.pick(objects, [index]))[0] for index in range(min(5, len(answers)))]
    assert alone == answers[: len(alone)].tolist(), "asking one by one changes the answers"
    backwards = np.arange(len(answers))[::-1]
    np.testing.assert_array_equal(
        fitted.predict(sample.pick(objects, backwards)), answers[backwards], "order changes the answers"
    )
    thawed = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - bytes made in this line
    np.testing.assert_array_equal(thawed.predict(objects), answers, "a pickled copy answers differently")


def _check_containers(classifier: Any, objects: Any, labels: Any, answers: Any) -> None:
    as_list, as_tuple = list(objects), tuple(objects)
    for container in (as_list, as_tuple):
        fitted = _fit(classifier, container, labels.tolist())
        np.testing.assert_array_equal(
            fitted.predict(container), answers, f"a {type(container).__name__} of objects changes the answers"
        )


def _check_stand_ins(classifier: Any, objects: Any, labels: Any, answers: Any) -> None:
    metric = as_metric(classifier.metric)
    space = MetricSpace(objects, metric)
    fitted = _fit(classifier, space.index, labels, metric=space.metric)
    np.testing.assert_array_equal(fitted.predict(space.index), answers, "a MetricSpace changes the answers")
    distances = pairwise_distances(objects, None, metric)
    fitted = _fit(classifier, distances, labels, metric="precomputed")
    np.testing.assert_array_equal(fitted.predict(distances), answers, "a matrix of distances changes the answers")


def _check_weights(classifier: Any, objects: Any, labels: Any, answers: Any) -> None:
    weighted = _fresh(classifier).fit(objects, labels, sample_weight=np.ones(len(labels)))
    np.testing.assert_array_equal(weighted.predict(objects), answers, "weights of 1 change the answers")
    kept = np.ones(len(labels), dtype=bool)
    kept[len(labels) // 2] = False
    without = _fresh(classifier).fit(sample.pick(objects, np.flatnonzero(kept)), labels[kept])
    zero = _fresh(classifier).fit(objects, labels, sample_weight=kept.astype(float))
    np.testing.assert_array_equal(zero.predict(objects), without.predict(objects), "a weight of 0 must leave an object out")


def _check_refusals(classifier: Any, objects: Any, labels: Any) -> None:
    few = sample.pick(objects, np.arange(2))
    attempts: dict[str, Callable[[], Any]] = {
        "fewer labels than objects": lambda: _fresh(classifier).fit(objects, labels[:-1]),
        "no objects": lambda: _fresh(classifier).fit(sample.pick(objects, slice(0, 0)), labels[:0]),
        "a negative weight": lambda: _fresh(classifier).fit(few, labels[:2], sample_weight=[1, -1]),
        "asking before fit": lambda: _fresh(classifier).predict(few),
    }
    for problem, attempt in attempts.items():
        try:
            attempt()
        except ValueError:  # scikit-learn's NotFittedError is one too
            continue
        raise AssertionError(f"{problem} must be a ValueError")
