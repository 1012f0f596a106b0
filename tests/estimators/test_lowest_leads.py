"""The search for the largest radii, the intervals of distances after a move, and the lowest leads
of all classifiers.
"""

import numpy as np
import pytest
from attacked_units import one_step_away
from hypothesis import given, settings
from hypothesis import strategies as st
from metrics.test_dominated import OF_STRINGS
from oracles.classifiers.nearby_leads import in_ball
from strategies import metric_matrices

import wideberth as wb
from wideberth.errors import NotCertified
from wideberth.estimators.radius_rules import _PER_OCTAVE, NearbyDistances, largest_radii
from wideberth.rounding import DistanceErrors, leads_within, radii_of_leads

# ---- the search ----


def below(limits, asked=None):
    """A lead that is positive below a limit, which notes what it is asked."""

    def lowest(radii, rows):
        if asked is not None:
            asked.extend(radii.tolist())
        return np.where(radii < np.asarray(limits)[rows], 1.0, -1.0)

    return lowest


@given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=5), st.sampled_from([1.0, 0.37]))
@settings(max_examples=100, deadline=None)
def test_the_largest_number_of_steps_is_found(limits, step):
    found = largest_radii(below(limits), np.zeros(len(limits)), step)
    for radius, limit in zip(found, limits, strict=True):
        steps = round(radius / step)
        assert radius == steps * step
        assert steps == 0 or step * (steps - 1.0) < limit  # proved
        assert step * float(steps) >= limit  # and no more can be


