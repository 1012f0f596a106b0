"""Greedy matching: equal to the sorted list of all pairs, lawful, and cheap."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.matching import greedy_matching as sorted_matching
from oracles.classifiers.matching import weighted_matching
from scipy.spatial.distance import cdist
from strategies import metric_matrices, vectors

import wideberth
from wideberth.classifiers.margin_neighbors import vertex_cover
from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
from wideberth.errors import InvalidInput
from wideberth.geometry.search import kdtree

fast = settings(deadline=None, max_examples=60)
rng = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True, params=["sorted pairs", "searches"])
def way(request):
    """The objects of all tests are few; they are matched as few, and then like many, in trees and
    by lists.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "searches":
            patch.setattr(vertex_cover, "FEW_OBJECTS", 0)
            patch.setattr(kdtree, "FEW_POINTS", 0)
        yield


def as_list(found):
    return list(
        zip(found.distances.tolist(), found.first.tolist(), found.second.tolist(), strict=True)
    )


def labelled(space):
    return st.tuples(
        space,
        st.lists(st.integers(0, 2), min_size=40, max_size=40),
        st.sampled_from([0.0, 1.0, 3.0, np.inf]),
    )


def with_amounts(found):
    return [
        (*pair, amount) for pair, amount in zip(as_list(found), found.amounts.tolist(), strict=True)
    ]


def of_matrix(distances, labels, **options):
    table = wideberth.metric("precomputed", distances=distances, obeys_triangle=True)
    return greedy_matching(np.arange(len(distances)), labels, table, **options)


def matcher(objects, points):
    """Matches points as they are, or as numbers of rows in the matrix of their distances."""
    return (
        partial(greedy_matching, points)
        if objects == "points"
        else partial(of_matrix, cdist(points, points))
    )


@pytest.fixture
def short_lists(monkeypatch):
    """Lists so short that they are exhausted all the time."""
    monkeypatch.setattr(vertex_cover, "LIST_LENGTH", 2)
    monkeypatch.setattr(vertex_cover, "FIRST_RENEWALS", 2)


@fast
@given(labelled(metric_matrices(max_size=15)))
def test_any_metric_equals_the_sorted_pairs(case):
    distances, labels, up_to = case
    labels = labels[: len(distances)]
    assert as_list(of_matrix(distances, labels, up_to=up_to)) == sorted_matching(
        distances, labels, up_to
    )


@pytest.mark.usefixtures("short_lists")
@pytest.mark.kernels
@pytest.mark.parametrize("largest", [0, 1, 3, 1000])
@pytest.mark.parametrize("classes", [1, 2, 5])
def test_lists_that_are_too_short(largest, classes):
    distances = np.triu(rng.integers(0, largest + 1, size=(40, 40)), 1).astype(float)
    distances += distances.T
    labels = rng.integers(0, classes, 40)
    one_large_class = np.where(np.arange(40) % 5, 0, labels)
    for up_to, each in product((np.inf, 1.0), (labels, one_large_class)):
        assert as_list(of_matrix(distances, each, up_to=up_to)) == sorted_matching(
            distances, each, up_to
        )


@fast
@given(labelled(vectors(min_size=1, max_size=40)), st.sampled_from(["euclidean", "manhattan"]))
def test_vectors_equal_the_sorted_pairs(case, metric):
    points, labels, up_to = case
    points, labels = np.round(points / 20), labels[: len(points)]
    distances = wideberth.metric(metric).block(points, points)
    assert as_list(greedy_matching(points, labels, metric, up_to=up_to)) == sorted_matching(
        distances, labels, up_to
    )


@pytest.mark.kernels
@pytest.mark.parametrize("up_to", [np.inf, 0.3])
def test_tree_on_a_few_points(up_to):
    points = np.round(rng.normal(size=(40, 2)), 1)
    labels = rng.integers(0, 3, 40)
    assert as_list(greedy_matching(points, labels, up_to=up_to)) == sorted_matching(
        cdist(points, points), labels, up_to
    )


