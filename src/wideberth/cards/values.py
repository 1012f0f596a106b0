"""How values are written for people: numbers with the digits that say something, shares, times,
dates, and objects of any kind, cut short.
"""

import datetime
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from wideberth.safe_text import safe_text

#: What stands where a value is not known.
UNKNOWN = "-"
#: The most characters of an object, and of any other text.
LONGEST_OBJECT, LONGEST = 60, 400
#: The most elements of a collection that are written, and how deep collections are looked into.
_MOST, _DEEPEST = 6, 3


def number(value: Any) -> str:
    """A number with three digits, whole ones with all of theirs.

    Examples
    --------
    >>> number(1234567), number(120.4), number(0.12345), number(9999.6), number(1.5e-7)
    ('1,234,567', '120', '0.123', '10,000', '1.5e-07')
    >>> number(None), number(float("nan")), number(float("inf"))
    ('-', '-', 'inf')
    """
    if value is None or value != value:
        return UNKNOWN
    if isinstance(value, Integral):
        return f"{int(value):,}"
    size = abs(float(value))
    if not math.isfinite(size):
        return f"{float(value):g}"
    if size >= 999.5:
        return f"{float(value):,.0f}"
    if 0 < size < 1e-4:
        return f"{float(value):.2g}"
    return f"{float(value):.3g}"


def share(value: float | None) -> str:
    """A share of a whole in percent.

    >>> share(0.0345), share(None)
    ('3.5%', '-')
    """
    return UNKNOWN if value is None or math.isnan(value) else f"{float(value):.1%}"


def probability(value: float) -> float:
    """A probability as all faces tell it: rounded down to four decimals, so that only a certain
    label has 1.

    What rounding errors take from a decimal, or add to it, does not count.

    Examples
    --------
    >>> [probability(each) for each in (0.98769, 0.999999, 0.57, 0.57 - 1e-15, 1.0)]
    [0.9876, 0.9999, 0.57, 0.57, 1.0]
    """
    if value >= 1:
        return 1.0
    return min(0.9999, math.floor(float(value) * 10_000 + 1e-6) / 10_000)


def duration(seconds: float | None) -> str:
    """A time in the units that people would take.

    Examples
    --------
    >>> [duration(each) for each in (4e-6, 0.0123, 3.21, 59.7, 120, 3900, None)]
    ['4 us', '12 ms', '3.2 s', '1 min', '2 min', '1 h 5 min', '-']
    """
    if seconds is None or math.isnan(seconds):
        return UNKNOWN
    if seconds < 59.5:
        scale, unit = (1, "s") if seconds >= 1 else (1e3, "ms") if seconds >= 1e-3 else (1e6, "us")
        scaled = seconds * scale
        return f"{scaled:.0f} {unit}" if scaled >= 9.95 else f"{round(scaled, 1):g} {unit}"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    return f"{hours:,} h {rest} min" if rest else f"{hours:,} h"


def told(value: Any, longest: int = LONGEST_OBJECT) -> str:
    """A label, an object or another value of the user, in which nothing is hidden.

    Examples
    --------
    >>> import numpy as np
    >>> told("tea"), told(np.int64(23)), told(np.str_("tea")), told(np.array([1.0, 2.5]))
    ('tea', '23', 'tea', '[1, 2.5]')
    >>> told(np.datetime64("2024-05-01")), told({"age": 31.0, "job": None}), told(range(9))
    ('2024-05-01', 'age 31, job -', '[0, 1, 2, 3, 4, 5, ...]')
    """
    return safe_text(_told(value, longest, _DEEPEST), longest) or "(empty)"


def _told(value: Any, longest: int, deep: int) -> str:
    if isinstance(value, str | bytes):
        # of long texts only what can be shown is looked at
        return str(value[: 4 * longest]) if isinstance(value, str) else repr(value[:longest])
    if value is None:
        return UNKNOWN
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        plain = value.item()
        # nanoseconds become integers in Python
        return str(value) if value.dtype.kind in "mM" else _told(plain, longest, deep)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Real):
        size = float(value)
        return f"{size:g}" if size.is_integer() and abs(size) < 1e4 else number(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat(*([" "] if isinstance(value, datetime.datetime) else []))
    if deep:
        return _told_collection(value, longest, deep - 1)
    return "..."


def _told_collection(value: Any, longest: int, deep: int) -> str:
    """The first elements of a collection; the repr of anything else."""
    if isinstance(value, Mapping):
        parts = [
            f"{_told(name, longest, deep)} {_told(value[name], longest, deep)}"
            for name in list(value)[:_MOST]
        ]
        return ", ".join([*parts, *(["..."] if len(value) > _MOST else [])])
    if isinstance(value, set | frozenset):
        parts = sorted(_told(each, longest, deep) for each in value)
        few = [*parts[:_MOST], *(["..."] if len(parts) > _MOST else [])]
        return f"{{{', '.join(few)}}}"
    if isinstance(value, list | tuple | range) or getattr(value, "ndim", 0) > 0:
        parts = [_told(value[place], longest, deep) for place in range(min(len(value), _MOST))]
        return f"[{', '.join([*parts, *(['...'] if len(value) > _MOST else [])])}]"
    return repr(value)
