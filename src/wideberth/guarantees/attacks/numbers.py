"""Attacks on the labels of vectors and of series, by changes of their numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats
from wideberth.guarantees.attacks.attacked import AdversarialSearch, nearest_first

#: How many objects with other labels, the nearest ones, are approached.
_ENEMIES = 8
#: Points on the line to each of them that are tried, and how often the first interval in which the
#: label changes is halved.
_PLACES, _HALVINGS = 8, 12
#: How far a line is followed, relative to the distance of the closest object found; how many
#: coordinates sparse directions have.
_BEYOND, _FEW = 1.1, (1, 4, 16)
#: The step of a difference quotient, relative to the root mean square of the change so far; the
#: relative gain in distance below which slopes are not measured again.
_SLOPE_STEP, _GAIN = 1e-3, 1e-3
#: Candidates drawn at a time in the random walk.
_BATCH = 24
#: Step sizes of the random walk, relative to the distance: the first, and the smallest, at which it
#: ends.
_STEP, _SMALLEST_STEP = 0.5, 1e-4


@dataclass(frozen=True, eq=False)
class NumberRanges:
    """Where changed numbers may lie: between the smallest and the largest value seen, of each
    coordinate of vectors, of all values of series.
    """

    low: Floats
    high: Floats


def attack_numbers(
    search: AdversarialSearch, enemies: Any, ranges: NumberRanges, generator: np.random.Generator
) -> None:
    """Search for numbers with another label: on lines to enemies, then in the directions in which
    the lead falls, then at random.

    1. The label is looked up on the lines from the target to the nearest enemies, and each change
       of label is located by bisection.
    2. The slopes of the lead at the closest object found give directions from the target: the
       slopes themselves, their signs, and the steepest coordinates alone. These are the shortest
       ways to a plane boundary in the Euclidean, the Chebyshev and the Manhattan distance. It is
       repeated as long as the distance falls.
    3. A random walk along the boundary changes few or many numbers, moves some back towards the
       target, and asks about candidates that are closer than the closest so far; its steps become
       smaller where that fails.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0]], ["low", "high"])
    >>> search = AdversarialSearch(model, np.array([1.0]), np.str_("low"), max_questions=200)
    >>> ranges = NumberRanges(np.array([0.0]), np.array([4.0]))
    >>> attack_numbers(search, np.array([[4.0]]), ranges, np.random.default_rng(0))
    >>> round(search.distance, 2)  # the boundary is at 2
    1.0
    """
    target = np.asarray(search.target, dtype=np.float64)
    same_shape = [
        _resampled(enemy, target.shape[-1]) for enemy in nearest_first(search, enemies, _ENEMIES)
    ]
    if same_shape:
        _search_lines(search, target, np.array(same_shape))
    if np.isfinite(search.distance):
        _follow_slopes(search, target, ranges)
        _random_walk(search, target, ranges, generator)


def _resampled(series: Any, length: int) -> Floats:
    """A series resampled to ``length`` points by linear interpolation.

    A series of several channels has the shape (channels, time); each channel is resampled on its
    own.
    """
    numbers = np.asarray(series, dtype=np.float64)
    if numbers.shape[-1] == length:
        return numbers
    places = np.linspace(0, numbers.shape[-1] - 1, length)
    rows = [np.interp(places, np.arange(numbers.shape[-1]), row) for row in np.atleast_2d(numbers)]
    return np.array(rows).reshape(*numbers.shape[:-1], length)


def _search_lines(search: AdversarialSearch, target: Floats, enemies: Floats) -> None:
    """Find where the label changes on the lines from the target to ``enemies`` of the same shape.

    Lines on which every point has the target's label are left out; a stretched enemy may have it
    too.
    """

    def label_changes(shares: Floats, towards: Floats) -> Flags:
        there = target + shares.reshape(-1, *[1] * target.ndim) * (towards - target)
        return search.ask(there, search.distances(there))

    shares = np.linspace(1 / _PLACES, 1, _PLACES)
    changed = np.array(
        [label_changes(shares, np.repeat(enemy[None], _PLACES, axis=0)) for enemy in enemies]
    )
    reached = changed.any(axis=1)
    _bisect(label_changes, shares[changed.argmax(axis=1)][reached], enemies[reached])


def _bisect(
    label_changes: Callable[[Floats, Floats], Flags], ends: Floats, towards: Floats
) -> None:
    """Halve the intervals before ``ends`` in which the label changes, `_HALVINGS` times.

    ``ends`` are shares of the way to ``towards``; ``label_changes`` asks the model and records the
    closest points.
    """
    starts = ends - 1 / _PLACES
    for _ in range(_HALVINGS if len(ends) else 0):
        middle = (starts + ends) / 2
        changed = label_changes(middle, towards)
        starts, ends = np.where(changed, starts, middle), np.where(changed, middle, ends)


def _follow_slopes(search: AdversarialSearch, target: Floats, ranges: NumberRanges) -> None:
    """Search in the directions in which the lead falls at the closest object found, again as long
    as the distance falls.

    A round takes a question for each number of the target, for difference quotients; it is left out
    if that is more than half of the questions left.
    """
    while target.size < search.questions_left // 2:
        best, place = search.distance, np.asarray(search.closest)
        change = _SLOPE_STEP * np.sqrt(np.mean((place - target) ** 2))
        around = place + change * np.eye(target.size).reshape(-1, *target.shape)
        leads = search.leads(np.concatenate([around, place[None]]), already_asked=False)
        slopes = (leads[-1] - leads[:-1]).reshape(target.shape)
        if not slopes.any():  # the votes of neighbours are constant near most points
            return
        directions = _directions(slopes)
        lengths = search.distances(target + directions).reshape(-1, *[1] * target.ndim)
        ends = target + directions * _BEYOND * best / np.where(lengths > 0, lengths, 1.0)
        _search_lines(search, target, np.clip(ends, ranges.low, ranges.high))
        if search.distance > (1 - _GAIN) * best:
            return


def _directions(slopes: Floats) -> Floats:
    """Directions in which the lead falls, with entries of at most 1 in size.

    They are the slopes, their signs, and the slopes of the steepest coordinates alone.
    """
    sizes = np.abs(slopes).ravel()
    least = np.sort(sizes)[::-1][[few - 1 for few in _FEW if few < sizes.size]]
    few = [np.where(np.abs(slopes) >= smallest, slopes, 0.0) for smallest in least]
    return np.asarray(np.array([slopes, np.sign(slopes), *few]) / sizes.max())


def _random_walk(
    search: AdversarialSearch, target: Floats, ranges: NumberRanges, generator: np.random.Generator
) -> None:
    """Move the closest object found towards the target by random steps, larger after a success and
    smaller after a failure.
    """
    step = _STEP
    while search.questions_left > 0 and step > _SMALLEST_STEP:
        best = search.distance
        candidates = _candidates(np.asarray(search.closest), target, step, ranges, generator)
        distances = search.distances(candidates)
        closer = np.flatnonzero(distances < best)
        search.ask(candidates[closer], distances[closer])
        step = min(1.3 * step, 1.0) if search.distance < best else 0.8 * step


def _candidates(
    place: Floats, target: Floats, step: float, ranges: NumberRanges, generator: np.random.Generator
) -> Floats:
    """Random changes of a ``place`` of the relative size ``step``.

    Some numbers are moved back towards the target, some are perturbed, and then all are contracted
    towards the target.
    """
    shape = (_BATCH, *place.shape)
    density = generator.uniform(0, 1, (_BATCH, *[1] * place.ndim)) ** 2
    back = np.where(
        generator.random(shape) < density, generator.uniform(0, 1, density.shape) * 2 * step, 0.0
    )
    spread = np.sqrt(np.mean((place - target) ** 2))
    moved = np.where(
        generator.random(shape) < density, generator.normal(size=shape) * step * spread, 0.0
    )
    moved[: _BATCH // 2] = 0.0  # half of the candidates are only moved back towards the target
    closer = 1 - 0.5 * step * generator.random(density.shape)
    changed = target + closer * ((1 - np.minimum(back, 1.0)) * (place - target) + moved)
    return np.clip(changed, ranges.low, ranges.high)
