"""Local radii of LP machines: below what happens in every ball of finite spaces, above the radii by
slopes, and attacked.
"""

from dataclasses import replace

import numpy as np
import pytest
from attacked_units import one_step_away
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.nearby_leads import in_ball, radial_lead
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from strategies import metric_matrices

import wideberth
from wideberth import LPMachineClassifier
from wideberth.classifiers.lp_machine.classifier import ScoreLeads
from wideberth.errors import NotCertified
from wideberth.estimators.radial_expansions import Radial, RadialExpansion
from wideberth.estimators.radius_rules import RadiusUnit
from wideberth.rounding import DistanceErrors

SEVERAL = ["distance", "gaussian", "laplace", "bounded"]
RADIALS = ["distance", ("gaussian", "70%"), "laplace", SEVERAL]
WORDS = [
    "tea",
    "teas",
    "green tea",
    "teapot",
    "rum",
    "rums",
    "old rum",
    "rummy",
    "ale",
    "pale ale",
    "ales",
    "alehouse",
]


def by_slopes(model, objects):
    """The radii by the Lipschitz constants of the scores alone."""
    return model.radius_rule().lipschitz.radii(
        model.admit_queries(objects), RadiusUnit(model.metric_)
    )


def looked_up(matrix, step=None):
    """The metric of a finite space, whose objects are numbers."""
    return wideberth.Metric(
        lambda left, right: matrix[
            np.ix_(np.asarray(left, dtype=int), np.asarray(right, dtype=int))
        ],
        obeys_triangle=True,
        step=step,
    )


def drawn_machine(matrix, data, step=None):
    """A machine on some objects of a random finite space of two or three classes, which knows
    whether distances have a step.
    """
    n = len(matrix)
    n_classes = data.draw(st.sampled_from([2, 3]))
    labels = np.array(data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    known = np.arange(0, n, data.draw(st.sampled_from([1, 2])))
    metric = looked_up(matrix, step)
    options = {
        "C": data.draw(st.sampled_from([3.0, 30.0, 300.0])),
        "radial": data.draw(st.sampled_from(RADIALS)),
    }
    return LPMachineClassifier(metric, **options).fit(known, labels[known])


@pytest.mark.few(1)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("scale", "step"), [(1.0, 1.0), (0.37, 0.37), (0.37, None)])
@given(metric_matrices(), st.data())
@settings(max_examples=40, deadline=None)
def test_bounds_hold_in_every_ball_of_a_finite_space(scale, step, matrix, data):
    model = drawn_machine(scale * matrix, data, step)
    everything = np.arange(len(matrix))
    scores, labels, radii = (
        model.scores(everything),
        model.predict(everything),
        model.certified_radius(everything),
    )
    for radius in scale * np.array([0.0, 0.5, 1.0, 2.0, 5.0, 100.0]):
        lowest = model.lowest_leads(everything, radius)
        for row, bound in enumerate(lowest):
            assert bound <= in_ball(scale * matrix, scores, row, radius)
    for row, radius in enumerate(radii):
        assert (labels[scale * matrix[row] < radius] == labels[row]).all()
    assert (radii >= by_slopes(model, everything)).all()
    half = RadiusUnit(model.metric_).reach(radii / 2)  # there is nothing between two steps
    given_each = model.lowest_leads(everything, half)
    assert (
        given_each[(radii > 1e-6) & (radii < np.inf)] > 0
    ).all()  # half of a radius is proved, whether it was searched or not


