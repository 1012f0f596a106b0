"""Nets: equal to their definitions, ties and equal objects included, whatever the triangle
inequality spares.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.geometry import nets as slow
from scipy.spatial.distance import cdist
from strategies import metric_matrices

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.measure import blocks
from wideberth.geometry.measure.blocks import CountedSample, OneToMany
from wideberth.geometry.shape.kernels import beyond, cell_radii
from wideberth.geometry.shape.nets import farthest_first, greedy_net
from wideberth.papers.dimension import net_hierarchy

fast = settings(deadline=None, max_examples=60)


def table(distances, obeys_triangle=True):
    return wideberth.metric("precomputed", distances=distances, obeys_triangle=obeys_triangle)


def walk_through(distances, obeys_triangle=True, **options):
    return farthest_first(np.arange(len(distances)), table(distances, obeys_triangle), **options)


@fast
@given(metric_matrices(max_size=9), st.sampled_from([True, None]), st.data())
def test_a_traversal_is_its_definition(distances, obeys_triangle, data):
    n = len(distances)
    start = data.draw(st.integers(0, n - 1))
    walk = walk_through(distances, obeys_triangle, start=start)
    order, insertions = slow.farthest_first(distances, start)
    assert walk.order.tolist() == order
    assert walk.insertions.tolist() == insertions
    nearest = distances[:, walk.order]
    np.testing.assert_array_equal(
        walk.owner, walk.order[nearest.argmin(axis=1)]
    )  # the first among the nearest
    np.testing.assert_array_equal(walk.distances, nearest.min(axis=1))
    assert walk.covering_radius == 0.0


@fast
@given(metric_matrices(max_size=9), st.integers(1, 9), st.sampled_from([0.0, 1.0, 2.5]))
def test_a_traversal_may_stop_early(distances, count, radius):
    whole, part = walk_through(distances), walk_through(distances, count=count, radius=radius)
    wanted = min(count, max(1, int((whole.insertions >= radius).sum())))
    assert part.order.tolist() == whole.order[:wanted].tolist()
    nearest = distances[:, part.order]
    np.testing.assert_array_equal(part.distances, nearest.min(axis=1))
    assert part.covering_radius == nearest.min(axis=1).max()


@fast
@given(metric_matrices(max_size=9), st.sampled_from([0.5, 1.0, 2.0, 3.5]))
def test_prefixes_are_nets(distances, radius):
    net = walk_through(distances).net(radius)
    assert (distances[np.ix_(net, net)][np.triu_indices(len(net), 1)] >= radius).all()
    assert (distances[:, net].min(axis=1) < radius).all()


@fast
@given(metric_matrices(max_size=9), st.sampled_from([0.5, 1.0, 2.0, 3.5]))
def test_a_greedy_net_is_its_definition(distances, radius):
    net = greedy_net(np.arange(len(distances)), table(distances), radius)
    assert net.indices.tolist() == slow.greedy_net(distances, radius)
    near = distances[:, net.indices] < radius
    np.testing.assert_array_equal(net.owner, net.indices[near.argmax(axis=1)])
    np.testing.assert_array_equal(net.distances, distances[np.arange(len(distances)), net.owner])
    assert len(net) == len(net.indices)


@fast
@given(metric_matrices(max_size=9))
def test_scaling_scales(distances):
    walk, shorter = walk_through(distances), walk_through(0.37 * distances)
    np.testing.assert_array_equal(walk.order, shorter.order)
    np.testing.assert_array_equal(0.37 * walk.insertions, shorter.insertions)
    np.testing.assert_array_equal(walk.parents, shorter.parents)


def test_reordering_distinct_distances_reorders_the_traversal():
    points = np.random.default_rng(0).random((60, 3))
    order = np.random.default_rng(1).permutation(60)
    walk = farthest_first(points, start=int(order[0]))
    np.testing.assert_array_equal(order[farthest_first(points[order]).order], walk.order)


@fast
@given(metric_matrices(max_size=9))
def test_every_level_of_the_hierarchy_is_a_net_with_parents(distances):
    walk = walk_through(distances)
    nets = net_hierarchy(walk)
    assert nets.net(0).tolist() == [0]
    assert nets.net(len(nets) - 1).tolist() == walk.order.tolist()
    for level in range(len(nets)):
        net, radius = nets.net(level), nets.radii[level]
        assert (distances[np.ix_(net, net)][np.triu_indices(len(net), 1)] >= radius).all()
        assert distances[:, net].min(axis=1).max() == nets.covering_radii[level] < radius
        parents, gaps = nets.parents(level)
        above = nets.net(max(level - 1, 0))
        np.testing.assert_array_equal(gaps, distances[net][:, above].min(axis=1))
        np.testing.assert_array_equal(gaps, distances[net, parents])
        assert set(parents) <= set(above)
    halvings = np.log2(nets.radii[:-1] / nets.radii[1:])
    assert (halvings >= 1).all()
    assert (halvings == np.round(halvings)).all()


@pytest.mark.kernels
def test_a_small_traversal():
    points = np.random.default_rng(0).integers(0, 6, size=(25, 2)).astype(float)
    walk = farthest_first(points)
    assert walk.order.tolist() == slow.farthest_first(cdist(points, points))[0]


@pytest.mark.kernels
def test_the_passes_over_owners():
    nearest, owner = np.array([0.0, 3.0, 1.0, 2.0]), np.array([0, 0, 1, 1])
    assert cell_radii(nearest, owner, 3).tolist() == [3.0, 2.0, 0.0]
    assert beyond(nearest, owner, np.array([2.0, 2.0, 0.0])).tolist() == [1]


def test_the_triangle_inequality_spares_distances():
    points = np.random.default_rng(0).random((3000, 2))
    spared = farthest_first(points, count=300)
    plain = farthest_first(
        points, wideberth.Metric(wideberth.metric("euclidean").block, accepts="vectors"), count=300
    )
    np.testing.assert_array_equal(spared.order, plain.order)
    np.testing.assert_array_equal(spared.owner, plain.owner)
    assert plain.distance_calls == 300 * 3000
    assert spared.distance_calls < plain.distance_calls / 10


def test_where_nothing_can_be_spared_little_is_lost():
    points = np.random.default_rng(0).normal(size=(400, 60))
    walk = farthest_first(points)
    assert len(walk) == 400
    assert walk.distance_calls < 1.1 * 400 * 400


def test_work_is_cut_where_it_pays_and_gives_the_same(monkeypatch):
    points = np.random.default_rng(0).random((500, 2))
    plain = farthest_first(points, count=50)
    monkeypatch.setattr(blocks, "WORTH_CUTTING", 1e-9)
    cut = farthest_first(points, count=50, n_jobs=2)
    np.testing.assert_array_equal(plain.order, cut.order)
    np.testing.assert_array_equal(plain.distances, cut.distances)
    assert plain.distance_calls == cut.distance_calls


def test_cutting_pauses_where_it_does_not_pay():
    rays = OneToMany(CountedSample([[0.0], [1.0]], "euclidean"))
    assert rays.measure(0, np.empty(0, dtype=np.intp)).shape == (0,)
    for expected in (2, 4, 8):
        rays._learn_whether_pieces_pay(faster=False)
        assert rays._uncut == expected
    rays._learn_whether_pieces_pay(faster=True)
    assert rays._uncut == 0


def test_words():
    walk = farthest_first(["tea", "tee", "coffee", "tea"], "levenshtein")
    assert walk.order.tolist() == [0, 2, 1]
    assert walk.owner.tolist() == [0, 1, 2, 0]
    assert walk.n_objects == 4
    assert greedy_net(["tea", "tee", "coffee"], "levenshtein", 2).indices.tolist() == [0, 2]


def test_a_matrix_stands_for_its_objects():
    assert farthest_first([[0, 2, 5], [2, 0, 4], [5, 4, 0]], "precomputed").order.tolist() == [
        0,
        2,
        1,
    ]


def test_one_object_is_a_net():
    walk = farthest_first(["tea"], "levenshtein")
    assert (walk.order.tolist(), walk.covering_radius) == ([0], 0.0)
    nets = net_hierarchy(walk)
    assert (len(nets), nets.radii.tolist(), nets.covering_radii.tolist()) == (1, [np.inf], [0.0])
    assert nets.parents(0)[0].tolist() == [0]


@pytest.mark.parametrize(
    "options", [{"start": 3}, {"start": -1}, {"radius": -1.0}, {"radius": np.nan}, {"count": 0}]
)
def test_a_traversal_that_cannot_be_is_refused(options):
    with pytest.raises(InvalidInput):
        farthest_first([[0.0], [1.0]], **options)


def test_nothing_cannot_be_traversed():
    with pytest.raises(InvalidInput, match="no objects"):
        farthest_first([], "levenshtein")


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan])
def test_a_net_needs_a_radius(radius):
    with pytest.raises(InvalidInput, match="radius"):
        greedy_net([[0.0], [1.0]], "euclidean", radius)
    with pytest.raises(InvalidInput, match="nets for radii above 0"):
        farthest_first([[0.0], [1.0]]).net(radius)


def test_a_short_traversal_has_no_fine_nets_and_following_the_advice_helps():
    points = [[0.0], [1.0], [5.0]]
    with pytest.raises(InvalidInput, match="Traverse more objects") as refused:
        farthest_first(points, count=2).net(0.5)
    assert refused.value.value == 0.5
    assert len(farthest_first(points).net(0.5)) == 3
