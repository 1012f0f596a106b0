"""Every engine answers as brute force does, on any metric space, from fewer distances."""

import pickle
import time
from functools import partial

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.checks import check_index
from wideberth.errors import InvalidInput, SlowMetricWarning, UnknownName
from wideberth.geometry.measure import parallel
from wideberth.geometry.measure.blocks import CountedSample
from wideberth.geometry.search import choosing
from wideberth.geometry.search.index import Index, Neighbors

EXACT = ("brute", "pivots")


def on(engine, **settings):
    return partial(Index, engine=engine, **settings)


def space(matrix, scale=1.0):
    return np.arange(len(matrix)), wideberth.metric(
        "precomputed", distances=scale * matrix, obeys_triangle=True
    )


def curves(n, seed=0, length=30):
    """Smooth series with two free parameters."""
    phase, trend = np.random.default_rng(seed).uniform(size=(2, n, 1))
    points = np.linspace(0, 1, length)
    return np.sin(2 * np.pi * (points + phase)) + 2 * trend * points


def clouds(n, dimension=2, seed=0):
    return (
        np.random.default_rng(seed).normal(size=(n, dimension)).round(1)
    )  # rounded: there are ties and equal points


# ---- the answers of brute force ------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", EXACT)
@settings(max_examples=12, deadline=None)
@given(
    matrix=strategies.metric_matrices(max_size=12),
    scale=st.sampled_from([1.0, 0.37]),
    seed=st.integers(0, 3),
)
def test_any_metric_space_with_ties_and_equal_objects(engine, matrix, scale, seed):
    check_index(on(engine, random_state=seed), *space(matrix, scale))


@settings(max_examples=12, deadline=None)
@given(
    matrix=strategies.metric_matrices(min_size=6, max_size=12), eta=st.sampled_from([0.1, 0.5, 2.0])
)
def test_eta_bounds_every_rank(matrix, eta):
    check_index(on("pivots", eta=eta), *space(matrix, 0.37), eta=eta)


@pytest.mark.few(3)
@pytest.mark.parametrize("engine", EXACT)
@pytest.mark.parametrize(
    "name", ["levenshtein", "normalized_levenshtein", "hamming", "jaccard", "msm"]
)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_every_kind_of_object(engine, name, data):
    check_index(on(engine), data.draw(strategies.objects_of[name]), name)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "metric", ["euclidean", "manhattan", "chebyshev", wideberth.metric("minkowski", p=2)]
)
def test_the_kd_tree(metric):
    check_index(
        on("kdtree"), clouds(60), metric, queries=np.concatenate([clouds(10), clouds(10, seed=1)])
    )


@pytest.mark.kernels
def test_pivots_on_few_objects():
    check_index(on("pivots"), clouds(20), queries=clouds(5, seed=1))


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", EXACT)
def test_queries_near_and_far(engine):
    check_index(
        on(engine), clouds(150), queries=np.concatenate([clouds(20), clouds(10, seed=1) * 10])
    )


