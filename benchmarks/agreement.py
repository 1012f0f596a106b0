"""Do elastic distances agree with aeon's: ``python -m benchmarks.agreement`` prints the largest differences.

Series of one channel, of equal and unequal lengths from 1 to 90. For several channels the two libraries differ on purpose: ours
add the channels' distances, which keeps a metric, aeon's measure the points of all channels together.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from aeon.distances import dtw_pairwise_distance, erp_pairwise_distance, msm_pairwise_distance, twe_pairwise_distance
from numpy.typing import NDArray

import wideberth as wb
from benchmarks.timing import table

Series = list[NDArray[np.float64]]
#: Larger than any sum of values: to delete it, or to match it with another value, is never worth it.
FAR = 1e9
#: What rounding may do to a sum of 180 costs.
ROUNDING = 1e-12


def erp_off_the_borders(series: Series, g: float) -> Any:
    """aeon's edit distances with real penalty, kept off the borders of its tables.

    aeon 1.6 writes the cost of a whole series into every cell of a border, where the cost of its first points belongs
    (Chen & Ng 2004): with gap 0, its distance of [5, -5, 5] and [-5, 5] is 15, although deleting the first 5 leaves equal series.
    A common first point, far from all others, is matched with itself at no cost; from there on no path touches a border.
    """
    return erp_pairwise_distance([np.concatenate([[FAR], each]) for each in series], g=g)


RIVALS: list[tuple[str, dict[str, Any], Callable[[Series], Any]]] = [
    ("msm", {"cost": 0.7}, lambda series: msm_pairwise_distance(series, c=0.7)),
    ("dtw", {}, lambda series: np.sqrt(dtw_pairwise_distance(series))),
    ("erp", {"gap": 0.0}, lambda series: erp_off_the_borders(series, g=0.0)),
    ("erp", {"gap": 0.3}, lambda series: erp_off_the_borders(series, g=0.3)),
    ("twe", {}, lambda series: twe_pairwise_distance(series)),
    ("twe", {"nu": 0.4, "lmbda": 0.0}, lambda series: twe_pairwise_distance(series, nu=0.4, lmbda=0.0)),
]


def samples() -> list[Series]:
    """Random walks, and whole numbers with many ties: of one length each, and of mixed lengths."""
    generator = np.random.default_rng(0)
    mixed = [1, 1, 2, 2, 3, 5, 8, 13, 24, 24, 61, 90]
    drawn = []
    for lengths in (mixed, *([length] * 8 for length in (1, 2, 24, 90))):
        drawn.append([generator.normal(size=length).cumsum() for length in lengths])
        drawn.append([generator.integers(-3, 4, size=length).astype(float) for length in lengths])
    return drawn


def difference(metric: wb.Metric, peer: Callable[[Series], Any]) -> float:
    """The largest difference on all samples, as a share of the distance where that is above 1."""
    worst = 0.0
    for series in samples():
        ours, theirs = metric.block(series, series), np.asarray(peer(series))
        worst = max(worst, float(np.max(np.abs(ours - theirs) / np.maximum(1.0, ours))))
    return worst


def page() -> str:
    rows = []
    for name, parameters, peer in RIVALS:
        metric = wb.metric(name, **parameters)
        found = difference(metric, peer)
        rows.append([repr(metric), f"{found:.1e}", "yes" if found <= ROUNDING else "NO"])
    as_it_is = difference(wb.metric("erp"), lambda series: erp_pairwise_distance(series, g=0.0))
    rows.append(["ERP() beside aeon with its borders", f"{as_it_is:.1e}", "no, see `erp_off_the_borders`"])
    return table(["metric", "largest difference from aeon", "agree"], rows)


if __name__ == "__main__":
    print(page())
