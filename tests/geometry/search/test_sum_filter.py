"""Least sums by signatures are those of all distances, to the last bit, ties included; and they are
asked where they pay.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.classifiers.lipschitz.function import SumsByClass, project, score_bounds
from wideberth.geometry.search import sum_filter
from wideberth.geometry.search.sum_filter import SumFilter
from wideberth.geometry.search.weighted import WeightedNeighbors
from wideberth.metrics.strings.kernels import LONGEST

METRICS = ("levenshtein", "normalized_levenshtein", "indel")
#: Few letters make ties; long texts and any characters are answered otherwise or make trouble.
words = st.text("abc", max_size=7)
texts = st.one_of(
    words,
    words,
    st.text(max_size=5),
    st.text("ab", min_size=LONGEST - 1, max_size=LONGEST + 2),
    st.text("a\ud800\U0001f375é", max_size=5),
)


def census(n, seed=0):
    """Words of some syllables: many ties and equal words."""
    chance = np.random.default_rng(seed)
    syllables = np.array(["ka", "ro", "mi", "ste", "an", "lo", "beth", "ul", "e", "x"])
    return ["".join(chance.choice(syllables, chance.integers(1, 5))) for _ in range(n)]


def brute(distances, codes, n_groups, offsets, slope, limits):
    """The first object with the least sum below the limit in each group, all sums being computed."""
    sums = slope * distances + offsets
    indices, least = np.full(limits.shape, -1), limits.copy()
    for row, group in np.ndindex(limits.shape):
        members = np.flatnonzero(codes == group)
        if len(members) and sums[row, members].min() < limits[row, group]:
            indices[row, group] = members[sums[row, members].argmin()]
            least[row, group] = sums[row, indices[row, group]]
    return indices, least


@pytest.mark.kernels
@pytest.mark.parametrize("name", METRICS)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_all_is_found_ties_and_last_bits_included(name, data):
    metric = wideberth.metric(name)
    objects = data.draw(st.lists(texts, min_size=1, max_size=24))
    queries = data.draw(st.lists(texts, min_size=1, max_size=5))
    n, n_groups = len(objects), data.draw(st.integers(1, 3))
    chance = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    codes = chance.integers(n_groups, size=n)  # a group may be empty
    # few offsets make ties, many make all sums differ in the last bit
    few = chance.choice([-1.0, -1 / 3, 0.0, 0.1, 1.0], n)
    offsets = data.draw(st.sampled_from([few, np.round(3 * few), chance.normal(size=n)]))
    slope = data.draw(st.sampled_from([0.0, 1 / 3, 0.7, 1.0, 20.0]))
    limits = chance.choice([0.3, 1.0, np.inf, 2 / 3], (len(queries), n_groups))
    prepared = metric.prepare(objects)
    filtered = SumFilter(prepared, metric, codes, n_groups, n_jobs=1)
    asked = metric.prepare(queries)
    found = filtered.least(asked, offsets, slope, limits)
    any_of_equals = filtered.least(asked, offsets, slope, limits, breaks_ties=False)
    np.testing.assert_array_equal(any_of_equals.sums, found.sums)
    distances = metric.block(queries, objects)
    indices, sums = brute(distances, codes, n_groups, offsets, slope, limits)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.sums, sums)
    for row, group in np.argwhere(indices >= 0):
        assert found.distances[row, group] == distances[row, indices[row, group]]
    assert np.isinf(found.distances[indices < 0]).all()


@pytest.mark.kernels
@pytest.mark.parametrize("name", METRICS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_scores_are_those_of_all_distances_to_the_last_bit(name, data):
    objects = data.draw(st.lists(texts, min_size=1, max_size=24))
    queries = data.draw(st.lists(texts, min_size=1, max_size=5))
    k, n = data.draw(st.integers(2, 4)), len(objects)  # a class may win nowhere
    chance = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    margins = data.draw(st.sampled_from([np.ones(n), chance.choice([0, 1 / 3, 1.0], n)]))
    margins = data.draw(st.sampled_from([margins, chance.random(n)]))
    slope = data.draw(st.sampled_from([0.1, 2 / 3, 1.0, 30.0]))
    metric, codes = wideberth.metric(name), chance.integers(k, size=n)
    prepared, asked = metric.prepare(objects), metric.prepare(queries)
    sums = SumsByClass(prepared, metric, codes, slope, k, max_memory=10**6, n_jobs=1)
    expected = score_bounds(*sums.raising_and_limiting(asked, margins))
    own = project(prepared, metric, margins, codes, slope, k, max_memory=10**6, n_jobs=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SumFilter, "pays", lambda *_: True)
        found = score_bounds(*sums.raising_and_limiting(asked, margins))
        projected = project(prepared, metric, margins, codes, slope, k, max_memory=10**6, n_jobs=1)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(projected, own)


@pytest.fixture
def compiled_already(monkeypatch):
    monkeypatch.setattr(sum_filter, "is_compiled", lambda loop: True)
    monkeypatch.setitem(sum_filter.MIN_BRUTE_SECONDS, "filter", 0.0)


@pytest.mark.usefixtures("compiled_already")
def test_many_words_are_searched_and_few_measured():
    metric, known, asked = wideberth.metric("levenshtein"), census(3_000), census(1_200, 1)
    chance = np.random.default_rng(0)
    offsets = chance.choice([-1.0, -1 / 3, 0.5], len(known))
    near = WeightedNeighbors(metric.prepare(known), metric)
    limits = chance.choice([1.0, np.inf], len(asked))
    found = near.least(metric.prepare(asked), offsets, 2 / 3, below=limits)
    expected = brute(
        metric.block(asked, known), np.zeros(len(known)), 1, offsets, 2 / 3, limits[:, None]
    )
    np.testing.assert_array_equal(found.indices, expected[0])
    np.testing.assert_array_equal(found.sums, expected[1])
    assert near.distance_calls < 0.1 * len(known) * len(asked)
    # nothing on shelves is sent elsewhere or kept, and no answer depends on it
    again = pickle.loads(pickle.dumps(near)).least(metric.prepare(asked), offsets, 2 / 3)
    assert len(pickle.dumps(near)) < 2 * len(pickle.dumps((known, np.zeros(len(known)))))
    np.testing.assert_array_equal(again.indices[np.isinf(limits)], found.indices[np.isinf(limits)])


@pytest.mark.usefixtures("compiled_already")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("levenshtein", "letters that say nothing"),
        ("damerau", "words"),
        ("levenshtein", "tokens"),
        ("levenshtein", "few"),
    ],
)
def test_others_are_measured_in_blocks(name, words):
    drawn = {
        "letters that say nothing": lambda: [
            "".join(row) for row in np.random.default_rng(0).choice(list("ACGT"), (1_600, 40))
        ],
        "words": lambda: census(1_600),
        "tokens": lambda: [list(word) for word in census(1_600)],
        "few": lambda: census(1_000),
    }[words]()
    metric = wideberth.metric(name)
    known, asked = metric.prepare(drawn[50:]), metric.prepare(drawn[:50])
    near = WeightedNeighbors(known, metric)
    near.least(asked, np.zeros(len(known)), 1.0)
    assert near.distance_calls >= len(known) * len(asked)


def test_what_is_not_compiled_is_not_compiled_for_little(monkeypatch):
    monkeypatch.setattr(sum_filter, "is_compiled", lambda loop: False)
    metric = wideberth.metric("levenshtein")
    known, asked = metric.prepare(census(4_000)), metric.prepare(census(2_500, 1))
    filtered = SumFilter(known, metric, np.zeros(4_000, dtype=int), 1, n_jobs=1)
    assert not filtered.pays(asked, np.zeros(4_000), 1.0)
    monkeypatch.setattr(sum_filter, "COMPILING_FILTER", 0.1)
    assert filtered.pays(asked, np.zeros(4_000), 1.0)
