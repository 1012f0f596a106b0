"""Checks of the parameters of metrics: one predicate or one check for each kind of number that a
parameter may be.

The predicates (`is_number`, `is_whole`) answer yes or no. The checks (`positive`, `nonnegative`,
`finite`) return the value unchanged, or raise an `InvalidInput` that shows the value and tells what
to pass instead.
"""

import math
import sys
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.wording import setting


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number of Python or numpy.

    Booleans do not count as numbers, nor do integers that are too large for a float. NaN and
    infinity do.

    Examples
    --------
    >>> (
    ...     is_number(2),
    ...     is_number(np.float32(0.5)),
    ...     is_number(True),
    ...     is_number("2"),
    ...     is_number(10**400),
    ... )
    (True, True, False, False, False)
    """
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, float | np.integer | np.floating)


def is_whole(value: Any, least: int, most: float = math.inf) -> bool:
    """Tell whether a value is an integer from ``least`` to ``most``. 3.0 and True are not integers
    here.

    Examples
    --------
    >>> is_whole(3, 1), is_whole(0, 1), is_whole(3.0, 1)
    (True, False, False)
    """
    return (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and least <= int(value) <= most
    )


def checked_choice(value: Any, name: str, choices: tuple[str, ...], metric: str) -> Any:
    """Return a parameter of a metric that is one of a few words, or raise an error.

    Examples
    --------
    >>> checked_choice("text", "at", ("words", "text"), "ngrams")
    'text'
    """
    if value not in choices:
        raise InvalidInput(
            f"{setting(name, value)} is unknown to {metric!r}.",
            advice=f"It is {' or '.join(map(repr, choices))}.",
            value=value,
        )
    return value


def positive(
    value: Any,
    what: str,
    advice: str,
    *,
    parameter: str | None = None,
    allow_infinity: bool = False,
) -> Any:
    """Check that a parameter is a positive number, and return it unchanged, so that scikit-learn's
    ``clone`` finds the object that was passed. ``what`` is the subject of the error, such as "The
    cost of 'msm'", and ``advice`` says what to pass instead.

    Examples
    --------
    >>> positive(2, "The radius", "1 gives angles.")
    2
    >>> positive(0, "The radius", "1 gives angles.")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: The radius must be a positive number, not 0. 1 gives angles.
    """
    fits = is_number(value) and value > 0 and (allow_infinity or value < np.inf)
    return _checked(value, fits, what, "a positive number", advice, parameter)


def nonnegative(
    value: Any,
    what: str,
    advice: str,
    *,
    parameter: str | None = None,
    allow_infinity: bool = False,
) -> Any:
    """Check that a parameter is a number from 0 on; otherwise like `positive`.

    Examples
    --------
    >>> nonnegative(0, "The cost of a deletion", "Start with 1.0.")
    0
    """
    fits = is_number(value) and value >= 0 and (allow_infinity or value < np.inf)
    return _checked(value, fits, what, "a nonnegative number", advice, parameter)


def finite(value: Any, what: str, advice: str, *, parameter: str | None = None) -> Any:
    """Check that a parameter is a finite number of either sign; otherwise like `positive`.

    Examples
    --------
    >>> finite(-0.5, "The gap", "Leave it at 0.")
    -0.5
    """
    return _checked(
        value,
        is_number(value) and -np.inf < value < np.inf,
        what,
        "a finite number",
        advice,
        parameter,
    )


def _checked(
    value: Any, fits: bool, what: str, kind: str, advice: str, parameter: str | None
) -> Any:
    """Return the value if it fits; otherwise raise an error in the words that all checks share."""
    if not fits:
        raise InvalidInput(
            f"{what} must be {kind}, not {value!r}.",
            advice=advice,
            value=value,
            parameter=parameter,
        )
    return value
