"""The filter engine finds what brute force finds, ties included, and measures few distances; its
bounds are bounds.
"""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.checks import check_index
from wideberth.errors import InvalidInput
from wideberth.geometry.measure import parallel
from wideberth.geometry.search.index import Index
from wideberth.metrics.strings.edits import Levenshtein
from wideberth.metrics.strings.kernels import LONGEST

METRICS = ("levenshtein", "normalized_levenshtein", "indel", "damerau")
FILTER = partial(Index, engine="filter")

#: Few letters make ties; any characters, lone surrogates among them, and byte strings make trouble.
few_letters = st.text("abc", max_size=7)
any_letters = st.one_of(
    few_letters,
    st.text(max_size=6),
    st.binary(max_size=4),
    st.text("a\ud800\U0001f375é", max_size=5),
)
long_texts = st.text("ab", min_size=LONGEST - 1, max_size=LONGEST + 3)
samples = st.lists(st.one_of(few_letters, any_letters, long_texts), min_size=2, max_size=14)


def census(n, seed=0):
    """Words of two syllables or three, with some letters exchanged: many ties, some equal words."""
    chance = np.random.default_rng(seed)
    syllables = np.array(["ka", "ro", "mi", "ste", "an", "lo", "beth", "ul"])
    return [
        "".join(chance.choice(syllables, chance.integers(2, 4))) + "aeiou"[chance.integers(5)]
        for _ in range(n)
    ]


# ---- bounds --------------------------------------------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=60, deadline=None)
@given(learned_from=samples, left=samples, right=samples)
def test_bounds_never_exceed_distances_whatever_the_sketch_was_learned_from(
    name, learned_from, left, right
):
    metric = wideberth.metric(name)
    sketch = metric.sketch(metric.prepare(learned_from))
    bounds = sketch.lower_bounds(
        *(sketch.signatures(metric.prepare(strings)) for strings in (left, right))
    )
    assert (bounds <= metric.block(left, right)).all()


def test_a_bound_is_the_surplus_of_letters_where_all_counts_have_bits():
    metric = wideberth.metric("levenshtein")
    words = metric.prepare(["banana", "bandana", "cab", ""])
    sketch = metric.sketch(words)
    signed = sketch.signatures(words)
    assert sketch.lower_bounds(signed, signed)[0].tolist() == [
        0,
        1,
        4,
        6,
    ]  # n and d; aann against c; six letters


@pytest.mark.slow
def test_texts_of_very_different_lengths():
    texts = ["", "a" * 600, "ab" * 300, "b" * 300, "a"]
    for name in METRICS:
        check_index(FILTER, texts, name, queries=[*texts, "a" * 200])


# ---- the answers of brute force ------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=15, deadline=None)
@given(objects=samples, queries=samples)
def test_strings_of_any_kind(name, objects, queries):
    check_index(FILTER, objects, name, queries=queries)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=10, deadline=None)
@given(objects=samples, eta=st.sampled_from([0.1, 0.5, 2.0]))
def test_eta_bounds_every_rank(name, objects, eta):
    check_index(partial(FILTER, eta=eta), objects, name, eta=eta)


@pytest.mark.kernels
@pytest.mark.parametrize("name", METRICS)
def test_few_words(name):
    check_index(
        FILTER, ["tea", "tee", "", "coffee", "tea", "et"], name, queries=["eat", "toffee", "x" * 70]
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("name", METRICS)
def test_larger_samples_in_chunks_and_threads(name, monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "threads", 0.0)
    words, queries = census(900), [*census(150, seed=1), "beth" * 20]
    labels, excluded = np.arange(900) % 4, np.arange(151) % 5  # the label 4 excludes nothing
    exact = Index(words, name, labels=labels, engine="brute", n_jobs=1)
    for n_jobs in (1, 2):
        index = Index(words, name, labels=labels, engine="filter", n_jobs=n_jobs, max_memory="4MB")
        for k in (1, 7, 1_000):
            for excluding in (None, excluded):
                np.testing.assert_equal(
                    index.nearest(queries, k, excluding=excluding),
                    exact.nearest(queries, k, excluding=excluding),
                )
        for radius in (0.0, 0.3, 2.0, np.inf):
            np.testing.assert_equal(index.within(queries, radius), exact.within(queries, radius))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("k", [1, 5])
def test_all_ties_are_found(name, k):
    words, queries = census(400), census(40, seed=2)
    exact, index = (Index(words, name, engine=engine) for engine in ("brute", "filter"))
    for found, wanted in zip(together(index, queries, k), together(exact, queries, k), strict=True):
        np.testing.assert_array_equal(found, wanted)


def together(index, queries, k):
    parts = list(index.nearest_with_ties(queries, k))
    starts, indices, distances = zip(*parts, strict=True)
    return (
        np.concatenate([np.diff(each) for each in starts]),
        np.concatenate(indices),
        np.concatenate(distances),
    )


def test_the_order_of_the_objects_does_not_matter():
    words, queries = census(300), census(30, seed=3)
    order = np.random.default_rng(0).permutation(300)
    found = FILTER(words, "levenshtein").nearest(queries, 4).distances
    np.testing.assert_array_equal(
        FILTER([words[i] for i in order], "levenshtein").nearest(queries, 4).distances, found
    )


def test_a_pickled_index_answers_alike():
    index = FILTER(census(100), "levenshtein")
    copy = pickle.loads(pickle.dumps(index))
    np.testing.assert_equal(copy.nearest(["kastean"], 3), index.nearest(["kastean"], 3))


# ---- what it measures ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", METRICS)
def test_few_distances_are_measured_and_all_of_them_are_counted(name):
    words = census(1_000)
    index = FILTER(words, name)
    assert index.distance_calls == 0
    index.nearest(words[:100])
    assert 100 <= index.distance_calls < 0.1 * 100 * 1_000
    before = index.distance_calls
    index.within(words[:10], np.inf)
    assert index.distance_calls - before == 10 * 1_000


def test_sequences_of_tokens_are_answered_by_brute_force():
    queries = [["a", "cup", "of", "tea"], ["t", "e", "a"], [1, 2]]
    check_index(FILTER, ["tea", "tee", "rum"], "levenshtein", queries=queries)


def test_metrics_and_objects_without_a_sketch_are_refused():
    for objects, metric in [
        ([["a", "cup"], ["of", "tea"]], "levenshtein"),
        (["tea", "rum"], "hamming"),
        ([[0.0]], "euclidean"),
    ]:
        with pytest.raises(InvalidInput, match="engine 'filter' needs a metric") as failure:
            FILTER(objects, metric)
        assert "auto" in str(failure.value)
        assert Index(objects, metric, engine="auto").engine == "brute"


def test_a_distance_of_the_user_is_not_taken_for_its_base_class():
    class Capitals(Levenshtein):
        def prepare(self, objects):
            return super().prepare([text.upper() for text in objects])

    assert Capitals().sketch(Capitals().prepare(["tea"])) is None
