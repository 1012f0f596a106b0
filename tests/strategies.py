"""Random objects of every kind, and random finite metric spaces."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from wideberth.metrics.named import METRICS

#: Finite numbers of moderate size: rounding is tested elsewhere, overflow is not what these tests
#: are about.
numbers = st.floats(-100, 100).map(lambda value: round(value, 3))
#: All that UTF-8 can write, as `st.text` takes by default; there every process tries the codec on a
#: million characters first.
letters = st.characters(exclude_categories=["Cs"])


@st.composite
def vectors(draw: Any, min_size: int = 3, max_size: int = 9) -> np.ndarray:
    n, dimension = draw(st.integers(min_size, max_size)), draw(st.integers(1, 4))
    rows = draw(
        st.lists(st.lists(numbers, min_size=dimension, max_size=dimension), min_size=n, max_size=n)
    )
    return np.array(rows)


words = st.lists(st.text("abß1", max_size=6), min_size=3, max_size=9)
#: White space of all kinds, letters whose lower case is not one letter or depends on its
#: neighbours, and others.
odd_letters = "ab ABΣσς\t\n\x1c\u2003\u3000İıß\ufdfa"
texts = st.lists(
    st.text(odd_letters, max_size=9) | st.text(letters, max_size=5), min_size=3, max_size=9
)
equal_length_words = st.integers(1, 5).flatmap(
    lambda length: st.lists(
        st.text("ACGT", min_size=length, max_size=length), min_size=3, max_size=9
    )
)
sets = st.lists(
    st.frozensets(st.sampled_from(["tea", "rum", 3, 4.5, ("a",)]), max_size=5),
    min_size=3,
    max_size=9,
)
series = st.lists(st.lists(numbers, min_size=1, max_size=6), min_size=3, max_size=7)

#: Numbers with ties, and with all the digits there are: for distances that are minima of sums.
tied_numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(-100, 100, allow_nan=False))
one_channel = st.lists(tied_numbers, min_size=1, max_size=5)


@st.composite
def several_channels(draw: Any, channels: int = 3) -> np.ndarray:
    length = draw(st.integers(1, 5))
    values = draw(st.lists(tied_numbers, min_size=channels * length, max_size=channels * length))
    return np.array(values).reshape(channels, length)


#: Three series of one channel, or of three.
any_series = st.one_of(
    st.lists(one_channel.map(np.array), min_size=3, max_size=3),
    st.lists(several_channels(), min_size=3, max_size=3),
)

weights = st.integers(1, 5) | st.floats(0.01, 5).map(lambda value: round(value, 3))
weighted_sets = st.lists(
    st.dictionaries(st.sampled_from(["tea", "rum", 3, 4.5, ("a",)]), weights, max_size=4),
    min_size=3,
    max_size=9,
)
weight_rows = vectors().map(np.abs)

SMILES = [
    "CCO",
    "OCC",
    "CCCCO",
    "CC(=O)O",
    "CC(=O)OC",
    "c1ccccc1",
    "c1ccccc1O",
    "C1CCCCC1",
    "CCN(CC)CC",
    "C[C@H](N)C(=O)O",
    "[Na+].[Cl-]",
]
molecules = st.lists(st.sampled_from(SMILES), min_size=3, max_size=9)
bit_rows = st.tuples(st.integers(3, 9), st.integers(1, 70), st.integers(0, 2**32)).map(
    lambda drawn: np.random.default_rng(drawn[2]).random(drawn[:2]) < 0.3
)


@st.composite
def graphs(draw: Any, max_nodes: int = 6) -> dict[str, Any]:
    """An undirected graph with labelled nodes, whose edges may be listed twice or end where they
    begin.
    """
    labels = draw(st.lists(st.sampled_from(["C", "N", 8, None]), max_size=max_nodes))
    ends = st.integers(0, max(0, len(labels) - 1))
    edges = draw(st.lists(st.tuples(ends, ends), max_size=8)) if labels else []
    return {"nodes": labels, "edges": edges}


@st.composite
def histograms(draw: Any, min_size: int = 3, max_size: int = 9) -> np.ndarray:
    """Rows over common bins, none of them empty: counts with many zeros and ties, or weights of any
    size.
    """
    n, bins = draw(st.integers(min_size, max_size)), draw(st.integers(1, 6))
    mass = draw(
        st.sampled_from(
            [st.integers(0, 3), st.floats(0, 1), st.sampled_from([0.0, 1e-9, 0.3, 7e5])]
        )
    )
    rows = st.lists(mass, min_size=bins, max_size=bins).filter(any)
    return np.array(draw(st.lists(rows, min_size=n, max_size=n)), dtype=float)


@st.composite
def images(draw: Any, min_size: int = 3, max_size: int = 7) -> np.ndarray:
    """Images of a few grey pixels, none of them black."""
    n, height, width = (
        draw(st.integers(min_size, max_size)),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
    )
    pixels = st.lists(st.integers(0, 3), min_size=height * width, max_size=height * width).filter(
        any
    )
    return np.array(draw(st.lists(pixels, min_size=n, max_size=n))).reshape(n, height, width)


#: Labels among which some look alike.
tree_labels = st.sampled_from(["a", "b", 1, "1", (2, "c"), None])
one_tree = st.recursive(
    tree_labels.map(lambda label: [label, []]),
    lambda child: st.tuples(tree_labels, st.lists(child, min_size=1, max_size=3)).map(list),
    max_leaves=5,
)
trees = st.lists(one_tree, min_size=3, max_size=7)


@st.composite
def point_sets(draw: Any) -> list[np.ndarray]:
    dimension = draw(st.integers(1, 3))
    point = st.lists(
        st.one_of(st.integers(-2, 2).map(float), numbers), min_size=dimension, max_size=dimension
    )
    return [
        np.array(each)
        for each in draw(st.lists(st.lists(point, min_size=1, max_size=5), min_size=3, max_size=7))
    ]


#: What the columns of a table hold.
column_values = {
    "number": st.one_of(st.integers(-3, 3), numbers),
    "text": st.sampled_from(["Ulm", "Bonn", "", "1"]),
    "truth": st.booleans(),
}


@st.composite
def table_rows(
    draw: Any, missing: bool = False, min_size: int = 3, max_size: int = 9
) -> list[dict[str, Any]]:
    """Rows of one table as dicts; with ``missing``, some values are None."""
    kinds = draw(st.lists(st.sampled_from(sorted(column_values)), min_size=1, max_size=4))
    values = [st.none() | column_values[kind] if missing else column_values[kind] for kind in kinds]
    rows = draw(st.lists(st.tuples(*values), min_size=min_size, max_size=max_size))
    return [
        {
            f"{kind} {place}": value
            for place, (kind, value) in enumerate(zip(kinds, row, strict=True))
        }
        for row in rows
    ]


@st.composite
def metric_matrices(draw: Any, min_size: int = 3, max_size: int = 8) -> np.ndarray:
    """A random finite metric space with ties and equal objects: shortest paths in a graph with
    small whole lengths.
    """
    n = draw(st.integers(min_size, max_size))
    lengths = draw(
        st.lists(st.integers(1, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)
    )
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = lengths
    space = shortest_path(matrix + matrix.T, method="FW")
    twins = draw(st.lists(st.integers(0, n - 1), max_size=2))  # equal objects: repeat some rows
    order = [*range(n), *twins]
    return space[np.ix_(order, order)]


@st.composite
def hilbertian_matrices(draw: Any, min_size: int = 3, max_size: int = 8) -> np.ndarray:
    """A random finite Hilbertian space, with ties and equal objects: the roots of sums of few cuts
    into two sides.
    """
    n = draw(st.integers(min_size, max_size))
    sides = np.array(
        draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=6))
    )
    lengths = np.array(draw(st.lists(st.integers(1, 6), min_size=len(sides), max_size=len(sides))))
    return np.sqrt(np.einsum("c,cij->ij", lengths, sides[:, :, None] != sides[:, None, :]))


@st.composite
def vectors_in_all_directions(draw: Any) -> np.ndarray:
    """Vectors whose covariance is not singular: the corners of a simplex are among them."""
    rows = draw(vectors(min_size=1))
    dimension = rows.shape[1]
    return np.concatenate([rows, np.zeros((1, dimension)), 10 * np.eye(dimension)])


def _pointing(rows: np.ndarray) -> np.ndarray:
    """The rows, none of them zero."""
    return np.where(rows.any(axis=1, keepdims=True), rows, 1.0)


@st.composite
def places(draw: Any) -> np.ndarray:
    """Latitudes and longitudes in radians, neighbours, opposite places and the poles among them."""
    latitudes = st.sampled_from([-np.pi / 2, 0.0, 1.0, np.pi / 2]) | st.floats(-1.5, 1.5).map(
        lambda value: round(value, 3)
    )
    longitudes = st.sampled_from([-np.pi, 0.0, 1e-9, np.pi, 2 * np.pi]) | st.floats(-6, 6).map(
        lambda value: round(value, 3)
    )
    return np.array(draw(st.lists(st.tuples(latitudes, longitudes), min_size=3, max_size=9)))


#: Random objects of every kind.
objects_of_kind: dict[str, st.SearchStrategy[Any]] = {
    "vectors": vectors(),
    "strings": words,
    "series": series,
    "sets": sets,
    "distributions": histograms(),
    "molecules": molecules | bit_rows,
    "trees": trees,
    "graphs": st.lists(graphs(), min_size=3, max_size=7),
    "points": point_sets(),
    "rows": table_rows(),
    "indices": st.integers(3, 8).map(lambda n: list(range(n))),
}

#: Metrics that take fewer objects of their kind than others, or more.
_objects_of_their_own: dict[str, st.SearchStrategy[Any]] = {
    "mahalanobis": vectors_in_all_directions(),
    "angular": vectors().map(_pointing),
    "haversine": places(),
    "hamming": equal_length_words,
    "words": texts,
    "ngrams": texts,
    "affixes": texts,
    "rare_ngrams": texts,
    "ruzicka": weighted_sets | weight_rows,
    "earth_mover": histograms() | images(),
    "precomputed": objects_of_kind["indices"],
}

#: Objects for every metric of the table.
objects_of: dict[str, st.SearchStrategy[Any]] = {
    name: objects_of_kind[metric.accepts]
    for name, metric in METRICS.items()
    if name not in _objects_of_their_own
} | _objects_of_their_own
