"""The objects to label next are the greedy choice of its definition, near the best one, and never
those that have a label.
"""

from itertools import combinations
from math import e

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices, words

import wideberth as wb
from wideberth.errors import InvalidInput

fast = settings(deadline=None, max_examples=60)


def mean_distance(distances, labelled):
    """Over all objects, to the nearest labelled one."""
    return distances[sorted(labelled)].min(axis=0).mean() if labelled else np.inf


@fast
@given(metric_matrices(max_size=8), st.integers(1, 4), st.sets(st.integers(0, 1)))
def test_each_label_lowers_the_mean_distance_most(distances, n, labelled):
    found = wb.label_next(distances, "precomputed", n, labelled=sorted(labelled))
    known = set(labelled)
    assert found.mean_distance[0] == pytest.approx(mean_distance(distances, known))
    for index, after in zip(found.indices.tolist(), found.mean_distance[1:], strict=True):
        assert index not in known
        others = set(range(len(distances))) - known
        best = min(mean_distance(distances, known | {each}) for each in others)
        known.add(index)
        assert after == pytest.approx(mean_distance(distances, known)) == pytest.approx(best)
    assert found.objects == found.indices.tolist()
    if len(found) < n:  # what is left coincides with what has a label
        assert found.mean_distance[-1] == pytest.approx(0.0, abs=1e-9 * distances.max())


@fast
@given(metric_matrices(min_size=3, max_size=7), st.integers(1, 3))
def test_the_decrease_is_near_the_best_one(distances, n):
    start = mean_distance(distances, {0})
    found = wb.label_next(distances, "precomputed", n, labelled=[0])
    others, count = range(1, len(distances)), min(n, len(distances) - 1)
    best = min(mean_distance(distances, {0, *some}) for some in combinations(others, count))
    assert start - found.mean_distance[-1] >= (1 - 1 / e) * (start - best) - 1e-9 * start


@fast
@given(words)
def test_units_do_not_matter_and_flags_are_positions(strings):
    flags = np.arange(len(strings)) % 3 == 0
    plain = wb.label_next(strings, "levenshtein", 2, labelled=np.flatnonzero(flags))
    scaled = wb.label_next(strings, wb.transforms.scale("levenshtein", 0.37), 2, labelled=flags)
    assert plain.indices.tolist() == scaled.indices.tolist()
    np.testing.assert_allclose(scaled.mean_distance, 0.37 * plain.mean_distance)
    assert plain.objects == [strings[i] for i in plain.indices]


def test_where_memory_is_short_some_objects_are_candidates():
    points = np.random.default_rng(0).normal(size=(400, 2))
    few = wb.label_next(points, n=3, labelled=[0], max_memory="100kB")
    again = wb.label_next(points, n=3, labelled=[0], max_memory="100kB")
    assert few.indices.tolist() == again.indices.tolist()
    best = wb.label_next(points, n=3, labelled=[0])
    assert best.mean_distance[-1] <= few.mean_distance[-1] < 0.8 * few.mean_distance[0]


def test_a_space_and_an_empty_list_of_labels_will_do():
    drinks = ["tea", "teas", "rum", "rums", "rumba"]
    space = wb.MetricSpace(drinks, "levenshtein")
    plain = wb.label_next(drinks, "levenshtein", 2)
    assert wb.label_next(space.index, space.metric, 2, labelled=[]).indices.tolist() == (
        plain.indices.tolist()
    )
    assert str(plain).startswith("label these next: 2 ('rum'), 0 ('tea')\nThe mean distance to the")
    nothing = wb.label_next(["tea", "tea"], "levenshtein", 2, labelled=[0])
    assert str(nothing).startswith("label these next: none\n")


@pytest.mark.parametrize(
    ("settings_", "told"),
    [
        ({"n": 0}, r"n=0 is no number of labels"),
        ({"labelled": [5]}, r"which of 3 objects.*positions in X"),
        ({"labelled": [-1]}, r"which of 3 objects"),
        ({"labelled": [True, False]}, r"which of 3 objects.*bool and shape \(2,\)"),
        ({"labelled": ["tea"]}, r"which of 3 objects"),
    ],
)
def test_what_does_not_fit_is_told(settings_, told):
    with pytest.raises(InvalidInput, match=told):
        wb.label_next(["tea", "tee", "rum"], "levenshtein", **settings_)
