"""Certified radii hold where numbers get large or small: far from all training objects, at tiny scales, and far from the origin.

Borders between labels are found by bisection down to neighbouring floating-point numbers, and pairs of objects on both sides of
them are measured with extended precision. Where such a pair is closer than a radius claims, the radius is false.
"""

import numpy as np
import pytest

import wideberth as wb

POINTS = np.array([[0.3, 1.0], [0.0, -1.1], [2.0, 0.4], [-0.5, -0.7], [1.0, 1.5], [0.4, -2.0]])
SIDES = np.array([1, 0, 1, 0, 1, 0])

CLASSIFIERS = {
    "1 neighbour": lambda metric, unit: wb.NeighborsClassifier(metric, n_neighbors=1, n_jobs=1),
    "3 neighbours": lambda metric, unit: wb.NeighborsClassifier(metric, n_neighbors=3, n_jobs=1),
    "margin": lambda metric, unit: wb.MarginNeighborsClassifier(metric, separation=0.1 * unit, n_jobs=1),
    "lipschitz": lambda metric, unit: wb.LipschitzClassifier(metric, C=50, n_jobs=1),
    "lp": lambda metric, unit: wb.LPMachineClassifier(metric, n_jobs=1),
    "lp, gaussian": lambda metric, unit: wb.LPMachineClassifier(metric, radial=("gaussian", "70%"), n_jobs=1),
    "svm": lambda metric, unit: wb.HilbertSVC(metric, n_jobs=1),
    "svm, distance": lambda metric, unit: wb.HilbertSVC(metric, kernel="distance", n_jobs=1),
}

#: The distance of each pair of two vectors, in extended precision and without under- or overflow.
TRUE_DISTANCES = {
    "euclidean": lambda steps: np.hypot(steps[..., 0], steps[..., 1]),
    "manhattan": lambda steps: np.abs(steps).sum(axis=-1),
    "chebyshev": lambda steps: np.abs(steps).max(axis=-1),
}


#: The Euclidean distance, which squares, is the one in danger; the others wait for the slow tests, and so do most scales.
METRICS = ["euclidean", *(pytest.param(name, marks=pytest.mark.slow) for name in ("manhattan", "chebyshev"))]


def quick_or_slow(quick, slow):
    return [*quick, *(pytest.param(value, marks=pytest.mark.slow) for value in slow)]


def border(model, inside, outside):
    """Neighbouring points with different labels on the way from one point to another of another label."""
    label = model.predict(inside[None])[0]
    while True:
        middle = inside / 2 + outside / 2
        if np.array_equal(middle, inside) or np.array_equal(middle, outside):
            return inside, outside
        inside, outside = (middle, outside) if model.predict(middle[None])[0] == label else (inside, middle)


def false_radii(model, metric, points):
    """Pairs of points with different labels that are closer than the radius of the first claims."""
    if not len(points):
        return np.empty((0, 2))
    radii, labels = model.certified_radius(points), model.predict(points)
    extended = points.astype(np.longdouble)
    distances = TRUE_DISTANCES[metric](extended[:, None] - extended[None])
    return np.argwhere((distances < radii[:, None]) & (labels[:, None] != labels[None]))


def around_borders(model, corners, random, unit):
    """Points close to the border between the labels of some corners, from one unit in the last place to a unit away."""
    labels = model.predict(corners)
    found = []
    for one, other in zip(corners[labels == labels[0]][:3], corners[labels != labels[0]], strict=False):
        near = border(model, one, other)
        found += [*near, *(near[0] + unit * 10.0**-power * random.normal(size=(3, 2)) for power in range(16))]
    return np.vstack(found) if found else np.empty((0, 2))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("far", quick_or_slow([1e5, 1e9], [1e2, 1e4, 1e6, 1e8, 1e11, 1e13]))
def test_radii_hold_far_from_all_training_objects(name, metric, far):
    random, model = np.random.default_rng(0), CLASSIFIERS[name](metric, 1.0)
    try:
        model.fit(POINTS, SIDES)
        model.certified_radius(POINTS)
    except (wb.errors.InvalidInput, wb.errors.NotCertified):
        pytest.skip("this metric allows no such radius")
    corners = far * np.c_[1 + random.random(12), random.uniform(-1, 1, 12)]
    assert len(false_radii(model, metric, around_borders(model, corners, random, far))) == 0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("scale", quick_or_slow([1e-157], [1e-100, 1e-140, 1e-150, 1e-153, 1e-155, 1e-159, 1e-200, 1e150]))
def test_radii_hold_at_every_scale(name, metric, scale):
    random, model = np.random.default_rng(0), CLASSIFIERS[name](metric, scale)
    try:
        model.fit(POINTS * scale, SIDES)
        model.certified_radius(POINTS * scale)
    except (wb.errors.InvalidInput, wb.errors.NotCertified, wb.errors.UnsolvedProgram):
        return  # refused: nothing is claimed
    points = around_borders(model, scale * 3 * random.normal(size=(12, 2)), random, scale)
    assert len(false_radii(model, metric, points)) == 0


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("offset", quick_or_slow([1e8], [1e4, 1e12]))
def test_radii_hold_where_all_objects_are_far_from_the_origin(name, metric, offset):
    random, model = np.random.default_rng(0), CLASSIFIERS[name](metric, 1.0)
    try:
        model.fit(POINTS + offset, SIDES)
        model.certified_radius(POINTS + offset)
    except (wb.errors.InvalidInput, wb.errors.NotCertified):
        return
    points = around_borders(model, offset + 3 * random.normal(size=(12, 2)), random, 1.0)
    assert len(false_radii(model, metric, points)) == 0
