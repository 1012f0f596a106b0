"""Indel and Damerau distances: equal to their definitions, with the witnesses that their docstrings name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.edits import damerau, indel
from rapidfuzz.distance import OSA
from strategies import words

import wideberth
from wideberth.metrics.strings.edits import Damerau, Indel


@given(texts=words)
@settings(deadline=None, max_examples=40)
def test_indel_equals_the_definition(texts):
    np.testing.assert_array_equal(Indel().block(texts, texts), [[indel(one, other) for other in texts] for one in texts])


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
    assert np.array(weights) @ metric.block(witness, witness) @ weights == 2 * value  # each pair twice
    assert metric.negative_type is metric.hilbertian is False


@pytest.mark.parametrize("name", ["indel", "damerau", "weighted_edit"])
@pytest.mark.parametrize(
    "one_and_other",
    [("abcd", "abd"), (b"abcd", b"abd"), (list("abcd"), list("abd")), (("x", 1, -1, -2), ("x", 1, -2)), ([0.5, "ab"], [0.5])],
    ids=repr,
)
def test_tokens_of_many_kinds(name, one_and_other):
    assert wideberth.metric(name).block([one_and_other[0]], [one_and_other[1]]) == 1
