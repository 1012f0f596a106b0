"""The parts of the automatic choice: kinds, metrics, grounds, rules and the error to expect."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth.choice.candidate_metrics import candidate_metrics, follow_each_other, kind_of
from wideberth.choice.contest import Dropped
from wideberth.choice.entries import Ground, Sampled, short_name
from wideberth.choice.paired import mean_by_object
from wideberth.choice.rules import behind, choose, expected_error, in_words, standing
from wideberth.choice.time_limit import Budget, OutOfTime
from wideberth.errors import InvalidInput, SeriesShapeWarning
from wideberth.estimators.choosing.fold_answers import Fold


@pytest.mark.parametrize(
    ("objects", "kind"),
    [
        (["tea", "rum"], "strings"),
        (np.zeros((3, 2)), "vectors"),
        ([[1, 2], [3, 4]], "vectors"),
        ([np.zeros(3), np.zeros(4)], "series"),
        (np.zeros((3, 2, 5)), "series"),
        ([{"tea"}, frozenset({"rum"})], "sets"),
        ([{"nodes": ["C"], "edges": []}], "graphs"),
        ([["a", [["b", []]]]], "trees"),
        ([{"age": 3, "city": "Rome"}], "rows"),
    ],
)
def test_kinds_are_recognised(objects, kind):
    assert kind_of(objects) == kind


def test_sparse_counts_are_told_where_to_go():
    from scipy.sparse import csr_array

    with pytest.raises(InvalidInput, match="LinearLipschitzClassifierCV"):
        kind_of(csr_array(np.eye(3)))


@pytest.mark.parametrize(
    "kind", ["strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows"]
)
def test_there_are_at_most_six_metrics_and_they_measure_the_kind(kind):
    objects = {"strings": ["a b c d e", "f g h i j"], "series": [[1.0, 2.0], [2.0, 3.0]]}.get(
        kind, []
    )
    found = candidate_metrics(kind, objects)
    assert 1 <= len(found) <= 6
    assert {each.accepts for each in found} <= {kind, "vectors", "rows"}


def waves(shapes, seed=0):
    """Series of two kinds, by turns, as arrays of shape (channels, length)."""
    random = np.random.default_rng(seed)
    return [
        np.sin((0.5 if number % 2 else 1.3) * np.arange(length) + np.arange(channels)[:, None])
        + random.normal(scale=0.2, size=(channels, length))
        for number, (channels, length) in enumerate(shapes)
    ]


EQUAL, RAGGED = [(2, 12)] * 16, [(2, 12 + number % 3) for number in range(16)]
ONE = [(1, 12 + number % 3) for number in range(16)]
SERIES = {
    "ragged, two channels": (waves(RAGGED), False),
    "ragged, two channels, lists": ([each.tolist() for each in waves(RAGGED)], False),
    "equal, two channels": (waves(EQUAL), True),
    "equal, two channels, one array": (np.array(waves(EQUAL)), True),
    "one channel, lists": ([each[0].tolist() for each in waves(ONE)], False),
    "one channel, (1, length)": (waves(ONE), False),
    "one channel, (n, 1, length)": (np.array(waves([(1, 12)] * 16)), True),
    "one point": (np.arange(16.0).reshape(16, 1, 1), False),
}


@pytest.mark.parametrize("name", SERIES)
def test_metrics_for_series_depend_on_lengths_and_not_on_channels(name):
    objects, by_place = SERIES[name]
    assert kind_of(objects) == "series"
    found = candidate_metrics("series", objects)
    assert ["total" in each.name for each in found] == [by_place] + [False] * (len(found) - 1)
    # one point has no differences to look for patterns in
    assert ("derivative(patterns)" in [each.name for each in found]) == (name != "one point")
    for each in found:
        assert wideberth.pairwise_distances(objects, metric=each).shape == (16, 16)


def swapped(objects):
    return [np.asarray(each).T for each in objects]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("objects", "match"),
    [
        (
            np.array(waves([(1, 12)] * 16)).transpose(0, 2, 1),
            r"12 channels of 1 point each.*X\.transpose\(0, 2, 1\)",
        ),
        (
            swapped(waves(ONE)),
            r"series 0 has shape \(12, 1\), series 1 \(13, 1\).*series\.T for series in X",
        ),
        (
            swapped(waves(RAGGED)),
            r"series 0 has shape \(12, 2\), series 1 \(13, 2\).*series\.T for series in X",
        ),
    ],
)
def test_lengths_before_channels_are_refused_and_the_advice_helps(objects, match):
    labels = ["b", "a"] * 8
    with pytest.raises(InvalidInput, match=match):
        wideberth.AutoClassifier(random_state=0).fit(objects, labels)
    model = wideberth.AutoClassifier(candidates="neighbors", random_state=0).fit(
        swapped(objects), labels
    )
    assert model.score(swapped(objects), labels) > 0.8


def test_series_with_other_channels_than_the_first_are_refused():
    with pytest.raises(InvalidInput, match="give every series the same channels"):
        kind_of(waves([(1, 12), (2, 12)]))
    with pytest.raises(InvalidInput, match="Series 0 has 1 channels, series 1 has 2"):
        kind_of(waves([(1, 12), (2, 13)]))


def test_more_channels_than_points_warn():
    with pytest.warns(SeriesShapeWarning, match="40 channels of 3 points each"):
        candidate_metrics("series", np.zeros((4, 40, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        candidate_metrics("series", np.zeros((4, 40, 40)))


def test_texts_have_words_and_certified_strings_edits():
    texts = ["a cup of good tea", "a cask of old rum"]
    assert "words" in [each.name for each in candidate_metrics("strings", texts)]
    assert candidate_metrics("strings", ["tea", "coffee"], certified=True)[-1].name == "levenshtein"


def holder(metric):
    return wideberth.NeighborsClassifier(metric)


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=4, max_size=8, unique=True))
@settings(max_examples=30, deadline=None)
def test_the_distances_of_a_sum_are_those_that_the_sum_measures(words):
    labels = np.arange(len(words)) % 2
    sampled = Sampled(words, labels, None, None, 10**6, 1)
    one, other = (Ground.of(holder(name), sampled) for name in ("levenshtein", "ngrams"))
    summed = one.plus(other, holder("levenshtein"), sampled)
    np.testing.assert_array_equal(
        summed.distances, wideberth.pairwise_distances(words, metric=summed.metric)
    )
    assert summed.name == "levenshtein + ngrams"
    assert summed.compared.table.calls == 0


def test_a_fold_has_the_sum_of_the_metrics_that_it_has_taught():
    """As if it had taught the sum itself, by the labels of the objects that it knows."""
    vectors = np.random.default_rng(0).normal(size=(30, 3))
    labels, fold = np.arange(30) % 2, Fold(np.arange(0, 30, 3), np.arange(1, 30, 3))
    sampled = Sampled(vectors, labels, None, None, 10**6, 1)
    forest = wideberth.metric("forest", n_trees=20)
    one, other = (Ground.of(holder(each), sampled) for each in ("standardized", forest))
    summed = one.plus(other, holder("standardized"), sampled)
    here, alone = summed.by_folds.of(fold), summed.compared.taught_by(fold.known)
    expected = alone.metric.block(alone.objects, alone.objects)
    np.testing.assert_array_equal(here.metric.block(here.objects, here.objects), expected)
    assert (expected != summed.distances).any()
    scales = 1 / one.median, 1 / other.median
    parts = [each.by_folds.of(fold) for each in (one, other)]
    apart = [part.metric.block(part.objects, part.objects) for part in parts]
    np.testing.assert_allclose(expected, scales[0] * apart[0] + scales[1] * apart[1], rtol=1e-14)


def test_names_are_short():
    assert short_name(wideberth.metric("ngrams", orders=(2,))) == "ngrams(orders=(2,))"
    assert short_name(wideberth.metric(lambda one, other: 0.0, name="mine")) == "mine"


def entry(right, *, ground=None, cost=1e6, radius=None, unit=None, kept=10, stable=None):
    right, stable = (
        np.array(right, dtype=bool),
        None if stable is None else np.array(stable, dtype=bool),
    )
    certified = None if stable is None else float((right & stable).mean())
    trial = SimpleNamespace(
        cost=cost,
        median_radius=radius,
        radius_unit=unit,
        objects_kept=kept,
        answer_microseconds=cost,
    )
    folds = right.reshape(4, -1).mean(axis=1)
    return SimpleNamespace(
        ground=ground,
        right=right.astype(float),
        weights=np.ones(len(right)),
        error=1 - right.mean(),
        trial=trial,
        stable=stable,
        certified=certified,
        fold_scores=folds,
    )


GOOD, NEARLY, BAD = [1] * 40, [1] * 39 + [0], [1] * 20 + [0] * 20


def chosen(entries, prefer="accuracy", given_up=()):
    shown = [*((each.ground, each.error) for each in entries), *given_up]
    found = standing(entries, prefer, by_folds=False, floor=0.03, shown=shown)
    for place in set(range(len(entries))) - set(found.contenders):
        entries[place].trial = None  # nobody asks what the others cost
    return choose(entries, found, prefer, by_folds=False)


def winner(entries, prefer="accuracy", given_up=()):
    return chosen(entries, prefer, given_up)[0]


def test_the_best_wins_unless_another_is_as_good_and_clearly_cheaper():
    assert winner([entry(NEARLY), entry(GOOD)]) == 1
    assert winner([entry(NEARLY, cost=3e5), entry(GOOD)]) == 1
    assert winner([entry(NEARLY, cost=2.5e5), entry(GOOD)]) == 0
    assert winner([entry(NEARLY, cost=10), entry(GOOD, cost=1e5)]) == 1  # cheap enough
    assert (
        winner([entry(NEARLY, cost=10, kept=0), entry(GOOD, cost=1e5)]) == 0
    )  # it keeps no objects
    assert winner([entry(BAD, cost=1), entry(GOOD)]) == 1


def test_equal_candidates_are_told_apart_by_their_metrics():
    one, other = object(), object()
    answers = [(GOOD, one), (BAD, one), (GOOD, other), (NEARLY, other)]
    entries = [entry(right, ground=ground, cost=1e4) for right, ground in answers]
    assert winner(entries) == 2
    assert winner(entries[::2], given_up=[(other, 0.5)]) == 0  # what was given up speaks too


def test_certified_models_win_among_equals():
    assert winner([entry(GOOD), entry(NEARLY, radius=1.0)]) == 1
    assert winner([entry(GOOD, radius=0.5), entry(NEARLY, radius=1.0)]) == 0
    assert (
        winner([entry(GOOD, radius=0.5, unit="edit"), entry(NEARLY, radius=2.0, unit="edit")]) == 1
    )  # survives an edit
    assert (
        winner([entry(GOOD, radius=0.5, unit="edit"), entry(NEARLY, radius=1.0, unit="edit")]) == 0
    )


def test_certified_accuracy_counts_within_the_floor():
    sure, unsure, constant = (
        entry(NEARLY, stable=GOOD),
        entry(GOOD, stable=BAD),
        entry(BAD, stable=GOOD),
    )
    assert winner([unsure, sure, constant], "certified") == 1


def test_small_models_win_within_the_floor():
    assert winner([entry(GOOD), entry(NEARLY, kept=3), entry(BAD, kept=1)], "small") == 1


def test_differences_are_paired():
    lag, error = behind(entry(GOOD), entry(BAD), by_folds=False)
    assert lag == pytest.approx(0.5)
    assert error == pytest.approx(np.sqrt(20) / 40)
    assert behind(entry(GOOD), entry(BAD), by_folds=True)[0] == pytest.approx(0.5)
    assert behind(entry(GOOD), entry(GOOD), by_folds=False) == (0, 0)


def test_every_row_has_a_reason():
    _, reasons = chosen([entry(GOOD), entry(NEARLY), entry(BAD)])
    assert reasons[0] == "chosen"
    assert reasons[1] == "behind by 2.5 ± 2.5 points, which may be chance"  # and it costs the same
    assert reasons[2].startswith("behind by 50.0 ± ")
    reasons = chosen([entry(GOOD), entry(NEARLY, cost=5e6)])[1]
    assert reasons[1] == "as good, but costs more"
    reasons = chosen([entry(GOOD), entry(NEARLY, cost=10)])[1]
    assert reasons == ["as good, but costs more", "chosen: as good, for less"]
    assert chosen([entry(GOOD), entry(NEARLY, radius=1.0)])[1] == [
        "as good, but less is proved",
        "chosen: as good, and proved to withstand more",
    ]


def said_of(stable, dropped=(), others=1):
    """What is said of a winner that is right on 30 objects of the 40."""
    right = np.array([1] * 30 + [0] * 10)
    winner = SimpleNamespace(
        title="nearest neighbours by words",
        comparisons=(),
        error=0.25,
        standard_error=0.07,
        certified=float((right * stable).mean()),
        secured=right * np.array(stable, dtype=float),
        weights=np.ones(40),
    )
    largest = "ham", np.array([1.0] * 16 + [0.0] * 24)
    return in_words(
        winner,
        expected_error=0.26,
        tried=4,
        others=others,
        n_compared=40,
        n_objects=40,
        dropped=dropped,
        largest=largest,
    ).splitlines()


def test_a_certified_winner_is_held_against_always_answering_the_largest_class():
    for stable in ([1] * 8 + [0] * 32, [1] * 18 + [0] * 22):  # fewer than 16, and hardly more
        [_, guessing] = said_of(stable)
        assert "no better than guessing: always answering 'ham' is right for 40.0%" in guessing
    assert len(said_of([1] * 40)) == 1


def test_what_was_not_tried_for_lack_of_time_is_said_and_counted():
    given_up = Dropped("words", "svm", "given up", lost=0.5)
    late = [
        Dropped("ngrams", "all", "late", for_time=True, families=3),
        Dropped("words", "lp", "late", for_time=True),
    ]
    said = said_of([1] * 40, [given_up, *late])
    assert "compared with 2 of 6 other candidates, " in said[0]
    assert said[0].endswith("clearly behind: SVM by words.")
    assert said[1].startswith(
        "Few candidates were compared: for lack of time not tried: all methods by ngrams, "
        "LP machine by words. "
    )
    assert "compared with 2 others, " in said_of([1] * 40, [given_up])[0]
    assert said_of([1] * 40, late, others=0)[1].startswith("Nothing was compared with it: ")
    assert said_of([1] * 40, late[1:], others=5)[1].startswith("For lack of time ")


def test_the_expected_error_of_luck_is_that_of_guessing():
    """Many simulated choices among guesses: the fewest errors are too few, the expected ones are
    not.
    """
    rng = np.random.default_rng(0)
    lucky, expected = [], []
    for seed in range(40):
        right = rng.random((50, 100)) < 0.6
        lucky.append(1 - right.mean(axis=1).max())
        expected.append(expected_error(lucky[-1], right, np.ones(100), random_state=seed))
    assert np.mean(lucky) < 0.32
    assert np.mean(expected) == pytest.approx(0.4, abs=0.02)


def test_one_good_candidate_has_no_optimism():
    right = np.random.default_rng(0).random((1, 500)) < 0.8
    error = 1 - right.mean()
    assert expected_error(error, right, np.ones(500), random_state=0) == pytest.approx(
        error, abs=0.01
    )


def test_answers_about_an_object_count_once():
    objects = np.array([5, 3, 5, 3, 5, 5])
    answers = np.array([[True, True, False, True, True, True], [False] * 6])
    np.testing.assert_array_equal(mean_by_object(answers, objects), [[1.0, 0.75], [0.0, 0.0]])
    once = np.random.default_rng(0).random(7) < 0.5
    np.testing.assert_array_equal(mean_by_object(once, np.arange(7)), once)


def test_time_is_kept_back_but_not_more_than_half():
    budget = Budget(60.0, clock=iter([0.0, 25.0, 25.0, 35.0]).__next__)
    budget.keep_back(10.0)
    assert budget.left == 25.0
    budget.keep_back(100.0)
    assert budget.left == 5.0
    with pytest.raises(OutOfTime):
        budget.check()


def test_the_time_for_all_distances_is_told_by_those_that_were_measured():
    words, labels = [f"{number:b}" for number in range(40)], np.arange(40) % 2
    all_of_them = Ground.of(holder("levenshtein"), Sampled(words, labels, None, None, 10**6, 1))
    some = Ground.of(holder("levenshtein"), Sampled(words, labels, None, np.arange(10), 10**6, 1))
    assert all_of_them.seconds_for_all() == 0.0
    assert some.seconds_for_all() > 0.0  # by what the metric declares
    some.compared.table.seconds_a_pair = 2.0
    assert some.seconds_for_all() == 2.0 * 40**2 / 2


def test_a_budget_without_limit_never_ends():
    Budget(None, clock=lambda: 1e9).check()
    spent = Budget(1.0, clock=iter([0.0, 2.0]).__next__)
    with pytest.raises(OutOfTime):
        spent.check()


def test_smiles_are_molecules_and_words_are_not():
    pytest.importorskip("rdkit")
    assert kind_of(["CCO", "c1ccccc1", "CC(=O)O", "C#N"]) == "molecules"
    assert kind_of(["CCO", "CO", "NO", "CN"]) == "strings"  # words, for all that one can see
    assert kind_of(["c1ccccc1", "CC(=O)O", "hello (world)"]) == "strings"
    assert kind_of(["C(C", "CC(=O)O"]) == "strings"


def test_vectors_with_gaps_get_metrics_that_take_them():
    rows = np.arange(20.0).reshape(10, 2)
    rows[3, 1] = np.nan
    found = candidate_metrics("vectors", rows)
    assert [each.name for each in found] == ["standardized", "standardized", "gower", "forest"]
    assert all(each.takes_missing for each in found)
    holed = [[1.0, None], [2.0, 3.0], [4.0, 5.0]]
    assert kind_of(holed) == "vectors"
    assert [each.name for each in candidate_metrics("vectors", holed)] == ["standardized"] * 2


@pytest.mark.slow
def test_columns_that_follow_each_other_get_metrics_on_series_too():
    steps = np.random.default_rng(0).normal(size=(40, 60))
    smooth = steps.cumsum(axis=1)
    shuffled = smooth[:, np.random.default_rng(1).permutation(60)]
    assert [follow_each_other(each) for each in (steps, smooth, shuffled)] == [False, True, False]
    assert not follow_each_other(smooth[:, :8])
    assert not follow_each_other(np.ones((5, 30)))
    names = [each.name for each in candidate_metrics("vectors", smooth)]
    assert names[0] == "euclidean"
    assert "msm" in names
