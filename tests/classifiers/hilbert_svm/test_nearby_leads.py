"""Local radii of SVMs: below what happens in every ball of finite spaces and of strings, for all
kernels and repairs.
"""

import itertools

import numpy as np
import pytest
from attacked_units import one_step_away
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.nearby_leads import expansion_bounds, stays_elected, voted_class
from sklearn.datasets import make_moons
from strategies import metric_matrices

import wideberth
from wideberth import HilbertSVC
from wideberth.classifiers.hilbert_svm.function import lead_of_votes
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.errors import InvalidInput
from wideberth.estimators.radius_rules import radius_unit

KERNELS = ["distance", "gaussian", "laplace", "bounded"]
REPAIRS = ["clip", "flip", "shift"]
WORDS = [
    "tea",
    "teas",
    "tee",
    "teapot",
    "rum",
    "rums",
    "arum",
    "rummy",
    "ale",
    "pale",
    "ales",
    "alerum",
]


def looked_up(matrix, step=None, **promises):
    """The metric of a finite space, whose objects are numbers."""
    return wideberth.Metric(
        lambda left, right: matrix[
            np.ix_(np.asarray(left, dtype=int), np.asarray(right, dtype=int))
        ],
        step=step,
        **promises,
    )


def bounds_of(model, objects, radius, unit=None):
    """The bounds of all functions of pairs at all objects within a radius."""
    parts = [leads.bounds(np.full(len(leads.values), radius), np.arange(len(leads.values)), unit)
             for _, leads in model.radius_rule().blocks(objects)]  # fmt: skip
    return (np.concatenate(each) for each in zip(*parts, strict=True))


# ---- votes ----


def test_the_pairs_of_a_winner_that_has_lost_one_do_not_decide():
    before, after = (
        np.array([[-1.0, 5.0, -0.01]]),
        np.array([[-1.0, 5.0, 0.01]]),
    )  # 0 over 1, 2 over 0; 1 over 2, or 2 over 1
    pairs = list(itertools.combinations(range(3), 2))
    assert voted_class(before[0] > 0, pairs, 3) == 0
    assert voted_class(after[0] > 0, pairs, 3) == 2
    assert lead_of_votes(before, before, np.array([0]), 3)[0] > 0
    assert lead_of_votes(before, after, np.array([0]), 3)[0] <= 0


@given(st.integers(2, 5), st.data())
@settings(max_examples=200, deadline=None)
def test_counting_sure_and_possible_votes_is_right_and_complete(n_classes, data):
    count = n_classes * (n_classes - 1) // 2
    numbers = st.lists(
        st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0]), min_size=count, max_size=count
    )
    values = np.array(data.draw(numbers))
    slack = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.7, 1.5]), min_size=count, max_size=count))
    )
    low, high = values - slack, values + slack
    winner = voted_class(values > 0, itertools.combinations(range(n_classes), 2), n_classes)
    found = lead_of_votes(low[None], high[None], np.array([winner]), n_classes)[0] > 0
    assert found == stays_elected(low, high, winner, n_classes)


def test_bounds_that_are_undefined_leave_votes_open():
    low, high = np.array([[-2.0, -2.0, np.nan]]), np.array([[-1.0, np.nan, np.nan]])
    assert lead_of_votes(low, high, np.array([0]), 3)[0] <= 0
    assert not lead_of_votes(np.array([[np.nan]]), np.array([[np.nan]]), np.array([1]), 2)[0] > 0


# ---- balls ----


