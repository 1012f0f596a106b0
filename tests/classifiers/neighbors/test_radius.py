"""The radius of a vote of neighbours: all sets of neighbours tried, every object within it asked,
and the plain laws.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers import votes
from sklearn.datasets import load_iris
from strategies import metric_matrices

import wideberth
from wideberth import NeighborsClassifier
from wideberth.errors import NotCertified
from wideberth.metrics.precomputed import Precomputed


@st.composite
def labelled_spaces(draw, max_size=8):
    """A finite metric space, some of its objects with classes to learn from, and a number of
    neighbours.
    """
    matrix = draw(metric_matrices(min_size=4, max_size=max_size))
    known = np.array(
        draw(
            st.lists(st.integers(0, len(matrix) - 1), min_size=3, max_size=len(matrix), unique=True)
        )
    )
    codes = np.array(draw(st.lists(st.integers(0, 2), min_size=len(known), max_size=len(known))))
    return matrix, known, codes, draw(st.integers(1, len(known)))


def fitted(matrix, known, codes, k, weights=None):
    return NeighborsClassifier(Precomputed(matrix, obeys_triangle=True), n_neighbors=k).fit(
        known, codes, weights
    )


def assert_nothing_within_changes(model, matrix):
    everything = np.arange(len(matrix))
    answers, radii = model.predict(everything), model.certified_radius(everything)
    for x in everything:
        assert (answers[matrix[x] < radii[x]] == answers[x]).all()


@given(labelled_spaces())
@settings(max_examples=120, deadline=None)
def test_radii_equal_the_least_change_over_all_sets_of_neighbours(space):
    matrix, known, codes, k = space
    model = fitted(matrix, known, codes, k)
    answers = model.predict(np.arange(len(matrix)))
    expected = [
        votes.radius(row[known], codes, k, int(winner))
        for row, winner in zip(matrix, answers, strict=True)
    ]
    np.testing.assert_allclose(
        model.certified_radius(np.arange(len(matrix))), expected, rtol=1e-9, atol=1e-9
    )


@given(labelled_spaces(max_size=14), st.data())
@settings(max_examples=120, deadline=None)
def test_no_object_of_a_metric_space_within_the_radius_gets_another_label(space, data):
    matrix, known, codes, k = space
    assert_nothing_within_changes(fitted(matrix, known, codes, k), matrix)
    assert_nothing_within_changes(fitted(0.37 * matrix, known, codes, k), 0.37 * matrix)
    weights = np.array(
        data.draw(
            st.lists(
                st.sampled_from([0.1, 0.3, 0.7, 1, 2.5]), min_size=len(known), max_size=len(known)
            )
        )
    )
    if weights.sum() >= 1:
        assert_nothing_within_changes(
            fitted(matrix, known, codes, min(k, int(weights.sum())), weights), matrix
        )


@given(
    labelled_spaces(max_size=14),
    st.lists(st.sampled_from([0.3, 1, 2, 2.5]), min_size=3, max_size=3),
)
@settings(max_examples=120, deadline=None)
def test_nothing_within_the_radius_changes_a_vote_with_weights_of_classes(space, weights):
    matrix, known, codes, k = space
    total = int(np.array(weights)[codes].sum())
    if total >= 1:
        classes = {code: weights[code] for code in np.unique(codes).tolist()}
        metric = Precomputed(matrix, obeys_triangle=True)
        model = NeighborsClassifier(metric, n_neighbors=min(k, total), class_weight=classes).fit(
            known, codes
        )
        assert_nothing_within_changes(model, matrix)
        weighted = fitted(matrix, known, codes, min(k, total), np.array(weights)[codes])
        asked = np.arange(len(matrix))
        np.testing.assert_array_equal(
            model.certified_radius(asked), weighted.certified_radius(asked)
        )


@given(labelled_spaces(), st.data())
@settings(max_examples=60, deadline=None)
def test_whole_weights_are_repetitions(space, data):
    matrix, known, codes, k = space
    weights = np.array(
        data.draw(st.lists(st.integers(1, 3), min_size=len(known), max_size=len(known)))
    )
    weighted = fitted(matrix, known, codes, k, weights)
    repeated = fitted(matrix, np.repeat(known, weights), np.repeat(codes, weights), k)
    asked = np.arange(len(matrix))
    np.testing.assert_allclose(
        weighted.certified_radius(asked), repeated.certified_radius(asked), atol=1e-9
    )


def test_one_neighbour_has_half_the_lead_and_bisectors_in_euclidean_space():
    points, labels = load_iris(return_X_y=True)
    known, asked = slice(0, None, 2), slice(1, None, 2)
    distances = wideberth.pairwise_distances(points[asked], points[known], metric="manhattan")
    rivals = labels[known] != labels[known][distances.argmin(axis=1)][:, None]
    lead = np.where(rivals, distances, np.inf).min(axis=1) - distances.min(axis=1)
    model = NeighborsClassifier("manhattan", n_neighbors=1).fit(points[known], labels[known])
    np.testing.assert_allclose(model.certified_radius(points[asked]), lead / 2, atol=1e-9)
    euclidean = NeighborsClassifier(n_neighbors=1).fit(points[known], labels[known])
    general = NeighborsClassifier(wideberth.metric("minkowski", p=2), n_neighbors=1).fit(
        points[known], labels[known]
    )
    wider, plain = (
        euclidean.certified_radius(points[asked]),
        general.certified_radius(points[asked]),
    )
    assert (wider >= plain - 1e-7).all()
    assert wider.mean() > 1.1 * plain.mean()


@pytest.mark.parametrize("k", [2, 3, 10, 75])
def test_it_does_not_matter_how_many_neighbours_are_seen_first(k, monkeypatch):
    points, labels = load_iris(return_X_y=True)
    model = NeighborsClassifier("manhattan", n_neighbors=k).fit(points, labels)
    few = model.certified_radius(points)
    monkeypatch.setattr("wideberth.classifiers.neighbors.classifier._FIRST", 1000)  # all at once
    np.testing.assert_allclose(model.certified_radius(points), few, atol=1e-9)
    assert few.max() > 0


def test_names_keep_their_labels_under_random_edits():
    names, sexes = (each[::60] for each in wideberth.datasets.load_first_names())
    model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(names, sexes)
    radii, answers = model.certified_radius(names), model.predict(names)
    assert (radii > 1).any()
    generator = np.random.default_rng(0)
    for name, radius, answer in zip(names, radii, answers, strict=True):
        if 1 < radius < np.inf:
            places = generator.integers(0, len(name) + 1, 20)
            edited = [
                name[:place] + "aeinrs"[place % 6] + name[place + place % 2 :] for place in places
            ]
            assert (model.predict(edited) == answer).all()


def test_everything_votes_and_nothing_can_change():
    model = NeighborsClassifier(n_neighbors=3).fit([[0.0], [1.0], [5.0]], ["low", "low", "up"])
    assert np.isinf(model.certified_radius([[9.0]])).all()
    alone = NeighborsClassifier("levenshtein", n_neighbors=2).fit(["tea", "tee"], ["soft", "soft"])
    assert np.isinf(alone.certified_radius(["rum"])).all()


def test_without_the_triangle_inequality_there_is_no_radius():
    warped = NeighborsClassifier("dtw", n_neighbors=1).fit(
        [[0.0, 1.0], [2.0], [5.0, 1.0]], [0, 1, 1]
    )
    with pytest.raises(NotCertified, match="'dtw' does not obey") as refused:
        warped.certified_radius([[0.0]])
    assert refused.value.missing == "obeys_triangle"
    assert warped.summary().endswith(f"\nNo radius is certified. {refused.value}")
    with pytest.raises(NotCertified, match="'precomputed' does not promise"):
        NeighborsClassifier("precomputed", n_neighbors=1).fit(
            [[0, 1], [1, 0]], [0, 1]
        ).certified_radius([[0, 1]])


@pytest.mark.kernels
def test_the_narrowest_gap_is_found_by_two_places():
    from wideberth.classifiers.neighbors.kernels import shortest_flips

    distances = np.array([[0.0, 1.0, 4.0, 6.0], [1.0, 2.0, 3.0, 9.0]])
    voters = np.array([[0, 0, 1, 1], [0, 1, 0, 2]])
    about = np.ones((2, 4)), np.zeros(2, dtype=np.int64), 3
    np.testing.assert_allclose(
        shortest_flips(distances, voters, *about, 3.0, 0.5, True), [5.0, 6.0]
    )  # 9 instead of 3 lets class 1 tie
    np.testing.assert_allclose(
        shortest_flips(distances, voters, *about, 1.0, 0.5, True), [4.0, 1.0]
    )
