"""Lowest leads of scores over words: equal to those of all texts within the edits, and attained by
the text that is given.
"""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.classifiers import edited_texts as twins
from oracles.metrics.distances import levenshtein

from wideberth.classifiers.linear.edit_paths import strange_letter
from wideberth.classifiers.linear.word_paths import WordPaths
from wideberth.metrics.strings.words_and_grams import Words
from wideberth.rounding import RADIUS_ERROR

#: Two letters of words, a capital, two kinds of white space and a letter of no word.
LETTERS = "abA \t?"
WORDS = st.lists(st.text("ab", min_size=1, max_size=4), max_size=10, unique=True)


@st.composite
def models(draw):
    words, n_classes = draw(WORDS), draw(st.integers(2, 3))
    weight = st.integers(-3, 3)
    weights = draw(
        st.lists(
            st.lists(weight, min_size=n_classes, max_size=n_classes),
            min_size=len(words),
            max_size=len(words),
        )
    )
    return (
        words,
        np.array(weights, dtype=float).reshape(len(words), n_classes),
        np.arange(n_classes) % 2.0,
    )


def scores_of(texts, words, weights, intercepts):
    return twins.scores(
        texts, [Words()], [[tuple(map(ord, word)) for word in words]], weights, intercepts
    )


def check(model, text, edits, letters=LETTERS):
    """All leads of one text against all texts, and the texts that attain them."""
    paths, winner = WordPaths(*model), len(text) % len(model[2])
    leads = paths.lowest_leads([text], np.array([winner]), edits)
    assert leads.shape == (1, edits + 1, len(model[2]))
    for spent, some in enumerate(twins.within_edits(text, edits, letters)):
        np.testing.assert_array_equal(
            leads[0, spent], twins.lowest_leads(scores_of(some, *model), winner)
        )
        for rival in set(range(len(model[2]))) - {winner}:
            worst = paths.worst_text(text, winner, rival, spent)
            reached = scores_of([worst], *model)[0]
            assert reached[winner] - reached[rival] == leads[0, spent, rival]
            assert levenshtein(text, worst) <= spent


@pytest.mark.kernels
@given(models(), st.text(LETTERS, max_size=4))
@settings(max_examples=30, deadline=None)
def test_leads_within_two_edits_are_those_of_all_texts(model, text):
    check(model, text, 2)


@given(models(), st.text(LETTERS, max_size=9))
@settings(max_examples=200, deadline=None)
def test_leads_within_one_edit_are_those_of_all_texts(model, text):
    check(model, text, 1)


@given(models(), st.text("ab A", max_size=2))
@settings(max_examples=30, deadline=None)
@example((["ab", "a"], np.array([[0.0, 1.0], [0.0, 3.0]]), np.zeros(2)), "b")
def test_leads_within_three_edits_are_those_of_all_texts(model, text):
    check(model, text, 3, "ab ?")


@pytest.mark.slow
@given(models(), st.text(LETTERS, max_size=6))
@settings(max_examples=3000, deadline=None)
def test_leads_within_two_edits_are_those_of_all_texts_many_times(model, text):
    check(model, text, 2, "ab ?")


