"""What margin neighbours leave in a model file, and how it comes back."""

import math
from dataclasses import fields
from typing import Any

import numpy as np

from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.separation import CoverPath, RiskCurve
from wideberth.errors import InvalidInput
from wideberth.estimators import saving
from wideberth.objects import sample


def state_of(model: Any) -> dict[str, Any]:
    """What ``model`` learned, as plain values; of the training objects those that answer."""
    return {
        "objects": model._objects,
        "codes": model._codes,
        "positions": model._positions,
        "removed": model.removed_,
        "held_out": model.held_out_,
        "separation": model.separation_,
        "cover_path": vars(model.cover_path_),
        "risk_curve": vars(model.risk_curve_),
        "risk_bound": model.risk_bound_.to_plain(),
    }


def restore(model: Any, state: dict[str, Any]) -> None:
    """Give ``model`` back what `state_of` took; its index is made anew."""
    model._objects = state["objects"]
    n_objects = sample.count(model._objects)
    model._codes = saving.codes(state, "codes", n_objects, below=len(model.classes_))
    if not n_objects or np.any(np.diff(model._codes) < 0):
        raise InvalidInput("The kept objects are not in the order of their classes.", value=model._codes)
    model._positions = saving.codes(state, "positions", n_objects, below=saving.ANY_POSITION)
    model.kept_ = np.sort(model._positions)
    model.removed_, model.held_out_ = (
        saving.codes(state, name, len(state[name]), below=saving.ANY_POSITION) for name in ("removed", "held_out")
    )
    model.separation_ = saving.number(state, "separation", least=0.0)
    model.lipschitz_constant_ = 2.0 / model.separation_ if model.separation_ else math.inf
    model.cover_path_ = CoverPath(**saving.columns(state, "cover_path", _names(CoverPath)))
    model.risk_curve_ = RiskCurve(**saving.columns(state, "risk_curve", _names(RiskCurve)))
    model.risk_bound_ = Certificate.from_plain(state["risk_bound"])


def _names(table: type[CoverPath | RiskCurve]) -> list[str]:
    return [field.name for field in fields(table)]
