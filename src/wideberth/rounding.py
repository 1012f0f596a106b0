r"""The tolerances for rounding, each named and derived once, and the radii that they leave: how far
an object may move before another class can lead (`radii_of_leads`, `leads_within`, `half_leads`).

An operation on doubles errs by at most :math:`u = 2^{-53} \approx 1.1 \cdot 10^{-16}` of its
result. So a sum of n terms, in any order, errs by at most :math:`n u / (1 - n u)` of the sum of
their absolute values, and by :math:`(\log_2 n + 128)\, u` if it is added up in pairs as numpy does
(Higham, *Accuracy and Stability of Numerical Algorithms*, chapters 3 and 4). All tolerances are
relative: to the terms that were added, the largest eigenvalue, the scale of a program.

Tolerances that belong to a single method, such as the gap at which an iteration stops, stand beside
that method. Compiled kernels keep the values with which they were compiled: after a change here,
clear their caches (``__pycache__``).
"""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_DOWN, Context, Decimal
from math import frexp
from typing import NamedTuple, Self

import numpy as np

from wideberth.array_types import Floats

#: What one operation can do to its result, relative to it: half a unit in the last place.
UNIT = 2.0**-53

#: What rounding can do to a sum or a product of vectors, relative to the sum of the absolute terms:
#: 9,000 terms in the worst order, any number of terms added up in pairs. What is smaller beside the
#: largest term is a zero, and what differs by less is a tie.
SUM_ERROR = 1e-12

#: What rounding can do to a distance, or to a score made of distances, relative to the sum of the
#: absolute terms: 90,000 costs or coordinates added up one after the other. By this much, at both
#: ends of a move, certified radii are shortened. Metrics of which this is not true say so: see
#: `DistanceErrors`.
RADIUS_ERROR = 1e-11

#: What rounding can do to distances in a triangle, relative to the largest. The longest
#: computations add a million costs one after the other (two series of 500,000 points, aligned):
#: :math:`10^6 u = 1.1 \cdot 10^{-10}` for each of three sides. A metric whose axioms are broken by
#: less counts as one, so that whatever relies on a triangle inequality must allow for this.
DISTANCE_ERROR = 1e-9

#: Below this share of the largest eigenvalue, a negative one is rounding. The eigenvalues of a
#: symmetric matrix of order n err by some :math:`n^{3/2} u` of the largest, :math:`3 \cdot
#: 10^{-10}` for n = 20,000, and the squared distances in it by twice `DISTANCE_ERROR`.
EIGENVALUE_ERROR = 1e-8

#: What the simplex method may leave of a constraint or of a reduced cost, in a program scaled to 1:
#: what HiGHS is asked for, as fine as it takes. Columns priced above their limit by less are not
#: violated, and margins and shares below it are none.
SOLVER_ERROR = 1e-9

#: What decides ties among scores of size 1 and changes nothing else: above what rounding does to
#: them, far below any real lead.
TIE_BREAK = 1e-9


def binary_unit(values: Floats) -> float:
    """The power of two that the largest of some non-negative values is one to two times; 1 if all
    are 0.

    Dividing by it changes no digit. Solvers whose tolerances are absolute are given values in this
    unit.

    Examples
    --------
    >>> binary_unit(np.array([0.3, 5.0])), binary_unit(np.zeros(2))
    (4.0, 1.0)
    """
    largest = float(np.max(values, initial=0.0))
    return 2.0 ** (frexp(largest)[1] - 1) if largest else 1.0


