"""What a Lipschitz classifier leaves in a model file, and how it comes back: without measuring a distance."""

import math
from typing import Any

import numpy as np

from wideberth.classifiers.lipschitz_function import StarFunction
from wideberth.estimators import saving
from wideberth.estimators.calibration import Temperature
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.solvers.lipschitz_program import LipschitzPoint


def state_of(model: Any) -> dict[str, Any]:
    """What `model` learned, as plain values; of the training objects only those that can set a score."""
    learned = {
        "lipschitz_constant": model.lipschitz_constant_,
        "C": model.C_,
        "slack": model.slack_,
        "support": model.support_,
        "temperature": model.temperature_.inverse if hasattr(model, "temperature_") else None,
        "point_slacks": model.solution_.point.slacks,
        "value": model.solution_.value,
        "lower_bound": model.solution_.lower_bound,
        "status": model.solution_.status,
    }
    if not model.lipschitz_constant_:
        return learned | {"objects": None, "constant_scores": model._constant_scores}
    function: StarFunction = model._function
    return learned | function.parts()


def restore(model: Any, state: dict[str, Any], room: dict[str, Any]) -> None:
    """Give `model` back what `state_of` took; ``room`` is the memory and the cores it may use."""
    slope = saving.number(state, "lipschitz_constant", least=0.0)
    model.lipschitz_constant_, model.margin_ = slope, 1.0 / slope if slope else math.inf
    model.C_ = saving.number(state, "C", least=0.0)
    model.slack_ = saving.numbers(state, "slack")
    model.solution_ = Solution(
        LipschitzPoint(saving.numbers(state, "point_slacks"), slope),
        saving.number(state, "value"),
        saving.number(state, "lower_bound"),
        str(state["status"]),
    )
    if state["temperature"] is not None:
        model.temperature_ = Temperature(saving.number(state, "temperature"))
    if not slope:
        model.support_ = np.empty(0, dtype=np.intp)
        model._constant_scores = saving.numbers(state, "constant_scores", len(model.classes_))
        return
    n_kept, n_classes = sample.count(state["objects"]), len(model.classes_)
    model.support_ = model._positions = saving.codes(state, "support", n_kept, below=len(model.slack_))
    model._function = StarFunction(
        state["objects"],
        model.metric_,
        saving.codes(state, "winners", n_kept, below=n_classes),
        saving.numbers(state, "margins", n_kept, least=0.0),
        slope,
        n_classes,
        sides=(saving.flags(state, "raises", n_kept), saving.flags(state, "limits", n_kept)),
        **room,
    )
