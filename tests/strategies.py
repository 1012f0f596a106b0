"""Random objects of every kind, and random finite metric spaces."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

#: Finite numbers of moderate size: rounding is tested elsewhere, overflow is not what these tests are about.
numbers = st.floats(-100, 100).map(lambda value: round(value, 3))


@st.composite
def vectors(draw: Any, min_size: int = 3, max_size: int = 9) -> np.ndarray:
    n, dimension = draw(st.integers(min_size, max_size)), draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(numbers, min_size=dimension, max_size=dimension), min_size=n, max_size=n))
    return np.array(rows)


words = st.lists(st.text("abß1", max_size=6), min_size=3, max_size=9)
equal_length_words = st.integers(1, 5).flatmap(
    lambda length: st.lists(st.text("ACGT", min_size=length, max_size=length), min_size=3, max_size=9)
)
sets = st.lists(st.frozensets(st.sampled_from(["tea", "rum", 3, 4.5, ("a",)]), max_size=5), min_size=3, max_size=9)
series = st.lists(st.lists(numbers, min_size=1, max_size=6), min_size=3, max_size=7)


@st.composite
def metric_matrices(draw: Any, min_size: int = 3, max_size: int = 8) -> np.ndarray:
    """A random finite metric space with ties and equal objects: shortest paths in a graph with small whole lengths."""
    n = draw(st.integers(min_size, max_size))
    lengths = draw(st.lists(st.integers(1, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = lengths
    space = shortest_path(matrix + matrix.T, method="FW")
    twins = draw(st.lists(st.integers(0, n - 1), max_size=2))  # equal objects: repeat some rows
    order = [*range(n), *twins]
    return space[np.ix_(order, order)]


#: Objects for every metric of the table; a new metric needs its line here to get the whole suite.
objects_of: dict[str, st.SearchStrategy[Any]] = {
    "euclidean": vectors(),
    "manhattan": vectors(),
    "chebyshev": vectors(),
    "minkowski": vectors(),
    "levenshtein": words,
    "normalized_levenshtein": words,
    "hamming": equal_length_words,
    "jaccard": sets,
    "msm": series,
    "dtw": series,
    "precomputed": st.integers(3, 8).map(lambda n: list(range(n))),
}
