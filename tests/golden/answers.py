"""What a fitted estimator answers, as JSON holds it."""

import math
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from wideberth.errors import NotCertified

#: Instead of radii, where the model has none.
NOT_CERTIFIED = "NotCertified"


#: The answers that are numbers, which may differ by rounding.
NUMBERS = (
    "decision_values",
    "radii",
    "probabilities",
    "mean_scores",
    "coordinates",
    "loss_bounds",
    "potential",
    "guesses",
)


def answers_of(model: Any, queries: Any) -> dict[str, Any]:
    """The class and the parameters of a model, and its answers to the queries."""
    if isinstance(model, Pipeline):
        return {
            "class": type(model).__name__,
            "steps": [name for name, _ in model.steps],
            **pipeline_answers(model, queries),
        }
    parameters = {
        name: repr(value)
        for name, value in model.get_params(deep=False).items()
        if name != "metric"
    }
    own = (
        embedding_answers
        if hasattr(model, "transform")
        else classifier_answers
        if hasattr(model, "metric_")
        else vote_answers
        if hasattr(model, "parts_")
        else search_answers
        if hasattr(model, "guess_one")
        else online_answers
    )
    return {
        "class": type(model).__name__,
        "parameters": parameters,
        "feature_names": getattr(model, "feature_names_in_", np.empty(0)).tolist(),
        **own(model, queries),
    }


def classifier_answers(model: Any, queries: Any) -> dict[str, Any]:
    """Labels, scores and radii; of a search also what was chosen, from what."""
    answers = {
        "metric": repr(model.metric_),
        "classes": model.classes_.tolist(),
        "labels": model.predict(queries).tolist(),
        "decision_values": finite_json(model.decision_function(queries)),
        "radii": _radii(model, queries),
    }
    if hasattr(model, "calibration_") and getattr(model, "calibrate", True):
        answers["probabilities"] = finite_json(model.predict_proba(queries))
    if hasattr(model, "best_params_"):
        answers["chosen"] = {name: repr(value) for name, value in model.best_params_.items()}
        answers["mean_scores"] = finite_json(model.cv_results_["mean_test_score"])
    return answers


def pipeline_answers(model: Pipeline, queries: Any) -> dict[str, Any]:
    """Labels and scores of its last step."""
    return {
        "classes": model.classes_.tolist(),
        "labels": model.predict(queries).tolist(),
        "decision_values": finite_json(model.decision_function(queries)),
    }


def embedding_answers(model: Any, queries: Any) -> dict[str, Any]:
    """The coordinates of the queries."""
    return {"metric": repr(model.metric_), "coordinates": finite_json(model.transform(queries))}


def vote_answers(model: Any, queries: Any) -> dict[str, Any]:
    """Labels, shares of votes, how many rows they withstand, and radii."""
    return {
        "classes": model.classes_.tolist(),
        "labels": model.predict(queries).tolist(),
        "decision_values": finite_json(model.decision_function(queries)),
        "withstood": model.certified_rows(queries).tolist(),
        "sizes": [part.n_rows for part in model.parts_],
        "radii": _radii(model, queries),
    }


def search_answers(model: Any, queries: Any) -> dict[str, Any]:
    """Guesses, and what they and all later ones can lose."""
    return {
        "guesses": finite_json(np.array([model.guess_one(query) for query in queries])),
        "loss_bounds": finite_json(np.array([model.loss_bound(query) for query in queries])),
        "potential": finite_json(np.array([model.remaining_loss_bound()])),
    }


def online_answers(model: Any, queries: Any) -> dict[str, Any]:
    """Guesses, what is certain of them, and what they and all later ones can lose."""
    return {
        "classes": model.classes_.tolist(),
        "labels": model.predict(queries).tolist(),
        "certain": [model.certain(query) for query in queries],
        "loss_bounds": finite_json(np.array([model.loss_bound(query) for query in queries])),
        "potential": finite_json(np.array([model.potential(), model.remaining_loss_bound()])),
        "summary": [
            model.engine_,
            model.rounds_,
            model.mistakes_,
            model.contradictions_,
            model.n_rows_,
        ],
    }


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
