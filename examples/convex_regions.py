"""Two convex regions that do not come from centres: an adversary makes every learner lose more and
more.

The adversary asks q_t = (p_t, h_t): points p_t spread over the unit sphere of d - 1 dimensions, at
tiny heights h_t, and lets a coin decide whether q_t belongs above or below. It gets away with that:
h_t is the height, at p_t, of a plane in the midst of all planes that agree with the coins so far,
so some planes agree whatever the coin says. What is above and what is below are then two convex
regions that do not meet. Nobody can guess a coin, and a wrong guess costs the distance to the other
region, which is at least 1 - max <p_t, p_s> over all other points, because the sphere is round.

T points can be some T^(-1/(d-2)) apart on that sphere, so the loss grows like T^((d-4)/(d-2)):
Theorem 4 of Guruganesh, Liu, Schneider & Wang (2021). For regions of nearest centres there are
learners whose loss stops growing.
"""

from math import log, sqrt

import numpy as np
from scipy.optimize import linprog
from scipy.spatial import KDTree

from wideberth.papers.online_bounds import convex_regions_exponent

CANDIDATES = 24  # for each point; the one farthest from all points so far is taken


def spread_points(dimension: int, count: int, chance: np.random.Generator) -> np.ndarray:
    """Points on the unit sphere, far from each other, and so are the first few or many of them."""
    points = np.empty((count, dimension))
    for place in range(count):
        drawn = chance.normal(size=(CANDIDATES, dimension))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        points[place] = drawn[np.argmin((drawn @ points[:place].T).max(axis=1, initial=-1.0))]
    return points


def costs(points: np.ndarray) -> np.ndarray:
    """What a wrong guess costs at each point, at least: 1 - <p, s> for the nearest other point
    s.
    """
    distances, _ = KDTree(points).query(points, k=2)
    return distances[:, 1] ** 2 / 2


def consistent_heights(points: np.ndarray, above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Heights below 1e-6 at which a plane has all points with the coin ``above`` above it and all
    others below, and that plane.

    A plane is its slopes and its value at 0. Floats have room for some ten coins a dimension.
    """
    rows = np.column_stack([points, np.ones(len(points))])
    heights, plane = np.empty(len(points)), np.zeros(rows.shape[1])
    signs = np.where(above, 1.0, -1.0)
    for t in range(len(points)):
        heights[t] = rows[t] @ plane
        sides, seen = signs[: t + 1, None], rows[: t + 1]
        room = np.linalg.norm(
            seen, axis=1, keepdims=True
        )  # the widest ball of planes: its radius is the last unknown
        planes = linprog(
            np.append(np.zeros(len(plane)), -1.0),
            A_ub=np.hstack([sides * seen, room]),
            b_ub=signs[: t + 1] * heights[: t + 1],
            bounds=[(-1, 1)] * len(plane) + [(0, None)],
        )
        plane = planes.x[:-1]
    unit = 1e-6 / (1 + sqrt(points.shape[1]))
    return unit * heights, unit * plane


def nearest_neighbor_loss(points: np.ndarray, above: np.ndarray) -> float:
    """What a learner loses that answers with the coin of the nearest query so far."""
    nearest = [0] + [int(np.argmax(points[:t] @ points[t])) for t in range(1, len(points))]
    wrong = above[nearest] != above
    return float(costs(points)[wrong].sum())


def main(
    dimensions: tuple[int, ...] = (5, 6, 8, 12),
    rounds: tuple[int, ...] = (250, 500, 1000, 2000, 4000),
) -> dict[int, float]:
    """Print what learners lose and how that grows; the measured exponents by dimension."""
    chance = np.random.default_rng(0)
    print(
        "       what any learner loses (what nearest neighbours lost)" + " " * 12 + "exponent of T"
    )
    print("  d" + "".join(f"{f'T = {count}':>15}" for count in rounds) + "   measured  Theorem 4")
    exponents = {}
    for d in dimensions:
        points, above = spread_points(d - 1, max(rounds), chance), chance.random(max(rounds)) < 0.5
        expected = [
            costs(points[:count]).sum() / 2 for count in rounds
        ]  # every other guess is wrong
        lost = [nearest_neighbor_loss(points[:count], above[:count]) for count in rounds]
        exponents[d] = float(np.polyfit([log(count) for count in rounds], np.log(expected), 1)[0])
        cells = "".join(
            f"{f'{mean:.1f} ({seen:.1f})':>15}" for mean, seen in zip(expected, lost, strict=True)
        )
        print(f"{d:>3}{cells}{exponents[d]:>11.3f}{convex_regions_exponent(d):>11.3f}")
    return exponents


if __name__ == "__main__":
    main()
    sphere = spread_points(4, 30, np.random.default_rng(1))
    coins = np.random.default_rng(2).random(30) < 0.5
    levels, _ = consistent_heights(sphere, coins)
    print(
        "\nFor 30 coins in 5 dimensions the adversary found heights, at most "
        f"{np.abs(levels).max():.0e}."
    )
