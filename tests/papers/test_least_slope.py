"""The least slope in a span of distances: Examples 1 and 3, and beside the LP machine and the
Lipschitz classifier.
"""

import numpy as np
import pytest

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.papers import LeastSlopeFunction, least_slope, lipschitz_constant

EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
EXAMPLE_3 = np.array(
    [[0, 1, 1, 1, 1], [1, 0, 1, 1, 2], [1, 1, 0, 2, 1], [1, 1, 2, 0, 1], [1, 2, 1, 1, 0]],
    dtype=float,
)
SIGNS = [1, 1, -1, -1]


def rows_of(matrix):
    return wb.metric("precomputed", distances=matrix, obeys_triangle=True), np.arange(len(matrix))


def test_example_1_is_not_separated_by_distances():
    metric, rows = rows_of(EXAMPLE_1)
    assert least_slope(rows, SIGNS, metric).status == "infeasible"


def test_example_3_has_slope_2_on_the_sample_and_4_with_the_fifth_point():
    """Functions with the values of the labels differ by multiples of d(x_3, .) + d(x_4, .) - 2,
    which is 0 on all five points: they agree there with that of the paper.
    """
    metric, _ = rows_of(EXAMPLE_3)
    assert least_slope(range(4), SIGNS, metric).point.slope == pytest.approx(2)
    found = LeastSlopeFunction(range(4), SIGNS, metric)(range(5))
    printed = -2 * EXAMPLE_3[0] - 2 * EXAMPLE_3[1] + 3
    assert printed[:4].tolist() == SIGNS
    np.testing.assert_allclose(found, printed, atol=1e-6)
    assert lipschitz_constant(found[:4], EXAMPLE_3[:4, :4]) == pytest.approx(2)
    assert lipschitz_constant(found, EXAMPLE_3) == pytest.approx(4)


def test_it_lies_between_the_lipschitz_classifier_and_the_lp_machine():
    points = np.random.default_rng(0).normal(size=(30, 2))
    signs = np.where(points[:, 0] + 0.3 * points[:, 1] > 0, 1, -1)
    found = least_slope(points, signs)
    lipschitz = wb.LipschitzClassifier(C=np.inf).fit(points, signs)
    assert lipschitz.lipschitz_constant_ <= found.point.slope * (1 + 1e-6)


def test_references_of_ones_own():
    assert least_slope([[0.0], [1.0]], [-1, 1], references=[[0.0]]).point.slope == pytest.approx(2)


def test_the_function_separates_with_the_slope_it_says():
    points = np.random.default_rng(1).normal(size=(40, 2))
    signs = np.where(points[:, 0] - 0.5 * points[:, 1] > 0, 1, -1)
    function = LeastSlopeFunction(points, signs)
    values = function(points)
    assert (signs * values >= 1 - 1e-6).all()
    assert lipschitz_constant(values, wb.pairwise_distances(points)) == pytest.approx(
        function.slope, rel=1e-6
    )
    new = np.random.default_rng(2).normal(size=(500, 2))
    assert (
        np.mean(np.sign(function(new)) == np.where(new[:, 0] - 0.5 * new[:, 1] > 0, 1, -1)) > 0.85
    )
    words = ["tea", "tee", "ten", "rum", "rom", "ram"]
    assert np.sign(
        LeastSlopeFunction(words, [1, 1, 1, -1, -1, -1], "levenshtein")(["teen", "rump"])
    ).tolist() == [1, -1]


def test_without_a_separating_function_there_is_a_price():
    metric, rows = rows_of(EXAMPLE_1)
    with pytest.raises(InvalidInput, match="finite price"):
        LeastSlopeFunction(rows, SIGNS, metric)
    assert LeastSlopeFunction(rows, SIGNS, metric, C=0.1)(rows).shape == (4,)
