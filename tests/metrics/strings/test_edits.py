"""Indel and Damerau distances: equal to their definitions, with the witnesses that their docstrings
name.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.metrics.edits import damerau, indel
from rapidfuzz.distance import OSA, DamerauLevenshtein
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from strategies import words

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.strings import edits
from wideberth.metrics.strings.edits import Damerau, Indel
from wideberth.metrics.strings.sample import Sequences


@given(texts=words)
@settings(deadline=None, max_examples=40)
def test_indel_equals_the_definition(texts):
    np.testing.assert_array_equal(
        Indel().block(texts, texts), [[indel(one, other) for other in texts] for one in texts]
    )


@given(one=st.text("abc", max_size=4), other=st.text("abc", max_size=4))
@settings(deadline=None, max_examples=60)
def test_damerau_is_the_length_of_a_shortest_way(one, other):
    assert Damerau()(one, other) == damerau(one, other)


def test_optimal_string_alignment_is_no_metric_and_ours_is_not_it():
    assert OSA.distance("CA", "ABC") > OSA.distance("CA", "AC") + OSA.distance("AC", "ABC")
    assert Damerau()("CA", "ABC") == Damerau()("CA", "AC") + Damerau()("AC", "ABC") == 2


@pytest.mark.parametrize(
    ("metric", "witness", "weights", "value"),
    [
        (Indel(), ["", "a", "b", "ab", "ba"], [2, -3, -3, 2, 2], 6),
        (Damerau(), ["aa", "ab", "aab", "baa", "bab"], [-2, 1, 1, 2, -2], 1),
    ],
)
def test_neither_is_of_negative_type(metric, witness, weights, value):
    assert sum(weights) == 0
    assert (
        np.array(weights) @ metric.block(witness, witness) @ weights == 2 * value
    )  # each pair twice
    assert metric.negative_type is metric.hilbertian is False


@pytest.mark.parametrize("name", ["indel", "damerau", "weighted_edit"])
@pytest.mark.parametrize(
    "one_and_other",
    [
        ("abcd", "abd"),
        (b"abcd", b"abd"),
        (list("abcd"), list("abd")),
        (("x", 1, -1, -2), ("x", 1, -2)),
        ([0.5, "ab"], [0.5]),
    ],
    ids=repr,
)
def test_tokens_of_many_kinds(name, one_and_other):
    assert wideberth.metric(name).block([one_and_other[0]], [one_and_other[1]]) == 1


@pytest.mark.parametrize(
    "metric",
    [
        "levenshtein",
        "indel",
        "damerau",
        "normalized_levenshtein",
        "weighted_edit",
        "words",
        "ngrams",
    ],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_of_several_columns_is_refused_until_one_is_chosen(metric, frame):
    drinks = frame({"drink": ["tea", "rum"], "cup": ["mug", "glass"]})
    with pytest.raises(
        InvalidInput, match=r"2 columns where texts are needed: \['drink', 'cup'\].*'gower'"
    ):
        wideberth.metric(metric).prepare(drinks)
    assert len(wideberth.metric(metric).prepare(drinks["drink"])) == 2
    assert wideberth.pairwise_distances(drinks, metric="gower").shape == (2, 2)


@pytest.mark.parametrize("metric", ["levenshtein", "hamming", "weighted_edit", "words", "ngrams"])
def test_texts_in_a_column_are_texts(metric):
    texts = ["tea", "ten", "rum"]
    column = np.array(texts, dtype=object).reshape(-1, 1)
    np.testing.assert_array_equal(
        wideberth.pairwise_distances(column, metric=metric),
        wideberth.pairwise_distances(texts, metric=metric),
    )


def test_an_imputer_before_the_classifier_changes_nothing():
    drinks, kinds = ["tea", "coffee", "milk", "rum", "beer", "wine"], ["soft"] * 3 + ["hard"] * 3
    classifier = wideberth.NeighborsClassifier("levenshtein", n_neighbors=2)
    pipeline = make_pipeline(SimpleImputer(strategy="most_frequent"), classifier).fit(
        pd.DataFrame({"drink": drinks}), kinds
    )
    alone = wideberth.NeighborsClassifier("levenshtein", n_neighbors=2).fit(drinks, kinds)
    asked = ["teas", "win", "coffe"]
    np.testing.assert_array_equal(
        pipeline.decision_function(pd.DataFrame({"drink": asked})), alone.decision_function(asked)
    )


def test_a_mixed_frame_is_led_to_rows():
    mixed = pd.DataFrame({"drink": ["tea", "rum"], "degrees": [60, 20]})
    with pytest.raises(InvalidInput, match="metric 'gower'"):
        wideberth.NeighborsClassifier().fit(mixed, ["soft", "hard"])
    assert wideberth.NeighborsClassifier("gower", n_neighbors=1).fit(
        mixed, ["soft", "hard"]
    ).predict(mixed).tolist() == ["soft", "hard"]


class Text(str):
    """A string of a user's own type."""


