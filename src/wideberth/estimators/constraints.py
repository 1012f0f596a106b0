"""What the parameters of estimators may be, the error for what they may not be, and references as users ask for them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_number
from wideberth.objects import sample


class Fits(NamedTuple):
    """Which values a parameter may have, and what to say of others."""

    value: Callable[[Any], bool]
    advice: str


PRICE = Fits(lambda value: is_number(value) and value > 0, "It is positive; numpy.inf is the hard margin.")
TOLERANCE = Fits(lambda value: is_number(value) and 0 < value < 1, "It lies between 0 and 1, such as 1e-3.")
MAX_TIME = Fits(lambda value: value is None or (is_number(value) and value > 0), "Pass positive seconds, or None for no limit.")
CALIBRATE = Fits(
    lambda value: value is None or (is_number(value) and value >= 2),
    "Pass a number of folds from 2 on, or None for no probabilities.",
)


def check_parameters(model: Any, fits: Mapping[str, Fits]) -> None:
    """Raise an `InvalidInput` for the first parameter of the model whose value does not fit."""
    for name, each in fits.items():
        value = getattr(model, name)
        if not each.value(value):
            raise InvalidInput(f"{name}={value!r} does not fit.", advice=each.advice, value=value)


def is_count(asked: Any) -> bool:
    """Whether it is a number of references rather than references."""
    return isinstance(asked, int | np.integer) and not isinstance(asked, bool)


def may_be_references(asked: Any) -> bool:
    """Whether it is a number from 1 on, None, or may be a sample of objects.

    >>> may_be_references(5), may_be_references(["tea"]), may_be_references(0), may_be_references("all"), may_be_references(0.5)
    (True, True, False, False, False)
    """
    if is_count(asked):
        return bool(asked >= 1)
    return asked is None or (hasattr(asked, "__len__") and not isinstance(asked, str | bytes))


def given_references(asked: Any, objects: Any, metric: Metric, *, unlabelled: str) -> Any:
    """The references a user gave, prepared; distances from the ``objects`` to them can be measured.

    ``unlabelled`` is the advice for references that a matrix of distances does not hold.
    """
    prepared = metric.prepare(asked)
    if not sample.count(prepared):
        raise InvalidInput("references is empty: there is nothing to measure distances to.", advice="Pass one at least.", value=0)
    if metric.accepts == "indices" and prepared.ndim > 1:
        raise InvalidInput(
            "With a matrix of distances, references are row numbers: distances between new objects are not in it.",
            advice=unlabelled,
            value=prepared.shape,
        )
    metric.block(sample.pick(objects, slice(0, 1)), sample.pick(prepared, slice(0, 1)))  # do they go together
    return prepared