class DistanceErrors(NamedTuple):
    r"""How far computed distances from some objects may be from the exact ones.

    .. math:: |\hat d(x, y) - d(x, y)| \le \varepsilon\, d(x, y) + u(x) \qquad \text{for every } y

    Distances that are sums of terms of one sign have no absolute part, except where squares
    underflow. Those that are differences of large numbers do: of kernel values, of vectors far from
    the origin that were transformed first.

    Examples
    --------
    >>> DistanceErrors.of(2, absolute=1e-9)
    DistanceErrors(relative=1e-11, absolute=array([1.e-09, 1.e-09]))
    """

    #: At least `RADIUS_ERROR`.
    relative: float
    #: u(x) for each of the objects, in the unit of the metric.
    absolute: Floats

    @classmethod
    def of(cls, n_objects: int, absolute: float, relative: float = RADIUS_ERROR) -> Self:
        """The same errors for each of ``n_objects`` objects."""
        return cls(relative, np.full(n_objects, absolute))

    @classmethod
    def added(cls, several: Sequence[Self]) -> Self:
        """The errors of a sum of distances, or of the largest of them: the largest relative and the
        sum of the absolute ones.

        Examples
        --------
        >>> DistanceErrors.added(
        ...     [DistanceErrors.of(1, 0.5), DistanceErrors.of(1, 0.25, relative=1e-6)]
        ... )
        DistanceErrors(relative=1e-06, absolute=array([0.75]))
        """
        return cls(
            max(errors.relative for errors in several),
            np.sum([errors.absolute for errors in several], axis=0),
        )

    def towards(self, references: Self) -> Self:
        r"""The errors of distances from objects to references, wherever the objects move, and of
        the lengths of their moves.

        An object that has moved may be anywhere, so that nothing is known of its own u. But a
        distance errs by no more than the u of the reference at its other end.

        Examples
        --------
        >>> DistanceErrors.of(2, absolute=0.1).towards(DistanceErrors(1e-6, np.array([0.0, 0.2])))
        DistanceErrors(relative=1e-06, absolute=array([0.2, 0.2]))
        """
        largest = references.absolute.max(initial=0.0)
        return type(self)(
            max(self.relative, references.relative), np.maximum(self.absolute, largest)
        )


def radii_of_leads(scores: Floats, sizes: Floats, slopes: Floats, errors: DistanceErrors) -> Floats:
    r"""How far objects may move before another class has the largest score, computed or exact.

    .. math:: r = (1 - 4 \varepsilon) \min_{y' \ne y} \Bigl(
        \frac{h_y - h_{y'} - 2 \varepsilon (S_y + S_{y'})}{L_y + L_{y'}} - 4 u \Bigr)

    for the winning class y, with the relative error :math:`\varepsilon` and the absolute error u of
    distances. Proof: a computed score errs by at most :math:`\varepsilon S + L u`, if every
    computed distance errs by at most :math:`\varepsilon d + u`, and S adds up the absolute terms of
    the score, distances times their slopes among them. So S is L-Lipschitz too. Where an object
    moves by t, measured exactly, the computed lead of y is at least

    .. math:: h_y - h_{y'} - 2 \varepsilon (S_y + S_{y'}) - 2 (L_y + L_{y'}) u - (1 + \varepsilon)
        (L_y + L_{y'})\, t:

    the errors at both ends, and how fast the lead and S may change. If t is itself a computed
    distance, the exact one is at most :math:`(t + u) / (1 - \varepsilon)`.

    ``scores`` and ``sizes``, the S, have shape (n, k), ``slopes`` (k,); ``errors`` are those of the
    distances to the references of the scores. Where nothing is proved the radius is 0, where no
    other class can win it is infinite.

    Examples
    --------
    >>> radii_of_leads(
    ...     np.array([[3.0, 1.0]]), np.array([[3.0, 1.0]]), np.ones(2), DistanceErrors.of(1, 0.0)
    ... ).round(6)
    array([1.])
    """
    leads, both = _leads_and_slopes(scores, sizes, slopes, errors)
    # constants stay
    radii = np.divide(leads, both, out=np.full_like(leads, np.inf), where=both > 0)
    radii[np.arange(len(scores)), scores.argmax(axis=1)] = np.inf
    return shortened(radii.min(axis=1), 4 * errors.absolute, 4 * errors.relative)


def leads_within(
    scores: Floats, sizes: Floats, slopes: Floats, errors: DistanceErrors, radii: Floats
) -> Floats:
    r"""How low the leads of the largest scores can get where objects move by at most a radius, less
    what rounding can do.

    .. math:: \min_{y' \ne y} h_y - h_{y'} - 2 \varepsilon (S_y + S_{y'})
        - (L_y + L_{y'}) \bigl((1 + 5 \varepsilon)\, r + 4 u\bigr)

    Positive if r is below the radius of `radii_of_leads`, whose proof and parameters these are;
    ``radii`` has the shape (n,).

    Examples
    --------
    >>> known = (
    ...     np.array([[3.0, 1.0]]),
    ...     np.array([[3.0, 1.0]]),
    ...     np.ones(2),
    ...     DistanceErrors.of(1, 0.0),
    ... )
    >>> leads_within(*known, np.array([0.75])).round(6)
    array([0.5])
    """
    leads, both = _leads_and_slopes(scores, sizes, slopes, errors)
    moved = (1 + 5 * errors.relative) * radii + 4 * errors.absolute
    # constants stay
    leads -= np.multiply(both, moved[:, None], out=np.zeros_like(leads), where=both > 0)
    leads[np.arange(len(scores)), scores.argmax(axis=1)] = np.inf
    return np.asarray(leads.min(axis=1))


