"""Distances in units of the columns' spread: equal to the definition, robust, learned, clear about
what they refuse.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.metrics.vectors import spread, standardized
from sklearn.base import clone
from strategies import vectors

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.vectors.mahalanobis import Standardized, units_differ

ROWS = np.array([[0.0, 1000.0], [1.0, 3000.0], [2.0, 2000.0], [3.0, 5000.0], [4.0, 4000.0]])


@pytest.mark.parametrize("p", [1, 2])
@given(rows=vectors())
@settings(deadline=None, max_examples=40)
def test_learned_from_a_sample_it_equals_the_definition(p, rows):
    metric = Standardized(p=p).fitted(rows)
    scales = [spread(column.tolist()) for column in rows.T]
    np.testing.assert_allclose(metric.scales, scales, rtol=1e-9)
    expected = [[standardized(one, other, scales, p) for other in rows] for one in rows]
    np.testing.assert_allclose(metric.block(rows, rows), expected, rtol=1e-9, atol=1e-9)
    check_metric(metric, rows)
    assert not wideberth.diagnose(rows, metric).broken_promises
    for other, constant in metric.dominated.items():
        assert (
            metric.block(rows, rows)
            <= constant * wideberth.metric(other).block(rows, rows) * (1 + 1e-9) + 1e-9
        ).all()


def test_units_and_a_few_wild_values_do_not_matter():
    metric = Standardized().fitted(ROWS)
    again = Standardized().fitted(ROWS * [1000.0, 0.001])
    np.testing.assert_allclose(
        again.block(ROWS * [1000.0, 0.001], ROWS * [1000.0, 0.001]), metric.block(ROWS, ROWS)
    )
    assert metric.scales[1] == pytest.approx(1000 * metric.scales[0])
    wild = np.tile(ROWS, (20, 1))
    wild[0] = 1e30
    np.testing.assert_allclose(Standardized().fitted(wild).scales, metric.scales, rtol=0.01)


def test_columns_without_quartiles_and_constants():
    columns = np.column_stack(
        [[0.0] * 9 + [10.0], [0.1] * 10, [1e9 + 0.1] * 10, [1e-200] * 9 + [3e-200]]
    )
    assert Standardized().fitted(columns).scales.tolist() == pytest.approx([3.0, 1.0, 1.0, 1.0])


def test_what_it_promises_depends_on_the_power():
    assert (
        Standardized().hilbertian,
        Standardized(p=1).hilbertian,
        Standardized(p=1).negative_type,
    ) == (True, False, True)
    square = wideberth.metric("manhattan").counterexamples["hilbertian"]
    seen = wideberth.diagnose(square, Standardized([1.0, 1.0], p=1))
    assert "hilbertian" in [fact.promise for fact in seen.spectrum if fact.violated]
    assert Standardized([0.5, 2.0]).dominated == {"manhattan": 2.0, "euclidean": 2.0}
    assert Standardized([0.5, 2.0], p=1).dominated == {"manhattan": 2.0}
    assert Standardized().dominated == {}


def test_it_learns_in_a_classifier_that_knows_it_and_survives_a_file(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 3)) @ np.diag([1.0, 10.0, 100.0])
    labels = (rows[:, 0] > 0).astype(int)
    model = wideberth.LipschitzClassifier("standardized", C=10).fit(rows, labels)
    assert model.learned_from_.metric_learned
    found = wideberth.certify(model, rows, labels)
    assert any(
        "'standardized' took its parameters from these objects" in reason
        for each in found
        for reason in each.void
    )
    radii = model.certified_radius(rows, unit="euclidean")
    np.testing.assert_allclose(
        radii, model.certified_radius(rows) * model.metric_.scales.min(), rtol=1e-6
    )
    wideberth.save(model, tmp_path / "model.wb")
    again = wideberth.load(tmp_path / "model.wb")
    np.testing.assert_array_equal(
        again.decision_function(rows + 0.1), model.decision_function(rows + 0.1)
    )


def test_given_scales_are_kept():
    metric = Standardized([1.0, 2.0])
    assert metric.fitted(ROWS) is metric
    assert clone(metric).scales == [1.0, 2.0]
    assert metric.taught_by is None


def test_errors_of_rounding_are_bounded_far_from_the_origin():
    rows = 1e9 + np.random.default_rng(0).normal(size=(6, 2))
    metric = Standardized([3.0, 0.7])
    relative, absolute = metric.distance_errors(metric.prepare(rows))
    exact = np.sqrt(
        (
            (
                (rows[:, None].astype(np.longdouble) - rows)
                / np.array([3.0, 0.7], dtype=np.longdouble)
            )
            ** 2
        ).sum(axis=2)
    )
    assert (np.abs(metric.block(rows, rows) - exact) <= relative * exact + absolute[:, None]).all()
    assert np.isfinite(Standardized().distance_errors(rows).absolute).all()


@pytest.mark.parametrize(
    "scales", [[], [0.0], [-1.0, 2.0], [np.inf], [[1.0]], "wide", [1e-200], [np.nan]]
)
def test_refused_scales(scales):
    with pytest.raises(InvalidInput, match="Scales are positive numbers from 1e-150 to 1e"):
        Standardized(scales)


def test_what_does_not_fit_is_said():
    with pytest.raises(InvalidInput, match=r"no scales yet.*fitted\(objects\)"):
        Standardized().block(ROWS, ROWS)
    with pytest.raises(InvalidInput, match="The power p of 'standardized' is 1 or 2, not 3"):
        Standardized(p=3)
    with pytest.raises(InvalidInput, match="Scales of 2 columns do not fit vectors of 3 numbers"):
        Standardized([1.0, 2.0]).prepare([[1, 2, 3]])
    with pytest.raises(InvalidInput, match=r"not from an array of shape \(0, 0\)"):
        Standardized().fitted([])
    with pytest.raises(InvalidInput, match="a vector exceeds"):
        Standardized([1e-100])([1e100], [0.0])


@pytest.mark.parametrize(
    ("rows", "differ"),
    [
        ([[1.0, 100.0, 1.0], [2.0, 200.0, 3.0], [3.0, 300.0, 2.0]], True),
        ([[1.0, 9.0, 1.0], [2.0, 18.0, 3.0], [3.0, 27.0, 2.0]], False),
        ([[1.0, 7.0], [1.0, 8.0]], False),  # a constant column has no spread to compare with
        ([[1.0, 7.0]], False),
        ([[-1e150, 1.0, 2.0], [1e150, 2.0, 3.0]], True),
    ],
)
def test_units_differ_where_a_column_outweighs_the_others(rows, differ):
    assert units_differ(rows) is differ
    assert units_differ([row[::-1] for row in rows]) is differ
