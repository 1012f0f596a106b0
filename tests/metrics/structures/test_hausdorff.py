"""Hausdorff distance: equal to its definition and to scipy, on sets of any number of points."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.distances import minkowski
from oracles.metrics.hausdorff import hausdorff
from scipy.spatial.distance import directed_hausdorff
from strategies import point_sets

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.structures.point_sets import Hausdorff, PointSetSample, prepare_point_sets

GROUNDS = {"euclidean": 2, "manhattan": 1, "chebyshev": np.inf}
SHAPES = [[[0, 0], [1, 0], [0, 1]], [[0, 0]], [[3, 4], [1, 0]], [[0, 0], [1, 3], [1, 4], [2, 2]]]
fast = settings(deadline=None, max_examples=50)


def expected(ground, left, right):
    distance = partial(minkowski, p=GROUNDS[ground])
    return [[hausdorff(one, other, distance) for other in right] for one in left]


def by_scipy(one, other):
    return max(directed_hausdorff(one, other)[0], directed_hausdorff(other, one)[0])


@pytest.mark.kernels
@pytest.mark.parametrize("ground", GROUNDS)
def test_few_sets_equal_the_definition(ground):
    np.testing.assert_allclose(
        Hausdorff(ground).block(SHAPES, SHAPES[1:]),
        expected(ground, SHAPES, SHAPES[1:]),
        rtol=1e-12,
    )


@fast
@given(sets=point_sets(), ground=st.sampled_from(list(GROUNDS)))
def test_random_sets_equal_the_definition(sets, ground):
    distances = Hausdorff(ground).block(sets, sets)
    np.testing.assert_allclose(distances, expected(ground, sets, sets), rtol=1e-12)
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0)


def clouds(dimension):
    rng = np.random.default_rng(0)
    return [
        rng.normal(size=(size, dimension)) + 0.5 * rng.normal(size=dimension)
        for size in (1, 7, 60, 200, 90)
    ]


@pytest.mark.parametrize("dimension", [1, 2, 3, 16])
def test_large_sets_equal_scipy(dimension):
    sets = clouds(dimension)
    measured = Hausdorff().block(sets, sets)
    np.testing.assert_allclose(
        measured, [[by_scipy(one, other) for other in sets] for one in sets], rtol=1e-12
    )


@fast
@given(sets=point_sets(), data=st.data())
def test_order_and_repetition_do_not_count(sets, data):
    """Nor do they change a bit of a distance, wherever the search for neighbors begins."""
    turned = [
        np.concatenate([data.draw(st.permutations(list(points))), points[:1]]) for points in sets
    ]
    np.testing.assert_array_equal(Hausdorff().block(turned, sets), Hausdorff().block(sets, sets))


@settings(deadline=None, max_examples=30)
@given(sets=point_sets(), ground=st.sampled_from(list(GROUNDS)))
def test_every_ground_keeps_the_promises(sets, ground):
    check_metric(Hausdorff(ground), sets)
    assert wideberth.diagnose(sets, Hausdorff(ground)).broken_promises == ()


@pytest.mark.parametrize("ground", GROUNDS)
def test_it_breaks_what_it_says_it_breaks(ground):
    witness = [
        [[x], [y], [z]]
        for x, y, z in ((0, 11, 21), (2, 11, 21), (1, 10, 22), (1, 12, 22), (1, 11, 20))
    ]
    weights = np.array([3, 3, -2, -2, -2])
    metric = Hausdorff(ground)
    assert weights @ metric.block(witness, witness) @ weights == 12  # each pair twice
    assert [fact.violated for fact in wideberth.diagnose(witness, metric).spectrum] == [True, True]
    assert metric([[0, 1], [2, 3]], [[2, 3], [0, 1], [2, 3]]) == 0
    assert (metric.hilbertian, metric.negative_type, metric.separates, metric.bounded) == (
        False,
        False,
        False,
        False,
    )


@pytest.mark.parametrize(
    "sets",
    [
        [[[0, 0], [1, 0]], [[0, 2], [1, 0]]],
        (((0, 0), (1, 0)), ((0, 2), (1, 0))),
        np.array([[[0, 0], [1, 0]], [[0, 2], [1, 0]]]),
        np.array([[[0, 0], [1, 0]], [[0, 2], [1, 0]]], dtype=np.float32),
        np.array([[[0, 0], [1, 0]], [[0, 2], [1, 0]]], dtype=object),
        [np.array([[0, 0], [1, 0]]), pd.DataFrame({"x": [0, 1], "y": [2, 0]})],
        pd.Series([[[0, 0], [1, 0]], [[0, 2], [1, 0]]]),
        [np.asfortranarray([[0.0, 0], [1, 0]]), np.array([[0, 2], [1, 0]], dtype=">f8")],
    ],
    ids=["lists", "tuples", "array", "float32", "objects", "frame", "series", "layouts"],
)
def test_sets_come_in_many_forms(sets):
    assert Hausdorff().block(sets, sets)[0, 1] == 2


def test_picking_and_the_model_file_keep_the_sets():
    sample = prepare_point_sets(SHAPES)
    for indices in (slice(1, 3), slice(None, None, -1), [3, 3, 0], slice(2, 2)):
        chosen = np.arange(4)[indices]
        taken = sample.take(indices)
        assert [points.tolist() for points in taken] == [SHAPES[index] for index in chosen]
        assert [points.tolist() for points in PointSetSample.from_plain(taken.plain())] == [
            SHAPES[index] for index in chosen
        ]
    assert Hausdorff().prepare(sample) is sample
    assert PointSetSample.from_plain(prepare_point_sets([]).plain()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"points": np.zeros((3, 0))}, "are needed"),
        ({"points": np.zeros(3)}, "are needed"),
        ({"points": None}, "are needed"),
        ({"points": np.array([["a"]])}, "flat array"),
        ({"starts": np.array([0, 2])}, "do not cut"),
        ({"starts": [0, 3]}, "flat array"),
        ({"starts": None}, "flat array"),
    ],
)
def test_a_broken_model_file_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        PointSetSample.from_plain(prepare_point_sets(SHAPES[:1]).plain() | change)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[[0, 0]], [1, 2]], r"Set 1 has one axis, not two: \[1, 2\]\. .*reshape\(-1, 1\)"),
        ([[[0, 0]], [[1, 2, 3]]], "The points of set 0 have 2 coordinates, those of set 1 have 3"),
        ([[[0, 0]], []], r"Set 1 has no points: \[\]\. Leave it out"),
        ([np.empty((0, 2))], "Set 0 has no points"),
        ([[[0, 0], [1]]], "Set 0 is not a table of numbers"),
        ([[["a", "b"]]], "Set 0 is not a table of numbers"),
        ([None], "Set 0 is not a table of numbers: None"),
        ([np.zeros((2, 2, 2))], r"Set 0 is not a table of numbers: .*shape \(points, dimension\)"),
        ([3.0], r"Set 0 is a single number: 3\.0\. Wrap"),
        (np.zeros((3, 2)), "Set 0 has one axis"),
        ([[[0, 0], [0, np.nan]]], "Set 0 has the coordinate nan in point 1"),
        ([[[np.inf]]], "Set 0 has the coordinate inf in point 0"),
    ],
)
def test_refused_sets_are_named(sets, message):
    with pytest.raises(InvalidInput, match=message):
        prepare_point_sets(sets)


def test_the_advice_works():
    line = np.array([1.0, 2.0])
    assert Hausdorff()(line.reshape(-1, 1), [[2.0]]) == 1
    with pytest.raises(
        InvalidInput, match="Points with 2 coordinates cannot be compared with points with 1"
    ):
        Hausdorff()([[0, 0]], [[0]])
    with pytest.raises(
        InvalidInput,
        match=r"one of euclidean, manhattan, chebyshev, not 'cosine'\. Start with 'euclidean'",
    ):
        Hausdorff(ground="cosine")
    with pytest.raises(InvalidInput, match=r"not \['euclidean'\]"):
        Hausdorff(ground=["euclidean"])


@pytest.mark.kernels
def test_empty_blocks():
    assert Hausdorff().block([], SHAPES).shape == (0, 4)
    assert Hausdorff().block([[[1.0]]], []).shape == (1, 0)
