"""Allowed values of the parameters of `MarginNeighborsClassifier`, and checks of parameters that exclude each other."""

import math
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.estimators.constraints import CALIBRATE, Fits
from wideberth.estimators.training import Training
from wideberth.metrics.parameters import is_number
from wideberth.wording import setting

#: Criteria that choose the separation.
SEPARATIONS = ("holdout", "compression", "theory")
COVERS = ("auto", "greedy", "lp", "exact")
CONDENSATIONS = (None, "net", "p2l")


def _one_of(values: tuple[str | None, ...]) -> Fits:
    """A parameter that has one of a few values."""
    return Fits(lambda value: value in values, f"Pass one of {', '.join(map(repr, values))}.")


#: The constraint of each parameter alone.
FITS = {
    "separation": Fits(
        lambda value: value in SEPARATIONS if isinstance(value, str) else is_number(value) and value > 0,
        f"Pass {', '.join(map(repr, SEPARATIONS))}, or a positive distance.",
    ),
    "cover": _one_of(COVERS),
    "condense": _one_of(CONDENSATIONS),
    "eta": Fits(lambda value: is_number(value) and 0 <= value < math.inf, "It is 0 for exact neighbours, or a little more."),
    "delta": Fits(lambda value: is_number(value) and 0 < value < 1, "It lies between 0 and 1, such as 0.05."),
    "dimension": Fits(
        lambda value: value is None or value == "adaptive" if not is_number(value) else value > 0,
        "It is positive, 'adaptive', or None.",
    ),
    "holdout": Fits(lambda value: is_number(value) and 0 < value < 1, "It is a share between 0 and 1, such as 0.2."),
    "calibrate": CALIBRATE,
}


def check_settings(model: Any, training: Training) -> None:
    """Raise `InvalidInput` for values that are not allowed, alone, together, or with weights that differ.

    Parameters
    ----------
    model : MarginNeighborsClassifier
        The classifier, before it is fitted.
    training : Training
        The objects with their weights, class weights included.

    Raises
    ------
    InvalidInput
        A compression needs a cover that does not depend on objects outside of it, which only the greedy one guarantees. The
        solvers of covers, and the certificate of a compression, count every object once, so that all weights must be equal.
    """
    model.check_parameters()
    if model.separation == "compression" and model.cover not in ("auto", "greedy"):
        raise InvalidInput(
            f"{setting('cover', model.cover)} is not stable: objects outside it may change it, which would void the certificate.",
            advice=f"Leave {setting('cover', 'auto')} with {setting('separation', 'compression')}, or choose by "
            f"{setting('separation', 'holdout')}.",
            value=model.cover,
        )
    if len(np.unique(training.weights)) > 1 and (model.separation == "compression" or model.cover in ("lp", "exact")):
        raise InvalidInput(
            f"{setting('separation', model.separation)} with {setting('cover', model.cover)} takes every object once, but "
            "the weights differ.",
            advice=f"sample_weight and class_weight work with {setting('separation', 'holdout')} or a number, and "
            f"{setting('cover', 'auto')} or 'greedy'.",
            value=(float(training.weights.min()), float(training.weights.max())),
        )
