"""Distances between sets of objects: their definitions, promises, models and files."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import point_sets

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.transforms.sets_of_objects import MembersSample, SetsOfObjects

bags = st.lists(st.lists(st.text("ab", max_size=3), min_size=1, max_size=4), min_size=3, max_size=6)
SHELVES = [
    {"tea", "rum"},
    {"tee", "rum"},
    ["tea"],
    ("gin", "gym", "gin"),
    {"rom"},
    {"cocoa", "cola"},
    ["coca"],
    ["latte", "tea"],
]
KINDS = ["a", "a", "a", "b", "a", "c", "c", "c"]


def slow(one, other, metric, how):
    there = [min(metric(a, b) for b in other) for a in one]
    back = [min(metric(a, b) for a in one) for b in other]
    return (
        max(there + back)
        if how == "hausdorff"
        else (sum(there) / len(there) + sum(back) / len(back)) / 2
    )


@pytest.mark.parametrize("how", ["hausdorff", "average"])
@given(some=bags)
@settings(max_examples=30, deadline=None)
def test_it_equals_the_definition(how, some):
    inner = wideberth.metric("levenshtein")
    metric = transforms.sets(inner, how)
    expected = [[slow(one, other, inner, how) for other in some] for one in some]
    np.testing.assert_allclose(metric.block(some, some), expected, rtol=1e-12)
    check_metric(metric, some)
    assert not wideberth.diagnose(some, metric).broken_promises


@given(points=point_sets())
@settings(max_examples=20, deadline=None)
def test_points_in_space_are_a_special_case(points):
    expected = wideberth.metric("hausdorff").block(points, points)
    np.testing.assert_allclose(
        transforms.sets("euclidean").block(points, points), expected, rtol=1e-12
    )


def test_what_is_promised():
    farthest, mean = transforms.sets("levenshtein"), transforms.sets("levenshtein", how="average")
    assert (farthest.obeys_triangle, farthest.step, farthest.bounded, farthest.separates) == (
        True,
        1,
        False,
        False,
    )
    assert (mean.obeys_triangle, mean.step, mean.hilbertian) == (False, None, False)
    assert mean(["a"], ["a", "b"]) + mean(["a", "b"], ["b"]) < mean(["a"], ["b"])
    assert transforms.sets("dtw").obeys_triangle is False
    assert transforms.sets("jaccard").negative_type is None


@pytest.mark.filterwarnings("ignore:.*triangle")
@pytest.mark.parametrize(
    ("metric", "objects"),
    [
        (transforms.sets("levenshtein"), SHELVES),
        (transforms.sets("ngrams", how="average"), SHELVES),
        (
            transforms.sets("standardized"),
            [np.random.default_rng(seed).normal(size=(seed % 3 + 1, 2)) for seed in range(8)],
        ),
        (transforms.sets("msm"), [[[0, 1], [1, 2, seed]] for seed in range(8)]),
        (transforms.cap(transforms.sets("levenshtein"), 3), SHELVES),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_models_are_saved_and_spaces_measure_them(metric, objects, tmp_path):
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1).fit(objects, KINDS)
    wideberth.save(model, tmp_path / "model.wb")
    loaded = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(
        loaded.decision_function(objects), model.decision_function(objects)
    )
    space = wideberth.MetricSpace(objects, metric)
    np.testing.assert_array_equal(
        space.metric.block(space.index, space.index), metric.fitted(objects).block(objects, objects)
    )
    assert model.learned_from_.metric_learned is (metric.fitted(objects) is not metric)


def test_what_is_no_set_is_refused():
    metric = transforms.sets("levenshtein")
    for wrong, message in (
        ("tea", "Object 1 is no set of objects: 'tea'"),
        ([], "Set 1 is empty"),
        (3, "no set of objects"),
    ):
        with pytest.raises(InvalidInput, match=message):
            metric.prepare([["tea"], wrong])
    with pytest.raises(InvalidInput, match="needs a Metric on objects"):
        SetsOfObjects("levenshtein")
    with pytest.raises(InvalidInput, match="how='largest' compares no sets"):
        transforms.sets("levenshtein", how="largest")
    assert metric.block([], SHELVES).shape == (0, 8)
    for plain in (
        {},
        {"members": ["a"], "starts": np.array([0, 2])},
        {"members": ["a"], "starts": np.array([0, 0, 1])},
    ):
        with pytest.raises(ValueError, match="where their sets begin"):
            MembersSample.from_plain(plain)
