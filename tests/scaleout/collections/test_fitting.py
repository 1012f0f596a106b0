"""Fits on collections: ordinary classifiers, equal to those of one machine."""

import math

import dask
import numpy as np
import pytest
from labelled_collections import array, bag, delayed_parts, frame, names, points, texts
from scipy.sparse import csr_array
from scipy.sparse import random as random_rows
from sklearn.base import clone

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "model",
    [
        wideberth.MarginNeighborsClassifier("levenshtein"),
        pytest.param(
            wideberth.MarginNeighborsClassifier("levenshtein", separation="compression"),
            marks=pytest.mark.slow,
        ),
        wideberth.NeighborsClassifier("levenshtein"),
        wideberth.LipschitzClassifier("levenshtein"),
    ],
    ids=["margin", "compression", "neighbors", "lipschitz"],
)
def test_classifiers_that_keep_objects_have_the_same_bits(client, everything_pays, model, tmp_path):
    objects, labels = names(120)
    new, _ = names(40, start=200)
    fitted = scaleout.fit(clone(model), bag(objects, 3), bag(labels, 3))
    expected = clone(model).fit(objects, labels)
    np.testing.assert_array_equal(fitted.decision_function(new), expected.decision_function(new))
    np.testing.assert_array_equal(fitted.certified_radius(new), expected.certified_radius(new))
    assert fitted.learned_from_.all_labelled == expected.learned_from_.all_labelled
    for name in (
        "separation_",
        "kept_",
        "removed_",
        "risk_bound_",
        "loo_errors_",
        "n_neighbors_",
        "slack_",
        "support_",
    ):
        np.testing.assert_equal(getattr(fitted, name, None), getattr(expected, name, None))
    wideberth.save(fitted, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "model.wb").predict(new), expected.predict(new)
    )


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(
            wideberth.LinearLipschitzClassifier("words", edits=1, C=0.01),
            marks=pytest.mark.slow,
        ),
        wideberth.LinearLipschitzClassifier("words", edits=0, margin=8.0),
        pytest.param(
            wideberth.LinearLipschitzClassifier("ngrams", C=0.1, class_weight="balanced"),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["robust", "box", "grams"],
)
def test_linear_scores_learn_where_the_texts_are(client, model, tmp_path):
    objects, labels = texts(100)
    new, _ = texts(40, seed=5)
    assert model.learns_in_parts()
    fitted = scaleout.fit(clone(model), bag(objects, 3), bag(labels, 3))
    check_linear(fitted, clone(model).fit(objects, labels), new)
    wideberth.save(fitted, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "model.wb").predict(new), fitted.predict(new)
    )
    assert scaleout.certify(fitted, bag(new, 2), bag(texts(40, seed=5)[1], 2))[0].void == ()


def check_linear(fitted, expected, new):
    """Equal but for the order in which numbers were added: values to 1e-8, coefficients to 1e-4 of
    the largest.
    """
    assert fitted.feature_names_.tolist() == expected.feature_names_.tolist()
    assert fitted.edits_ == expected.edits_
    np.testing.assert_allclose(fitted.C_, expected.C_, rtol=1e-12)
    np.testing.assert_allclose(fitted.solution_.value, expected.solution_.value, rtol=1e-8)
    np.testing.assert_allclose(
        fitted.coef_, expected.coef_, atol=1e-4 * np.abs(expected.coef_).max()
    )
    np.testing.assert_array_equal(fitted.predict(new), expected.predict(new))
    assert fitted.solution_.gap >= -1e-9
    if expected.learned_from_ is not None:
        assert vars(fitted.learned_from_).keys() == vars(expected.learned_from_).keys()
        np.testing.assert_array_equal(fitted.learned_from_.objects, expected.learned_from_.objects)
        assert fitted.learned_from_.all_labelled == expected.learned_from_.all_labelled


@pytest.mark.slow
def test_one_partition_or_many_and_on_which_worker_changes_nothing_but_rounding(client):
    objects, labels = texts(90)
    model = wideberth.LinearLipschitzClassifier("words", edits=0, C=0.1)
    one, twice = (scaleout.fit(clone(model), bag(objects, 5), bag(labels, 5)) for _ in range(2))
    np.testing.assert_array_equal(
        one.coef_, twice.coef_
    )  # to the bit: sums have one order, whoever computes them
    many = scaleout.fit(clone(model), bag(objects, 30), bag(labels, 30))
    check_linear(many, one, objects)


def test_rows_of_sparse_matrices(client):
    rows = csr_array(random_rows(120, 40, 0.1, random_state=0, format="csr"))
    labels = np.where(np.asarray(rows[:, :10].sum(axis=1)).ravel() > 0.4, 1, 0)
    model = wideberth.LinearLipschitzClassifier("manhattan", C=0.001)
    expected = clone(model).fit(rows, labels)
    parts = [dask.delayed(rows[:0]), *delayed_parts(rows, 3)]
    of_parts = [dask.delayed(labels[:0]), *delayed_parts(labels, 3)]
    check_linear(scaleout.fit(clone(model), parts, of_parts), expected, rows)


