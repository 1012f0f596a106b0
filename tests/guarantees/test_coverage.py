"""What certify says on its training sample holds as often as it says, for models learned anew in
300 simulated runs.
"""

import numpy as np
import pytest
from failures import RUNS, assert_rarely

import wideberth

MODELS = {
    "support vector compression": wideberth.HilbertSVC(kernel="gaussian", width=1.0, n_jobs=1),
    "Hilbert ball": wideberth.HilbertSVC(kernel="gaussian", width=1.0, n_jobs=1),
    "margin and complexity of the sample": wideberth.NeighborsClassifier(n_neighbors=3, n_jobs=1),
    "preferent compression": wideberth.MarginNeighborsClassifier(
        separation="compression", n_jobs=1
    ),
    "holdout": wideberth.MarginNeighborsClassifier(n_jobs=1),
}


def half_circles(n, random):
    """Two noisy half-circles, and which of them each point is from; one in twenty labels is
    wrong.
    """
    sides, angles = random.integers(0, 2, n), random.uniform(0, np.pi, n)
    points = np.c_[
        np.cos(angles) + sides - 0.5, np.sin(angles) * (1 - 2 * sides) + 0.25 * (2 * sides - 1)
    ]
    return points + random.normal(0, 0.2, (n, 2)), np.where(
        random.random(n) < 0.05, 1 - sides, sides
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_certificates_fail_as_seldom_as_they_say(kind):
    random, delta = np.random.default_rng(len(kind)), 0.3
    failures = np.zeros(RUNS, dtype=bool)
    fresh, truth = half_circles(5000, random)
    for run in range(RUNS):
        points, sides = half_circles(150, random)
        model = MODELS[kind].fit(points, sides)
        (found,) = [
            each
            for each in wideberth.certify(model, points, sides, delta=delta)
            if each.kind == kind
        ]
        assert not found.void
        failures[run] = (
            np.mean(model.predict(fresh) != truth) > found.value + 0.02
        )  # what 5000 objects may be off
    assert_rarely(failures, delta)
