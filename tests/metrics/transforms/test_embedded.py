"""Objects by the vectors of an encoder: the distance is that of the vectors, each object is encoded
once, and a model file knows its encoder.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import cross_val_score

import wideberth
from wideberth import transforms
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.metrics.transforms import embedded

TEXTS = ["tea", "a cup of tea", "milk", "rum", "a cask of rum", "ale"] * 3
LABELS = ["soft", "soft", "soft", "hard", "hard", "hard"] * 3


class Vowels:
    """An encoder that remembers how often it was asked for what."""

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return vowels(texts)


def vowels(texts):
    return np.array(
        [[text.count(letter) for letter in "aeiou"] for text in texts], dtype=np.float32
    )


@given(
    st.lists(st.text("aeix", max_size=5), min_size=1, max_size=5),
    st.lists(st.text("aeix", max_size=5), min_size=1, max_size=5),
)
@settings(max_examples=20, deadline=None)
def test_the_distance_is_that_of_the_vectors(left, right):
    for name in ("euclidean", "manhattan"):
        expected = wideberth.metric(name).block(vowels(left), vowels(right))
        np.testing.assert_array_equal(
            transforms.embedded(vowels, name).block(left, right), expected
        )


def test_each_object_is_encoded_once_for_all_folds_and_models():
    encoder = Vowels()
    metric = transforms.embedded(encoder, "standardized")
    cross_val_score(wideberth.NeighborsClassifier(metric, n_neighbors=1), TEXTS, LABELS, cv=3)
    wideberth.HilbertSVC(clone(metric)).fit(TEXTS, LABELS).predict(["tea", "gin"])
    assert sorted(encoder.asked) == sorted({*TEXTS, "gin"})


def test_what_python_calls_equal_is_encoded_apart():
    metric = transforms.embedded(
        lambda objects: [[isinstance(each, bool)] for each in objects],
        "euclidean",
        accepts="objects",
    )
    assert metric(1, True) == 1.0


def test_vectors_beyond_the_limit_are_encoded_again(monkeypatch):
    encoder = Vowels()
    metric = transforms.embedded(encoder, "euclidean")
    monkeypatch.setattr(embedded, "MOST_KEPT", 2 * 5 * 8)
    first = metric.block(["a", "e", "ie"], ["a"])
    assert len(metric._kept) <= 2
    np.testing.assert_array_equal(metric.block(["a", "e", "ie"], ["a"]), first)
    assert len(encoder.asked) > 3


def test_objects_without_a_hash_are_encoded_each_time():
    metric = transforms.embedded(
        lambda many: [[sum(each)] for each in many], "euclidean", accepts="objects"
    )
    assert metric([1, 2], [4]) == 1.0


def test_promises_are_those_that_points_keep():
    by_angle = transforms.embedded(vowels)
    assert (by_angle.obeys_triangle, by_angle.negative_type, by_angle.bounded) == (True, True, True)
    assert (by_angle.hilbertian, by_angle.separates) == (None, None)
    assert transforms.embedded(vowels, "euclidean").hilbertian
    assert not by_angle.built_in
    assert not by_angle.dominated


def test_what_taught_the_inner_metric_is_not_forgotten():
    """Else a certificate on objects that taught it would hold."""
    plain = transforms.embedded(vowels, "standardized")
    assert plain.taught_by is None
    assert len(plain.fitted(TEXTS).taught_by) == len(TEXTS)
    before = transforms.embedded(vowels, wideberth.metric("standardized").fitted(vowels(TEXTS)))
    assert before.fitted(TEXTS) is before
    assert before.taught_by is not None
    assert not len(before.taught_by)  # not known
    again = plain.fitted(plain.prepare(TEXTS))
    assert again.taught_by is not None


def test_sparse_rows_of_a_transformer_do():
    metric = transforms.embedded(HashingVectorizer(n_features=16))
    assert metric("a cup of tea", "a cup of tea") == 0.0 < metric("tea", "rum")


def test_other_processes_get_no_vectors():
    metric = transforms.embedded(vowels, "euclidean")
    metric.prepare(TEXTS)
    again = pickle.loads(pickle.dumps(metric))
    assert metric._kept
    assert not again._kept
    assert again("tea", "rum") == metric("tea", "rum")


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            lambda texts: [1.0 for _ in texts],
            r"an array of float64 with shape \(2,\) for 2 objects",
        ),
        (lambda texts: [[1.0]], r"with shape \(1, 1\)"),
        (lambda texts: [["a"] for _ in texts], "an array of <U1"),
        (
            lambda texts: [[np.nan if text == "rum" else 1.0] for text in texts],
            "NaN or infinity for 'rum'",
        ),
    ],
)
def test_an_encoder_returns_a_row_of_numbers_for_each(returned, message):
    with pytest.raises(InvalidInput, match=message):
        transforms.embedded(returned, "euclidean", name="mine").prepare(["tea", "rum"])


def test_all_vectors_have_one_length():
    metric = transforms.embedded(lambda texts: [[1.0] * len(texts[0])] * len(texts), "euclidean")
    metric.prepare(["tea"])
    with pytest.raises(InvalidInput, match=r"vectors of 3 and of 4 numbers"):
        metric.prepare(["milk", "tea"])


@pytest.mark.parametrize("wrong", [3, "tea", None, np.array])
def test_what_is_no_encoder_is_refused(wrong):
    if wrong is np.array:  # a function, but not one of a list to rows
        with pytest.raises(InvalidInput, match="returned"):
            transforms.embedded(wrong, "euclidean").prepare(["tea"])
        return
    with pytest.raises(InvalidInput, match="is no encoder"):
        transforms.embedded(wrong, "euclidean")


def test_the_inner_metric_measures_vectors():
    with pytest.raises(InvalidInput, match="needs a metric on vectors"):
        transforms.embedded(vowels, "levenshtein")


@pytest.mark.parametrize(
    "metric",
    [
        transforms.embedded(vowels, "standardized", name="vowels 1.0"),
        transforms.total("ngrams", transforms.embedded(vowels, "angular", name="vowels 1.0")),
    ],
    ids=["alone", "in a sum"],
)
def test_a_model_file_knows_its_encoder(metric, tmp_path):
    path = tmp_path / "drinks.wb"
    model = wideberth.HilbertSVC(metric).fit(TEXTS, LABELS)
    wideberth.save(model, path)
    with pytest.raises(InvalidFile, match=r"what the encoder 'vowels 1\.0' makes of objects"):
        wideberth.load(path)
    with pytest.raises(InvalidFile, match=r"what the encoder 'vowels 1\.0' makes"):
        wideberth.load(path, encode={"vowels 1.1": vowels})
    with pytest.raises(InvalidFile, match=r"other vectors than 'vowels 1\.0'"):
        wideberth.load(path, encode=lambda texts: 1.01 * vowels(texts))
    with pytest.raises(InvalidFile, match=r"other vectors than 'vowels 1\.0'"):
        wideberth.load(path, encode=lambda texts: vowels(texts)[:, :4])
    for encode in (vowels, {"vowels 1.0": vowels}, lambda texts: vowels(texts) * (1 + 1e-7)):
        loaded = wideberth.load(path, encode=encode)
        new = ["tea", "gin", "a pint of ale"]
        np.testing.assert_allclose(
            loaded.decision_function(new), model.decision_function(new), atol=1e-5
        )


def test_encoders_of_other_kinds_are_known_by_their_names(tmp_path):
    path = tmp_path / "numbers.wb"
    metric = transforms.embedded(
        lambda many: [[len(each)] for each in many], "euclidean", name="size", accepts="objects"
    )
    wideberth.save(
        wideberth.NeighborsClassifier(metric, n_neighbors=1).fit([(1,), (1, 2)], ["one", "two"]),
        path,
    )
    loaded = wideberth.load(path, encode=lambda many: [[len(each)] for each in many])
    assert loaded.predict([(7, 8)]) == ["two"]
