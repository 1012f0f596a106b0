"""What a model file stores of a margin neighbours classifier, and how the classifier is restored from it."""

from dataclasses import fields
from typing import Any

import numpy as np

from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.shared_by_criteria import CoverPath, RiskCurve, lipschitz_constant_of
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.calibration import calibration_to_plain, restore_calibration
from wideberth.objects import sample


def state_of(model: Any) -> dict[str, Any]:
    """Return what the classifier learned as plain values; of the training objects only those that answer.

    The keys are part of the format of model files.

    Parameters
    ----------
    model : MarginNeighborsClassifier
        A fitted classifier.

    Returns
    -------
    dict
    """
    return {
        "objects": model._objects,
        "codes": model._codes,
        "weights": model._weights,
        "positions": model._positions,
        "removed": model.removed_,
        "held_out": model.held_out_,
        "separation": model.separation_,
        "cover_path": vars(model.cover_path_),
        "risk_curve": vars(model.risk_curve_),
        "risk_bound": model.risk_bound_.to_plain(),
        **calibration_to_plain(model),
    }


def restore(model: Any, state: dict[str, Any]) -> None:
    """Set the attributes of a classifier from what `state_of` returned; its index is not built here.

    Parameters
    ----------
    model : MarginNeighborsClassifier
        A classifier with its parameters, metric and classes.
    state : dict
        Values read from a file; they are checked.

    Raises
    ------
    InvalidInput
        If the values are inconsistent.
    """
    model._objects = state["objects"]
    n_objects = sample.count(model._objects)
    model._codes = restored_values.codes(state, "codes", n_objects, below=len(model.classes_))
    if not n_objects or np.any(np.diff(model._codes) < 0):
        raise InvalidInput("The kept objects are not in the order of their classes.", value=model._codes)
    model._weights = restored_values.finite(state, "weights", n_objects, least=float(np.finfo(np.float64).tiny))
    model._positions = restored_values.codes(state, "positions", n_objects, below=restored_values.ANY_POSITION)
    model.kept_ = np.sort(model._positions)
    model.removed_, model.held_out_ = (
        restored_values.codes(state, name, len(state[name]), below=restored_values.ANY_POSITION)
        for name in ("removed", "held_out")
    )
    model.separation_ = restored_values.number(state, "separation", least=0.0)
    model.lipschitz_constant_ = lipschitz_constant_of(model.separation_)
    model.cover_path_ = CoverPath(**restored_values.columns(state, "cover_path", _field_names(CoverPath)))
    model.risk_curve_ = RiskCurve(**restored_values.columns(state, "risk_curve", _field_names(RiskCurve)))
    model.risk_bound_ = Certificate.from_plain(state["risk_bound"])
    restore_calibration(model, state)


def _field_names(table: type[CoverPath | RiskCurve]) -> list[str]:
    return [field.name for field in fields(table)]
