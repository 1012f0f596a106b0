"""Attacks on the labels of vectors and of series, by changes of their numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Flags, Floats
from wideberth.guarantees.attacks.attacked import Victim, in_order_of_distance

#: Objects of other labels that are approached.
_ENEMIES = 8
#: Places on the way to each of them that are looked at, and how often the first piece with another label is halved then.
_PLACES, _HALVINGS = 8, 12
#: How far beyond the closest object found a line is followed, relative to its distance, and the numbers that change along some.
_BEYOND, _FEW = 1.1, (1, 4, 16)
#: The change of a number by which a slope is measured, relative to the usual one so far, and a gain that is worth measuring anew.
_SLOPE_STEP, _GAIN = 1e-3, 1e-3
#: Candidates made at a time in the walk along the boundary.
_BATCH = 24
#: Steps of the walk, relative to the distance: the first, and the smallest, at which it ends.
_STEP, _SMALLEST_STEP = 0.5, 1e-4


@dataclass(frozen=True, eq=False)
class Room:
    """Where changed numbers may lie: between the smallest and the largest that were seen at each place."""

    low: Floats
    high: Floats


def attack_numbers(victim: Victim, enemies: Any, room: Room, generator: np.random.Generator) -> None:
    """Look for numbers with another label: straight towards enemies, then where the lead falls, then along the boundary.

    The slopes of the lead, measured at the closest object found, give directions from the target: the slopes themselves, their
    signs, and the steepest numbers alone, which are the shortest ways to a straight boundary in the Euclidean, the largest-number
    and the city-block distance. As long as that helps it is done again. The walk draws changes of few or many numbers, some of
    them taken back towards the target, and asks about those that are closer; large steps give way to small ones.
    """
    target = np.asarray(victim.target, dtype=np.float64)
    same_shape = [_of_length(enemy, target.shape[-1]) for enemy in in_order_of_distance(victim, enemies, _ENEMIES)]
    if same_shape:
        _go_straight(victim, target, np.array(same_shape))
    if np.isfinite(victim.distance):
        _descend(victim, target, room)
        _walk(victim, target, room, generator)


def _of_length(series: Any, length: int) -> Floats:
    """A series stretched or squeezed to a length."""
    numbers = np.asarray(series, dtype=np.float64)
    if numbers.shape[-1] == length:
        return numbers
    places = np.linspace(0, numbers.shape[-1] - 1, length)
    rows = [np.interp(places, np.arange(numbers.shape[-1]), row) for row in np.atleast_2d(numbers)]
    return np.array(rows).reshape(*numbers.shape[:-1], length)


def _go_straight(victim: Victim, target: Floats, enemies: Floats) -> None:
    """Find where the label changes on the way to each enemy; one that has the same label, once stretched, has no such place."""

    def label_changes(shares: Floats, towards: Floats) -> Flags:
        there = target + shares.reshape(-1, *[1] * target.ndim) * (towards - target)
        return victim.ask(there, victim.distances(there))

    shares = np.linspace(1 / _PLACES, 1, _PLACES)
    changed = np.array([label_changes(shares, np.repeat(enemy[None], _PLACES, axis=0)) for enemy in enemies])
    reached = changed.any(axis=1)
    _halve(label_changes, shares[changed.argmax(axis=1)][reached], enemies[reached])


def _halve(label_changes: Callable[[Floats, Floats], Flags], ends: Floats, towards: Floats) -> None:
    starts = ends - 1 / _PLACES
    for _ in range(_HALVINGS if len(ends) else 0):
        middle = (starts + ends) / 2
        changed = label_changes(middle, towards)
        starts, ends = np.where(changed, starts, middle), np.where(changed, middle, ends)


def _descend(victim: Victim, target: Floats, room: Room) -> None:
    """Go from the target in the directions in which the lead falls at the closest object found."""
    while target.size < victim.left // 2:
        best, place = victim.distance, np.asarray(victim.closest)
        change = _SLOPE_STEP * np.sqrt(np.mean((place - target) ** 2))
        around = place + change * np.eye(target.size).reshape(-1, *target.shape)
        leads = victim.leads(np.concatenate([around, place[None]]), asked=False)
        slopes = (leads[-1] - leads[:-1]).reshape(target.shape)
        if not slopes.any():  # the votes of neighbours have none
            return
        directions = _directions(slopes)
        lengths = victim.distances(target + directions).reshape(-1, *[1] * target.ndim)
        ends = target + directions * _BEYOND * best / np.where(lengths > 0, lengths, 1.0)
        _go_straight(victim, target, np.clip(ends, room.low, room.high))
        if victim.distance > (1 - _GAIN) * best:
            return


def _directions(slopes: Floats) -> Floats:
    sizes = np.abs(slopes).ravel()
    least = np.sort(sizes)[::-1][[few - 1 for few in _FEW if few < sizes.size]]
    few = [np.where(np.abs(slopes) >= each, slopes, 0.0) for each in least]
    return np.asarray(np.array([slopes, np.sign(slopes), *few]) / sizes.max())


def _walk(victim: Victim, target: Floats, room: Room, generator: np.random.Generator) -> None:
    step = _STEP
    while victim.left > 0 and step > _SMALLEST_STEP:
        best = victim.distance
        candidates = _candidates(np.asarray(victim.closest), target, step, room, generator)
        distances = victim.distances(candidates)
        closer = np.flatnonzero(distances < best)
        victim.ask(candidates[closer], distances[closer])
        step = min(1.3 * step, 1.0) if victim.distance < best else 0.8 * step


def _candidates(place: Floats, target: Floats, step: float, room: Room, generator: np.random.Generator) -> Floats:
    """Changes of a place: a random part of its numbers taken back towards the target, others moved, and all drawn closer."""
    shape = (_BATCH, *place.shape)
    density = generator.uniform(0, 1, (_BATCH, *[1] * place.ndim)) ** 2
    back = np.where(generator.random(shape) < density, generator.uniform(0, 1, density.shape) * 2 * step, 0.0)
    spread = np.sqrt(np.mean((place - target) ** 2))
    moved = np.where(generator.random(shape) < density, generator.normal(size=shape) * step * spread, 0.0)
    moved[: _BATCH // 2] = 0.0  # half of them are taken back alone
    closer = 1 - 0.5 * step * generator.random(density.shape)
    changed = target + closer * ((1 - np.minimum(back, 1.0)) * (place - target) + moved)
    return np.clip(changed, room.low, room.high)
