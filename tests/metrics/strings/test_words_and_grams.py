"""Distances between counts of words and n-grams: the definition, whatever the alphabet, in samples
prepared apart.
"""

import pickle
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import text_counts as twins
from strategies import texts

import wideberth
from wideberth import NeighborsClassifier
from wideberth.errors import InvalidInput
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings import text_counts
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import counted, read_texts, words_of
from wideberth.metrics.strings.words_and_grams import NGrams, Words
from wideberth.objects import sample

orders = st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True)
places = st.sampled_from(["words", "text"])
forms = st.sampled_from(["counts", "ruzicka"])

DRINKS = ["a cup of tea", "Tea with milk", "", "rum, rum and RUM"]


@pytest.mark.kernels
@given(texts, texts)
@settings(max_examples=60, deadline=None)
def test_words_prepared_apart_equal_the_definition(left, right):
    expected = [[twins.l1(twins.words(one), twins.words(other)) for other in right] for one in left]
    np.testing.assert_array_equal(Words().block(left, right), expected)
    np.testing.assert_array_equal(Words().block(right, left), np.transpose(expected))


@pytest.mark.kernels
@given(texts, texts, orders, places, forms)
@settings(max_examples=100, deadline=None)
def test_ngrams_prepared_apart_equal_the_definition(left, right, orders, at, form):
    metric, measure = NGrams(orders, at, form), twins.l1 if form == "counts" else twins.ruzicka
    counts = [[twins.ngrams(text, orders, at) for text in some] for some in (left, right)]
    expected = [[measure(one, other) for other in counts[1]] for one in counts[0]]
    np.testing.assert_allclose(metric.block(left, right), expected, rtol=1e-12, atol=1e-15)


def test_letters_are_lowered_one_by_one_and_white_space_is_that_of_split_in_all_of_unicode():
    everything = [chr(code) for code in range(sys.maxunicode + 1)]
    read = read_texts(["".join(everything)])
    expected = [
        ord(small) if len(small := letter.lower()) == 1 else ord(letter) for letter in everything
    ]
    np.testing.assert_array_equal(read.letters, expected)
    assert [everything[code] for code in np.flatnonzero(read.spaces)] == [
        each for each in everything if not each.split()
    ]


def test_a_sigma_does_not_depend_on_its_neighbours_and_a_dotted_i_stays():
    metric = NGrams(orders=(1,))
    assert metric("ΑΣ", "ασ") == 0
    assert metric("ΑΣ", "ας") == 2  # σ and ς are different letters
    assert metric("İ", "i̇") == 3


def test_half_a_surrogate_pair_is_a_letter():
    assert Words()("tea \ud83c", "tea") == 1
    assert NGrams(at="text")("\ud83c", "\ud83c") == 0


