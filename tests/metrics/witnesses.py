"""For each promise that a metric says is False, a few objects on which it is seen to be broken.

The keys are (name of the metric, promise). ``test_promises.py`` lets the doctor examine each, and asks for one wherever the
table says False.
"""

import math
from itertools import product
from typing import Any

#: All words of up to three letters out of two.
SHORT_WORDS = ["".join(letters) for length in range(4) for letters in product("ab", repeat=length)]
#: The corners of the unit square, and its sides cut in half.
SQUARE = [[x, y] for x in (0.0, 0.5, 1.0) for y in (0.0, 0.5, 1.0)]
#: The corners and the middles of the edges of a cube, where the largest norm is the least Euclidean.
CUBE = [list(map(float, point)) for point in product((0, 1, 2), repeat=3)]
#: Series of jumps that cost far more than deleting a step.
TENFOLD_STEPS = [[0, 10, 10, 0], [10, 0, 0, 10], [0, 10, 0, 10], [10, 0, 10, 0], [0, 0, 10], [10, 10, 10, 0]]

#: Four distributions over three bins that form a square under transport on the line: opposite corners have two midpoints.
TRANSPORT_SQUARE = [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]]
#: Two diagonals and three edges of 2 x 2 pixels: each diagonal is half-way between the upper and the lower edge.
PIXEL_PAIRS = [[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1, 1], [0, 0]], [[1, 0], [1, 0]], [[0, 0], [1, 1]]]
#: Three words, as trees without branches, at 2 from each other, and two more that are at 1 from all of them.
CHAINS = [
    ["a", []],
    ["a", [["b", [["a", []]]]]],
    ["b", [["a", [["b", []]]]]],
    ["a", [["b", []]]],
    ["b", [["a", []]]],
]
#: Two sets at 2 from each other, and three more that are at 1 from both of them and at 2 from each other.
POINTS_ON_A_LINE = [[[x], [y], [z]] for x, y, z in ((0, 11, 21), (2, 11, 21), (1, 10, 22), (1, 12, 22), (1, 11, 20))]

#: A quarter turn each, in the plane.
COMPASS = [[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [0.0, -4.0]]
#: A quarter turn each, as latitudes and longitudes on the equator.
EQUATOR = [[0.0, 0.0], [0.0, math.pi / 2], [0.0, math.pi], [0.0, -math.pi / 2]]

WITNESSES: dict[tuple[str, str], Any] = {
    ("manhattan", "hilbertian"): SQUARE,
    ("chebyshev", "hilbertian"): CUBE,
    ("chebyshev", "negative_type"): CUBE,
    ("angular", "hilbertian"): COMPASS,
    ("angular", "separates"): [[1.0, 2.0], [2.0, 4.0]],
    ("haversine", "hilbertian"): EQUATOR,
    ("haversine", "separates"): [[0.5, 0.0], [0.5, 2 * math.pi]],
    ("canberra", "hilbertian"): [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]],
    ("levenshtein", "hilbertian"): SHORT_WORDS,
    ("levenshtein", "negative_type"): SHORT_WORDS,
    ("indel", "hilbertian"): ["", "a", "b", "ab", "ba"],
    ("indel", "negative_type"): ["", "a", "b", "ab", "ba"],
    ("damerau", "hilbertian"): ["aa", "ab", "aab", "baa", "bab"],
    ("damerau", "negative_type"): ["aa", "ab", "aab", "baa", "bab"],
    ("weighted_edit", "hilbertian"): ["a", "b", "aa", "ab", "baa", "bab"],
    ("weighted_edit", "negative_type"): ["a", "b", "aa", "ab", "baa", "bab"],
    ("normalized_levenshtein", "hilbertian"): SHORT_WORDS,
    ("normalized_levenshtein", "negative_type"): SHORT_WORDS,
    ("hamming", "hilbertian"): ["aa", "ab", "ba", "bb"],
    ("jaccard", "hilbertian"): [{"a"}, {"b"}, {"a", "b"}, {"a", "b", "c"}],
    ("ruzicka", "hilbertian"): [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]],
    ("tanimoto", "hilbertian"): [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]],
    ("weisfeiler_lehman", "hilbertian"): [{"nodes": nodes, "edges": []} for nodes in ("a", "b", "ab", "abc")],
    ("total_variation", "hilbertian"): [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]],
    ("wasserstein_1d", "hilbertian"): TRANSPORT_SQUARE,
    ("earth_mover", "hilbertian"): TRANSPORT_SQUARE,
    ("earth_mover", "negative_type"): PIXEL_PAIRS,
    ("msm", "hilbertian"): [[0, 0], [0, 1], [1, 1], [0, 1, 0], [1, 1, 0]],
    ("msm", "negative_type"): [[0, 0], [0, 1], [1, 1], [0, 1, 0], [1, 1, 0]],
    ("dtw", "obeys_triangle"): [[1, 1, 2], [1, 2], [0]],
    ("dtw", "hilbertian"): [[1, 1, 2], [1, 2], [0]],
    ("dtw", "negative_type"): [[1, 1, 2], [1, 2], [0]],
    ("erp", "hilbertian"): [[1, 2], [1, 1, 1], [1, 1], [1, 1, 2], [1, 2, 1]],
    ("erp", "negative_type"): [[1, 2], [1, 1, 1], [1, 1], [1, 1, 2], [1, 2, 1]],
    ("erp", "separates"): [[1], [0, 1]],
    ("tree_edit", "hilbertian"): CHAINS,
    ("tree_edit", "negative_type"): CHAINS,
    ("hausdorff", "hilbertian"): POINTS_ON_A_LINE,
    ("hausdorff", "negative_type"): POINTS_ON_A_LINE,
    ("hausdorff", "separates"): [[[0.0], [1.0]], [[1.0], [0.0], [0.0]]],
    ("gower", "hilbertian"): [("a", 0), ("a", 1), ("b", 0), ("b", 1)],
    ("twe", "hilbertian"): TENFOLD_STEPS,
    ("twe", "negative_type"): TENFOLD_STEPS,
}
