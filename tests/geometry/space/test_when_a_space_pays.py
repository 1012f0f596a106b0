"""Spaces are made where they pay: each distance once, in the memory that was allowed."""

import numpy as np
import pytest

from wideberth.geometry.space.space import distance_bytes, space_if_it_fits
from wideberth.metrics.named import metric

WORDS = [
    f"{one}{two}" for one in ("tea", "milk", "coffee", "rum") for two in ("", "s", "-cup", " pot")
]
SERIES = [np.sin(np.arange(5) * step) for step in (0.1, 0.2, 0.3, 0.4)]


@pytest.mark.parametrize(
    ("objects", "name", "measured"), [(WORDS, "levenshtein", 16 * 15 // 2), (SERIES, "dtw", 4 * 4)]
)
def test_each_distance_is_measured_once_in_the_memory_announced(objects, name, measured):
    needed = distance_bytes(len(objects), metric(name))
    space = space_if_it_fits(objects, metric(name), max_memory=needed)
    assert space is not None
    twice = [space.metric.block(space.index, space.index) for _ in range(2)]
    np.testing.assert_array_equal(twice[0], metric(name).block(objects, objects))
    np.testing.assert_array_equal(*twice)
    assert space.distance_calls == measured


def test_objects_to_be_appended_count():
    needed = distance_bytes(len(WORDS), metric("levenshtein"))
    assert (
        space_if_it_fits(WORDS[:10], metric("levenshtein"), max_memory=needed, appended=6)
        is not None
    )
    assert (
        space_if_it_fits(WORDS[:10], metric("levenshtein"), max_memory=needed, appended=7) is None
    )


@pytest.mark.parametrize(
    ("objects", "which"),
    [
        (np.eye(3), metric("euclidean")),
        (np.arange(3), metric("precomputed", distances=1 - np.eye(3))),
    ],
)
def test_what_is_looked_up_as_fast_needs_no_space(objects, which):
    assert space_if_it_fits(objects, which, max_memory=10**9) is None
