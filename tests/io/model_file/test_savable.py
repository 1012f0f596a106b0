"""Every public estimator can be saved, and comes back as it was, whatever it learned from."""

import inspect

import numpy as np
import pandas as pd
import pytest
from families import choosers, measures_distances
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GroupKFold, StratifiedKFold
from strategies import metric_matrices, objects_of

import wideberth
from wideberth import (
    HilbertEmbedding,
    KuratowskiEmbedding,
    LipschitzClassifierCV,
    MetricSpace,
    OnlinePartitionClassifier,
)
from wideberth.classifiers.online.stream import python_label
from wideberth.errors import InvalidInput
from wideberth.io.model_file.model_parts import SAVABLE, savable_class

WORDS, KINDS = ["tea", "tee", "ten", "tan", "rum", "rom", "ram", "rim"], ["soft"] * 4 + ["hard"] * 4
SEARCHES = choosers(
    "vectors", like=measures_distances, radial=["distance", ("gaussian", "70%")], repair="clip"
)
EMBEDDINGS = [
    KuratowskiEmbedding(),
    KuratowskiEmbedding(references=2),
    HilbertEmbedding(),
    HilbertEmbedding(n_components=None, landmarks=3),
]


def round_trip(model, folder):
    wideberth.save(model, folder / "model.wb")
    return wideberth.load(folder / "model.wb")


