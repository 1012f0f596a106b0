"""Queries as JSON holds them, turned into the objects that a model asks for: one function for each
kind of object.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def as_they_are(plain: list[Any]) -> list[Any]:
    """Strings, lists of tokens, multisets, trees, graphs, rows and records: JSON holds them as they
    are.
    """
    return plain


def number_rows(plain: list[Any]) -> np.ndarray:
    """Vectors, histograms, images and rows of distances: one array of floats, the objects along its
    first axis.
    """
    return np.array(plain, dtype=np.float64)


def bit_rows(plain: list[Any]) -> np.ndarray:
    """Fingerprints: rows of zeros and ones, as truth values."""
    return np.array(plain, dtype=bool)


def number_arrays(plain: list[Any]) -> list[np.ndarray]:
    """Series, samples of numbers and sets of points: an array for each object, of a length of its
    own.
    """
    return [np.array(each, dtype=np.float64) for each in plain]


def frozen_sets(plain: list[Any]) -> list[frozenset[Any]]:
    """Sets: JSON has lists of their elements."""
    return [frozenset(each) for each in plain]


OBJECTS_OF_KIND: dict[str, Callable[[list[Any]], Any]] = {
    "vectors": number_rows,
    "places": number_rows,
    "strings": as_they_are,
    "texts": as_they_are,
    "padded strings": as_they_are,
    "tokens": as_they_are,
    "series": number_arrays,
    "series of two channels": number_arrays,
    "sets": frozen_sets,
    "multisets": as_they_are,
    "fingerprints": bit_rows,
    "histograms": number_rows,
    "images": number_rows,
    "samples": number_arrays,
    "trees": as_they_are,
    "graphs": as_they_are,
    "bags": as_they_are,
    "bonded graphs": as_they_are,
    "points": number_arrays,
    "rows": as_they_are,
    "records": as_they_are,
    "distance rows": number_rows,
}