@pytest.mark.parametrize("engine", EXACT)
def test_clusters_of_equal_objects(engine):
    words = ["tea"] * 80 + ["tee"] * 50 + ["coffee"] * 40 + ["milk", "rum", ""]
    check_index(on(engine), words, "levenshtein", queries=["tea", "mild", "coffees", ""])
    check_index(on(engine), ["tea"] * 300 + ["rum"], "levenshtein", queries=["tea", "rum"])


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", [*EXACT, "kdtree"])
def test_larger_samples_in_chunks_and_threads(engine, monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "threads", 0.0)
    points, queries = clouds(1_500, 3), clouds(300, 3, seed=1)
    labels, excluded = np.arange(1_500) % 4, np.arange(300) % 5  # the label 4 excludes nothing
    exact = Index(points, labels=labels, engine="brute", n_jobs=1)
    for n_jobs in (1, 2):
        index = Index(points, labels=labels, engine=engine, n_jobs=n_jobs, max_memory="20MB")
        for k in (1, 7):
            for excluding in (None, excluded):
                np.testing.assert_equal(
                    index.nearest(queries, k, excluding=excluding),
                    exact.nearest(queries, k, excluding=excluding),
                )
        np.testing.assert_equal(index.within(queries, 0.3), exact.within(queries, 0.3))


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
@pytest.mark.parametrize("engine", EXACT)
def test_python_functions_are_measured_in_processes_and_still_counted(engine, monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "processes", 0.0)
    numbers = list(range(0, 100, 2))
    metric = wideberth.metric(_gap, obeys_triangle=True)
    serial, spread = (Index(numbers, metric, engine=engine, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_equal(spread.nearest([3, 50, 99], 2), serial.nearest([3, 50, 99], 2))
    assert spread.distance_calls == serial.distance_calls > 0


def _gap(one, other):
    return float(abs(one - other))


# ---- the price -----------------------------------------------------------------------------------


def test_series_of_few_parameters_need_few_calls():
    series, queries = curves(1_000), curves(100, seed=1)
    index = Index(series, "msm", engine="pivots")
    exact = Index(series, "msm", engine="brute")
    np.testing.assert_equal(index.nearest(queries), exact.nearest(queries))
    assert exact.distance_calls == 100_000
    assert index.distance_calls < 100_000 / 3  # building included
    built = index.distance_calls
    index.nearest(queries, excluding=None)
    assert index.distance_calls - built < 100_000 / 10


@pytest.mark.parametrize("engine", ["pivots", "kdtree"])
def test_eta_saves_calls(engine):
    points, queries = clouds(2_000, 6), clouds(50, 6, seed=1)
    exact, near = (Index(points, engine=engine, eta=eta) for eta in (0.0, 1.0))
    assert near.distance_calls == exact.distance_calls
    near.nearest(queries)
    exact.nearest(queries)
    assert near.distance_calls < exact.distance_calls


def test_brute_force_measures_no_excluded_and_no_deleted_object():
    index = Index(clouds(100), labels=[0] * 60 + [1] * 40, engine="brute")
    index.delete(np.arange(90, 100))
    index.nearest(clouds(10), excluding=[0] * 10)
    assert index.distance_calls == 10 * 30


# ---- which metrics may prune ---------------------------------------------------------------------


def test_no_pruning_without_a_promise():
    series = [[0.0, 1.0], [2.0], [3.0, 1.0, 4.0]]
    with pytest.raises(
        InvalidInput,
        match=r"'dtw' does not obey it\. Take engine='brute'.*wideberth\.doctor\.repair",
    ) as refusal:
        Index(series, "dtw", engine="pivots")
    assert refusal.value.value is False
    unsaid = wideberth.Metric(lambda left, right: abs(left[:, None] - right[None, :]), name="gap")
    with pytest.raises(InvalidInput, match=r"'gap' does not say.*declare obeys_triangle=True"):
        Index(np.arange(4.0), unsaid, engine="pivots")
    check_index(on("brute"), series, "dtw")  # the ways out
    check_index(on("auto"), series, "dtw")
    said = wideberth.Metric(unsaid.function, name="gap", obeys_triangle=True)
    check_index(on("pivots"), np.arange(4.0), said)


def test_auto_says_why_it_does_not_prune():
    index = Index(np.zeros((2_000, 3)), "dtw")
    assert index.engine == "brute"
    assert "'dtw' does not promise the triangle inequality" in str(index.choice)


def test_the_kd_tree_refuses_other_metrics():
    with pytest.raises(InvalidInput, match="p = 1, 2 or infinity, not Levenshtein"):
        Index(["tea", "rum"], "levenshtein", engine="kdtree")
    with pytest.raises(InvalidInput, match="Minkowski"):
        Index(clouds(5), wideberth.metric("minkowski", p=3), engine="kdtree")


# ---- choosing ------------------------------------------------------------------------------------


def straight(one, other):
    """A function of two objects, which costs ten microseconds by default."""
    return float(np.linalg.norm(one - other))


def by_pairs(function=straight):
    return wideberth.metric(function, accepts="vectors", obeys_triangle=True)


class Declared(wideberth.Metric):
    """A function of two blocks that declares its cost."""

    def __init__(self, cost, function=None):
        super().__init__(
            function or wideberth.metric("euclidean").block,
            name="declared",
            accepts="vectors",
            obeys_triangle=True,
        )
        self.cost = cost

    def nanoseconds(self, prepared):
        return self.cost


def test_little_work_is_not_worth_a_trial():
    assert Index(clouds(10)).choice == choosing.EngineChoice("brute", "there are only 10 objects.")
    small = Index(clouds(1_000))
    assert small.choice == choosing.EngineChoice("brute", "it takes only about 420 us.")
    assert small.distance_calls == 0


def test_an_expensive_metric_with_few_parameters_is_pruned():
    index = Index(clouds(2_000, 2), by_pairs(), n_jobs=1)
    assert index.engine == "pivots"
    assert [trial.engine for trial in index.choice.trials] == ["pivots"]
    assert str(index.choice).startswith(
        "pivots: it should be the fastest; brute force takes about 4 s."
    )
    assert "calls per query on" in str(index.choice)
    assert index.distance_calls < 0.3 * 0.1 * 2_000**2  # choosing and building


def test_nothing_to_rule_out_leaves_brute_force(monkeypatch):
    monkeypatch.setattr(
        choosing, "MIN_BRUTE_SECONDS", dict.fromkeys(choosing.MIN_BRUTE_SECONDS, 0.0)
    )
    index = Index(clouds(1_200, 40), n_jobs=1)
    assert index.engine == "brute"
    assert index.choice.reason.startswith("no other engine should be clearly faster")
    assert [trial.engine for trial in index.choice.trials] == ["kdtree", "pivots"]


def test_vectors_of_few_dimensions_go_to_the_kd_tree():
    assert Index(clouds(20_000, 2)).engine == "kdtree"


def test_what_a_distance_is_declared_to_cost_decides():
    points = clouds(2_000, 2)
    cheap, expensive = (Index(points, Declared(cost), n_jobs=1) for cost in (100.0, 100_000.0))
    assert (cheap.engine, expensive.engine) == ("brute", "pivots")


@pytest.mark.parametrize("cost", [3_000.0, 30_000.0, 1e6])
def test_choosing_costs_a_small_share_of_brute_force(cost):
    index = Index(clouds(4_000, 12), Declared(cost), n_jobs=1)
    built = Index(clouds(4_000, 12), Declared(cost), engine=index.engine, n_jobs=1).distance_calls
    assert 0 < index.distance_calls - built < 2 * choosing.TRIAL_COST_SHARE * 0.1 * 4_000**2


def test_the_clock_has_no_say(monkeypatch):
    expected = Index(clouds(2_000, 2), by_pairs(), n_jobs=1)
    chance = np.random.default_rng(0)
    for _ in range(3):
        for clock in ("time", "perf_counter", "monotonic", "process_time"):
            monkeypatch.setattr(time, clock, lambda: float(chance.uniform(0, 1e6)))
        index = Index(clouds(2_000, 2), by_pairs(), n_jobs=1)
        monkeypatch.undo()
        assert (index.choice, index.distance_calls) == (expected.choice, expected.distance_calls)


def test_a_metric_that_is_slow_today_gets_the_same_engine():
    def slowly(left, right):
        time.sleep(1e-6 * len(left) * len(right))
        return wideberth.metric("euclidean").block(left, right)

    for cost in (100.0, 10_000.0):
        fast, slow = (
            Index(clouds(2_000, 2), Declared(cost, function), n_jobs=1)
            for function in (None, slowly)
        )
        assert (fast.choice, fast.distance_calls) == (slow.choice, slow.distance_calls)


def test_the_choice_changes_no_answer(monkeypatch):
    monkeypatch.setattr(
        choosing, "MIN_BRUTE_SECONDS", dict.fromkeys(choosing.MIN_BRUTE_SECONDS, 0.0)
    )
    monkeypatch.setattr(choosing, "CLEARLY_FASTER", np.inf)
    points, queries = clouds(1_000), clouds(20, seed=1)
    index = Index(points)
    assert index.engine != "brute"
    np.testing.assert_equal(
        index.nearest(queries, 3), Index(points, engine="brute").nearest(queries, 3)
    )


# ---- checks of arguments -------------------------------------------------------------------------


def test_queries_are_checked():
    index = Index(clouds(5))
    for k in (0, -1, 1.5, "1", True):
        with pytest.raises(InvalidInput, match="positive integer"):
            index.nearest(clouds(2), k)
    for radius in (-1.0, np.nan, [1.0, 2.0, 3.0]):
        with pytest.raises(InvalidInput, match="A radius must be a number >= 0"):
            index.within(clouds(2), radius)
    with pytest.raises(InvalidInput, match="built without"):
        index.nearest(clouds(2), excluding=[0, 1])
    for indices in (5, -1, [0.5], ["0"]):
        with pytest.raises(InvalidInput, match="from 0 to 4"):
            index.delete(indices)


def test_parameters_are_checked():
    for eta in (-0.1, np.inf, np.nan, "0", 1j, np.complex64(1)):
        with pytest.raises(InvalidInput, match="finite number >= 0"):
            Index(clouds(5), eta=eta)
    with pytest.raises(UnknownName, match="no engine 'balltree'"):
        Index(clouds(5), engine="balltree")
    with pytest.raises(InvalidInput, match="5 objects and 4 labels"):
        Index(clouds(5), labels=[0, 1, 0, 1])


def test_one_label_is_excluded_for_each_query():
    index = Index(clouds(4), labels=["a", "b", "a", "b"])
    with pytest.raises(InvalidInput, match="one label for each query"):
        index.nearest(clouds(3), excluding=["a", "b"])
    everything = index.nearest(clouds(1), 4, excluding=["unheard of"])
    assert (everything.indices >= 0).all()


def test_answers_must_fit_in_the_memory():
    index = Index(clouds(200), max_memory="10kB")
    with pytest.raises(InvalidInput, match="more than the memory of 10"):
        index.within(clouds(200), np.inf)
    assert (
        len(index.within(clouds(3), np.inf).indices) == 600
    )  # the way out: fewer queries at a time


@pytest.mark.parametrize("engine", EXACT)
def test_an_empty_index_finds_nothing(engine):
    index = Index([], "levenshtein", engine=engine)
    assert index.nearest(["tea"], 2).indices.tolist() == [[-1, -1]]
    assert index.within(["tea"], 5).starts.tolist() == [0, 0]
    index.delete([])
    assert len(index) == 0


def test_one_object():
    for engine in (*EXACT, "kdtree"):
        np.testing.assert_equal(
            Index([[1.0]], engine=engine).nearest([[3.0]], 2), Neighbors([[0, -1]], [[2.0, np.inf]])
        )


def test_a_matrix_can_be_given_for_its_distances():
    index = Index([[0.0, 2.0], [2.0, 0.0]], "precomputed")
    assert index.nearest([1], 2).distances.tolist() == [[0.0, 2.0]]


def test_it_says_what_it_is():
    index = Index(["tea", "rum"], "levenshtein")
    index.delete(1)
    assert repr(index) == "Index(1 objects, Levenshtein(), engine='brute')"


@pytest.mark.parametrize("engine", [*EXACT, "kdtree"])
def test_an_index_survives_pickling(engine):
    index = Index(clouds(50), engine=engine)
    copy = pickle.loads(pickle.dumps(index))
    np.testing.assert_equal(copy.nearest(clouds(5, seed=1)), index.nearest(clouds(5, seed=1)))
    assert copy.distance_calls == index.distance_calls


def test_a_counted_sample_counts():
    counted = CountedSample(["tea", "rum", "milk"], "levenshtein")
    np.testing.assert_array_equal(counted.block(["tea"]), [[0.0, 3.0, 4.0]])
    np.testing.assert_array_equal(counted.between([0, 1], [2]), [[4.0], [4.0]])
    fork = counted.fork(np.array([1]))
    fork.block(["rum"])
    assert (counted.calls, fork.calls, len(fork)) == (5, 1, 1)


def test_slow_functions_are_still_announced():
    metric = wideberth.metric(_gap, obeys_triangle=True)
    with pytest.warns(SlowMetricWarning):
        Index(list(range(300)), metric, engine="brute", n_jobs=1).nearest(list(range(300)))