def chain_of(n):
    """Points on a line, each nearer to the next than to the one before."""
    return np.cumsum(0.9 ** np.arange(n))[:, None], np.arange(n) % 2


@pytest.mark.kernels
@pytest.mark.parametrize("objects", ["points", "numbers"])
def test_a_long_chain(objects):
    points, labels = chain_of(150)
    distances = cdist(points, points)
    assert as_list(matcher(objects, points)(labels)) == sorted_matching(distances, labels)


@pytest.mark.slow
def test_vectors_of_many_dimensions_go_to_lists():
    points, labels = rng.normal(size=(1_010, 40)), rng.integers(0, 3, 1_010)
    distances = cdist(points, points)
    assert as_list(greedy_matching(points, labels)) == sorted_matching(distances, labels)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_words_in_little_memory(n_jobs):
    words = ["".join(rng.choice(list("abc"), size=rng.integers(1, 5))) for _ in range(300)]
    labels = rng.choice(["x", "y", "z"], size=300)
    distances = wideberth.metric("levenshtein").block(words, words)
    found = greedy_matching(words, labels, "levenshtein", max_memory=50_000, n_jobs=n_jobs)
    assert as_list(found) == sorted_matching(distances, labels)


def test_equal_objects_with_different_labels_come_first():
    found = greedy_matching(["tea", "rum", "tea", "tea", "rye"], [0, 1, 1, 0, 0], "levenshtein")
    assert as_list(found)[0] == (0.0, 0, 2)
    assert found.at(0.0) == 0
    assert found.at(1e-300) == 1


@pytest.mark.kernels
def test_a_slightly_asymmetric_distance_still_ends():
    skew = rng.integers(1, 4, size=(60, 60)).astype(float)
    found = of_matrix(skew, rng.integers(0, 2, 60))
    assert len(found) >= 20


@pytest.mark.parametrize("n", [0, 1, 2])
def test_next_to_nothing(n):
    for labels in (["x"] * n, list("xyz")[:n]):
        found = greedy_matching(np.zeros((n, 2)), labels)
        assert len(found) == (len(set(labels)) == 2)
        assert found.n_objects == n


# ---- weights -------------------------------------------------------------------------------------

capacities = st.lists(st.integers(0, 4), min_size=40, max_size=40)


def assert_weighted(found, distances, labels, weights, up_to):
    pairs, ends = weighted_matching(distances, labels, weights, up_to)
    assert with_amounts(found) == pairs
    assert found.exhausted().tolist() == ends


@fast
@given(labelled(metric_matrices(max_size=15)), capacities)
def test_weights_in_any_metric(case, weights):
    distances, labels, up_to = case
    labels, weights = labels[: len(distances)], weights[: len(distances)]
    assert_weighted(
        of_matrix(distances, labels, weights=weights, up_to=up_to),
        distances,
        labels,
        weights,
        up_to,
    )


@fast
@given(labelled(vectors(min_size=1, max_size=40)), capacities)
def test_weights_of_vectors(case, weights):
    points, labels, up_to = case
    points, labels, weights = np.round(points / 20), labels[: len(points)], weights[: len(points)]
    found = greedy_matching(points, labels, weights=weights, up_to=up_to)
    assert_weighted(found, cdist(points, points), labels, weights, up_to)


@fast
@given(
    metric_matrices(max_size=9), capacities, st.lists(st.integers(0, 2), min_size=11, max_size=11)
)
def test_whole_weights_are_repetitions_at_every_threshold(distances, weights, labels):
    n = len(distances)
    weights, labels = np.array(weights[:n]), np.array(labels[:n])
    copies = np.repeat(np.arange(n), weights)
    weighted = of_matrix(distances, labels, weights=weights)
    repeated = of_matrix(distances[np.ix_(copies, copies)], labels[copies])
    for threshold in [
        *np.unique(distances).tolist(),
        *(np.unique(distances) + 0.5).tolist(),
        np.inf,
    ]:
        total = weighted.amounts[: weighted.at(threshold)].sum()
        assert total == repeated.at(threshold)
        gone = [bool((repeated.exhausted()[copies == i] < threshold).all()) for i in range(n)]
        assert (weighted.exhausted() < threshold).tolist() == gone


