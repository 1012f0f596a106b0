"""Shares of patterns in series: the definition, what does not matter, and what a file may not
say.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import series

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.series.patterns import Patterns, PatternShares

RNG = np.random.default_rng(0)
WAVES = [
    np.sin(np.arange(n) / k) + 0.1 * RNG.normal(size=n) for n in (30, 41) for k in (1, 1.2, 4, 5)
]


def slow_shares(values, thresholds):
    """The definition, point by point."""
    values = np.asarray(values, dtype=float)
    spread = values.std()
    scaled = (values - values.mean()) / spread if spread > 1e-9 else np.zeros(len(values))
    found = []
    for power, of_scale in enumerate(thresholds):
        for heavy, limits in zip(combinations(range(9), 3), of_scale, strict=True):
            outputs = []
            for t in range(len(scaled)):
                places = [t + (i - 4) * 2**power for i in range(9)]
                at = [scaled[place] if 0 <= place < len(scaled) else 0.0 for place in places]
                outputs.append(
                    sum((2.0 if i in heavy else -1.0) * value for i, value in enumerate(at))
                )
            found.extend(np.mean([output > limit for output in outputs]) for limit in limits)
    return np.array(found)


def test_it_equals_the_definition():
    metric = Patterns().fitted(WAVES)
    assert metric.thresholds.shape == (2, 84, 5)
    limits = metric.thresholds + 1e-7  # no output is a threshold, whichever way it is added up
    metric = Patterns(limits)
    shares = [slow_shares(wave, limits) for wave in WAVES[:3]]
    np.testing.assert_allclose(metric.prepare(WAVES[:3]).rows, shares, atol=1e-12)
    expected = np.sqrt(np.mean((shares[0] - shares[1]) ** 2))
    assert metric(WAVES[0], WAVES[1]) == pytest.approx(expected)


@given(series)
@settings(max_examples=10, deadline=None)
def test_promises_hold(some):
    assert not wideberth.diagnose(some, "patterns").broken_promises


def test_neither_place_nor_scale_matters_and_shapes_do():
    metric = Patterns().fitted(WAVES)
    assert metric(WAVES[0], 5.0 * WAVES[0] + 3.0) == pytest.approx(0.0, abs=0.01)
    assert metric(WAVES[0], WAVES[1]) < metric(WAVES[0], WAVES[2])
    labels = ["fast", "fast", "slow", "slow"] * 2
    model = wideberth.HilbertSVC("patterns").fit(WAVES, labels)
    new = [np.sin(np.arange(35) / k) for k in (1.1, 4.5)]
    assert model.predict(new).tolist() == ["fast", "slow"]


def test_each_channel_is_looked_at_alone_and_with_the_others():
    """Where only one of two channels tells the classes apart, noise in the other one, which is as
    large, does not hide it; and what is seen of it is what is seen of it alone.
    """
    noise = [RNG.normal(size=len(wave)) for wave in WAVES]
    both = [np.stack([wave, other]) for wave, other in zip(WAVES, noise, strict=True)]
    metric, alone = Patterns().fitted(both), Patterns().fitted(WAVES)
    assert metric.thresholds.shape == (3, *alone.thresholds.shape)
    np.testing.assert_array_equal(metric.thresholds[0], alone.thresholds)
    rows, width = metric.prepare(both).rows, alone.thresholds.size
    np.testing.assert_array_equal(rows[:, :width], alone.prepare(WAVES).rows)
    summed = Patterns(metric.thresholds[2])  # a model of a version that only added channels
    np.testing.assert_array_equal(rows[:, 2 * width :], summed.prepare(both).rows)


def test_many_channels_are_looked_at_in_groups():
    many = RNG.normal(size=(4, 40, 12))
    assert Patterns().fitted(many).thresholds.shape == (16, 1, 84, 5)


def test_series_of_other_channels_are_refused():
    metric = Patterns().fitted(RNG.normal(size=(4, 3, 12)))
    with pytest.raises(
        InvalidInput, match="Series of 2 channels do not fit thresholds of 'patterns' for 3"
    ):
        metric.prepare(RNG.normal(size=(4, 2, 12)))


def test_short_series():
    assert Patterns().fitted([[1.0], [2.0, 3.0]]).thresholds.shape == (1, 84, 5)


def test_files_hold_what_was_learned(tmp_path):
    model = wideberth.NeighborsClassifier("patterns", n_neighbors=1).fit(
        WAVES, ["fast", "fast", "slow", "slow"] * 2
    )
    wideberth.save(model, tmp_path / "m.wb")
    again = wideberth.load(tmp_path / "m.wb")
    np.testing.assert_array_equal(again.predict(WAVES), model.predict(WAVES))


def test_learning_needs_series_and_happens_once():
    with pytest.raises(InvalidInput, match="has no thresholds yet"):
        Patterns()([1, 2], [2, 1])
    with pytest.raises(InvalidInput, match="one series at least"):
        Patterns().fitted([])
    fitted = Patterns().fitted(WAVES)
    assert fitted.fitted(WAVES[:1]) is fitted
    assert len(fitted.taught_by) == len(WAVES)
    assert "2 scales" in repr(fitted)


@pytest.mark.parametrize(
    "thresholds",
    [
        np.zeros(84),
        np.zeros((1, 83, 5)),
        np.full((1, 84, 5), np.nan),
        np.zeros((1, 84, 0)),
        np.zeros((2, 1, 84, 5)),
        "five",
    ],
)
def test_other_thresholds_are_refused(thresholds):
    with pytest.raises(InvalidInput, match="Thresholds of 'patterns'"):
        Patterns(thresholds)


def test_shares_of_another_metric_are_refused():
    metric = Patterns().fitted(WAVES)
    with pytest.raises(InvalidInput, match="do not fit 840 thresholds"):
        metric.prepare(PatternShares(np.zeros((2, 420))))
    for wrong in ({"rows": np.full((1, 3), 2.0)}, {"rows": np.zeros(3)}, {}):
        with pytest.raises(ValueError, match="shares from 0 to 1"):
            PatternShares.from_plain(wrong)
