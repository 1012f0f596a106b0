r"""Whether a function of distances makes metrics of metrics, and Hilbertian metrics of Hilbertian ones.

A function F with F(0) = 0 keeps every metric a metric if it increases and is concave (Hein, Bousquet & Schoelkopf 2005, Lemma 1); it
changes short distances only by a factor if F(t)/t has a positive limit at 0 (Lemma 2, Corollary 2); it keeps every Hilbertian
metric Hilbertian if and only if :math:`G(t) = F(\sqrt t)^2` has derivatives of alternating signs, from + on (Schoenberg, Theorem 4),
and then :math:`1 - F^2 / 2`, for F below :math:`\sqrt 2`, is one of the kernels of Proposition 3.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.rounding import SUM_ERROR

#: Differences up to this order are looked at; those of higher ones drown in rounding.
ORDERS = 8


@dataclass(frozen=True)
class TransformFacts:
    """What the values of a function of distances show.

    Statements are refuted by values, beyond rounding, or not refuted: no number of values proves them.

    Attributes
    ----------
    metric : bool
        Whether nothing refutes that it increases and is concave (Lemma 1), so that metrics stay metrics.
    hilbertian : bool
        Whether nothing refutes that Hilbertian metrics stay Hilbertian (Theorem 4).
    slope : float
        F(t) / t at the smallest distance: by what factor short distances change, if the limit exists (Lemma 2, Corollary 2).
    largest : float
        The largest value; a bounded function makes metric spaces bounded.
    witness : str
        What refutes the first statement that is refuted; empty if none is.

    Examples
    --------
    >>> examine_transform(np.sqrt).hilbertian, examine_transform(np.square).metric
    (True, False)
    """

    metric: bool
    hilbertian: bool
    slope: float
    largest: float
    witness: str


def examine_transform(function: Callable[[Floats], Floats], *, largest: float = 10.0, points: int = 200) -> TransformFacts:
    """Test whether a function of distances keeps metrics metrics, and Hilbertian metrics Hilbertian.

    Parameters
    ----------
    function : callable
        Takes an array of distances and returns their values.
    largest : float
        The largest distance that matters.
    points : int
        How many distances are looked at.

    Returns
    -------
    TransformFacts
        What the values refute, with a witness.

    Raises
    ------
    InvalidInput
        If the function does not map 0 to 0, or gives values that are not finite or negative.

    Examples
    --------
    >>> facts = examine_transform(lambda t: np.minimum(t, 1.0))  # a metric, but not Hilbertian: it bends too sharply
    >>> facts.metric, facts.hilbertian, facts.slope
    (True, False, 1.0)
    >>> examine_transform(lambda t: t**1.5).witness
    'F is not concave at 0.05: its slope grows from 0.224 to 0.409.'
    """
    grid = np.linspace(0.0, largest, points + 1)
    values = np.asarray(function(grid), dtype=np.float64)
    if values.shape != grid.shape or not np.isfinite(values).all() or values[0] != 0 or (values < 0).any():
        raise InvalidInput(
            f"The function gives {values.ravel()[:3]} for the distances {grid[:3]}.",
            advice="It takes an array of distances, and gives 0 for 0 and finite values from 0 on for all others.",
            value=values,
        )
    bent = _refuted_metric(grid, values)
    curved = _refuted_hilbertian(function, largest, points)
    return TransformFacts(not bent, not curved, float(values[1] / grid[1]), float(values.max()), bent or curved)


def _refuted_metric(grid: Floats, values: Floats) -> str:
    """Where the function falls, vanishes or is not concave; empty if nowhere."""
    rounding = 8 * SUM_ERROR * values.max(initial=1.0)
    if (values[1:] == 0).any():
        return f"F vanishes at {grid[1:][values[1:] == 0][0]:.3g}, so that different objects would be the same."
    steps = np.diff(values)
    if (steps < -rounding).any():
        return f"F falls at {grid[np.argmin(steps)]:.3g}."
    bends = np.diff(steps)
    worst = int(np.argmax(bends))
    if bends[worst] > 2 * rounding:
        slopes = steps[worst : worst + 2] / grid[1]
        return f"F is not concave at {grid[worst + 1]:.3g}: its slope grows from {slopes[0]:.3g} to {slopes[1]:.3g}."
    return ""


def _refuted_hilbertian(function: Callable[[Floats], Floats], largest: float, points: int) -> str:
    """The difference of F(sqrt t)^2 that has the wrong sign; empty if there is none.

    If derivatives alternate in sign, so do differences of all orders and steps: the n-th one is the mean of the n-th derivative.
    """
    for stride in (1, 4, 16):
        squares = np.linspace(0.0, largest**2, points // stride + 1)
        values = np.asarray(function(np.sqrt(squares)), dtype=np.float64) ** 2
        differences = values
        for order in range(1, min(ORDERS, len(values) - 1) + 1):
            differences = np.diff(differences)
            signed = differences if order % 2 else -differences
            rounding = 16 * SUM_ERROR * comb(order, order // 2) * order * values.max(initial=1.0)
            if (signed < -rounding).any():
                place = float(np.sqrt(squares[int(np.argmin(signed))]))
                return f"The difference of order {order} of F(sqrt t)^2 has the wrong sign near the distance {place:.3g} (Theorem 4)."
    return ""
