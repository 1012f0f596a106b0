"""Objects of every kind to measure distances between: a thousand each, of sizes as one meets them,
the same in every run.
"""

import random
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

import wideberth as wb

Floats = NDArray[np.float64]

COUNT = 1000
ATOMS, LABELS = "CCCCNO", "abcdefgh"
#: What rings and chains carry in two places.
GROUPS = ("C", "CC", "O", "N", "F", "Cl", "OC", "C(=O)O", "C(=O)N", "S(=O)(=O)N", "C#N", "C(F)(F)F")
CORES = (
    *("c1({})ccc({})cc1", "c1({})cccc({})c1", "c1({})cnc({})nc1", "c1({})ccc2cc({})ccc2c1"),
    *("C1({})CCC({})CC1", "C({})CN({})CC", "C({})CC(C){}"),
)


def _chance() -> np.random.Generator:
    return np.random.default_rng(0)


@cache
def vectors() -> Floats:
    return _chance().normal(size=(COUNT, 10))


def places() -> Floats:
    """Latitudes and longitudes in radians, evenly spread over the sphere."""
    chance = _chance()
    return np.stack(
        [np.arcsin(chance.uniform(-1, 1, COUNT)), chance.uniform(-np.pi, np.pi, COUNT)], axis=1
    )


def names() -> list[str]:
    """First names of the census."""
    return random.Random(0).sample(wb.datasets.load_first_names()[0], COUNT)


def dna(length: int) -> list[str]:
    chance = random.Random(length)
    return ["".join(chance.choices("ACGT", k=length)) for _ in range(COUNT)]


def series(length: int) -> Floats:
    """Random walks."""
    return _chance().normal(size=(COUNT, length)).cumsum(axis=1)


def bits() -> NDArray[np.bool_]:
    return _chance().random((COUNT, 64)) < 0.2


def word_counts() -> Floats:
    """Of 200 words, few of which are frequent."""
    frequencies = 4 / np.arange(1, 201)
    return _chance().poisson(frequencies, size=(COUNT, 200)).astype(np.float64)


def texts() -> list[str]:
    """Texts of 20 to 60 words out of 5,000, few of which are frequent."""
    chance = random.Random(0)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(1, 9))) for _ in range(5000)]
    frequencies = [1 / place for place in range(1, 5001)]
    return [
        " ".join(chance.choices(words, frequencies, k=chance.randint(20, 60))) for _ in range(COUNT)
    ]


def molecules() -> list[str]:
    """Small molecules as SMILES: cores with two groups each."""
    every = [core.format(one, other) for core, one, other in product(CORES, GROUPS, GROUPS)]
    return random.Random(0).sample(every, COUNT)


def graphs() -> list[dict[str, Any]]:
    """Trees of 15 to 40 labelled nodes with a few more edges, as in molecules."""
    chance = random.Random(0)
    drawn = []
    for _ in range(COUNT):
        n = chance.randint(15, 40)
        edges = [(chance.randrange(max(0, node - 4), node), node) for node in range(1, n)]
        edges += [tuple(chance.sample(range(n), 2)) for _ in range(3)]
        drawn.append({"nodes": chance.choices(ATOMS, k=n), "edges": edges})
    return drawn


def trees(size: int) -> list[Any]:
    """Ordered trees of about ``size`` nodes with one of eight labels each."""
    chance = random.Random(size)
    return [_tree(chance.randint(size - size // 5, size + size // 5), chance) for _ in range(COUNT)]


def _tree(size: int, chance: random.Random) -> Any:
    nodes: list[Any] = [[chance.choice(LABELS), []] for _ in range(size)]
    for place in range(1, size):
        nodes[chance.randrange(max(0, place - 6), place)][1].append(nodes[place])
    return nodes[0]


def point_sets() -> list[Floats]:
    """20 to 40 points in the plane."""
    chance = _chance()
    return [chance.normal(size=(chance.integers(20, 41), 2)) for _ in range(COUNT)]


def histograms() -> Floats:
    """Masses in 64 bins, some of them empty, that sum to one."""
    counts = _chance().poisson(_chance().gamma(0.5, 4, size=(COUNT, 64))).astype(np.float64)
    return counts / counts.sum(axis=1, keepdims=True)


def drawn_numbers() -> list[Floats]:
    """Samples of 20 to 40 numbers."""
    chance = _chance()
    return [chance.normal(size=chance.integers(20, 41)) for _ in range(COUNT)]


def images() -> Floats:
    """Handwritten digits of 8 x 8 pixels, of mass one."""
    pixels = load_digits().images[:COUNT]
    return np.asarray(pixels / pixels.sum(axis=(1, 2), keepdims=True))


def mixed_rows() -> list[tuple[Any, ...]]:
    """Rows of a table: eight numbers and four categories; the first two hold the least and the
    largest number of each column.
    """
    chance = _chance()
    numbers, categories = (
        chance.normal(size=(COUNT, 8)),
        chance.choice(["red", "green", "blue"], size=(COUNT, 4)),
    )
    numbers[0], numbers[1] = numbers.min(axis=0), numbers.max(axis=0)
    return [
        (*map(float, some), *map(str, others))
        for some, others in zip(numbers, categories, strict=True)
    ]


@cache
def distances() -> Floats:
    """A matrix of distances."""
    return wb.pairwise_distances(vectors())
