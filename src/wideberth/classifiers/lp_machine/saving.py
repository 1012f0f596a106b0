"""The state of an LP machine in a model file: which plain values are written, and how they are checked when read."""

import math
from typing import Any

from wideberth.classifiers.lp_machine.one_vs_rest import classes_with_function
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.estimators.radial_functions import Radial
from wideberth.objects import sample
from wideberth.optimize.solution import Solution


def state_of(model: Any) -> dict[str, Any]:
    """Collect what a fitted classifier has learned, as plain values for a model file.

    Of the training objects only the references in use are included. The multipliers are kept because they prove the lower bound.

    Parameters
    ----------
    model : LPMachineClassifier
        A fitted classifier.

    Returns
    -------
    dict
        Numbers, texts, arrays and lists; the keys are part of the file format.
    """
    return {
        "objects": model._function.references,
        "positions": model.references_,
        "coefficients": model.coef_.ravel(),
        "intercepts": model.intercept_,
        "centres": model._centres.ravel(),
        "radials": [[radial.name, radial.width] for radial in model.radials_],
        "C": model.C_,
        **calibration_to_plain(model),
        "value": model.solution_.value,
        "lower_bound": model.solution_.lower_bound,
        "status": model.solution_.status,
        "multipliers": [point.multipliers for point in model.solution_.point],
    }


def restore(model: Any, state: dict[str, Any]) -> None:
    """Set the fitted attributes of a classifier from the state that `state_of` collected.

    The state comes from a file, so that lengths, ranges and finiteness are checked before compiled code relies on them.

    Parameters
    ----------
    model : LPMachineClassifier
        A classifier whose parameters, ``metric_`` and ``classes_`` are already set.
    state : dict
        The values from the file.

    Raises
    ------
    InvalidInput
        If a value is not possible.
    """
    model.radials_ = _checked_radials(state["radials"])
    n_references, n_functions = sample.count(state["objects"]), len(classes_with_function(len(model.classes_)))
    shape = (n_functions, len(model.radials_), n_references)
    model.references_ = restored_values.codes(state, "positions", n_references, below=restored_values.ANY_POSITION)
    model.coef_ = restored_values.finite(state, "coefficients", math.prod(shape)).reshape(shape)
    model.intercept_ = restored_values.finite(state, "intercepts", n_functions)
    model._centres = restored_values.finite(state, "centres", math.prod(shape[1:])).reshape(shape[1:])
    model.C_ = restored_values.numbers(state, "C", n_functions, least=0.0)
    restore_calibration(model, state)
    if not isinstance(state["multipliers"], list) or len(state["multipliers"]) != n_functions:
        raise InvalidInput(f"There are {n_functions} functions, but not as many lists of multipliers.", value=n_functions)
    multipliers = [restored_values.numbers({"multipliers": numbers}, "multipliers") for numbers in state["multipliers"]]
    value, lower_bound = (restored_values.number(state, name) for name in ("value", "lower_bound"))
    model.solution_ = Solution(model._points(multipliers), value, lower_bound, str(state["status"]))
    model._function = model._make_function(state["objects"])
    model.lipschitz_bound_ = model._function.slopes


def _checked_radials(written: Any) -> tuple[Radial, ...]:
    """The radial functions, each with its width, or an error if there are none."""
    if not isinstance(written, list) or not written:
        raise InvalidInput("There are no radial functions.", value=type(written).__name__)
    radials = tuple(Radial(name, width) for name, width in written)
    for radial in radials:
        if (radial.width is None) != (radial.name == "distance"):
            raise InvalidInput(f"The width of {radial.name!r} was left open.", value=radial)
    return radials