@pytest.mark.usefixtures("short_lists")
@pytest.mark.kernels
@pytest.mark.parametrize("objects", ["points", "numbers"])
@pytest.mark.parametrize("heaviest", [1, 3, 50])
def test_few_weighted_objects(objects, heaviest):
    points, labels = np.round(rng.normal(size=(40, 2)), 1), rng.integers(0, 3, 40)
    distances, weights = cdist(points, points), rng.integers(0, heaviest + 1, 40)
    find = matcher(objects, points)
    for up_to in (np.inf, 0.3):
        assert_weighted(
            find(labels, weights=weights, up_to=up_to), distances, labels, weights, up_to
        )


@pytest.mark.kernels
@pytest.mark.parametrize("objects", ["points", "numbers"])
def test_a_long_chain_of_unequal_weights(objects):
    points, labels = chain_of(150)
    distances = cdist(points, points)
    for weights in (np.arange(150) + 1, np.arange(150)[::-1] + 1, rng.integers(1, 9, 150)):
        assert_weighted(
            matcher(objects, points)(labels, weights=weights), distances, labels, weights, np.inf
        )


@pytest.mark.parametrize("objects", ["points", "numbers"])
def test_one_heavy_object_against_many(objects):
    points = rng.normal(size=(300, 2))
    labels, weights = [1] + 299 * [0], np.array([250.0] + 299 * [1.0])
    distances = cdist(points, points)
    found = matcher(objects, points)(labels, weights=weights)
    assert found.second.tolist() == (1 + np.argsort(distances[0, 1:], kind="stable")[:250]).tolist()
    assert found.exhausted()[0] == found.distances[-1]


def test_equal_weights_are_like_none():
    points, labels = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    plain, weighted = (
        greedy_matching(points, labels),
        greedy_matching(points, labels, weights=np.full(60, 0.3)),
    )
    assert as_list(weighted) == as_list(plain)
    assert weighted.exhausted().tolist() == plain.exhausted().tolist()
    assert plain.amounts.tolist() == [1.0] * len(plain)
    assert weighted.amounts.tolist() == [0.3] * len(plain)


@pytest.mark.parametrize("scale", [0.1, 0.37, 1e9])
@pytest.mark.parametrize("objects", ["points", "numbers"])
def test_only_ratios_of_weights_matter(objects, scale):
    points, labels, weights = (
        rng.normal(size=(60, 2)),
        rng.integers(0, 3, 60),
        rng.integers(0, 30, 60),
    )
    find = matcher(objects, points)
    found, scaled = find(labels, weights=weights), find(labels, weights=scale * weights)
    assert as_list(scaled) == as_list(found)
    assert scaled.exhausted().tolist() == found.exhausted().tolist()
    assert np.allclose(scaled.amounts, scale * found.amounts)


def test_what_rounding_leaves_is_nothing():
    found = greedy_matching(
        [[0.0], [1.0], [2.0], [3.0], [4.0]], [1, 0, 0, 0, 0], weights=[0.3, 0.1, 0.1, 0.1, 0.1]
    )
    assert found.exhausted().tolist() == [3.0, 1.0, 2.0, 3.0, np.inf]


@pytest.mark.parametrize("weights", [[], [0.0], [2.0]])
def test_next_to_nothing_with_weights(weights):
    n = len(weights)
    found = greedy_matching(np.zeros((n, 2)), ["x"] * n, weights=weights)
    assert len(found) == 0
    assert found.exhausted().tolist() == [np.inf if weight else -np.inf for weight in weights]
    assert len(greedy_matching(np.zeros((2, 2)), ["x", "y"], weights=[0.0, 0.0])) == 0


