"""Lowest leads of scores over n-grams: equal to those of all texts within the edits, and attained
by the text that is given.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers import edited_texts as twins
from oracles.metrics import text_counts
from oracles.metrics.distances import levenshtein

from wideberth.classifiers.linear import gram_kernels
from wideberth.classifiers.linear.gram_paths import FirstPass, GramPaths
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import read_texts
from wideberth.metrics.strings.words_and_grams import NGrams
from wideberth.rounding import RADIUS_ERROR

#: Two letters of n-grams, a capital, two kinds of white space and a letter of no n-gram.
LETTERS = "abA \t?"
WRITTEN = "ab \t?"


def grams_of(texts, orders, at):
    """All n-grams of texts, as code points and marks, but for those with the letter that is to be
    in none.
    """
    found = {gram for text in texts for gram in text_counts.ngrams(text, orders, at)}
    coded = {
        tuple(MARK if letter is text_counts.MARK else ord(letter) for letter in gram)
        for gram in found
    }
    return sorted(gram for gram in coded if ord("?") not in gram)


@st.composite
def models(draw):
    """N-grams, weights, intercepts, and where and what is counted."""
    at, orders = (
        draw(st.sampled_from(["words", "text"])),
        draw(st.lists(st.integers(1, 3), min_size=1, unique=True)),
    )
    grams = grams_of(draw(st.lists(st.text(LETTERS, max_size=7), max_size=4)), orders, at)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_classes = draw(st.integers(2, 3))
    return (
        grams,
        rng.integers(-3, 4, (len(grams), n_classes)).astype(float),
        np.arange(n_classes) % 2.0,
        at,
        orders,
    )


def paths_of(model):
    return GramPaths(*model[:3], at=model[3], orders=model[4])


def scores_of(texts, model):
    grams, weights, intercepts, at, orders = model
    return twins.scores(texts, [NGrams(orders, at)], [grams], weights, intercepts)


def check(model, text, edits):
    """All leads of one text against all texts, and the texts that attain them."""
    paths, winner = paths_of(model), len(text) % len(model[2])
    leads = paths.lowest_leads([text], np.array([winner]), edits)
    assert leads.shape == (1, edits + 1, len(model[2]))
    for spent, some in enumerate(twins.within_edits(text, edits, WRITTEN)):
        np.testing.assert_array_equal(
            leads[0, spent], twins.lowest_leads(scores_of(some, model), winner)
        )
        for rival in set(range(len(model[2]))) - {winner}:
            worst = paths.worst_text(text, winner, rival, spent)
            reached = scores_of([worst], model)[0]
            assert reached[winner] - reached[rival] == leads[0, spent, rival]
            assert levenshtein(text, worst) <= spent


@pytest.mark.kernels
@given(models(), st.text(LETTERS, max_size=3))
@settings(max_examples=30, deadline=None)
def test_leads_within_two_edits_are_those_of_all_texts(model, text):
    check(model, text, 2)


@given(models(), st.text(LETTERS, max_size=9))
@settings(max_examples=200, deadline=None)
def test_leads_within_one_edit_are_those_of_all_texts(model, text):
    check(model, text, 1)


@given(models(), st.text(LETTERS, max_size=1))
@settings(max_examples=10, deadline=None)
def test_leads_within_three_edits_are_those_of_all_texts(model, text):
    check(model, text, 3)


@pytest.mark.slow
@given(models(), st.text(LETTERS, max_size=5))
@settings(max_examples=2000, deadline=None)
def test_leads_within_two_edits_are_those_of_all_texts_many_times(model, text):
    check(model, text, 2)


@given(models(), st.lists(st.text(LETTERS, max_size=12), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_leads_never_rise_with_the_edits_and_start_at_the_lead(model, texts):
    winners = np.arange(len(texts)) % len(model[2])
    leads = paths_of(model).lowest_leads(texts, winners, 3, n_jobs=1)
    assert np.all(leads[:, 1:] <= leads[:, :-1])
    for row, found in enumerate(scores_of(texts, model)):
        np.testing.assert_array_equal(leads[row, 0], twins.lowest_leads(found[None], winners[row]))


@pytest.mark.parametrize("at", ["words", "text"])
@pytest.mark.parametrize("seed", range(8))
def test_bounds_leave_out_nothing_that_is_lower(at, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    some, text = ("".join(rng.choice(list("abc "), size)) for size in (60, 12))
    grams = grams_of([some], (1, 2, 3), at)
    weights = rng.integers(-9, 10, (len(grams), 2)).astype(float)
    paths = GramPaths(grams, weights, np.zeros(2), at=at, orders=(1, 2, 3))
    found = paths.lowest_leads([text], np.array([0]), 3, n_jobs=1)
    monkeypatch.setattr(
        "wideberth.classifiers.linear.gram_kernels.bound_behind",
        lambda *given: given[-1].fill(-np.inf),
    )
    np.testing.assert_array_equal(found, paths.lowest_leads([text], np.array([0]), 3, n_jobs=1))


def lowest_behind(codes, grams):
    """By the definition: the lowest sum of n-grams that end behind a position, with exactly so many
    edits made there or behind, after any two letters.
    """
    n = len(codes) - 5

    @cache
    def added(older, newer, letter):
        triple = gram_kernels._triple.py_func(grams.beginnings, older, newer, letter)
        return grams.doubles[newer, letter] + (grams.triples[triple] if triple >= 0 else 0.0)

    @cache
    def lowest(edits, at, older, newer):
        found = [np.full(grams.singles.shape[1], np.inf)]
        if edits == 0 and at == n:
            found.append(added(older, newer, 0) + added(newer, 0, 0))
        if at < n:
            letter = int(codes[at + 2])
            found.append(added(older, newer, letter) + lowest(edits, at + 1, newer, letter))
        if edits > 0:
            for letter in range(grams.least, grams.doubles.shape[0]):
                for behind in (at, at + 1) if at < n else (at,):
                    rest = lowest(edits - 1, behind, newer, letter)
                    found.append(added(older, newer, letter) + rest)
            if at < n:
                found.append(lowest(edits - 1, at + 1, older, newer))
        return np.min(found, axis=0)

    return lowest


@pytest.mark.kernels
@given(st.integers(0, 2**32), st.sampled_from(["words", "text"]), st.integers(0, 6))
@settings(max_examples=200, deadline=None)
def test_bounds_are_below_all_that_may_follow_any_two_letters(seed, at, size):
    """Each bound by itself: a search that leaves out too much by a wrong one is hardly ever wrong."""
    rng = np.random.default_rng(seed)
    some, text = ("".join(rng.choice(list("ab "), length)) for length in (12, size))
    grams = grams_of([some], (1, 2, 3), at)
    weights = rng.integers(-9, 10, (len(grams), 2)) * (rng.random((len(grams), 1)) < 0.5)
    paths = GramPaths(grams, weights.astype(float), np.zeros(2), at=at, orders=(1, 2, 3))
    tables = paths._of_rivals(0, np.array([1]))
    codes = paths._tables.codes(read_texts([text]))[0]
    bounds, lowest = FirstPass.of(codes, tables, 3).bounds, lowest_behind(codes, tables)
    letters = range(tables.doubles.shape[0])
    for edits, place in product(range(4), range(len(codes) - 4)):
        older, newer = (int(code) for code in codes[place : place + 2])
        for known, contexts in enumerate(
            (product(letters, letters), product(letters, [newer]), [(older, newer)])
        ):
            for context in contexts:
                assert np.all(bounds[edits, place, known] <= lowest(edits, place, *context) + 1e-9)


@given(models(), st.text(LETTERS, min_size=2, max_size=4))
@settings(max_examples=40, deadline=None)
def test_no_text_falls_below_the_bounds(model, text):
    paths = paths_of(model)
    grams, codes = paths._of_rivals(0, np.arange(1, len(model[2]))), paths._tables.codes
    bounds = FirstPass.of(codes(read_texts([text]))[0], grams, 2).bounds[:, 0, 2]
    for spent, some in enumerate(twins.within_edits(text, 2, WRITTEN)):
        lowest = twins.lowest_leads(scores_of(some, model), 0)[1:] - (model[2][0] - model[2][1:])
        assert (bounds[spent] <= lowest).all()
        assert spent > 1 or (bounds[spent] == lowest).all()


@given(
    models(),
    st.lists(st.text(LETTERS, max_size=12), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(-6, 2),
)
@settings(max_examples=150, deadline=None)
def test_labels_are_kept_where_the_lowest_leads_say_so(model, texts, edits, shift):
    """Bounds decide no more than is so, and what they do not decide is looked for."""
    paths, winners = paths_of(model), np.arange(len(texts)) % len(model[2])
    leads = paths.lowest_leads(texts, winners, edits, n_jobs=1)[:, edits]
    paths.intercepts = paths.intercepts - shift * (np.arange(len(model[2])) == 0)
    moved = np.subtract.outer(paths.intercepts, paths.intercepts)
    before = np.subtract.outer(model[2], model[2])
    leads = leads + (moved - before)[winners]
    kept = paths.keep_label(texts, winners, edits, np.zeros(leads.shape), 1)
    np.testing.assert_array_equal(kept, (leads > 0).all(axis=1))


@given(
    st.integers(0, 10**9),
    st.text("abcde  ", max_size=40),
    st.integers(0, 3),
    st.sampled_from(["words", "text"]),
)
@settings(max_examples=60, deadline=None)
def test_texts_attain_leads_of_any_weights_up_to_rounding(seed, text, edits, at):
    rng = np.random.default_rng(seed)
    grams = grams_of(["".join(rng.choice(list("abcde "), 40))], (1, 2, 3), at)
    model = grams, rng.normal(size=(len(grams), 3)), rng.normal(size=3), at, (1, 2, 3)
    paths = paths_of(model)
    lead, sizes = (
        paths.lowest_leads([text], np.array([2]), edits)[0, edits, 1],
        paths.sizes([text], edits)[0, edits],
    )
    worst = paths.worst_text(text, 2, 1, edits)
    reached = scores_of([worst], model)[0]
    assert abs(reached[2] - reached[1] - lead) <= RADIUS_ERROR * (sizes[2] + sizes[1])
    assert levenshtein(text, worst) <= edits
    absolute = scores_of([worst], (grams, np.abs(model[1]), np.abs(model[2]), at, (1, 2, 3)))
    assert np.all(absolute[0] <= sizes * (1 + RADIUS_ERROR))


@pytest.mark.slow
@pytest.mark.parametrize("at", ["words", "text"])
def test_all_texts_one_edit_from_a_long_one(at):
    rng = np.random.default_rng(3)
    text = "".join(rng.choice(list("abcd "), 200))
    grams = grams_of([text, "".join(rng.choice(list("abcd "), 300))], (1, 2, 3), at)
    model = grams, rng.integers(-9, 10, (len(grams), 3)) / 8.0, np.zeros(3), at, (1, 2, 3)
    leads = paths_of(model).lowest_leads([text], np.array([1]), 1)
    expected = twins.lowest_leads(scores_of(list(twins.one_edit_away(text, "abcd ?")), model), 1)
    np.testing.assert_array_equal(leads[0, 1], expected)


def test_ngrams_that_no_text_has_do_no_harm():
    impossible = [
        (MARK,),
        (MARK, MARK),
        (97, MARK, 98),
        (65,),
        (32,),
        (MARK, MARK, 97),
        (97, 98, 99, 100),
        (MARK, 97, MARK),
    ]
    weights = np.array([[-9.0, 9.0]] * len(impossible))
    paths = GramPaths(
        [*impossible, (97,)],
        np.vstack([weights, [[1.0, 0.0]]]),
        np.zeros(2),
        at="words",
        orders=[1, 2],
    )
    np.testing.assert_array_equal(
        paths.lowest_leads(["A a"], np.array([0]), 3)[0, :, 1], [2.0, 1.0, 0.0, 0.0]
    )


def test_no_ngrams_no_texts_and_texts_of_nothing():
    nothing = GramPaths([], np.empty((0, 2)), np.array([0.5, 0.0]), at="text", orders=[3])
    np.testing.assert_array_equal(
        nothing.lowest_leads(["", " \t ", "x"], np.zeros(3, dtype=int), 2)[:, :, 1], 0.5
    )
    assert nothing.lowest_leads([], np.empty(0, dtype=int), 2).shape == (0, 3, 2)
    assert nothing.sizes([], 1).shape == (0, 2, 2)
    assert nothing.worst_text("", 0, 1, 2) == ""


@pytest.mark.slow
def test_long_texts_many_letters_and_many_classes():
    rng = np.random.default_rng(0)
    letters = [chr(code) for code in range(0x4E00, 0x4E00 + 300)]
    text = "".join(rng.choice([*letters, " "], 10_000))
    model = grams_of([text[:2000]], (1, 2, 3), "words"), None, np.zeros(18), "words", (1, 2, 3)
    model = model[0], rng.integers(-9, 10, (len(model[0]), 18)) / 8.0, *model[2:]
    leads = paths_of(model).lowest_leads([text[:3000], text], np.array([0, 3]), 1)
    assert np.isfinite(leads).sum() == leads.size - 4
    paths = GramPaths(*[model[0], model[1][:, :2], np.zeros(2)], at="words", orders=(1, 2, 3))
    lead, worst = (
        paths.lowest_leads([text[:300]], np.array([0]), 2)[0, 2, 1],
        paths.worst_text(text[:300], 0, 1, 2),
    )
    reached = twins.scores([worst], [NGrams()], [model[0]], model[1][:, :2], np.zeros(2))[0]
    assert reached[0] - reached[1] == lead


def test_longer_ngrams_are_refused_and_the_advice_helps():
    with pytest.raises(InvalidInput, match="not of 4") as refused:
        GramPaths([], np.empty((0, 2)), np.zeros(2), at="words", orders=(1, 4))
    assert "(1, 2, 3)" in str(refused.value)
    GramPaths([], np.empty((0, 2)), np.zeros(2), at="words", orders=(1, 2, 3))
