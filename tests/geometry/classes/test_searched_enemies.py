"""Nearest enemies, conflicts and matchings are the same whether an engine rules pairs out or every
pair is measured.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.classifiers.margin_neighbors import vertex_cover
from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
from wideberth.geometry.classes import enemies
from wideberth.geometry.classes.enemies import (
    EnemyLists,
    SearchedEnemies,
    conflict_pairs,
    nearest_enemies,
    prepare_search,
)
from wideberth.geometry.search import choosing

METRICS = ("levenshtein", "normalized_levenshtein", "indel", "damerau")


def words(n, seed=0, letters="abcdefghijklmnopqrst", length=7):
    chance = np.random.default_rng(seed)
    return ["".join(chance.choice(list(letters), chance.integers(1, length + 1))) for _ in range(n)]


@pytest.fixture
def always(monkeypatch):
    """The filter is taken however little there is to do."""
    monkeypatch.setattr(choosing, "MIN_OBJECTS", 64)
    monkeypatch.setattr(
        choosing, "MIN_BRUTE_SECONDS", dict.fromkeys(choosing.MIN_BRUTE_SECONDS, 0.0)
    )
    monkeypatch.setattr(choosing, "COMPILING_FILTER", 0.0)
    monkeypatch.setattr(choosing, "CLEARLY_FASTER", np.inf)


@pytest.fixture
def never(monkeypatch):
    """Return a function that computes something without the filter."""

    def computed(run):
        with monkeypatch.context() as patched:
            patched.setattr(enemies, "engine_for_enemies", lambda *_, **__: None)
            return run()

    return computed


@pytest.mark.few(1)
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("letters", "n_classes"), [("ab", 2), ("abcdefghijkl", 3), ("abcdefgh", 40)]
)
def test_nearest_enemies(name, letters, n_classes, always, never):
    sample, labels = (
        words(300, letters=letters),
        np.random.default_rng(1).integers(n_classes, size=300),
    )
    labels[:120] = 0  # one large class, which has strips of its own
    for k in (1, 6, 299):
        wanted = never(lambda k=k: nearest_enemies(sample, labels, name, k))
        np.testing.assert_equal(nearest_enemies(sample, labels, name, k), wanted)


@settings(max_examples=20, deadline=None)
@given(
    labels=st.lists(st.integers(0, 2), min_size=70, max_size=70),
    up_to=st.sampled_from([0.0, 1.0, 2.0, 3.5, np.inf]),
)
def test_lists_up_to_a_distance(labels, up_to):
    search = prepare_search(words(70, letters="abc", length=4), labels, "levenshtein")
    wanted = EnemyLists(search, 3, up_to=up_to, max_memory=10**6, n_jobs=1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(enemies, "engine_for_enemies", _whatever_it_costs)
        found = EnemyLists(search, 3, up_to=up_to, max_memory=10**6, n_jobs=1)
        _compare(found, wanted)
        rows, among = np.arange(0, 70, 3), np.arange(0, 70, 2)
        for lists in (found, wanted):
            lists.renew(rows, among)
        _compare(found, wanted)


def _whatever_it_costs(population, k, radius, *, max_memory, n_jobs):
    return choosing.Filter(population, max_memory=max_memory)


def _compare(found, wanted):
    np.testing.assert_array_equal(found.indices, wanted.indices)
    np.testing.assert_array_equal(found.distances, wanted.distances)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0, 3.0, np.inf])
def test_conflicts(name, threshold, always, never):
    sample, labels = words(150, letters="abcd", length=5), np.arange(150) % 3

    def pairs():
        parts = list(conflict_pairs(sample, labels, name, threshold, max_memory="3MB"))
        return sorted(
            pair
            for part in parts
            for pair in zip(
                part.first.tolist(), part.second.tolist(), part.distances.tolist(), strict=True
            )
        )

    assert pairs() == never(pairs)


@pytest.mark.parametrize("weights", [None, np.arange(400) % 4 + 1.0])
@pytest.mark.parametrize("in_large_class", [0, 250])
def test_matchings(weights, in_large_class, always, never, monkeypatch):
    sample, labels = (
        words(400, letters="abcd", length=5),
        np.random.default_rng(2).integers(3, size=400),
    )
    labels[:in_large_class] = 0

    def matched():
        return greedy_matching(sample, labels, "levenshtein", weights=weights)

    found, in_blocks = matched(), never(matched)
    monkeypatch.setattr(vertex_cover, "FEW_OBJECTS", 1000)
    wanted = matched()  # all pairs, sorted
    for name in ("first", "second", "distances", "amounts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
        np.testing.assert_array_equal(getattr(in_blocks, name), getattr(wanted, name))


def test_a_classifier_learns_the_same(always, never):
    sample, labels = words(300, letters="abcdefgh"), np.random.default_rng(3).integers(2, size=300)
    queries = words(50, seed=4, letters="abcdefgh")

    def scores():
        return (
            wideberth.MarginNeighborsClassifier(metric="levenshtein")
            .fit(sample, labels)
            .decision_function(queries)
        )

    np.testing.assert_array_equal(scores(), never(scores))


def curves(n):
    """Series with three free numbers each, some of them equal."""
    place, width, height = np.random.default_rng(7).integers(1, 8, size=(3, n, 1))
    return height * np.exp(-(((np.linspace(0, 9, 24) - place) / width) ** 2))


@pytest.mark.slow
def test_expensive_distances_are_ruled_out_by_pivots(always, never):
    series, labels = curves(400), np.arange(400) % 3
    metric = wideberth.metric("msm")
    engine = SearchedEnemies.if_faster(
        metric, metric.prepare(series), labels, 2, np.inf, 10**8, n_jobs=1
    )
    assert engine is not None
    assert not engine.can_search_some
    for k in (1, 5):
        wanted = never(lambda k=k: nearest_enemies(series, labels, "msm", k))
        np.testing.assert_equal(nearest_enemies(series, labels, "msm", k), wanted)

    def matched():
        return greedy_matching(series, labels, "msm")

    found, wanted = matched(), never(matched)
    np.testing.assert_array_equal(found.first, wanted.first)
    np.testing.assert_array_equal(found.distances, wanted.distances)
    assert found.distance_calls < wanted.distance_calls


# ---- where it is chosen --------------------------------------------------------------------------


def names(n):
    """Words of up to eleven letters, and the same with a letter more."""
    bases, chance = (
        words(n // 2, letters="abcdefghijklmnopqrstuvwxyz", length=10),
        np.random.default_rng(5),
    )
    places = chance.integers(11, size=len(bases))
    return bases + [
        base[:place] + "e" + base[place:] for base, place in zip(bases, places, strict=True)
    ]


def built(sample, k=1, radius=np.inf):
    metric = wideberth.metric("levenshtein")
    return SearchedEnemies.if_faster(
        metric, metric.prepare(sample), np.arange(len(sample)) % 2, k, radius, 10**8, n_jobs=1
    )


def test_names_are_filtered_and_few_pairs_are_measured(monkeypatch):
    monkeypatch.setitem(choosing.MIN_BRUTE_SECONDS, "filter", 0.0)
    monkeypatch.setattr(choosing, "COMPILING_FILTER", 0.0)
    sample = names(8_000)
    enemies = built(sample)
    assert enemies.distance_calls < 0.01 * 4_000 * 4_000  # the trial
    list(enemies.nearest(np.arange(8_000), 1, np.inf))
    assert enemies.distance_calls < 0.05 * 4_000 * 4_000
    assert built(sample, k=0, radius=1.0) is not None
    assert built(sample, k=0, radius=np.inf) is None  # all pairs have to be measured


def test_dna_is_not_filtered_and_finding_that_out_costs_little(monkeypatch):
    monkeypatch.setitem(choosing.MIN_BRUTE_SECONDS, "filter", 0.0)
    monkeypatch.setattr(choosing, "COMPILING_FILTER", 0.0)
    chance = np.random.default_rng(6)
    dna = ["".join(chance.choice(list("ACGT"), 60)) for _ in range(2_000)]
    assert built(dna) is None
    index = wideberth.Index(dna, "levenshtein")
    assert index.engine == "brute"
    assert "filter" in [trial.engine for trial in index.choice.trials]
    assert (
        index.distance_calls < 2 * 2 * choosing.TRIAL_COST_SHARE * 0.1 * 2_000**2
    )  # two engines were tried


@pytest.mark.parametrize("before", [False, True])
def test_a_filter_that_was_never_compiled_has_to_be_worth_that(monkeypatch, before):
    monkeypatch.setitem(choosing.MIN_BRUTE_SECONDS, "filter", 0.0)
    monkeypatch.setattr(choosing, "is_compiled", lambda loop: before)
    assert (built(names(8_000)) is not None) == before


def test_what_is_compared_above_is_filtered(always):
    assert built(words(150, letters="abcd", length=5)).can_search_some


def test_few_objects_and_other_metrics_are_not_filtered():
    assert built(words(100)) is None
    metric = wideberth.metric("euclidean")
    points = metric.prepare(np.zeros((2_000, 30)))
    assert choosing.Filter.supports(metric, points) is False