def assert_same(one, other):
    """Two values that were learned: arrays number by number, everything else as it is written."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name in one:
            assert_same(one[name], other[name])
    elif isinstance(one, np.ma.MaskedArray):
        assert repr(one) == repr(other)
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    else:
        assert repr(python_label(one)) == repr(python_label(other))


def assert_same_search(model, loaded, queries, loaded_queries=None):
    loaded_queries = queries if loaded_queries is None else loaded_queries
    for name in ("best_params_", "best_score_", "best_index_", "cv_results_", "C_", "classes_"):
        assert_same(getattr(loaded, name), getattr(model, name))
    assert loaded.summary() == model.summary().replace("metric_space", loaded.metric_.name)
    found, expected = (
        each.best_estimator_.get_params(deep=False) | {"metric": None} for each in (loaded, model)
    )
    assert_same(found, expected)
    for one, other in ((loaded, model), (loaded.best_estimator_, model.best_estimator_)):
        np.testing.assert_array_equal(one.predict(loaded_queries), other.predict(queries))
        np.testing.assert_array_equal(
            one.decision_function(loaded_queries), other.decision_function(queries)
        )


def assert_same_embedding(model, loaded, queries, loaded_queries=None):
    loaded_queries = queries if loaded_queries is None else loaded_queries
    np.testing.assert_array_equal(loaded.transform(loaded_queries), model.transform(queries))
    np.testing.assert_array_equal(loaded.get_feature_names_out(), model.get_feature_names_out())
    for name in vars(model).keys() - {"metric", "metric_", "_references", "_map", "spectrum_"}:
        assert_same(getattr(loaded, name), getattr(model, name))


def test_every_public_estimator_can_be_saved():
    public = {name: getattr(wideberth, name) for name in wideberth._HOME}
    estimators = {
        name
        for name, each in public.items()
        if inspect.isclass(each) and issubclass(each, BaseEstimator)
    }
    assert set(SAVABLE) == estimators - {
        "Metric"
    }  # a metric goes into the files of those that measure by it
    assert all(savable_class(name) is public[name] for name in SAVABLE)


def assert_comes_back(template, metric, objects, folder):
    """A search learns from all objects twice, with two labels, so that there are folds."""
    if hasattr(template, "transform"):
        model = clone(template).set_params(metric=metric).fit(objects)
        assert_same_embedding(model, round_trip(model, folder), objects)
    else:
        labels = ["a", "b"] * len(objects)
        twice = (
            np.concatenate([objects, objects])
            if isinstance(objects, np.ndarray)
            else [*objects, *objects]
        )
        model = clone(template).set_params(metric=metric).fit(twice, labels)
        assert_same_search(model, round_trip(model, folder), objects)


@pytest.mark.few(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "metric", ["levenshtein", "jaccard", "msm", "hellinger", "tree_edit", "gower", "mahalanobis"]
)
@given(data=st.data(), template=st.sampled_from([*SEARCHES, *EMBEDDINGS]))
@settings(max_examples=8, deadline=None)
def test_searches_and_embeddings_of_objects_of_any_kind_come_back(
    tmp_path_factory, metric, data, template
):
    assert_comes_back(
        template, metric, data.draw(objects_of[metric]), tmp_path_factory.getbasetemp()
    )


@pytest.mark.filterwarnings("ignore")
@given(metric_matrices(min_size=4), st.sampled_from([*SEARCHES, *EMBEDDINGS]))
@settings(max_examples=20, deadline=None)
def test_searches_and_embeddings_of_a_matrix_take_rows_of_distances(
    tmp_path_factory, distances, template
):
    model = (
        clone(template)
        .set_params(metric="precomputed")
        .fit(distances, (["a", "a", "b", "b"] * len(distances))[: len(distances)])
    )
    same = assert_same_embedding if hasattr(model, "transform") else assert_same_search
    same(model, round_trip(model, tmp_path_factory.getbasetemp()), distances)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "template", [*SEARCHES, *EMBEDDINGS], ids=lambda model: type(model).__name__
)
def test_a_search_or_embedding_on_a_space_takes_objects_once_it_is_loaded(tmp_path, template):
    space = MetricSpace(WORDS, "levenshtein")
    model = clone(template).set_params(metric=space.metric).fit(space.index, KINDS)
    same = assert_same_embedding if hasattr(model, "transform") else assert_same_search
    same(model, round_trip(model, tmp_path), space.index, WORDS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "template",
    [*SEARCHES, *EMBEDDINGS, OnlinePartitionClassifier(radius=9.0, inconsistent="ignore")],
    ids=str,
)
def test_frames_keep_the_names_of_their_features(tmp_path, template):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(24, 2)), columns=["width", "height"])
    model = clone(template).fit(frame, [0, 1] * 12)
    loaded = round_trip(model, tmp_path)
    assert (loaded.n_features_in_, loaded.feature_names_in_.tolist()) == (2, ["width", "height"])
    answer = loaded.transform if hasattr(loaded, "transform") else loaded.predict
    with pytest.raises(ValueError, match="feature names"):
        answer(frame.rename(columns={"width": "depth"}))


def test_a_search_answers_all_that_it_did(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "right", "left")
    settings = {"C": np.array([2.0, 10.0]), "scoring": "balanced_accuracy", "calibrate": 2}
    model = LipschitzClassifierCV(cv=3, random_state=0, **settings).fit(
        X, y, sample_weight=[1.0, 2.0] * 30
    )
    loaded = round_trip(model, tmp_path)
    assert_same_search(model, loaded, X)
    assert repr(loaded.get_params()) == repr(model.get_params())
    for name in ("predict_proba", "certified_radius", "score_interval"):
        np.testing.assert_array_equal(getattr(loaded, name)(X), getattr(model, name)(X))
    assert loaded.explain(X) == model.explain(X)
    assert loaded.score(X, y) == model.score(X, y)
    assert loaded.learned_from_.searched == model.learned_from_.searched
    assert loaded.best_estimator_.learned_from_.searched
    new = np.random.default_rng(1).normal(size=(40, 2))
    truth = np.where(new[:, 0] > 0, "right", "left")
    for given_objects, labels in ((X, y), (new, truth)):
        assert str(wideberth.certify(loaded, given_objects, labels)) == str(
            wideberth.certify(model, given_objects, labels)
        )
    again = clone(loaded).fit(X, y, sample_weight=[1.0, 2.0] * 30)
    assert_same_search(model, again, X)


@pytest.mark.parametrize(
    ("parameters", "groups", "advice"),
    [
        ({"cv": StratifiedKFold(2)}, None, "set_params(cv=5)"),
        ({"cv": GroupKFold(2)}, [0, 1] * 4, "set_params(cv=5)"),
        ({"cv": 2, "scoring": make_scorer(accuracy_score)}, None, "set_params(scoring=None)"),
        (
            {"cv": 2, "scoring": lambda model, X, y: float(model.predict(X)[0] == y[0])},
            None,
            "set_params(scoring=None)",
        ),
    ],
    ids=["a splitter", "groups", "a scorer", "a function"],
)
def test_what_is_python_code_is_named_and_the_advice_works(tmp_path, parameters, groups, advice):
    model = LipschitzClassifierCV("levenshtein", C=[2, 10], **parameters).fit(
        WORDS, KINDS, groups=groups
    )
    with pytest.raises(InvalidInput, match="cannot be saved") as refused:
        wideberth.save(model, tmp_path / "model.wb")
    assert advice in str(refused.value)
    assert not list(tmp_path.iterdir())
    name, value = advice.removeprefix("set_params(").removesuffix(")").split("=")
    model.set_params(**{name: {"5": 5, "None": None}[value]})
    assert_same_search(model, round_trip(model, tmp_path), WORDS)


def test_folds_given_as_indices_are_plain(tmp_path):
    folds = [(np.arange(0, 8, 2), np.arange(1, 8, 2)), (np.arange(1, 8, 2), np.arange(0, 8, 2))]
    model = LipschitzClassifierCV("levenshtein", C=[2, 10], cv=folds).fit(WORDS, KINDS)
    loaded = round_trip(model, tmp_path)
    assert_same_search(model, loaded, WORDS)
    assert_same_search(model, clone(loaded).fit(WORDS, KINDS), WORDS)


@pytest.mark.parametrize("name", SAVABLE)
def test_what_has_learned_nothing_is_refused(tmp_path, name):
    inner = [wideberth.NeighborsClassifier()] if name == "PartitionVoteClassifier" else []
    with pytest.raises(ValueError, match="not fitted"):
        wideberth.save(savable_class(name)(*inner), tmp_path / "model.wb")


def test_a_search_that_was_interrupted_is_refused(tmp_path):
    model = LipschitzClassifierCV("levenshtein", C=[2, 10], cv=99)
    with pytest.raises(ValueError, match="99"):
        model.fit(WORDS, KINDS)
    with pytest.raises(ValueError, match="not fitted"):
        wideberth.save(model, tmp_path / "model.wb")


def test_a_child_of_a_class_of_ours_is_refused(tmp_path):
    class HilbertEmbedding(wideberth.HilbertEmbedding):
        pass

    with pytest.raises(InvalidInput, match="HilbertEmbedding cannot be saved"):
        wideberth.save(
            HilbertEmbedding("levenshtein", n_components=1).fit(WORDS[:2]), tmp_path / "model.wb"
        )