@given(st.lists(st.tuples(st.floats(1e-6, 1e6), st.floats(1e-3, 1e3)), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_without_steps_the_radius_is_near_the_largest_and_never_above(drawn):
    limits, guesses = np.array(drawn).T
    found = largest_radii(below(limits), np.zeros(len(limits)), None, limits * guesses)
    assert (found < limits).all()
    assert (found >= limits / 1.0004).all()
    known = 0.1 * limits
    np.testing.assert_array_less(largest_radii(below(limits), known, None), limits)
    assert (largest_radii(below(limits), known, None) >= limits / 1.0004).all()


def test_what_is_known_is_kept_and_what_has_no_end_is_infinite():
    known = np.array([0.0, 1.5, 2.0, np.inf])
    for step in (None, 1.0):
        np.testing.assert_array_equal(
            largest_radii(below([0.0, 0.0, 0.0, 0.0]), known, step, np.ones(4)), known
        )
        forever = largest_radii(lambda radii, rows: np.ones(len(rows)), known, step)
        assert np.isinf(forever).all()
    undefined = largest_radii(lambda radii, rows: np.full(len(rows), np.nan), known, 1.0)
    np.testing.assert_array_equal(undefined, known)


def test_few_radii_are_tried():
    asked = []
    largest_radii(below([2.5], asked), np.array([2.0]), 1.0)
    assert asked == [np.inf, 2.0, 4.0, 3.0]  # one step is known
    asked.clear()
    largest_radii(below([2.5], asked), np.array([1.7]), None)
    assert len(asked) <= 16


# ---- intervals ----

UNITS = ("levenshtein", "indel", "damerau", "hamming")


@pytest.mark.few(2)
@pytest.mark.parametrize("name", OF_STRINGS)
@given(
    st.text("ab ", max_size=6),
    st.lists(st.text("ab ", max_size=6), min_size=1, max_size=3),
    st.integers(0, 5),
)
@settings(max_examples=15, deadline=None)
def test_distances_after_edits_are_in_their_interval(name, text, others, seed):
    metric, walk = OF_STRINGS[name], np.random.default_rng(seed)
    left, right = metric.prepare([text]), metric.prepare(others)
    distances = metric.block(left, right)
    for unit in UNITS:
        reached = {text}
        for edits in (1, 2, 3):
            some = [sorted(reached)[place] for place in walk.integers(len(reached), size=3)]
            reached |= {after for before in some for after in one_step_away(before, "ab ")[unit]}
            found = metric.distances_after(unit, np.array([[float(edits)]]), left, right, distances)
            if found is None:
                assert unit not in metric.dominated
                continue
            after = metric.block(sorted(reached), others)
            assert (found[0] <= after + 1e-9).all()
            assert (after <= found[1] + 1e-9).all()


@pytest.mark.parametrize("form", ["counts", "ruzicka"])
def test_intervals_know_more_than_the_constant(form):
    metric = wb.metric("ngrams", form=form)
    left, right = (
        metric.prepare(["a long text about the price of tea"]),
        metric.prepare(["the price of rum", ""]),
    )
    distances, moved = metric.block(left, right), np.array([[1.0]])
    low, high = metric.distances_after("levenshtein", moved, left, right, distances)
    constant = metric.dominated["levenshtein"]
    assert (high - low <= 2 * constant).all()
    if form == "ruzicka":
        assert (high - low)[0, 0] < 0.4
        low, high = metric.distances_after(
            "levenshtein", np.array([[np.inf]]), left, right, distances
        )
        np.testing.assert_array_equal(low, 0.0)
        np.testing.assert_array_equal(high, 1.0)


def test_intervals_of_spaces_and_kept_distances_are_those_of_the_metric():
    texts = ["tea", "teapot", "rum"]
    metric = wb.metric("normalized_levenshtein")
    space = wb.MetricSpace(texts, metric)
    moved = np.array([[1.0]])
    prepared = metric.prepare(texts)
    expected = metric.distances_after(
        "levenshtein", moved, metric.prepare(["tea"]), prepared, metric.block(["tea"], prepared)
    )
    found = space.metric.distances_after(
        "levenshtein",
        moved,
        np.array([0]),
        np.arange(3),
        space.metric.block(np.array([0]), np.arange(3)),
    )
    np.testing.assert_allclose(found, expected)


def test_an_unknown_unit_bounds_nothing_and_slack_covers_rounding():
    points = np.array([[1e9], [2e9]])
    metric = wb.metric("euclidean")
    near = NearbyDistances(
        metric,
        points,
        points,
        metric.block(points, points),
        DistanceErrors(1e-11, np.array([1e-3, 0.0])),
    )
    low, high = near.after(np.array([0.0, 1.0]), np.arange(2), "edit")
    assert (low == 0).all()
    assert (high == np.finfo(float).max).all()
    low, high = near.after(np.array([1.0]), np.array([0]))
    assert 8e-3 <= (low[0, 1] - (1e9 - 1.0)) * -1 < 0.2
    assert 8e-3 <= high[0, 1] - (1e9 + 1.0) < 0.2


# ---- the lowest leads of all classifiers ----

CLASSIFIERS = [
    wb.NeighborsClassifier(n_neighbors=1),
    wb.NeighborsClassifier(n_neighbors=3),
    wb.MarginNeighborsClassifier(separation=1e-6),
    wb.LipschitzClassifier(C=5),
    wb.LPMachineClassifier(C=30, radial=("gaussian", "70%")),
    wb.LipschitzClassifierCV(C=[1, 10], cv=2),
]


@pytest.mark.few(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
@given(metric_matrices(min_size=5), st.data())
@settings(max_examples=15, deadline=None)
def test_a_positive_lead_proves_the_label_in_the_closed_ball(model, matrix, data):
    n = len(matrix)
    labels = np.arange(n) % data.draw(st.sampled_from([2, 3]))
    space = wb.metric("precomputed", distances=matrix, obeys_triangle=True)
    try:
        fitted = model.set_params(metric=space).fit(np.arange(n), labels)
    except wb.errors.InvalidInput:  # too few objects of a class
        return
    answers, objects = fitted.predict(np.arange(n)), fitted.admit_queries(np.arange(n))
    radii = fitted.certified_radius(np.arange(n))
    for radius in (0.0, 0.4, 1.0, 2.0, np.inf):
        for row, lead in enumerate(fitted.lowest_leads(objects, radius)):
            if lead > 0:
                assert set(answers[matrix[row] <= radius]) == {answers[row]}
            rounded_down = radii[row] * 2 ** (
                1 / _PER_OCTAVE
            )  # a search without a step ends on a geometric grid
            assert lead <= 0 or radius < rounded_down or radius == radii[row] == np.inf
    np.testing.assert_array_equal(
        fitted.lowest_leads(objects, np.full(n, 0.4)), fitted.lowest_leads(objects, 0.4)
    )


@given(metric_matrices(), st.data())
@settings(max_examples=25, deadline=None)
def test_leads_of_lipschitz_scores_are_below_those_in_the_ball(matrix, data):
    n = len(matrix)
    model = wb.LipschitzClassifier(
        wb.metric("precomputed", distances=0.37 * matrix, obeys_triangle=True), C=3
    )
    model.fit(np.arange(n), np.arange(n) % data.draw(st.sampled_from([2, 3])))
    objects = model.admit_queries(np.arange(n))
    scores = model.scores(objects)
    for radius in (0.0, 0.3, 1.0):
        for row, lead in enumerate(model.lowest_leads(objects, radius)):
            assert lead <= in_ball(0.37 * matrix, scores, row, radius)


def test_leads_are_positive_up_to_the_radius():
    random = np.random.default_rng(0)
    scores, slopes = random.normal(size=(50, 3)), np.array([1.0, 0.5, 0.0])
    errors = DistanceErrors.of(50, 1e-9)
    known = scores, np.abs(scores), slopes, errors
    radii = radii_of_leads(*known)
    finite = np.isfinite(radii) & (radii > 0)
    assert (leads_within(*known, np.where(finite, radii * (1 - 1e-9), 0.0))[finite] > 0).all()
    assert (
        leads_within(*known, np.where(finite, radii * (1 + 1e-7) + 1e-7, 0.0))[finite] < 0
    ).all()


def test_leads_in_edits_are_what_is_left_of_the_radius():
    model = wb.LipschitzClassifier("words", C=100).fit(
        ["a cup of tea", "tea with milk", "rum and ale", "rum or two"], [0, 0, 1, 1]
    )
    objects = model.admit_queries(["tea and milk"])
    left = model.lowest_leads(objects, 1.0, "edit")
    np.testing.assert_allclose(left, model.certified_radius(["tea and milk"], "edit") - 1.0)
    with pytest.raises(NotCertified):
        model.lowest_leads(objects, 1.0, "token")
