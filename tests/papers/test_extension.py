"""Lipschitz extensions: Lemmas 7 and 8 and Example 6 of von Luxburg & Bousquet 2004."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from strategies import metric_matrices

import wideberth
from wideberth.errors import InvalidInput
from wideberth.papers.extension import LipschitzExtension


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=50, deadline=None)
def test_extensions_agree_with_the_values_and_are_no_steeper(matrix, data):
    n = len(matrix)
    known = np.arange(n) % 2 == 0
    metric = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    values = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=n, max_size=n)), dtype=float)
    values = values[(matrix == 0).argmax(axis=1)]  # equal objects have equal values
    if not known[(matrix[known] == 0).argmax(axis=1)].all():
        return
    extension = LipschitzExtension(np.flatnonzero(known), values[known], metric=metric)
    alpha = data.draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))
    found = extension(np.arange(n), alpha)
    np.testing.assert_allclose(found[known], values[known], atol=1e-9)
    steps = abs(found[:, None] - found)
    assert np.all(steps <= extension.slope * matrix + 1e-9)
    lower, upper = extension.envelope(np.arange(n))
    brute_lower = (values[known] - extension.slope * matrix[:, known]).max(axis=1)
    brute_upper = (values[known] + extension.slope * matrix[:, known]).min(axis=1)
    np.testing.assert_allclose(lower, brute_lower, atol=1e-9)
    np.testing.assert_allclose(upper, brute_upper, atol=1e-9)


EXAMPLE_6 = np.array([[0, 5, 3, 6], [5, 0, 4, 1], [3, 4, 0, 5], [6, 1, 5, 0]], dtype=float)


@pytest.mark.parametrize(
    ("values", "lipschitz", "kuratowski"),
    [((-1, -1, -1, -1), 1 / 6, 0.366), ((1, 0, 1, 0), 1 / 4, 0.28)],
)
def test_example_6_orders_two_functions_both_ways(values, lipschitz, kuratowski):
    """The norm max(L(f), sup |f| / diameter) and the dual norm in the Kuratowski space do not agree
    which function is smaller.
    """
    slope = LipschitzExtension(
        np.arange(4), values, metric=wideberth.metric("precomputed", distances=EXAMPLE_6)
    ).slope
    assert max(slope, np.abs(values).max() / EXAMPLE_6.max()) == pytest.approx(lipschitz)
    dual = linprog(
        -np.array(values),
        A_ub=np.vstack([EXAMPLE_6, -EXAMPLE_6]),
        b_ub=np.ones(8),
        bounds=[(None, None)] * 4,
    )
    assert -dual.fun == pytest.approx(kuratowski, abs=2e-3)


def test_too_flat_a_slope_is_refused_with_the_pair():
    with pytest.raises(
        InvalidInput, match=r"Objects . and ., 4 apart, have values 2 apart.*must be 0.5 at least"
    ) as error:
        LipschitzExtension([[0.0], [4.0]], [0.0, 2.0], slope=0.25)
    assert set(error.value.witness) == {0, 1}
    LipschitzExtension([[0.0], [4.0]], [0.0, 2.0], slope=0.5)
    with pytest.raises(InvalidInput, match="Equal objects need equal values"):
        LipschitzExtension(["tea", "tea"], [0.0, 2.0], metric="levenshtein")
    with pytest.raises(InvalidInput, match="need as many finite values"):
        LipschitzExtension(["tea", "rum"], [0.0], metric="levenshtein")
