"""What parameters of classifiers may be, and the error for those that are not."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wideberth.errors import InvalidInput
from wideberth.metrics.parameters import is_number


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
