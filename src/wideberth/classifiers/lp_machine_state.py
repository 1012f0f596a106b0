"""What an LP machine leaves in a model file, and how it comes back."""

from typing import Any

import numpy as np

from wideberth.classifiers.one_vs_rest import function_of
from wideberth.errors import InvalidInput
from wideberth.estimators import saving
from wideberth.estimators.calibration import Temperature
from wideberth.geometry.radial import Radial
from wideberth.objects import sample
from wideberth.optimize.solution import Solution


def state_of(model: Any) -> dict[str, Any]:
    """What ``model`` learned, as plain values; of the references only those that prediction needs."""
    return {
        "objects": model._function.references,
        "positions": model.references_,
        "coefficients": model.coef_.ravel(),
        "intercepts": model.intercept_,
        "centres": model._centres.ravel(),
        "radials": [[each.name, each.width] for each in model.radials_],
        "C": model.C_,
        "temperature": model.temperature_.inverse if hasattr(model, "temperature_") else None,
        "value": model.solution_.value,
        "lower_bound": model.solution_.lower_bound,
        "status": model.solution_.status,
        "multipliers": [each.multipliers for each in model.solution_.point],
    }


def restore(model: Any, state: dict[str, Any]) -> None:
    """Give ``model`` back what `state_of` took."""
    model.radials_ = tuple(Radial(name, width) for name, width in state["radials"])
    n_references, n_functions = sample.count(state["objects"]), len(function_of(len(model.classes_)))
    shape = (n_functions, len(model.radials_), n_references)
    model.references_ = saving.codes(state, "positions", n_references, below=np.iinfo(np.intp).max)
    model.coef_ = _finite(state, "coefficients", shape)
    model.intercept_ = _finite(state, "intercepts", shape[:1])
    model._centres = _finite(state, "centres", shape[1:])
    model.C_ = saving.numbers(state, "C", n_functions, least=0.0)
    if state["temperature"] is not None:
        model.temperature_ = Temperature(saving.number(state, "temperature"))
    if not isinstance(state["multipliers"], list) or len(state["multipliers"]) != n_functions:
        raise InvalidInput(f"There are {n_functions} functions, but not as many lists of multipliers.", value=n_functions)
    points = model._points([saving.numbers({"multipliers": each}, "multipliers") for each in state["multipliers"]])
    model.solution_ = Solution(points, saving.number(state, "value"), saving.number(state, "lower_bound"), str(state["status"]))
    model._function = model._make_function(state["objects"])
    model.lipschitz_bound_ = model._function.slopes


def _finite(state: dict[str, Any], name: str, shape: tuple[int, ...]) -> Any:
    values = saving.numbers(state, name, int(np.prod(shape)))
    if not np.isfinite(values).all():
        raise InvalidInput(f"{name!r} holds a number that is not finite.", value=name)
    return values.reshape(shape)
