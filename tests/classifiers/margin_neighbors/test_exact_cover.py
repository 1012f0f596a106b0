"""Minimum covers of any number of classes, beside all subsets."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wideberth.classifiers.margin_neighbors.vertex_cover import exact_cover, vertex_cover


def smallest(n: int, pairs: list[tuple[int, int]]) -> int:
    return next(
        size
        for size in range(n + 1)
        if any(
            all(a in s or b in s for a, b in pairs) for s in map(set, combinations(range(n), size))
        )
    )


@given(st.integers(2, 4), st.integers(3, 9), st.data())
@settings(max_examples=80, deadline=None)
def test_it_equals_trying_all_subsets(classes, n, data):
    codes = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    possible = [(a, b) for a, b in combinations(range(n), 2) if codes[a] != codes[b]]
    pairs = data.draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    first, second = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    found = exact_cover(n, codes, first, second)
    assert found.value == found.lower_bound == smallest(n, pairs) == found.point.sum()
    assert found.status == "optimal"
    assert all(found.point[a] or found.point[b] for a, b in pairs)
    assert vertex_cover(n, codes, first, second).lower_bound <= found.value


def test_out_of_time_it_still_covers_and_bounds():
    generator = np.random.default_rng(0)
    n = 300
    codes = generator.integers(0, 100, n)
    first, second = np.triu_indices(n, 1)
    chosen = (generator.random(len(first)) < 0.05) & (codes[first] != codes[second])
    found = exact_cover(n, codes, first[chosen], second[chosen], max_time=0.05)
    assert (found.point[first[chosen]] | found.point[second[chosen]]).all()
    assert found.lower_bound <= found.value == found.point.sum()
    assert found.value <= vertex_cover(n, codes, first[chosen], second[chosen]).value
