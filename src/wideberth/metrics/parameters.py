"""What the parameters of metrics may be."""

import math
import sys
from typing import Any

import numpy as np


def is_number(value: Any) -> bool:
    """Whether it is a real number, of Python or of numpy, which a truth value is not, nor an integer that no float can hold.

    >>> is_number(2), is_number(np.float32(0.5)), is_number(True), is_number("2"), is_number(10**400)
    (True, True, False, False, False)
    """
    if isinstance(value, int):
        return not isinstance(value, bool) and abs(value) <= sys.float_info.max
    return isinstance(value, float | np.integer | np.floating)


def is_whole(value: Any, least: int, most: float = math.inf) -> bool:
    """Whether it is an integer, not below ``least`` nor above ``most``.

    >>> is_whole(3, 1), is_whole(0, 1), is_whole(3.0, 1)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and least <= int(value) <= most