@given(texts)
@settings(max_examples=30, deadline=None)
def test_portions_change_nothing(some):
    whole = counted(some, words_of)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(text_counts, "_AT_A_TIME", 4)
        parts = counted(some, words_of)
    assert whole.elements.tuples() == parts.elements.tuples()
    for name in ("numbers", "weights", "starts", "totals"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_many_different_words_are_all_found_again():
    words = [f"w{number}" for number in range(40_000)]
    prepared = Words().prepare(
        [" ".join(words[first : first + 8]) for first in range(0, 40_000, 4)]
    )
    assert len(prepared.elements) == 40_000
    assert Words().block(
        sample.pick(prepared, [7]), sample.pick(prepared, [7, 8, 10])
    ).tolist() == [[0.0, 8.0, 16.0]]


def test_counts_take_little_memory():
    prepared = Words().prepare(
        [" ".join(f"w{number * step % 997}" for number in range(40)) for step in range(1, 500)]
    )
    assert (prepared.numbers.nbytes + prepared.weights.nbytes) <= 8 * 40 * len(prepared)


def test_counts_that_single_precision_does_not_hold_are_in_double_precision(monkeypatch):
    monkeypatch.setattr(text_counts, "_EXACT", 4)
    letters = NGrams(orders=(1,))
    prepared = letters.prepare(["aaaaab", "a"])
    assert prepared.weights.dtype == np.float64
    assert letters.prepare(Multisets.from_plain(prepared.plain())).weights.dtype == np.float64
    assert letters.block(prepared, ["aab"]).tolist() == [[3.0], [2.0]]


def test_keys_never_change():
    """Model files hold digests that are made of them."""
    assert Words().prepare(["Tea"]).elements.keys.tolist() == [-2539638485536857149]
    assert NGrams(orders=(2,)).prepare(["ß"]).elements.keys.tolist() == [
        -2124069958231434363,
        8970210881210294356,
    ]


def test_elements_are_the_words_themselves():
    assert ["".join(map(chr, word)) for word in Words().prepare(["Tea tea"]).elements.tuples()] == [
        "tea"
    ]
    assert set(NGrams(orders=(2,)).prepare(["ß"]).elements.tuples()) == {
        (MARK, ord("ß")),
        (ord("ß"), MARK),
    }


def test_what_was_prepared_is_selected_pickled_and_read_again():
    metric = NGrams()
    prepared = metric.prepare(DRINKS)
    assert metric.prepare(prepared) is prepared
    expected = metric.block(DRINKS, DRINKS)
    for twin in (
        pickle.loads(pickle.dumps(prepared)),
        metric.prepare(Multisets.from_plain(prepared.plain())),
    ):
        np.testing.assert_array_equal(metric.block(twin, DRINKS), expected)
        assert twin.weights.dtype == np.float32
    np.testing.assert_array_equal(
        metric.block(sample.pick(prepared, [2, 0]), prepared), expected[[2, 0]]
    )
    np.testing.assert_array_equal(
        metric.block(prepared, sample.pick(prepared, slice(1, 3))), expected[:, 1:3]
    )


def test_texts_come_in_all_forms():
    expected = Words().block(DRINKS, DRINKS)
    for form in (
        np.array(DRINKS),
        np.array(DRINKS, dtype=object),
        tuple(DRINKS),
        [text.encode() for text in DRINKS],
    ):
        np.testing.assert_array_equal(Words().block(form, DRINKS), expected)


def test_texts_at_distance_0_share_their_digests():
    near = Words().alike_digests(Words().prepare(["tea or rum", "RUM  or tea", "rum"]))
    assert near[0] == near[1] != near[2]
    given = Words().digests(["tea or rum", "RUM or tea"], None)
    assert given[0] != given[1]


def test_a_classifier_sees_words_that_it_has_not_learned():
    model = NeighborsClassifier("words", n_neighbors=1).fit(
        ["tea with milk", "rum with ale"], ["soft", "hard"]
    )
    assert model.predict(["milk punch", "ale punch"]).tolist() == ["soft", "hard"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"orders": ()}, "different whole numbers from 1 to 32, not \\(\\)"),
        ({"orders": (2, 2)}, "not \\(2, 2\\)"),
        ({"orders": (0, 1)}, "not \\(0, 1\\)"),
        ({"orders": 3}, "not 3"),
        ({"at": "letters"}, "at='letters' is unknown to 'ngrams'. It is 'words' or 'text'"),
        ({"form": "cosine"}, "form='cosine'.* 'counts' or 'ruzicka'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(InvalidInput, match=message):
        wideberth.metric("ngrams", **parameters)


def test_what_is_no_text_is_refused_and_the_advice_helps():
    with pytest.raises(
        InvalidInput, match=r"Object 1 is not a text: \['rum', 'ale'\]. Join tokens"
    ):
        Words().prepare(["tea", ["rum", "ale"]])
    assert Words()("tea", "rum ale") == 3
    with pytest.raises(InvalidInput, match="Object 0 is not a string"):
        Words().prepare([None])
