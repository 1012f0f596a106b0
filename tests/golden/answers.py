"""What a fitted classifier answers, as JSON holds it."""

import math
from typing import Any

import numpy as np

from wideberth.errors import NotCertified

#: Instead of radii, where the model has none.
NOT_CERTIFIED = "NotCertified"


def answers_of(model: Any, queries: Any) -> dict[str, Any]:
    """The class, the metric and the parameters of a model, and its answers to the queries: labels, scores and radii."""
    parameters = {name: repr(value) for name, value in model.get_params(deep=False).items() if name != "metric"}
    answers = {
        "class": type(model).__name__,
        "metric": repr(model.metric_),
        "parameters": parameters,
        "feature_names": getattr(model, "feature_names_in_", np.empty(0)).tolist(),
        "classes": model.classes_.tolist(),
        "labels": model.predict(queries).tolist(),
        "decision_values": finite_json(model.decision_function(queries)),
        "radii": _radii(model, queries),
    }
    return answers | ({"probabilities": finite_json(model.predict_proba(queries))} if hasattr(model, "temperature_") else {})


def finite_json(numbers: np.ndarray) -> list[Any]:
    """Numbers as nested lists; those that JSON lacks are texts, which `float` reads.

    >>> finite_json(np.array([[1.5, np.inf]]))
    [[1.5, 'inf']]
    """
    if numbers.ndim > 1:
        return [finite_json(each) for each in numbers]
    return [value if math.isfinite(value) else repr(value) for value in numbers.tolist()]


def _radii(model: Any, queries: Any) -> Any:
    try:
        return finite_json(model.certified_radius(queries))
    except NotCertified:
        return NOT_CERTIFIED