@given(models(), st.lists(st.text(LETTERS, max_size=12), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_leads_never_rise_with_the_edits_and_start_at_the_lead(model, texts):
    winners = np.arange(len(texts)) % len(model[2])
    leads = WordPaths(*model).lowest_leads(texts, winners, 4, n_jobs=1)
    assert np.all(leads[:, 1:] <= leads[:, :-1])
    for row, found in enumerate(scores_of(texts, *model)):
        np.testing.assert_array_equal(leads[row, 0], twins.lowest_leads(found[None], winners[row]))


@given(st.integers(0, 10**9), st.text("abcde  ", max_size=60), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_texts_attain_leads_of_any_weights_up_to_rounding(seed, text, edits):
    rng = np.random.default_rng(seed)
    words = sorted({"".join(rng.choice(list("abcde"), rng.integers(1, 6))) for _ in range(60)})
    model = words, rng.normal(size=(len(words), 3)), rng.normal(size=3)
    paths = WordPaths(*model)
    lead, sizes = (
        paths.lowest_leads([text], np.array([2]), edits)[0, edits, 1],
        paths.sizes([text], edits)[0, edits],
    )
    worst = paths.worst_text(text, 2, 1, edits)
    reached = scores_of([worst], *model)[0]
    assert abs(reached[2] - reached[1] - lead) <= RADIUS_ERROR * (sizes[2] + sizes[1])
    assert levenshtein(text, worst) <= edits
    absolute = twins.scores(
        [worst],
        [Words()],
        [[tuple(map(ord, word)) for word in words]],
        np.abs(model[1]),
        np.abs(model[2]),
    )
    assert np.all(absolute[0] <= sizes * (1 + RADIUS_ERROR))


@pytest.mark.slow
def test_all_texts_one_edit_from_a_long_one():
    rng = np.random.default_rng(3)
    words = sorted({"".join(rng.choice(list("abcdefgh"), rng.integers(1, 5))) for _ in range(400)})
    text = " ".join(rng.choice(words, 58))
    assert len(text) > 190
    weights = rng.integers(-9, 10, (len(words), 3)) / 8.0
    leads = WordPaths(words, weights, np.zeros(3)).lowest_leads([text], np.array([1]), 1)
    expected = twins.lowest_leads(
        scores_of(list(twins.one_edit_away(text, "abcdefgh ?")), words, weights, np.zeros(3)), 1
    )
    np.testing.assert_array_equal(leads[0, 1], expected)


def test_capitals_are_kept_where_letters_are():
    paths = WordPaths(["tea", "sea"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.zeros(2))
    assert paths.worst_text("TEA", winner=0, rival=1, edits=1) == "sEA"
    assert paths.worst_text("ΑΣ İ", winner=0, rival=1, edits=0) == "ΑΣ İ"


def test_a_strange_letter_over_the_first_one_where_all_other_edits_leave_a_word():
    paths = WordPaths(["a", "b", "ab"], np.array([[1.0, 0.0]] * 3), np.zeros(2))
    assert paths.worst_text("ab", winner=0, rival=1, edits=1) == f"{strange_letter(paths.words)}b"


def test_words_that_no_text_has_do_no_harm():
    words = ["tea", "Tea", "", "a cup", " ", "same"]
    weights = np.array(
        [[1.0, 0.0], [-9.0, 9.0], [-9.0, 9.0], [-9.0, 9.0], [-9.0, 9.0], [-9.0, -9.0]]
    )
    paths = WordPaths(words, weights, np.zeros(2))
    np.testing.assert_array_equal(
        paths.lowest_leads(["Tea same a cup"], np.array([0]), 2)[0, :, 1], [1.0, 0.0, 0.0]
    )


def test_no_words_no_texts_and_texts_of_nothing():
    nothing = WordPaths([], np.empty((0, 2)), np.array([0.5, 0.0]))
    np.testing.assert_array_equal(
        nothing.lowest_leads(["", " \t ", "x"], np.zeros(3, dtype=int), 1)[:, :, 1], 0.5
    )
    assert nothing.lowest_leads([], np.empty(0, dtype=int), 2).shape == (0, 3, 2)
    assert nothing.worst_text("", 0, 1, 2) == ""
    one = WordPaths(["a"], np.array([[0.0, 1.0]]), np.zeros(2))
    np.testing.assert_array_equal(
        one.lowest_leads(["", "  "], np.zeros(2, dtype=int), 3)[:, :, 1],
        [[0, -1, -1, -2], [0, -1, -2, -3]],
    )


def test_long_texts_long_words_and_many_classes():
    rng = np.random.default_rng(0)
    words = sorted(
        {"".join(rng.choice(list("abcdefgh"), rng.integers(1, 6))) for _ in range(300)} | {"a" * 60}
    )
    weights = rng.integers(-9, 10, (len(words), 18)) / 8.0
    paths = WordPaths(words, weights, np.zeros(18))
    texts = [
        " ".join(rng.choice(words[1:], 2500)),
        "x" * 10_000,
        "a" * 10_000,
        " " * 10_000,
        "a" * 59,
    ]
    leads = paths.lowest_leads(texts, np.array([0, 3, 17, 3, 5]), 2)
    assert np.isfinite(leads).sum() == leads.size - 3 * len(texts)
    worst = paths.worst_text(texts[0], 0, 7, 2)
    reached = scores_of([worst], words, weights, np.zeros(18))[0]
    assert reached[0] - reached[7] == leads[0, 2, 7]


def test_the_number_of_cores_changes_nothing():
    rng = np.random.default_rng(1)
    words = sorted({"".join(rng.choice(list("abcd"), rng.integers(1, 6))) for _ in range(200)})
    paths = WordPaths(words, rng.normal(size=(len(words), 3)), np.zeros(3))
    texts = [" ".join(rng.choice(words, 30)) for _ in range(400)]
    winners = rng.integers(0, 3, 400)
    one, two = (paths.lowest_leads(texts, winners, 1, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one, two)
