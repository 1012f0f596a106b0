"""Conformal p-values are ranks: equal to their definition, and at most a share delta of
exchangeable ones is delta or less.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.insight import conformal as slow

from wideberth.insight import conformal
from wideberth.insight.prediction_sets import strangeness

#: Numbers with ties, and the scores of labels that nobody knows.
scores = st.lists(
    st.integers(-3, 3).map(float) | st.sampled_from([np.inf, -np.inf]), min_size=1, max_size=9
).map(np.array)
deltas = st.integers(1, 99).map(lambda percent: percent / 100)


@given(scores, scores)
def test_p_values_are_shares(calibration, asked):
    counts = conformal.at_least_as_large(calibration, asked)
    wanted = [float(slow.p_value(calibration.tolist(), each)) for each in asked.tolist()]
    assert conformal.p_values(counts, len(calibration)).tolist() == wanted


@given(scores, scores, deltas)
def test_what_exceeds_delta_is_below_the_exact_quantile(calibration, asked, delta):
    exact = Fraction(round(100 * delta), 100)
    exceed = conformal.exceed(
        conformal.at_least_as_large(calibration, asked), len(calibration), delta
    )
    assert exceed.tolist() == [
        slow.quantile_rule(calibration.tolist(), each, exact) for each in asked.tolist()
    ]
    assert exceed.tolist() == [
        slow.p_value(calibration.tolist(), each) > exact for each in asked.tolist()
    ]


@given(scores, deltas)
def test_of_exchangeable_scores_a_share_delta_is_rejected_at_most(drawn, delta):
    rejected = 0
    for position in range(len(drawn)):
        others = np.delete(drawn, position)
        counts = conformal.at_least_as_large(others, drawn[position : position + 1])
        rejected += not conformal.exceed(counts, len(others), delta)[0]
    assert rejected <= Fraction(round(100 * delta), 100) * len(drawn)


@given(scores, st.randoms(use_true_random=False))
def test_the_order_of_calibration_scores_means_nothing(calibration, random):
    shuffled = calibration.tolist()
    random.shuffle(shuffled)
    asked = np.arange(-4.0, 5.0)
    one, other = (
        conformal.at_least_as_large(np.array(each), asked).tolist()
        for each in (calibration, shuffled)
    )
    assert one == other


def test_delta_is_the_decimal_number_that_it_is_written_as():
    for tenths in range(1, 10):
        n, delta = 9, tenths / 10
        found = conformal.exceed(np.arange(n + 1), n, delta)
        assert found.tolist() == [10 * (1 + count) > 10 * tenths for count in range(n + 1)]


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(2, 6), st.integers(0, 2**32), deltas)
def test_a_mean_of_p_values_is_rarely_small(n, folds, seed, delta):
    """However they depend on each other: here the same object meets calibration scores that were
    shuffled in many ways.
    """
    random = np.random.default_rng(seed)
    values = np.array(
        [(1 + random.permutation(n + 1)) / (n + 1) for _ in range(folds)]
    )  # each row is uniform over its columns
    assert (~conformal.mean_exceeds(values, delta)).mean() <= 2 * delta + 1e-9


@given(
    st.integers(1, 4),
    st.lists(
        st.lists(st.integers(-2, 2).map(float), min_size=4, max_size=4), min_size=1, max_size=5
    ),
)
def test_the_lead_of_other_labels_is_its_definition(labels, rows):
    given_scores = np.array(rows)[:, :labels]
    np.testing.assert_array_equal(strangeness(given_scores), slow.leads(given_scores))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_label_that_nobody_knows_is_infinitely_strange(count):
    row = np.array([[1.0] + count * [-np.inf]])
    assert strangeness(row)[0].tolist() == [-np.inf] + count * [np.inf]
