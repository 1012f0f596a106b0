"""What is saved comes back: the same answers, bit for bit, for every kind of object and every way
to fit.
"""

import zipfile

import numpy as np
import pandas as pd
import pytest
from families import families, measures_distances
from hypothesis import given, settings
from hypothesis import strategies as st
from short_samples import sampled
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from strategies import letters, metric_matrices, objects_of

import wideberth
from wideberth import (
    HilbertSVC,
    LipschitzClassifier,
    LPMachineClassifier,
    MetricSpace,
    NeighborsClassifier,
)
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.model_file.archive import MANIFEST, array_to_bytes
from wideberth.objects import sample

MODELS = [
    *families("strings", like=measures_distances),
    LipschitzClassifier(C=1e6, tol=1e-6),
    LPMachineClassifier(C=10, radial=["distance", "laplace"]),
    HilbertSVC(kernel="gaussian", repair="shift", landmarks=3),
]
WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3


def round_trip(model, folder):
    path = folder / "model.wb"
    wideberth.save(model, path)
    return wideberth.load(path)


def assert_same_answers(model, loaded, queries, loaded_queries=None):
    loaded_queries = queries if loaded_queries is None else loaded_queries
    np.testing.assert_array_equal(loaded.classes_, model.classes_)
    assert loaded.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(
        loaded.decision_function(loaded_queries), model.decision_function(queries)
    )
    np.testing.assert_array_equal(loaded.predict(loaded_queries), model.predict(queries))
    if type(loaded.metric_) is not type(model.metric_) and loaded.metric_.name == "euclidean":
        # radii up to bisectors, which a space does not know: never smaller but for what rounding is
        # allowed for
        radii = model.certified_radius(queries)
        assert (
            loaded.certified_radius(loaded_queries)
            >= radii - 1e-8 * (1 + np.where(np.isfinite(radii), radii, 0))
        ).all()
        return
    if model.metric_.obeys_triangle:
        np.testing.assert_array_equal(
            loaded.certified_radius(loaded_queries), model.certified_radius(queries)
        )


@pytest.mark.few(4)
@pytest.mark.filterwarnings("ignore")
@sampled
@pytest.mark.parametrize("metric", sorted(set(objects_of) - {"precomputed"}))
@given(st.data())
@settings(max_examples=3, deadline=None)
def test_every_metric_and_model_answers_as_before(tmp_path_factory, metric, cases, data):
    objects = data.draw(objects_of[metric])
    labels = data.draw(
        st.lists(st.sampled_from("abc"), min_size=len(objects), max_size=len(objects))
    )
    for template in cases(MODELS, metric):
        model = clone(template).set_params(metric=metric).fit(objects, labels)
        assert_same_answers(model, round_trip(model, tmp_path_factory.getbasetemp()), objects)
    template, space = data.draw(st.sampled_from(MODELS)), MetricSpace(objects, metric)
    on_space = clone(template).set_params(metric=space.metric).fit(space.index, labels)
    assert_same_answers(
        on_space, round_trip(on_space, tmp_path_factory.getbasetemp()), space.index, objects
    )


@pytest.mark.filterwarnings("ignore")
@given(metric_matrices(), st.data())
@settings(max_examples=5, deadline=None)
def test_models_of_a_matrix_need_rows_of_distances_only(tmp_path_factory, distances, data):
    labels = data.draw(
        st.lists(st.sampled_from("abc"), min_size=len(distances), max_size=len(distances))
    )
    promised = wideberth.metric("precomputed", distances=distances, obeys_triangle=True)
    numbers = np.arange(len(distances))
    for template in MODELS:
        model = clone(template).set_params(metric="precomputed").fit(distances, labels)
        loaded = round_trip(model, tmp_path_factory.getbasetemp())
        assert_same_answers(model, loaded, distances)
        assert_same_answers(model, round_trip(loaded, tmp_path_factory.getbasetemp()), distances)
        clone(loaded).fit(distances, labels)
        model = clone(template).set_params(metric=promised).fit(numbers, labels)
        loaded = round_trip(model, tmp_path_factory.getbasetemp())
        assert loaded.metric_.obeys_triangle
        assert_same_answers(model, loaded, numbers, distances)


