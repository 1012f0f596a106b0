"""Bodies in the plane, corner by corner, and streams of signs with a hidden vector behind them."""

from fractions import Fraction
from itertools import combinations
from math import factorial

import numpy as np

from wideberth.classifiers.online import engines
from wideberth.classifiers.online.knowledge_set import Scales


def disc(radius, corners=2000):
    """A polygon around a disc, hardly larger."""
    angles = 2 * np.pi * np.arange(corners) / corners
    return radius / np.cos(np.pi / corners) * np.column_stack([np.cos(angles), np.sin(angles)])


def clip(polygon, direction, offset):
    """The part of a convex polygon with direction . x >= -offset."""
    kept = []
    for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        inside_here, inside_there = here @ direction + offset, there @ direction + offset
        if inside_here >= 0:
            kept.append(here)
        if (inside_here > 0) != (inside_there > 0) and inside_here != inside_there:
            kept.append(here + inside_here / (inside_here - inside_there) * (there - here))
    return np.array(kept).reshape(-1, 2)


def body(directions, offsets, radius):
    """All x of the disc with direction . x >= -offset for every row."""
    polygon = disc(radius)
    for direction, offset in zip(directions, offsets, strict=True):
        polygon = clip(polygon, direction, offset)
    return polygon


def area(polygon):
    if len(polygon) < 3:
        return 0.0
    x, y = (polygon - polygon.mean(axis=0)).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def hidden_vector(dimension, generator):
    vector = generator.normal(size=dimension)
    return vector / np.linalg.norm(vector)


def near_stream(vector, rounds, generator, smallest=1e-4):
    """Queries of length 1 close to the boundary, by margins of all magnitudes."""
    for _ in range(rounds):
        query = generator.normal(size=len(vector))
        query -= query @ vector * vector
        query /= np.linalg.norm(query)
        margin = smallest ** generator.random() * generator.choice([-1, 1])
        yield np.sqrt(1 - margin**2) * query + margin * vector


def random_stream(vector, rounds, generator):
    """Queries spread evenly over the unit ball."""
    for _ in range(rounds):
        query = generator.normal(size=len(vector))
        yield query / np.linalg.norm(query) * generator.random() ** (1 / len(vector))


def exact_corners(directions, offsets):
    """The corners of the polytope direction_j . x >= -offset_j in fractions: all points at which d
    faces meet.
    """
    faces = [[Fraction(float(value)) for value in row] for row in directions]
    heights = [Fraction(float(value)) for value in offsets]
    dimension, found = len(faces[0]), set()
    for chosen in combinations(range(len(faces)), dimension):
        corner = _solved([faces[j] for j in chosen], [-heights[j] for j in chosen])
        if corner is not None and all(
            sum(a * x for a, x in zip(face, corner, strict=True)) >= -height
            for face, height in zip(faces, heights, strict=True)
        ):
            found.add(corner)
    return sorted(found)


def exact_volume(directions, offsets):
    """The volume of the polytope direction_j . x >= -offset_j in fractions: simplices from a corner
    to all faces without it.
    """
    corners = exact_corners(directions, offsets)
    faces = {
        frozenset(
            number
            for number, corner in enumerate(corners)
            if sum(Fraction(float(a)) * x for a, x in zip(row, corner, strict=True))
            == -Fraction(float(offset))
        )
        for row, offset in zip(directions, offsets, strict=True)
    }
    dimension = len(corners[0])
    total = Fraction(0)
    for simplex in _simplices(frozenset(range(len(corners))), faces, dimension, corners):
        first, *others = (corners[number] for number in simplex)
        total += abs(
            _determinant([[a - b for a, b in zip(each, first, strict=True)] for each in others])
        )
    return total / factorial(dimension)


def _simplices(part, faces, dimension, corners):
    """Simplices, by the numbers of their corners, that fill a face of some dimension."""
    if dimension == 0:
        return [(min(part),)]
    apex = min(part)
    sides = {part & face for face in faces if not part <= face}
    sides = [side for side in sides if apex not in side and _rank(side, corners) == dimension - 1]
    return [
        (apex, *rest) for side in sides for rest in _simplices(side, faces, dimension - 1, corners)
    ]


def _rank(part, corners):
    """The dimension of the smallest flat through some corners; -1 for none."""
    if not part:
        return -1
    first, *others = (corners[number] for number in sorted(part))
    rows = [[a - b for a, b in zip(each, first, strict=True)] for each in others]
    rank = 0
    for column in range(len(first)):
        pivot = next((row for row in rows[rank:] if row[column] != 0), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(rank, pivot)
        for row in rows[rank + 1 :]:
            factor = row[column] / pivot[column]
            row[:] = [a - factor * b for a, b in zip(row, pivot, strict=True)]
        rank += 1
    return rank


def _determinant(rows):
    """The determinant of a matrix of fractions, by its first row."""
    if len(rows) == 1:
        return rows[0][0]
    return sum(
        (-1) ** column
        * value
        * _determinant([row[:column] + row[column + 1 :] for row in rows[1:]])
        for column, value in enumerate(rows[0])
        if value
    )


def _solved(rows, heights):
    """The solution of as many equations as unknowns, by Cramer's rule; None if there is not exactly
    one.
    """
    whole = _determinant(rows)
    if whole == 0:
        return None
    replaced = (
        [[*row[:k], height, *row[k + 1 :]] for row, height in zip(rows, heights, strict=True)]
        for k in range(len(rows))
    )
    return tuple(_determinant(each) / whole for each in replaced)


def knowledge_set(dimension, *, engine="sampling", radius=2.0, power=1.0, scales=None, **options):
    """A knowledge set of the vectors of a ball."""
    scales = scales or Scales.for_ball(dimension, radius, power)
    return engines.knowledge_set(engine, scales, **options)