@pytest.mark.filterwarnings("ignore")
@given(metric_matrices(), st.data(), st.floats(0, 8))
@settings(max_examples=40, deadline=None)
def test_bounds_are_the_sums_of_the_smallest_terms(matrix, data, radius):
    model = drawn_machine(0.37 * matrix, data)
    function = model._function
    shape = len(model.classes_), len(model.radials_), len(model.references_)
    coefficients = function.coefficients.toarray().reshape(shape)
    everything = np.arange(len(matrix))
    winners, distances = (
        model.winners(everything),
        0.37 * matrix[:, np.asarray(model._function.references, dtype=int)],
    )
    found = model.lowest_leads(everything, radius)
    for row, bound in enumerate(found):
        terms = model.radials_, coefficients, function.intercepts, distances[row]
        expected = radial_lead(*terms, winners[row], radius)
        assert bound <= expected
        np.testing.assert_allclose(bound, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_several_functions_of_one_reference_have_their_minimum_inside_of_the_interval(sign):
    radials = Radial("gaussian", 1.0), Radial("gaussian", 2.0)
    values = (
        sign * np.array([2.0, -1.6]) * [radial.lipschitz for radial in radials]
    )  # 2 exp(-t^2) - 1.6 exp(-t^2 / 4)
    metric, intercept = wideberth.metric("euclidean"), sign * 1.0
    halves = csr_array(np.array([-values, values]) / 2), np.array([-intercept, intercept]) / 2
    function = RadialExpansion(np.zeros((1, 1)), metric, radials, *halves, 10**6, 1)
    scores = function.values(np.linspace(0.5, 3.5, 301)[:, None])
    reached = sign * (scores[:, 1] - scores[:, 0]) - 1.0
    assert reached[[0, -1]] == pytest.approx([0.055, -0.075], abs=0.001)
    assert reached.min() == pytest.approx(-0.70, abs=0.005)  # at 1.46: the ends are not enough
    ((_, nearby),) = function.nearby(np.array([[2.0]]), DistanceErrors.of(1, 0.0))
    (low,) = ScoreLeads(function, nearby).lowest(np.array([1.5]), np.array([0]))
    assert low <= 1.0 + reached.min()
    assert low == pytest.approx(1.0 - 1.50, abs=0.005)  # term by term


@pytest.mark.few(2)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("radial", RADIALS, ids=str)
def test_all_strings_within_two_edits_keep_their_label(radial, n_classes):
    labels = np.arange(12) // 4 % n_classes
    proved = 0
    for price in (3.0, 10.0):
        model = LPMachineClassifier("levenshtein", C=price, radial=radial).fit(WORDS, labels)
        queries = ["tee", "rum", "ale", "teapots", "rummys", "ale pale"]
        objects = model.admit_queries(queries)
        radii, answers = model.certified_radius(queries), model.predict(queries)
        lowest = [model.lowest_leads(objects, edits) for edits in (1, 2)]
        for row, query in enumerate(queries):
            reached = {query}
            for edits in (1, 2):
                reached |= {
                    after
                    for before in reached
                    for after in one_step_away(before, "tarx")["levenshtein"]
                }
                if lowest[edits - 1][row] > 0 or radii[row] > edits:
                    assert set(model.predict(sorted(reached))) == {answers[row]}
                    proved += 1
                scores = np.sort(model.scores(model.admit_queries(sorted(reached))), axis=1)
                assert (
                    lowest[edits - 1][row] <= (scores[:, -1] - scores[:, -2]).min()
                    or len(set(model.predict(sorted(reached)))) > 1
                )
    assert proved > 0


def test_local_radii_are_never_smaller_and_often_larger():
    points, labels = make_moons(150, noise=0.3, random_state=0)
    queries = np.random.default_rng(0).uniform([-2, -1.5], [3, 2], size=(200, 2))
    for radial, gain in (("distance", 1.0), (("gaussian", "70%"), 1.1), (SEVERAL, 1.0)):
        for codes in (labels, labels + 2 * (points[:, 0] > 1)):
            model = LPMachineClassifier(radial=radial, C=10).fit(points, codes)
            local, smaller = model.certified_radius(queries), by_slopes(model, queries)
            assert (local >= smaller).all()
            positive = smaller > 0
            assert np.median(local[positive] / smaller[positive]) >= gain


def test_scores_and_radii_together_are_those_of_separate_calls_from_each_distance_once():
    calls = []

    def counted(left, right):
        calls.append(len(left) * len(right))
        return np.abs(np.asarray(left)[:, None, 0] - np.asarray(right)[None, :, 0])

    metric = wideberth.Metric(counted, accepts="vectors", obeys_triangle=True)
    points = np.random.default_rng(0).normal(size=(60, 1))
    model = LPMachineClassifier(metric, radial="gaussian", n_jobs=1).fit(
        points[:40], points[:40, 0] > 0.2
    )
    calls.clear()
    told = model.answers(points[40:])
    scores, radii = told.scores, told.radii
    assert sum(calls) == 20 * len(model.references_)
    np.testing.assert_array_equal(scores, model.scores(model.admit_queries(points[40:])))
    np.testing.assert_array_equal(radii, model.certified_radius(points[40:]))


def test_little_memory_changes_no_radius():
    points, labels = make_moons(80, noise=0.3, random_state=0)
    model = LPMachineClassifier(radial=SEVERAL).fit(points, labels)
    small = LPMachineClassifier(radial=SEVERAL, max_memory=4096).fit(points, labels)
    small._function = replace(model._function, max_memory=4096, n_jobs=1)
    small.classes_ = model.classes_
    np.testing.assert_allclose(
        small.certified_radius(points), model.certified_radius(points), rtol=0.003
    )


def test_a_constant_and_a_single_class_are_certified_everywhere():
    points = np.arange(6.0)[:, None]
    constant = LPMachineClassifier(C=0.5).fit(points, [0, 0, 1, 0, 0, 0])
    assert np.isinf(constant.certified_radius(points)).all()
    assert (constant.lowest_leads(constant.admit_queries(points), np.inf) > 0).all()
    alone = LPMachineClassifier().fit(points, np.zeros(6))
    assert np.isinf(alone.certified_radius(points)).all()


def test_local_radii_need_the_triangle_inequality():
    metric = wideberth.Metric(
        lambda left, right: (left[:, None, 0] - right[None, :, 0]) ** 2, accepts="vectors"
    )
    model = LPMachineClassifier(metric).fit(np.arange(6.0)[:, None], [0, 0, 0, 1, 1, 1])
    for ask in (model.certified_radius, lambda X: model.lowest_leads(model.admit_queries(X), 1.0)):
        with pytest.raises(NotCertified, match="triangle"):
            ask([[0.0]])
