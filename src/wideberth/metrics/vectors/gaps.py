r"""Missing numbers of vectors, NaN: what metrics that are norms of differences make of them.

A sample with missing numbers teaches a metric two numbers for each column j: what stands for a
missing number, :math:`m_j`, the median of those that are there; and how far a missing number is
from one that equals it, :math:`s_j > 0`, the spread of the column. A vector x of d numbers, some of
them missing, is then measured as the longer vector

.. math:: \varphi(x) = (x'_1, \dots, x'_d,\; s_1 [x_1 \text{ missing}], \dots, s_d [x_d \text{
    missing}]), \qquad x'_j = m_j \text{ where } x_j \text{ is missing}, \; x_j \text{ elsewhere},

by the same norm. The map is one to one, as :math:`s_j > 0`, so the distance is a norm on a subset
of :math:`\mathbb R^{2d}`: the triangle inequality, Hilbertian, negative type and separation hold as
without missing numbers. Two vectors without missing numbers have the distance that they had. With
squares of differences, a missing number is on average as far from the others of its column as these
are from each other: :math:`E (X - m)^2 + s^2 = 2 s^2 = E (X - X')^2` if m is their mean and s their
standard deviation, which of a normal column median and spread are.
"""

from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import LARGEST, as_real_numbers
from wideberth.rounding import UNIT
from wideberth.wording import setting

#: The distance between the quartiles of a normal distribution, in standard deviations.
_QUARTILES_APART = 1.3489795003921634
#: Columns with a smaller spread are constant; values in units of a smaller one would overflow.
LEAST_SPREAD = 1.0 / LARGEST
#: Columns whose spread is a smaller share of their values are constant: the rest is rounding.
_ROUNDING = 8 * UNIT


def spreads(rows: Floats) -> Floats:
    """Compute the spread of each column of a sample that is not empty, robust to outliers: the
    distance between the quartiles over that of a normal distribution; the standard deviation where
    the quartiles are equal; 0 for a constant column. Missing numbers do not count.

    Examples
    --------
    >>> spreads(np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0], [4.0, np.nan]])).round(3)
    array([1.483, 0.   ])
    """
    if np.isnan(rows).any():
        known = [column[~np.isnan(column), None] for column in rows.T]
        return np.array([float(spreads(each)[0]) if len(each) else 0.0 for each in known])
    # divided, so that no difference overflows
    lower, upper = np.quantile(rows / 4.0, [0.25, 0.75], axis=0)
    quartiles = 4.0 * (upper - lower) / _QUARTILES_APART
    largest = np.maximum(np.abs(rows).max(axis=0), LEAST_SPREAD)
    deviations = largest * np.std(rows / largest, axis=0)
    scales = np.where(deviations > np.maximum(_ROUNDING * largest, LEAST_SPREAD), deviations, 0.0)
    return np.where(
        quartiles > np.maximum(_ROUNDING * np.maximum(np.abs(lower), np.abs(upper)), LEAST_SPREAD),
        quartiles,
        scales,
    )


def learn_gaps(rows: Floats) -> Floats | None:
    """What missing numbers mean to a metric that learns from this sample, an array of two rows: for
    each column the number in their place, and how far they are from it. None if none is missing.

    Of a constant column the second is the median of those of the others; of a column without
    numbers, the first is 0.

    Examples
    --------
    >>> learn_gaps(np.array([[1.0, 5.0], [3.0, 5.0], [np.nan, 5.0]]))
    array([[2.        , 5.        ],
           [0.74130111, 0.74130111]])
    """
    if not np.isnan(rows).any():
        return None
    medians = [np.median(known) if len(known) else 0.0 for known in map(_known, rows.T)]
    apart = spreads(rows)
    usual = float(np.median(apart[apart > 0])) if apart.any() else 1.0
    return np.array([medians, np.where(apart > 0, apart, usual)])


def _known(column: Floats) -> Floats:
    return column[~np.isnan(column)]


def as_gaps(given: Any) -> Floats | None:
    """The parameter ``gaps`` of a metric as an array, or an error if it is not two rows of numbers,
    the second positive.

    >>> as_gaps([[0, 1], [1, 1]]), as_gaps(None)
    (array([[0., 1.],
           [1., 1.]]), None)
    """
    if given is None:
        return None
    numbers = as_real_numbers(given)
    if (
        numbers is None
        or numbers.ndim != 2
        or len(numbers) != 2
        or not numbers.size
        or not np.all(np.abs(numbers) <= LARGEST)
        or not np.all(numbers[1] >= LEAST_SPREAD)
    ):
        raise InvalidInput(
            f"{setting('gaps', given)} does not say what missing numbers mean.",
            advice="It has two rows: for each column the number in the place of a missing one, and "
            "how far the missing one is from it, positive. Leave it out to learn it from the "
            "objects.",
            value=given,
        )
    return numbers


def without_gaps(left: Floats, right: Floats, gaps: Floats | None) -> tuple[Floats, Floats]:
    r"""Two samples of vectors as longer ones without missing numbers, :math:`\varphi` of the module;
    columns in which both have all numbers add nothing and are left out.

    Examples
    --------
    >>> gaps = np.array([[0.0, 7.0], [1.0, 2.0]])
    >>> without_gaps(np.array([[1.0, np.nan]]), np.array([[3.0, 4.0]]), gaps)
    (array([[1., 7., 2.]]), array([[3., 4., 0.]]))
    """
    if gaps is None:
        return left, right
    missing = np.isnan(left), np.isnan(right)
    marked = missing[0].any(axis=0) | missing[1].any(axis=0)
    if not marked.any():
        return left, right
    fills, apart = gaps
    one, other = (
        np.hstack([np.where(absent, fills, rows), np.where(absent, apart, 0.0)[:, marked]])
        for rows, absent in zip((left, right), missing, strict=True)
    )
    return one, other
