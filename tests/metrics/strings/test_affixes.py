"""Distances between prefixes and suffixes: the definition, in any alphabet, and what they
promise.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.text_counts import affixes
from strategies import texts

import wideberth
from wideberth import transforms
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.words_and_grams import Affixes

sizes = st.lists(st.integers(1, 5), max_size=3, unique=True)


@pytest.mark.kernels
@given(texts, texts, sizes, sizes)
@settings(max_examples=60, deadline=None)
def test_it_equals_the_definition(left, right, prefixes, suffixes):
    if not prefixes and not suffixes:
        return
    metric = Affixes(prefixes, suffixes)
    cut = [[affixes(text, prefixes, suffixes) for text in some] for some in (left, right)]
    expected = [
        [2 * sum(a != b for a, b in zip(one, other, strict=True)) for other in cut[1]]
        for one in cut[0]
    ]
    np.testing.assert_array_equal(metric.block(left, right), expected)


@pytest.mark.parametrize(
    "metric", [Affixes(prefixes=()), Affixes(suffixes=(), prefixes=(2, 5)), Affixes((1,), (1, 3))]
)
@given(some=texts)
@settings(max_examples=20, deadline=None)
def test_promises_hold(metric, some):
    assert not wideberth.diagnose(some, metric).broken_promises


def test_constants_are_attained_and_radii_are_in_edits():
    metric = Affixes((1, 2), (1, 2, 3))
    assert metric("a", "b") == metric("", "a") == metric.dominated["levenshtein"] == 10.0
    ends = transforms.scale(Affixes((), (1, 2)), 0.5)
    both = transforms.total("levenshtein", ends)
    assert both.dominated["levenshtein"] == 3.0
    names = ["anna", "julia", "maria", "peter", "walter", "dieter"]
    model = wideberth.LipschitzClassifier(both, C=10).fit(names, ["f"] * 3 + ["m"] * 3)
    assert model.predict(["andrea", "gunter"]).tolist() == ["f", "m"]
    assert (model.certified_radius(names, unit="edit") > 0).all()


@pytest.mark.parametrize("sizes", [(0,), (1, 1), 3, "12", (1.5,), (33,), None])
def test_refused_sizes(sizes):
    with pytest.raises(InvalidInput, match="different whole numbers from 1 to 32"):
        Affixes(prefixes=sizes)
    with pytest.raises(InvalidInput, match="The suffixes of"):
        Affixes(suffixes=sizes)


def test_something_must_be_compared():
    with pytest.raises(InvalidInput, match=r"no prefixes and no suffixes.*prefixes=\(1, 2, 3\)"):
        Affixes((), ())
    with pytest.raises(InvalidInput, match="Object 0 is not a text"):
        Affixes().prepare([["t", "e", "a"]])
