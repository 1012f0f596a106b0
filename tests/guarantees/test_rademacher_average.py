"""Averages over signs: exact for few objects, and between limits that hold as often as they say."""

import numpy as np
import pytest
from scipy.stats import binom

from wideberth.errors import InvalidInput
from wideberth.guarantees.training_sample import Measured, all_signs, average_over_signs, draw_signs


def surplus(signs):
    return np.abs(signs.sum(axis=1))


def test_all_signs_are_all_of_them_up_to_the_opposite():
    signs = all_signs(5)
    both = np.concatenate([signs, -signs])
    assert len(np.unique(both, axis=0)) == len(both) == 2**5


def test_a_few_objects_leave_nothing_to_chance():
    found = average_over_signs(surplus, np.ones(12), draws=1, confidence=0.5, random_state=None)
    mean_surplus = sum(abs(2 * k - 12) * binom.pmf(k, 12, 0.5) for k in range(13)) / 12
    assert found.value == found.low == found.high == pytest.approx(mean_surplus)
    assert (found.confidence, found.draws) == (None, 2**11)


def test_signs_do_not_follow_a_sample_drawn_with_the_same_number():
    for seed in range(20):
        sample = np.random.default_rng(seed).choice([-1.0, 1.0], size=(10, 500))
        signs = draw_signs(10, 500, seed)
        assert abs((sample * signs).mean()) < 5 / np.sqrt(5000)  # 1 if they were the same
        assert abs(signs.mean()) < 5 / np.sqrt(5000)
    assert (draw_signs(3, 40, 7) == draw_signs(3, 40, 7)).all()
    assert (draw_signs(3, 40, None) != draw_signs(3, 40, None)).any()


N, RUNS, CONFIDENCE = 40, 300, 0.9
TRUE = sum(abs(2 * k - N) * binom.pmf(k, N, 0.5) for k in range(N + 1)) / N


def runs():
    return [
        average_over_signs(surplus, np.ones(N), draws=5, confidence=CONFIDENCE, random_state=seed)
        for seed in range(RUNS)
    ]


def test_the_limits_hold_as_often_as_they_say():
    found = runs()
    failed = sum(not each.low <= TRUE <= each.high for each in found)
    assert failed <= binom.ppf(0.999, RUNS, 1 - CONFIDENCE)
    assert sum(each.high < TRUE for each in found) <= binom.ppf(0.999, RUNS, (1 - CONFIDENCE) / 2)
    assert len({each.value for each in found}) > 1


def test_a_fourth_of_the_slack_would_not_do():
    narrower = [
        (each.value - (each.value - each.low) / 4, each.value + (each.high - each.value) / 4)
        for each in runs()
    ]
    assert sum(not low <= TRUE <= high for low, high in narrower) > binom.ppf(
        0.999, RUNS, 1 - CONFIDENCE
    )


def test_more_draws_and_smaller_functions_narrow_the_limits():
    def width(draws, height):
        found = average_over_signs(
            surplus, np.full(1000, height), draws=draws, confidence=0.99, random_state=0
        )
        return found.high - found.value

    assert width(400, 1.0) == pytest.approx(width(100, 1.0) / 2) == pytest.approx(width(100, 0.5))
    assert width(100, 1.0) == pytest.approx(np.sqrt(2 * np.log(200) / (1000 * 100)))


def test_no_limit_is_beyond_what_is_certain():
    found = average_over_signs(
        lambda signs: np.full(len(signs), 13.0),
        np.ones(13),
        draws=1,
        confidence=0.99,
        random_state=0,
    )
    assert (found.high, found.value) == (1.0, 1.0)
    assert (
        average_over_signs(surplus, np.ones(13), draws=1, confidence=0.9999, random_state=0).low
        == 0.0
    )


def test_limits_are_moved_cut_and_multiplied():
    found = Measured(0.5, 0.4, 0.6, confidence=0.9, draws=7)
    assert found.widened(0.1) == Measured(0.5, pytest.approx(0.3), pytest.approx(0.7), 0.9, 7, 0.1)
    assert found.widened(0.45).low == 0.0
    assert found.within(0.45, 0.55) == Measured(0.5, 0.45, 0.55, 0.9, 7)
    assert found.within(0.55, 0.7) == Measured(0.55, 0.55, 0.6, 0.9, 7)
    assert found.widened(0.1).times(2) == Measured(
        1.0, pytest.approx(0.6), pytest.approx(1.4), 0.9, 7, 0.2
    )


def test_what_makes_no_sense_is_refused():
    with pytest.raises(InvalidInput, match=r"draws is 0\. Draw at least 1\.") as error:
        average_over_signs(surplus, np.ones(13), draws=0, confidence=0.9, random_state=0)
    assert error.value.value == 0
    for confidence in (0.0, 1.0, 95.0, float("nan")):
        with pytest.raises(InvalidInput, match="A confidence lies between 0 and 1, not at"):
            average_over_signs(surplus, np.ones(13), draws=1, confidence=confidence, random_state=0)
