"""Bodies in the plane, corner by corner, and streams of signs with a hidden vector behind them."""

import numpy as np


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