@pytest.mark.parametrize(
    "odd", ["tea", "", "żółw", "\U0001f375", "\ud800", Text("tea"), b"tea", ["t", "ea"]]
)
def test_many_sequences_that_are_taken_are_the_same(odd):
    words = Sequences([*(f"{number:b}" for number in range(1_500)), odd])
    order = np.random.default_rng(0).permutation(len(words))
    taken = words.take(order)
    assert taken == [words[index] for index in order]
    assert [type(each) for each in taken] == [type(words[index]) for index in order]


@pytest.fixture
def in_lanes(monkeypatch):
    """Blocks of any size in the compiled loop."""
    monkeypatch.setattr(edits, "_FEW_LEFT", 0)
    monkeypatch.setattr(edits, "LANES", 0)
    monkeypatch.setattr(edits, "is_worth_compiling", lambda loop, seconds: True)


@pytest.mark.kernels
@pytest.mark.usefixtures("in_lanes")
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.one_of(st.text("abc", max_size=9), st.text(max_size=4)), min_size=1, max_size=4),
    st.lists(
        st.one_of(st.text("abc", max_size=9), st.text("ab\ud800\U0001f375", max_size=5)),
        min_size=1,
        max_size=40,
    ),
)
def test_damerau_in_lanes_is_the_length_of_a_shortest_way(left, right):
    block = Damerau().block(left, right)
    for i, j in np.ndindex(block.shape):
        assert block[i, j] == DamerauLevenshtein.distance(left[i], right[j])
        if max(len(left[i]), len(right[j])) <= 3:
            assert block[i, j] == damerau(left[i], right[j])
    np.testing.assert_array_equal(Damerau().block(right, left), block.T)


def test_all_sorts_of_strings_have_the_same_damerau_distance_in_lanes_and_without(monkeypatch):
    chance = np.random.default_rng(0)
    texts = ["".join(chance.choice(list("abcde"), chance.integers(0, 90))) for _ in range(60)]
    kinds = [texts[:40], [text.encode() for text in texts[20:]], [list(text) for text in texts]]
    kinds += [
        ["\U0001f375" + text for text in texts],
        ["a" * (edits.LONGEST_IN_LANES + 1)] * 8 + texts,
    ]
    many = [chr(code) for code in range(0x10000, 0x19000)]
    kinds.append(["".join(many[start::300]) for start in range(300)][:40])
    without = [Damerau().block(kind, texts) for kind in kinds]
    monkeypatch.setattr(edits, "is_worth_compiling", lambda loop, seconds: True)
    measured = []

    def counted(left, right):
        measured.append(found := edits_in_lanes(left, right))
        return found

    edits_in_lanes = edits._damerau_in_lanes
    monkeypatch.setattr(edits, "_damerau_in_lanes", counted)
    for kind, expected in zip(kinds, without, strict=True):
        np.testing.assert_array_equal(Damerau().block(kind, texts), expected)
    assert len(measured) == 4  # not the tokens, not the long ones


def test_more_letters_than_can_be_numbered_are_measured_without_lanes():
    many = [chr(code) for code in range(0x10000, 0x19000)]
    lines = ["".join(many[start : start + 1000]) for start in range(0, len(many), 1000)]
    assert edits._damerau_in_lanes(Sequences(lines), Sequences(lines)) is None
