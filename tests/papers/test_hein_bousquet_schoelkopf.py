"""Statements of Hein, Bousquet & Schölkopf (2005) that no other test is about, each as it is
printed.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.optimize import linprog
from sklearn.svm import SVC
from strategies import metric_matrices

import wideberth as wb
from wideberth.doctor import examine_transform
from wideberth.papers import LipschitzExtension, kuratowski_functional

fast = settings(deadline=None, max_examples=30)


def two_clouds(seed, n=20, d=3):
    random = np.random.default_rng(seed)
    points = random.normal(size=(n, d))
    points[: n // 2, 0] += 6
    return points, np.repeat([1, -1], n // 2)


@pytest.mark.parametrize("seed", range(3))
def test_remark_1_and_theorem_8_a_semi_metric_is_the_metric_of_its_classes(seed):
    """Objects at distance 0 from each other count as one: the same machine, Lipschitz function and
    embedding.
    """
    points, labels = two_clouds(seed)
    again = np.r_[np.arange(len(points)), [0, 0, 5, 12]]
    queries = np.random.default_rng(seed).normal([3, 0, 0], size=(30, 3))
    for model in (wb.HilbertSVC(kernel="distance", C=np.inf), wb.LipschitzClassifier(C=np.inf)):
        quotient, semi = (
            type(model)(**model.get_params()).fit(points[chosen], labels[chosen])
            for chosen in (slice(None), again)
        )
        assert np.asarray(semi.margin_) == pytest.approx(np.asarray(quotient.margin_), rel=1e-3)
        assert (semi.predict(queries) == quotient.predict(queries)).mean() > 0.95
        assert (quotient.predict(points) == labels).all()
    coordinates = wb.KuratowskiEmbedding().fit_transform(points[again])
    np.testing.assert_allclose(coordinates[-4:], coordinates[[0, 0, 5, 12]])


@pytest.mark.parametrize("seed", range(3))
def test_theorem_8_different_objects_at_distance_0_are_one(seed):
    """The paper's own example, the kernel <x, y>^2: x and -x are at distance 0. Signs of objects
    and of queries change nothing, and one of each pair is enough.
    """
    points, labels = two_clouds(seed)
    queries = np.random.default_rng(seed).normal([3, 0, 0], size=(30, 3))
    both, names = np.r_[points, -points], np.r_[labels, labels]

    def apart(one, other):
        squares = np.add.outer(*((each**2).sum(axis=1) ** 2 for each in (one, other)))
        return np.sqrt(np.maximum(squares - 2 * (one @ other.T) ** 2, 0))

    inside = apart(both, both)
    half = len(points)
    assert np.diagonal(inside, half).max() < 1e-5 < np.linalg.norm(points, axis=1).min()
    np.testing.assert_allclose(inside[:half], inside[half:], atol=1e-5)  # d of classes is defined
    metric = wb.transforms.metric_from_kernel(lambda one, other: np.dot(one, other) ** 2)
    assert metric(points[0], -points[0]) == pytest.approx(0, abs=1e-5)
    assert metric(points[0], -points[1]) == pytest.approx(inside[0, 1])
    quotient = wb.HilbertSVC(metric, kernel="distance", C=np.inf).fit(points, labels)
    semi = wb.HilbertSVC(metric, kernel="distance", C=np.inf).fit(both, names)
    assert semi.margin_ == pytest.approx(quotient.margin_, rel=1e-2)
    assert (semi.predict(-queries) == quotient.predict(queries)).mean() > 0.95
    assert (quotient.predict(-points) == labels).all()
    np.testing.assert_allclose(
        quotient.decision_function(-queries), quotient.decision_function(queries), atol=1e-6
    )


def test_definition_3_the_examples_of_the_paper_are_functions_of_the_distance():
    distances = np.array([0.0, 0.5, 1.0, 7.0])
    for found, expected in (
        (wb.transforms.saturate("euclidean"), distances / (1 + distances)),
        (wb.transforms.one_minus_exp("euclidean", 3.0), 1 - np.exp(-3 * distances)),
    ):
        np.testing.assert_allclose(found.block([[0.0]], distances[:, None])[0], expected)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda t: t / (1 + t), 1.0),
        (lambda t: 1 - np.exp(-3 * t), 3.0),
        (lambda t: np.sqrt(-np.expm1(-4 * t * t)), 2.0),
        (np.sqrt, np.inf),
    ],
)
def test_definition_2_lemma_2_and_corollary_2_a_slope_at_0_keeps_short_distances(function, slope):
    """Local distortion tends to 1, after division by the slope, as distances become short; for the
    root there is no slope.
    """
    ratios = []
    for reach in (1e-2, 1e-4, 1e-6):
        facts = examine_transform(function, largest=reach)
        distances = np.linspace(reach / 100, reach, 50)
        found = function(distances) / distances
        ratios.append(found.max() / found.min())
        if np.isfinite(slope):
            assert facts.slope == pytest.approx(slope, rel=20 * reach + 1e-3)
    assert (ratios[-1] < 1 + 1e-4) == np.isfinite(slope)
    assert examine_transform(function).metric


@fast
@given(metric_matrices(min_size=3, max_size=7), st.data())
def test_definition_5_and_theorem_1_functionals_that_agree_on_the_sample_differ_by_an_annihilator(
    matrix, data
):
    """Functions of the sample are what annihilators of them annihilate (Theorem 1), so that two
    functionals with the same values differ by an annihilator. The least norm is that of the
    quotient: no annihilator makes a functional shorter.
    """
    weights = np.array(
        data.draw(st.lists(st.integers(-3, 3), min_size=len(matrix), max_size=len(matrix))),
        dtype=float,
    )
    heights = matrix @ weights
    found = kuratowski_functional(heights, matrix)
    annihilators = null_space(matrix)
    np.testing.assert_allclose(
        matrix @ (weights + annihilators.sum(axis=1)),
        heights,
        atol=1e-6 * (1 + np.abs(heights).max()),
    )
    twice = null_space(annihilators.T) if annihilators.size else np.eye(len(matrix))
    onto_functions = np.linalg.pinv(matrix, rcond=1e-10) @ matrix
    np.testing.assert_allclose(twice @ twice.T, onto_functions, atol=1e-6)
    np.testing.assert_allclose(
        twice.T @ (found.point - weights), 0, atol=1e-5 * (1 + np.abs(weights).max())
    )
    n, free = annihilators.shape
    # least sum of |weights + annihilators c|, with bounds t of the absolute values
    shortest = linprog(
        np.r_[np.zeros(free), np.ones(n)],
        A_ub=np.block([[annihilators, -np.eye(n)], [-annihilators, -np.eye(n)]]),
        b_ub=np.r_[-weights, weights],
        bounds=[(None, None)] * free + [(0, None)] * n,
    )
    assert found.value == pytest.approx(shortest.fun, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_corollary_1_lemma_3_and_lemma_8_the_solution_lies_in_the_span_of_differences_of_the_sample(
    seed,
):
    """Translations change nothing, and neither does a move of a query at right angles to the
    sample.
    """
    points, labels = two_clouds(seed)
    flat = np.c_[points, np.zeros((len(points), 2))]
    machine = wb.HilbertSVC(kernel="distance", C=np.inf).fit(flat, labels)
    shift, across = np.array([5, -3, 2, 7, 1]), np.array([0, 0, 0, 1.5, -2.0])
    moved = wb.HilbertSVC(kernel="distance", C=np.inf).fit(flat + shift, labels)
    assert moved.margin_ == pytest.approx(machine.margin_, rel=1e-3)
    queries = np.c_[np.random.default_rng(seed).normal(size=(20, 3)), np.zeros((20, 2))]
    np.testing.assert_allclose(
        machine.decision_function(queries + across), machine.decision_function(queries), atol=1e-6
    )
    np.testing.assert_array_equal(moved.predict(queries + shift), machine.predict(queries))
    exact = SVC(kernel="linear", C=1e6, tol=1e-8).fit(flat, labels)
    assert machine.margin_ == pytest.approx(1 / np.linalg.norm(exact.coef_), rel=1e-3)
    np.testing.assert_allclose(
        machine.decision_function(queries), exact.decision_function(queries), atol=1e-2
    )


@pytest.mark.parametrize("seed", range(3))
def test_theorem_5_every_kernel_of_a_metric_gives_the_same_machine(seed):
    points, labels = two_clouds(seed)
    queries = np.random.default_rng(seed).normal([3, 0, 0], size=(40, 3))
    ours = wb.HilbertSVC(kernel="distance", C=1.0).fit(points, labels)
    for base in (np.zeros(3), points[0], np.array([10.0, -4.0, 2.0])):
        kernel = (points - base) @ (points - base).T
        machine = SVC(kernel="precomputed", C=1.0, tol=1e-8).fit(kernel, labels)
        answers = machine.decision_function((queries - base) @ (points - base).T)
        np.testing.assert_allclose(ours.decision_function(queries).ravel(), answers, atol=1e-2)


@fast
@given(metric_matrices(min_size=2, max_size=8), st.data())
def test_lemma_5_the_norm_of_a_sum_of_evaluations_is_the_sum_of_its_coefficients(matrix, data):
    """A bounded continuous function reaches it: the signs of the coefficients, extended between -1
    and 1.
    """
    different = np.unique((matrix == 0).argmax(axis=1))
    weights = np.array(
        data.draw(st.lists(st.integers(-4, 4), min_size=len(different), max_size=len(different))),
        dtype=float,
    )
    signs = np.where(weights < 0, -1.0, 1.0)
    metric = wb.metric("precomputed", distances=matrix, obeys_triangle=True)
    reaching = LipschitzExtension(different, signs, metric=metric)(
        np.arange(len(matrix)), alpha=0.5
    )
    assert np.abs(reaching).max() <= 1 + 1e-9
    assert weights @ reaching[different] == pytest.approx(np.abs(weights).sum())
    space = matrix[np.ix_(different, different)]
    found = kuratowski_functional(space @ weights, space)
    assert found.value <= np.abs(weights).sum() * (1 + 1e-6) + 1e-9
    if np.linalg.cond(space) < 1e6:  # else sums of other evaluations have the same values
        np.testing.assert_allclose(found.point, weights, atol=1e-5)
        assert found.value == pytest.approx(np.abs(weights).sum(), abs=1e-5)
