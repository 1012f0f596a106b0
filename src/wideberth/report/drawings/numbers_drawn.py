"""Series as lines, histograms and long vectors as bars, short vectors as tables: never more numbers
than can be seen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.report.drawings.ink import in_words

#: Most points of a line, most channels of a series, and most bars: a small drawing has no room for
#: more.
MOST_POINTS, MOST_CHANNELS, MOST_BARS = 60, 6, 64
#: Vectors up to this length are read as numbers rather than seen as bars.
FEW_NUMBERS = 10
#: Digits of a number in a drawing: a pixel is about a hundredth of its height.
_DIGITS = 4


def plain_numbers(values: Any) -> list[float | None]:
    """Numbers as JSON knows them: rounded to four digits, None for those that are missing or
    infinite.

    Examples
    --------
    >>> plain_numbers([1 / 3, float("nan"), 12345.6])
    [0.3333, None, 12350.0]
    """
    return [
        float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None
        for value in np.asarray(values, dtype=float).ravel()
    ]


def line(channels: Floats) -> dict[str, Any]:
    """Draw a series as a line for each channel.

    A long series is cut into pieces, and of each the smallest and the largest value are shown, in
    their order: no peak is lost.

    The drawing of values of shape (channels, length): ``{"type": "line", "channels": [[number or
    None, ...], ...], "alt": ...}``; at most six channels of at most 60 points, None where a value
    is NaN.

    Examples
    --------
    >>> line(np.array([[0.0, 1.0, 0.5]]))
    {'type': 'line', 'channels': [[0.0, 1.0, 0.5]], 'alt': 'series of 3 values from 0 to 1'}
    """
    count, length = channels.shape
    shown = channels[:MOST_CHANNELS]
    most = MOST_POINTS if len(shown) <= 2 else MOST_POINTS // 2
    several = f" in {count} channels" if count > 1 else ""
    return {
        "type": "line",
        "channels": [plain_numbers(_few_points(channel, most)) for channel in shown],
        "alt": f"series of {length:,} values{several}{_range(channels)}",
    }


def _few_points(values: Floats, most: int) -> Floats:
    """The values, or of as many pieces as fit the smallest and the largest value of each, in the
    order in which they occur.
    """
    if len(values) <= most:
        return values
    pieces = np.array_split(values, most // 2)
    points = np.full((len(pieces), 2), np.nan)
    for place, piece in enumerate(pieces):
        finite = np.flatnonzero(np.isfinite(piece))
        if len(finite):
            ends = sorted((finite[np.argmin(piece[finite])], finite[np.argmax(piece[finite])]))
            points[place] = piece[ends]
    return points.ravel()


def bars(values: Floats, of: str = "vector of numbers") -> dict[str, Any]:
    """Draw numbers as bars; of many, the sums of neighbours.

    The drawing: ``{"type": "bars", "values": [number or None, ...], "alt": ...}``; at most 64 bars.

    Examples
    --------
    >>> bars(np.array([1.0, 3.0, 2.0]), "histogram")
    {'type': 'bars', 'values': [1.0, 3.0, 2.0], 'alt': 'histogram, 3 bins, from 1 to 3, the largest is 2 of 3'}
    """
    finite = np.where(np.isfinite(values), values, np.nan)
    many = len(values) > MOST_BARS
    with np.errstate(over="ignore"):
        shown = (
            np.array([np.nansum(piece) for piece in np.array_split(finite, MOST_BARS)])
            if many
            else finite
        )
    highest = (
        f", the largest is {int(np.nanargmax(finite)) + 1:,} of {len(values):,}"
        if np.isfinite(finite).any()
        else ""
    )
    return {
        "type": "bars",
        "values": plain_numbers(shown),
        "alt": f"{of}, {len(values):,} bins{_range(values).replace(' from', ', from', 1)}{highest}",
    }


def vector(values: Any, names: Sequence[Any] | None = None) -> dict[str, Any]:
    """Show a vector: as a table if it is short or its numbers have names, else as bars, else as a
    line.

    Examples
    --------
    >>> vector([5.1, 3.5])["rows"]
    [['x0', '5.1'], ['x1', '3.5']]
    >>> vector(range(30))["type"], vector(range(300))["type"]
    ('bars', 'line')
    """
    if isinstance(values, Mapping):
        names, values = list(values), list(values.values())
    numbers = np.asarray(values, dtype=float).ravel()
    if len(numbers) <= FEW_NUMBERS:
        names = [f"x{place}" for place in range(len(numbers))] if names is None else names
        rows = [
            [in_words(name, 30), in_words(number)]
            for name, number in zip(names, numbers, strict=True)
        ]
        return {
            "type": "table",
            "rows": rows,
            "alt": ", ".join(f"{name} {number}" for name, number in rows) or "empty",
        }
    if len(numbers) > MOST_BARS:
        return line(numbers[None]) | {"alt": f"vector of {len(numbers):,} numbers{_range(numbers)}"}
    return bars(numbers) | {"alt": f"vector of {len(numbers)} numbers{_range(numbers)}"}


def histogram(numbers: Floats) -> dict[str, Any]:
    """Draw a sample of numbers as the histogram of at most 20 bins of equal width.

    Examples
    --------
    >>> histogram(np.array([0.0, 0.0, 10.0]))["values"]
    [2.0, 1.0]
    """
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return bars(np.zeros(1), "sample without numbers")
    scale = np.max(np.abs(finite)) or 1.0  # the range of very large numbers is none
    counts, _ = np.histogram(finite / scale, bins=min(20, max(2, round(len(finite) ** 0.5))))
    return bars(counts.astype(float)) | {
        "alt": f"sample of {len(numbers):,} numbers{_range(finite)}"
    }


def _range(values: Floats) -> str:
    finite = values[np.isfinite(values)]
    return (
        f" from {in_words(finite.min())} to {in_words(finite.max())}"
        if finite.size
        else ", none of them a number"
    )
