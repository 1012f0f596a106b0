"""The best margin in hindsight, beside all that could have been taken."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideberth.bounds.balls import best_margin
from wideberth.papers.capacities import stratified_ball_risk


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.floats(-1, 3).map(lambda margin: round(margin, 2)), min_size=1, max_size=20),
    st.floats(0.0, 0.05),
    st.floats(0.01, 100.0),
)
def test_no_other_norm_does_better(margins, slope, unit):
    margins = np.repeat(unit * np.array(margins), 300)

    def complexity(norm):
        return min(1.0, slope * norm * unit)

    found = best_margin(margins, complexity, delta=0.05)
    for norm in np.geomspace(1e-2, 1e2, 40) / unit:
        loss = float(np.clip(1 - norm * margins, 0, 1).mean())
        other = stratified_ball_risk(loss, norm, complexity, len(margins), log_delta=np.log(0.05))
        # strata are chosen between the widest and the narrowest of 96 % of the margins; beyond,
        # little is to be won
        assert found.risk <= min(1.0, other) + 0.05


def test_the_risk_is_that_of_the_stratum():
    margins = np.r_[np.full(9000, 0.5), np.full(1000, -1.0)]
    found = best_margin(margins, lambda norm: 0.001 * norm, delta=0.1)
    assert found.norm == pytest.approx(2.0)
    assert found.loss == pytest.approx(0.1)
    direct = stratified_ball_risk(
        found.loss, found.norm, lambda norm: 0.001 * norm, 10_000, log_delta=np.log(0.1)
    )
    assert found.risk == pytest.approx(direct)


@pytest.mark.parametrize(
    "margins", [np.zeros(5), np.full(5, -1.0), np.full(5, np.inf), np.r_[np.inf, -np.inf]]
)
def test_margins_without_a_size_are_no_trouble(margins):
    found = best_margin(margins, lambda norm: 0.0, delta=0.05)
    assert found.norm == 1.0
    assert found.loss == np.mean(margins <= 0)