@pytest.mark.slow
def test_rows_of_dense_matrices(client):
    rows, labels = random_rows(120, 40, 0.1, random_state=0, format="csr"), np.arange(120) % 2
    model, dense = wideberth.LinearLipschitzClassifier("manhattan", C=0.1), rows.toarray()
    fitted = scaleout.fit(clone(model), array(dense, 3), array(labels, 3))
    check_linear(fitted, clone(model).fit(dense, labels), dense)
    assert fitted.n_features_in_ == 40


def test_a_table_with_its_labels(client):
    vectors, sides = points(80)
    table = {"x": vectors[:, 0], "y": vectors[:, 1], "z": vectors[:, 2], "side": sides}
    fitted = scaleout.fit(wideberth.NeighborsClassifier(), frame(table, 3), "side")
    assert fitted.feature_names_in_.tolist() == ["x", "y", "z"]
    expected = wideberth.NeighborsClassifier().fit(vectors, sides)
    np.testing.assert_array_equal(
        fitted.decision_function(frame(table, 1).compute()[["x", "y", "z"]]),
        expected.decision_function(vectors),
    )


@pytest.mark.slow
def test_programs_that_need_all_objects_get_them(client):
    objects, labels = texts(60)
    model = wideberth.LinearLipschitzClassifier(calibrate=2)
    assert not model.learns_in_parts()
    fitted = scaleout.fit(clone(model), bag(objects, 2), bag(labels, 2))
    np.testing.assert_array_equal(fitted.coef_, clone(model).fit(objects, labels).coef_)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "model", [wideberth.NeighborsClassifier(), wideberth.LinearLipschitzClassifier("manhattan")]
)
def test_an_object_that_cannot_be_learned_from_is_named(client, model):
    vectors, sides = points(40)
    vectors[25, 1] = np.inf
    with pytest.raises(
        InvalidInput,
        match=r"Partition 2, object 5 of it.*: it has the value inf.*, or leave the object out.$",
    ):
        scaleout.fit(model, array(vectors, 4), array(sides, 4))


def test_what_cannot_be_fitted_is_refused(client, monkeypatch):
    with pytest.raises(InvalidInput, match="does not learn from collections"):
        scaleout.fit(
            wideberth.KuratowskiEmbedding(), array(points(10)[0], 2), array(points(10)[1], 2)
        )
    parts = [dask.delayed(np.zeros((2, 3))), dask.delayed(np.zeros((2, 4)))]
    with pytest.raises(
        InvalidInput, match="vectors of partition 1 have 4 features, those of partition 0 3"
    ):
        scaleout.fit(
            wideberth.LinearLipschitzClassifier("manhattan"),
            parts,
            delayed_parts(np.arange(4) % 2, 2),
        )
    with pytest.raises(InvalidInput, match="no objects to learn from"):
        scaleout.fit(wideberth.LinearLipschitzClassifier("words"), bag([], 1), bag([], 1))
    monkeypatch.setattr("psutil.virtual_memory", lambda: type("Memory", (), {"available": 1000}))
    with pytest.raises(InvalidInput, match=r"here are 1 kB free.*learn_from_net"):
        scaleout.fit(
            wideberth.NeighborsClassifier(), array(points(40)[0], 2), array(points(40)[1], 2)
        )


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "model",
    [wideberth.NeighborsClassifier("levenshtein"), wideberth.LinearLipschitzClassifier("words")],
)
def test_a_missing_label_and_an_object_of_another_kind_are_named(model):
    words = ["tea", "tee", "rum", "rom", "ale", "all", "team", "rums"]
    labels = ["soft", "soft", "hard", None, "hard", "hard", "soft", "hard"]
    with pytest.raises(
        InvalidInput,
        match=r"Partition 1, object 1 of it, 'rom': it has no label: None. Drop it or label it.$",
    ):
        scaleout.fit(model, bag(words, 4), bag(labels, 4))
    with pytest.raises(
        InvalidInput, match=r"Partition 3, object 1 of it, None: it is not a string[^0-9]*$"
    ) as caught:
        scaleout.fit(model, bag([*words[:7], None], 4), bag(["soft"] * 8, 4))
    assert "Mend it" not in str(caught.value)  # one advice is enough


def test_errors_of_partitions_know_the_place():
    rows = [{"age": 20.0}, {"age": 30.0}, {"age": 40.0}, {"age": math.inf}]
    with pytest.raises(InvalidInput) as caught:
        scaleout.fit(wideberth.NeighborsClassifier("gower"), bag(rows, 2), bag(list("abab"), 2))
    error = caught.value
    assert str(error).startswith(
        "Partition 1, object 1 of it, {'age': inf}: it holds inf in column 'age'"
    )
    assert error.place == {"partition": 1, "object": 1, "column": "age"}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "model",
    [
        wideberth.NeighborsClassifier("levenshtein"),
        wideberth.LinearLipschitzClassifier("words", min_count=1),
    ],
)
@pytest.mark.parametrize("collection", [bag, delayed_parts])
def test_labels_of_different_kinds_are_never_merged(model, collection):
    drinks = bag(["a b", "c d", "a b e", "c d e"], 2)
    for labels in (
        collection([1, 2, "1", "2"], 2),
        [dask.delayed(np.array(each)) for each in ([1, 2], ["1", "2"])],
    ):
        with pytest.raises(InvalidInput, match="Labels of kinds int, str cannot be sorted"):
            scaleout.fit(model, drinks, labels)
