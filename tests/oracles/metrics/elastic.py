"""Elastic distances written straight from their definitions, one cell at a time."""

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

Series = Sequence[float]


def msm(x: Series, y: Series, cost: float) -> float:
    """Move-split-merge by the table of Stefan, Athitsos & Das (2013)."""
    table = np.full((len(x), len(y)), math.inf)
    table[0, 0] = abs(x[0] - y[0])
    for i in range(1, len(x)):
        table[i, 0] = table[i - 1, 0] + _split_or_merge(x[i], x[i - 1], y[0], cost)
    for j in range(1, len(y)):
        table[0, j] = table[0, j - 1] + _split_or_merge(y[j], x[0], y[j - 1], cost)
    for i in range(1, len(x)):
        for j in range(1, len(y)):
            move = table[i - 1, j - 1] + abs(x[i] - y[j])
            merge = table[i - 1, j] + _split_or_merge(x[i], x[i - 1], y[j], cost)
            split = table[i, j - 1] + _split_or_merge(y[j], x[i], y[j - 1], cost)
            table[i, j] = min(move, merge, split)
    return float(table[-1, -1])


def _split_or_merge(value: float, one: float, other: float, cost: float) -> float:
    if one <= value <= other or one >= value >= other:
        return cost
    return cost + min(abs(value - one), abs(value - other))


def over_channels(
    distance: Callable[[Series, Series], float], x: Sequence[Series], y: Sequence[Series]
) -> float:
    """The sum of the channels' distances."""
    return sum(distance(one, other) for one, other in zip(x, y, strict=True))


def joint_msm(x: Sequence[Series], y: Sequence[Series], cost: float) -> float:
    """All channels transformed together, with Euclidean moves; the interval becomes the ball
    between its ends.
    """
    points, others = np.transpose(x).astype(float), np.transpose(y).astype(float)
    table = np.full((len(points) + 1, len(others) + 1), math.inf)
    table[0, 0] = 0.0
    for i, here in enumerate(points, start=1):
        for j, there in enumerate(others, start=1):
            ways = [table[i - 1, j - 1] + math.dist(here, there)]
            if i > 1:
                ways.append(
                    table[i - 1, j] + _joint_split_or_merge(here, points[i - 2], there, cost)
                )
            if j > 1:
                ways.append(
                    table[i, j - 1] + _joint_split_or_merge(there, others[j - 2], here, cost)
                )
            table[i, j] = min(ways)
    return float(table[-1, -1])


def _joint_split_or_merge(
    value: np.ndarray, one: np.ndarray, other: np.ndarray, cost: float
) -> float:
    if math.dist(value, (one + other) / 2) <= math.dist(one, other) / 2:
        return cost
    return cost + min(math.dist(value, one), math.dist(value, other))


def dtw(x: Sequence[Series], y: Sequence[Series], window: float | None) -> float:
    """Try every warping path of two series of shape (channels, length): exponential, for the
    shortest of series only.
    """
    points, others = np.transpose(x).astype(float), np.transpose(y).astype(float)
    n, m = len(points), len(others)
    radius = max(n, m) if window is None else max(math.floor(window * max(n, m)), abs(n - m))

    def cheapest_path_to(i: int, j: int) -> float:
        if i < 0 or j < 0 or abs(i - j) > radius:
            return math.inf
        gap = float(np.sum((points[i] - others[j]) ** 2))
        if i == j == 0:
            return gap
        return gap + min(
            cheapest_path_to(i - 1, j - 1), cheapest_path_to(i - 1, j), cheapest_path_to(i, j - 1)
        )

    return math.sqrt(cheapest_path_to(n - 1, m - 1))


def erp(x: Series, y: Series, gap: float) -> float:
    """Edit distance with real penalty by the recursion of Chen & Ng (2004), on what is left of both
    series.
    """

    @cache
    def rest(i: int, j: int) -> float:
        if i == len(x) or j == len(y):
            return float(sum(abs(value - gap) for value in (*x[i:], *y[j:])))
        return min(
            rest(i + 1, j + 1) + abs(x[i] - y[j]),
            rest(i + 1, j) + abs(x[i] - gap),
            rest(i, j + 1) + abs(y[j] - gap),
        )

    return rest(0, 0)


def twe(x: Series, y: Series, nu: float, lmbda: float) -> float:
    """Time warp edit distance by the table of Marteau (2009), with the times of the points written
    out.
    """
    values, others = [0.0, *x], [0.0, *y]
    times, other_times = range(len(values)), range(len(others))
    table = np.full((len(values), len(others)), math.inf)
    table[0, 0] = 0.0
    for i in range(1, len(values)):
        for j in range(1, len(others)):
            match = abs(values[i] - others[j]) + abs(values[i - 1] - others[j - 1])
            delay = abs(times[i] - other_times[j]) + abs(times[i - 1] - other_times[j - 1])
            delete = abs(values[i] - values[i - 1]) + nu * (times[i] - times[i - 1]) + lmbda
            insert = (
                abs(others[j] - others[j - 1]) + nu * (other_times[j] - other_times[j - 1]) + lmbda
            )
            table[i, j] = min(
                table[i - 1, j - 1] + match + nu * delay,
                table[i - 1, j] + delete,
                table[i, j - 1] + insert,
            )
    return float(table[-1, -1])
