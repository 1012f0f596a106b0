"""What the parameters of metrics may be."""

from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Whether it is a real number, of Python or of numpy, which a truth value is not.

    >>> is_number(2), is_number(np.float32(0.5)), is_number(True), is_number("2"), is_number(1j)
    (True, True, False, False, False)
    """
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_whole(value: Any, least: int) -> bool:
    """Whether it is an integer, not below ``least``.

    >>> is_whole(3, 1), is_whole(0, 1), is_whole(3.0, 1)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least
