"""The classifier inside of whatever was passed: a classifier of this library, or a search for one."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.radius_rules import radius_unit


def metric_classifier(model: Any, problem: str = "has no metric to judge objects by") -> MetricClassifier:
    """The fitted classifier on a metric that a model is, or that a search has found.

    Parameters
    ----------
    model : classifier
        A fitted classifier of this library, or a fitted search of scikit-learn for one.
    problem : str
        What the error says of another model.

    Returns
    -------
    MetricClassifier
        The outermost one: of a class that chooses its own parameters the model itself.

    Raises
    ------
    InvalidInput
        If it is another model.
    NotFittedError
        From scikit-learn, if it was not fitted.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> metric_classifier(NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])).metric
    'levenshtein'
    """
    found = model
    while not isinstance(found, MetricClassifier):
        if hasattr(found, "fit") and hasattr(found, "estimator"):  # a search of scikit-learn, which has chosen nothing before fit
            check_is_fitted(found)
        if not hasattr(found, "best_estimator_"):
            raise _not_ours(model, problem)
        found = found.best_estimator_
    check_is_fitted(found, "metric_")
    return found


def single_classifier(model: Any) -> MetricClassifier:
    """The fitted classifier that answers in the end: of one that chooses its parameters the one that was chosen.

    Examples
    --------
    >>> from wideberth import LipschitzClassifierCV
    >>> drinks, kinds = ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    >>> type(single_classifier(LipschitzClassifierCV("levenshtein", C=[2, 5], cv=2).fit(drinks, kinds))).__name__
    'LipschitzClassifier'
    """
    return metric_classifier(model).answering


def class_scores(model: Any, X: Any) -> Floats:
    """The scores of a fitted classifier, one for each class, also if there are two classes.

    Parameters
    ----------
    model : classifier
        With a ``decision_function``.
    X : sample
        Objects to classify.

    Returns
    -------
    ndarray of shape (n, k)
        For two classes half of their difference, with its sign.

    Examples
    --------
    >>> from wideberth import LipschitzClassifier
    >>> class_scores(LipschitzClassifier().fit([[0.0], [2.0]], ["low", "up"]), [[0.0]]).round(6)
    array([[ 1., -1.]])
    """
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])


def proves_edits(model: Any, objects: Any) -> bool:
    """Whether radii can be measured in edits, which people know better than counted words or n-grams."""
    if model.metric_.accepts != "strings":
        return False
    try:
        model.certified_radius(objects[:1], "edit")
    except NotCertified:
        return False
    return radius_unit(model.metric_, "edit").step == 1


def _not_ours(model: Any, problem: str) -> InvalidInput:
    return InvalidInput(
        f"A {type(model).__name__} {problem}.",
        advice="Pass a fitted classifier of wideberth on a metric, or a fitted search of scikit-learn for one.",
        value=model,
    )
