"""Where simulated samples come from: finite populations of objects of several kinds, so that true
errors are exact.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist as vectors_apart

#: Of a clean label that it is changed to another one.
NOISE = 0.1


@dataclass(frozen=True, eq=False)
class Source:
    """Objects, all equally likely, their distances, in diameters, and for each the probabilities of
    the labels.
    """

    distances: np.ndarray
    chances: np.ndarray

    def sample(self, random, n):
        """Which n objects were drawn, with replacement, and their labels."""
        objects = random.integers(len(self.distances), size=n)
        below = self.chances[objects].cumsum(axis=1) < random.uniform(size=(n, 1))
        return objects, below.sum(axis=1)

    def error(self, labels):
        """The exact error of one label for each object."""
        return 1 - float(self.chances[np.arange(len(labels)), labels].mean())

    def ramp(self, values):
        """The exact mean ramp loss of real values, one for each object; class 0 is -1, and all
        others are +1.
        """
        negative = self.chances[:, 0]
        return float(np.mean(negative * ramp(-values) + (1 - negative) * ramp(values)))

    def covers(self):
        """Falling radii and how many balls of these radii, around objects, cover all objects, by
        farthest-first traversal.
        """
        return covers(self.distances)

    def dimension(self):
        """The least D for which the balls of `covers` are at most (2 / r)^D at every radius r <
        1.
        """
        radii, numbers = self.covers()
        inside = (numbers > 1) & (np.r_[1.0, radii[:-1]] < 2)
        before = np.r_[1.0, radii[:-1]][inside]  # so many are needed just below the radius before
        return float(np.max(np.log(numbers[inside]) / np.log(2 / np.minimum(before, 1.0))))


def ramp(margins):
    return np.clip(1 - margins, 0, 1)


def covers(distances):
    """As `Source.covers`, of a matrix of distances."""
    nearest = distances[0].copy()
    radii, chosen = [nearest.max()], 1
    while radii[-1] > 0:
        nearest = np.minimum(nearest, distances[np.argmax(nearest)])
        chosen += 1
        radii.append(nearest.max())
    return np.array(radii), np.arange(1.0, chosen + 1)


def _noisy(codes, classes):
    chances = np.full((len(codes), classes), NOISE / (classes - 1))
    chances[np.arange(len(codes)), codes] = 1 - NOISE
    return chances


def _half_circles(random):
    codes = np.arange(800) % 2
    angles = random.uniform(0, np.pi, 800)
    points = np.c_[np.cos(angles), np.sin(angles)] * np.where(codes, -1, 1)[:, None] + np.outer(
        codes, [1.0, 0.5]
    )
    return vectors_apart(*[points + random.normal(0, 0.15, points.shape)] * 2), _noisy(codes, 2)


def _words(random):
    """Two automata with three states and letters each write words; some words are written by
    both.
    """
    codes = np.arange(600) % 2
    words = []
    for code in codes:
        state, word = 0, ""
        while len(word) < 12 and random.uniform() > 0.12:
            word += "abc"[state]
            state = (state + 1 + code if random.uniform() < 0.7 else random.integers(3)) % 3
        words.append(word)
    return cdist(words, words, scorer=Levenshtein.distance).astype(float), _noisy(codes, 2)


def _gaussians(random):
    codes = np.arange(600) % 3
    points = random.normal(size=(600, 5)) + 2.5 * np.eye(5)[codes]
    return vectors_apart(points, points), _noisy(codes, 3)


def _stripes(random):
    points = (np.arange(800) + 0.5) / 800
    return np.abs(points[:, None] - points), _noisy((4 * points).astype(int) % 2, 2)


def _network(random):
    """Shortest ways in a random network; the chances of a label depend on two places in it."""
    n = 300
    ways = np.where(random.uniform(size=(n, n)) < 0.02, random.uniform(0.2, 1, (n, n)), 0)
    ways[np.arange(1, n), np.arange(n - 1)] = 1.0
    distances = shortest_path(ways, directed=False)
    lead = distances[0] - distances[1]
    positive = 1 / (1 + np.exp(-6 * lead / np.abs(lead).max()))
    return distances, np.c_[1 - positive, positive]


_MAKERS = {
    "half-circles": _half_circles,
    "words": _words,
    "gaussians": _gaussians,
    "stripes": _stripes,
    "network": _network,
}
NAMES = tuple(_MAKERS)


@cache
def source(name):
    """The source of this name; always the same."""
    distances, chances = _MAKERS[name](np.random.default_rng(len(name)))
    return Source(distances / distances.max(), chances)
