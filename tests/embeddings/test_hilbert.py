"""Classical scaling of objects of any kind: what Hilbertian metrics keep, what others lose, and
scikit-learn's tools.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices, objects_of

import wideberth
from wideberth import HilbertEmbedding
from wideberth.errors import BrokenAxiom, InvalidInput, NotHilbertianWarning

NAMES, SEXES = (column[::60] for column in wideberth.datasets.load_first_names())
POINTS = np.random.default_rng(7).normal(size=(60, 4)) * [9, 5, 2, 1]


@parametrize_with_checks([HilbertEmbedding(), HilbertEmbedding(n_components=None, landmarks=10)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


def test_on_vectors_it_is_principal_components():
    ours, peer = HilbertEmbedding(n_components=3).fit(POINTS[:40]), PCA(3).fit(POINTS[:40])
    found, expected = ours.transform(POINTS), peer.transform(POINTS)
    np.testing.assert_allclose(found * np.sign((found * expected).sum(axis=0)), expected, atol=1e-9)
    np.testing.assert_allclose(ours.explained_share_, peer.explained_variance_ratio_)
    np.testing.assert_allclose(ours.eigenvalues_, peer.singular_values_**2)
    assert ours.negative_part_ == 0
    assert ours.distortion_.upper <= 1 + 1e-9


@pytest.mark.parametrize("name", ["euclidean", "hellinger", "jensen_shannon", "chi2"])
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_hilbertian_metrics_are_kept_and_never_warned_of(name, data):
    objects = data.draw(objects_of[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotHilbertianWarning)
        embedding = HilbertEmbedding(name, n_components=None)
        coordinates = embedding.fit_transform(objects)
    distances = wideberth.pairwise_distances(objects, None, name)
    found = wideberth.pairwise_distances(coordinates)
    np.testing.assert_allclose(found, distances, atol=1e-5 * distances.max())
    assert embedding.negative_part_ == 0


@given(metric_matrices(min_size=4), st.integers(1, 5))
@settings(max_examples=50, deadline=None)
def test_other_metrics_say_what_is_lost(distances, n_components):
    embedding = HilbertEmbedding("precomputed", n_components=n_components)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        coordinates = embedding.fit_transform(distances)
    assert coordinates.shape == (len(distances), n_components)
    assert np.isfinite(coordinates).all()
    assert [warning.category for warning in caught] == [
        NotHilbertianWarning
    ] * embedding.spectrum_.violated
    assert (embedding.negative_part_ > 0) == embedding.spectrum_.violated
    assert embedding.explained_share_.sum() + embedding.negative_part_ <= 1 + 1e-9
    found, apart = wideberth.pairwise_distances(coordinates), distances > 0
    if apart.any():
        assert embedding.distortion_.upper == pytest.approx(
            (found[apart] / distances[apart]).max(), rel=1e-6, abs=1e-6
        )
    np.testing.assert_allclose(embedding.transform(distances), coordinates, atol=1e-9)


def test_the_warning_shows_the_eigenvalues_and_a_way_out():
    grid = [[a, b] for a in range(3) for b in range(3)]
    with pytest.warns(
        NotHilbertianWarning,
        match=r"'manhattan' is not Hilbertian.*eigenvalues of 9.*power\('manhattan', 0.5\)",
    ) as caught:
        embedding = HilbertEmbedding("manhattan").fit(grid)
    assert caught[0].filename == __file__
    assert f"{embedding.negative_part_:.2%}" in str(caught[0].message)
    assert f"{embedding.spectrum_.smallest:.4g}" in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mended = HilbertEmbedding(
            wideberth.transforms.power("manhattan", 0.5), n_components=None
        ).fit(grid)
    assert mended.distortion_.bilipschitz == pytest.approx(1)
    with pytest.warns(NotHilbertianWarning) as caught:
        HilbertEmbedding("levenshtein").fit(NAMES)
    assert "power" not in str(caught[0].message)


def test_a_promise_that_the_objects_refute_is_told():
    liar = wideberth.metric(
        "precomputed", distances=np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]]), hilbertian=True
    )
    with pytest.warns(NotHilbertianWarning):
        HilbertEmbedding(liar).fit([0, 1, 2])


def test_landmarks_span_the_same_space():
    whole = HilbertEmbedding(n_components=None).fit(POINTS)
    few = HilbertEmbedding(n_components=None, landmarks=5).fit(POINTS)
    assert len(set(few.landmarks_)) == 5
    assert len(whole.landmarks_) == 60
    for embedding in (whole, few):
        found = wideberth.pairwise_distances(embedding.transform(POINTS))
        np.testing.assert_allclose(found, wideberth.pairwise_distances(POINTS), atol=1e-6)
        assert embedding.distortion_.bilipschitz == pytest.approx(1)
    np.testing.assert_allclose(clone(few).fit_transform(POINTS), few.transform(POINTS), atol=1e-9)


def test_many_objects_get_landmarks_by_themselves_within_the_memory():
    points = np.random.default_rng(0).normal(size=(1500, 3))
    embedding = HilbertEmbedding(max_memory="1MB").fit(points)
    assert 50 < len(embedding.landmarks_) < 200
    assert embedding.transform(points).shape == (1500, 2)
    with pytest.raises(
        InvalidInput, match=r"scaling of 500 landmarks takes .*max_memory='1MB'.*landmarks=(\d+)"
    ) as error:
        HilbertEmbedding(landmarks=500, max_memory="1MB").fit(points)
    fits = int(error.value.advice.split("landmarks=")[1].split()[0])
    assert len(HilbertEmbedding(landmarks=fits, max_memory="1MB").fit(points).landmarks_) == fits


def test_a_space_and_a_matrix_stand_in_for_the_objects():
    metric = wideberth.transforms.power("jaccard", 0.5)
    bags = [set(name) for name in NAMES]
    expected = np.abs(HilbertEmbedding(metric).fit_transform(bags))
    space = wideberth.MetricSpace(bags, metric)
    np.testing.assert_allclose(
        np.abs(HilbertEmbedding(space.metric).fit_transform(space.index)), expected, atol=1e-9
    )
    distances = wideberth.pairwise_distances(bags, None, metric)
    np.testing.assert_allclose(
        np.abs(HilbertEmbedding("precomputed").fit_transform(distances)), expected, atol=1e-9
    )
    part = HilbertEmbedding("precomputed").fit(distances[:50, :50])
    assert part.transform(distances[50:, :50]).shape == (len(bags) - 50, 2)


def test_scaling_the_metric_scales_the_coordinates():
    one = HilbertEmbedding().fit_transform(POINTS)
    other = HilbertEmbedding(wideberth.transforms.scale("euclidean", 0.37)).fit_transform(POINTS)
    np.testing.assert_allclose(other, 0.37 * one, atol=1e-9)
    backwards = HilbertEmbedding().fit_transform(POINTS[::-1])[::-1]
    np.testing.assert_allclose(backwards, one, atol=1e-9)


@pytest.mark.filterwarnings("ignore::wideberth.errors.NotHilbertianWarning")
def test_pipelines_on_words():
    model = make_pipeline(
        HilbertEmbedding("levenshtein", n_components=10), LogisticRegression(max_iter=2000)
    )
    assert cross_val_score(model, NAMES, SEXES, cv=3).mean() > 0.55
    search = GridSearchCV(model, {"hilbertembedding__n_components": [2, 10]}, cv=3).fit(
        NAMES, SEXES
    )
    assert len(search.predict(["Ann", "Bob"])) == 2


def test_names_of_features_and_frames():
    embedding = HilbertEmbedding(n_components=3).set_output(transform="pandas")
    frame = embedding.fit_transform(POINTS)
    assert list(frame.columns) == ["hilbertembedding0", "hilbertembedding1", "hilbertembedding2"]
    assert list(embedding.get_feature_names_out()) == list(frame.columns)
    assert isinstance(embedding.transform(POINTS[:2]), pd.DataFrame)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(embedding)).transform(POINTS), embedding.transform(POINTS)
    )


def test_refusals_and_their_advice():
    for wrong in (0, 1.5, "all", True):
        with pytest.raises(InvalidInput, match=r"n_components=.*does not fit.*at least 1"):
            HilbertEmbedding(n_components=wrong).fit(POINTS)
        with pytest.raises(InvalidInput, match=r"landmarks=.*does not fit.*at least 1"):
            HilbertEmbedding(landmarks=wrong).fit(POINTS)
    with pytest.raises(BrokenAxiom, match="not symmetric at objects 0, 1"):
        HilbertEmbedding("precomputed").fit([[0, 1], [2, 0]])
    with pytest.raises(BrokenAxiom, match="inf between objects 0 and 1"):
        HilbertEmbedding("precomputed").fit([[0, np.inf], [np.inf, 0]])


def test_equal_objects_lie_at_the_origin():
    embedding = HilbertEmbedding("levenshtein", n_components=None).fit(["tea", "tea"])
    np.testing.assert_array_equal(embedding.transform(["tea", "coffee"]), [[0.0], [0.0]])
    np.testing.assert_array_equal(embedding.explained_share_, [0.0])
    assert HilbertEmbedding("levenshtein").fit_transform(["tea"]).tolist() == [[0.0, 0.0]]
