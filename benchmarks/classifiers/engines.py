"""Which engine for the Lipschitz program: simplex on generated pairs, or optimal matching at a fixed slope."""

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import make_moons

import wideberth as wb
from benchmarks.timing import seconds, table


def measure(n: int, c: float) -> list[str]:
    points, labels = make_moons(n, noise=0.35, random_state=1)
    ours, model = seconds(lambda: wb.LipschitzClassifier(C=c).fit(points, labels))
    matching, loss = seconds(lambda: fixed_slope(points, labels, model.lipschitz_constant_))
    value = model.lipschitz_constant_ + model.C_ * loss
    difference = abs(value - model.solution_.value) / value
    return [f"{n:,}", f"{c:g}", f"{ours:.2f}", f"{matching:.2f}", f"{difference:.0e}"]


def fixed_slope(points: np.ndarray, labels: np.ndarray, slope: float) -> float:
    """The least loss at one slope: the value of a heaviest matching with weights (2 - slope * distance)_+ (two classes)."""
    weights = np.maximum(2.0 - slope * wb.pairwise_distances(points[labels == 0], points[labels == 1]), 0.0)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return float(weights[rows, columns].sum())


def page() -> str:
    wb.LipschitzClassifier().fit(*make_moons(100, noise=0.3, random_state=0))  # compiled code is loaded before it is timed
    rows = [measure(n, c) for n in (1_000, 2_000, 4_000, 8_000) for c in (2.0, 5.0)]
    return "\n".join(
        [
            "# Engines for the Lipschitz program",
            "",
            "From `make bench` (`python -m benchmarks engines`). Two moons, noise 0.35. Simplex: the whole fit, to a gap of",
            "1e-3. Matching: one evaluation at the slope found, by scipy's `linear_sum_assignment`; a search needs several.",
            "",
            table(["n", "C", "simplex, whole fit, s", "one matching, s", "difference of the values"], rows),
            "",
        ]
    )
