"""Distances to references as features: isometric, for objects of any kind, in scikit-learn's
tools.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices, objects_of

import wideberth
from wideberth import KuratowskiEmbedding
from wideberth.errors import BrokenAxiom, BrokenAxiomWarning, InvalidInput

NAMES, SEXES = (column[::60] for column in wideberth.datasets.load_first_names())
SQUARES = np.array([[0, 1, 4], [1, 0, 1], [4, 1, 0]], dtype=float)


@parametrize_with_checks([KuratowskiEmbedding(), KuratowskiEmbedding("manhattan", references=3)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "name", ["levenshtein", "jaccard", "msm", "hellinger", "tree_edit", "euclidean", "gower"]
)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_objects_of_any_kind_keep_their_distances(name, data):
    objects = data.draw(objects_of[name])
    embedding = KuratowskiEmbedding(name)
    coordinates = embedding.fit_transform(objects)
    distances = embedding.metric_.block(objects, objects)
    differences = np.abs(coordinates[:, None] - coordinates).max(axis=2)
    np.testing.assert_allclose(differences, distances, atol=1e-8 * max(1.0, distances.max()))
    np.testing.assert_array_equal(embedding.transform(objects), coordinates)
    assert embedding.distortion_.bilipschitz == pytest.approx(1)
    assert coordinates[0] == pytest.approx(0)


@given(metric_matrices(min_size=4), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_a_few_references_never_push_objects_apart(distances, count):
    embedding = KuratowskiEmbedding("precomputed", references=count)
    coordinates = embedding.fit_transform(distances)
    chosen = embedding.references_
    assert len(chosen) == coordinates.shape[1] <= count
    np.testing.assert_allclose(coordinates, distances[:, chosen] - distances[chosen[0], chosen])
    np.testing.assert_allclose(embedding.transform(distances), coordinates)
    differences = np.abs(coordinates[:, None] - coordinates).max(axis=2)
    apart = distances > 0
    assert embedding.distortion_.upper <= 1 + 1e-9
    if apart.any():
        assert embedding.distortion_.lower == pytest.approx(
            (differences[apart] / distances[apart]).min()
        )


def test_references_of_ones_own():
    embedding = KuratowskiEmbedding("levenshtein", references=["Ann", "Bob"]).fit(NAMES)
    np.testing.assert_array_equal(embedding.references_, [0, 1])
    found = embedding.transform(["Anna", "Bob"])
    np.testing.assert_array_equal(found, [[1, 1], [3, -3]])
    space = wideberth.MetricSpace(NAMES, "levenshtein")
    numbered = KuratowskiEmbedding(space.metric, references=[5, 7]).fit(space.index[20:])
    np.testing.assert_array_equal(
        numbered.transform(space.index[7:8]), [[space.metric(5, 7), -space.metric(5, 7)]]
    )


def test_a_space_and_a_matrix_stand_in_for_the_objects():
    expected = KuratowskiEmbedding("levenshtein", references=7).fit_transform(NAMES)
    space = wideberth.MetricSpace(NAMES, "levenshtein")
    np.testing.assert_array_equal(
        KuratowskiEmbedding(space.metric, references=7).fit_transform(space.index), expected
    )
    distances = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    matrix = KuratowskiEmbedding("precomputed", references=7).fit(distances[:50, :50])
    assert matrix.transform(distances[50:, :50]).shape == (len(NAMES) - 50, 7)


def test_pipelines_on_words():
    model = make_pipeline(
        KuratowskiEmbedding("levenshtein", references=20), LogisticRegression(max_iter=2000)
    )
    assert cross_val_score(model, NAMES, SEXES, cv=3).mean() > 0.55
    search = GridSearchCV(model, {"kuratowskiembedding__references": [5, 20]}, cv=3).fit(
        NAMES, SEXES
    )
    assert len(search.predict(["Ann", "Bob"])) == 2


def test_names_of_features_and_frames():
    embedding = KuratowskiEmbedding("levenshtein", references=3).set_output(transform="pandas")
    frame = embedding.fit_transform(NAMES)
    names = ["kuratowskiembedding0", "kuratowskiembedding1", "kuratowskiembedding2"]
    assert list(frame.columns) == names == list(embedding.get_feature_names_out())
    assert isinstance(embedding.transform(NAMES[:2]), pd.DataFrame)
    assert not hasattr(embedding, "n_features_in_")
    assert KuratowskiEmbedding().fit(np.eye(3)).n_features_in_ == 3


def test_it_survives_pickling_cloning_and_other_containers():
    embedding = KuratowskiEmbedding("levenshtein", references=4).fit(NAMES)
    expected = embedding.transform(NAMES)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(embedding)).transform(NAMES), expected)
    for container in (tuple(NAMES), pd.Series(NAMES), np.array(NAMES, dtype=object)):
        np.testing.assert_array_equal(clone(embedding).fit_transform(container), expected)
    with pytest.raises(NotFittedError):
        clone(embedding).transform(NAMES)


def test_the_distortion_is_measured_on_some_of_many_objects():
    points = np.random.default_rng(0).normal(size=(2000, 3))
    one, other = (
        KuratowskiEmbedding(references=10, random_state=seed).fit(points).distortion_
        for seed in (1, 1)
    )
    assert one == other
    assert 2000 < one.pairs <= 2000 * 10 / 2
    assert one.upper <= 1 + 1e-9
    pair = list(one.lower_pair)
    coordinates = KuratowskiEmbedding(references=10).fit(points).transform(points[pair])
    gap = np.abs(coordinates[0] - coordinates[1]).max()
    assert gap == pytest.approx(one.lower * np.linalg.norm(points[pair[0]] - points[pair[1]]))


def test_a_broken_triangle_is_told_and_what_is_no_distance_refused():
    with pytest.warns(
        BrokenAxiomWarning, match=r"triangle inequality at objects 0, 1, 2.*farther apart"
    ) as caught:
        embedding = KuratowskiEmbedding("precomputed").fit(SQUARES)
    assert caught[0].filename == __file__
    assert embedding.distortion_.upper == 3  # |4 - 1| where the distance is 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KuratowskiEmbedding("precomputed").fit(np.sqrt(SQUARES))
    with pytest.raises(BrokenAxiom, match="negative between objects 0 and 2"):
        KuratowskiEmbedding("precomputed").fit(-SQUARES)


def test_refusals_and_their_advice():
    for wrong in (0, "all", 2.5, True):
        with pytest.raises(InvalidInput, match=r"references=.*does not fit.*at least 1"):
            KuratowskiEmbedding("levenshtein", references=wrong).fit(NAMES)
    with pytest.raises(InvalidInput, match="references is empty"):
        KuratowskiEmbedding("levenshtein", references=[]).fit(NAMES)
    with pytest.raises(InvalidInput, match=r"row numbers.*Put the references into the matrix too"):
        KuratowskiEmbedding("precomputed", references=[[1.0, 2.0, 0.5]]).fit(np.sqrt(SQUARES))
    with pytest.raises(InvalidInput, match="no objects to learn from"):
        KuratowskiEmbedding("levenshtein").fit([])
    n = len(NAMES)
    with pytest.raises(
        InvalidInput,
        match=rf"{n} coordinates of {n} objects take .*max_memory='10 kB'.*references=(\d+)",
    ) as error:
        KuratowskiEmbedding("levenshtein", max_memory="10 kB").fit(NAMES)
    assert error.value.value == 8 * n * n
    fits = int(error.value.advice.split("references=")[1].split()[0])
    assert KuratowskiEmbedding("levenshtein", references=fits, max_memory="10 kB").fit(
        NAMES
    ).transform(NAMES).shape == (n, fits)