def _leads_and_slopes(
    scores: Floats, sizes: Floats, slopes: Floats, errors: DistanceErrors
) -> tuple[Floats, Floats]:
    """The lead of the winning class over each class, less the errors of the scores at both ends of
    a move, and its slope.
    """
    rows, winners = np.arange(len(scores)), scores.argmax(axis=1)
    leads = scores[rows, winners][:, None] - scores
    leads -= 2 * errors.relative * (sizes[rows, winners][:, None] + sizes)
    return leads, slopes[winners][:, None] + slopes[None, :]


def half_leads(
    nearest: Floats, rival: Floats, errors: DistanceErrors, stretch: float = 1.0
) -> Floats:
    r"""How far objects may move before a rival is the nearest, less what rounding may have added.

    .. math:: r = \frac{d' / s - s\, d}{1 + s}

    The nearest object is known up to the factor s, ``stretch``. Each of the two distances errs by
    at most :math:`\varepsilon d + u`, here and where the object has moved to.

    Examples
    --------
    >>> half_leads(np.array([1.0]), np.array([4.0]), DistanceErrors.of(1, 0.0)).round(6)
    array([1.5])
    """
    leads = rival * (1 - 2 * errors.relative) / stretch - stretch * nearest * (
        1 + 2 * errors.relative
    )
    return shortened(leads / (1.0 + stretch), 4 * errors.absolute * stretch, 4 * errors.relative)


def shortened(radii: Floats, by: float | Floats, by_share: float) -> Floats:
    """The radii less a length, which may be another for each, and a share of them, and not below 0.

    NaN, of which nothing is known, becomes 0.

    Examples
    --------
    >>> shortened(np.array([2.0, 0.5, np.inf, np.nan]), 1.0, 0.5)
    array([0.5, 0. , inf, 0. ])
    """
    return np.fmax((radii - by) * (1.0 - by_share), 0.0)


def to_steps(radii: Floats, step: float | None) -> Floats:
    """The same radii as people would write them, where all distances are multiples of a step, such
    as edits.

    A radius between two multiples says the same as the upper one: nothing is strictly closer than
    that without being as close as the lower one. So what was taken off for rounding can be given
    back, up to the next multiple of half a step and never beyond the next multiple of the step.
    Where there is no step, nothing is given back.

    Examples
    --------
    >>> (
    ...     to_steps(np.array([1.4999999985, 1.9999999980, 0.0]), 1.0),
    ...     to_steps(np.array([1.4999999985]), None).round(12),
    ... )
    (array([1.5, 2. , 0. ]), array([1.5]))
    """
    if not step:
        return radii
    tidy = 0.5 * step * np.ceil(2.0 * radii / step)
    near = tidy <= radii + 1e-6 * step
    return np.where(near, tidy, radii)


def shown_radius(radius: float, digits: int = 6) -> str:
    """A radius for people to read, rounded down: what is shown is proved too.

    Examples
    --------
    >>> (
    ...     shown_radius(1.5),
    ...     shown_radius(1.4999999999925),
    ...     shown_radius(np.inf),
    ...     shown_radius(1234567.8),
    ... )
    ('1.5', '1.49999', 'inf', '1234560')
    """
    if not 0 < radius < np.inf:
        return f"{radius:g}"
    exact = Decimal(radius)
    down = exact.quantize(
        Decimal((0, (1,), exact.adjusted() - digits + 1)),
        rounding=ROUND_DOWN,
        context=Context(prec=800),
    )
    return (
        np.format_float_positional(float(down), trim="-")
        if 1e-4 <= radius < 1e15
        else f"{float(down)!r}"
    )


def shown_bound(share: float) -> str:
    """A share that is proved not to be exceeded, in percent, rounded up: what is shown is proved
    too.

    Examples
    --------
    >>> shown_bound(0.05242), shown_bound(0.052), shown_bound(1.0)
    ('5.3%', '5.2%', '100.0%')
    """
    # of 0.052, not of the binary number beside it
    up = (100 * Decimal(repr(float(share)))).quantize(Decimal("0.1"), rounding=ROUND_CEILING)
    return f"{up}%"
