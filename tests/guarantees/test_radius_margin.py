"""The radii that a margin certificate takes for heights of a Lipschitz function are no more than
that.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices

import wideberth
from wideberth.estimators.radius_rules import radius_unit

LEADING = [
    wideberth.NeighborsClassifier(n_neighbors=1),
    wideberth.NeighborsClassifier(n_neighbors=2),
    wideberth.NeighborsClassifier(n_neighbors=3),
    wideberth.LipschitzClassifier(C=3.0),
    wideberth.LPMachineClassifier(C=10.0),
    wideberth.MarginNeighborsClassifier(separation=0.5),
]


def heights(model, X):
    """Radii by which a model is certified on its training sample, and the share of them that is a
    height.
    """
    return model.radius_rule().heights(model.admit_queries(X), radius_unit(model.metric_, None))


def assert_heights_are_lipschitz(distances, labels, heights):
    """As a map into a star with an arm for each label: on one arm the heights are compared, on two
    they add up.
    """
    same = labels[:, None] == labels
    there, other = heights[:, None], heights[None, :]
    with np.errstate(invalid="ignore"):
        apart = np.where(same, np.abs(there - other), there + other)
    apart[same & (there == other)] = 0.0  # also where both are infinite
    assert np.all(apart <= distances * (1 + 1e-9) + 1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", LEADING, ids=lambda model: type(model).__name__)
@given(metric_matrices(), st.data())
@settings(max_examples=25, deadline=None)
def test_leads_are_heights_in_any_metric_space(model, matrix, data):
    n = len(matrix)
    classes = data.draw(st.sampled_from(["ab", "abc"]))
    labels = np.array(data.draw(st.lists(st.sampled_from(classes), min_size=n, max_size=n)))
    known = np.arange(0, n, data.draw(st.sampled_from([1, 2])))
    model.set_params(metric=wideberth.metric("precomputed", distances=matrix, obeys_triangle=True))
    try:
        fitted = model.fit(known, labels[known])
    except wideberth.errors.InvalidInput:  # no separation is left
        return
    assert heights(fitted, np.arange(n))[1] == 1.0
    assert_heights_are_lipschitz(
        matrix, fitted.predict(np.arange(n)), heights(fitted, np.arange(n))[0]
    )
    assert (heights(fitted, np.arange(n))[0] <= fitted.certified_radius(np.arange(n))).all()


@pytest.mark.parametrize(
    "model", [LEADING[0], LEADING[2], LEADING[-1]], ids=lambda model: type(model).__name__
)
def test_radii_up_to_bisectors_are_heights_in_euclidean_space(model):
    random = np.random.default_rng(0)
    points, sides = random.normal(size=(60, 2)), random.integers(0, 3, 60)
    fitted = model.set_params(metric="euclidean").fit(points, sides)
    asked = random.normal(size=(400, 2))
    distances = np.linalg.norm(asked[:, None] - asked, axis=2)
    assert_heights_are_lipschitz(distances, fitted.predict(asked), heights(fitted, asked)[0])


def test_radii_that_were_searched_near_an_object_are_no_heights():
    points = np.random.default_rng(0).normal(size=(200, 1))
    fitted = wideberth.LPMachineClassifier(radial=("gaussian", "50%")).fit(
        points, np.sin(2 * points[:, 0]) > 0
    )
    distances, labels = np.abs(points - points.T), fitted.predict(points)
    with pytest.raises(AssertionError):
        assert_heights_are_lipschitz(distances, labels, fitted.certified_radius(points))
    assert_heights_are_lipschitz(distances, labels, heights(fitted, points)[0])
    to_other_label = np.where(labels[:, None] == labels, np.inf, distances).min(axis=1)
    assert_heights_are_lipschitz(
        distances, labels, to_other_label / 2
    )  # these are, and lie above half of the radii
    assert (fitted.certified_radius(points) <= to_other_label).all()


@pytest.mark.parametrize(
    "model",
    [
        wideberth.MarginNeighborsClassifier(separation=0.1, eta=0.1),
        wideberth.HilbertSVC(kernel="gaussian"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_other_radii_are_halved(model):
    points, sides = np.arange(20.0)[:, None], np.arange(20) % 2
    fitted = model.fit(points, sides)
    radii, share = heights(fitted, points)
    assert share == 0.5
    np.testing.assert_array_equal(radii, fitted.certified_radius(points))
