"""What a model file holds of an automatic choice: the winner, and the table of what it was chosen from."""

from typing import Any

import numpy as np

from wideberth.certificate import Certificate
from wideberth.choice.leaderboard import COLUMNS
from wideberth.classifiers.named import by_class_name
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration


def state_of(auto: Any) -> dict[str, Any]:
    """Plain values of a fitted `AutoClassifier`, with those of its winner.

    Parameters
    ----------
    auto : AutoClassifier
        A fitted one.

    Returns
    -------
    dict
        See `MetricEstimator.state`.
    """
    best = auto.best_estimator_
    parameters = best.get_params(deep=False)
    del parameters["metric"]
    choice = {
        "proposed": isinstance(auto.metric, str) and auto.metric == "auto",
        "class": type(best).__name__,
        "parameters": parameters,
        "leaderboard": auto.leaderboard_,
        "in_words": auto.choice_,
        "expected_error": None if np.isnan(auto.expected_error_) else auto.expected_error_,
        "calibration": calibration_to_plain(auto),
        "certificate": None if auto.certificate_ is None else auto.certificate_.to_plain(),
    }
    learned: dict[str, Any] = best.state()
    return learned | {"choice": choice}


def restore(auto: Any, state: dict[str, Any]) -> None:
    """Set what `state_of` returned, with checks of values that come from a file.

    Parameters
    ----------
    auto : AutoClassifier
        With its parameters, ``metric_`` and ``classes_`` set.
    state : dict
        The values.

    Raises
    ------
    InvalidInput
        If they do not describe a choice.
    """
    choice = state["choice"]
    families = by_class_name()
    if choice["class"] not in families or not isinstance(choice["parameters"], dict):
        raise InvalidInput(f"There is no classifier {choice['class']!r}.", value=choice["class"])
    chosen = families[choice["class"]].load()
    restored_values.check_complete(choice["parameters"], chosen)
    best = chosen(auto.metric_, **choice["parameters"])
    best.inherit(auto)
    best.check_parameters()
    best.restore(state)
    auto.adopt(best, metric_chosen=False)  # what is remembered of it says whether it was
    if choice["proposed"]:
        auto.metric = "auto"
    if not isinstance(choice["leaderboard"], list) or not all(set(row) == set(COLUMNS) for row in choice["leaderboard"]):
        raise InvalidInput("The table of candidates does not have its columns.", value=COLUMNS)
    if not isinstance(choice["in_words"], str):
        raise InvalidInput("What was chosen is not a text.", value=choice["in_words"])
    auto.leaderboard_, auto.choice_ = choice["leaderboard"], choice["in_words"]
    compared = choice["expected_error"] is not None
    auto.expected_error_ = restored_values.number(choice, "expected_error", least=0.0, most=1.0) if compared else float("nan")
    restore_calibration(auto, choice["calibration"])
    if not hasattr(auto, "calibration_"):
        raise InvalidInput("The choice has no probabilities.", value=choice["calibration"])
    told = choice["certificate"]
    auto.certificate_ = None if told is None else Certificate.from_plain(told)