# ---- laws ----------------------------------------------------------------------------------------


@fast
@given(labelled(metric_matrices(max_size=12)))
def test_scale_and_names_do_not_matter(case):
    distances, labels, _ = case
    labels = labels[: len(distances)]
    found = of_matrix(distances, labels)
    scaled = of_matrix(0.37 * distances, labels)
    renamed = of_matrix(distances, [f"class {-label}" for label in labels])
    assert as_list(renamed) == as_list(found)
    assert scaled.first.tolist() == found.first.tolist()
    assert scaled.second.tolist() == found.second.tolist()


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_order_does_not_matter(metric):
    points, labels = rng.normal(size=(80, 2)), rng.integers(0, 3, 80)
    order = rng.permutation(80)
    find = (
        greedy_matching
        if metric == "euclidean"
        else lambda points, labels: of_matrix(cdist(points, points), labels)
    )
    found, shuffled = find(points, labels), find(points[order], labels[order])
    assert shuffled.distances.tolist() == found.distances.tolist()
    pairs = {
        frozenset(pair) for pair in zip(found.first.tolist(), found.second.tolist(), strict=True)
    }
    assert {
        frozenset(order[list(pair)].tolist())
        for pair in zip(shuffled.first, shuffled.second, strict=True)
    } == pairs


@fast
@given(labelled(metric_matrices(max_size=12)))
def test_every_threshold_has_a_maximal_matching(case):
    distances, labels, threshold = case
    labels = np.array(labels[: len(distances)])
    found = of_matrix(distances, labels)
    pairs = found.at(threshold)
    matched = np.concatenate([found.first[:pairs], found.second[:pairs]])
    assert len(np.unique(matched)) == 2 * pairs
    conflict = (distances < threshold) & (labels[:, None] != labels)
    conflict[matched] = conflict[:, matched] = False
    assert not conflict.any()


@fast
@given(labelled(metric_matrices(max_size=12)))
def test_a_limit_only_cuts_off_the_end(case):
    distances, labels, up_to = case
    labels = labels[: len(distances)]
    assert as_list(of_matrix(distances, labels, up_to=up_to)) == [
        pair for pair in as_list(of_matrix(distances, labels)) if pair[0] <= up_to
    ]


# ---- cost ----------------------------------------------------------------------------------------


def test_few_distances_in_the_plane():
    labels = rng.integers(0, 4, 20_000)
    points = rng.normal(size=(20_000, 2)) + labels[:, None] * [1.0, 0.0]
    found = greedy_matching(points, labels)
    assert found.distance_calls <= 60 * len(points)
    near = greedy_matching(points, labels, up_to=0.001)
    assert as_list(near) == as_list(found)[: len(near)]
    assert near.distance_calls < found.distance_calls / 5
    weighted = greedy_matching(points, labels, weights=rng.random(20_000))
    assert weighted.distance_calls <= 120 * len(points)


@pytest.mark.parametrize("values", [1, 3])
def test_ties_cost_about_as_much_as_all_pairs(values):
    n = 600
    distances = np.triu(rng.integers(1, values + 1, size=(n, n)), 1).astype(float)
    found = of_matrix(distances + distances.T, rng.integers(0, 2, n))
    assert found.distance_calls <= n * n


def test_every_pair_is_measured_once_if_lists_suffice():
    words = ["".join(rng.choice(list("abcdefgh"), size=8)) for _ in range(20)]
    assert greedy_matching(words, [0] * 12 + [1] * 8, "levenshtein").distance_calls == 12 * 8


def test_every_object_needs_a_label():
    with pytest.raises(InvalidInput, match="2 objects and 1 labels"):
        greedy_matching([[0.0], [1.0]], [0])