def test_a_matrix_stays_out_of_the_file(tmp_path):
    distances = wideberth.pairwise_distances(np.random.default_rng(0).normal(size=(200, 2)))
    wideberth.save(
        NeighborsClassifier("precomputed").fit(distances, [0, 1] * 100), tmp_path / "m.wb"
    )
    assert (tmp_path / "m.wb").stat().st_size < distances.nbytes / 10
    loaded = wideberth.load(tmp_path / "m.wb")
    with pytest.raises(InvalidInput, match=r"shape \(objects, 200\)"):
        loaded.predict([[1.0, 2.0]])
    with pytest.raises(InvalidInput, match="did not come with the model"):
        loaded.predict([0, 1])


tokens = st.one_of(
    st.text(letters, max_size=3),
    st.integers(-(2**70), 2**70),
    st.binary(max_size=3),
    st.booleans(),
    st.none(),
)
nested = st.one_of(
    tokens, st.floats(allow_nan=False), st.tuples(tokens, tokens), st.frozensets(tokens, max_size=2)
)


@pytest.mark.parametrize(
    ("metric", "one"),
    [
        (
            "levenshtein",
            st.one_of(
                st.text(letters), st.binary(), st.lists(nested, max_size=4), st.tuples(tokens)
            ),
        ),
        ("jaccard", st.frozensets(nested, max_size=4)),
    ],
)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_texts_bytes_and_tokens_of_all_plain_kinds_survive(tmp_path_factory, metric, one, data):
    objects = data.draw(st.lists(one, min_size=2, max_size=6))
    model = NeighborsClassifier(metric, n_neighbors=1).fit(
        objects, [0, 1] * (len(objects) // 2) + [0] * (len(objects) % 2)
    )
    assert_same_answers(model, round_trip(model, tmp_path_factory.getbasetemp()), objects)


def test_series_of_several_channels_and_unequal_lengths(tmp_path):
    series = [np.random.default_rng(seed).normal(size=(2, 3 + seed)) for seed in range(8)]
    model = LipschitzClassifier("msm").fit(series, [0, 1] * 4)
    assert_same_answers(model, round_trip(model, tmp_path), series)


def test_tables_of_codes_and_of_zeros_and_ones(tmp_path):
    rows = np.random.default_rng(0).integers(0, 2, (12, 5)).astype(np.int8)
    for metric in ("hamming", "jaccard"):
        model = NeighborsClassifier(metric).fit(rows, [0, 1] * 6)
        assert_same_answers(model, round_trip(model, tmp_path), rows)


@pytest.mark.parametrize("labels", [[True, False], [3, 7], [0.0, 1.0], ["thé", "rum"]], ids=str)
def test_labels_keep_their_kind(tmp_path, labels):
    model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], labels)
    assert_same_answers(model, round_trip(model, tmp_path), ["tee", "ram"])


def test_frames_keep_the_names_of_their_features(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["width", "height"])
    model = LipschitzClassifier().fit(frame, [0, 1] * 10)
    loaded = round_trip(model, tmp_path)
    assert_same_answers(model, loaded, frame)
    assert loaded.n_features_in_ == 2
    assert loaded.feature_names_in_.tolist() == ["width", "height"]
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"width": "depth"}))


def test_parameters_and_what_was_learned_come_back(tmp_path):
    metric = wideberth.metric("minkowski", p=3)
    X, y = np.random.default_rng(0).normal(size=(40, 2)), [0, 1, 2, 1] * 10
    model = LipschitzClassifier(
        metric, C=np.inf, class_weight={0: 1.0, 1: 2.0, 2: 1.0}, calibrate=2, random_state=3
    ).fit(X, y)
    loaded = round_trip(model, tmp_path)
    assert repr(loaded.get_params()) == repr(model.get_params())
    for name in ("lipschitz_constant_", "margin_", "C_", "slack_", "support_"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(model, name))
    assert vars(loaded.solution_).keys() == vars(model.solution_).keys()
    assert (loaded.solution_.value, loaded.solution_.gap) == (
        model.solution_.value,
        model.solution_.gap,
    )
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.score_interval(X), model.score_interval(X))
    assert loaded.explain(X) == model.explain(X)


def test_weights_and_chosen_numbers_of_neighbors_come_back(tmp_path):
    model = NeighborsClassifier("levenshtein").fit(WORDS, KINDS, sample_weight=[1, 2, 0, 1, 0.5, 2])
    loaded = round_trip(model, tmp_path)
    assert_same_answers(model, loaded, WORDS)
    assert (loaded.n_neighbors_, loaded.loo_errors_) == (model.n_neighbors_, model.loo_errors_)


