"""Numbers whose squares overflow: every classifier answers rightly, or refuses them with a
sentence; no radius is false.
"""

import numpy as np
import pytest
from attacked_radii import CLASSIFIERS, POINTS, SIDES

import wideberth as wb

METRICS = [
    "euclidean",
    "manhattan",
    "chebyshev",
    "minkowski",
    "mahalanobis",
    "standardized",
    "angular",
    "canberra",
]  # haversine: angles
ASKED = np.array([[0.5, 1.2], [0.1, -1.3], [2.5, -0.1], [1e-3, 1e-3]])


def answers(name, metric, scale):
    """Labels and radii of a model of points at a scale; None if they are refused."""
    model = CLASSIFIERS[name](metric, scale)
    try:
        labels = model.fit(POINTS * scale, SIDES).predict(ASKED * scale)
        return labels, model.certified_radius(ASKED * scale)
    except (wb.errors.InvalidInput, wb.errors.NotCertified, wb.errors.UnsolvedProgram):
        return None


def distance(metric, scale):
    return wb.metric(metric).fitted(POINTS * scale)([0.0, scale], [scale, 0.0])


@pytest.mark.parametrize("scale", [1e149, 1e151, 1e160, 1e200, 1e300])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_huge_vectors(name, metric, scale):
    huge = answers(name, metric, scale)
    if huge is None:
        return
    labels, radii = huge
    usual = answers(name, metric, 1.0)
    assert not np.isnan(radii).any()
    assert usual is not None
    unit = distance(metric, scale) / distance(metric, 1.0)
    np.testing.assert_array_equal(labels, usual[0])
    np.testing.assert_allclose(radii, usual[1] * unit, rtol=1e-3, atol=1e-6 * unit)


@pytest.mark.parametrize(
    "metric",
    [
        wb.transforms.scale("euclidean", 1e200),
        wb.transforms.power("euclidean", 3.0),
        wb.transforms.product({0: "euclidean", 1: "euclidean"}, weights={0: 1e200}, p=2),
    ],
    ids=lambda metric: metric.name,
)
def test_distances_that_become_infinite_are_refused(metric):
    with pytest.raises(wb.errors.BrokenAxiom, match="inf between"):
        wb.NeighborsClassifier(metric, n_neighbors=1).fit(POINTS * 1e140, SIDES).predict(
            ASKED * 1e140
        )


def test_a_covariance_in_whose_units_vectors_are_huge():
    narrow = wb.metric("mahalanobis", covariance=[[1e-290, 0.0], [0.0, 1.0]])
    with pytest.raises(wb.errors.InvalidInput, match="In units of the covariance"):
        wb.NeighborsClassifier(narrow, n_neighbors=1).fit(POINTS * 1e140, SIDES).predict(
            ASKED * 1e140
        )
