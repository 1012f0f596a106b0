"""Mahalanobis distance: equal to its definition, learned from a sample, clear about covariances it
refuses.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.vectors import mahalanobis
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.covariance import LedoitWolf
from strategies import vectors_in_all_directions

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.vectors.mahalanobis import Mahalanobis

CORRELATED = np.array([[4.0, 1.0], [1.0, 2.0]])
ROWS = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0], [2.0, 2.0]])


@pytest.mark.kernels
def test_block_equals_the_definition():
    expected = [[mahalanobis(one, other, CORRELATED) for other in ROWS[1:]] for one in ROWS]
    np.testing.assert_allclose(Mahalanobis(CORRELATED).block(ROWS, ROWS[1:]), expected, rtol=1e-12)


@given(rows=vectors_in_all_directions())
@settings(deadline=None, max_examples=40)
def test_learned_from_a_sample_it_equals_scipy(rows):
    metric = Mahalanobis().fitted(rows)
    distances = metric.block(rows, rows)
    inverse = np.linalg.inv(np.atleast_2d(np.cov(rows, rowvar=False)))
    np.testing.assert_allclose(
        distances, cdist(rows, rows, "mahalanobis", VI=inverse), rtol=1e-7, atol=1e-9
    )
    np.testing.assert_array_equal(distances, distances.T)
    check_metric(metric, rows)


@given(rows=vectors_in_all_directions(), scale=st.floats(1e-6, 1e6))
@settings(deadline=None, max_examples=20)
def test_units_do_not_matter(rows, scale):
    scales = np.geomspace(scale, 1 / scale, rows.shape[1])
    np.testing.assert_allclose(
        Mahalanobis().fitted(rows * scales).block(rows * scales, rows * scales),
        Mahalanobis().fitted(rows).block(rows, rows),
        rtol=1e-6,
        atol=1e-9,
    )


def test_rows_and_blocks_give_the_same_bits():
    rows = np.random.default_rng(0).normal(size=(40, 30)) + 100
    metric = Mahalanobis().fitted(rows)
    whole = metric.block(rows, rows)
    np.testing.assert_array_equal(
        np.vstack([metric.block(rows[i : i + 1], rows) for i in range(40)]), whole
    )
    np.testing.assert_array_equal(metric.block(np.asfortranarray(rows), rows), whole)
    np.testing.assert_array_equal(np.diag(whole), 0)


def test_a_given_covariance_is_kept():
    metric = Mahalanobis(CORRELATED)
    assert metric.fitted(ROWS) is metric
    assert clone(metric).covariance.tolist() == CORRELATED.tolist()
    assert Mahalanobis([[1.0]]).covariance == [[1.0]]


def test_it_learns_in_a_classifier_and_survives_a_file(tmp_path):
    rows = np.random.default_rng(0).normal(size=(40, 3)) @ np.diag([1.0, 10.0, 100.0])
    labels = (rows[:, 0] > 0).astype(int)
    model = wideberth.NeighborsClassifier("mahalanobis", n_neighbors=1).fit(rows, labels)
    np.testing.assert_allclose(model.metric_.covariance, np.cov(rows, rowvar=False))
    wideberth.save(model, tmp_path / "model.wb")
    again = wideberth.load(tmp_path / "model.wb")
    new = rows + 0.1
    assert again.predict(new).tolist() == model.predict(new).tolist()


def test_without_a_covariance_it_says_so():
    with pytest.raises(InvalidInput, match=r"no covariance yet.*fitted\(objects\)"):
        Mahalanobis().block(ROWS, ROWS)
    assert Mahalanobis().fitted(ROWS).block(ROWS, ROWS).shape == (4, 4)


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        ([1.0, 2.0], "square matrix of finite numbers"),
        ("wide", "square matrix of finite numbers, not 'wide'"),
        ([[1.0, 2.0]], "square matrix"),
        ([[np.nan]], "finite"),
        ([], "square matrix"),
        ([[1.0, 0.5], [0.4, 1.0]], r"entry \(0, 1\) is 0.5 and entry \(1, 0\) is 0.4"),
        ([[1.0, 0.0], [0.0, -2.0]], "feature 1 has -2"),
        ([[1.0, 2.0], [2.0, 1.0]], "the eigenvalue -1"),
        ([[1.0, 1.0], [1.0, 1.0]], "the eigenvalue"),
    ],
)
def test_refused_covariances(covariance, message):
    with pytest.raises(InvalidInput, match=message):
        Mahalanobis(covariance)


def test_advice_for_two_triangles_works():
    matrix = np.array([[1.0, 0.5], [0.4, 1.0]])
    assert Mahalanobis((matrix + matrix.T) / 2)([0, 0], [0, 0]) == 0


def test_a_constant_feature_is_named_and_dropping_it_helps():
    rows = np.column_stack([ROWS, np.full(4, 0.1)])
    with pytest.raises(InvalidInput, match=r"feature 2 is 0.1 in all of them\. Drop it") as refused:
        Mahalanobis().fitted(rows)
    assert wideberth.diagnose(
        np.delete(rows, refused.value.witness, axis=1), "mahalanobis"
    ).is_metric


def test_features_that_follow_from_others_are_refused_and_shrinkage_helps():
    rows = np.column_stack([ROWS, ROWS.sum(axis=1)])
    with pytest.raises(
        InvalidInput,
        match=r"4 objects of 3 features is singular: its correlations have the eigenvalue",
    ):
        Mahalanobis().fitted(rows)
    shrunk = Mahalanobis(LedoitWolf().fit(rows).covariance_)
    check_metric(shrunk, rows)
    with pytest.raises(
        InvalidInput, match=r"two vectors at least, not from an array of shape \(1, 3\)"
    ):
        Mahalanobis().fitted(rows[:1])
    with pytest.raises(InvalidInput, match=r"not from an array of shape \(4, 0\)"):
        Mahalanobis().fitted(rows[:, :0])


def test_huge_and_tiny_variances_go_together():
    assert Mahalanobis([[1e308, 0.0], [0.0, 1e-300]])([0, 0], [0, 1e-150]) == pytest.approx(1)


def test_the_features_must_be_those_of_the_covariance():
    with pytest.raises(
        InvalidInput, match="A covariance of 2 features does not fit vectors of 3 numbers"
    ):
        Mahalanobis(CORRELATED).block(np.zeros((1, 3)), np.zeros((1, 3)))