@pytest.mark.few(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("kernel", KERNELS)
@given(metric_matrices(min_size=5), st.data())
@settings(max_examples=12, deadline=None)
def test_bounds_hold_in_every_ball_of_a_finite_space(kernel, repair, matrix, data):
    n, n_classes = len(matrix), data.draw(st.sampled_from([2, 3]))
    labels = np.array(data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    known = np.arange(0, n, data.draw(st.sampled_from([1, 2])))
    scale, step = data.draw(st.sampled_from([(1.0, 1.0), (0.37, None)]))
    options = {
        "landmarks": data.draw(st.sampled_from([None, 3])),
        "C": data.draw(st.sampled_from([0.1, 10.0])),
    }
    model = HilbertSVC(
        looked_up(scale * matrix, step, obeys_triangle=True),
        kernel=kernel,
        repair=repair,
        **options,
    )
    try:
        model.fit(known, labels[known])
    except InvalidInput:  # landmarks that all have the same distances
        return
    everything = np.arange(n)
    values, answers, radii = (
        model._function.values(everything),
        model.predict(everything),
        model.certified_radius(everything),
    )
    for radius in scale * np.array([0.0, 1.0, 2.0, 4.0]):
        low, high = bounds_of(model, everything, radius)
        lowest = model.lowest_leads(everything, radius)
        for row in everything:
            near = scale * matrix[row] <= radius
            assert (low[row] <= values[near]).all()
            assert (values[near] <= high[row]).all()
            if lowest[row] > 0:
                assert (answers[near] == answers[row]).all()
    for row, radius in enumerate(radii):
        assert (answers[scale * matrix[row] < radius] == answers[row]).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_all_strings_within_two_edits_keep_their_label(kernel, repair, n_classes):
    labels = np.arange(12) // 4 % n_classes
    labels[3] = 1 - labels[3] if n_classes == 2 else 2
    model = HilbertSVC("levenshtein", kernel=kernel, repair=repair, C=0.3).fit(WORDS, labels)
    queries = ["tea", "rumba", "al", "teapots", ""]
    objects = model.admit_queries(queries)
    radii, answers = model.certified_radius(queries), model.predict(queries)
    ends = [tuple(bounds_of(model, objects, edits)) for edits in (1.0, 2.0)]
    for row, query in enumerate(queries):
        reached = {query}
        for edits in (1, 2):
            reached |= {
                after
                for before in reached
                for after in one_step_away(before, "tarx")["levenshtein"]
            }
            values = model._function.values(model.admit_queries(sorted(reached)))
            assert (ends[edits - 1][0][row] <= values).all()
            assert (values <= ends[edits - 1][1][row]).all()
            if radii[row] > edits:
                assert set(model.predict(sorted(reached))) == {answers[row]}


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_bounds_are_the_sums_of_the_least_and_the_greatest_terms(kernel, repair):
    model = HilbertSVC("levenshtein", kernel=kernel, repair=repair).fit(WORDS, np.arange(12) // 4)
    queries = ["tea", "rumba", "al", "teapots", ""]
    objects, coefficients = model.admit_queries(queries), model.coef_.toarray()
    distances = model.metric_.block(objects, model._function.references)
    for radius in (0.0, 1.0, 3.0):
        low, high = bounds_of(model, objects, radius)
        for row, pair in itertools.product(range(5), range(3)):
            terms = coefficients[pair], model.intercept_[pair], distances[row]
            np.testing.assert_allclose(
                (low[row, pair], high[row, pair]),
                expansion_bounds(model.kernel_, *terms, radius),
                atol=1e-6,
            )


@pytest.mark.parametrize("landmarks", [None, 6])
@pytest.mark.parametrize("metric", ["normalized_levenshtein", "share of ngrams", "ngrams"])
def test_edits_are_bounded_without_the_metric(metric, landmarks):
    measure = (
        wideberth.metric("ngrams", form="ruzicka")
        if metric.startswith("share")
        else wideberth.metric(metric)
    )
    texts = [
        f"{a} of {b}"
        for a in ("a cup", "a large pot", "a bottle", "an old cask")
        for b in ("tea", "milk", "rum", "pale ale")
    ]
    labels = ["soft" if text.endswith(("tea", "milk")) else "hard" for text in texts]
    model = HilbertSVC(measure, repair="clip", C=3, landmarks=landmarks).fit(texts, labels)
    radii, answers = model.certified_radius(texts, "edit"), model.predict(texts)
    objects = model.admit_queries(texts)
    by_metric = radius_unit(model.metric_, "edit").converted(model.certified_radius(texts), objects)
    assert (radii >= by_metric).all()
    one = model.lowest_leads(objects, 1.0, "edit")
    np.testing.assert_array_equal(one[radii <= 1] > 0, False)
    low, high = bounds_of(model, objects, 1.0, "levenshtein")
    for row, text in enumerate(texts[:6]):
        near = sorted(one_step_away(text, "tr ")["levenshtein"])
        values = model._function.values(model.admit_queries(near))
        assert (low[row] <= values).all()
        assert (values <= high[row]).all()
        if radii[row] > 1:
            assert set(model.predict(near)) == {answers[row]}


def test_intervals_in_edits_prove_more_than_a_converted_radius():
    texts = [
        4 * f"{a} {b} and {c}"
        for a in ("tea", "rum")
        for b in ("with milk", "from a cask", "for two")
        for c in ("cake", "ale")
    ]
    labels = [text.startswith("tea") for text in texts]
    for metric in (
        wideberth.metric("normalized_levenshtein"),
        wideberth.metric("ngrams", form="ruzicka"),
    ):
        wins = 0
        for model in (
            HilbertSVC(metric, repair="shift", C=1),
            wideberth.LPMachineClassifier(metric, C=5),
        ):
            model.fit(texts, labels)
            objects = model.admit_queries(texts)
            converted = radius_unit(metric, "edit").converted(
                model.certified_radius(texts), objects
            )
            wins += int((np.ceil(model.certified_radius(texts, "edit")) > np.ceil(converted)).sum())
        assert wins > 2


# ---- local and Hilbert ----


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kernel", KERNELS)
def test_radii_are_the_larger_of_both(kernel, n_classes):
    points, labels = make_moons(120, noise=0.3, random_state=0)
    labels = labels + 2 * (points[:, 0] > 0.8) * (n_classes == 4)
    queries = np.random.default_rng(0).uniform([-1.5, -1], [2.5, 1.5], size=(60, 2))
    model = HilbertSVC(kernel=kernel, width="auto" if kernel == "distance" else "50%").fit(
        points, labels
    )
    radii = model.certified_radius(queries)
    in_hilbert_space = model.kernel_.inverse(model.hilbert_radius(queries))
    finite = np.isfinite(in_hilbert_space)
    assert (radii[finite] >= in_hilbert_space[finite] * (1 - 1e-9) - 1e-9).all()
    distances = wideberth.metric(
        "precomputed",
        distances=wideberth.pairwise_distances(np.vstack([points, queries])),
        obeys_triangle=True,
    )
    local = HilbertSVC(distances, kernel=kernel, width=model.width_ or "auto", tol=1e-6).fit(
        np.arange(120), labels
    )
    alone = local.certified_radius(np.arange(120, 180))
    assert (alone > 0).mean() > 0.9
    if kernel in ("gaussian", "laplace"):
        assert (radii > 1.1 * in_hilbert_space).any()  # there the local radius is larger


def test_the_kernel_distance_has_a_closed_form():
    points, labels = make_moons(60, noise=0.2, random_state=0)
    distances = wideberth.pairwise_distances(points)
    model = HilbertSVC(
        wideberth.metric("precomputed", distances=distances, obeys_triangle=True), kernel="distance"
    ).fit(range(60), labels)
    coefficients, to_references = model.coef_.toarray()[0], distances[:, model.references_]
    radii, expected = (
        model.certified_radius(range(60)),
        abs(model.decision_function(range(60))) / (to_references @ abs(coefficients)),
    )
    clear = expected < np.where(coefficients < 0, to_references, np.inf).min(axis=1)
    clear &= expected < np.where(coefficients > 0, to_references, np.inf).min(axis=1)
    assert clear.sum() > 5
    np.testing.assert_allclose(radii[clear], expected[clear], rtol=0.01)


def test_a_jump_is_paid_where_the_ball_reaches_the_reference():
    model = HilbertSVC("levenshtein", kernel="gaussian", repair="shift", C=100).fit(
        WORDS, np.arange(12) // 4 % 2
    )
    assert model.kernel_.jump > 0
    at_reference = WORDS[model.references_[0]]
    objects = model.admit_queries([at_reference])
    low, _ = bounds_of(model, objects, 0.0)
    np.testing.assert_allclose(
        low, model._function.values(objects), atol=1e-6
    )  # equal strings are exactly at 0
    wider, _ = bounds_of(model, objects, 1.0)
    assert (low - wider)[0, 0] > abs(
        model.coef_.toarray()[0, 0]
    ) * model.kernel_.jump * 0.5 or model.coef_.toarray()[0, 0] < 0


def test_one_class_is_certified_everywhere_and_kernels_fall():
    model = HilbertSVC("levenshtein", kernel="laplace").fit(WORDS, np.zeros(12))
    assert np.isinf(model.certified_radius(WORDS)).all()
    for kernel in KERNELS:
        values = HilbertKernel(kernel, None if kernel == "distance" else 0.7, jump=0.2).values(
            np.linspace(0, 5, 200)
        )
        assert (np.diff(values) <= 0).all()


def test_scores_and_radii_together_are_those_of_separate_calls():
    model = HilbertSVC("levenshtein", repair="clip").fit(WORDS, np.arange(12) // 4)
    told = model.answers(["tea", "rumba"])
    scores, radii = told.scores, told.radii
    np.testing.assert_array_equal(scores, model.scores(model.admit_queries(["tea", "rumba"])))
    np.testing.assert_array_equal(radii, model.certified_radius(["tea", "rumba"]))
