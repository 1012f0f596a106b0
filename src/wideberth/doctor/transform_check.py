r"""What a function of distances keeps: metrics, Hilbertian metrics, the topology, short distances.

Let F be a function with F(0) = 0. It makes metrics of metrics if and only if it is positive from 0
on and :math:`F(c) \le F(a) + F(b)` for the sides a, b, c of every triangle; increasing and concave
is enough (Hein, Bousquet & Schoelkopf 2005, Lemma 1). It makes Hilbertian metrics of Hilbertian
ones if and only if :math:`G(t) = F(\sqrt t)^2` has derivatives of alternating signs, from + on
(Theorem 4, Schoenberg): then :math:`-F(d)^2` is conditionally positive definite on the points of
every Hilbert space, and :math:`k = e^{-F^2}` (:math:`1 - F^2 / 2` if F is at most :math:`\sqrt 2`
and a limit of mixtures of :math:`1 - e^{-t^2 u}`) is a kernel with k(x, x) = 1. Such a kernel
embeds the space uniformly (Proposition 3) if it is uniformly continuous (2), away from 1 where
distances are away from 0 (3), and tends to 1 as they tend to 0 (4): all three are about F. Short
distances change by a factor only if F(t) / t has a positive limit at 0 (Lemma 2, Corollary 2).

Everything is judged by values of F, and every tolerance is relative to them: F and c F, and F(t) up
to a distance D and F(c t) up to D / c, are judged alike. How far values are from those of a smooth
function is measured beside them, because 1 - exp(-t) has few true digits where t is small.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.ndimage import maximum_filter1d

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.rounding import SUM_ERROR, binary_unit
from wideberth.wording import setting

#: Differences up to this order are looked at; those of higher ones drown in rounding.
ORDERS = 8
#: Shares of the largest distance up to which values are looked at.
REACHES = (1.0, 1e-2, 1e-4)
#: In balls of these dimensions, of these shares of half a reach, so many points are drawn.
DIMENSIONS, BALLS, DRAWN = (1, 2, 3, 5, 10, 30), (1.0, 0.3), 40
#: Between distances this close, relative to them, a function is a straight line, and so many
#: neighbours are alike in what rounding does to them.
_LOCAL, _ALIKE = 2.0**-20, 15
#: By this much, relative to it, a jump differs from a steep ascent.
_JUMP = 1e-6
#: F(t) / t has settled where it changes by less than this, relative to it, over so many halvings of
#: t.
_SETTLED, _HALVINGS = 1e-6, 5

DistanceFunction: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class TransformFacts:
    """What the values of a function of distances refute.

    A statement is refuted, with a witness, or not refuted: no number of values proves one.

    Attributes
    ----------
    refuted : mapping of str to str
        The statements that values refute, beyond rounding, and the values that do:
        ``"metric"``, metrics stay metrics; ``"concave"``, F increases and is concave, which is
        enough for the first (Lemma 1) and more than needed; ``"hilbertian"``, Hilbertian metrics
        stay Hilbertian (Theorem 4); ``"uniform"``, near stays near and far stays far, uniformly
        (conditions 2 to 4 of Proposition 3).
    slope : float
        The limit of F(t) / t at 0, by which short distances are multiplied (Lemma 2, Corollary 2):
        0, positive or infinite as far as doubles tell, and NaN where they do not. Only a positive
        and finite one keeps short distances in proportion.
    largest : float
        The largest value; a bounded function makes metric spaces bounded.

    Examples
    --------
    >>> examine_transform(np.ceil).refuted["concave"]
    'F is not concave at 8.99: its slope grows from 0 to 104.'
    """

    refuted: Mapping[str, str]
    slope: float
    largest: float

    @property
    def metric(self) -> bool:
        """Whether no triangle that was tried refutes that metrics stay metrics."""
        return "metric" not in self.refuted

    @property
    def concave(self) -> bool:
        """Whether nothing refutes that F increases and is concave, as in Lemma 1."""
        return "concave" not in self.refuted

    @property
    def hilbertian(self) -> bool:
        """Whether nothing refutes that Hilbertian metrics stay Hilbertian."""
        return "hilbertian" not in self.refuted

    @property
    def uniform(self) -> bool:
        """Whether nothing refutes conditions 2 to 4 of Proposition 3."""
        return "uniform" not in self.refuted

    @property
    def witness(self) -> str:
        """What refutes the first statement that is refuted; empty if none is."""
        return next(iter(self.refuted.values()), "")


def examine_transform(
    function: DistanceFunction, *, largest: float = 10.0, points: int = 200
) -> TransformFacts:
    """Look for values that refute what a function of distances should keep.

    The function is judged as it is computed: with 1 - exp(-t), objects at a distance below 1e-16
    are the same. Use -expm1(-t).

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
        What the values refute, with witnesses, and the slope at 0.

    Raises
    ------
    InvalidInput
        If the function does not map 0 to 0, or gives values that are not finite or negative; or if
        ``largest`` is not a positive number, or ``points`` less than 32.

    Examples
    --------
    >>> # a metric, and it bends too sharply
    >>> facts = examine_transform(lambda t: np.minimum(t, 1.0))
    >>> facts.metric, facts.hilbertian, facts.slope
    (True, False, 1.0)
    >>> examine_transform(lambda t: t**1.5).witness
    'F(10) = 31.6 > F(5.01) + F(4.99) = 11.2 + 11.1.'
    """
    if not 0 < largest < np.inf or points < 32:
        raise InvalidInput(
            f"Distances up to {largest} cannot be looked at, at {points} of them.",
            advice="largest is a positive number, points at least 32.",
            value=(largest, points),
        )
    ranges = [_values_up_to(function, share * largest, points) for share in REACHES]
    ranges = [ranges[0], *(each for each in ranges[1:] if not each.stairs)]
    judged = {
        "metric": _triangle_broken(function, ranges),
        "concave": _not_concave(ranges),
        "hilbertian": _not_hilbertian(function, ranges),
        "uniform": _not_uniform(function, ranges[0]),
    }
    return TransformFacts(
        {statement: witness for statement, witness in judged.items() if witness},
        _slope_at_zero(function, largest),
        float(ranges[0].values.max()),
    )


class _Values(NamedTuple):
    """Values of the function at increasing distances up to a reach, the first of which is 0.

    ``noise`` bounds what the function's own rounding does to the values; with ``stairs``, they are
    constant between jumps, so that their noise cannot be told from what the function is.
    """

    reach: float
    distances: Floats
    values: Floats
    noise: Floats
    stairs: bool

    @property
    def errors(self) -> Floats:
        """How far the values may be from the exact ones."""
        return SUM_ERROR * self.values + self.noise

    def divided_by(self, unit: float) -> "_Values":
        """The same with all values in another unit."""
        return self._replace(values=self.values / unit, noise=self.noise / unit)

    def errors_of_squares(self, distances: Floats, values: Floats) -> Floats:
        """How far the squares of values at other distances may be from the exact ones."""
        noise = np.interp(distances, self.distances, self.noise)
        return values * (4 * SUM_ERROR * values + 2 * noise) + noise**2


def _evaluated(function: DistanceFunction, distances: Floats) -> Floats:
    """Values at any distances; refused if they are not those of a function of distances."""
    flat = np.r_[0.0, distances.ravel()]
    with np.errstate(all="ignore"):
        values = np.asarray(function(flat), dtype=np.float64)
    if values.shape != flat.shape or values[0] != 0:
        wrong = slice(0, 3)
    elif (bad := ~((values >= 0) & (values < np.inf))).any():
        wrong = slice(int(np.argmax(bad)), int(np.argmax(bad)) + 1)
    else:
        return values[1:].reshape(distances.shape)
    raise InvalidInput(
        f"The function gives {values.ravel()[wrong]} for the distances {flat[wrong]}.",
        advice="It takes an array of distances, and gives 0 for 0 and finite values from 0 on for "
        f"all others; look at distances as far as it does by {setting('largest', shown='...')}",
        value=values,
    )


def _near_zero(function: DistanceFunction, distances: Floats) -> Floats:
    """Values at distances far below all that matter; 0 where the function loses itself in rounding
    or overflow.
    """
    with np.errstate(all="ignore"):
        values = np.asarray(function(distances), dtype=np.float64)
    return np.where((values >= 0) & (values < np.inf), values, 0.0)


def _values_up_to(function: DistanceFunction, reach: float, points: int) -> _Values:
    """Values at 0, at random distances, which are no lattice on which a rounded function looks
    smooth, and at the reach.
    """
    shares = np.random.default_rng(points).uniform(size=points)
    drawn = (np.arange(points) + shares) / points * reach
    distances = np.r_[0.0, drawn, reach]
    values = _evaluated(function, distances)
    steps = np.linspace(0.0, 1.0, 17)
    close = _evaluated(function, drawn[:, None] * (1 - _LOCAL * steps))  # nothing beyond the reach
    rises = close[:, -1:] - close[:, :1]
    bent = np.abs(close - close[:, :1] - steps * rises).max(axis=1)
    noise = 8 * maximum_filter1d(bent, _ALIKE, mode="nearest")
    stairs = bool(np.median(np.abs(rises)) == 0 and np.ptp(values[1:]) > 0)
    return _Values(reach, distances, values, np.r_[noise[0], noise, noise[-1]], stairs)


def _triangle_broken(function: DistanceFunction, ranges: list[_Values]) -> str:
    """A triangle whose sides are none after the function; empty if none was found."""
    zeros = ranges[0].values[1:] == 0
    if zeros.any():
        zero = ranges[0].distances[1:][zeros][0]
        return f"F vanishes at {zero:.3g}, so that different objects would be the same."
    for each in ranges:
        for sides, values, errors in _triangles(function, each):
            a, b, c = values
            excess = c - a - b - errors.sum(axis=0)
            worst = int(np.argmax(excess))
            if excess[worst] > 0:
                return _not_a_triangle(sides[:, worst], values[:, worst])
    return ""


def _triangles(
    function: DistanceFunction, looked_at: _Values
) -> Iterator[tuple[Floats, Floats, Floats]]:
    """The three sides of triangles, their values, and how far these may be from the exact ones."""
    some = np.unique(np.linspace(1, len(looked_at.values) - 1, 65).astype(int))
    t, F, e = looked_at.distances[some], looked_at.values[some], looked_at.errors[some]
    # flat triangles, in which two sides are as long as the third: they alone refute what is hardly
    # convex
    a, c = (each.ravel() for each in np.meshgrid(t, t))
    b = np.where(a < c, np.minimum(np.nextafter(c - a, np.inf), c), c)
    sides = np.stack([a, b, c])
    values = _evaluated(function, sides)
    noise = np.interp(sides, looked_at.distances, looked_at.noise)
    yield sides, values, SUM_ERROR * values + noise
    chosen = np.stack([each.ravel() for each in np.meshgrid(*3 * [np.arange(len(t))])])
    a, b, c = t[chosen]
    chosen = chosen[:, (c <= a + b) & (c >= np.abs(a - b))]
    yield t[chosen], F[chosen], e[chosen]


def _not_a_triangle(sides: Floats, values: Floats) -> str:
    """The sides and their values, with as many digits as show that the last value is too large."""
    for digits in (3, 6, 9, 12, 17):
        a, b, c = (f"{value:.{digits}g}" for value in values)
        if float(c) > float(a) + float(b):
            break
    first, second, third = (f"{side:.{digits}g}" for side in sides)
    return f"F({third}) = {c} > F({first}) + F({second}) = {a} + {b}."


def _not_concave(ranges: list[_Values]) -> str:
    """Where the function falls or is not concave; empty if nowhere."""
    for each in ranges:
        for stride in (1, 4, 16):
            t, F, e = (all_[::stride] for all_ in (each.distances, each.values, each.errors))
            slack = e[1:] + e[:-1]
            steps, widths = np.diff(F), np.diff(t)
            fall = steps + slack
            if (fall < 0).any():
                worst = int(np.argmin(fall))
                return (
                    f"F falls from {F[worst]:.3g} at {t[worst]:.3g} to {F[worst + 1]:.3g} at "
                    f"{t[worst + 1]:.3g}."
                )
            slopes, doubt = steps / widths, slack / widths
            bends = slopes[1:] - doubt[1:] - slopes[:-1] - doubt[:-1]
            worst = int(np.argmax(bends))
            if bends[worst] > 0:
                return (
                    f"F is not concave at {t[worst + 1]:.3g}: its slope grows from "
                    f"{slopes[worst]:.3g} to {slopes[worst + 1]:.3g}."
                )
    return ""


def _not_hilbertian(function: DistanceFunction, ranges: list[_Values]) -> str:
    """What refutes that Hilbertian metrics stay so; empty if nothing does.

    Values are divided by a power of two, so that no square of them is lost.
    """
    unit = binary_unit(ranges[0].values)
    scaled = [each.divided_by(unit) for each in ranges]

    def of_size_1(distances: Floats) -> Floats:
        return np.divide(function(distances), unit, dtype=np.float64)

    return _not_alternating(of_size_1, scaled) or _not_negative_type(of_size_1, scaled)


def _not_alternating(function: DistanceFunction, ranges: list[_Values]) -> str:
    """The difference of F(sqrt t)^2 that has the wrong sign; empty if there is none.

    If derivatives alternate in sign, so do differences of all orders and steps: the n-th one is
    the mean of the n-th derivative. It errs by at most 2^n times as much as the values.
    """
    for each in ranges:
        for stride in (1, 4, 16):
            distances = each.reach * np.sqrt(
                np.linspace(0.0, 1.0, len(each.values[1:]) // stride + 1)
            )
            values = _evaluated(function, distances)
            error = float(each.errors_of_squares(distances, values).max())
            differences = values**2
            for order in range(1, min(ORDERS, len(values) - 1) + 1):
                differences = np.diff(differences)
                signed = differences if order % 2 else -differences
                if (signed < -(2**order) * error).any():
                    worst = int(np.argmin(signed))
                    return (
                        f"F(sqrt t)^2 has a difference of order {order} of the wrong sign between "
                        f"the distances {distances[worst]:.3g} and {distances[worst + order]:.3g} "
                        f"(Theorem 4): {differences[worst]:.3g}."
                    )
    return ""


def _balls(reach: float) -> Iterator[tuple[int, float, Floats]]:
    """Points of balls: dimensions, radii and the distances of the points, at most the reach."""
    for dimension in DIMENSIONS:
        for share in BALLS:
            random = np.random.default_rng(dimension)
            points = random.normal(size=(DRAWN, dimension))
            points /= np.linalg.norm(points, axis=1, keepdims=True)
            points *= random.uniform(size=(DRAWN, 1)) ** (1 / dimension)
            distances = np.linalg.norm(points[:, None] - points, axis=2)
            yield dimension, share * reach / 2, distances * (share * reach / 2)


def _not_negative_type(function: DistanceFunction, ranges: list[_Values]) -> str:
    """Points and weights of sum 0 for which the squares of F have a positive form; empty if none.

    The weights are the eigenvector that looks worst; the form with them is computed anew, so that
    nothing depends on how exact eigenvectors are.
    """
    for each, (dimension, radius, distances) in (
        (e, ball) for e in ranges for ball in _balls(e.reach)
    ):
        values = _evaluated(function, distances)
        squares = values**2
        centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
        eigenvalues, vectors = np.linalg.eigh(-centred / 2)
        weights = vectors[:, 0] - vectors[:, 0].mean()
        # weights of sum 0 up to rounding: what is left of the sum multiplies the squares
        doubt = 4 * SUM_ERROR * squares.max()
        doubt += np.abs(weights) @ each.errors_of_squares(distances, values) @ np.abs(weights)
        if weights @ squares @ weights > doubt:
            return (
                f"{DRAWN} points of a ball of radius {radius:.3g} in {dimension} dimensions have "
                f"the eigenvalue {eigenvalues[0]:.3g} beside {eigenvalues[-1]:.3g} after F "
                "(Theorem 3)."
            )
    return ""


def _not_uniform(function: DistanceFunction, looked_at: _Values) -> str:
    """What refutes one of conditions 2 to 4 of Proposition 3; empty if nothing does."""
    return (
        _jump(function, looked_at)
        or _vanishing(function, looked_at)
        or _jump_at_zero(function, looked_at.reach)
    )


def _jump(function: DistanceFunction, looked_at: _Values) -> str:
    """Two neighbouring doubles with different values, found by halving the steepest steps (2)."""
    t, F = looked_at.distances, looked_at.values
    steep = 1 + np.argsort(-np.abs(np.diff(F[1:])), kind="stable")[:8]
    low, high, f_low, f_high = t[steep], t[steep + 1], F[steep], F[steep + 1]
    while ((middle := low + (high - low) / 2) > low).any() and (middle < high).any():
        value = _evaluated(function, middle)
        left = np.abs(value - f_low) >= np.abs(f_high - value)
        stays = (middle <= low) | (middle >= high)
        high, f_high = np.where(left & ~stays, middle, high), np.where(left & ~stays, value, f_high)
        low, f_low = np.where(left | stays, low, middle), np.where(left | stays, f_low, value)
        if stays.all():
            break
    jumps = np.abs(f_high - f_low) - _JUMP * np.maximum(f_low, f_high) - 2 * looked_at.noise[steep]
    worst = int(np.argmax(jumps))
    if jumps[worst] <= 0:
        return ""
    return (
        f"F jumps from {f_low[worst]:.3g} to {f_high[worst]:.3g} at {low[worst]:.6g}: it is not "
        "continuous (Proposition 3, condition 2)."
    )


def _vanishing(function: DistanceFunction, looked_at: _Values) -> str:
    """A distance at which the function is 0, in the lowest valley between the distances (3)."""
    t, F = looked_at.distances, looked_at.values
    lowest = 1 + int(np.argmin(F[1:]))
    low, high = t[max(lowest - 1, 1)], t[min(lowest + 1, len(t) - 1)]
    for _ in range(16):
        zoomed = np.linspace(low, high, 33)
        values = _evaluated(function, zoomed)
        at = int(np.argmin(values))
        low, high = zoomed[max(at - 1, 0)], zoomed[min(at + 1, 32)]
    if values[at] > SUM_ERROR * F.max() + looked_at.noise[lowest]:
        return ""
    return (
        f"F({zoomed[at]:.6g}) = {values[at]:.3g}, no more than rounding: distances away from 0 do "
        "not stay away from it (Proposition 3, condition 3)."
    )


def _jump_at_zero(function: DistanceFunction, reach: float) -> str:
    """A positive value that does not change as the distance falls by 100 orders of magnitude
    (4).
    """
    near = reach * np.power(10.0, np.arange(-20.0, -121.0, -10.0))
    near = near[near > np.finfo(float).tiny]
    values = _near_zero(function, near)
    if len(near) < 3 or not (values > 0).all() or np.ptp(values) > SUM_ERROR * values.max():
        return ""
    return (
        f"F jumps at 0: it is {values[-1]:.3g} from the distance {near[-1]:.3g} to {near[0]:.3g} "
        "(Proposition 3, condition 4)."
    )


def _slope_at_zero(function: DistanceFunction, largest: float) -> float:
    """The limit of F(t) / t at 0, or NaN where halving t tells none.

    Values that become exactly 0 were lost to rounding: what was seen before them counts. Ratios
    that grow, or shrink, without slowing down have no end in doubles.
    """
    t = largest * np.power(0.5, np.arange(900.0))
    t = t[t > np.finfo(float).tiny / np.finfo(float).eps]
    values = _near_zero(function, t)
    positive = np.flatnonzero(values > 0)
    if not len(positive):
        return float("nan")
    last = int(positive[-1])
    first = int(np.flatnonzero(np.r_[0.0, values[: last + 1]] == 0)[-1])
    lost = last + 1 < len(t)
    unit = values[first : last + 1].max()
    ratios = (values[first : last + 1] / unit) / (t[first : last + 1] / largest)
    settled = _last_settled(ratios, at_the_end=not lost)
    if settled is not None:
        return float(settled * unit / largest)
    if lost:  # the last digits before the loss say nothing
        ratios = ratios[:-8]
    for limit, growing in ((np.inf, ratios), (0.0, 1 / ratios)):
        if len(growing) < 16 or not np.isfinite(growing).all():
            continue
        start, middle, end = growing[len(growing) // 2], growing[3 * len(growing) // 4], growing[-1]
        rises = (np.diff(growing[len(growing) // 2 :]) > 0).all()
        if rises and end - middle > 0.9 * (middle - start):
            return limit
    return float("nan")


def _last_settled(ratios: Floats, *, at_the_end: bool) -> float | None:
    """The value of the last run of ratios that hardly change; None if there is none."""
    still = np.abs(np.diff(ratios)) <= _SETTLED * ratios[1:]
    changes = np.flatnonzero(np.diff(np.r_[False, still, False].astype(int)))
    runs = [
        (start, stop)
        for start, stop in changes.reshape(-1, 2)
        if stop - start >= _HALVINGS
        and abs(ratios[stop] - ratios[start]) <= 10 * _SETTLED * ratios[stop]
    ]
    if not runs or (at_the_end and runs[-1][1] < len(ratios) - 2):
        return None
    start, stop = runs[-1]
    return float(np.median(ratios[start : stop + 1]))
