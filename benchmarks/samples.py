"""Samples that several benchmarks share; all of them can be made again from here."""

import random

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons

import wideberth as wb

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def overlapping_classes(
    n: int, dimension: int, n_classes: int = 4
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Gaussian clouds two standard deviations apart."""
    generator = np.random.default_rng(n + dimension)
    labels = generator.integers(n_classes, size=n)
    points = generator.normal(size=(n, dimension))
    points[:, 0] += 2.0 * labels
    return points, labels


def two_moons(n: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two half circles in the plane, with so much noise that they overlap."""
    points, labels = make_moons(n, noise=0.35, random_state=n)
    return points, labels


def gaussian_pair(n: int, dimension: int = 10) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two Gaussian clouds 2.56 standard deviations apart: the best rule there is has an error of 10
    %.
    """
    generator = np.random.default_rng(n)
    labels = generator.integers(2, size=n)
    points = generator.normal(size=(n, dimension))
    points[:, 0] += 2.56 * labels
    return points, labels


def edited_names(n: int) -> tuple[list[str], list[str]]:
    """The first names of the census, then the same with one to three random edits, until there are
    n different ones.
    """
    names, sexes = wb.datasets.load_first_names()
    chance = random.Random(n)
    found = dict(zip(names, sexes, strict=True))
    stock = list(found)
    while len(found) < n:
        name = chance.choice(stock)
        found.setdefault(_edited(name, chance), found[name])
    return list(found)[:n], list(found.values())[:n]


def _edited(name: str, chance: random.Random) -> str:
    letters = list(name)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(letters))
        letters[place : place + chance.randint(0, 1)] = chance.choice(["", chance.choice(LETTERS)])
        letters = letters or ["x"]
    return "".join(letters)


def bell_curves(n: int, length: int = 50) -> NDArray[np.float64]:
    """Series with three free numbers each: where a bell stands, how wide and how high it is."""
    generator = np.random.default_rng(n)
    place, width, height = (
        generator.uniform(0.3, 0.7, n),
        generator.uniform(0.05, 0.15, n),
        generator.uniform(1, 2, n),
    )
    times = np.linspace(0, 1, length)
    return height[:, None] * np.exp(-(((times - place[:, None]) / width[:, None]) ** 2))
