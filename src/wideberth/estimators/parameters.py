"""Which values a parameter of an estimator may have, and the error for those that it may not."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wideberth.errors import InvalidInput


class Fits(NamedTuple):
    """Which values a parameter may have, and what to say of others."""

    value: Callable[[Any], bool]
    advice: str


def check_parameters(model: Any, fits: Mapping[str, Fits]) -> None:
    """Raise an `InvalidInput` for the first parameter of the model whose value does not fit."""
    for name, each in fits.items():
        value = getattr(model, name)
        if not each.value(value):
            raise InvalidInput(f"{name}={value!r} does not fit.", advice=each.advice, value=value)