@pytest.mark.parametrize("labels", [KINDS, ["one"] * 6], ids=["flat scores", "one class"])
def test_constant_models_need_no_objects(tmp_path, labels):
    vectors = np.arange(12.0).reshape(6, 2)
    for metric, objects in (("levenshtein", WORDS), ("euclidean", vectors)):
        model = LipschitzClassifier(metric, C=0.01).fit(objects, labels)
        assert model.lipschitz_constant_ == 0
        assert_same_answers(model, round_trip(model, tmp_path), objects)
        space = MetricSpace(objects, metric)
        model = LipschitzClassifier(space.metric, C=0.01).fit(space.index, labels)
        assert_same_answers(model, round_trip(model, tmp_path), space.index, sample.hold(objects))


def test_equal_models_make_equal_files_and_entries_anyone_can_list(tmp_path):
    for name in ("one.wb", "other.wb"):
        wideberth.save(NeighborsClassifier("levenshtein").fit(WORDS, KINDS), tmp_path / name)
    assert (tmp_path / "one.wb").read_bytes() == (tmp_path / "other.wb").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.wb") as archive:
        assert archive.testzip() is None
        assert {MANIFEST, "model.json", "arrays/0.npy"} <= set(archive.namelist())


class Drink:
    """A token that only Python knows."""


def distance(one, other):
    return float(one != other)


def zero(left, right):
    return np.zeros((len(left), len(right)))


@pytest.mark.parametrize(
    ("model", "objects", "advice"),
    [
        (NeighborsClassifier(distance, n_neighbors=1), WORDS, "wideberth.list_metrics"),
        (NeighborsClassifier(wideberth.Metric(zero, name="euclidean")), WORDS, "precomputed"),
        (
            NeighborsClassifier("levenshtein", n_neighbors=1),
            [[Drink()], ["a"]],
            "convert the objects",
        ),
        (
            NeighborsClassifier("jaccard", n_neighbors=1),
            [{(1, np.nan)}, {"a"}],
            "convert the objects",
        ),
        (
            LipschitzClassifier("levenshtein", random_state=np.random.RandomState(0)),
            WORDS,
            "random_state=None",
        ),
        (
            NeighborsClassifier("levenshtein", n_neighbors=1, calibrate=None),
            [[10**5000], ["a"]],
            "Convert",
        ),
        (
            GridSearchCV(NeighborsClassifier("hamming"), {"n_neighbors": [1, 3]}, cv=2),
            WORDS,
            "best_estimator_",
        ),
    ],
    ids=[
        "a function",
        "an own metric",
        "an own object",
        "not a number",
        "a random state",
        "a huge number",
        "a search",
    ],
)
def test_what_cannot_be_saved_is_named_and_leaves_no_file(tmp_path, model, objects, advice):
    model.fit(objects, KINDS if objects is WORDS else [0, 1])
    with pytest.raises(InvalidInput) as refused:
        wideberth.save(model, tmp_path / "m.wb")
    assert advice in str(refused.value)
    assert not list(tmp_path.iterdir())


def test_the_advice_for_what_cannot_be_saved_works(tmp_path):
    search = GridSearchCV(NeighborsClassifier("hamming"), {"n_neighbors": [1, 3]}, cv=2).fit(
        WORDS, KINDS
    )
    assert_same_answers(search.best_estimator_, round_trip(search.best_estimator_, tmp_path), WORDS)
    model = LipschitzClassifier("levenshtein", random_state=np.random.RandomState(0)).fit(
        WORDS, KINDS
    )
    assert_same_answers(model, round_trip(model.set_params(random_state=None), tmp_path), WORDS)


def test_an_unfitted_model_and_a_missing_directory_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        wideberth.save(NeighborsClassifier(), tmp_path / "m.wb")
    with pytest.raises(InvalidFile, match="cannot be written"):
        wideberth.save(
            NeighborsClassifier("levenshtein").fit(WORDS, KINDS), tmp_path / "no" / "m.wb"
        )


def test_arrays_of_anything_but_numbers_and_text_are_refused():
    for array in (
        np.array([{}]),
        np.array(["2024-01-01"], dtype="M8[D]"),
        np.zeros(1, dtype=[("a", "f8")]),
    ):
        with pytest.raises(InvalidInput, match="cannot go into a model file"):
            array_to_bytes(array)
